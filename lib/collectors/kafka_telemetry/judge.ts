import type { ClearedDraft, ConditionDraft, Severity } from '../../model/condition.ts';
import { toIso } from '../../model/time.ts';
import type { Standing } from './carry.ts';
import { type Limit, limitFinder } from './limits.ts';
import { medianOf } from './quantile.ts';
import type { Recorder, Series } from './recorder.ts';
import type { Rollup } from './rollup.ts';
import { placeOf, showValue } from './show.ts';

type Level = Standing['level'];
/** A standing with the series' index in this run. */
export type LiveStanding = Standing;

/** Samples in a row that it takes to enter a level, or to leave it. */
const IN_A_ROW = 2;
/** Fewer sensors than this are no peers. */
const PEERS = 4;
const SIBLINGS = 2;
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
  const limitsFor = limitFinder(limits);
  const references = new References(recorder, rollup);
  const judged: { index: number; limit: Limit; reference: number }[] = [];
  for (const index of rollup.order) {
    for (const limit of limitsFor(recorder.series[index] as Series)) {
      const standing = open.get(standingKey(limit.kind, index));
      const silent = rollup.stats[index] === undefined && standing !== undefined && standing.level > 0;
      const against = silent ? standing.reference : references.of(index, limit);
      if (against === undefined) continue;
      judged.push({ index, limit, reference: against });
    }
  }
  const standings = new Map<string, LiveStanding>();
  const at = new Map<number, typeof judged>();
  for (const one of judged) at.set(one.index, [...(at.get(one.index) ?? []), one]);
  const sampled = [...at.keys()].filter((index) => rollup.stats[index] !== undefined);
  recorder.samples.forEachRun(sampled, (run) => {
    const { before } = recorder.series[run.series] as Series;
    for (const { limit, reference: against } of at.get(run.series) ?? []) {
      const key = standingKey(limit.kind, run.series);
      const standing = structuredClone(open.get(key)) ?? fresh(limit.kind, run.series);
      standing.reference = against;
      const inARow = run.length === 1 && before === undefined ? 1 : IN_A_ROW;
      for (let i = 0; i < run.length; i++) {
        const time = run.time[i] as number;
        if (before === undefined || time > before.time) step(standing, limit, (run.value[i] as number) / against, time, inARow);
      }
      if (standing.level > 0 || standing.over[0] > 0) standings.set(key, standing);
    }
  });
  const cleared: ClearedDraft[] = [];
  for (const [key, standing] of open) {
    if (standing.level === 0) continue;
    const { subject, part } = recorder.series[standing.series] as Series;
    const lastTime = rollup.stats[standing.series]?.lastTime;
    if (lastTime === undefined) standings.set(key, standing);
    else if (standing.kind === 'leak_detected' && (standings.get(key)?.level ?? 0) === 0) {
      cleared.push({ kind: standing.kind, subject, part, by: 'line', at: toIso(lastTime) });
    }
  }
  const conditions: ConditionDraft[] = [];
  for (const { index, limit, reference: against } of judged) {
    const standing = standings.get(standingKey(limit.kind, index));
    if (standing !== undefined && standing.level > 0) conditions.push(conditionOf(index, limit, against, standing, recorder, rollup));
  }
  return { conditions, cleared, standings: [...standings.values()] };
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

function conditionOf(
  index: number,
  limit: Limit,
  reference: number,
  standing: LiveStanding,
  recorder: Recorder,
  rollup: Rollup,
): ConditionDraft {
  const series = recorder.series[index] as Series;
  const stats = rollup.stats[index];
  const value = stats?.last ?? series.before?.value ?? standing.peak * reference;
  const time = stats?.lastTime ?? series.before?.time ?? standing.since;
  const { unit, quantity } = series.group;
  const level: Severity = standing.level === 2 ? 'critical' : 'warning';
  const side = limit.low === undefined || (limit.high !== undefined && standing.peak > (middleOf(limit) ?? 0)) ? 'high' : 'low';
  const bound = limit[side]?.[level] ?? limit[side]?.warning ?? 0;
  const peak = standing.peak * reference;
  const against =
    limit.of === 'value'
      ? showValue(bound, unit)
      : `${Math.round(bound * 100)} % of the ${showValue(reference, unit)} that ${AGAINST[limit.of]}`;
  const silent = stats === undefined ? `; no reading since ${toIso(time)}` : '';
  return {
    kind: limit.kind,
    subject: series.subject,
    part: series.part,
    severity: level,
    message: `${quantity} of ${series.part} is ${showValue(value, unit)}, ${side === 'high' ? 'at or over' : 'at or under'} the ${level} limit of ${against} since ${toIso(standing.since)}, ${side === 'high' ? 'highest' : 'lowest'} ${showValue(peak, unit)}${silent}`,
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
  readonly #rollup: Rollup;
  readonly #families = new Map<string, Map<string, number[]>>();

  constructor(recorder: Recorder, rollup: Rollup) {
    this.#recorder = recorder;
    this.#rollup = rollup;
  }

  /** The value that a limit's shares are of; 1 for an absolute limit; undefined where there is nothing to compare with. */
  of(index: number, limit: Limit): number | undefined {
    if (limit.of === 'value') return 1;
    const series = this.#recorder.series[index] as Series;
    if (limit.of === 'baseline') return this.#baseline(index, series);
    const own = this.#lastOf(index);
    if (own === undefined) return undefined;
    if (limit.of === 'siblings') {
      const others = this.#family('siblings', series).filter((other) => other !== index);
      const median = medianOf(others.flatMap((other) => this.#lastOf(other) ?? []));
      return others.length >= SIBLINGS && median >= FANS_RUN ? median : undefined;
    }
    const peers = this.#family('peers', series).flatMap((other) => this.#lastOf(other) ?? []);
    const median = medianOf(peers);
    if (peers.length < PEERS || !(median >= FIXED_RAIL)) return undefined;
    return own < SWITCHED_OFF * median ? undefined : median;
  }

  #lastOf(index: number): number | undefined {
    return this.#rollup.stats[index]?.last;
  }

  #baseline(index: number, series: Series): number | undefined {
    const stats = this.#rollup.stats[index];
    const known = series.before?.baseline ?? (stats !== undefined && stats.count >= PEERS ? stats.median : undefined);
    return known !== undefined && known > 0 ? known : undefined;
  }

  #family(relation: 'siblings' | 'peers', series: Series): number[] {
    let families = this.#families.get(relation);
    if (families === undefined) {
      families = new Map();
      for (const index of this.#rollup.order) {
        const key = familyKey(relation, this.#recorder.series[index] as Series);
        const members = families.get(key);
        if (members === undefined) families.set(key, [index]);
        else members.push(index);
      }
      this.#families.set(relation, families);
    }
    return families.get(familyKey(relation, series)) ?? [];
  }
}

function familyKey(relation: 'siblings' | 'peers', { subject, group, part }: Series): string {
  return relation === 'siblings'
    ? `${group.quantity}\0${group.unit}\0${subject.type}:${subject.id}`
    : `${group.quantity}\0${group.unit}\0${subject.type}\0${part}`;
}
