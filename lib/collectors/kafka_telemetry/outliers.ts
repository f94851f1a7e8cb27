import type { ConditionDraft } from '../../model/condition.ts';
import { placeOfXname } from '../../model/xname.ts';
import { toIso } from '../../model/time.ts';
import { medianOf } from './quantile.ts';
import type { Quantity } from './quantity.ts';
import { wordsOf } from './quantity.ts';
import type { Recorder, Series } from './recorder.ts';
import type { Rollup, SeriesStats } from './rollup.ts';
import { placeOf, showValue } from './show.ts';

/** How far off its siblings, in the quantity's unit or as a share of their median, a sensor may be at least. */
const FLOORS: ReadonlyMap<Quantity, { least: number; share: number }> = new Map([
  ['temperature', { least: 10, share: 0 }],
  ['flow', { least: 0, share: 0.25 }],
  ['humidity', { least: 15, share: 0 }],
  ['fan', { least: 0, share: 0.5 }],
]);
/** Scaled median absolute deviations beyond which a sensor is far off. */
const DEVIATIONS = 6;
/** 1.4826 × the median absolute deviation estimates the standard deviation of a normal distribution. */
const SCALE = 1.4826;
const PEERS = 4;
/** What heats up with load is compared only among subjects whose power differs by less than this share. */
const LIKE_POWER = 0.2;
/** Temperatures that follow the room or the coolant, whatever the load. */
const SUPPLIED = new Set(['inlet', 'intake', 'ambient', 'supply', 'coolant', 'liquid', 'water', 'room']);

/**
 * Finds sensors far off the same sensor of their siblings: of the same chassis where that has enough of them, else of the
 * rack, else of the whole fleet. A part that its load heats is an outlier only beside siblings that draw as much.
 * @param judged series that are beyond a limit already, which says more
 */
export function findOutliers(recorder: Recorder, rollup: Rollup, judged: ReadonlySet<number>): ConditionDraft[] {
  const power = subjectPower(recorder, rollup);
  const families = new Map<string, number[]>();
  for (const index of rollup.order) {
    const { group, subject, part } = recorder.series[index] as Series;
    if (rollup.stats[index] === undefined || !FLOORS.has(group.quantity)) continue;
    const key = JSON.stringify([group.quantity, group.unit, subject.type, group.metric, part]);
    const family = families.get(key);
    if (family === undefined) families.set(key, [index]);
    else family.push(index);
  }
  const conditions: ConditionDraft[] = [];
  for (const family of families.values()) {
    if (family.length < PEERS) continue;
    for (const peers of neighbourhoods(family, recorder)) conditions.push(...outliersAmong(peers, recorder, rollup, power, judged));
  }
  return conditions;
}

/** Splits a family by chassis and rack, as finely as leaves enough siblings. */
function neighbourhoods(family: readonly number[], recorder: Recorder): { name: string; members: number[] }[] {
  const found: { name: string; members: number[] }[] = [];
  let rest = [...family];
  for (const level of ['chassis', 'rack']) {
    const places = new Map<string, number[]>();
    const without: number[] = [];
    for (const index of rest) {
      const name = placeOfXname((recorder.series[index] as Series).subject.id)?.[level];
      if (name === undefined) without.push(index);
      else places.set(name, [...(places.get(name) ?? []), index]);
    }
    rest = without;
    for (const [name, members] of places) {
      if (members.length >= PEERS) found.push({ name: `${level} ${name}`, members });
      else rest.push(...members);
    }
  }
  if (rest.length >= PEERS) found.push({ name: 'the fleet', members: rest });
  return found;
}

/** What each subject draws, by its greatest power reading, W. */
function subjectPower(recorder: Recorder, rollup: Rollup): ReadonlyMap<string, number> {
  const power = new Map<string, number>();
  for (const index of rollup.order) {
    const { group, subject } = recorder.series[index] as Series;
    const mean = rollup.stats[index]?.mean;
    if (group.quantity !== 'power' || mean === undefined) continue;
    power.set(subject.id, Math.max(mean, power.get(subject.id) ?? 0));
  }
  return power;
}

function followsLoad({ group, part }: Series): boolean {
  return group.quantity === 'temperature' && ![...wordsOf(group.metric), ...wordsOf(part)].some((word) => SUPPLIED.has(word));
}

function outliersAmong(
  { name, members }: { name: string; members: readonly number[] },
  recorder: Recorder,
  rollup: Rollup,
  power: ReadonlyMap<string, number>,
  judged: ReadonlySet<number>,
): ConditionDraft[] {
  const meanOf = (index: number): number => (rollup.stats[index] as SeriesStats).mean;
  const conditions: ConditionDraft[] = [];
  for (const index of members) {
    const series = recorder.series[index] as Series;
    if (judged.has(index)) continue;
    let peers = members.filter((other) => other !== index);
    if (followsLoad(series)) {
      const own = power.get(series.subject.id);
      if (own === undefined) continue;
      peers = peers.filter((other) => Math.abs((power.get((recorder.series[other] as Series).subject.id) ?? 0) - own) <= LIKE_POWER * own);
    }
    if (peers.length < PEERS - 1) continue;
    const median = medianOf(peers.map(meanOf));
    const spread = SCALE * medianOf(peers.map((other) => Math.abs(meanOf(other) - median)));
    const floor = FLOORS.get(series.group.quantity) ?? { least: 0, share: 0 };
    const far = Math.max(DEVIATIONS * spread, floor.least, floor.share * Math.abs(median));
    const off = meanOf(index) - median;
    if (Math.abs(off) <= far) continue;
    conditions.push(conditionOf(series, rollup.stats[index] as SeriesStats, { name, peers: peers.length, median, far, off }));
  }
  return conditions;
}

function conditionOf(
  series: Series,
  stats: SeriesStats,
  { name, peers, median, far, off }: { name: string; peers: number; median: number; far: number; off: number },
): ConditionDraft {
  const { unit, quantity } = series.group;
  return {
    kind: 'sensor_outlier',
    subject: series.subject,
    part: `${quantity} ${series.part}`,
    message: `${quantity} of ${series.part} is ${showValue(stats.mean, unit)} on average, ${showValue(Math.abs(off), unit)} ${off > 0 ? 'over' : 'under'} the median ${showValue(median, unit)} of ${peers} siblings in ${name} (allowed ${showValue(far, unit)})`,
    values: { mean: stats.mean, median, unit, off, allowed: far, siblings: peers },
    since: toIso(stats.firstTime),
    lastSeen: toIso(stats.lastTime),
    ...placeOf(series.subject),
  };
}
