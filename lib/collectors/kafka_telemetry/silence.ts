import type { ConditionDraft, Subject } from '../../model/condition.ts';
import { formatDuration, toIso } from '../../model/time.ts';
import type { Quantity } from './quantity.ts';
import type { Group, Recorder, Series } from './recorder.ts';
import { NEARLY_ZERO, type Rollup } from './rollup.ts';
import { placeOf, showValue } from './show.ts';
import type { MemoryTable } from './tables.ts';

/** Sensors of these that go silent are worth a word of their own; counters of all kinds come and go. */
const PHYSICAL: ReadonlySet<Quantity> = new Set<Quantity>([
  'temperature',
  'power',
  'energy',
  'voltage',
  'current',
  'fan',
  'flow',
  'pressure',
  'humidity',
  'leak',
]);
/** Intervals of its own that a sensor may miss. */
const MISSED = 3;
/** How often the least silence a sensor of unknown rhythm may be silent. */
const UNKNOWN_RHYTHM = 3;
/** From this many on, sensors of a subject that are most of it are told of as one. */
const MOST = 3;
/** A whole group is silent only if it had at least this many sensors, on more than one subject. */
const GROUP = 5;

export interface SilenceOptions {
  /** The end of the window, ms. */
  end: number;
  staleAfter: number;
  forgetAfter: number;
  cluster: string;
}

export interface Silence {
  conditions: ConditionDraft[];
  /** Sensors that are silent. */
  sensors: number;
  /** Subjects of which at least one sensor is not. */
  heard: Set<Subject>;
}

/** How long a sensor may be silent: three of its own intervals, at least the configured time. */
function allowed(interval: number, options: SilenceOptions): number {
  return interval > 0 ? Math.max(options.staleAfter, MISSED * interval) : UNKNOWN_RHYTHM * options.staleAfter;
}

/**
 * Finds what went silent, told as coarsely as it is true: a whole group of sensors, a whole subject, single sensors.
 * What has been silent for too long is forgotten.
 * @param memories what is known of each series after this window
 */
export function findSilence(recorder: Recorder, rollup: Rollup, memories: MemoryTable, options: SilenceOptions): Silence {
  const found: Silence = { conditions: [], sensors: 0, heard: new Set() };
  const silent = new Uint8Array(recorder.series.length);
  for (const index of rollup.order) {
    if (!memories.has(index)) continue;
    const age = options.end - memories.timeOf(index);
    if (age > options.forgetAfter) memories.forget(index);
    else if (age > allowed(memories.intervalOf(index), options)) {
      silent[index] = 1;
      found.sensors++;
    } else found.heard.add((recorder.series[index] as Series).subject);
  }
  if (found.sensors === 0) return found;
  for (const members of rollup.members.values()) found.sensors -= forgetRenamed(members, recorder, memories, silent);
  const told: Telling = { recorder, memories, options };
  const lostGroups = silentGroups(recorder, rollup, memories, silent);
  for (const [group, members] of lostGroups) found.conditions.push(groupCondition(group, members, told));
  for (const [subject, members] of rollup.members) {
    const own = members.filter((index) => memories.has(index) && !lostGroups.has((recorder.series[index] as Series).group));
    const quiet = own.filter((index) => silent[index] === 1);
    if (quiet.length === 0) continue;
    if (!found.heard.has(subject)) found.conditions.push(subjectCondition(subject, 'all', quiet, told));
    else if (!isDark(own, told)) {
      const lost = quiet.filter((index) => PHYSICAL.has((recorder.series[index] as Series).group.quantity));
      if (lost.length >= MOST && lost.length * 2 > own.length) found.conditions.push(subjectCondition(subject, 'most', lost, told));
      else for (const index of lost) found.conditions.push(sensorCondition(index, told));
    }
  }
  return found;
}

/**
 * A sensor whose producer has come to send another unit is not silent: it is heard under that. Forgets the old one.
 * @returns how many were
 */
function forgetRenamed(members: readonly number[], { series }: Recorder, memories: MemoryTable, silent: Uint8Array): number {
  const quiet = members.filter((index) => silent[index] === 1);
  if (quiet.length === 0) return 0;
  const heard = new Set<number>();
  for (const index of members) if (silent[index] === 0 && memories.has(index)) heard.add((series[index] as Series).like);
  let renamed = 0;
  for (const index of quiet) {
    if (!heard.has((series[index] as Series).like)) continue;
    silent[index] = 0;
    memories.forget(index);
    renamed++;
  }
  return renamed;
}

/** Whether a subject shows that it draws nothing: then its sensors fall silent for a reason that is no fault of theirs. */
function isDark(members: readonly number[], { recorder, memories }: Telling): boolean {
  const power = members.filter((index) => (recorder.series[index] as Series).group.quantity === 'power');
  return power.length > 0 && power.every((index) => Math.abs(memories.valueOf(index)) <= NEARLY_ZERO);
}

interface Telling {
  recorder: Recorder;
  memories: MemoryTable;
  options: SilenceOptions;
}

/**
 * Groups of which every sensor is silent, though sensors of other groups are not: a topic or collector that stopped. Where
 * all its subjects have fallen silent whole, with sensors that others still send, it is they that are gone.
 */
function silentGroups(recorder: Recorder, rollup: Rollup, memories: MemoryTable, silent: Uint8Array): Map<Group, number[]> {
  const groups = new Map<Group, number[]>();
  const heard = new Set<Group>();
  for (const index of rollup.order) {
    if (!memories.has(index)) continue;
    const { group } = recorder.series[index] as Series;
    if (silent[index] === 0) heard.add(group);
    const list = groups.get(group);
    if (list === undefined) groups.set(group, [index]);
    else list.push(index);
  }
  const isGone = (subject: Subject): boolean => {
    const own = (rollup.members.get(subject) ?? []).filter((index) => memories.has(index));
    return own.every((index) => silent[index] === 1) && own.some((index) => heard.has((recorder.series[index] as Series).group));
  };
  for (const [group, members] of groups) {
    if (heard.has(group) || members.length < GROUP) groups.delete(group);
    else {
      const subjects = subjectsOf(recorder, members);
      if (subjects.size < 2 || [...subjects].every(isGone)) groups.delete(group);
    }
  }
  return groups;
}

function subjectsOf(recorder: Recorder, members: readonly number[]): Set<Subject> {
  return new Set(members.map((index) => (recorder.series[index] as Series).subject));
}

function lastOf(members: readonly number[], memories: MemoryTable): number {
  return members.reduce((last, index) => Math.max(last, memories.timeOf(index)), 0);
}

function groupCondition({ quantity, metric }: Group, members: readonly number[], { recorder, memories, options }: Telling): ConditionDraft {
  const name = `${quantity} ${metric}`;
  const last = lastOf(members, memories);
  const subjects = subjectsOf(recorder, members).size;
  return {
    kind: 'telemetry_gap',
    subject: { type: 'cluster', id: options.cluster },
    part: name,
    message: `no ${name} from any of ${members.length} sensors on ${subjects} subjects for ${formatDuration(options.end - last)}, since ${toIso(last)}`,
    values: { sensors: members.length, subjects, silent_ms: options.end - last },
    since: toIso(last),
    lastSeen: toIso(options.end),
  };
}

function subjectCondition(subject: Subject, share: 'all' | 'most', members: readonly number[], told: Telling): ConditionDraft {
  const { recorder, memories, options } = told;
  const last = lastOf(members, memories);
  const power = members
    .filter((index) => recorder.series[index]?.group.quantity === 'power')
    .reduce((most, index) => Math.max(most, memories.valueOf(index)), 0);
  const which = share === 'all' ? `all ${members.length} sensors` : `most sensors (${members.length})`;
  return {
    kind: 'telemetry_gap',
    subject,
    part: `${share} sensors`,
    // What was switched off before it fell silent is no news.
    ...(isDark(members, told) && { severity: 'info' }),
    message: `${subject.type} ${subject.id}: ${which} silent for ${formatDuration(options.end - last)}, since ${toIso(last)}${power > 0 ? `; it drew ${showValue(power, 'W')} then` : ''}`,
    values: { sensors: members.length, silent_ms: options.end - last, ...(power > 0 && { last_power_w: power }) },
    since: toIso(last),
    lastSeen: toIso(options.end),
    ...placeOf(subject),
  };
}

function sensorCondition(index: number, { recorder, memories, options }: Telling): ConditionDraft {
  const { subject, part, group } = recorder.series[index] as Series;
  const time = memories.timeOf(index);
  const value = memories.valueOf(index);
  return {
    kind: 'sensor_stale',
    subject,
    part: `${group.quantity} ${part}`,
    message: `${subject.type} ${subject.id}: ${group.quantity} of ${part} silent for ${formatDuration(options.end - time)}, since ${toIso(time)}; it last showed ${showValue(value, group.unit)}`,
    values: { silent_ms: options.end - time, interval_ms: memories.intervalOf(index), last: value, unit: group.unit },
    since: toIso(time),
    lastSeen: toIso(options.end),
    ...placeOf(subject),
  };
}
