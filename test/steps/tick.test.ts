import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ModelClient } from '../../lib/harness/client.ts';
import { reasoner } from '../../lib/harness/reasoner.ts';
import { Recording } from '../../lib/model/recording.ts';
import type { Report } from '../../lib/model/report.ts';
import { toIso } from '../../lib/model/time.ts';
import { occasionOf } from '../../lib/findings/occasion.ts';
import { readReport } from '../../lib/report/publish.ts';
import { collectAll } from '../../lib/steps/collect.ts';
import { replay } from '../../lib/steps/replay.ts';
import { run } from '../../lib/steps/run.ts';
import { tick } from '../../lib/steps/tick.ts';
import { testObserver, type TestObserver } from '../observer.ts';

const CONFIG = `
cluster: test
sources:
  weka_state: { path: weka }
  console_logs: { path: consoles, first_sight: all }
`;
const PANIC = '[  100.000000] Kernel panic - not syncing: Fatal exception\n';
const QUIET = '[   12.000000] systemd[1]: Reached target Multi-User System.\n';

const status = (io_status: string): string =>
  JSON.stringify({
    name: 'demo',
    status: 'OK',
    io_status,
    drives: { active: 8, total: 8 },
    rebuild: { protectionState: [{ numFailures: 0, percent: 100, MiB: 1 }] },
  });

let observer: TestObserver;

beforeEach(() => {
  observer = testObserver(CONFIG, { model: reasoner });
  observer.write('weka/status.json', status('STOPPED'));
  observer.write('consoles/n1', PANIC);
  observer.write('consoles/n2', QUIET);
});

afterEach(() => observer.dispose());

const states = (report: Report): Record<string, string> =>
  Object.fromEntries(report.findings.map((f) => [`${f.kind} ${f.subject.id}`, f.state]));

async function later(minutes = 5): Promise<Report> {
  observer.now += minutes * 60_000;
  return (await run(observer)).report;
}

describe('run', () => {
  it('finds, reports as new, then as ongoing, then resolves on good evidence alone', async () => {
    const first = (await run(observer)).report;
    expect(states(first)).toEqual({ 'kernel_panic n1': 'new', 'storage_stopped test': 'new' });
    expect(first.verdict).toBe('critical');
    expect(first.sources.filter((s) => s.status !== 'skipped').map((s) => s.fresh)).toEqual([true, true]);

    expect(states(await later())).toEqual({ 'kernel_panic n1': 'ongoing', 'storage_stopped test': 'ongoing' });

    observer.write('weka/status.json', status('STARTED'));
    const third = await later();
    expect(states(third)).toEqual({ 'kernel_panic n1': 'ongoing', 'storage_stopped test': 'resolved' });
    expect(third.findings.find((f) => f.kind === 'storage_stopped')).toMatchObject({ resolvedAt: third.generatedAt, episode: 1 });

    observer.write('weka/status.json', status('STOPPED'));
    expect((await later()).findings.find((f) => f.kind === 'storage_stopped')).toMatchObject({ state: 'new', episode: 2 });
  });

  it('keeps what it knew as stale, with the reason, when a source fails, and is never ok then', async () => {
    await run(observer);
    observer.write('weka/status.json', '{"name":');
    const report = await later();
    expect(report.findings.find((f) => f.kind === 'storage_stopped')).toMatchObject({
      state: 'stale',
      reason: expect.stringContaining('status.json'),
    });
    expect(report.sources.find((s) => s.source === 'weka_state')).toMatchObject({ status: 'failed', problem: { code: 'invalid' } });
    expect(states(report)['kernel_panic n1']).toBe('ongoing');
  });

  it('tells nothing twice where two ticks fall into one reading of the clock', async () => {
    const first = (await run(observer)).report;
    const second = await tick(observer);
    const third = await tick(observer);
    expect([first, second, third].map((r) => r.findings.filter((f) => occasionOf(f, r.generatedAt) === 'new').length)).toEqual([2, 0, 0]);
    expect(new Set([first, second, third].map((r) => r.generatedAt)).size).toBe(3);
    expect(await replay(observer, third.tick)).toMatchObject({ parts: null, identical: true });
    // A clock that was set back is another matter: its time is told as it is.
    observer.now -= 3_600_000;
    expect((await tick(observer)).generatedAt).toBe(toIso(observer.now));
  });

  it('is blind, not ok, when nothing was seen', async () => {
    rmSync(`${observer.folder}/weka`, { recursive: true });
    rmSync(`${observer.folder}/consoles`, { recursive: true });
    expect((await run(observer)).report).toMatchObject({ verdict: 'blind', findings: [] });
  });

  it('says ok only when every configured source was seen, fresh, and nothing was found', async () => {
    observer.write('weka/status.json', status('STARTED'));
    observer.write('consoles/n1', QUIET);
    expect(await later(0)).toMatchObject({ verdict: 'ok', findings: [] });
    observer.now += 60 * 60_000;
    expect(await tick(observer)).toMatchObject({
      verdict: 'degraded',
      because: expect.arrayContaining([expect.stringContaining('weka_state')]),
    });
  });

  it('refuses to run twice at once', async () => {
    const [one, two] = await Promise.allSettled([run(observer), run(observer)]);
    expect([one.status, two.status].sort()).toEqual(['fulfilled', 'rejected']);
    const rejected = one.status === 'rejected' ? one : (two as PromiseRejectedResult);
    expect(rejected.reason).toMatchObject({ problem: { code: 'busy' } });
  });
});

describe('tick', () => {
  it('leaves a recording, pins, a lifecycle state and the report in every format', async () => {
    const { report } = await run(observer);
    const recording = await observer.store.get(`ticks/${report.tick}/recording`, Recording);
    expect(recording).toMatchObject({
      tick: report.tick,
      pinned: { weka_state: { snapshot: '20261130t120000.000z' } },
      model: 'mock reasoner',
    });
    expect(recording?.exchanges.length).toBeGreaterThan(2);
    expect(await readReport(observer.reports, report.tick)).toEqual(report);
    for (const format of ['md', 'txt', 'html']) expect(await observer.reports.getText(`latest.${format}`)).toContain('kernel panic');
  });

  it('names a tick that began and never ended', async () => {
    await run(observer);
    await observer.store.put('ticks/started', { tick: '20261130t120100.000z' });
    observer.now += 5 * 60_000;
    const report = await tick(observer);
    expect(report.provenance.unfinishedTick).toBe('20261130t120100.000z');
    expect(await observer.reports.getText('latest.md')).toContain('never ended');
    observer.now += 5 * 60_000;
    expect((await tick(observer)).provenance.unfinishedTick).toBeNull();
  });

  it('sees a condition that came and went between two ticks', async () => {
    await run(observer);
    observer.write('weka/status.json', status('STARTED'));
    observer.now += 60_000;
    await collectAll(observer, ['weka_state']);
    observer.write('weka/status.json', status('STOPPED'));
    observer.now += 60_000;
    await collectAll(observer, ['weka_state']);
    observer.now += 60_000;
    expect((await tick(observer)).findings.find((f) => f.kind === 'storage_stopped')).toMatchObject({ state: 'new', episode: 2 });
  });

  it('gives the same bytes for the same inputs, clock and answers', async () => {
    const again = testObserver(CONFIG, { model: reasoner });
    again.write('weka/status.json', status('STOPPED'));
    again.write('consoles/n1', PANIC);
    again.write('consoles/n2', QUIET);
    const [a, b] = [(await run(observer)).report, (await run(again)).report];
    expect(JSON.stringify(b).replaceAll(again.folder, '')).toBe(JSON.stringify(a).replaceAll(observer.folder, ''));
    again.dispose();
  });

  it.each<[string, ModelClient['complete']]>([
    ['throws', () => Promise.reject(new Error('connect ECONNREFUSED'))],
    ['answers nothing', async () => ({ content: '', reasoning: '', calls: [], finishReason: 'stop', tokensIn: 0, tokensOut: 0 })],
    [
      'calls what there is not',
      async () => ({
        content: '',
        reasoning: '',
        calls: [{ name: '__proto__', arguments: '{}' }],
        finishReason: 'tool_calls',
        tokensIn: 0,
        tokensOut: 0,
      }),
    ],
    [
      'writes broken arguments',
      async () => ({
        content: '',
        reasoning: '',
        calls: [{ name: 'get_node', arguments: '{"node":' }],
        finishReason: 'tool_calls',
        tokensIn: 0,
        tokensOut: 0,
      }),
    ],
  ])('has the whole floor in its report when the model %s', async (_, complete) => {
    const plain = (await run(observer)).report;
    const other = testObserver(CONFIG, { model: { label: 'bad', complete } });
    other.write('weka/status.json', status('STOPPED'));
    other.write('consoles/n1', PANIC);
    other.write('consoles/n2', QUIET);
    const report = (await run(other)).report;
    expect(report.findings).toEqual(plain.findings);
    expect(report.verdict).toBe(plain.verdict);
    expect(report.assessment).toMatchObject({ status: 'failed', stories: [] });
    other.dispose();
  });
});
