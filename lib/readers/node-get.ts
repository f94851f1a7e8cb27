import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { abortAfter } from '../deadline.ts';
import { ReadError } from '../model/collector.ts';
import type { Answered, GetRequest } from './http.ts';

/** GET on Node: a connection of its own, no agent that follows redirects or proxies, and only the given authorities trusted where there are any. */
export function nodeGet({ url, headers, ca, maxBytes, timeout }: GetRequest): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const fail = (code: 'unreadable' | 'timeout' | 'too_large', message: string): void => reject(new ReadError(code, url.href, message));
    const signal = abortAfter(timeout);
    const broken = (message: string): void =>
      signal.aborted ? fail('timeout', `did not answer within ${timeout} ms`) : fail('unreadable', message);
    const outgoing = send(url, { method: 'GET', headers, agent: false, signal, ...(ca !== undefined && { ca }) }, (incoming) => {
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
        else broken('broke off in the middle of the answer');
      });
      incoming.once('error', () => broken('broke off in the middle of the answer'));
    });
    outgoing.once('error', (error: NodeJS.ErrnoException) => broken(`cannot be reached (${error.code ?? error.message})`));
    outgoing.end();
  });
}
