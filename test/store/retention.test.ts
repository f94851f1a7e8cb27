import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toTimeId } from '../../lib/model/time.ts';
import { memoryDriver } from '../../lib/store/drivers/memory.ts';
import { DEFAULT_RETENTION, keepers, retentionTime, sweep, sweepHourly, sweepReports } from '../../lib/store/retention.ts';
import { Snapshots } from '../../lib/store/snapshots.ts';
import { Store } from '../../lib/store/store.ts';
import { commitAt, nodeFacts, NOW, SOURCE } from './examples.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const policy = DEFAULT_RETENTION;

function fresh() {
  const store = new Store(memoryDriver());
  return { store, snapshots: new Snapshots(store) };
}

async function sweepAll(store: Store, now: number, limit?: number): Promise<number> {
  let removed = 0;
  for (;;) {
    const swept = await sweep(store, now, policy, limit);
    removed += swept.removed;
    if (!swept.more) return removed;
  }
}

describe('the time that retention goes by', () => {
  it('moves an hour on at most with each call, and back with the clock', async () => {
    const { store } = fresh();
    expect(await retentionTime(store, NOW)).toBe(NOW);
    expect(await retentionTime(store, NOW + 5 * 60_000)).toBe(NOW + 5 * 60_000);
    expect(await retentionTime(store, NOW + 365 * DAY)).toBe(NOW + 5 * 60_000 + HOUR);
    expect(await retentionTime(store, NOW + 10 * 60_000)).toBe(NOW + 10 * 60_000);
    await store.putText('retention/time', 'torn');
    expect(await retentionTime(store, NOW)).toBe(NOW);
  });

  it('leaves a bounded number of what a clock dated ahead of its time', () => {
    const ahead = Array.from({ length: 5000 }, (_, i) => toTimeId(NOW + 365 * DAY + i));
    const kept = keepers([toTimeId(NOW - HOUR), ...ahead], NOW, policy);
    expect(kept.size).toBe(3001);
    expect(kept.has(toTimeId(NOW - HOUR))).toBe(true);
    expect(kept.has(ahead.at(-1) as string)).toBe(true);
  });
});

describe('what retention keeps', () => {
  const ids = (ages: number[]): string[] => ages.map((age) => toTimeId(NOW - age)).sort();

  it('is everything of two days, the last of each hour of a month, the last of each day of a year', () => {
    const every5min = ids(Array.from({ length: (400 * DAY) / (5 * 60_000) }, (_, i) => i * 5 * 60_000));
    const kept = [...keepers(every5min, NOW, policy)];
    const within = (from: number, to: number): string[] => kept.filter((id) => id <= toTimeId(NOW - from) && id > toTimeId(NOW - to));
    expect(within(0, 2 * DAY)).toHaveLength(576);
    expect(within(2 * DAY, 30 * DAY)).toHaveLength(28 * 24);
    expect(within(2 * DAY + HOUR, 30 * DAY).every((id) => id.endsWith('5500.000z'))).toBe(true);
    expect(within(30 * DAY, 365 * DAY)).toHaveLength(335);
    expect(within(31 * DAY, 365 * DAY).every((id) => id.endsWith('t235500.000z'))).toBe(true);
    expect(within(365 * DAY, 500 * DAY)).toEqual([]);
  });

  it('is the newest, however old', () => {
    expect([...keepers(ids([900 * DAY, 800 * DAY]), NOW, policy)]).toEqual(ids([800 * DAY]));
    expect(keepers([], NOW, policy).size).toBe(0);
  });

  it('does not depend on how often it was asked on the way', () => {
    const ages = fc.uniqueArray(fc.integer({ min: 0, max: 400 * DAY }), { maxLength: 60 });
    fc.assert(
      fc.property(ages, fc.integer({ min: 0, max: 300 * DAY }), fc.integer({ min: 0, max: 300 * DAY }), (a, first, second) => {
        const all = ids(a);
        const onTheWay = [...keepers(all, NOW + first, policy)].sort();
        expect(keepers(onTheWay, NOW + first + second, policy)).toEqual(keepers(all, NOW + first + second, policy));
      }),
    );
  });
});

describe('a sweep', () => {
  /**
   * Commits on few days, so that most of them share an hour or a day with others; their facts fill two shards or,
   * rarely, one; one fact changes from each to the next.
   */
  const ages = fc.tuple(fc.constantFrom(380, 200, 199, 20, 1), fc.integer({ min: 0, max: 10 * HOUR })).map(([days, ms]) => days * DAY + ms);
  const history = fc
    .uniqueArray(fc.record({ age: ages, changes: fc.nat({ max: 256 }), count: fc.constantFrom(257, 257, 257, 257, 200) }), {
      selector: (commit) => commit.age,
      minLength: 1,
      maxLength: 12,
    })
    .map((commits) => commits.sort((a, b) => b.age - a.age));

  async function build(commits: { age: number; changes: number; count: number }[]): Promise<ReturnType<typeof fresh>> {
    const made = fresh();
    const values = new Map<number, number>();
    for (const [n, { age, changes, count }] of commits.entries()) {
      values.set(changes, n);
      await commitAt(made.snapshots, NOW - age, { facts: nodeFacts(count, (i) => values.get(i) ?? -1) });
    }
    return made;
  }

  it('keeps every fact of every snapshot it keeps, and no shard beside', { timeout: 30_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(history, fc.array(fc.nat({ max: 13 })), fc.integer({ min: 1, max: 9 }), async (commits, pins, limit) => {
        const { store, snapshots } = await build(commits);
        const all = await snapshots.list(SOURCE);
        const pinned = pins.flatMap((i) => all[i] ?? []);
        await store.put(
          `ticks/${toTimeId(NOW)}/pins`,
          pinned.map((id) => `${SOURCE}/${id}`),
        );
        const expected = new Set([...keepers(all.toReversed(), NOW, policy), ...all.slice(0, 2), ...pinned]);
        await sweepAll(store, NOW, limit);
        const left = await snapshots.list(SOURCE);
        expect(new Set(left)).toEqual(expected);
        const referred = new Set<string>();
        for (const id of left) {
          const snapshot = await snapshots.get(SOURCE, id);
          if (!snapshot) throw new Error(`${id} is listed`);
          let seen = 0;
          for await (const _ of snapshots.allFacts(SOURCE, snapshot)) seen++;
          expect(seen).toBe(snapshot.facts.subjects);
          for (const [i, { at }] of snapshot.facts.shards.entries()) referred.add(`facts/${SOURCE}/${at}/${String(i).padStart(4, '0')}`);
        }
        expect(await store.list('facts')).toEqual([...referred].sort());
      }),
      { numRuns: 25 },
    );
  });

  it('that is killed at any removal is finished by the next one', async () => {
    const commits = [600, 500, 400, 300, 200.5, 200.4, 100.2, 100.1, 1].map((days, n) => ({ age: days * DAY, changes: n, count: 257 }));
    const whole = await build(commits);
    const texts = new Map<string, string>();
    for (const key of await whole.store.list('')) texts.set(key, (await whole.store.getText(key)) ?? '');
    const removed = await sweepAll(whole.store, NOW);
    expect(removed).toBeGreaterThan(6);
    for (let killedAt = 0; killedAt < removed; killedAt++) {
      const driver = memoryDriver();
      let removes = 0;
      const store = new Store({
        ...driver,
        removeItem: (key) => {
          if (removes++ === killedAt) throw new Error('killed');
          return driver.removeItem?.(key, {});
        },
      });
      for (const [key, text] of texts) await store.putText(key, text);
      await expect(sweep(store, NOW, policy)).rejects.toThrow('killed');
      await sweepAll(store, NOW);
      expect(await store.list('')).toEqual(await whole.store.list(''));
    }
  });

  it('takes a recording and the snapshots it pins together', async () => {
    const { store, snapshots } = fresh();
    const old = await commitAt(snapshots, NOW - 400 * DAY);
    const early = await commitAt(snapshots, NOW - 10 * DAY);
    await commitAt(snapshots, NOW - 10 * DAY + 1);
    for (const days of [3, 2, 1]) await commitAt(snapshots, NOW - days * DAY);
    const tick = async (at: number, pins: string[]): Promise<string> => {
      const id = toTimeId(at);
      await store.put(`ticks/${id}/recording`, {});
      await store.put(`ticks/${id}/pins`, pins);
      return id;
    };
    const first = await tick(NOW - 10 * DAY, [`${SOURCE}/${early}`, `${SOURCE}/${old}`]);
    const last = await tick(NOW, []);
    await store.put('ticks/started', { tick: last });
    await sweepAll(store, NOW);
    expect(await snapshots.list(SOURCE)).toEqual(expect.arrayContaining([old, early]));
    expect(await store.list('ticks')).toHaveLength(5);
    // A year on the recording goes, and with it what it held.
    await sweepAll(store, NOW + 366 * DAY);
    expect(await store.list('ticks')).toEqual([`ticks/${last}/pins`, `ticks/${last}/recording`, 'ticks/started']);
    expect(await snapshots.list(SOURCE)).toHaveLength(2);
    expect(first < last).toBe(true);
  });

  it('removes a recording before its pins', async () => {
    const driver = memoryDriver();
    const removed: string[] = [];
    const store = new Store({
      ...driver,
      removeItem: (key) => {
        removed.push(key.slice(key.lastIndexOf(':') + 1));
        return driver.removeItem?.(key, {});
      },
    });
    for (const at of [NOW - 500 * DAY, NOW]) for (const part of ['pins', 'recording']) await store.put(`ticks/${toTimeId(at)}/${part}`, []);
    await sweep(store, NOW, policy);
    expect(removed).toEqual(['recording', 'pins']);
  });

  it('thins changes and lifecycle states, but for those that recordings need', async () => {
    const { store } = fresh();
    const [a, b, c, d] = [400, 399, 398, 1].map((days) => toTimeId(NOW - days * DAY));
    for (const id of [a, b, c, d]) {
      await store.put(`changes/${SOURCE}/${id}`, {});
      await store.put(`findings/states/${id}`, {});
    }
    await store.put(`changes/${SOURCE}/cursor`, { to: d });
    await store.put('findings/head', {});
    await store.put(`ticks/${toTimeId(NOW)}/pins`, [`${SOURCE}/${a}`, `findings/states/${b}`]);
    await sweepAll(store, NOW);
    expect(await store.list('changes')).toEqual([`changes/${SOURCE}/${a}`, `changes/${SOURCE}/${d}`, `changes/${SOURCE}/cursor`]);
    expect(await store.list('findings')).toEqual(['findings/head', `findings/states/${b}`, `findings/states/${d}`]);
  });

  it('leaves the audit log, attempts, series of the year and what it does not know alone', async () => {
    const { store } = fresh();
    const old = toTimeId(NOW - 5000 * DAY);
    const kept = [
      `audit/2015-01-01/tick-${old}/000000000000`,
      `attempts/${SOURCE}/latest`,
      `series/${SOURCE}/2025-12-01`,
      'findings/history/ab',
      `other/${old}`,
    ];
    for (const key of [...kept, `series/${SOURCE}/2025-11-29`, 'leases/tick/000000000001', 'leases/tick/000000000002'])
      await store.put(key, []);
    await sweepAll(store, NOW);
    expect(await store.list('')).toEqual([...kept, 'leases/tick/000000000002'].sort());
  });

  it('does no more than its share in one call', async () => {
    const { store } = fresh();
    for (let i = 0; i < 50; i++) await store.put(`changes/${SOURCE}/${toTimeId(NOW - 500 * DAY + i)}`, {});
    const swept = await sweep(store, NOW, policy, 20);
    expect(swept).toEqual({ removed: 20, more: true });
    expect(await store.list('changes')).toHaveLength(30);
    expect(await sweepAll(store, NOW, 20)).toBe(29);
  });

  it('removes no snapshot before all pins were read', async () => {
    const { store, snapshots } = fresh();
    const pinned = await commitAt(snapshots, NOW - 500 * DAY);
    for (let i = 0; i < 3; i++) await commitAt(snapshots, NOW - i * DAY);
    for (let i = 0; i < 10; i++) await store.put(`ticks/${toTimeId(NOW - i)}/pins`, i === 0 ? [`${SOURCE}/${pinned}`] : []);
    expect(await sweep(store, NOW, policy, 3)).toMatchObject({ more: true });
    expect(await snapshots.list(SOURCE)).toHaveLength(4);
    await sweepAll(store, NOW, 3);
    expect(await snapshots.list(SOURCE)).toContain(pinned);
  });

  it('touches nothing of a source whose head is damaged, and goes on with the others', async () => {
    const { store, snapshots } = fresh();
    for (const source of ['pbs_state', 'weka_state'])
      for (const days of [500, 499, 2, 1]) await commitAt(snapshots, NOW - days * DAY, {}, source);
    await store.putText('carry/pbs_state', 'garbage');
    await sweepAll(store, NOW);
    expect(await store.list('snapshots/pbs_state')).toHaveLength(4);
    expect(await store.list('snapshots/weka_state')).toHaveLength(2);
  });

  it('keeps the snapshot before a damaged one until it is sure what may go', async () => {
    const { store, snapshots } = fresh();
    const ids: string[] = [];
    for (const days of [600, 590, 580, 2, 1])
      ids.push(await commitAt(snapshots, NOW - days * DAY, { facts: nodeFacts(10, () => Math.min(days, 580)) }));
    await store.putText(`snapshots/${SOURCE}/${ids[1]}`, '{');
    await sweep(store, NOW);
    expect(await snapshots.list(SOURCE)).toEqual([ids[4], ids[3], ids[0]]);
    const first = await snapshots.get(SOURCE, ids[0] as string);
    expect(first && (await snapshots.facts(SOURCE, first, { type: 'node', id: 'nid1' }))).toEqual({ value: 580 });
    await sweep(store, NOW);
    expect(await store.list('facts')).toHaveLength(2);
  });

  it('leaves a commit that is under way alone', async () => {
    const { store, snapshots } = fresh();
    await commitAt(snapshots, NOW - 500 * DAY);
    const inFlight = `snapshots/${SOURCE}/${toTimeId(NOW - 499 * DAY)}`;
    await store.put(inFlight, {});
    await store.put(`facts/${SOURCE}/${toTimeId(NOW - 499 * DAY)}/0000`, []);
    await sweepAll(store, NOW);
    expect(await store.list('')).toHaveLength(4);
  });
});

it('sweepReports thins the reports of ticks, and leaves the latest ones', async () => {
  const { store } = fresh();
  const name = (age: number): string => `${toTimeId(NOW - age)}.json`;
  for (const key of [name(400 * DAY), name(3 * DAY), name(3 * DAY - 1), name(0), 'latest.html']) await store.put(key, {});
  expect(await sweepReports(store, NOW)).toEqual({ removed: 2, more: false });
  expect(await store.list('')).toEqual([name(3 * DAY - 1), name(0), 'latest.html']);
});

describe('thinning of state and reports', () => {
  const old = (n: number): string => `changes/${SOURCE}/${toTimeId(NOW - 500 * DAY + n)}`;
  const oldReport = `${toTimeId(NOW - 500 * DAY)}.json`;
  const filled = async () => {
    const { store } = fresh();
    const reports = fresh().store;
    await store.put(`changes/${SOURCE}/${toTimeId(NOW)}`, {});
    for (const key of [oldReport, `${toTimeId(NOW)}.json`]) await reports.put(key, {});
    return { store, reports };
  };

  it('is done once an hour, and again where the clock goes back', async () => {
    const { store, reports } = await filled();
    const isGone = async (at: number): Promise<boolean> => {
      await store.put(old(0), {});
      await sweepHourly(store, reports, at);
      return !(await store.list('changes')).includes(old(0));
    };
    expect(await isGone(NOW)).toBe(true);
    expect(await reports.list('')).toEqual([`${toTimeId(NOW)}.json`]);
    const next = (Math.floor(NOW / HOUR) + 1) * HOUR;
    expect([await isGone(NOW), await isGone(next - 1), await isGone(next), await isGone(next + 1), await isGone(NOW)]).toEqual([
      false,
      false,
      true,
      false,
      true,
    ]);
  });

  it('goes on at once as long as more is left than one call removes', async () => {
    const { store, reports } = await filled();
    for (let n = 0; n < 4100; n++) await store.put(old(n), {});
    const left: number[] = [];
    for (let call = 0; call < 4; call++) {
      await sweepHourly(store, reports, NOW);
      left.push((await store.list('changes')).length);
    }
    expect(left).toEqual([2101, 101, 1, 1]);
    expect(await reports.list('')).not.toContain(oldReport);
  });
});
