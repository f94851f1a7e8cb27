import type { ConditionDraft, Subject } from '../../model/condition.ts';
import { compareNames } from '../../model/text.ts';
import { formatDuration, toIso } from '../../model/time.ts';
import type { Quantity } from './quantity.ts';
import type { Memory, Recorder, Series } from './recorder.ts';
import { placeOf, showValue } from './show.ts';

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
  /** Keys of subjects of which at least one sensor is not. */
  heard: Set<string>;
  /** Sensors that are still remembered. */
  memories: Map<number, Memory>;
  forgotten: number;
}

/** How long a sensor may be silent: three of its own intervals, at least the configured time. */
function allowed(memory: Memory, options: SilenceOptions): number {
  return memory.interval > 0 ? Math.max(options.staleAfter, MISSED * memory.interval) : UNKNOWN_RHYTHM * options.staleAfter;
}

/**
 * Finds what went silent, told as coarsely as it is true: a whole group of sensors, a whole subject, single sensors.
 * @param remembered what is known of each series after this window
 */
export function findSilence(recorder: Recorder, remembered: ReadonlyMap<number, Memory>, options: SilenceOptions): Silence {
  const found: Silence = { conditions: [], sensors: 0, heard: new Set(), memories: new Map(), forgotten: 0 };
  const silent = new Map<number, Memory>();
  for (const [index, memory] of remembered) {
    const age = options.end - memory.time;
    if (age > options.forgetAfter) {
      found.forgotten++;
      continue;
    }
    found.memories.set(index, memory);
    if (age > allowed(memory, options)) silent.set(index, memory);
    else found.heard.add(keyOf(recorder, index));
  }
  found.sensors = silent.size;
  const lostGroups = silentGroups(recorder, found.memories, silent);
  for (const [name, members] of lostGroups) found.conditions.push(groupCondition(name, members, recorder, silent, options));
  const inLostGroup = new Set([...lostGroups.values()].flat());
  for (const [subject, members] of bySubject(recorder, found.memories)) {
    const own = members.filter((index) => !inLostGroup.has(index));
    const quiet = own.filter((index) => silent.has(index));
    if (quiet.length === 0) continue;
    if (quiet.length === own.length && !found.heard.has(keyOf(recorder, own[0] as number)))
      found.conditions.push(subjectCondition(subject, quiet, recorder, silent, options));
    else
      for (const index of quiet)
        if (PHYSICAL.has((recorder.series[index] as Series).group.quantity))
          found.conditions.push(sensorCondition(index, recorder, silent, options));
  }
  return found;
}

function keyOf(recorder: Recorder, index: number): string {
  const { subject } = recorder.series[index] as Series;
  return `${subject.type}:${subject.id}`;
}

function bySubject(recorder: Recorder, memories: ReadonlyMap<number, Memory>): Map<Subject, number[]> {
  const members = new Map<Subject, number[]>();
  for (const index of memories.keys()) {
    const { subject } = recorder.series[index] as Series;
    const list = members.get(subject);
    if (list === undefined) members.set(subject, [index]);
    else list.push(index);
  }
  return members;
}

/** Groups of which every sensor is silent, though sensors of other groups are not: a topic or collector that stopped. */
function silentGroups(
  recorder: Recorder,
  memories: ReadonlyMap<number, Memory>,
  silent: ReadonlyMap<number, Memory>,
): Map<string, number[]> {
  const groups = new Map<string, number[]>();
  for (const index of memories.keys()) {
    const { group } = recorder.series[index] as Series;
    const name = `${group.quantity} ${group.metric}`;
    const list = groups.get(name);
    if (list === undefined) groups.set(name, [index]);
    else list.push(index);
  }
  for (const [name, members] of groups) {
    const subjects = new Set(members.map((index) => keyOf(recorder, index)));
    if (members.length < GROUP || subjects.size < 2 || !members.every((index) => silent.has(index))) groups.delete(name);
  }
  return groups;
}

function lastOf(members: readonly number[], silent: ReadonlyMap<number, Memory>): number {
  return members.reduce((last, index) => Math.max(last, silent.get(index)?.time ?? 0), 0);
}

function groupCondition(
  name: string,
  members: readonly number[],
  recorder: Recorder,
  silent: ReadonlyMap<number, Memory>,
  options: SilenceOptions,
): ConditionDraft {
  const last = lastOf(members, silent);
  const subjects = new Set(members.map((index) => keyOf(recorder, index))).size;
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

function subjectCondition(
  subject: Subject,
  members: readonly number[],
  recorder: Recorder,
  silent: ReadonlyMap<number, Memory>,
  options: SilenceOptions,
): ConditionDraft {
  const last = lastOf(members, silent);
  const power = members
    .filter((index) => recorder.series[index]?.group.quantity === 'power')
    .sort((a, b) => compareNames((recorder.series[a] as Series).part, (recorder.series[b] as Series).part))
    .map((index) => silent.get(index)?.value ?? 0)
    .reduce((most, value) => Math.max(most, value), 0);
  return {
    kind: 'telemetry_gap',
    subject,
    part: 'all sensors',
    message: `${subject.type} ${subject.id}: all ${members.length} sensors silent for ${formatDuration(options.end - last)}, since ${toIso(last)}${power > 0 ? `; it drew ${showValue(power, 'W')} then` : ''}`,
    values: { sensors: members.length, silent_ms: options.end - last, ...(power > 0 && { last_power_w: power }) },
    since: toIso(last),
    lastSeen: toIso(options.end),
    ...placeOf(subject),
  };
}

function sensorCondition(index: number, recorder: Recorder, silent: ReadonlyMap<number, Memory>, options: SilenceOptions): ConditionDraft {
  const { subject, part, group } = recorder.series[index] as Series;
  const { time, value, interval } = silent.get(index) as Memory;
  return {
    kind: 'sensor_stale',
    subject,
    part: `${group.quantity} ${part}`,
    message: `${group.quantity} of ${part} silent for ${formatDuration(options.end - time)}, since ${toIso(time)}; it last showed ${showValue(value, group.unit)}`,
    values: { silent_ms: options.end - time, interval_ms: interval, last: value, unit: group.unit },
    since: toIso(time),
    lastSeen: toIso(options.end),
    ...placeOf(subject),
  };
}
