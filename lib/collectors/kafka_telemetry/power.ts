import type { ConditionDraft } from '../../model/condition.ts';
import { toIso } from '../../model/time.ts';
import { placeOfXname } from '../../model/xname.ts';
import type { Recorder, Series } from './recorder.ts';
import { earlierOf, NEARLY_ZERO, type Rollup, SUPPLIES } from './rollup.ts';
import { placeOf, showValue } from './show.ts';
import type { Memory, SeriesStats } from './tables.ts';

/** A load, in W: what carried this and now carries (nearly) nothing has lost it. */
const LOAD = 100;
/** Single outlets go off by intent. */
const OUTLET = /outlet/i;

/** Whether a series tells what a supply delivers as a whole. */
export function isSupply({ subject, group, part }: Series): boolean {
  return group.quantity === 'power' && SUPPLIES.has(subject.type) && !OUTLET.test(`${group.metric} ${part}`);
}

/**
 * Finds supplies that show no load: those that had one in this window or before, and those whose twin in the same rack
 * has one.
 */
export function findPowerLoss(recorder: Recorder, rollup: Rollup): ConditionDraft[] {
  const supplies = [...rollup.order].filter((index) => isSupply(recorder.series[index] as Series));
  const twins = new Map<string, { index: number; load: number }>();
  for (const index of supplies) {
    const load = rollup.stats.has(index) ? rollup.stats.get(index, 'last') : 0;
    const key = twinKey(recorder.series[index] as Series);
    if (key !== undefined && load >= LOAD && load > (twins.get(key)?.load ?? 0)) twins.set(key, { index, load });
  }
  return supplies.flatMap((index): ConditionDraft[] => {
    const series = recorder.series[index] as Series;
    const stats = rollup.stats.at(index);
    const before = recorder.before.at(index);
    const since = lostSince(stats, earlierOf(recorder, index));
    if (since === undefined) return [];
    const own = Math.max(stats?.max ?? 0, before === undefined || Number.isNaN(before.baseline) ? 0 : before.baseline);
    const twin = own >= LOAD ? undefined : twins.get(twinKey(series) ?? '');
    if (own < LOAD && twin === undefined) return [];
    const twinName = twin === undefined ? '' : (recorder.series[twin.index] as Series).subject.id;
    const had = twin?.load ?? own;
    const value = stats?.last ?? before?.value ?? 0;
    return [
      {
        kind: 'power_lost',
        subject: series.subject,
        part: series.part,
        message: `${series.subject.type} ${series.subject.id}: ${series.part} shows ${showValue(value, 'W')} since ${toIso(since)}; ${twin === undefined ? 'it carried' : `${twinName} carries`} ${showValue(had, 'W')}${twin === undefined ? ' before' : ''}`,
        values: { value, unit: 'W', had, ...(twin !== undefined && { twin: twinName }) },
        since: toIso(since),
        lastSeen: toIso(stats?.lastTime ?? before?.time ?? rollup.window.end),
        ...placeOf(series.subject),
      },
    ];
  });
}

/** What a supply and its twin have in common: rack, type and reading. */
function twinKey({ subject, part }: Series): string | undefined {
  const rack = placeOfXname(subject.id)?.['rack'];
  return rack === undefined ? undefined : `${subject.type}\0${rack}\0${part}`;
}

/** Since when a supply shows no load; undefined where it shows one, or one sample alone says so against others. */
function lostSince(stats: SeriesStats | undefined, earlier: Memory | undefined): number | undefined {
  const without = earlier !== undefined && earlier.value <= NEARLY_ZERO;
  if (stats === undefined) return without ? earlier.time : undefined;
  if (Number.isNaN(stats.zeroSince)) return undefined;
  const once = stats.count > 1 && stats.zeroSince === stats.lastTime;
  return once && !(without && earlier.time < stats.firstTime) ? undefined : stats.zeroSince;
}
