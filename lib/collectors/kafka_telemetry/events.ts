import { type ClearedDraft, compareSeverity, type ConditionDraft, type Severity, type Subject } from '../../model/condition.ts';
import { compareNames, oneLine } from '../../model/text.ts';
import { parseDuration, toIso } from '../../model/time.ts';
import type { Incident } from './carry.ts';
import type { HardwareEvent } from './intake.ts';
import { EVENT_LASTS } from './kinds.ts';
import type { Recorder } from './recorder.ts';
import type { Window } from './rollup.ts';
import { placeOf } from './show.ts';

/** Events that stand at once: a storm of ever new ones must not grow the carry without end. */
const MAX_INCIDENTS = 2000;

export interface EventDigest {
  conditions: ConditionDraft[];
  cleared: ClearedDraft[];
  incidents: Incident[];
  /** Events of this window by severity, as written. */
  bySeverity: Map<string, number>;
  /** Incidents that found no room. */
  dropped: number;
}

interface PlacedEvent {
  event: HardwareEvent;
  subject: Subject;
  part: string;
  kind: Incident['kind'];
}

const ENDS = /(?:clear|resolv|normal|no ?leak|dry|\bok\b)/i;

/** `CrayAlerts.1.0.LeakDetected` → `LeakDetected`: registries change their version, the message stays. */
function shortId(messageId: string): string {
  return messageId.slice(messageId.lastIndexOf('.') + 1);
}

function severityOf(event: HardwareEvent, kind: Incident['kind']): Severity | null {
  const severity = event.severity.toLowerCase();
  if (severity === 'critical' || severity === 'fatal') return 'critical';
  if (severity === 'warning') return kind === 'leak_detected' ? 'critical' : 'warning';
  return null;
}

/** Puts an event where it belongs; null where its name is none. */
function placed(event: HardwareEvent, recorder: Recorder): PlacedEvent | null {
  const at = recorder.subjectAt(event.location);
  if (at === null) return null;
  const kind = /leak/i.test(`${event.messageId} ${event.message}`) ? 'leak_detected' : 'hardware_event';
  const id = shortId(event.messageId) || 'event';
  const origin = event.origin.split('/').slice(-2).join('/');
  const part = oneLine([at.within, kind === 'leak_detected' ? '' : id, origin].filter((t) => t !== '').join('/'), 200) || 'leak';
  return { event, subject: at.subject, part, kind };
}

function keyOf({ kind, subject, part }: Pick<Incident, 'kind' | 'subject' | 'part'>): string {
  return JSON.stringify([kind, subject.type, subject.id, part]);
}

export interface EventTimes {
  window: Window;
  /** Events before this are too old to tell. */
  floor: number;
  now: number;
}

/**
 * Turns hardware events into conditions that stand until a good word ends them, or a day after they were last seen. An
 * event that the last run saw counts once; one that came late, from a topic that lags behind, is news all the same.
 */
export function digestEvents(
  events: readonly HardwareEvent[],
  before: readonly Incident[],
  recorder: Recorder,
  times: EventTimes,
): EventDigest {
  const digest: EventDigest = { conditions: [], cleared: [], incidents: [], bySeverity: new Map(), dropped: 0 };
  const known = new Set(before.map(keyOf));
  const open = new Map<string, Incident>(before.map((incident) => [keyOf(incident), { ...incident }]));
  for (const one of inOrder(events, recorder, times.floor)) {
    const inWindow = one.event.time >= times.window.start;
    const key = keyOf(one);
    const changed = applyEvent(one, key, open);
    if (changed === 'ended' && (inWindow || known.has(key))) {
      const { kind, subject, part, event } = one;
      digest.cleared.push({ kind, subject, part, by: 'line', at: toIso(event.time) });
    }
    if (inWindow) {
      const word = oneLine(one.event.severity, 30) || 'none';
      digest.bySeverity.set(word, (digest.bySeverity.get(word) ?? 0) + 1);
    } else if (changed === 'nothing') recorder.exclude('covered');
  }
  const lasts = parseDuration(EVENT_LASTS);
  const standing: [string, Incident][] = [];
  for (const [key, incident] of [...open].sort(([a], [b]) => compareNames(a, b))) {
    const { kind, subject, part } = incident;
    if (incident.last + lasts >= times.now) standing.push([key, incident]);
    // An event that was over before it was ever told ends nothing.
    else if (known.has(key)) digest.cleared.push({ kind, subject, part, by: 'expiry', at: toIso(incident.last + lasts) });
  }
  digest.dropped = Math.max(0, standing.length - MAX_INCIDENTS);
  digest.incidents = digest.dropped === 0 ? standing.map(([, incident]) => incident) : worst(standing);
  digest.conditions = digest.incidents.map(conditionOf);
  return digest;
}

/** When the clock alone ends one of these. */
export function expiries(incidents: readonly Incident[]): number[] {
  return incidents.map(({ last }) => last + parseDuration(EVENT_LASTS) + 1);
}

/** As many as may stand: critical ones before warnings, then those that stand longest; in the order of their keys. */
function worst(standing: readonly [string, Incident][]): Incident[] {
  return standing
    .toSorted(([, a], [, b]) => compareSeverity(a.severity, b.severity) || a.first - b.first)
    .slice(0, MAX_INCIDENTS)
    .sort(([a], [b]) => compareNames(a, b))
    .map(([, incident]) => incident);
}

/** Lets one event begin, go on with or end what it speaks of. */
function applyEvent({ event, subject, part, kind }: PlacedEvent, key: string, open: Map<string, Incident>): 'nothing' | 'told' | 'ended' {
  const severity = severityOf(event, kind);
  const standing = open.get(key);
  if (standing !== undefined && event.time <= standing.last) return 'nothing';
  if (severity === null || (kind === 'leak_detected' && ENDS.test(shortId(event.messageId)))) {
    return open.delete(key) ? 'ended' : 'nothing';
  }
  const message = oneLine(event.message || event.messageId, 300);
  if (standing !== undefined) open.set(key, { ...standing, severity, message, last: event.time, count: standing.count + 1 });
  else open.set(key, { kind, subject, part, severity, message, first: event.time, last: event.time, count: 1 });
  return 'told';
}

/** The events that are not too old, each once, in the order of time. */
function inOrder(events: readonly HardwareEvent[], recorder: Recorder, floor: number): PlacedEvent[] {
  const seen = new Set<string>();
  const found: PlacedEvent[] = [];
  for (const event of events) {
    if (event.time < floor) {
      recorder.exclude('late');
      continue;
    }
    const one = placed(event, recorder);
    if (one === null) {
      recorder.exclude('noName');
      continue;
    }
    const key = `${event.time}\0${keyOf(one)}\0${event.severity}\0${event.message}`;
    if (seen.has(key)) recorder.exclude('duplicate');
    else {
      seen.add(key);
      found.push(one);
    }
  }
  return found.sort(
    (a, b) =>
      a.event.time - b.event.time ||
      compareNames(keyOf(a), keyOf(b)) ||
      compareNames(a.event.message, b.event.message) ||
      compareNames(a.event.severity, b.event.severity),
  );
}

function conditionOf(incident: Incident): ConditionDraft {
  const { kind, subject, part, severity, message, first, last, count } = incident;
  return {
    kind,
    subject,
    part,
    severity,
    message: `${subject.type} ${subject.id}: ${message}${count > 1 ? ` (${count} times)` : ''}, last at ${toIso(last)}`,
    values: { message, events: count },
    since: toIso(first),
    lastSeen: toIso(last),
    count,
    evidence: [{ quote: message }],
    ...placeOf(subject),
  };
}
