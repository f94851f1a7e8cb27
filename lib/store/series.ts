import * as z from 'zod';
import { IsoTime, toIso } from '../model/time.ts';
import { type Store, StoreError } from './store.ts';

const Point = z.object({ at: IsoTime, values: z.record(z.string(), z.number()) });
/** The points of one day (UTC), oldest first. */
const Day = z.array(Point);

export type SeriesPoint = z.infer<typeof Point>;

/**
 * Adds a source's declared numbers at a time; the same time again replaces what was there. Called under the source's
 * lease. A day that is damaged begins anew: a trend with a gap is worth more than none from now on.
 */
export async function appendSeries(store: Store, source: string, point: SeriesPoint): Promise<void> {
  if (Object.keys(point.values).length === 0) return;
  const key = `series/${source}/${point.at.slice(0, 10)}`;
  const day = await store.get(key, Day).catch((error: unknown) => {
    if (error instanceof StoreError) return null;
    throw error;
  });
  const others = (day ?? []).filter(({ at }) => at !== point.at);
  await store.put(
    key,
    [...others, point].sort((a, b) => (a.at < b.at ? -1 : 1)),
  );
}

interface Range {
  /** Milliseconds since the epoch, both ends included. */
  from: number;
  to: number;
}

/**
 * One of a source's numbers over time, oldest first.
 * @returns `at` in ms since the epoch
 */
export async function readSeries(store: Store, source: string, name: string, range: Range): Promise<{ at: number; value: number }[]> {
  return (await readAllSeries(store, source, range, (n) => n === name)).get(name) ?? [];
}

/** Several of a source's numbers over time, each oldest first; every day is read once. */
export async function readAllSeries(
  store: Store,
  source: string,
  range: Range,
  wanted: (name: string) => boolean,
): Promise<Map<string, { at: number; value: number }[]>> {
  const from = toIso(Math.max(range.from, 0));
  const to = toIso(Math.min(range.to, Date.UTC(9999, 11, 31)));
  const found = new Map<string, { at: number; value: number }[]>();
  for (const key of await store.list(`series/${source}`)) {
    const day = key.slice(key.lastIndexOf('/') + 1);
    if (day < from.slice(0, 10) || day > to.slice(0, 10)) continue;
    for (const { at, values } of (await store.getShared(key, Day)) ?? []) {
      if (at < from || at > to) continue;
      for (const [name, value] of Object.entries(values)) {
        if (!wanted(name)) continue;
        const points = found.get(name);
        if (points) points.push({ at: Date.parse(at), value });
        else found.set(name, [{ at: Date.parse(at), value }]);
      }
    }
  }
  return found;
}
