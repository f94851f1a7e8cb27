import { compareNames } from '../../model/text.ts';
import { medianOf, Quantile } from './quantile.ts';
import type { Group, Memory, Recorder, Series } from './recorder.ts';
import type { Run } from './samples.ts';

/** The stretch of event time that a roll-up covers, ms since the epoch, both ends included. */
export interface Window {
  start: number;
  end: number;
  /** Where the last window ended, if nothing covers what lies between. */
  gapFrom?: number;
}

/** One series over the window. */
export interface SeriesStats {
  count: number;
  min: number;
  max: number;
  mean: number;
  median: number;
  first: number;
  firstTime: number;
  last: number;
  lastTime: number;
  /** Usual time from sample to sample, ms; 0 where it cannot be told. */
  interval: number;
  /** Of counters: how much it grew, and how often it began anew. */
  increase: number;
  resets: number;
  /** Since when it shows nothing but (nearly) zero; NaN where it does not. */
  zeroSince: number;
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
  /** The series that showed the greatest value. */
  greatest: Series;
  increase: number;
  resets: number;
}

export interface Rollup {
  window: Window;
  /** By index of series; absent where the window holds no sample of it. */
  stats: (SeriesStats | undefined)[];
  groups: GroupStats[];
  /** Indices of all known series, by key: the order in which everything is done. */
  order: number[];
  subjects: Set<string>;
  samples: number;
}

/** What shows at most this is switched off, not low: one unit, whatever the quantity. */
const NEARLY_ZERO = 1;

/**
 * The window: from where the last one ended, at most its length before its end. Where nothing is newer than the last
 * window, that one is seen again, so that unchanged captures tell the same once more.
 */
export function windowOf(newest: number, length: number, last: { start: number; end: number } | undefined): Window {
  const earliest = newest - length;
  if (last === undefined || newest < last.start) return { start: earliest, end: newest };
  if (newest <= last.end) return { start: Math.max(earliest, last.start), end: newest };
  if (last.end + 1 >= earliest) return { start: last.end + 1, end: newest };
  return { start: earliest, end: newest, gapFrom: last.end };
}

/** Rolls up what the recorder took in: per series and per group. The order of the samples makes no difference. */
export function rollUp(recorder: Recorder, window: Window, length: number): Rollup {
  const { samples, series } = recorder;
  samples.compact(window.start, window.end - length);
  const order = series.map((_, i) => i).sort((a, b) => ((series[a] as Series).key < (series[b] as Series).key ? -1 : 1));
  const stats: (SeriesStats | undefined)[] = Array.from({ length: series.length });
  const groups = new Map<Group, GroupStats & { sketch: Quantile; sum: number }>();
  const subjects = new Set<string>();
  const share = 2 ** samples.thinning;
  samples.forEachRun(order, (run) => {
    const one = series[run.series] as Series;
    const found = statsOf(run, one, share);
    stats[run.series] = found;
    subjects.add(`${one.subject.type}:${one.subject.id}`);
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
    subjects,
    samples: samples.length,
  };
}

function statsOf(run: Run, series: Series, share: number): SeriesStats {
  const { length, time, value } = run;
  const stats: SeriesStats = {
    count: length,
    min: Number.POSITIVE_INFINITY,
    max: Number.NEGATIVE_INFINITY,
    mean: 0,
    median: Number.NaN,
    first: value[0] as number,
    firstTime: time[0] as number,
    last: value[length - 1] as number,
    lastTime: time[length - 1] as number,
    interval: 0,
    increase: 0,
    resets: 0,
    zeroSince: Number.NaN,
  };
  let sum = 0;
  let before = beforeOf(series.before, stats.firstTime);
  for (let i = 0; i < length; i++) {
    const v = value[i] as number;
    sum += v;
    if (v < stats.min) stats.min = v;
    if (v > stats.max) stats.max = v;
    if (Math.abs(v) > NEARLY_ZERO) stats.zeroSince = Number.NaN;
    else if (Number.isNaN(stats.zeroSince)) stats.zeroSince = time[i] as number;
    if (series.mode === 'delta') stats.increase += v * share;
    else if (series.mode === 'counter') {
      if (before !== undefined && v < before) {
        stats.resets++;
        stats.increase += v;
      } else if (before !== undefined) stats.increase += v - before;
      before = v;
    }
  }
  stats.mean = sum / length;
  if (length > 1) stats.interval = (stats.lastTime - stats.firstTime) / (length - 1) / share;
  else if (series.before !== undefined && series.before.time < stats.lastTime) stats.interval = stats.lastTime - series.before.time;
  stats.median = medianOf(value.slice(0, length));
  return stats;
}

/** What a counter showed last, if that was before the window's first sample. */
function beforeOf(memory: Memory | undefined, firstTime: number): number | undefined {
  return memory !== undefined && memory.time < firstTime ? memory.value : undefined;
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
  if (stats.min < group.min) group.min = stats.min;
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
