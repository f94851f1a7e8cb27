import app from '../../functions/app.ts';
import { edgeObserver } from '../../functions/edge.ts';
import type { FunctionEnv } from '../../functions/function.ts';
import { AuditLog } from '../../lib/audit/audit.ts';
import { reasoner } from '../../lib/harness/reasoner.ts';
import { Leases } from '../../lib/store/leases.ts';

/** The edge's own observer, but with the clock that each request names, and a model whose answers are always the same. */
export default {
  fetch: (request: Request, env: FunctionEnv['Bindings']): Response | Promise<Response> => {
    const made = edgeObserver(env);
    const now = Number(request.headers.get('x-now'));
    const clock = (): number => now;
    const observer = {
      ...made,
      clock,
      model: reasoner,
      leases: new Leases(made.store, { now: clock, owner: 'edge' }),
      audit: new AuditLog(made.store, { writer: 'edge', now: clock }),
    };
    return app.fetch(request, { ...env, observer });
  },
};
