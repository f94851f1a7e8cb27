import * as z from 'zod';
import { oneLine } from '../../model/text.ts';
import { type ChatAnswer, ModelError } from '../client.ts';

/** Longer contents and arguments are cut: no use is made of more, and recordings stay small. */
export const MAX_TEXT = 64 * 1024;
const MAX_CALLS = 128;

const Text = z.union([z.string(), z.array(z.looseObject({ text: z.string().nullish() }))]).nullish();
const Call = z.looseObject({ function: z.looseObject({ name: z.string().nullish(), arguments: z.unknown().optional() }) });
const Message = z.looseObject({
  content: Text.catch(null),
  reasoning_content: Text.catch(null),
  reasoning: Text.catch(null),
  tool_calls: z.array(z.unknown()).nullish().catch(null),
  /** Of before tools: one call. */
  function_call: Call.shape.function.nullish().catch(null),
});
const Count = z.number().int().nonnegative().nullish().catch(null);
const Completion = z.looseObject({
  choices: z.array(z.looseObject({ finish_reason: z.string().nullish().catch(null), message: Message })).min(1),
  usage: z.looseObject({ prompt_tokens: Count, completion_tokens: Count }).nullish().catch(null),
});

/**
 * The body of a completion, checked by our own schema. Only the message counts: what servers say of why it ended does not
 * fit what it holds often enough. Ids of calls are left behind, since some send none, or one for all.
 * @throws ModelError `not_json`, `invalid`
 */
export function readAnswer(body: string): ChatAnswer {
  let raw: unknown;
  try {
    raw = JSON.parse(body);
  } catch {
    throw new ModelError('not_json', `the answer is no JSON: ${oneLine(body, 80)}`);
  }
  const parsed = Completion.safeParse(raw);
  const choice = parsed.data?.choices[0];
  if (!parsed.success || !choice) throw new ModelError('invalid', `the answer is no chat completion: ${oneLine(body, 80)}`);
  const { content, reasoning, reasoning_content, tool_calls, function_call } = choice.message;
  const calls = (tool_calls ?? []).flatMap((call) => {
    const read = Call.safeParse(call);
    return read.success ? [read.data.function] : [];
  });
  return {
    content: textOf(content),
    reasoning: textOf(reasoning) || textOf(reasoning_content),
    calls: [...calls, ...(calls.length === 0 && function_call ? [function_call] : [])].slice(0, MAX_CALLS).map((call) => ({
      name: (call.name ?? '').slice(0, 200),
      arguments: boundedArguments(call.arguments),
    })),
    finishReason: choice.finish_reason?.slice(0, 60) ?? null,
    tokensIn: parsed.data.usage?.prompt_tokens ?? null,
    tokensOut: parsed.data.usage?.completion_tokens ?? null,
  };
}

function textOf(text: z.infer<typeof Text>): string {
  const whole = typeof text === 'string' ? text : (text ?? []).map((part) => part.text ?? '').join('');
  return whole.slice(0, MAX_TEXT);
}

/** Absent arguments are an empty text, which JSON can say too. */
function boundedArguments(value: unknown): unknown {
  if (typeof value === 'string') return value.slice(0, MAX_TEXT);
  if (value === undefined || value === null) return '';
  const text = JSON.stringify(value);
  return text.length > MAX_TEXT ? text.slice(0, MAX_TEXT) : value;
}
