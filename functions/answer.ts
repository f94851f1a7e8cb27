import type { Context } from 'hono';
import { digestHex } from '../lib/model/identity.ts';
import { oncePer } from '../lib/model/once.ts';

/** A value as the bytes of its JSON, for answers that are given again and again. */
export function jsonBytes(value: unknown): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify(value));
}

/**
 * Answers bytes that are kept, with their entity tag: who polls a report of many megabytes is sent it only when it is
 * another one. A route with hono's `etag` before it answers 304 then.
 */
export async function answerBytes(c: Context, bytes: Uint8Array<ArrayBuffer>, type = 'application/json'): Promise<Response> {
  return c.body(bytes, 200, { 'content-type': type, 'cache-control': 'no-cache', etag: await entityTag(bytes) });
}

const entityTag = oncePer(async (bytes: Uint8Array<ArrayBuffer>) => `"${await digestHex(bytes)}"`);
