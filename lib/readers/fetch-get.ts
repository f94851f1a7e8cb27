import { abortAfter, piecesOf, under } from '../deadline.ts';
import { ReadError } from '../model/collector.ts';
import type { Answered, GetRequest } from './http.ts';

/** GET by the platform's fetch, for the edge. Certificates of a site's own cannot be trusted there, so `ca_file` is refused. */
export async function fetchGet({ url, headers, ca, maxBytes, timeout }: GetRequest): Promise<Answered> {
  if (ca !== undefined) throw new ReadError('unreadable', url.href, 'ca_file cannot be used on this platform');
  try {
    return await under(abortAfter(timeout), async (signal) => {
      const response = await fetch(url, { method: 'GET', headers, redirect: 'manual', signal });
      const pieces: Uint8Array[] = [];
      let length = 0;
      for await (const piece of piecesOf(response, signal)) {
        length += piece.length;
        if (length > maxBytes) throw new ReadError('too_large', url.href, `answers more than max_input (${maxBytes} bytes)`);
        pieces.push(piece);
      }
      return { status: response.status, body: new Uint8Array(await new Blob(pieces).arrayBuffer()) };
    });
  } catch (error) {
    if (error instanceof ReadError) throw error;
    const timedOut = error instanceof Error && error.name === 'TimeoutError';
    throw new ReadError(
      timedOut ? 'timeout' : 'unreadable',
      url.href,
      timedOut ? `did not answer within ${timeout} ms` : `cannot be reached (${String(error)})`,
    );
  }
}
