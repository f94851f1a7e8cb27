import type { ConditionDraft } from '../../model/condition.ts';
import { toIso } from '../../model/time.ts';
import { placeOfXname } from '../../model/xname.ts';
import type { Memory, Recorder, Series } from './recorder.ts';
import type { Rollup, SeriesStats } from './rollup.ts';
import { placeOf, showValue } from './show.ts';

/** What supplies power to others, and is never without load while it works. */
const SUPPLIES: ReadonlySet<string> = new Set(['pdu', 'rack', 'chassis', 'cdu']);
/** A load, in W: what carried this and now carries (nearly) nothing has lost it. */
const LOAD = 100;
const NO_LOAD = 1;
/** Single outlets go off by intent. */
const OUTLET = /outlet/i;

/** Whether a series tells what a supply delivers as a whole. */
function isSupply({ subject, group, part }: Series): boolean {
  return group.quantity === 'power' && SUPPLIES.has(subject.type) && !OUTLET.test(`${group.metric} ${part}`);
}

/**
 * Finds supplies that show no load: those that had one in this window or before, and those whose twin in the same rack
 * has one.
 */
export function findPowerLoss(recorder: Recorder, rollup: Rollup): ConditionDraft[] {
  const conditions: ConditionDraft[] = [];
  const supplies = rollup.order.filter((index) => isSupply(recorder.series[index] as Series));
  for (const index of supplies) {
    const series = recorder.series[index] as Series;
    const stats = rollup.stats[index];
    const { before } = series;
    const had = Math.max(stats?.max ?? 0, before?.baseline ?? 0);
    const since = lostSince(stats, before);
    if (since === undefined) continue;
    const twin =
      had >= LOAD
        ? undefined
        : supplies.find(
            (other) => other !== index && isTwin(series, recorder.series[other] as Series) && (rollup.stats[other]?.last ?? 0) >= LOAD,
          );
    if (had < LOAD && twin === undefined) continue;
    const why =
      twin === undefined
        ? `it carried ${showValue(had, 'W')} before`
        : `${(recorder.series[twin] as Series).subject.id} carries ${showValue(rollup.stats[twin]?.last ?? 0, 'W')}`;
    conditions.push({
      kind: 'power_lost',
      subject: series.subject,
      part: series.part,
      message: `${series.subject.type} ${series.subject.id}: ${series.part} shows ${showValue(stats?.last ?? before?.value ?? 0, 'W')} since ${toIso(since)}; ${why}`,
      values: {
        value: stats?.last ?? before?.value ?? 0,
        unit: 'W',
        had: twin === undefined ? had : (rollup.stats[twin]?.last ?? 0),
        ...(twin !== undefined && { twin: (recorder.series[twin] as Series).subject.id }),
      },
      since: toIso(since),
      lastSeen: toIso(stats?.lastTime ?? before?.time ?? rollup.window.end),
      ...placeOf(series.subject),
    });
  }
  return conditions;
}

/** Since when a supply shows no load; undefined where it shows one, or one sample alone says so against others. */
function lostSince(stats: SeriesStats | undefined, before: Memory | undefined): number | undefined {
  if (stats === undefined) return before !== undefined && before.value <= NO_LOAD ? before.time : undefined;
  if (Number.isNaN(stats.zeroSince)) return undefined;
  const once = stats.count > 1 && stats.zeroSince === stats.lastTime;
  return once && !(before !== undefined && before.value <= NO_LOAD) ? undefined : stats.zeroSince;
}

/** The same reading of another supply of the same rack. */
function isTwin(a: Series, b: Series): boolean {
  return a.subject.type === b.subject.type && a.part === b.part && rackOf(a) !== undefined && rackOf(a) === rackOf(b);
}

function rackOf(series: Series): string | undefined {
  return placeOfXname(series.subject.id)?.['rack'];
}
