import { beforeEach, describe, expect, it } from 'vitest';
import type { Transition } from '../../lib/model/finding.ts';
import { toIso, toTimeId } from '../../lib/model/time.ts';
import { appendHistory, readHistory, sweepHistory } from '../../lib/steps/history.ts';
import { memoryDriver } from '../../lib/store/drivers/memory.ts';
import { Store } from '../../lib/store/store.ts';

const NOW = Date.parse('2026-11-30T12:00:00Z');
const DAY = 864e5;
const TICK = toTimeId(NOW);
const id = (shard: string, n: number): string => shard + String(n).padStart(30, '0');

let store: Store;
beforeEach(() => {
  store = new Store(memoryDriver());
});

const step = (findingId: string, at: number, over: Partial<Transition> = {}): Transition & { findingId: string } => ({
  findingId,
  tick: toTimeId(at),
  at: toIso(at),
  episode: 1,
  from: null,
  to: 'new',
  reason: 'seen',
  ...over,
});

/** Sweeps with ticks enough for every shard to be drawn. */
async function sweepAll(followed: readonly string[], time = NOW): Promise<void> {
  for (let n = 0; n < 400; n++) await sweepHistory(store, { tick: toTimeId(NOW + n), time, followed: new Set(followed) });
}

describe('the history of findings', () => {
  it('keeps 200 steps of each, the newest', async () => {
    const one = id('ab', 1);
    for (let n = 0; n < 230; n++) await appendHistory(store, [step(one, NOW + n)]);
    const all = await readHistory(store, one);
    expect(all).toHaveLength(200);
    expect(all.at(-1)?.tick).toBe(toTimeId(NOW + 229));
  });

  it('forgets, after a month, what nobody follows any more', async () => {
    const [old, young, open] = [id('00', 1), id('80', 2), id('ff', 3)];
    await appendHistory(store, [step(old, NOW - 40 * DAY), step(open, NOW - 300 * DAY), step(young, NOW - 40 * DAY)]);
    await appendHistory(store, [step(young, NOW - 20 * DAY, { from: 'new', to: 'resolved' })]);
    await sweepAll([open]);
    expect(await readHistory(store, old)).toEqual([]);
    expect(await readHistory(store, young)).toHaveLength(2);
    expect(await readHistory(store, open)).toHaveLength(1);
  });

  it('keeps a year of what is followed, and always how it stands', async () => {
    const [long, still] = [id('01', 1), id('02', 2)];
    for (const days of [500, 400, 100, 1]) await appendHistory(store, [step(long, NOW - days * DAY)]);
    for (const days of [500, 400]) await appendHistory(store, [step(still, NOW - days * DAY)]);
    await sweepAll([long, still]);
    expect((await readHistory(store, long)).map((t) => t.tick)).toEqual([toTimeId(NOW - 100 * DAY), toTimeId(NOW - DAY)]);
    expect((await readHistory(store, still)).map((t) => t.tick)).toEqual([toTimeId(NOW - 400 * DAY)]);
  });

  it('looks through a few shards at a time', async () => {
    const all = Array.from({ length: 256 }, (_, n) => id(n.toString(16).padStart(2, '0'), n));
    await appendHistory(store, [...all.map((one) => step(one, NOW - 40 * DAY)), step(id('ab', 999), NOW)]);
    await sweepHistory(store, { tick: TICK, time: NOW, followed: new Set() });
    // A tick writes few shards; what waits is not swept.
    for (let n = 1; n <= 16; n++) await appendHistory(store, [step(id('ab', 999), NOW + n)]);
    await sweepHistory(store, { tick: TICK, time: NOW, followed: new Set() });
    let left = 0;
    for (const one of all) left += (await readHistory(store, one)).length;
    expect(left).toBeGreaterThanOrEqual(248);
    expect(left).toBeLessThan(256);
  });

  it('costs nothing but itself when it is damaged', async () => {
    const one = id('ab', 1);
    await appendHistory(store, [step(one, NOW - 2 * DAY), step(one, NOW)]);
    await store.putText('findings/history/ab', '{"torn');
    expect(await readHistory(store, one)).toEqual([]);
    await appendHistory(store, [step(one, NOW + 1)]);
    expect(await readHistory(store, one)).toHaveLength(1);
    await store.putText('findings/recent', '{"torn');
    expect(await readHistory(store, one)).toEqual([]);
    await appendHistory(store, [step(one, NOW + 2)]);
    expect(await readHistory(store, one)).toHaveLength(1);
  });

  const shards = (): Promise<string[]> => store.list('findings/history');

  it('writes the steps of many ticks at once to their shards, not those of each tick', async () => {
    const all = Array.from({ length: 100 }, (_, n) => id(n.toString(16).padStart(2, '0'), n));
    for (let tick = 0; tick < 40; tick++) {
      await appendHistory(
        store,
        all.map((one) => step(one, NOW + tick)),
      );
    }
    expect(await shards()).toEqual([]);
    await appendHistory(
      store,
      all.map((one) => step(one, NOW + 40)),
    );
    expect(await shards()).toHaveLength(16);
    await appendHistory(store, [step(all[7] as string, NOW + 41)]);
    expect(await shards()).toHaveLength(16);
    expect((await readHistory(store, all[7] as string)).map((t) => t.tick)).toEqual(
      Array.from({ length: 42 }, (_, tick) => toTimeId(NOW + tick)),
    );
  });

  it('writes few shards in a tick, those whose steps have waited longest, and leaves none to wait', async () => {
    const all = Array.from({ length: 60 }, (_, n) => id((4 * n).toString(16).padStart(2, '0'), n));
    for (const [n, one] of all.entries()) await appendHistory(store, [step(one, NOW + n)]);
    const late = NOW + 2 * DAY;
    await appendHistory(store, [step(id('fe', 999), late)]);
    expect(await shards()).toEqual(all.slice(0, 16).map((one) => `findings/history/${one.slice(0, 2)}`));
    for (let n = 1; n <= 3; n++) await appendHistory(store, [step(id('fe', 999), late + n)]);
    expect(await shards()).toEqual(expect.arrayContaining(all.map((one) => `findings/history/${one.slice(0, 2)}`)));
    for (const one of all) expect(await readHistory(store, one)).toHaveLength(1);
    expect(await readHistory(store, id('fe', 999))).toHaveLength(4);
  });

  it('writes as many shards as it takes where very many steps wait', async () => {
    const some = Array.from({ length: 20_480 }, (_, n) => step(id((n % 256).toString(16).padStart(2, '0'), n), NOW));
    await appendHistory(store, some);
    const written = await shards();
    expect(written.length).toBe(52);
    expect(await readHistory(store, some[300]?.findingId as string)).toHaveLength(1);
    expect(await readHistory(store, some[20_300]?.findingId as string)).toHaveLength(1);
  });

  it('tells a step once that a killed tick left in both places', async () => {
    const one = id('ab', 1);
    await appendHistory(store, [step(one, NOW), step(id('cd', 2), NOW)]);
    const recent = (await store.getText('findings/recent')) as string;
    await appendHistory(store, [step(one, NOW + 2 * DAY)]);
    await store.putText('findings/recent', recent);
    expect((await readHistory(store, one)).map((t) => t.tick)).toEqual([TICK, toTimeId(NOW + 2 * DAY)]);
    await appendHistory(store, [step(one, NOW + 3 * DAY)]);
    expect(await readHistory(store, id('cd', 2))).toHaveLength(1);
    expect(await readHistory(store, one)).toHaveLength(3);
  });

  it('takes back what a tick told that never ended, wherever it lies', async () => {
    const [one, other] = [id('ab', 1), id('cd', 2)];
    await appendHistory(store, [step(one, NOW)]);
    await appendHistory(store, [step(one, NOW + 1), step(other, NOW + 1)]);
    await appendHistory(store, [step(one, NOW + 2)], [toTimeId(NOW + 1)]);
    expect((await readHistory(store, one)).map((t) => t.tick)).toEqual([TICK, toTimeId(NOW + 2)]);
    expect(await readHistory(store, other)).toEqual([]);
    await appendHistory(store, [step(one, NOW + 3)], [toTimeId(NOW + 2)]);
    expect((await readHistory(store, one)).map((t) => t.tick)).toEqual([TICK, toTimeId(NOW + 3)]);
  });
});
