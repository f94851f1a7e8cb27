import type { MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { type FunctionEnv, problem } from './function.ts';

/** Refuses a body that is larger than the configuration allows, also where nobody told its size. */
export function limitedBody(source?: string): MiddlewareHandler<FunctionEnv> {
  return (c, next) =>
    bodyLimit({
      maxSize: c.get('observer').config.server.max_body,
      onError: (ctx) =>
        problem(ctx, 413, { title: 'Body too large', detail: 'the body is over server.max_body', ...(source !== undefined && { source }) }),
    })(c, next);
}
