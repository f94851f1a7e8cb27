import type { Condition } from '../model/condition.ts';
import type { FindingState } from '../model/finding.ts';
import type { Kind } from '../model/kind.ts';
import { changesIn, isFlapping, LOOKS_KEPT } from './flapping.ts';

/** What one look told of one condition. */
export type Observation =
  /** It is there. */
  | { saw: 'present'; condition: Condition }
  /** It is over, and this look proves it: its subject was seen without it, or its kind's own rule holds. */
  | { saw: 'good'; how: string }
  /** Nothing can be said: the source failed or is old, or the subject was not in what was seen. An old look may show it. */
  | { saw: 'nothing'; why: string; condition?: Condition }
  /** No new look since the last tick, and the last one is still fresh. */
  | { saw: 'same' };

/** The lifecycle of one condition, without the condition itself. */
export interface Life {
  state: FindingState;
  episode: number;
  /** The tick in which this episode was first reported: it stays `new` to that tick's end. */
  newIn: string | null;
  /** Good looks in a row. */
  good: number;
  /** Where the looks of this episode's candidate begin in `looks`, counted from the newest. */
  sights: number;
  /** The last looks that saw its subject, over episodes, newest last: `1` seen, `0` seen without. */
  looks: string;
  /** Since when it comes and goes too often to be told each time (ISO); null while it does not. */
  flappingSince: string | null;
  reason: string;
}

export const UNBORN: Life = { state: 'resolved', episode: 0, newIn: null, good: 0, sights: 0, looks: '', flappingSince: null, reason: '' };

/** When a look is taken. */
export interface Moment {
  tick: string;
  /** ISO. */
  at: string;
}

type Rules = Pick<Kind, 'confirm' | 'resolveAfter'>;

/**
 * The transition table: total over states and observations.
 *
 * | state     | present                         | good                                         | nothing | same    |
 * |-----------|---------------------------------|----------------------------------------------|---------|---------|
 * | candidate | new once confirmed              | taken back when the last m are good          | keeps   | keeps   |
 * | new       | ongoing (from the next tick on) | resolved after k in a row; flapping: ongoing | stale   | ongoing |
 * | ongoing   | ongoing                         | resolved after k in a row; flapping: ongoing | stale   | ongoing |
 * | stale     | ongoing                         | resolved after k in a row; flapping: ongoing | stale   | stale   |
 * | resolved  | next episode: new, or candidate | keeps                                        | keeps   | keeps   |
 *
 * Looks that saw its subject go into the ring by which flapping begins and ends; while it flaps it is one open finding.
 * @returns null when a first candidate is taken back: it was never reported
 */
export function advance(life: Life, seen: Observation, kind: Rules, moment: Moment): Life | null {
  switch (seen.saw) {
    case 'nothing':
      return isOpen(life) || isCriticalCandidate(life, seen.condition) ? { ...life, state: 'stale', reason: seen.why } : life;
    case 'same':
      return life.state === 'new' ? { ...life, state: settled(life, moment) } : life;
    case 'present':
      return present(looked(life, '1', moment), seen.condition, kind, moment);
    case 'good':
      return good(looked(life, '0', moment), seen.how, kind, moment);
  }
}

function isOpen({ state }: Life): boolean {
  return state === 'new' || state === 'ongoing' || state === 'stale';
}

/** A critical never waits to be confirmed, though it was shown by an old look alone. */
function isCriticalCandidate({ state }: Life, condition: Condition | undefined): boolean {
  return state === 'candidate' && condition?.severity === 'critical';
}

/** `new` to the end of the tick that reported it first, `ongoing` after. */
function settled({ newIn }: Life, { tick }: Moment): 'new' | 'ongoing' {
  return newIn === tick ? 'new' : 'ongoing';
}

function looked(life: Life, look: '0' | '1', { at }: Moment): Life {
  const looks = (life.looks + look).slice(-LOOKS_KEPT);
  // Of a candidate nobody was told, and what is over stays over: there is nothing to be quiet about.
  const isTold = isOpen(life) || (life.state === 'resolved' && look === '1');
  const flaps = isTold && isFlapping(looks, life.flappingSince !== null);
  return { ...life, looks, sights: life.sights + 1, flappingSince: flaps ? (life.flappingSince ?? at) : null };
}

function present(life: Life, condition: Condition, kind: Rules, moment: Moment): Life {
  if (isOpen(life)) return { ...life, state: settled(life, moment), good: 0, reason: flapReason(life) ?? 'seen again' };
  const begins = life.state === 'resolved';
  const begun: Life = { ...life, good: 0, ...(begins && { episode: life.episode + 1, sights: 1 }) };
  const { confirm } = kind;
  const sights = confirm ? recent(begun, confirm.m).replaceAll('0', '').length : 0;
  // Criticals never wait, and neither does what was open so often that it flaps.
  if (confirm && sights < confirm.n && condition.severity !== 'critical' && begun.flappingSince === null) {
    return { ...begun, state: 'candidate', reason: `seen ${sights} of the ${confirm.n} times in ${confirm.m} that its kind asks for` };
  }
  return { ...begun, state: 'new', newIn: moment.tick, reason: flapReason(begun) ?? birthReason(begun) };
}

function birthReason({ episode }: Life): string {
  return episode > 1 ? `back again, episode ${episode}` : 'seen for the first time';
}

function good(life: Life, how: string, kind: Rules, moment: Moment): Life | null {
  if (life.state === 'resolved') return life;
  if (life.state === 'candidate') return recent(life, kind.confirm?.m ?? 1).includes('1') ? life : takenBack(life);
  const count = life.good + 1;
  const wanted = kind.resolveAfter ?? 1;
  const flaps = flapReason(life);
  if (count >= wanted && flaps === null) return { ...life, state: 'resolved', good: count, newIn: null, reason: how };
  return { ...life, state: settled(life, moment), good: count, reason: flaps ?? `${how}; good ${count} of ${wanted} times` };
}

/** An episode that did not come to be: nothing is left of a first one, and of a later one those before it. */
function takenBack(life: Life): Life | null {
  return life.episode === 1
    ? null
    : { ...life, state: 'resolved', episode: life.episode - 1, reason: 'was not seen often enough to count' };
}

/** The last `m` looks of this episode. */
function recent({ looks, sights }: Life, m: number): string {
  return looks.slice(-Math.min(sights, m));
}

function flapReason({ flappingSince, looks }: Life): string | null {
  if (flappingSince === null) return null;
  return `comes and goes: ${changesIn(looks)} changes in the last ${looks.length} looks, now ${looks.endsWith('1') ? 'there' : 'not there'}`;
}
