import type { Driver } from 'unstorage';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifyAudit } from '../../lib/audit/audit.ts';
import { mockClient } from '../../lib/harness/mocks.ts';
import { listReports, readReport } from '../../lib/report/publish.ts';
import { collect, collectAll } from '../../lib/steps/collect.ts';
import { readHistory } from '../../lib/steps/history.ts';
import { run } from '../../lib/steps/run.ts';
import { tick } from '../../lib/steps/tick.ts';
import type { WriteOptions } from '../../lib/store/drivers/conditional.ts';
import { memoryDriver } from '../../lib/store/drivers/memory.ts';
import { Store, StoreUnavailable } from '../../lib/store/store.ts';
import { NOON, testObserver, type TestObserver } from '../observer.ts';

const CONFIG = 'cluster: test\nsources:\n  weka_state: { path: weka }\n  console_logs: { path: consoles, first_sight: all }\n';
const PANIC = '[    1.000000] Kernel panic - not syncing: Fatal exception\n';
const STEP = 5 * 60_000;
const YEAR = 365 * 24 * 3_600_000;

const status = (io_status: string): string =>
  JSON.stringify({
    name: 'demo',
    status: 'OK',
    io_status,
    drives: { active: 8, total: 8 },
    rebuild: { protectionState: [{ numFailures: 0, percent: 100, MiB: 1 }] },
  });

/** What stays when the process ends that writes to it. */
class Disk {
  writes = 0;
  /** Asked before every change with the number of those before it; what it throws, the disk throws. */
  fault: (writes: number) => void = () => undefined;
  readonly state = this.#over(memoryDriver());
  readonly reports = this.#over(memoryDriver());

  #over(inner: Driver): Driver {
    const change = (): void => {
      this.fault(this.writes);
      this.writes++;
    };
    return {
      ...inner,
      setItemRaw: (key: string, value: string, options: WriteOptions) => {
        change();
        return inner.setItemRaw?.(key, value, options);
      },
      removeItem: (key: string, options: object) => {
        change();
        return inner.removeItem?.(key, options);
      },
      dispose: () => undefined,
    };
  }
}

const killed = (): never => {
  throw new Error('killed');
};
const full = (): never => {
  throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
};

let disk: Disk;
let now: number;
let made: TestObserver[];

beforeEach(() => {
  disk = new Disk();
  now = NOON;
  made = [];
});
afterEach(() => made.forEach((o) => o.dispose()));

/** A process that starts over what is on the disk, with the sources in this state. */
function start(io_status: string): TestObserver {
  const observer = testObserver(CONFIG, { state: disk.state, reports: disk.reports, model: mockClient('reasoner') });
  made.push(observer);
  observer.now = now;
  observer.write('weka/status.json', status(io_status));
  observer.write('consoles/n1', PANIC);
  return observer;
}

/** What holds whatever happened before: a whole last report, an unbroken audit log, lifecycles without a gap. */
async function expectWhole({ store, reports }: Pick<TestObserver, 'store' | 'reports'>): Promise<void> {
  expect(await verifyAudit(store)).toMatchObject({ faults: [] });
  for (const name of await listReports(reports)) expect((await readReport(reports, name))?.tick).toBe(name);
  const latest = await readReport(reports, 'latest');
  for (const { id } of latest?.findings ?? []) {
    const history = await readHistory(store, id);
    expect(history.map((t) => t.from)).toEqual([null, ...history.map((t) => t.to)].slice(0, history.length));
  }
}

const unfinishedOn = async (store: Store): Promise<string | null> => {
  const read = async (key: string): Promise<string | undefined> =>
    (JSON.parse((await store.getText(key)) ?? '{}') as { tick?: string }).tick;
  const started = await read('ticks/started');
  return started === undefined || started === (await read('findings/head')) ? null : started;
};

describe('a process that is killed', () => {
  it('before a write of a whole run, wherever, leaves the last good state, and the next run names the tick and goes on', {
    timeout: 300_000,
  }, async () => {
    await run(start('STARTED'));
    let named = 0;
    for (let at = 0; ; at += 3) {
      now += STEP;
      const victim = start(at % 2 === 0 ? 'STOPPED' : 'STARTED');
      const before = await victim.snapshots.latest('weka_state');
      const begun = disk.writes;
      disk.fault = (writes) => void (writes - begun >= at && killed());
      const died = await run(victim).then(
        () => false,
        () => true,
      );
      disk.fault = () => undefined;
      // The last point may be one that nothing depends on: tidying up.
      if (!died && disk.writes - begun < at) break;
      const left = new Store(disk.state);
      const unfinished = await unfinishedOn(left);
      await expectWhole({ store: left, reports: new Store(disk.reports) });

      now += STEP;
      const next = start(at % 2 === 0 ? 'STOPPED' : 'STARTED');
      expect((await next.snapshots.latest('weka_state'))?.id).toSatisfy((id: string) => id >= (before?.id ?? ''));
      const { report } = await run(next);
      expect(report.provenance.unfinishedTick, `killed before write ${at}`).toBe(unfinished);
      if (unfinished !== null) named++;
      // What comes and goes this often is flapping in the end, and stays open.
      const stopped = report.findings.find((f) => f.kind === 'storage_stopped');
      if (at % 2 === 0) expect(['new', 'ongoing']).toContain(stopped?.state);
      else expect(stopped?.flapping ? 'resolved' : stopped?.state).toBe('resolved');
      expect(report.verdict).toBe('critical');
      await expectWhole(next);
    }
    expect(named).toBeGreaterThan(4);
  });

  it('three times in a row has every killed tick named in the report that comes at last', async () => {
    await run(start('STARTED'));
    const lost: string[] = [];
    for (let i = 0; i < 3; i++) {
      now += STEP;
      const victim = start('STOPPED');
      await collectAll(victim, ['weka_state', 'console_logs']);
      const begun = disk.writes;
      // After `started`, and before anything else that matters.
      disk.fault = (writes) => void (writes - begun >= 3 && killed());
      await expect(tick(victim)).rejects.toThrow();
      disk.fault = () => undefined;
      lost.push((await unfinishedOn(victim.store)) as string);
    }
    expect(new Set(lost).size).toBe(3);
    now += STEP;
    const next = start('STOPPED');
    const report = await tick(next);
    expect([...(report.provenance.alsoUnfinished ?? []), report.provenance.unfinishedTick]).toEqual(lost);
    for (const id of lost) expect(await next.reports.getText('latest.txt')).toContain(`tick ${id} began and never ended`);
    now += STEP;
    expect((await tick(start('STOPPED'))).provenance).not.toHaveProperty('alsoUnfinished');
  });
});

describe('a disk that fills up', () => {
  it('at any write is a clear error, and the same process goes on at once when there is space again', { timeout: 300_000 }, async () => {
    const observer = start('STARTED');
    await run(observer);
    let refused = 0;
    for (let at = 0; ; at += 3) {
      observer.now += STEP;
      const begun = disk.writes;
      disk.fault = (writes) => void (writes - begun >= at && full());
      const error: unknown = await run(observer).then(
        () => null,
        (e: unknown) => e,
      );
      disk.fault = () => undefined;
      if (error === null && disk.writes - begun < at) break;
      if (error !== null) {
        refused++;
        expect(error).toBeInstanceOf(StoreUnavailable);
        expect(error).toMatchObject({ code: 'ENOSPC', message: expect.stringContaining('cannot be written: ENOSPC') });
      }
      await expectWhole(observer);
      observer.now += 1000;
      expect((await run(observer)).report.verdict).toBe('critical');
    }
    expect(refused).toBeGreaterThan(10);
  });

  it('during a collect is a failed result that says so, with what to do', async () => {
    const observer = start('STARTED');
    const begun = disk.writes;
    disk.fault = (writes) => void (writes - begun >= 1 && full());
    const [result] = await collectAll(observer, ['weka_state']);
    expect(result).toMatchObject({
      status: 'failed',
      problem: { code: 'store', detail: expect.stringContaining('ENOSPC'), advice: expect.stringContaining('last good state is kept') },
    });
    disk.fault = () => undefined;
    expect((await collect(observer, 'weka_state')).status).toBe('ok');
  });
});

describe('a clock that jumps', () => {
  it('between runs loses no report and no history, and every run is the latest', { timeout: 60_000 }, async () => {
    let runs = 0;
    let last = '';
    for (const jump of [0, STEP, 2 * YEAR, STEP, -2 * YEAR, STEP, -YEAR, STEP, YEAR, STEP, 30 * YEAR, -30 * YEAR, STEP]) {
      now += jump;
      const observer = start('STOPPED');
      const { report, results } = await run(observer);
      runs++;
      expect(results.filter((r) => r.status === 'failed')).toEqual([]);
      expect(report.tick > last).toBe(true);
      last = report.tick;
      expect(report.generatedAt).toBe(new Date(now).toISOString());
      expect((await readReport(observer.reports, 'latest'))?.tick).toBe(report.tick);
      expect(report.sources.filter((s) => s.age !== null && s.age < 0)).toEqual([]);
      expect(report.findings.find((f) => f.kind === 'storage_stopped')).toMatchObject({
        state: runs === 1 ? 'new' : 'ongoing',
        episode: 1,
      });
      await expectWhole(observer);
    }
    expect(await listReports(new Store(disk.reports))).toHaveLength(runs);
    expect((await new Store(disk.state).list('ticks')).filter((key) => key.endsWith('/recording'))).toHaveLength(runs);
  });

  it.each([3_600_000, -3_600_000])('by %i ms in the midst of a run, does not end it', { timeout: 60_000 }, async (jump) => {
    const observer = start('STARTED');
    await run(observer);
    for (let at = 1; at < 40; at += 4) {
      observer.now += STEP;
      const begun = disk.writes;
      let jumped = false;
      disk.fault = (writes) => {
        if (jumped || writes - begun < at) return;
        jumped = true;
        observer.now += jump;
      };
      const { results, report } = await run(observer);
      expect(results.map((r) => r.problem).filter(Boolean)).toEqual([]);
      expect(report.verdict).toBe('critical');
      disk.fault = () => undefined;
      await expectWhole(observer);
    }
  });
});
