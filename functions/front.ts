import type { Hono } from 'hono';
import { requestId } from 'hono/request-id';
import { oneLine } from '../lib/model/text.ts';
import type { Log } from '../lib/steps/observer.ts';
import { createFunction, type FunctionEnv, problem } from './function.ts';

/** A problem document for a request that never became one of an app's. */
export function problemDocument(status: number, title: string, detail: string): Response {
  return Response.json(
    { type: 'about:blank', status, title, detail: oneLine(detail, 300), requestId: crypto.randomUUID() },
    { status, headers: { 'content-type': 'application/problem+json' } },
  );
}

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'];

/**
 * What stands before the functions where a server of ours listens: a name for every request, a line in the log for each,
 * and a check of the Host header, so that no web page on an operator's desk can talk to a loopback port by a name of its own.
 * @param hosts names beside loopback's that clients may use; null = any (a unix socket has no name)
 */
export function withFront(
  app: Hono<FunctionEnv>,
  { hosts, log, clock }: { hosts: readonly string[] | null; log: Log; clock: () => number },
): Hono<FunctionEnv> {
  const known = hosts && new Set([...LOOPBACK_NAMES, ...hosts].map((h) => h.toLowerCase()));
  const front = createFunction();
  front.use(requestId());
  front.use(async (c, next) => {
    const began = clock();
    await next();
    log('info', 'request', { id: c.get('requestId'), method: c.req.method, path: c.req.path, status: c.res.status, ms: clock() - began });
  });
  front.use(async (c, next) => {
    const name = (c.req.header('host') ?? '').toLowerCase().replace(/:\d+$/, '');
    if (known && !known.has(name)) return problem(c, 421, { title: 'Not this host', detail: 'the Host header names none of server.hosts' });
    await next();
    return undefined;
  });
  front.route('/', app);
  return front;
}
