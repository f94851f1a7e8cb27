import { Hono, type Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { TrieRouter } from 'hono/router/trie-router';
import { ConfigError } from '../lib/config.ts';
import type { Problem } from '../lib/model/snapshot.ts';
import { oneLine } from '../lib/model/text.ts';
import { type Observer, StepError, storeProblem } from '../lib/steps/observer.ts';
import { StoreError, StoreUnavailable } from '../lib/store/store.ts';
import type { EdgeBindings } from './edge.ts';

export interface FunctionEnv {
  Bindings: EdgeBindings & {
    /** Handed in by the Node entries and by tests; at the edge it is made from the bindings. */
    observer?: Observer;
  };
  Variables: { observer: Observer; requestId?: string };
}

/** An app for one function, to be mounted on the whole or deployed alone: it brings its observer and its errors along. */
export function createFunction(): Hono<FunctionEnv> {
  const app = new Hono<FunctionEnv>();
  app.use(async (c, next) => {
    // What makes one at the edge is loaded there alone.
    if (!c.get('observer')) c.set('observer', c.env?.observer ?? (await import('./edge.ts')).edgeObserver(c.env));
    await next();
  });
  app.onError((error, c) => answerError(error, c));
  let methods: TrieRouter<string[]> | undefined;
  app.notFound((c) => {
    methods ??= methodsByPath(app);
    const allowed = new Set(methods.match('ALL', c.req.path)[0].flatMap(([of]) => of));
    const path = oneLine(c.req.path, 200);
    if (allowed.size === 0 || allowed.has(c.req.method))
      return problem(c, 404, { title: 'Not found', detail: `nothing is at ${path}; GET /openapi.json lists what there is` });
    c.header('allow', [...allowed].join(', '));
    return problem(c, 405, { title: 'Method not allowed', detail: `${path} takes ${[...allowed].join(', ')}` });
  });
  return app;
}

/** Which methods each path of an app takes, whatever was mounted on it. */
function methodsByPath(app: Hono<FunctionEnv>): TrieRouter<string[]> {
  const byPath = new Map<string, Set<string>>();
  for (const { path, method } of app.routes) {
    if (method === 'ALL') continue;
    const methods = byPath.get(path) ?? new Set();
    byPath.set(path, methods.add(method));
    if (method === 'GET') methods.add('HEAD');
  }
  const router = new TrieRouter<string[]>();
  for (const [path, methods] of byPath) router.add('ALL', path, [...methods]);
  return router;
}

interface ProblemDocument {
  title: string;
  detail: string;
  [extension: string]: unknown;
}

/** Answers an RFC 9457 problem document, so that `curl --fail-with-body` both fails and tells why. */
export function problem(c: Context, status: number, document: ProblemDocument): Response {
  const requestId = (c as Context<FunctionEnv>).get('requestId');
  return c.json({ type: 'about:blank', status, ...document, ...(requestId !== undefined && { requestId }) }, status as 500, {
    'content-type': 'application/problem+json',
  });
}

const STATUS: Record<Problem['code'], [number, string]> = {
  unreadable: [502, 'The source could not be read'],
  missing: [502, 'The source is missing'],
  timeout: [502, 'The source did not answer in time'],
  too_large: [502, 'The source is over its budget'],
  invalid: [422, 'The data is not what it claims to be'],
  busy: [409, 'Already running'],
  store: [507, 'The state cannot be stored'],
  internal: [500, 'Fault of the program'],
};

/** Answers what went wrong in a step or a source. */
export function answerProblem(c: Context, { code, ...rest }: Problem, extension: Record<string, unknown> = {}): Response {
  const [status, title] = STATUS[code];
  return problem(c, status, { title, code, ...rest, ...extension });
}

function answerError(error: Error, c: Context<FunctionEnv>): Response {
  if (error instanceof StepError) return answerProblem(c, error.problem);
  if (error instanceof StoreUnavailable) {
    c.get('observer')?.log('error', 'store', { path: c.req.path, error: oneLine(error.message, 600) });
    return answerProblem(c, storeProblem(error));
  }
  if (error instanceof StoreError) {
    c.get('observer')?.log('error', 'store', { path: c.req.path, error: oneLine(error.message, 600) });
    return problem(c, 500, { title: 'A stored value is damaged', code: 'store', detail: oneLine(error.message, 600) });
  }
  if (error instanceof ConfigError)
    return problem(c, 500, { title: 'Configuration', detail: 'the configuration is wrong', mistakes: error.mistakes });
  if (error instanceof HTTPException) {
    for (const name of ['www-authenticate', 'allow']) {
      const value = error.res?.headers.get(name);
      if (value) c.header(name, value);
    }
    return problem(c, error.status, { title: 'Refused', detail: error.message || `status ${error.status}` });
  }
  c.get('observer')?.log('error', 'request failed', { path: c.req.path, error: oneLine(error.stack ?? String(error), 2000) });
  return problem(c, 500, { title: 'Fault of the program', code: 'internal', detail: 'an unexpected error; the log has it' });
}
