import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import app from '../../functions/app.ts';
import { entryOf, History, keepEntry } from '../../lib/report/chronicle.ts';
import { publishReport } from '../../lib/report/publish.ts';
import { testObserver, type TestObserver } from '../observer.ts';
import { finding, HOUR, MINUTE, NOW, report } from '../report/build.ts';

let observer: TestObserver;
const get = async (path: string): Promise<Response> => app.request(path, {}, { observer });

beforeEach(() => {
  observer = testObserver('cluster: democluster\nsources:\n  weka_state: { path: weka }\n');
  observer.now = NOW;
});
afterEach(() => observer.dispose());

describe('GET /history', () => {
  it('answers the last ticks and the numbers', async () => {
    for (const n of [3, 2, 1, 0]) await keepEntry(observer.store, entryOf(report({ at: NOW - n * MINUTE, findings: [finding()] }), []));
    const answer = History.parse(await (await get('/history?ticks=2&days=1')).json());
    expect(answer).toMatchObject({ cluster: 'democluster', total: 4, ticks: [{ tick: '20261130t084500.000z' }, {}] });
    expect(answer.trends.map((t) => `${t.source} ${t.name}`)).toContain('observer critical');
  });

  it.each(['ticks=0', 'ticks=501', 'ticks=x', 'days=32', 'days=-1'])('refuses ?%s', async (query) => {
    const response = await get(`/history?${query}`);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ detail: expect.stringContaining(query.split('=')[0] as string) });
  });

  it('knows the sources that are configured, and itself', async () => {
    expect((await get('/history?source=weka_state')).status).toBe(200);
    expect((await get('/history?source=observer')).status).toBe(200);
    expect((await get('/history?source=../../audit')).status).toBe(404);
  });
});

describe('GET /findings/{id}', () => {
  const one = finding({ node: 'n1' });

  it('takes the beginning of an id, as reports show it', async () => {
    await publishReport(observer, report({ findings: [one] }));
    expect(await (await get(`/findings/${one.id.slice(0, 12)}`)).json()).toMatchObject({ finding: { id: one.id } });
    expect((await get(`/findings/${one.id.slice(0, 7)}`)).status).toBe(404);
    expect((await get('/findings/ffffffffffff')).status).toBe(404);
  });

  it('does not choose between two that begin alike', async () => {
    const alike = ['0', '1'].map((end, n) => finding({ node: `n${n}`, id: `${'a'.repeat(31)}${end}` }));
    await publishReport(observer, report({ findings: alike }));
    const response = await get('/findings/aaaaaaaaaaaa');
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ detail: expect.stringContaining('2 findings begin with aaaaaaaaaaaa') });
    expect((await get(`/findings/${alike[1]?.id}`)).status).toBe(200);
  });
});

describe('GET /reports', () => {
  it('says of the latest that it is old, and of a tick only what it was', async () => {
    await publishReport(observer, report());
    expect(await (await get('/reports/latest.txt')).text()).not.toContain('OLD');
    observer.now = NOW + 3 * HOUR;
    for (const path of ['/', '/reports/latest.txt', '/reports/latest.md', '/reports/latest.html']) {
      expect(await (await get(path)).text()).toContain('THIS REPORT IS 3H OLD');
    }
    expect(await (await get('/reports/20261130t084500.000z.txt')).text()).not.toContain('OLD');
  });
});

describe('POST /run', () => {
  it('tells sinks once, keeps what they answered in the report, and the tick in the history', async () => {
    const bodies: unknown[] = [];
    const told = testObserver(
      'cluster: democluster\nsources:\n  console_logs: { path: consoles, first_sight: all }\nnotify:\n  - { type: webhook, url: "https://hooks.demo.test/T0/s3cret" }\n',
    );
    told.write('consoles/n1', '[  100.000000] Kernel panic - not syncing: Fatal exception\n');
    told.send = async (_, init) => {
      bodies.push(JSON.parse(init?.body as string));
      return new Response('ok');
    };
    const run = async (): Promise<Response> => app.request('/run', { method: 'POST' }, { observer: told });
    expect((await run()).status).toBe(200);
    expect(bodies).toMatchObject([{ notices: [{ reason: 'digest', kind: 'kernel_panic', subjects: 'n1' }] }]);
    const latest = await told.reports.getText('latest.md');
    expect(latest).toContain('sink webhook hooks.demo.test: ok (digest 1); 1 sent');
    expect(latest).not.toContain('s3cret');
    told.now += 5 * MINUTE;
    expect(await (await run()).json()).toMatchObject({ report: { sinks: [{ status: 'skipped', reason: 'nothing to tell' }] } });
    expect(bodies).toHaveLength(1);
    const history = History.parse(await (await app.request('/history', {}, { observer: told })).json());
    expect(history.ticks.map((t) => [t.counts.critical, t.counts.new, t.moves.map((m) => `${m.to} ${m.subject.id}`)])).toEqual([
      [1, 0, []],
      [1, 1, ['new n1']],
    ]);
    told.dispose();
  });
});

describe('what is polled', () => {
  const paths = ['/', '/reports/latest.json', '/reports/latest.txt', '/findings', '/findings?state=new', '/tools'];

  it.each(paths)('GET %s sends a body only where it is another one', async (path) => {
    await publishReport(observer, report({ findings: [finding({ node: 'n1' })] }));
    const first = await get(path);
    const tag = first.headers.get('etag') as string;
    expect(tag).toMatch(/^"[0-9a-f]{64}"$/);
    expect(first.headers.get('cache-control')).toBe('no-cache');

    const again = await app.request(path, { headers: { 'if-none-match': `"other", W/${tag}` } }, { observer });
    expect([again.status, await again.text()]).toEqual([304, '']);
    expect(again.headers.get('etag')).toBe(tag);
    const otherwise = await app.request(path, { headers: { 'if-none-match': '"other"' } }, { observer });
    expect([otherwise.status, await otherwise.text()]).toEqual([200, await first.text()]);
  });

  it('is sent anew after the next tick', async () => {
    await publishReport(observer, report({ at: NOW - MINUTE, findings: [finding({ node: 'n1' })] }));
    const before = (await get('/findings')).headers.get('etag') as string;
    await publishReport(observer, report({ findings: [finding({ node: 'n2' })] }));
    const after = await app.request('/findings', { headers: { 'if-none-match': before } }, { observer });
    expect(after.status).toBe(200);
    expect(await after.text()).toContain('n2');
  });

  it('never answers 304 where there is nothing', async () => {
    const missing = await app.request('/reports/latest.json', { headers: { 'if-none-match': '*' } }, { observer });
    expect(missing.status).toBe(404);
  });
});
