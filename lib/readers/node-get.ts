import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { ReadError } from '../model/collector.ts';
import type { Answered, GetRequest } from './http.ts';

/** One answer may take as long as this from the first byte sent to the last received. */
const TIMEOUT = 30_000;

/** GET on Node: a connection of its own, no agent that follows redirects or proxies, and only the given authorities trusted where there are any. */
export function nodeGet({ url, headers, ca, maxBytes }: GetRequest): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const fail = (code: 'unreadable' | 'timeout' | 'too_large', message: string): void => reject(new ReadError(code, url.href, message));
    const outgoing = send(
      url,
      { method: 'GET', headers, agent: false, signal: AbortSignal.timeout(TIMEOUT), ...(ca !== undefined && { ca }) },
      (incoming) => {
        const parts: Buffer[] = [];
        let length = 0;
        incoming.on('data', (part: Buffer) => {
          length += part.length;
          if (length > maxBytes) {
            fail('too_large', `answers more than max_input (${maxBytes} bytes)`);
            incoming.destroy();
          } else parts.push(part);
        });
        incoming.once('end', () => {
          if (incoming.complete) resolve({ status: incoming.statusCode ?? 0, body: Buffer.concat(parts) });
          else fail('unreadable', 'broke off in the middle of the answer');
        });
        incoming.once('error', () => fail('unreadable', 'broke off in the middle of the answer'));
      },
    );
    outgoing.once('error', (error: NodeJS.ErrnoException) =>
      error.name === 'AbortError' || error.name === 'TimeoutError'
        ? fail('timeout', `did not answer within ${TIMEOUT} ms`)
        : fail('unreadable', `cannot be reached (${error.code ?? error.message})`),
    );
    outgoing.end();
  });
}
