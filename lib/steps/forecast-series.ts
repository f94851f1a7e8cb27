import * as z from 'zod';
import { FORECAST_SPAN, isForecast, type Series } from '../findings/forecast.ts';
import type { SourceView } from '../findings/observe.ts';
import type { Point } from '../findings/trend.ts';
import { readAllSeries } from '../store/series.ts';
import { type Store, StoreError } from '../store/store.ts';

/** A point every six hours of two weeks is enough for a line, and little enough for a recording. */
const STRIDE = 6 * 36e5;

/** What was read so far: a tick adds what is new, and reads two weeks of days only where nothing was kept. */
const Kept = z.record(z.string(), z.array(z.object({ at: z.number(), value: z.number() })));

/** The numbers over time that forecasts are made of, thinned to the last point of every six hours. */
export async function readForecastSeries(
  store: Store,
  sources: readonly Pick<SourceView, 'source' | 'snapshot' | 'since'>[],
  now: number,
): Promise<Series[]> {
  const series: Series[] = [];
  for (const { source, snapshot, since } of sources) {
    const names = Object.keys(snapshot?.series ?? {}).filter((name) => isForecast(source, name));
    if (names.length === 0) continue;
    const key = `findings/forecast/${source}`;
    const kept = await store.get(key, Kept).catch((error: unknown) => {
      if (error instanceof StoreError) return null;
      throw error;
    });
    const range = { from: now - FORECAST_SPAN, to: now };
    const before = kept ? new Map(Object.entries(kept)) : await readAllSeries(store, source, range, (name) => isForecast(source, name));
    const points = new Map(
      names.map((name) => {
        const fresh = since.flatMap(({ asOf, series: told }): Point[] =>
          Object.hasOwn(told, name) ? [{ at: Date.parse(asOf), value: told[name] as number }] : [],
        );
        return [name, thinned([...(before.get(name) ?? []), ...fresh], range)] as const;
      }),
    );
    if (since.length > 0 || !kept) await store.put(key, Object.fromEntries(points));
    series.push(...[...points].map(([name, some]) => ({ source, name, points: some })));
  }
  return series;
}

function thinned(points: readonly Point[], { from, to }: { from: number; to: number }): Point[] {
  const byStride = new Map<number, Point>();
  for (const point of points) {
    if (point.at < from || point.at > to) continue;
    const stride = Math.floor(point.at / STRIDE);
    if ((byStride.get(stride)?.at ?? Number.NEGATIVE_INFINITY) <= point.at) byStride.set(stride, point);
  }
  return [...byStride.values()].sort((a, b) => a.at - b.at);
}
