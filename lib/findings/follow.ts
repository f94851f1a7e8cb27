import type { Condition, Subject } from '../model/condition.ts';
import type { Kind } from '../model/kind.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { formatDuration, parseDuration, toIso } from '../model/time.ts';
import { kinds } from './kinds.ts';
import { advance, type Life, type Moment, type Observation, UNBORN } from './lifecycle.ts';
import { blindness, expiry, looker, type SourceView } from './observe.ts';
import { ended, type Tracked } from './tracked.ts';

export interface Clock {
  tick: string;
  now: number;
}

interface Now extends Moment {
  now: number;
}

function nowOf({ tick, now }: Clock): Now {
  return { tick, at: toIso(now), now };
}

/**
 * Follows all conditions of one source through its new snapshots, then judges what none of them spoke of.
 * @param episodes the number of the last episode of what is over and no longer followed
 */
export function followSource(view: SourceView, tracked: Map<string, Tracked>, episodes: ReadonlyMap<string, number>, clock: Clock): void {
  const stale = blindness(view, clock.now);
  const moment = nowOf(clock);
  const mine = (): Tracked[] => [...tracked.values()].filter((t) => t.source === view.source);
  for (const [index, snapshot] of view.since.entries()) {
    const isLast = index === view.since.length - 1;
    const look = looker(snapshot, isLast ? stale : staleWhenMade(snapshot, view.maxAge), clock.now);
    for (const t of mine()) step(tracked, t, look(asKnown(t), kindOf(t.condition)), moment);
    for (const condition of snapshot.conditions) {
      const known = tracked.get(condition.id);
      if (known && known.state !== 'resolved') continue;
      begin(tracked, { source: view.source, condition, stale, episode: episodes.get(condition.id) ?? 0 }, moment);
    }
  }
  if (view.since.length > 0) return;
  for (const t of mine()) {
    if (t.state === 'resolved') continue;
    const expired = expiry(kindOf(t.condition), t.lastSeen, clock.now);
    step(tracked, t, expired ?? (stale === null ? { saw: 'same' } : { saw: 'nothing', why: stale }), moment);
  }
}

/** How long a source may be out of the configuration before that is taken for meant. */
const UNWATCHED_FOR = parseDuration('30d');

/**
 * What nobody looks at any more, because its source is no longer configured, is not known to be over: it is stale, for a
 * month. Somebody who took a source out for good has no other way to be rid of what it showed last.
 */
export function leaveUnwatched(tracked: Map<string, Tracked>, sources: readonly SourceView[], clock: Clock): void {
  const watched = new Set(sources.map((s) => s.source));
  const moment = nowOf(clock);
  for (const [id, t] of tracked) {
    if (watched.has(t.source)) continue;
    if (t.state !== 'resolved' && clock.now - Date.parse(t.lastSeen) > UNWATCHED_FOR) {
      const reason = `${t.source} is no longer configured, and nobody has looked for over ${formatDuration(UNWATCHED_FOR)}`;
      tracked.set(id, ended(t, reason, clock.now));
    } else step(tracked, t, { saw: 'nothing', why: `${t.source} is no longer configured` }, moment);
  }
}

function staleWhenMade(snapshot: Snapshot, maxAge: number): string | null {
  return Date.parse(snapshot.collectedAt) - Date.parse(snapshot.asOf) > maxAge ? `${snapshot.source} was old when it was collected` : null;
}

interface Beginning {
  source: string;
  condition: Condition;
  /** Why its source cannot be trusted now; null where it can. */
  stale: string | null;
  /** Its last episode, where nothing else is left of it. */
  episode: number;
}

/** A condition that is not open: its first sight, or its return. One that is known only from an old look begins stale. */
function begin(tracked: Map<string, Tracked>, { source, condition, stale, episode }: Beginning, moment: Now): void {
  const kind = kindOf(condition);
  if (expiry(kind, condition.lastSeen, moment.now)) return;
  const earlier = tracked.get(condition.id);
  const born = advance(earlier ?? { ...UNBORN, episode }, { saw: 'present', condition }, kind, moment);
  const life = born && stale !== null ? advance(born, { saw: 'nothing', why: stale, condition }, kind, moment) : born;
  if (!life) return;
  tracked.set(condition.id, {
    ...lifeOf(life),
    source,
    condition,
    firstSeen: condition.since,
    lastSeen: condition.lastSeen,
    changedAt: moment.at,
    shown: 'never',
    listed: false,
    ...(earlier?.held && { held: earlier.held }),
  });
}

function step(tracked: Map<string, Tracked>, t: Tracked, seen: Observation, moment: Now): void {
  // Its return is another episode, which begins.
  if (t.state === 'resolved' && seen.saw === 'present') return;
  const condition = (seen.saw === 'present' || seen.saw === 'nothing' ? seen.condition : undefined) ?? t.condition;
  const life = advance(lifeOf(t), seen, kindOf(t.condition), moment);
  if (life === null) {
    tracked.delete(t.condition.id);
    return;
  }
  const stepped: Tracked = {
    ...t,
    ...life,
    condition,
    lastSeen: condition.lastSeen > t.lastSeen ? condition.lastSeen : t.lastSeen,
  };
  if (life.state === 'resolved' && t.state !== 'resolved') stepped.resolvedAt = moment.at;
  tracked.set(t.condition.id, stepped);
}

function lifeOf({ state, episode, newIn, good, sights, looks, flappingSince, reason }: Life): Life {
  return { state, episode, newIn, good, sights, looks, flappingSince, reason };
}

function asKnown({ condition, lastSeen }: Tracked): { id: string; subject: Subject; lastSeen: string } {
  return { id: condition.id, subject: condition.subject, lastSeen };
}

/**
 * The declaration of a condition's kind. A snapshot that another version made may hold one that this version does not
 * know: it is reported as it stands, and nothing but its own source's word ends it.
 */
export function kindOf({ kind }: Pick<Condition, 'kind'>): Kind {
  return (
    kinds.get(kind) ?? {
      kind,
      title: kind,
      severity: 'warning',
      subjects: [],
      clears: { by: 'line' },
      hint: '',
      provenance: 'unknown to this version',
    }
  );
}
