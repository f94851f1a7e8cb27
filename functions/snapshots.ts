import { etag } from 'hono/etag';
import { OBSERVER } from '../lib/findings/observe.ts';
import { onceOfFrozen } from '../lib/model/once.ts';
import type { Snapshot } from '../lib/model/snapshot.ts';
import { TimeId } from '../lib/model/time.ts';
import { latestChanges } from '../lib/steps/diff.ts';
import { answerBytes, jsonBytes } from './answer.ts';
import { createFunction, problem } from './function.ts';

const app = createFunction();

app.get('/changes/latest', async (c) => c.json({ changes: await latestChanges(c.get('observer')) }));

app.get('/snapshots/:source', async (c) => {
  const { config, snapshots } = c.get('observer');
  const source = c.req.param('source');
  if (!config.sources.has(source) && source !== OBSERVER) return noSuchSource(c, source);
  return c.json({ source, snapshots: await snapshots.list(source) });
});

app.get('/snapshots/:source/:id', etag(), async (c) => {
  const { config, snapshots } = c.get('observer');
  const { source, id } = c.req.param();
  if (!config.sources.has(source) && source !== OBSERVER) return noSuchSource(c, source);
  const snapshot =
    id === 'latest'
      ? await snapshots.latest(source)
      : id === 'previous'
        ? await snapshots.previous(source)
        : TimeId.safeParse(id).success
          ? await snapshots.get(source, id)
          : null;
  if (!snapshot)
    return problem(c, 404, {
      title: 'No such snapshot',
      detail: `${source} has no snapshot ${id.slice(0, 40)}; GET /snapshots/${source} lists them`,
      source,
    });
  return answerBytes(c, bytesOf(snapshot));
});

const bytesOf = onceOfFrozen((snapshot: Snapshot) => jsonBytes(snapshot));

function noSuchSource(c: Parameters<typeof problem>[0], source: string): Response {
  return problem(c, 404, { title: 'No such source', detail: `${source.slice(0, 60)} is not configured` });
}

export default app;
