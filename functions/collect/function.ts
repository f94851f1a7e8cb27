import type { Context, Hono } from 'hono';
import { partsOfBody, type PushedPart } from '../../lib/readers/body.ts';
import { collect } from '../../lib/steps/collect.ts';
import { authorised, hasToken, unauthorised } from '../auth.ts';
import { limitedBody } from '../body.ts';
import { answerProblem, createFunction, type FunctionEnv, problem } from '../function.ts';

/** The function that collects one source: from its configured inputs, or from the request's body where that is allowed. */
export function collectFunction(source: string): Hono<FunctionEnv> {
  const app = createFunction();
  app.use('/', authorised);
  app.use('/', limitedBody(source));
  app.post('/', async (c) => {
    const asOf = parseAsOf(c.req.query('asOf'));
    if (asOf === null)
      return problem(c, 400, { title: 'Bad asOf', detail: 'expected an ISO 8601 time such as 2026-11-30T08:45:00Z', source });
    const parts = await pushedParts(c, source);
    if (parts instanceof Response) return parts;
    const result = await collect(c.get('observer'), source, { ...(asOf !== undefined && { asOf }), ...(parts && { parts }) });
    return result.problem ? answerProblem(c, result.problem, { source, result }) : c.json(result);
  });
  return app;
}

/** The body's parts; undefined where there is no body; a refusal where there may be none. */
async function pushedParts(c: Context<FunctionEnv>, source: string): Promise<PushedPart[] | undefined | Response> {
  // Some adapters give every POST a body; only one with bytes in it is pushed.
  const bytes = new Uint8Array(await c.req.arrayBuffer());
  if (bytes.length === 0) return undefined;
  const observer = c.get('observer');
  const config = observer.config.sources.get(source);
  const tokens = await observer.tokens();
  if (tokens.length > 0 && !hasToken(c, tokens)) return unauthorised(c);
  if (!config?.push)
    return problem(c, 403, { title: 'Not pushed', detail: `${source} takes no body: its configuration has no push: true`, source });
  if (tokens.length === 0)
    return problem(c, 403, {
      title: 'No token configured',
      detail: 'a body is taken only with a token: set server.token_file or OBSERVER_TOKEN',
      source,
    });
  try {
    return await partsOfBody(bytes, c.req.header('content-type') ?? '');
  } catch (error) {
    return problem(c, 400, { title: 'Bad body', detail: `the multipart body cannot be parsed: ${(error as Error).message}`, source });
  }
}

function parseAsOf(text: string | undefined): number | null | undefined {
  if (text === undefined) return undefined;
  const ms = /^\d{4}-\d{2}-\d{2}T/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isFinite(ms) ? ms : null;
}
