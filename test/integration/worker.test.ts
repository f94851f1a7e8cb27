import { Miniflare } from 'miniflare';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundle, EDGE } from '../functions/bundle.ts';
import { CONTRACT_CONFIG, CONTRACT_TOKEN, httpContract } from '../functions/contract.ts';

/** The whole worker, minified: what a platform loads at a cold start. */
const BUDGET_BYTES = 1_250_000;
const TOKEN = 'correct-horse';
const STATUS = JSON.stringify({
  name: 'demo',
  status: 'OK',
  io_status: 'STOPPED',
  drives: { active: 8, total: 8 },
  rebuild: { protectionState: [{ numFailures: 0, percent: 100, MiB: 1 }] },
});
const CONFIG = 'cluster: edge\nsources:\n  weka_state: { push: true }\n';

let script: string;
let miniflare: Miniflare;

beforeAll(async () => {
  const { outputFiles, metafile } = await bundle('functions/worker.ts');
  script = outputFiles[0]?.text as string;
  expect(Object.values(metafile.outputs).flatMap((o) => o.imports)).toEqual([]);
  miniflare = new Miniflare({
    ...EDGE,
    script,
    r2Buckets: ['STATE', 'REPORTS'],
    bindings: { OBSERVER_CONFIG: CONFIG, OBSERVER_TOKEN: TOKEN },
    cf: false,
  });
  await miniflare.ready;
}, 60_000);

const others: Miniflare[] = [];
afterAll(async () => {
  for (const one of [miniflare, ...others]) await one?.dispose();
});

httpContract('workerd over R2', () => {
  const fresh = new Miniflare({
    ...EDGE,
    script,
    r2Buckets: ['STATE', 'REPORTS'],
    bindings: { OBSERVER_CONFIG: CONTRACT_CONFIG, OBSERVER_TOKEN: CONTRACT_TOKEN },
    cf: false,
  });
  others.push(fresh);
  return async (path, init = {}) => fresh.dispatchFetch(`http://edge.test${path}`, init);
});

const call = (path: string, init: RequestInit = {}, token = TOKEN) =>
  miniflare.dispatchFetch(`http://edge.test${path}`, { ...init, headers: { authorization: `Bearer ${token}` } } as never);

describe('the edge worker, in workerd over R2', { timeout: 30_000 }, () => {
  it('collects a pushed body, diffs, ticks and shows the report', async () => {
    const collected = await call('/collect/weka_state', { method: 'POST', body: STATUS });
    expect(await collected.json()).toMatchObject({ source: 'weka_state', status: 'ok', conditions: 1 });
    expect(await (await call('/diff', { method: 'POST' })).json()).toMatchObject({
      changes: [{ source: 'weka_state', reason: 'first sight' }],
    });
    expect(await (await call('/tick', { method: 'POST' })).json()).toMatchObject({ verdict: 'critical', findings: { new: 1 } });
    expect(await (await call('/reports/latest.md')).text()).toMatch(/^# CRITICAL/);
    expect(await (await call('/tick', { method: 'POST' })).json()).toMatchObject({ findings: { ongoing: 1 } });
  });

  it('refuses a wrong token, and a source that is not pushed is skipped', async () => {
    expect((await call('/collect/weka_state', { method: 'POST', body: STATUS }, 'guess')).status).toBe(401);
    expect(await (await call('/collect/pbs_state', { method: 'POST' })).json()).toMatchObject({ status: 'skipped' });
  });

  it('chains the same endpoints on its schedule', async () => {
    const worker = await miniflare.getWorker();
    const before = (await (await call('/reports')).json()) as { total: number };
    expect(await worker.scheduled({ cron: '*/5 * * * *' })).toMatchObject({ outcome: 'ok' });
    expect(await (await call('/reports')).json()).toMatchObject({ total: before.total + 1 });
    // What was pushed still stands: a schedule does not fail a source that only others can send.
    expect(await (await call('/reports/latest.json')).json()).toMatchObject({
      verdict: 'critical',
      findings: [{ kind: 'storage_stopped', state: 'ongoing' }],
    });
  });

  it('says which binding is missing', async () => {
    const bare = new Miniflare({ ...EDGE, script, bindings: {}, cf: false });
    const response = await bare.dispatchFetch('http://edge.test/diff', { method: 'POST' });
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({
      mistakes: [
        'binding OBSERVER_CONFIG is missing',
        'binding OBSERVER_TOKEN is missing',
        'binding STATE is missing',
        'binding REPORTS is missing',
      ],
    });
    await bare.dispose();
  });
});

describe('the bundle', () => {
  it('keeps its budget', () => {
    expect(script.length).toBeLessThan(BUDGET_BYTES);
  });
});
