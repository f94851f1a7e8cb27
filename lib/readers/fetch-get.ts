import { ReadError } from '../model/collector.ts';
import type { Answered, GetRequest } from './http.ts';

const TIMEOUT = 30_000;

/** GET by the platform's fetch, for the edge. Certificates of a site's own cannot be trusted there, so `ca_file` is refused. */
export async function fetchGet({ url, headers, ca, maxBytes }: GetRequest): Promise<Answered> {
  if (ca !== undefined) throw new ReadError('unreadable', url.href, 'ca_file cannot be used on this platform');
  let body: Uint8Array;
  let status: number;
  try {
    const response = await fetch(url, { method: 'GET', headers, redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT) });
    status = response.status;
    body = new Uint8Array(await response.arrayBuffer());
  } catch (error) {
    const timedOut = error instanceof Error && error.name === 'TimeoutError';
    throw new ReadError(
      timedOut ? 'timeout' : 'unreadable',
      url.href,
      timedOut ? `did not answer within ${TIMEOUT} ms` : `cannot be reached (${String(error)})`,
    );
  }
  if (body.length > maxBytes) throw new ReadError('too_large', url.href, `answers more than max_input (${maxBytes} bytes)`);
  return { status, body };
}
