import { beforeEach, describe, expect, it } from 'vitest';
import type { Snapshot } from '../../lib/model/snapshot.ts';
import { toIso } from '../../lib/model/time.ts';
import { readForecastSeries } from '../../lib/steps/forecast-series.ts';
import { memoryDriver } from '../../lib/store/drivers/memory.ts';
import { appendSeries } from '../../lib/store/series.ts';
import { Store } from '../../lib/store/store.ts';
import { DAY, HOUR, NOON, snapshot } from '../findings/build.ts';

let store: Store;

beforeEach(() => {
  store = new Store(memoryDriver());
});

const values = (hour: number): Record<string, number> => ({ used_bytes: hour, total_bytes: 1000, ops: 5 });
const weka = (hour: number): Snapshot => snapshot({ source: 'weka_state', at: NOON + hour * HOUR, series: values(hour) });
const read = (now: number, since: Snapshot[], snapshotNow = weka(now)) =>
  readForecastSeries(store, [{ source: 'weka_state', snapshot: snapshotNow, since }], NOON + now * HOUR);
const hours = async (made: ReturnType<typeof read>): Promise<number[]> =>
  ((await made).find((s) => s.name === 'used_bytes')?.points ?? []).map((p) => p.value);

describe('numbers for a forecast', () => {
  it('are those of capacity, the last of every six hours of two weeks, from what is stored', async () => {
    for (let hour = -400; hour <= 0; hour++)
      await appendSeries(store, 'weka_state', { at: toIso(NOON + hour * HOUR), values: values(hour) });
    const made = await read(0, []);
    expect(made.map((s) => s.name)).toEqual(['used_bytes', 'total_bytes']);
    const told = await hours(read(0, []));
    expect(told.at(-1)).toBe(0);
    expect(told.at(-2)).toBe(-1);
    expect(told.at(-3)).toBe(-7);
    expect(told.length).toBeLessThanOrEqual((14 * DAY) / (6 * HOUR) + 1);
    expect(told[0]).toBeGreaterThanOrEqual((-14 * DAY) / HOUR);
  });

  it('grow by what is new, without reading the days again', async () => {
    await appendSeries(store, 'weka_state', { at: toIso(NOON), values: values(0) });
    expect(await hours(read(0, [weka(0)]))).toEqual([0]);
    for (const key of await store.list('series')) await store.remove(key);
    expect(await hours(read(2, [weka(1), weka(2)]))).toEqual([2]);
    expect(await hours(read(7, [weka(7)]))).toEqual([2, 7]);
    expect(await hours(read(15 * 24, [weka(15 * 24)]))).toEqual([360]);
  });

  it('survive a damaged file', async () => {
    await appendSeries(store, 'weka_state', { at: toIso(NOON), values: values(0) });
    await store.putText('findings/forecast/weka_state', '{"used');
    expect(await hours(read(0, []))).toEqual([0]);
  });

  it('are none for a source without', async () => {
    expect(
      await readForecastSeries(
        store,
        [{ source: 'pbs_state', snapshot: snapshot({ source: 'pbs_state', at: NOON, series: { used_bytes: 1 } }), since: [] }],
        NOON,
      ),
    ).toEqual([]);
  });
});
