import { piecesOf } from '../../deadline.ts';
import { ModelError } from '../client.ts';

/** More than any answer has that is of use. */
export const MAX_BODY_BYTES = 2 * 1024 * 1024;

/** Reads a body as text, and no more of it than is allowed. @throws ModelError `too_large` */
export async function readBody(response: Response, signal?: AbortSignal | null): Promise<string> {
  const parts: string[] = [];
  const decoder = new TextDecoder();
  let size = 0;
  for await (const chunk of piecesOf(response, signal)) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new ModelError('too_large', `the answer is over ${MAX_BODY_BYTES} bytes`);
    parts.push(decoder.decode(chunk, { stream: true }));
  }
  return parts.join('') + decoder.decode();
}
