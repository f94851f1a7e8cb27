import type { Context, MiddlewareHandler } from 'hono';
import { sha256Hex } from '../lib/model/identity.ts';
import { type FunctionEnv, problem } from './function.ts';

/** Lets a request pass that shows one of the configured bearer tokens; where none is configured, any. */
export const authorised: MiddlewareHandler<FunctionEnv> = async (c, next) => {
  const tokens = await c.get('observer').tokens();
  if (tokens.length > 0 && !hasToken(c, tokens)) return unauthorised(c);
  await next();
  return undefined;
};

/** Whether the request carries one of the tokens. Digests of equal length are compared, so that time tells nothing. */
export function hasToken(c: Context, tokens: readonly string[]): boolean {
  const given = /^Bearer +([\x21-\x7e]+) *$/i.exec(c.req.header('authorization') ?? '')?.[1];
  if (given === undefined) return false;
  const digest = sha256Hex(given);
  return tokens.map((token) => sha256Hex(token) === digest).includes(true);
}

export function unauthorised(c: Context): Response {
  c.header('www-authenticate', 'Bearer realm="hpc-observer"');
  return problem(c, 401, {
    title: 'Token needed',
    detail: 'send Authorization: Bearer with a valid token (server.token_file, or OBSERVER_TOKEN)',
  });
}
