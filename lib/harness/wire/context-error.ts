/** What the context holds and what the prompt had, in tokens; null where the error does not say. */
export interface ContextError {
  limit: number | null;
  prompt: number | null;
}

const FORMS: readonly RegExp[] = [
  // vLLM: "… maximum context length is N tokens. However, you requested M tokens (A in the messages, B in the completion)"
  /maximum context length is (?<limit>\d+) tokens\. However, you requested \d+ tokens \((?<prompt>\d+) in the messages/i,
  // "… However, you requested B output tokens and your prompt contains [at least ]A input tokens, for a total of …"
  /maximum context length is (?<limit>\d+) tokens\. However, you requested \d+ output tokens and your prompt contains (?:at least )?(?<prompt>\d+) input tokens/i,
  // "'max_tokens' or 'max_completion_tokens' is too large: B. This model's maximum context length is N tokens and your request has A input tokens"
  /maximum context length is (?<limit>\d+) tokens and your request has (?<prompt>\d+) input tokens/i,
  // "The prompt (total length A) is too long to fit into the model (context length N)"
  /prompt \(total length (?<prompt>\d+)\) is too long to fit into the model \(context length (?<limit>\d+)\)/i,
  // llama.cpp: "request (13392 tokens) exceeds the available context size (8192 tokens), try increasing it"
  /request \((?<prompt>\d+) tokens\) exceeds the available context size \((?<limit>\d+) tokens\)/i,
  // llama-cpp-python: "Requested tokens (A) exceed context window of N"
  /requested tokens \((?<prompt>\d+)\) exceed context window of (?<limit>\d+)/i,
  // OpenAI and many that copy it
  /maximum context length is (?<limit>\d+) tokens/i,
  // TGI: "`inputs` tokens + `max_new_tokens` must be <= N. Given: A `inputs` tokens and B `max_new_tokens`"
  /must be <= (?<limit>\d+)\. Given: (?<prompt>\d+) `inputs` tokens/i,
  // SGLang: "The input (A tokens) is longer than the model's context length (N tokens)."
  /input \((?<prompt>\d+) tokens\) is longer than the model's context length \((?<limit>\d+) tokens\)/i,
];

/** Forms that say no number. */
const BARE =
  /exceeds? the available context size|max_tokens must be at least 1, got -\d+|context[_ ]length[_ ]exceeded|exceed_context_size_error|prompt is too long|input is too long|exceeds? (?:the )?(?:model'?s )?(?:maximum )?context (?:length|window|size)/i;

/**
 * Whether an error says that prompt and answer do not fit the model's context.
 * @param kinds the error's own `code` and `type`, which some servers give
 * @param numbers `n_ctx` and `n_prompt_tokens`, where it has them
 */
export function readContextError(
  message: string,
  kinds: readonly string[],
  numbers: { limit: number | null; prompt: number | null },
): ContextError | null {
  const found = FORMS.map((form) => form.exec(message)?.groups).find((groups) => groups !== undefined);
  const named = kinds.some((kind) => /context_length_exceeded|exceed_context_size/i.test(kind));
  if (!found && !named && !BARE.test(message)) return null;
  const count = (text: string | undefined): number | null => (text === undefined ? null : Number(text));
  return { limit: numbers.limit ?? count(found?.['limit']), prompt: numbers.prompt ?? count(found?.['prompt']) };
}
