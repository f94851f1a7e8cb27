import { toIso } from '../lib/model/time.ts';
import { storeProblem } from '../lib/steps/observer.ts';
import { StoreUnavailable } from '../lib/store/store.ts';
import { createFunction, problem } from './function.ts';
import { readStanding } from './standing.ts';

const app = createFunction();

/** Alive: it answers. */
app.get('/healthz', (c) => c.json({ status: 'ok' }));

/** Ready: the store can be read; with the age and last status of each source, and the last report. */
app.get('/readyz', async (c) => {
  const observer = c.get('observer');
  const { clock, model } = observer;
  try {
    const { sources, report, damage } = await readStanding(observer);
    return c.json({
      status: 'ready',
      time: toIso(clock()),
      store: 'ok',
      model: model?.label ?? null,
      lastTick: report?.tick ?? null,
      verdict: report?.verdict ?? null,
      damage,
      sources: sources.map(({ source, maxAge, attempt, snapshot, damage: damaged }) => {
        const age = snapshot ? clock() - Date.parse(snapshot.asOf) : null;
        return {
          source,
          status: attempt?.status ?? null,
          attemptedAt: attempt?.endedAt ?? null,
          asOf: snapshot?.asOf ?? null,
          age,
          fresh: age !== null && age <= maxAge,
          problem: damaged ?? attempt?.problem?.detail,
        };
      }),
    });
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    observer.log('error', 'not ready', { error: error.message });
    return problem(c, 503, { title: 'Not ready', ...storeProblem(error) });
  }
});

export default app;
