import { Miniflare } from 'miniflare';
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import app from '../../functions/app.ts';
import { reasoner } from '../../lib/harness/reasoner.ts';
import { Report } from '../../lib/model/report.ts';
import { VERSION } from '../../lib/version.ts';
import { bundle, EDGE, ROOT } from '../functions/bundle.ts';
import { testObserver } from '../observer.ts';

const TOKEN = 'correct-horse';
const headers = { authorization: `Bearer ${TOKEN}` };
/** The clock of the bundled days. */
const MORNING = Date.parse('2026-11-30T08:45:00Z');
const PUSHED =
  'cluster: demo\nnode_domains: [hsn.cm.demo.test]\ntimezone: America/Denver\nsources:\n' +
  '  weka_state: { push: true }\n  hpcm_inventory: { push: true }\n  pbs_state: { push: true }\n';
/** One document of each, as a site would push it. */
const PUSHES = [
  ['weka_state', 'weka/status.json'],
  ['hpcm_inventory', 'hpcm/nodes.json'],
  ['pbs_state', 'pbs/pbsnodes.json'],
] as const;
const document = (day: string, file: string): string => readFileSync(`${ROOT}/fixtures/democluster/${day}/${file}`, 'utf8');

describe('a tick at the edge', () => {
  it('gives the same report as on Node, to the byte, for the same pushed inputs, clock and answers', async () => {
    const fleet = 'roles: {}\n';
    const { outputFiles } = await bundle('test/integration/edge-entry.ts');
    const edge = new Miniflare({
      ...EDGE,
      script: outputFiles[0]?.text as string,
      r2Buckets: ['STATE', 'REPORTS'],
      bindings: { OBSERVER_CONFIG: PUSHED, OBSERVER_TOKEN: TOKEN, OBSERVER_FLEET: fleet },
      cf: false,
    });
    const node = testObserver(PUSHED, { model: reasoner });
    node.validTokens = [TOKEN];
    node.version = VERSION;
    node.groundTruth = async () => ({ file: 'OBSERVER_FLEET', text: fleet });

    const both = async (path: string, now: number, body?: string): Promise<[string, string]> => {
      node.now = now;
      const init = { method: path.startsWith('/reports') ? 'GET' : 'POST', headers, ...(body !== undefined && { body }) };
      const here = await app.request(path, init, { observer: node });
      const there = await edge.dispatchFetch(`http://edge.test${path}`, { ...init, headers: { ...headers, 'x-now': String(now) } });
      expect(there.status, path).toBe(here.status);
      return [await here.text(), await there.text()];
    };
    for (const [day, at] of [
      ['healthy', MORNING],
      ['faulty', MORNING + 300_000],
      ['faulty', MORNING + 600_000],
    ] as const) {
      for (const [source, file] of PUSHES) {
        const [here, there] = await both(`/collect/${source}`, at, document(day, file));
        expect(there).toBe(here);
        expect(JSON.parse(here)).toMatchObject({ source, snapshot: expect.any(String) });
      }
      await both('/tick', at);
      for (const format of ['json', 'md', 'txt', 'html']) {
        const [here, there] = await both(`/reports/latest.${format}`, at);
        expect(there, format).toBe(here);
      }
    }
    const [text] = await both('/reports/latest.json', MORNING + 600_000);
    const report = Report.parse(JSON.parse(text));
    expect(report).toMatchObject({ verdict: 'critical', assessment: { status: expect.stringMatching(/ok|carried/) } });
    expect(report.findings.length).toBeGreaterThan(5);
    node.dispose();
    await edge.dispose();
  });
});

describe('each function, deployed alone over the same two buckets', () => {
  const apps = ['app', 'reads'].map((name) => readFileSync(`${ROOT}/functions/${name}.ts`, 'utf8')).join('');
  const mounted = apps.matchAll(/^import \w+ from '\.\/(?!reads\.ts)([\w-]+)\.ts';/gm);
  const collects = readdirSync(`${ROOT}/functions/collect`).filter((f) => f !== 'function.ts');
  const names = [...[...mounted].map((m) => m[1] as string), ...collects.map((f) => `collect/${f.slice(0, -3)}`)];
  const called = new Set<string>();
  let deployed: Miniflare;
  beforeAll(async () => {
    const { outputFiles, metafile } = await bundle(...names.map((name) => `functions/${name}.ts`));
    expect(Object.values(metafile.outputs).flatMap((o) => o.imports)).toEqual([]);
    deployed = new Miniflare({
      cf: false,
      workers: names.map((name) => ({
        ...EDGE,
        name: name.replace('/', '-'),
        script: outputFiles.find(({ path }) => path.endsWith(`/${name}.js`))?.text as string,
        r2Buckets: { STATE: 'state', REPORTS: 'reports' },
        bindings: { OBSERVER_CONFIG: PUSHED, OBSERVER_TOKEN: TOKEN },
      })),
    });
  });
  afterAll(() => deployed?.dispose());

  /** What a function answers at a path of its own. */
  async function call(name: string, path = '/', init: { method?: string; body?: string } = {}): Promise<string> {
    called.add(name);
    const worker = await deployed.getWorker(name.replace('/', '-'));
    const answer = await worker.fetch(`http://edge.test${path}`, { ...init, headers });
    const text = await answer.text();
    expect(answer.status, `${name}: ${text.slice(0, 300)}`).toBe(200);
    return text;
  }
  const json = async (...args: Parameters<typeof call>): Promise<unknown> => JSON.parse(await call(...args));
  const POST = { method: 'POST' };

  it('does its step, and the next one finds what it left', async () => {
    for (const [source, file] of PUSHES)
      expect(await json(`collect/${source}`, '/', { ...POST, body: document('faulty', file) })).toMatchObject({ source, status: 'ok' });
    for (const source of ['console_logs', 'kafka_telemetry', 'oneview_inventory', 'oneview_alerts'])
      expect(await json(`collect/${source}`, '/', POST)).toMatchObject({ source, status: 'skipped' });
    expect(await json('diff', '/', POST)).toMatchObject({ changes: PUSHES.map(() => ({ reason: 'first sight' })) });
    const { tick } = (await json('tick', '/', POST)) as { tick: string };
    expect(await call('report', '/reports/latest.md')).toMatch(/^# CRITICAL/);
    const { findings } = (await json('findings')) as { findings: { id: string }[] };
    expect(await json('findings', `/${findings[0]?.id}`)).toMatchObject({ finding: { id: findings[0]?.id } });
    expect(await json('snapshots', '/snapshots/weka_state/latest')).toMatchObject({ source: 'weka_state' });
    expect(await json('tools', '/list_sources', { ...POST, body: '{}' })).toMatchObject({ ok: true });
    expect(await json('health', '/healthz')).toEqual({ status: 'ok' });
    expect(await call('metrics')).toContain('# TYPE');
    expect(await json('history')).toBeTypeOf('object');
    expect(await json('openapi')).toMatchObject({ openapi: expect.any(String) });
    expect(await json('replay', `/${tick}`, POST)).toMatchObject({ identical: true });
    expect(await json('run', '/', POST)).toBeTypeOf('object');
    expect(await json('audit', '/verify')).toBeTypeOf('object');
    expect(await json('ground-truth', '/lint', { ...POST, body: 'fleet: []\n' })).toBeTypeOf('object');
    expect(await json('doctor', '/', POST)).toBeTypeOf('object');
    expect([...called].sort()).toEqual([...names].sort());
  });
});
