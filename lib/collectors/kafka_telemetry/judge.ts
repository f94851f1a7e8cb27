import type { ClearedDraft, ConditionDraft, Severity, Subject } from '../../model/condition.ts';
import { toIso } from '../../model/time.ts';
import type { Standing } from './carry.ts';
import { type Limit, limitFinder } from './limits.ts';
import { medianOf } from './quantile.ts';
import type { Quantity } from './quantity.ts';
import type { Recorder, Series } from './recorder.ts';
import type { Rollup } from './rollup.ts';
import { placeOf, showValue } from './show.ts';
import type { StatsTable } from './tables.ts';

type Level = Standing['level'];
/** A standing with the series' index in this run. */
export type LiveStanding = Standing;

/** Samples in a row that it takes to enter a level, or to leave it. */
const IN_A_ROW = 2;
/** Fewer sensors than this are no peers. */
const PEERS = 4;
const SIBLINGS = 2;
const MOST_SIBLINGS = 64;
/** Fans slower than this as a whole stand still by intent, and shares of them say nothing. */
const FANS_RUN = 300;
/** Rails below this are set by the load, and differ from peer to peer. */
const FIXED_RAIL = 3;
/** A rail that shows less than this share of its peers is switched off. */
const SWITCHED_OFF = 0.05;

export interface Judgement {
  conditions: ConditionDraft[];
  /** Leaks whose sensor is dry again. */
  cleared: ClearedDraft[];
  standings: LiveStanding[];
}

/**
 * Judges every series by the row of limits that fits it, sample by sample in the order of time, with hysteresis, and on
 * from where the last window left it. What is beyond a bound stays so until samples say otherwise, silence included.
 */
export function judge(recorder: Recorder, rollup: Rollup, limits: readonly Limit[], open: ReadonlyMap<string, LiveStanding>): Judgement {
  const found: Judgement = { conditions: [], cleared: [], standings: [] };
  const judged = suspiciousSeries(recorder, rollup, limits, open);
  recorder.samples.forEachRun(judged.keys(), (run) => {
    const before = recorder.before.timeOf(run.series);
    for (const { limit, reference } of judged.get(run.series) ?? []) {
      const standing = structuredClone(open.get(standingKey(limit.kind, run.series))) ?? fresh(limit.kind, run.series);
      const stood = standing.level > 0;
      const inARow = run.length === 1 && before === 0 ? 1 : IN_A_ROW;
      for (let i = 0; i < run.length; i++) {
        const time = run.time[i] as number;
        if (time <= before) continue;
        standing.reference = reference;
        step(standing, limit, (run.value[i] as number) / reference, time, inARow);
      }
      if (standing.level > 0 || standing.over[0] > 0) found.standings.push(standing);
      if (standing.level > 0) found.conditions.push(conditionOf(limit, standing, recorder, rollup));
      else if (stood && limit.kind === 'leak_detected') {
        const { subject, part } = recorder.series[run.series] as Series;
        found.cleared.push({ kind: limit.kind, subject, part, by: 'line', at: toIso(run.time[run.length - 1] as number) });
      }
    }
  });
  const limitsFor = limitFinder(limits);
  for (const standing of open.values()) {
    if (rollup.stats.has(standing.series)) continue;
    const limit = limitsFor(recorder.series[standing.series] as Series).find(({ kind }) => kind === standing.kind);
    if (limit === undefined) continue;
    found.standings.push(standing);
    if (standing.level > 0) found.conditions.push(conditionOf(limit, standing, recorder, rollup));
  }
  return found;
}

interface Judged {
  limit: Limit;
  reference: number;
}

/** The series that are beyond a limit at any time of the window, or were before it. */
function suspiciousSeries(
  recorder: Recorder,
  { stats, order, members }: Rollup,
  limits: readonly Limit[],
  open: ReadonlyMap<string, LiveStanding>,
): Map<number, Judged[]> {
  const limitsFor = limitFinder(limits);
  const references = new References(recorder, stats, order, members);
  const judged = new Map<number, Judged[]>();
  for (const index of order) {
    if (!stats.has(index)) continue;
    const [min, max] = [stats.get(index, 'min'), stats.get(index, 'max')];
    for (const limit of limitsFor(recorder.series[index] as Series)) {
      const reference = references.of(index, limit) ?? open.get(standingKey(limit.kind, index))?.reference;
      if (reference === undefined) continue;
      const good = levelOf(limit, max / reference) === 0 && levelOf(limit, min / reference) === 0;
      if (good && !open.has(standingKey(limit.kind, index))) continue;
      judged.set(index, [...(judged.get(index) ?? []), { limit, reference }]);
    }
  }
  return judged;
}

export function standingKey(kind: string, series: number): string {
  return `${kind}\0${series}`;
}

export function fresh(kind: string, series: number): LiveStanding {
  return { kind, series, level: 0, since: 0, runSince: 0, count: 0, peak: 0, over: [0, 0], under: [0, 0], reference: 1 };
}

/** How far a value is beyond a limit: 0 not, 1 the warning bound, 2 the critical one. */
function levelOf(limit: Limit, value: number, slack = 0): Level {
  const beyond = (level: 'warning' | 'critical'): boolean =>
    (limit.high?.[level] !== undefined && value >= limit.high[level] - slack) ||
    (limit.low?.[level] !== undefined && value <= limit.low[level] + slack);
  if (beyond('critical')) return 2;
  return beyond('warning') ? 1 : 0;
}

function step(standing: LiveStanding, limit: Limit, value: number, time: number, inARow: number): void {
  const level = levelOf(limit, value);
  const held = levelOf(limit, value, limit.hysteresis);
  if (level > 0) {
    if (standing.over[0] === 0 && standing.level === 0) {
      standing.runSince = time;
      standing.count = 0;
      standing.peak = value;
    }
    standing.count++;
    if (isWorse(limit, value, standing.peak)) standing.peak = value;
  }
  standing.over = [level > 0 ? standing.over[0] + 1 : 0, level > 1 ? standing.over[1] + 1 : 0];
  standing.under = [held < 1 ? standing.under[0] + 1 : 0, held < 2 ? standing.under[1] + 1 : 0];
  const raised: Level = standing.over[1] >= inARow ? 2 : standing.over[0] >= inARow ? 1 : 0;
  if (raised > standing.level) {
    if (standing.level === 0) standing.since = standing.runSince;
    standing.level = raised;
  }
  if (standing.level === 2 && standing.under[1] >= inARow) standing.level = 1;
  if (standing.level > 0 && standing.under[0] >= inARow) standing.level = 0;
}

/** The middle between a limit's bounds, where it has them on both sides. */
function middleOf(limit: Limit): number | undefined {
  const high = limit.high?.warning ?? limit.high?.critical;
  const low = limit.low?.warning ?? limit.low?.critical;
  return high === undefined || low === undefined ? undefined : (high + low) / 2;
}

function isWorse(limit: Limit, value: number, than: number): boolean {
  const middle = middleOf(limit);
  if (middle !== undefined) return Math.abs(value - middle) > Math.abs(than - middle);
  return limit.high === undefined ? value < than : value > than;
}

function conditionOf(limit: Limit, standing: LiveStanding, recorder: Recorder, { stats }: Rollup): ConditionDraft {
  const index = standing.series;
  const series = recorder.series[index] as Series;
  const { unit, quantity } = series.group;
  const silent = !stats.has(index);
  const value = silent ? recorder.before.valueOf(index) : stats.get(index, 'last');
  const time = silent ? recorder.before.timeOf(index) : stats.get(index, 'lastTime');
  const level: Severity = standing.level === 2 ? 'critical' : 'warning';
  const side = limit.low === undefined || (limit.high !== undefined && standing.peak > (middleOf(limit) ?? 0)) ? 'high' : 'low';
  const bound = limit[side]?.[level] ?? limit[side]?.warning ?? limit[side]?.critical ?? 0;
  const { reference } = standing;
  const peak = standing.peak * reference;
  const against =
    limit.of === 'value'
      ? showValue(bound, unit)
      : `${Math.round(bound * 100)} % of the ${showValue(reference, unit)} that ${AGAINST[limit.of]}`;
  const [beyond, most] = side === 'high' ? ['at or over', 'highest'] : ['at or under', 'lowest'];
  return {
    kind: limit.kind,
    subject: series.subject,
    part: series.part,
    severity: level,
    message: `${series.subject.type} ${series.subject.id}: ${quantity} of ${series.part} is ${showValue(value, unit)}, ${beyond} the ${level} limit of ${against} since ${toIso(standing.since)}, ${most} ${showValue(peak, unit)}${silent ? `; no reading since ${toIso(time)}` : ''}`,
    values: {
      value: round(value),
      unit,
      limit: round(limit.of === 'value' ? bound : bound * reference),
      peak: round(peak),
      samples: standing.count,
      sensor: series.group.metric,
      ...(limit.of !== 'value' && { reference: round(reference) }),
    },
    since: toIso(standing.since),
    lastSeen: toIso(time),
    count: standing.count,
    ...placeOf(series.subject),
  };
}

const AGAINST = { siblings: 'its siblings show', peers: 'its peers show', baseline: 'it usually shows' } as const;

function round(value: number): number {
  return Number(value.toPrecision(6));
}

/** What shares are taken of: medians over siblings, peers, or the series itself. */
class References {
  readonly #recorder: Recorder;
  readonly #stats: StatsTable;
  readonly #order: Uint32Array;
  readonly #members: ReadonlyMap<Subject, readonly number[]>;
  /** By what the same sensors have in common: how many peers there are, and their median. */
  #peers: Map<number, { count: number; median: number }> | undefined;

  constructor(recorder: Recorder, stats: StatsTable, order: Uint32Array, members: ReadonlyMap<Subject, readonly number[]>) {
    this.#recorder = recorder;
    this.#stats = stats;
    this.#order = order;
    this.#members = members;
  }

  /** The value that a limit's shares are of; 1 for an absolute limit; undefined where there is nothing to compare with. */
  of(index: number, limit: Limit): number | undefined {
    const series = this.#recorder.series[index] as Series;
    if (limit.of === 'value') return 1;
    if (limit.of === 'baseline') return this.#baselineOf(index);
    return limit.of === 'siblings' ? this.#siblingsOf(index, series) : this.#peersOf(index, series);
  }

  /** What a sensor usually shows: as the last run knew, else over this window, if that has samples enough. */
  #baselineOf(index: number): number | undefined {
    const known = this.#recorder.before.at(index)?.baseline ?? Number.NaN;
    const stats = this.#stats.at(index);
    const usual = Number.isNaN(known) && stats !== undefined && stats.count >= PEERS ? stats.median : known;
    return usual > 0 ? usual : undefined;
  }

  #siblingsOf(index: number, { subject, group }: Series): number | undefined {
    const others: number[] = [];
    for (const other of this.#members.get(subject) ?? []) {
      if (other !== index && this.#recorder.series[other]?.group === group && this.#stats.has(other))
        others.push(this.#stats.get(other, 'last'));
      if (others.length >= MOST_SIBLINGS) break;
    }
    const median = medianOf(others);
    return others.length >= SIBLINGS && median >= FANS_RUN ? median : undefined;
  }

  #peersOf(index: number, { group, like }: Series): number | undefined {
    this.#peers ??= this.#gatherPeers(group.quantity);
    const peers = this.#peers.get(like);
    if (peers === undefined || peers.count < PEERS || !(peers.median >= FIXED_RAIL)) return undefined;
    return this.#stats.get(index, 'last') < SWITCHED_OFF * peers.median ? undefined : peers.median;
  }

  #gatherPeers(quantity: Quantity): Map<number, { count: number; median: number }> {
    const values = new Map<number, number[]>();
    for (const index of this.#order) {
      const { group, like } = this.#recorder.series[index] as Series;
      if (group.quantity !== quantity || !this.#stats.has(index)) continue;
      const list = values.get(like);
      if (list === undefined) values.set(like, [this.#stats.get(index, 'last')]);
      else list.push(this.#stats.get(index, 'last'));
    }
    return new Map([...values].map(([like, list]) => [like, { count: list.length, median: medianOf(list) }]));
  }
}
