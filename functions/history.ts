import * as z from 'zod';
import { MAX_DAYS, MAX_TICKS, readHistory } from '../lib/report/chronicle.ts';
import { createFunction, problem } from './function.ts';

const app = createFunction();

const Query = z.object({
  ticks: z.coerce.number().int().min(1).max(MAX_TICKS).default(24),
  days: z.coerce.number().int().min(1).max(MAX_DAYS).default(7),
  source: z.string().optional(),
});

/** The last ticks, what moved in them, and numbers over time: `?ticks=`, `?days=`, and `?source=` for all numbers of one. */
app.get('/', async (c) => {
  const query = Query.safeParse(c.req.query());
  if (!query.success) {
    const mistakes = query.error.issues.map((i) => `${i.path.join('.')}: ${i.message}`);
    return problem(c, 400, { title: 'Bad query', detail: mistakes.join('; ') });
  }
  const { store, config, clock } = c.get('observer');
  const sources = [...config.sources.keys()];
  const { source } = query.data;
  if (source !== undefined && source !== 'observer' && !sources.includes(source)) {
    return problem(c, 404, { title: 'No such source', detail: `configured are ${['observer', ...sources].join(', ')}` });
  }
  return c.json(await readHistory(store, { ...query.data, now: clock(), cluster: config.cluster, sources }));
});

export default app;
