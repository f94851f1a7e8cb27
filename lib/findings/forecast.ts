import type { ConditionDraft } from '../model/condition.ts';
import type { JsonObject } from '../model/json.ts';
import { bytesText } from '../model/text.ts';
import { formatDuration, parseDuration, toIso } from '../model/time.ts';
import { fold } from '../nodeset.ts';
import { Derivation } from './derivation.ts';
import { blindness, type SourceView } from './observe.ts';
import { fitLine, type Point } from './trend.ts';

const STORAGE = 'weka_state';
const KIND = 'capacity_forecast';
const DAY = parseDuration('1d');

/** One of a source's declared numbers over time, oldest first. */
export interface Series {
  source: string;
  name: string;
  points: readonly Point[];
}

/** How far back a forecast looks. */
export const FORECAST_SPAN = 14 * DAY;

/** Whose numbers a forecast is made of. */
export function isForecast(source: string, name: string): boolean {
  return source === STORAGE && /^(fs\/.+\/)?(used|total)_bytes$/.test(name);
}

/** A forecast from less than this is a guess. */
const LEAST_SPAN = DAY;
const LEAST_POINTS = 8;

/** Days to full at which it is told, and at which it is critical; `rules` may say otherwise. */
const WARNING_DAYS = 14;
const CRITICAL_DAYS = 2;

interface ForecastInput {
  cluster: string;
  sources: readonly SourceView[];
  series: readonly Series[];
  rule: JsonObject | undefined;
  now: number;
}

/** When the storage and its file systems will be full, should they go on to grow as in the last two weeks. */
export function capacityForecast({ cluster, sources, series, rule, now }: ForecastInput): Derivation {
  const made = new Derivation();
  const view = sources.find((s) => s.source === STORAGE);
  const why = view ? blindness(view, now) : `${STORAGE} is not configured`;
  if (why !== null) {
    made.leave(KIND, why);
    return made;
  }
  const byName = new Map(series.filter((s) => s.source === STORAGE).map((s) => [s.name, s.points]));
  const limits = { warning: daysOf(rule, 'warning_days', WARNING_DAYS), critical: daysOf(rule, 'critical_days', CRITICAL_DAYS) };
  const subjects = [...byName.keys()].filter((name) => name.endsWith('used_bytes')).sort();
  const seen: { filesystem: string[]; cluster: string[] } = { filesystem: [], cluster: [] };
  const undecided: string[] = [];
  for (const name of subjects) {
    const prefix = name.slice(0, -'used_bytes'.length);
    const total = byName.get(`${prefix}total_bytes`)?.at(-1)?.value;
    const id = prefix === '' ? cluster : decoded(prefix.slice('fs/'.length, -1));
    if (total === undefined || total <= 0 || id === null) continue;
    const subject = { type: prefix === '' ? ('cluster' as const) : ('filesystem' as const), id };
    const days = daysToFull(steady(byName.get(name) ?? [], byName.get(`${prefix}total_bytes`) ?? []), total);
    if (days === undefined) {
      undecided.push(id);
      continue;
    }
    seen[subject.type].push(id);
    if (days !== null && days.likely <= limits.warning) made.conditions.push(forecast(subject, days, { total, limits, now }));
  }
  made.judged(KIND, 'cluster', fold(seen.cluster));
  // A file system that is gone fills up no more; which are gone is known where all were seen.
  const isWhole = view?.snapshot?.coverage.observed['filesystem'] === 'all' && undecided.length === 0;
  made.judged(KIND, 'filesystem', isWhole ? 'all' : fold(seen.filesystem));
  if (undecided.length > 0 || subjects.length === 0) made.leave(KIND, `there is not yet a day of steady numbers of ${STORAGE}`);
  return made;
}

function decoded(name: string): string | null {
  try {
    return decodeURIComponent(name);
  } catch {
    return null;
  }
}

/** A fall by this share of the whole is a purge: what was before says nothing of the growth since. */
const PURGE = 0.03;

/** The points since the capacity last changed, or much was deleted. */
function steady(used: readonly Point[], totals: readonly Point[]): readonly Point[] {
  const total = totals.at(-1)?.value ?? 0;
  let from = Number.NEGATIVE_INFINITY;
  for (const point of totals) if (Math.abs(point.value - total) > total * 1e-6) from = Math.max(from, point.at + 1);
  let before = Number.NEGATIVE_INFINITY;
  for (const point of used) {
    if (before - point.value > PURGE * total) from = Math.max(from, point.at);
    before = point.value;
  }
  return used.filter((p) => p.at >= from);
}

interface Days {
  likely: number;
  /** From the slope's error (two standard errors): the soonest, and the latest where there is one. */
  soonest: number;
  latest: number | null;
  perDay: number;
  used: number;
}

/** null = it does not grow; undefined = nothing can be said. */
function daysToFull(points: readonly Point[], total: number): Days | null | undefined {
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last || points.length < LEAST_POINTS || last.at - first.at < LEAST_SPAN) return undefined;
  const line = fitLine(points);
  if (line === null) return undefined;
  // Growth that the scatter could have made is none.
  if (line.slope <= 2 * line.error) return null;
  const left = Math.max(0, total - last.value);
  const days = (slope: number): number => left / slope / DAY;
  const slow = line.slope - 2 * line.error;
  return {
    likely: days(line.slope),
    soonest: days(line.slope + 2 * line.error),
    latest: slow > 0 ? days(slow) : null,
    perDay: line.slope * DAY,
    used: last.value,
  };
}

function forecast(
  subject: { type: string; id: string },
  days: Days,
  { total, limits, now }: { total: number; limits: { warning: number; critical: number }; now: number },
): ConditionDraft {
  const round = (value: number): number => Math.round(value * 10) / 10;
  const what = subject.type === 'cluster' ? 'the storage' : `file system ${subject.id}`;
  const band = `${round(days.soonest)} to ${days.latest === null ? 'many' : round(days.latest)} days`;
  return {
    kind: KIND,
    subject,
    ...(days.likely <= limits.critical && { severity: 'critical' as const }),
    message: `${what} will be full in ${round(days.likely)} days (${band}), about ${toIso(now + days.likely * DAY).slice(0, 10)}: it is ${round((100 * days.used) / total)} % full and grows by ${bytesText(days.perDay)} a day (limit ${formatDuration(limits.warning * DAY)})`,
    values: {
      days: round(days.likely),
      days_soonest: round(days.soonest),
      days_latest: days.latest === null ? null : round(days.latest),
      bytes_per_day: Math.round(days.perDay),
      used_share: Math.round((1000 * days.used) / total) / 1000,
      limit_days: limits.warning,
    },
  };
}

/** Nobody looks further ahead, and dates must stay dates. */
const LONGEST_DAYS = 3650;

function daysOf(rule: JsonObject | undefined, key: string, otherwise: number): number {
  const value = rule?.[key];
  return typeof value === 'number' && value > 0 ? Math.min(value, LONGEST_DAYS) : otherwise;
}
