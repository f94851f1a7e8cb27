import * as z from 'zod';
import { Severity, Subject } from '../../model/condition.ts';
import type { Memory, Recorder, Series } from './recorder.ts';
import { QUANTITIES } from './quantity.ts';
import type { Rollup } from './rollup.ts';

/** Series that are handed on: about 60 bytes each, far below what the store takes as a carry. */
const MAX_CARRIED = 120_000;

/** Where a judgement of one sensor stands, between one window and the next. */
export const Standing = z.strictObject({
  kind: z.string(),
  /** The series, by its place in the carried list. */
  series: z.number().int().nonnegative(),
  level: z.union([z.literal(0), z.literal(1), z.literal(2)]),
  /** When what led to the level began, and the first of the samples in a row beyond a bound. */
  since: z.number(),
  runSince: z.number(),
  /** Samples beyond a bound since then, and the worst of them. */
  count: z.number().int().nonnegative(),
  peak: z.number(),
  /** Samples in a row that were beyond the warning and the critical bound, and that were clear of them. */
  over: z.tuple([z.number(), z.number()]),
  under: z.tuple([z.number(), z.number()]),
  /** What values are shares of; 1 for absolute limits. */
  reference: z.number(),
});
export type Standing = z.infer<typeof Standing>;

/** An event that still stands. */
export const Incident = z.strictObject({
  kind: z.enum(['leak_detected', 'hardware_event']),
  subject: Subject,
  part: z.string(),
  severity: Severity,
  message: z.string(),
  first: z.number(),
  last: z.number(),
  count: z.number().int().positive(),
});
export type Incident = z.infer<typeof Incident>;

/** What one run hands on. Series are columns of numbers into three dictionaries, so that large fleets stay small. */
export const TelemetryCarry = z.strictObject({
  start: z.number(),
  end: z.number(),
  subjects: z.array(z.tuple([z.string(), z.string()])),
  metrics: z.array(
    z.strictObject({
      quantity: z.enum(QUANTITIES),
      metric: z.string(),
      unit: z.string(),
      mode: z.enum(['gauge', 'counter', 'delta']),
      scale: z.number(),
      offset: z.number(),
    }),
  ),
  parts: z.array(z.string()),
  /** Six numbers a series: subject, metric, part, newest sample (ms before `end`), its interval (ms), its value. */
  series: z.array(z.number()),
  /** Pairs: series, what it usually shows. */
  baselines: z.array(z.number()),
  standings: z.array(Standing),
  incidents: z.array(Incident),
});
export type TelemetryCarry = z.infer<typeof TelemetryCarry>;

const WIDTH = 6;

/** Makes the series of the last run known to the recorder. @returns their indices, in the order of the carry */
export function restore(carry: TelemetryCarry, recorder: Recorder): number[] {
  const indices: number[] = [];
  for (let at = 0; at + WIDTH <= carry.series.length; at += WIDTH) {
    const [subject, metric, part, age, interval, value] = carry.series.slice(at, at + WIDTH) as [
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    const [type, id] = carry.subjects[subject] ?? [];
    const measure = carry.metrics[metric];
    const place = carry.parts[part];
    if (type === undefined || id === undefined || measure === undefined || place === undefined) continue;
    const index = recorder.seriesOf({
      subject: recorder.subject(type, id),
      measure,
      metric: measure.metric,
      part: place,
      mode: measure.mode,
    });
    if (typeof index !== 'number') continue;
    (recorder.series[index] as Series).before = { time: carry.end - age, value, interval };
    indices[at / WIDTH] = index;
  }
  for (let at = 0; at + 1 < carry.baselines.length; at += 2) {
    const index = indices[carry.baselines[at] as number];
    const before = index === undefined ? undefined : recorder.series[index]?.before;
    if (before !== undefined) before.baseline = carry.baselines[at + 1] as number;
  }
  return indices;
}

/** What a series is remembered by after this run; undefined for one that the run knows nothing of. */
export function memoryOf(series: Series, rollup: Rollup, index: number): Memory | undefined {
  const stats = rollup.stats[index];
  if (stats === undefined) return series.before;
  const { before } = series;
  if (before !== undefined && before.time >= stats.lastTime) return before;
  const interval = stats.interval > 0 ? stats.interval : (before?.interval ?? 0);
  return { time: stats.lastTime, value: stats.last, interval, ...(before?.baseline !== undefined && { baseline: before.baseline }) };
}

interface Kept {
  memories: ReadonlyMap<number, Memory>;
  standings: readonly (Omit<Standing, 'series'> & { series: number })[];
  incidents: readonly Incident[];
}

/**
 * Packs what the next run needs.
 * @returns the carry, and how many series found no room in it
 */
export function pack(
  recorder: Recorder,
  rollup: Rollup,
  { memories, standings, incidents }: Kept,
): { carry: TelemetryCarry; dropped: number } {
  const carry: TelemetryCarry = {
    start: rollup.window.start,
    end: rollup.window.end,
    subjects: [],
    metrics: [],
    parts: [],
    series: [],
    baselines: [],
    standings: [],
    incidents: [...incidents],
  };
  const subjects = new Map<string, number>();
  const metrics = new Map<string, number>();
  const parts = new Map<string, number>();
  const places = new Map<number, number>();
  let dropped = 0;
  for (const index of rollup.order) {
    const memory = memories.get(index);
    if (memory === undefined) continue;
    if (places.size >= MAX_CARRIED) {
      dropped++;
      continue;
    }
    const { subject, group, part, mode, scale, offset } = recorder.series[index] as Series;
    const place = places.size;
    places.set(index, place);
    carry.series.push(
      numberOf(subjects, `${subject.type}:${subject.id}`, carry.subjects, () => [subject.type, subject.id]),
      numberOf(metrics, JSON.stringify([group.quantity, group.metric, group.unit, mode, scale, offset]), carry.metrics, () => ({
        ...group,
        mode,
        scale,
        offset,
      })),
      numberOf(parts, part, carry.parts, () => part),
      rollup.window.end - memory.time,
      Math.round(memory.interval),
      memory.value,
    );
    if (memory.baseline !== undefined) carry.baselines.push(place, memory.baseline);
  }
  for (const standing of standings) {
    const place = places.get(standing.series);
    if (place !== undefined) carry.standings.push({ ...standing, series: place });
  }
  return { carry, dropped };
}

function numberOf<T>(known: Map<string, number>, key: string, list: T[], make: () => T): number {
  let number = known.get(key);
  if (number === undefined) {
    number = list.length;
    list.push(make());
    known.set(key, number);
  }
  return number;
}
