import { expect, it } from 'vitest';
import { toIso } from '../../lib/model/time.ts';
import { getAttempt, putAttempt } from '../../lib/store/attempts.ts';
import { memoryDriver } from '../../lib/store/drivers/memory.ts';
import { appendSeries, readSeries } from '../../lib/store/series.ts';
import { Store, StoreError } from '../../lib/store/store.ts';
import { NOW, SOURCE } from './examples.ts';

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;

it('a series comes back in the order of time, over days, both ends included', async () => {
  const store = new Store(memoryDriver());
  const times = [NOW, NOW - DAY, NOW + MINUTE, NOW - MINUTE, NOW + 2 * DAY];
  for (const [i, at] of times.entries())
    await appendSeries(store, SOURCE, { at: toIso(at), values: { used: i, ...(i === 0 && { free: 9 }) } });
  const used = await readSeries(store, SOURCE, 'used', { from: NOW - DAY, to: NOW + MINUTE });
  expect(used).toEqual([
    { at: NOW - DAY, value: 1 },
    { at: NOW - MINUTE, value: 3 },
    { at: NOW, value: 0 },
    { at: NOW + MINUTE, value: 2 },
  ]);
  expect(await readSeries(store, SOURCE, 'free', { from: 0, to: Number.MAX_SAFE_INTEGER })).toEqual([{ at: NOW, value: 9 }]);
  expect(await readSeries(store, SOURCE, 'constructor', { from: 0, to: NOW + DAY })).toEqual([]);
  expect(await readSeries(store, 'pbs_state', 'used', { from: 0, to: NOW + DAY })).toEqual([]);
  expect(await store.list('series')).toHaveLength(3);
});

it('the same time again replaces what was there', async () => {
  const store = new Store(memoryDriver());
  for (const value of [1, 2]) await appendSeries(store, SOURCE, { at: toIso(NOW), values: { used: value } });
  await appendSeries(store, SOURCE, { at: toIso(NOW + 1), values: {} });
  expect(await readSeries(store, SOURCE, 'used', { from: NOW, to: NOW + 1 })).toEqual([{ at: NOW, value: 2 }]);
});

it('a damaged day is told to readers, and begun anew by the next number', async () => {
  const store = new Store(memoryDriver());
  await store.putText(`series/${SOURCE}/2026-11-30`, '[{');
  await expect(readSeries(store, SOURCE, 'used', { from: NOW, to: NOW })).rejects.toThrow(StoreError);
  await appendSeries(store, SOURCE, { at: toIso(NOW), values: { used: 1 } });
  expect(await readSeries(store, SOURCE, 'used', { from: NOW, to: NOW })).toEqual([{ at: NOW, value: 1 }]);
});

it('an attempt is kept per source, the last one', async () => {
  const store = new Store(memoryDriver());
  const attempt = {
    source: SOURCE,
    startedAt: toIso(NOW),
    endedAt: toIso(NOW + 5),
    status: 'ok' as const,
    snapshot: '20261130t084500.000z',
  };
  expect(await getAttempt(store, SOURCE)).toBeNull();
  await putAttempt(store, attempt);
  await putAttempt(store, { ...attempt, source: 'pbs_state', status: 'failed' });
  expect(await getAttempt(store, SOURCE)).toEqual(attempt);
});
