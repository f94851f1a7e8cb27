import { describe, expect, it } from 'vitest';
import { Report } from '../../lib/model/report.ts';
import { CollectResult, Snapshot } from '../../lib/model/snapshot.ts';

export const CONTRACT_TOKEN = 'correct-horse';
/** The configuration that {@link httpContract} runs on: one source that is pushed, and nothing else. */
export const CONTRACT_CONFIG = 'cluster: contract\nsources:\n  weka_state: { push: true }\n';

/** The part of a response that all runtimes' classes share. */
interface Answer {
  status: number;
  headers: { get(name: string): string | null };
  json(): Promise<unknown>;
  text(): Promise<string>;
}

type Call = (path: string, init?: { method?: string; body?: string; headers?: Record<string, string> }) => Promise<Answer>;

const status = (io_status: string): string =>
  JSON.stringify({
    name: 'demo',
    status: 'OK',
    io_status,
    drives: { active: 8, total: 8 },
    rebuild: { protectionState: [{ numFailures: 0, percent: 100, MiB: 1 }] },
  });
const POST = { method: 'POST', headers: { authorization: `Bearer ${CONTRACT_TOKEN}` } };

/** What every deployment answers, whatever runtime and store it stands on. `make` is asked once, for a fresh store. */
export function httpContract(name: string, make: () => Call): void {
  describe(`the HTTP contract on ${name}`, { timeout: 60_000 }, () => {
    let made: Call | undefined;
    const call: Call = (path, init) => (made ??= make())(path, init);

    it('is alive, and has nothing to show yet', async () => {
      expect(await (await call('/healthz')).json()).toEqual({ status: 'ok' });
      for (const path of ['/reports/latest.md', '/findings', '/snapshots/weka_state/latest', '/nowhere']) {
        const answer = await call(path);
        expect(answer.status, path).toBe(404);
        expect(answer.headers.get('content-type')).toContain('application/problem+json');
      }
      expect(await (await call('/reports')).json()).toEqual({ reports: [], total: 0 });
    });

    it('takes a pushed body with a token alone', async () => {
      expect((await call('/collect/weka_state', { method: 'POST', body: status('STARTED') })).status).toBe(401);
      const answer = await call('/collect/weka_state', { ...POST, body: status('STOPPED') });
      expect(answer.status).toBe(200);
      expect(CollectResult.parse(await answer.json())).toMatchObject({ source: 'weka_state', status: 'ok', conditions: 1 });
      const broken = await call('/collect/weka_state', { ...POST, body: '{"status":' });
      expect(broken.status).toBe(422);
      expect(await broken.json()).toMatchObject({ source: 'weka_state', code: 'invalid' });
    });

    it('keeps the last good snapshot', async () => {
      const snapshot = Snapshot.parse(await (await call('/snapshots/weka_state/latest')).json());
      expect(snapshot.conditions.map((c) => c.kind)).toEqual(['storage_stopped']);
      expect(await (await call('/snapshots/weka_state')).json()).toEqual({ source: 'weka_state', snapshots: [snapshot.id] });
    });

    it('diffs, ticks and shows the report in every format', async () => {
      await call('/collect/weka_state', { ...POST, body: status('STOPPED') });
      expect(await (await call('/diff', POST)).json()).toMatchObject({
        changes: [{ source: 'weka_state', reason: 'first sight', appeared: [{ kind: 'storage_stopped' }] }],
      });
      expect(await (await call('/diff', POST)).json()).toEqual({ changes: [] });
      const head = (await (await call('/tick', POST)).json()) as { tick: string };
      expect(head).toMatchObject({ verdict: 'critical', findings: { new: 1 } });
      const report = Report.parse(await (await call('/reports/latest.json')).json());
      expect(report.tick).toBe(head.tick);
      for (const [format, type] of [
        ['md', 'text/markdown'],
        ['txt', 'text/plain'],
        ['html', 'text/html'],
      ] as const) {
        const answer = await call(`/reports/${head.tick}.${format}`);
        expect(answer.headers.get('content-type')).toContain(type);
        expect(await answer.text()).toMatch(/critical/i);
      }
      expect((await call('/')).headers.get('content-security-policy')).toContain("default-src 'none'");
    });

    it('answers findings, tools, metrics and readiness from what is stored', async () => {
      const { findings } = (await (await call('/findings?state=new')).json()) as { findings: { id: string }[] };
      expect(findings).toHaveLength(1);
      expect(await (await call(`/findings/${findings[0]?.id}`)).json()).toMatchObject({ history: [{ to: 'new' }] });
      expect((await call('/findings?state=nonsense')).status).toBe(400);
      expect(await (await call('/tools/count_conditions', { ...POST, body: '{"by":"kind"}' })).json()).toMatchObject({
        ok: true,
        total: 1,
      });
      expect((await call('/tools/__proto__', { ...POST, body: '{}' })).status).toBe(404);
      expect(await (await call('/audit/verify')).json()).toMatchObject({ faults: [] });
      expect(await (await call('/metrics')).text()).toContain('hpc_observer_verdict{verdict="critical"} 1');
      expect(await (await call('/readyz')).json()).toMatchObject({ status: 'ready', verdict: 'critical' });
      expect(await (await call('/openapi.json')).json()).toMatchObject({ openapi: '3.1.0' });
    });

    it('resolves on good evidence, and replays to the byte', async () => {
      await call('/collect/weka_state', { ...POST, body: status('STARTED') });
      const head = (await (await call('/tick', POST)).json()) as { tick: string };
      expect(head).toMatchObject({ verdict: 'ok', findings: { resolved: 1 } });
      expect(await (await call(`/replay/${head.tick}`, POST)).json()).toMatchObject({ identical: true });
    });

    it('lets one of two runs win, and tells the other', async () => {
      const answers = await Promise.all([1, 2, 3].map(() => call('/run', POST)));
      const codes = answers.map((a) => a.status);
      expect(codes.filter((c) => c === 200).length).toBeGreaterThan(0);
      expect(codes.every((c) => c === 200 || c === 409)).toBe(true);
      expect((await call('/run', POST)).status).toBe(200);
    });
  });
}
