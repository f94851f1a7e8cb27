import { observation } from '../diff/observed.ts';
import type { Condition, Subject } from '../model/condition.ts';
import type { Kind } from '../model/kind.ts';
import type { Attempt, Snapshot } from '../model/snapshot.ts';
import { formatDuration, parseDuration } from '../model/time.ts';
import { UNJUDGED } from './derivation.ts';
import { textAt } from './summary-reader.ts';
import type { Observation } from './lifecycle.ts';

/** The pseudo-source of derived conditions. */
export const OBSERVER = 'observer';

/** How far ahead of the clock data may be dated. */
const AHEAD = parseDuration('5m');

/** A source as a tick sees it. */
export interface SourceView {
  source: string;
  /** Milliseconds. */
  maxAge: number;
  attempt: Attempt | null;
  /** The latest snapshot, whenever it was made. */
  snapshot: Snapshot | null;
  /** The snapshots committed since the last tick, oldest first. */
  since: Snapshot[];
}

/** Why a source cannot be trusted now; null where it can. */
export function blindness({ source, attempt, snapshot, maxAge }: SourceView, now: number): string | null {
  if (attempt?.status === 'failed') return `${source} failed: ${attempt.problem?.detail ?? 'no reason given'}`;
  if (attempt === null || attempt.status === 'skipped' || snapshot === null) return `${source} was not collected`;
  const age = now - Date.parse(snapshot.asOf);
  // What was collected before the clock was set back cannot be aged; the next collect mends that.
  if (age < -AHEAD) return `${source} is dated ${formatDuration(-age)} ahead of the clock`;
  return age > maxAge ? `${source} is ${formatDuration(age)} old` : null;
}

/** Looks at conditions through one snapshot; whatever is the same for all of them is worked out once. */
export function looker(
  snapshot: Snapshot,
  stale: string | null,
  now: number,
): (known: { id: string; subject: Subject; lastSeen: string }, kind: Kind) => Observation {
  const present = new Map<string, Condition>(snapshot.conditions.map((c) => [c.id, c]));
  const cleared = new Map(snapshot.cleared.map((c) => [c.id, c]));
  const isObserved = observation(snapshot.coverage.observed);
  return ({ id, subject, lastSeen }, kind) => {
    const condition = present.get(id);
    // A clock that was set back dates what is seen now before what was seen earlier.
    const latest = condition !== undefined && condition.lastSeen > lastSeen ? condition.lastSeen : lastSeen;
    const expired = expiry(kind, latest, now);
    if (expired) return expired;
    if (condition) return stale === null ? { saw: 'present', condition } : { saw: 'nothing', why: stale, condition };
    const end = cleared.get(id);
    if (end) return { saw: 'good', how: `cleared by ${end.by} at ${end.at}` };
    if (stale !== null) return { saw: 'nothing', why: stale };
    if (!isObserved(subject, kind.kind))
      return { saw: 'nothing', why: textAt(snapshot.summary, UNJUDGED, kind.kind) ?? `${snapshot.source} did not see ${subject.id}` };
    if (kind.clears.by === 'absence') return { saw: 'good', how: `seen without it at ${snapshot.asOf}` };
    return { saw: 'nothing', why: `${snapshot.source} no longer shows it, and nothing said that it ended` };
  };
}

/** The observation of an event that is over by its kind's own rule, whatever its source does. */
export function expiry(kind: Kind, lastSeen: string, now: number): Observation | null {
  if (kind.clears.by !== 'expiry') return null;
  return now - Date.parse(lastSeen) > parseDuration(kind.clears.after) ? { saw: 'good', how: `not seen for ${kind.clears.after}` } : null;
}
