import { getAttempt } from '../lib/store/attempts.ts';
import { readReport } from '../lib/report/publish.ts';
import { toIso } from '../lib/model/time.ts';
import { createFunction } from './function.ts';

const app = createFunction();

/** Alive: it answers. */
app.get('/healthz', (c) => c.json({ status: 'ok' }));

/** Ready: the store can be read; with the age and last status of each source, and the last report. */
app.get('/readyz', async (c) => {
  const { config, store, snapshots, clock, model, reports } = c.get('observer');
  try {
    const sources = await Promise.all(
      [...config.sources].map(async ([source, { maxAge }]) => {
        const [attempt, snapshot] = [await getAttempt(store, source), await snapshots.latest(source)];
        const age = snapshot ? clock() - Date.parse(snapshot.asOf) : null;
        return {
          source,
          status: attempt?.status ?? null,
          attemptedAt: attempt?.endedAt ?? null,
          asOf: snapshot?.asOf ?? null,
          age,
          fresh: age !== null && age <= maxAge,
          problem: attempt?.problem?.detail,
        };
      }),
    );
    const report = await readReport(reports, 'latest');
    return c.json({
      status: 'ready',
      time: toIso(clock()),
      store: 'ok',
      model: model?.label ?? null,
      lastTick: report?.tick ?? null,
      verdict: report?.verdict ?? null,
      sources,
    });
  } catch (error) {
    c.get('observer').log('error', 'not ready', { error: String(error) });
    return c.json({ status: 'not ready', store: error instanceof Error ? error.message : String(error) }, 503);
  }
});

export default app;
