import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Report } from '../../lib/model/report.ts';
import { diffSources } from '../../lib/steps/diff.ts';
import { replay } from '../../lib/steps/replay.ts';
import { run } from '../../lib/steps/run.ts';
import { tick } from '../../lib/steps/tick.ts';
import { testObserver, type TestObserver } from '../observer.ts';

const MINUTE = 60_000;
let observer: TestObserver;

beforeEach(async () => {
  observer = testObserver(
    'cluster: test\nground_truth: fleet.yaml\nsources:\n  pbs_state: { path: pbs }\n  console_logs: { path: consoles, first_sight: all }\n',
  );
  observer.write('consoles/n1', '[  100.000000] Kernel panic - not syncing: Fatal exception\n');
  observer.write('pbs/pbsnodes.json', JSON.stringify({ timestamp: observer.now / 1000, nodes: { n2: { state: 'down', Mom: 'n2' } } }));
  for (let n = 0; n < 2; n++) await later();
});
afterEach(() => observer.dispose());

async function later(): Promise<Report> {
  observer.now += 5 * MINUTE;
  return (await run(observer)).report;
}

async function damage(prefix: string): Promise<void> {
  const keys = await observer.store.list(prefix);
  for (const key of keys.length > 0 ? keys : [prefix]) await observer.store.putText(key, '{"torn');
}

const states = (report: Report): string[] => report.findings.filter((f) => f.state !== 'resolved').map((f) => `${f.kind} ${f.state}`);

describe('a tick', () => {
  it.each([
    'findings/head',
    'ticks/started',
    'attempts',
    'carry/console_logs',
    'carry/observer',
    'snapshots/observer',
    'changes',
    'series',
    'findings/history',
    'findings/recent',
    'findings/identities',
    'retention',
    'leases',
  ])('ends with a report though %s is damaged, and nothing that was known is new', async (prefix) => {
    await damage(prefix);
    const reports = [await tick(observer), await later()];
    for (const report of reports) {
      expect(report.findings.filter((f) => f.episode !== 1 && f.kind !== 'memory_damaged')).toEqual([]);
      expect(states(report)).toContainEqual(expect.stringMatching(/^kernel_panic (ongoing|stale)$/));
    }
    const [, last] = reports as [Report, Report];
    expect(states(last)).toContain('kernel_panic ongoing');
    expect(states(last)).not.toContain('memory_damaged ongoing');
  });

  it('takes a source whose snapshot is damaged for one that failed, says so, and sees it again with the next collect', async () => {
    const [last] = await observer.snapshots.list('console_logs');
    await damage(`snapshots/console_logs/${last}`);
    const blind = await tick(observer);
    expect(blind.sources.find((s) => s.source === 'console_logs')).toMatchObject({ status: 'failed', problem: { code: 'store' } });
    expect(blind.findings.find((f) => f.kind === 'kernel_panic')).toMatchObject({
      state: 'stale',
      reason: expect.stringContaining('is damaged'),
    });
    expect(states(blind)).toContain('memory_damaged new');
    expect(await replay(observer, blind.tick)).toMatchObject({ parts: null, identical: true });
    expect(states(await later())).toContain('kernel_panic ongoing');
  });

  it('takes a ground truth that cannot be read for one with a mistake, and plays back the same', async () => {
    observer.truth = 'known_down: [{ nodes: n1, reason: r, owner: o, expires: 2026-12-15 }]\n';
    expect((await later()).suppressed).toHaveLength(1);
    observer.groundTruth = () => Promise.reject(Object.assign(new Error('denied'), { code: 'EACCES' }));
    const report = await later();
    expect(report.findings.find((f) => f.kind === 'ground_truth_invalid')?.conditions[0]?.message).toContain(
      'fleet.yaml: cannot be read (EACCES)',
    );
    expect(report.verdict).toBe('critical');
    expect(await replay(observer, report.tick)).toMatchObject({ identical: true });
  });
});

describe('a diff', () => {
  it('goes on from the last change that is stored where its cursor is damaged', async () => {
    await damage('changes/console_logs/cursor');
    expect(await diffSources(observer)).toEqual([]);
    await later();
    const [change] = (await observer.store.list('changes/console_logs')).filter((key) => !key.endsWith('cursor')).toReversed();
    expect(await observer.store.getText(change as string)).not.toContain('first sight');
  });

  it('of one source is not kept by what is damaged of another', async () => {
    const [last] = await observer.snapshots.list('console_logs');
    observer.now += 5 * MINUTE;
    await damage(`snapshots/console_logs/${last}`);
    await damage('changes/pbs_state/cursor');
    await damage('changes/console_logs/cursor');
    await expect(diffSources(observer)).resolves.toBeInstanceOf(Array);
  });
});
