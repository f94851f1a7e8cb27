import type { Context } from 'hono';

/** A value as the bytes of its JSON, for answers that are given again and again. */
export function jsonBytes(value: unknown): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify(value));
}

/** Answers bytes of {@link jsonBytes}. */
export function answerJson(c: Context, bytes: Uint8Array<ArrayBuffer>): Response {
  return c.body(bytes, 200, { 'content-type': 'application/json' });
}
