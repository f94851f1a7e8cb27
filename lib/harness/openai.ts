import type OpenAI from 'openai';
import * as z from 'zod';
import type { ModelConfig } from '../config.ts';
import { oneLine } from '../model/text.ts';
import { VERSION } from '../version.ts';
import { type ChatAnswer, type ChatMessage, type ChatRequest, type ModelClient, ModelError } from './client.ts';

const MAX_BODY_BYTES = 4 * 1024 * 1024;

const Call = z.looseObject({ function: z.looseObject({ name: z.string(), arguments: z.unknown() }) });
const Completion = z.looseObject({
  choices: z
    .array(
      z.looseObject({
        finish_reason: z.string().nullish(),
        message: z.looseObject({
          content: z.union([z.string(), z.array(z.looseObject({ text: z.string().optional() }))]).nullish(),
          reasoning_content: z.string().nullish(),
          reasoning: z.string().nullish(),
          tool_calls: z.array(Call).nullish(),
        }),
      }),
    )
    .min(1),
  usage: z.looseObject({ prompt_tokens: z.number().nullish(), completion_tokens: z.number().nullish() }).nullish(),
});

/**
 * A chat endpoint that speaks OpenAI's protocol. Every option is given here: nothing comes from the environment, nothing
 * is retried behind our back, redirects are refused, and the caller's signal ends the body too.
 */
export function openaiClient(config: ModelConfig, key: () => Promise<string | undefined>): ModelClient {
  return {
    label: `${config.name} at ${new URL(config.url).host}`,
    complete: async (request, signal) => {
      const { default: Client, APIError } = await import('openai');
      const client = new Client({
        apiKey: (await key()) ?? 'none',
        baseURL: config.url,
        organization: null,
        project: null,
        webhookSecret: null,
        maxRetries: 0,
        timeout: config.timeout,
        logLevel: 'off',
        fetchOptions: { redirect: 'error' },
        defaultHeaders: Object.fromEntries([
          ...['Lang', 'Package-Version', 'OS', 'Arch', 'Runtime', 'Runtime-Version', 'Retry-Count', 'Timeout'].map((name) => [
            `X-Stainless-${name}`,
            null,
          ]),
          ['User-Agent', `hpc-observer/${VERSION}`],
        ]) as Record<string, string | null>,
      });
      try {
        const response = await client.chat.completions.create(toWire(config, request), { signal }).asResponse();
        return readAnswer(await readBody(response));
      } catch (error) {
        if (error instanceof ModelError) throw error;
        if (signal.aborted) throw new ModelError('timeout', `${config.name} did not answer in time`);
        if (error instanceof APIError && error.status !== undefined) {
          throw new ModelError(
            error.status === 503 ? 'loading' : 'status',
            oneLine(`status ${error.status}: ${error.message}`, 300),
            error.status,
          );
        }
        throw new ModelError('unreachable', oneLine(`${new URL(config.url).host}: ${causeOf(error)}`, 300));
      }
    },
  };
}

function causeOf(error: unknown): string {
  const inner = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const deeper = inner instanceof Error && inner.cause instanceof Error ? inner.cause : inner;
  return deeper instanceof Error ? `${(deeper as NodeJS.ErrnoException).code ?? deeper.name}: ${deeper.message}` : String(deeper);
}

function toWire(config: ModelConfig, request: ChatRequest): OpenAI.ChatCompletionCreateParamsNonStreaming {
  return {
    model: config.name,
    messages: request.messages.map(toWireMessage),
    ...(request.tools.length > 0 && {
      tools: request.tools.map((tool) => ({
        type: 'function' as const,
        function: { name: tool.name, description: tool.description, parameters: tool.parameters, strict: true },
      })),
      tool_choice: request.force ? { type: 'function' as const, function: { name: request.force } } : ('auto' as const),
    }),
    max_tokens: request.maxTokens,
    temperature: config.temperature,
    top_p: 1,
    seed: request.seed,
    stream: false,
  };
}

function toWireMessage(message: ChatMessage): OpenAI.ChatCompletionMessageParam {
  if (message.role === 'tool') return { role: 'tool', tool_call_id: message.callId, content: message.content };
  if (message.role !== 'assistant') return message;
  const calls = message.calls.map((call) => ({
    id: call.id,
    type: 'function' as const,
    function: { name: call.name, arguments: call.arguments },
  }));
  return { role: 'assistant', content: message.content, ...(calls.length > 0 && { tool_calls: calls }) };
}

async function readBody(response: Response): Promise<string> {
  const parts: string[] = [];
  const decoder = new TextDecoder();
  let size = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new ModelError('invalid', `the answer is over ${MAX_BODY_BYTES} bytes`);
    parts.push(decoder.decode(chunk, { stream: true }));
  }
  return parts.join('') + decoder.decode();
}

/** The body of a completion, checked by our own schema. @throws ModelError */
function readAnswer(body: string): ChatAnswer {
  let raw: unknown;
  try {
    raw = JSON.parse(body);
  } catch {
    throw new ModelError('not_json', `the answer is no JSON: ${oneLine(body, 80)}`);
  }
  const parsed = Completion.safeParse(raw);
  const choice = parsed.data?.choices[0];
  if (!parsed.success || !choice) throw new ModelError('invalid', `the answer is no chat completion: ${oneLine(body, 80)}`);
  const { content, reasoning, reasoning_content, tool_calls } = choice.message;
  return {
    content: typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join(''),
    reasoning: reasoning ?? reasoning_content ?? '',
    calls: (tool_calls ?? []).map((call) => ({ name: call.function.name, arguments: call.function.arguments })),
    finishReason: choice.finish_reason ?? null,
    tokensIn: parsed.data.usage?.prompt_tokens ?? null,
    tokensOut: parsed.data.usage?.completion_tokens ?? null,
  };
}
