import type { ConditionDraft, Place, Subject } from '../../model/condition.ts';
import { placeOfXname } from '../../model/xname.ts';
import { toIso } from '../../model/time.ts';
import { medianOf } from './quantile.ts';
import type { Quantity } from './quantity.ts';
import { wordsOf } from './quantity.ts';
import type { Recorder, Series } from './recorder.ts';
import type { Rollup } from './rollup.ts';
import { placeOf, showValue } from './show.ts';
import type { SeriesStats } from './tables.ts';

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
/** What heats up with load is compared only among subjects whose power lies in one step of this share. */
const LIKE_POWER = 0.2;
/** Temperatures that follow the room or the coolant, whatever the load. */
const SUPPLIED = new Set(['inlet', 'intake', 'ambient', 'supply', 'coolant', 'liquid', 'water', 'room']);

/** The same sensor of subjects that stand together. */
interface Neighbourhood {
  name: string;
  members: number[];
}

interface OutlierContext {
  power: ReadonlyMap<Subject, number>;
  judged: ReadonlySet<number>;
}

/**
 * Finds sensors far off the same sensor of their siblings: of the same chassis where that has enough of them, else of the
 * rack, else of the whole fleet. A part that its load heats is an outlier only beside siblings that draw as much.
 * @param judged series that are beyond a limit already, which says more
 */
export function findOutliers(recorder: Recorder, rollup: Rollup, judged: ReadonlySet<number>): ConditionDraft[] {
  const power = subjectPower(recorder, rollup);
  const families = new Map<number, number[]>();
  const places = new Map<Subject, Place | null>();
  let [last, members]: [number, number[] | undefined] = [-1, undefined];
  for (const index of rollup.order) {
    const { group, like } = recorder.series[index] as Series;
    if (!FLOORS.has(group.quantity) || !rollup.stats.has(index)) continue;
    if (like !== last) [last, members] = [like, families.get(like)];
    if (members === undefined) families.set(like, (members = [index]));
    else members.push(index);
  }
  const conditions: ConditionDraft[] = [];
  for (const family of families.values()) {
    if (family.length < PEERS) continue;
    for (const peers of neighbourhoods(family, recorder, places))
      conditions.push(...outliersAmong(peers, recorder, rollup, { power, judged }));
  }
  return conditions;
}

/** Splits a family by chassis and rack, as finely as leaves enough siblings. */
function neighbourhoods(family: readonly number[], recorder: Recorder, known: Map<Subject, Place | null>): Neighbourhood[] {
  const found: Neighbourhood[] = [];
  let rest = [...family];
  for (const level of ['chassis', 'rack']) {
    const places = new Map<string, number[]>();
    const without: number[] = [];
    for (const index of rest) {
      const { subject } = recorder.series[index] as Series;
      let place = known.get(subject);
      if (place === undefined) {
        place = placeOfXname(subject.id);
        known.set(subject, place);
      }
      const name = place?.[level];
      const members = name === undefined ? without : places.get(name);
      if (members !== undefined) members.push(index);
      else places.set(name as string, [index]);
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
function subjectPower(recorder: Recorder, rollup: Rollup): ReadonlyMap<Subject, number> {
  const power = new Map<Subject, number>();
  for (const index of rollup.order) {
    const { group, subject } = recorder.series[index] as Series;
    if (group.quantity !== 'power' || !rollup.stats.has(index)) continue;
    const mean = rollup.stats.get(index, 'mean');
    power.set(subject, Math.max(mean, power.get(subject) ?? 0));
  }
  return power;
}

function followsLoad({ group, part }: Series): boolean {
  return group.quantity === 'temperature' && ![...wordsOf(group.metric), ...wordsOf(part)].some((word) => SUPPLIED.has(word));
}

function outliersAmong({ name, members }: Neighbourhood, recorder: Recorder, rollup: Rollup, context: OutlierContext): ConditionDraft[] {
  const alike = new Map<number, number[]>();
  // All members are the same sensor.
  const heated = followsLoad(recorder.series[members[0] as number] as Series);
  for (const index of members) {
    const series = recorder.series[index] as Series;
    const power = heated ? context.power.get(series.subject) : 1;
    if (power === undefined || !(power > 0)) continue;
    const step = Math.floor(Math.log(power) / Math.log(1 + LIKE_POWER));
    const list = alike.get(step);
    if (list === undefined) alike.set(step, [index]);
    else list.push(index);
  }
  const conditions: ConditionDraft[] = [];
  const floor = FLOORS.get((recorder.series[members[0] as number] as Series).group.quantity) ?? { least: 0, share: 0 };
  for (const peers of alike.values()) {
    if (peers.length < PEERS) continue;
    const means = new Float64Array(peers.length);
    for (let i = 0; i < peers.length; i++) means[i] = rollup.stats.get(peers[i] as number, 'mean');
    const sorted = means.slice();
    const median = medianOf(sorted);
    // Nearly always none is as far off as the floor, and how far they spread makes no difference.
    const least = Math.max(floor.least, floor.share * Math.abs(median));
    if (median - (sorted[0] as number) <= least && (sorted[sorted.length - 1] as number) - median <= least) continue;
    const spread = SCALE * medianOf(means.map((mean) => Math.abs(mean - median)));
    const far = Math.max(DEVIATIONS * spread, least);
    peers.forEach((index, i) => {
      const series = recorder.series[index] as Series;
      const off = (means[i] as number) - median;
      if (Math.abs(off) <= far || context.judged.has(index)) return;
      const stats = rollup.stats.at(index) as SeriesStats;
      conditions.push(conditionOf(series, stats, { name, peers: peers.length - 1, median, far, off }));
    });
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
    message: `${series.subject.type} ${series.subject.id}: ${quantity} of ${series.part} is ${showValue(stats.mean, unit)} on average, ${showValue(Math.abs(off), unit)} ${off > 0 ? 'over' : 'under'} the median ${showValue(median, unit)} of ${peers} siblings in ${name} (allowed ${showValue(far, unit)})`,
    values: { mean: stats.mean, median, unit, off, allowed: far, siblings: peers },
    since: toIso(stats.firstTime),
    lastSeen: toIso(stats.lastTime),
    ...placeOf(series.subject),
  };
}
