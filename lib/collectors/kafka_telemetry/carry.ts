import * as z from 'zod';
import { Severity, Subject } from '../../model/condition.ts';
import type { Group, Recorder, Series } from './recorder.ts';
import { QUANTITIES } from './quantity.ts';
import { isSupply } from './power.ts';
import { earlierOf, hasBaseline, type Rollup } from './rollup.ts';
import { MemoryTable, type SeriesStats } from './tables.ts';

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
  /** The window: `newest` is its end, `end` that as far as the clock had come. */
  start: z.number(),
  end: z.number(),
  newest: z.number(),
  gapFrom: z.number().nullable(),
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
  /** Three numbers: series, and the sample before the first of this window (ms before `end`, its value), where that matters. */
  preceding: z.array(z.number()),
  standings: z.array(Standing),
  incidents: z.array(Incident),
});
export type TelemetryCarry = z.infer<typeof TelemetryCarry>;

const WIDTH = 6;

/** What one run finds of the last one. */
export interface Restored {
  /** The series' indices, in the order of the carry. */
  indices: readonly (number | undefined)[];
  standings: readonly Standing[];
  incidents: readonly Incident[];
  /** Series that were last heard of later than can be. */
  ahead: number;
}

export const NOTHING: Restored = { indices: [], standings: [], incidents: [], ahead: 0 };

/** Times behind `latest` come from a clock that has gone back since; they count as `instead`, or nothing new would. */
export interface Clock {
  latest: number;
  instead: number;
}

/** Makes the series of the last run known to the recorder. */
export function restore(carry: TelemetryCarry, recorder: Recorder, { latest, instead }: Clock): Restored {
  const { series } = carry;
  const settled = (time: number): number => (time > latest ? instead : time);
  let ahead = 0;
  const length = Math.floor(series.length / WIDTH);
  const indices: (number | undefined)[] = [];
  const baselines = new Map<number, number>();
  for (let at = 0; at + 1 < carry.baselines.length; at += 2)
    baselines.set(carry.baselines[at] as number, carry.baselines[at + 1] as number);
  recorder.before = new MemoryTable(length);
  for (let place = 0; place < length; place++) {
    const index = restoreOne(carry, place * WIDTH, recorder);
    indices.push(index);
    if (index === undefined) continue;
    const [, , , age, interval, value] = series.slice(place * WIDTH, (place + 1) * WIDTH) as [
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    const time = carry.end - age;
    if (time > latest) ahead++;
    // What a counter showed at a time that never was is no beginning.
    if (time > latest && recorder.series[index]?.mode === 'counter') continue;
    recorder.before.set(index, { time: settled(time), value, interval, baseline: baselines.get(place) ?? Number.NaN });
  }
  const standings = carry.standings.map((one) => ({ ...one, since: settled(one.since), runSince: settled(one.runSince) }));
  const incidents = carry.incidents.map((one) => ({ ...one, first: settled(one.first), last: settled(one.last) }));
  return { indices, standings, incidents, ahead };
}

/** Makes known what preceded the last window, which is seen again. */
export function restorePreceding({ preceding, end }: TelemetryCarry, indices: readonly (number | undefined)[], recorder: Recorder): void {
  recorder.preceding = new MemoryTable(recorder.series.length);
  for (let at = 0; at + 2 < preceding.length; at += 3) {
    const [place, age, value] = preceding.slice(at, at + 3) as [number, number, number];
    const index = indices[place];
    if (index !== undefined) recorder.preceding.set(index, { time: end - age, value, interval: 0, baseline: Number.NaN });
  }
}

/**
 * Whether the sample before this window has a say in what the window shows: in how much a counter grew and whether a supply
 * lost its load; and in what belongs to the window, where the sensor lags behind others.
 */
function matters(index: number, recorder: Recorder, { stats, window }: Rollup): boolean {
  const series = recorder.series[index] as Series;
  return series.mode === 'counter' || isSupply(series) || stats.get(index, 'firstTime') < window.start;
}

function restoreOne({ series, subjects, metrics, parts }: TelemetryCarry, at: number, recorder: Recorder): number | undefined {
  const subject = subjects[series[at] as number];
  const measure = metrics[series[at + 1] as number];
  const part = parts[series[at + 2] as number];
  if (subject === undefined || measure === undefined || part === undefined) return undefined;
  const { metric, mode } = measure;
  const [type, id] = subject;
  const index = recorder.seriesOf(recorder.subject(type, id), recorder.cleanSensor(type, measure, metric, part), mode);
  return typeof index === 'number' ? index : undefined;
}

/** How much of a baseline each good window renews. */
const RENEWAL = 0.2;
/** How many samples of one window make a first baseline; else a second window does. That a supply has a load, two tell. */
const ENOUGH = 4;
const ENOUGH_OF_A_SUPPLY = 2;

/**
 * What is known of each series after this run.
 * @param beyond series beyond a limit: what they show is not what they usually show
 */
export function remember(recorder: Recorder, { stats, order }: Rollup, beyond: ReadonlySet<number>): MemoryTable {
  const memories = new MemoryTable(recorder.series.length);
  for (const index of order) {
    const before = recorder.before.at(index);
    if (!stats.has(index) || (before !== undefined && before.time >= stats.get(index, 'lastTime'))) {
      if (before !== undefined) memories.set(index, before);
      continue;
    }
    const series = recorder.series[index] as Series;
    let baseline = before?.baseline ?? Number.NaN;
    if (hasBaseline(series) && !beyond.has(index) && Number.isNaN(stats.get(index, 'zeroSince'))) {
      const now = stats.at(index) as SeriesStats;
      if (!Number.isNaN(baseline)) baseline += RENEWAL * (now.median - baseline);
      else if (now.count >= (isSupply(series) ? ENOUGH_OF_A_SUPPLY : ENOUGH) || (before !== undefined && now.count > 1))
        baseline = now.median;
    }
    const interval = stats.get(index, 'interval');
    memories.set(index, {
      time: stats.get(index, 'lastTime'),
      value: stats.get(index, 'last'),
      interval: interval > 0 ? interval : (before?.interval ?? 0),
      baseline,
    });
  }
  return memories;
}

interface Kept {
  memories: MemoryTable;
  standings: readonly Standing[];
  incidents: readonly Incident[];
  /** The end of the window, as far as the clock has come. */
  end: number;
}

/**
 * Packs what the next run needs.
 * @returns the carry, and how many series found no room in it
 */
export function pack(
  recorder: Recorder,
  rollup: Rollup,
  { memories, standings, incidents, end }: Kept,
): { carry: TelemetryCarry; dropped: number } {
  const carry: TelemetryCarry = {
    start: rollup.window.start,
    end,
    newest: rollup.window.end,
    gapFrom: rollup.window.gapFrom ?? null,
    subjects: [],
    metrics: [],
    parts: [],
    series: [],
    baselines: [],
    preceding: [],
    standings: [],
    incidents: [...incidents],
  };
  const subjects = new Map<Subject, number>();
  const metrics = new Map<Group, Map<string, number>>();
  // The metric of the last series of each sensor, whose series mostly have the same.
  const byLike: { metric: number; mode: string; scale: number; offset: number }[] = [];
  const parts = new Map<string, number>();
  // Places of series in the list.
  const places = new Int32Array(recorder.series.length).fill(-1);
  let place = 0;
  let dropped = 0;
  let [last, subjectPlace]: [Subject | undefined, number] = [undefined, 0];
  for (const index of rollup.order) {
    const memory = memories.at(index);
    if (memory === undefined) continue;
    if (place >= MAX_CARRIED) {
      dropped++;
      continue;
    }
    const { subject, group, part, like, mode, scale, offset } = recorder.series[index] as Series;
    places[index] = place;
    // Series of a subject mostly come one behind the other.
    if (subject !== last) [last, subjectPlace] = [subject, numberOf(subjects, subject, carry.subjects, () => [subject.type, subject.id])];
    let known = byLike[like];
    if (known === undefined || known.mode !== mode || known.scale !== scale || known.offset !== offset) {
      const metric = numberOf(ofGroup(metrics, group), `${mode} ${scale} ${offset}`, carry.metrics, () => ({
        ...group,
        mode,
        scale,
        offset,
      }));
      byLike[like] = known = { metric, mode, scale, offset };
    }
    carry.series.push(
      subjectPlace,
      known.metric,
      numberOf(parts, part, carry.parts, () => part),
      end - memory.time,
      memory.interval,
      memory.value,
    );
    if (!Number.isNaN(memory.baseline)) carry.baselines.push(place, memory.baseline);
    const earlier = rollup.window.again === 'older' || !rollup.stats.has(index) ? undefined : earlierOf(recorder, index);
    if (earlier !== undefined && earlier.time < rollup.stats.get(index, 'firstTime') && matters(index, recorder, rollup))
      carry.preceding.push(place, end - earlier.time, earlier.value);
    place++;
  }
  for (const standing of standings) {
    const at = places[standing.series] as number;
    if (at >= 0) carry.standings.push({ ...standing, series: at });
  }
  return { carry, dropped };
}

function ofGroup(metrics: Map<Group, Map<string, number>>, group: Group): Map<string, number> {
  let known = metrics.get(group);
  if (known === undefined) {
    known = new Map();
    metrics.set(group, known);
  }
  return known;
}

function numberOf<K, T>(known: Map<K, number>, key: K, list: T[], make: () => T): number {
  let number = known.get(key);
  if (number === undefined) {
    number = list.length;
    list.push(make());
    known.set(key, number);
  }
  return number;
}
