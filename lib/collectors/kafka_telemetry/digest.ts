import { fold } from '../../nodeset.ts';
import type { ConditionDraft, Subject } from '../../model/condition.ts';
import { compareSeverity, type Severity } from '../../model/condition.ts';
import type { JsonObject } from '../../model/json.ts';
import { compareNames } from '../../model/text.ts';
import { toIso } from '../../model/time.ts';
import type { Intake } from './intake.ts';
import { telemetryKinds } from './kinds.ts';
import { QUANTITIES, type Quantity } from './quantity.ts';
import type { Recorder, Series } from './recorder.ts';
import type { GroupStats, Rollup } from './rollup.ts';
import type { Silence } from './silence.ts';
import type { MemoryTable, StatsTable } from './tables.ts';

const TOP_GROUPS = 13;
const TOP_COUNTERS = 6;
const TOP_CONDITIONS = 6;
const NAMES_LENGTH = 300;
const READINGS = 48;

/** Numbers as digests show them: six digits that mean something. */
export function rounded(value: number): number {
  // Most readings are short already, and writing them out to see it is dear.
  if (Number.isInteger(value) && Math.abs(value) < 1e6) return value;
  // So are those with few places, of which no more than six digits stand before and behind the point.
  const size = Math.abs(value);
  if (size >= 1 && size < 1e4 && Math.round(value * 100) / 100 === value) return value;
  return Number.isFinite(value) ? Number(value.toPrecision(6)) : 0;
}

/** Quantities in the order in which people ask for them. */
function rank(quantity: Quantity): number {
  return QUANTITIES.indexOf(quantity);
}

/** A folded set of names that fits a summary. */
function namesOf(names: Iterable<string>): string {
  const folded = fold(names);
  return folded.length <= NAMES_LENGTH ? folded : `${folded.slice(0, NAMES_LENGTH)}…`;
}

function counts<K extends string>(map: ReadonlyMap<K, number>): JsonObject {
  return Object.fromEntries([...map].filter(([, n]) => n > 0).sort(([a], [b]) => compareNames(a, b)));
}

export interface SummaryParts {
  intake: Intake;
  rollup: Rollup;
  requested: number;
  silence: Silence;
  conditions: readonly ConditionDraft[];
  eventsBySeverity: ReadonlyMap<string, number>;
}

export function summarise({ intake, rollup, requested, silence, conditions, eventsBySeverity }: SummaryParts): JsonObject {
  const { recorder } = intake;
  const { window } = rollup;
  const gauges = rollup.groups
    .filter(({ group }) => group.quantity !== 'limit')
    .sort((a, b) => rank(a.group.quantity) - rank(b.group.quantity) || b.series - a.series || compareNames(a.group.metric, b.group.metric));
  const counters = gauges.filter((g) => g.increase > 0 || g.resets > 0);
  const observed = new Map<string, number>();
  for (const { type } of rollup.subjects) {
    observed.set(type, (observed.get(type) ?? 0) + 1);
  }
  return {
    window: {
      from: toIso(window.start),
      to: toIso(window.end),
      length_ms: window.end - window.start,
      requested_ms: requested,
      ...(window.gapFrom !== undefined && { gap: { from: toIso(window.gapFrom), to: toIso(window.start) } }),
    },
    formats: counts(intake.formats),
    samples: rollup.samples,
    ...(recorder.samples.thinning > 0 && { one_sample_in: 2 ** recorder.samples.thinning }),
    series: rollup.stats.size,
    subjects: counts(observed),
    excluded: counts(recorder.excluded),
    notes: {
      ...(intake.times.assumedUtc > 0 && { assumed_utc: intake.times.assumedUtc }),
      ...(intake.timeFromRecord > 0 && { time_from_record: intake.timeFromRecord }),
      ...(recorder.dateless > 0 && { time_from_input: recorder.dateless }),
      ...(recorder.samples.conflicts > 0 && { conflicting_duplicates: recorder.samples.conflicts }),
      ...(recorder.ahead.size > 0 && { clocks_ahead: namesOf(recorder.ahead) }),
      ...(recorder.suspects.size > 0 && {
        failed_readings: namesOf([...recorder.suspects].map((index) => recorder.series[index]?.subject.id ?? '')),
      }),
    },
    groups: gauges.slice(0, TOP_GROUPS).map(groupJson),
    ...(gauges.length > TOP_GROUPS && { more_groups: gauges.length - TOP_GROUPS }),
    counters: counters
      .slice(0, TOP_COUNTERS)
      .map(({ group, series, increase, resets }) => ({ ...nameOf(group), series, increase: rounded(increase), resets })),
    ...(counters.length > TOP_COUNTERS && { more_counters: counters.length - TOP_COUNTERS }),
    events: counts(eventsBySeverity),
    silent_sensors: silence.sensors,
    conditions: conditionsJson(conditions),
  };
}

function nameOf({ quantity, metric, unit }: GroupStats['group']): JsonObject {
  return { kind: quantity, metric: metric.length > 60 ? `${metric.slice(0, 60)}…` : metric, unit };
}

function groupJson(stats: GroupStats): JsonObject {
  return {
    ...nameOf(stats.group),
    series: stats.series,
    count: stats.count,
    min: rounded(stats.min),
    min_at: stats.least.subject.id,
    mean: rounded(stats.mean),
    p95: rounded(stats.p95),
    ...(stats.p95Error > 0 && { p95_error: stats.p95Error }),
    max: rounded(stats.max),
    max_at: stats.greatest.subject.id,
    last: rounded(stats.last),
    first_at: toIso(stats.firstTime),
    last_at: toIso(stats.lastTime),
  };
}

const SEVERITIES: ReadonlyMap<string, Severity> = new Map(telemetryKinds.map(({ kind, severity }) => [kind, severity]));

/** A condition's severity: its kind's, where it has none of its own. */
function severityOf({ kind, severity }: ConditionDraft): Severity {
  return severity ?? SEVERITIES.get(kind) ?? 'info';
}

function conditionsJson(conditions: readonly ConditionDraft[]): JsonObject {
  const byKind = new Map<string, { count: number; subjects: Set<string> }>();
  for (const { kind, subject } of conditions) {
    const entry = byKind.get(kind) ?? { count: 0, subjects: new Set<string>() };
    entry.count++;
    entry.subjects.add(subject.id);
    byKind.set(kind, entry);
  }
  return {
    total: conditions.length,
    by_kind: Object.fromEntries(
      [...byKind]
        .sort(([a], [b]) => compareNames(a, b))
        .map(([kind, { count, subjects }]) => [kind, { count, subjects: namesOf(subjects) }]),
    ),
    worst: conditions
      .toSorted(
        (a, b) =>
          compareSeverity(severityOf(a), severityOf(b)) ||
          compareNames(a.kind, b.kind) ||
          compareNames(a.subject.id, b.subject.id) ||
          compareNames(a.part ?? '', b.part ?? ''),
      )
      .slice(0, TOP_CONDITIONS)
      .map(({ kind, subject, part }) => ({ kind, subject: subject.id, part: part ?? '' })),
  };
}

/** What is known of each subject: the last reading of each of its sensors, and how it ran over the window. */
export function factsOf(recorder: Recorder, rollup: Rollup, memories: MemoryTable): { subject: Subject; facts: JsonObject }[] {
  const places = readingPlaces(recorder, rollup.order, memories);
  const isoOf = isoTexts();
  const facts: { subject: Subject; facts: JsonObject }[] = [];
  for (const [subject, members] of rollup.members) {
    const known = members.filter((index) => memories.has(index));
    if (known.length === 0) continue;
    // Of equal places the order of the series decides, which is the same in every run.
    known.sort((a, b) => (places[a] as number) - (places[b] as number));
    facts.push({
      subject,
      facts: {
        readings: known
          .slice(0, READINGS)
          .map((index) => readingJson(recorder.series[index] as Series, index, { memories, stats: rollup.stats, isoOf })),
        ...(known.length > READINGS && { more_readings: known.length - READINGS }),
      },
    });
  }
  return facts.sort(({ subject: a }, { subject: b }) => (a.type === b.type ? (a.id < b.id ? -1 : 1) : a.type < b.type ? -1 : 1));
}

/**
 * Where each series stands among the readings of its subject: by quantity, then by name. Names are the same on many
 * subjects, and comparing them is dear, so that they are put in order once.
 */
function readingPlaces(recorder: Recorder, order: Uint32Array, memories: MemoryTable): Float64Array {
  const names = new Set<string>();
  for (const index of order) if (memories.has(index)) names.add((recorder.series[index] as Series).part);
  const ordinals = new Map([...names].sort(compareNames).map((name, i) => [name, i]));
  const places = new Float64Array(recorder.series.length);
  for (const index of order) {
    const { group, part } = recorder.series[index] as Series;
    places[index] = rank(group.quantity) * names.size + (ordinals.get(part) ?? 0);
  }
  return places;
}

/** Times as texts; sensors of a subject mostly report at one time. */
function isoTexts(): (time: number) => string {
  let [last, text] = [Number.NaN, ''];
  return (time) => {
    if (time !== last) [last, text] = [time, toIso(time)];
    return text;
  };
}

interface Readings {
  memories: MemoryTable;
  stats: StatsTable;
  isoOf: (time: number) => string;
}

function readingJson({ group, part }: Series, index: number, { memories, stats, isoOf }: Readings): JsonObject {
  const { quantity: kind, metric, unit } = group;
  const last = rounded(memories.valueOf(index));
  const at = isoOf(memories.timeOf(index));
  const [min, max] = stats.has(index) ? [stats.get(index, 'min'), stats.get(index, 'max')] : [0, 0];
  // In the order in which they are stored, which is dear to make.
  if (min === max) return { at, kind, last, metric, part, unit };
  return { at, kind, last, max: rounded(max), mean: rounded(stats.get(index, 'mean')), metric, min: rounded(min), part, unit };
}

/** Numbers worth a trend: loads, and the means and maxima of what cooling is judged by. */
export function seriesOf(rollup: Rollup, recorder: Recorder, conditions: number): Record<string, number> {
  const numbers: Record<string, number> = { samples: rollup.samples, conditions };
  const power = new Map<Subject, number>();
  for (const index of rollup.order) {
    const { group, subject } = recorder.series[index] as Series;
    if (group.quantity !== 'power' || !rollup.stats.has(index)) continue;
    power.set(subject, Math.max(power.get(subject) ?? 0, rollup.stats.get(index, 'last')));
  }
  for (const type of ['node', 'pdu', 'chassis', 'rack']) {
    const loads = [...power].filter(([subject]) => subject.type === type).sort(([a], [b]) => (a.id < b.id ? -1 : 1));
    if (loads.length > 0) numbers[`${type}_power_w`] = rounded(loads.reduce((sum, [, value]) => sum + value, 0));
  }
  for (const { group, mean, max } of rollup.groups) {
    if (Object.keys(numbers).length > 46 || !['temperature', 'flow', 'humidity', 'pressure'].includes(group.quantity)) continue;
    const name = `${group.quantity}_${group.metric}`
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '_')
      .slice(0, 60);
    numbers[`${name}_mean`] = rounded(mean);
    numbers[`${name}_max`] = rounded(max);
  }
  return numbers;
}
