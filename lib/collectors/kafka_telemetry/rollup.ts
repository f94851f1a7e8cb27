import type { Subject } from '../../model/condition.ts';
import { compareNames } from '../../model/text.ts';
import { medianOf, Quantile } from './quantile.ts';
import { type Group, hashOfSubject, keyOf, type Recorder, type Series } from './recorder.ts';
import type { Run } from './samples.ts';
import { type Memory, type SeriesStats, StatsTable } from './tables.ts';

/**
 * The stretch of event time that a roll-up covers, ms since the epoch, both ends included; samples of sensors that lag
 * behind may lie before it.
 */
export interface Window {
  start: number;
  end: number;
  /** Where the last window ended, if nothing covers what lies between. */
  gapFrom?: number;
  /** The last one seen again, or one that lies before it; else this one goes on from there. */
  again?: 'same' | 'older';
}

/** One group over the window. */
export interface GroupStats {
  group: Group;
  series: number;
  count: number;
  min: number;
  max: number;
  mean: number;
  p95: number;
  p95Error: number;
  firstTime: number;
  lastTime: number;
  last: number;
  /** The series that showed the least and the greatest value. */
  least: Series;
  greatest: Series;
  increase: number;
  resets: number;
}

export interface Rollup {
  window: Window;
  stats: StatsTable;
  groups: GroupStats[];
  /** Indices of all known series, in the order in which everything is done: it depends on their keys alone. */
  order: Uint32Array;
  /** The series of each subject, in that order. */
  members: Map<Subject, number[]>;
  /** What the window holds samples of. */
  subjects: Set<Subject>;
  samples: number;
}

/** Whether a sensor is judged by what it usually shows. */
export function hasBaseline({ group, subject }: Series): boolean {
  return group.quantity === 'flow' || group.quantity === 'pressure' || (group.quantity === 'power' && SUPPLIES.has(subject.type));
}

/** What supplies power to others. */
export const SUPPLIES: ReadonlySet<string> = new Set(['pdu', 'rack', 'chassis', 'cdu']);

/** What shows at most this is switched off, not low: one unit, whatever the quantity. */
export const NEARLY_ZERO = 1;

/** The window of the last run: `newest` may lie after its end, which goes no further than the clock had come. */
export interface LastWindow {
  start: number;
  end: number;
  newest: number;
  gapFrom: number | null;
}

/**
 * The window: from where the last one ended, at most its length before its end. Where nothing is newer than the last
 * window, that one is seen again, so that unchanged captures tell the same once more.
 */
export function windowOf(newest: number, length: number, last: LastWindow | undefined): Window {
  const earliest = newest - length;
  if (last === undefined) return { start: earliest, end: newest };
  if (newest < last.start) return { start: earliest, end: newest, again: 'older' };
  if (newest <= last.end || newest === last.newest) {
    const gap = last.gapFrom !== null && newest === last.newest ? { gapFrom: last.gapFrom } : {};
    return { start: Math.max(earliest, last.start), end: newest, ...gap, again: 'same' };
  }
  if (last.end + 1 >= earliest) return { start: last.end + 1, end: newest };
  return { start: earliest, end: newest, gapFrom: last.end };
}

/** What a series showed last before this window's samples of it. */
export function earlierOf({ before, preceding }: Recorder, index: number): Memory | undefined {
  return preceding.at(index) ?? before.at(index);
}

/**
 * Whether a sample from before the window belongs to it. What a sensor said up to its newest sample of the last run was rolled up then,
 * or came too late for good; what came since belongs here, though it may lie before the window: topics lag behind each
 * other. A window that is seen again takes what it took the first time.
 */
function belongsTo({ before, preceding }: Recorder): (index: number, time: number) => boolean {
  return (index, time) => {
    const earlier = preceding.has(index) ? preceding : before;
    return earlier.has(index) && time > earlier.timeOf(index);
  };
}

/** Rolls up what the recorder took in: per series and per group. The order of the samples makes no difference. */
export function rollUp(recorder: Recorder, window: Window, length: number): Rollup {
  const { samples, series } = recorder;
  samples.compact(window.end - length, window.start, belongsTo(recorder));
  const order = inOrder(recorder);
  const stats = new StatsTable(series.length);
  const groups = new Map<Group, GroupStats & { sketch: Quantile; sum: number }>();
  const subjects = new Set<Subject>();
  const share = 2 ** samples.thinning;
  samples.forEachRun(order, (run) => {
    const one = series[run.series] as Series;
    const found = statsOf(run, one, earlierOf(recorder, run.series), share);
    stats.set(run.series, found);
    subjects.add(one.subject);
    addTo(groups, one, found, run);
  });
  return {
    window,
    stats,
    groups: [...groups.values()]
      .map(({ sketch, sum, ...rest }) => ({
        ...rest,
        mean: sum / rest.count,
        p95: Math.min(rest.max, Math.max(rest.min, sketch.at(0.95))),
        p95Error: sketch.error,
      }))
      .sort(
        (a, b) =>
          compareNames(a.group.quantity, b.group.quantity) ||
          compareNames(a.group.metric, b.group.metric) ||
          compareNames(a.group.unit, b.group.unit),
      ),
    order,
    members: bySubject(series, order),
    subjects,
    samples: samples.length,
  };
}

function bySubject(series: readonly Series[], order: Uint32Array): Map<Subject, number[]> {
  const members = new Map<Subject, number[]>();
  for (const index of order) {
    const { subject } = series[index] as Series;
    const list = members.get(subject);
    if (list === undefined) members.set(subject, [index]);
    else list.push(index);
  }
  return members;
}

/**
 * All series in an order that depends on their keys alone: by subject, since what belongs together also lies together in
 * memory. Hashes decide it nearly always.
 */
function inOrder({ series, hashes }: Recorder): Uint32Array {
  const ranks = new Float64Array(series.length);
  const subjectHashes = new Map<Subject, number>();
  for (const [index, { subject }] of series.entries()) {
    let hash = subjectHashes.get(subject);
    if (hash === undefined) {
      hash = hashOfSubject(subject) % 2 ** 21;
      subjectHashes.set(subject, hash);
    }
    ranks[index] = hash * 2 ** 32 + (hashes[index] as number);
  }
  const byKey = (a: number, b: number): number => (keyOf(series[a] as Series) < keyOf(series[b] as Series) ? -1 : 1);
  return Uint32Array.from(series.keys()).sort((a, b) => (ranks[a] as number) - (ranks[b] as number) || byKey(a, b));
}

function statsOf(run: Run, series: Series, memory: Memory | undefined, share: number): SeriesStats {
  const { length, time, value } = run;
  const [firstTime, lastTime] = [time[0] as number, time[length - 1] as number];
  let [min, max, sum, increase, resets, zeroSince] = [value[0] as number, value[0] as number, 0, 0, 0, Number.NaN];
  let before = memory !== undefined && memory.time < firstTime ? memory.value : undefined;
  for (let i = 0; i < length; i++) {
    const v = value[i] as number;
    sum += v;
    if (v < min) min = v;
    if (v > max) max = v;
    if (Math.abs(v) > NEARLY_ZERO) zeroSince = Number.NaN;
    else if (Number.isNaN(zeroSince)) zeroSince = time[i] as number;
    if (series.mode === 'delta') increase += v * share;
    else if (series.mode === 'counter') {
      if (before !== undefined && v < before) {
        resets++;
        increase += v;
      } else if (before !== undefined) increase += v - before;
      before = v;
    }
  }
  let interval = 0;
  if (length > 1) interval = Math.round((lastTime - firstTime) / (length - 1) / share);
  else if (memory !== undefined && memory.time < lastTime) interval = lastTime - memory.time;
  const median = hasBaseline(series) ? medianOf(value.slice(0, length)) : Number.NaN;
  const last = value[length - 1] as number;
  return { count: length, min, max, mean: sum / length, median, firstTime, last, lastTime, interval, increase, resets, zeroSince };
}

function addTo(groups: Map<Group, GroupStats & { sketch: Quantile; sum: number }>, series: Series, stats: SeriesStats, run: Run): void {
  let group = groups.get(series.group);
  if (group === undefined) {
    group = {
      group: series.group,
      series: 0,
      count: 0,
      min: stats.min,
      max: stats.max,
      mean: 0,
      p95: 0,
      p95Error: 0,
      firstTime: stats.firstTime,
      lastTime: stats.lastTime,
      last: stats.last,
      least: series,
      greatest: series,
      increase: 0,
      resets: 0,
      sketch: new Quantile(),
      sum: 0,
    };
    groups.set(series.group, group);
  }
  group.series++;
  group.count += stats.count;
  group.sum += stats.mean * stats.count;
  group.increase += stats.increase;
  group.resets += stats.resets;
  if (stats.min < group.min) {
    group.min = stats.min;
    group.least = series;
  }
  if (stats.max > group.max) {
    group.max = stats.max;
    group.greatest = series;
  }
  if (stats.firstTime < group.firstTime) group.firstTime = stats.firstTime;
  if (stats.lastTime > group.lastTime) {
    group.lastTime = stats.lastTime;
    group.last = stats.last;
  }
  for (let i = 0; i < run.length; i++) group.sketch.add(run.value[i] as number);
}
