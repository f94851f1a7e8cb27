import * as z from 'zod';
import { oneLine } from '../../model/text.ts';
import { type ErrorDetail, ModelError } from '../client.ts';
import type { Field } from '../dialect.ts';
import { readContextError } from './context-error.ts';

/** What an error's body says, whatever its shape. */
interface Told {
  message: string;
  /** `code` and `type`. */
  kinds: string[];
  param: string;
  limit: number | null;
  prompt: number | null;
}

const Number_ = z.number().nullish().catch(null);
const Inner = z.looseObject({
  message: z.unknown().optional(),
  code: z.unknown().optional(),
  type: z.unknown().optional(),
  param: z.unknown().optional(),
  detail: z.unknown().optional(),
  error: z.unknown().optional(),
  n_ctx: Number_,
  n_prompt_tokens: Number_,
});

/**
 * Reads an error's body: `{error: {message, code, type}}`, `{error: "text"}` (Ollama), `{object: "error", message}` (old
 * vLLM), `{detail: …}` (gateways, FastAPI), HTML, or nothing at all.
 */
function readError(body: string): Told {
  let raw: unknown;
  try {
    raw = JSON.parse(body);
  } catch {
    return told(body.replaceAll(/<[^>]{0,200}>/g, ' '), null);
  }
  const outer = Inner.safeParse(raw).data;
  if (!outer) return told(typeof raw === 'string' ? raw : body, null);
  const inner = Inner.safeParse(outer.error).data ?? outer;
  const text = [outer.error, inner.message, outer.message, outer.detail, inner.detail].find((t) => typeof t === 'string' && t !== '');
  return told(typeof text === 'string' ? text : JSON.stringify(outer.detail ?? outer.error ?? raw), inner);
}

function told(message: string, inner: z.infer<typeof Inner> | null): Told {
  const kinds = [inner?.code, inner?.type].flatMap((k) => (typeof k === 'string' || typeof k === 'number' ? [String(k)] : []));
  return {
    message: oneLine(message.slice(0, 4000).replaceAll(/\s+/g, ' '), 1000),
    kinds,
    param: typeof inner?.param === 'string' ? inner.param : '',
    limit: inner?.n_ctx ?? null,
    prompt: inner?.n_prompt_tokens ?? null,
  };
}

/** What of a request an error names as not supported; the first that fits. */
const REFUSALS: readonly (readonly [Field, RegExp])[] = [
  ['thinking', /chat_template_kwargs|enable_thinking/i],
  ['strict', /\bstrict\b/i],
  [
    'max_tokens',
    /max_tokens.{0,60}(?:unsupported|not supported|use ['"`]?max_completion_tokens|deprecated)|(?:unsupported|unrecognized|unknown|extra).{0,60}max_tokens/i,
  ],
  ['tool_choice', /tool[_ ]choice|auto.{0,20}tool choice/i],
  [
    'system',
    /system (?:role|message|prompt)s? (?:is |are )?not supported|(?:unsupported|unknown|invalid).{0,20}role.{0,20}system|roles must alternate|only user and assistant roles/i,
  ],
  [
    'tools',
    /does not support (?:tools|functions?|tool)|tools? (?:is|are) not supported|(?:unsupported|unrecognized|unknown|extra).{0,60}\btools\b|tool use is not supported|tool role/i,
  ],
  [
    'sampling',
    /(?:unsupported|unrecognized|unknown|extra|not permitted|not support).{0,80}(?:temperature|top_p|seed|_penalty)|(?:temperature|top_p|seed|_penalty).{0,80}(?:unsupported|not supported|does not support|not permitted)/i,
  ],
];

/** Which field an error refuses; null where it names none. */
function refusedField({ message, param }: Told): Field | null {
  const text = `${param} ${message}`;
  return REFUSALS.find(([, form]) => form.test(text))?.[0] ?? null;
}

const BAD_REQUEST = new Set([400, 413, 422]);

/** The error that an answer with a bad status stands for. */
export function failureOf(status: number, body: string, headers: { get(name: string): string | null }): ModelError {
  const said = readError(body);
  const text = oneLine(`status ${status}${said.message === '' ? '' : `: ${said.message}`}`, 300);
  const fail = (code: ModelError['code'], detail: ErrorDetail = {}): ModelError => new ModelError(code, text, status, detail);
  const retryAfter = waitOf(headers);
  if (status === 429) return fail('busy', retryAfter === null ? {} : { retryAfter });
  if (status === 503 || /loading model|model is loading|warming up/i.test(said.message))
    return fail('loading', retryAfter === null ? {} : { retryAfter });
  if (BAD_REQUEST.has(status) || status === 500) {
    const context = readContextError(said.message, said.kinds, said);
    if (context) return fail('context', { context });
  }
  if (status === 404 && (said.kinds.includes('model_not_found') || /model/i.test(said.message))) return fail('model');
  if (status === 400 && /model.{0,80}(?:not found|does not exist)/i.test(said.message)) return fail('model');
  if (BAD_REQUEST.has(status) || status === 500 || status === 501) {
    const field = refusedField(said);
    if (field) return fail('refused', { field });
  }
  return fail('status');
}

/** `Retry-After` in seconds, or its form in ms; dates are not worth it. */
function waitOf(headers: { get(name: string): string | null }): number | null {
  const ms = headers.get('retry-after-ms');
  if (ms !== null && /^\d{1,7}$/.test(ms)) return Number(ms);
  const s = headers.get('retry-after');
  return s !== null && /^\d{1,4}(?:\.\d+)?$/.test(s) ? Number(s) * 1000 : null;
}
