import type { ExecutionContext, ScheduledController } from '@cloudflare/workers-types';
import app from './app.ts';
import type { FunctionEnv } from './function.ts';

/** The edge entry: the same functions over fetch, and a schedule that chains the same endpoints. */
export default {
  fetch: (request: Request, env: FunctionEnv['Bindings'], context: ExecutionContext): Response | Promise<Response> =>
    app.fetch(request, env, context),

  async scheduled(_: ScheduledController, env: FunctionEnv['Bindings']): Promise<void> {
    const token = env.OBSERVER_TOKEN?.trim().split(/\s+/)[0];
    const response = await app.request('/run', { method: 'POST', ...(token && { headers: { authorization: `Bearer ${token}` } }) }, env);
    if (!response.ok) throw new Error(`the scheduled run answered ${response.status}: ${(await response.text()).slice(0, 1000)}`);
  },
};
