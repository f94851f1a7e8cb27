import type { Condition } from '../model/condition.ts';
import type { FindingState } from '../model/finding.ts';
import type { Kind } from '../model/kind.ts';

/** What one look told of one condition. */
export type Observation =
  /** It is there. */
  | { saw: 'present'; condition: Condition }
  /** It is over, and this look proves it: its subject was seen without it, or its kind's own rule holds. */
  | { saw: 'good'; how: string }
  /** Nothing can be said: the source failed or is old, or the subject was not in what was seen. */
  | { saw: 'nothing'; why: string }
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
  /** The last looks of a candidate, newest last: `1` seen, `0` seen without. */
  looks: string;
  reason: string;
}

export const UNBORN: Life = { state: 'resolved', episode: 0, newIn: null, good: 0, looks: '', reason: '' };

/**
 * The transition table: total over states and observations.
 *
 * | state     | present                | good                     | nothing | same      |
 * |-----------|------------------------|--------------------------|---------|-----------|
 * | candidate | new once confirmed     | forgotten when m are good| keeps   | keeps     |
 * | new       | ongoing (next tick)    | resolved after k in a row| stale   | ongoing   |
 * | ongoing   | ongoing                | resolved after k in a row| stale   | ongoing   |
 * | stale     | ongoing                | resolved after k in a row| stale   | stale     |
 * | resolved  | next episode: new, or candidate | keeps           | keeps   | keeps     |
 *
 * @returns null when a candidate is forgotten: it was never reported
 */
export function advance(
  life: Life,
  seen: Observation,
  kind: Pick<Kind, 'confirm' | 'resolveAfter'>,
  tick: string,
  critical: boolean,
): Life | null {
  switch (life.state) {
    case 'resolved':
      return seen.saw === 'present' ? open({ ...life, looks: '', good: 0 }, kind, tick, critical) : life;
    case 'candidate':
      if (seen.saw === 'present') return open(life, kind, tick, critical);
      if (seen.saw === 'good') {
        const looks = `${life.looks}0`.slice(-(kind.confirm?.m ?? 1));
        return looks.includes('1') ? { ...life, looks } : null;
      }
      return life;
    case 'new':
    case 'ongoing':
    case 'stale':
      if (seen.saw === 'present') return { ...life, state: life.newIn === tick ? 'new' : 'ongoing', good: 0, reason: 'seen again' };
      if (seen.saw === 'nothing') return { ...life, state: 'stale', reason: seen.why };
      if (seen.saw === 'same') return { ...life, state: life.state === 'stale' ? 'stale' : life.newIn === tick ? 'new' : 'ongoing' };
      return resolveAfter(life, seen.how, kind, tick);
  }
}

/** An episode begins: as a candidate where its kind wants confirmation, which a critical never waits for. */
function open(life: Life, kind: Pick<Kind, 'confirm'>, tick: string, critical: boolean): Life {
  const starts = life.state === 'resolved';
  const episode = starts ? life.episode + 1 : life.episode;
  const looks = `${life.looks}1`.slice(-(kind.confirm?.m ?? 1));
  const sights = looks.replaceAll('0', '').length;
  if (kind.confirm && !critical && sights < kind.confirm.n) {
    return {
      ...life,
      state: 'candidate',
      episode,
      looks,
      good: 0,
      reason: `seen ${sights} of the ${kind.confirm.n} times in ${kind.confirm.m} that its kind asks for`,
    };
  }
  return {
    ...life,
    state: 'new',
    episode,
    newIn: tick,
    looks,
    good: 0,
    reason: episode > 1 ? `back again, episode ${episode}` : 'seen for the first time',
  };
}

function resolveAfter(life: Life, how: string, kind: Pick<Kind, 'resolveAfter'>, tick: string): Life {
  const good = life.good + 1;
  const wanted = kind.resolveAfter ?? 1;
  if (good >= wanted) return { ...life, state: 'resolved', good, newIn: null, reason: how };
  return { ...life, state: life.newIn === tick ? 'new' : 'ongoing', good, reason: `${how}; good ${good} of ${wanted} times` };
}
