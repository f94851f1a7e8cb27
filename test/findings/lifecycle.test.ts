import { describe, expect, it } from 'vitest';
import { advance, type Life, type Observation, UNBORN } from '../../lib/findings/lifecycle.ts';
import type { FindingState } from '../../lib/model/finding.ts';
import type { Kind } from '../../lib/model/kind.ts';
import { toIso, toTimeId } from '../../lib/model/time.ts';
import { conditionOf, MINUTE, NOON } from './build.ts';

const condition = conditionOf({ kind: 'node_down', subject: { type: 'node', id: 'n1' }, message: 'n1 is down' });
const critical = { ...condition, severity: 'critical' as const };
const PRESENT: Observation = { saw: 'present', condition };
const GOOD: Observation = { saw: 'good', how: 'seen without it' };
const NOTHING: Observation = { saw: 'nothing', why: 'the source failed' };
const SAME: Observation = { saw: 'same' };

const moment = (n: number) => ({ tick: toTimeId(NOON + n * MINUTE), at: toIso(NOON + n * MINUTE) });
type Rules = Pick<Kind, 'confirm' | 'resolveAfter'>;

/** Takes one look a tick. */
function live(looks: readonly Observation[], kind: Rules = {}): (FindingState | null)[] {
  let life: Life | null = UNBORN;
  return looks.map((look, n) => {
    life = advance(life ?? UNBORN, look, kind, moment(n));
    return life?.state ?? null;
  });
}

describe('the transition table', () => {
  // Every state a life can be in at the beginning of a tick, as it gets there.
  const lives: Record<FindingState, Life> = {
    candidate: advance(UNBORN, PRESENT, { confirm: { n: 2, m: 3 } }, moment(0)) as Life,
    new: advance(UNBORN, PRESENT, {}, moment(0)) as Life,
    ongoing: advance(advance(UNBORN, PRESENT, {}, moment(-1)) as Life, PRESENT, {}, moment(0)) as Life,
    stale: advance(advance(UNBORN, PRESENT, {}, moment(-1)) as Life, NOTHING, {}, moment(0)) as Life,
    resolved: advance(advance(UNBORN, PRESENT, {}, moment(-1)) as Life, GOOD, {}, moment(0)) as Life,
  };
  const looks = { present: PRESENT, good: GOOD, nothing: NOTHING, same: SAME };
  const table: [FindingState, keyof typeof looks, FindingState][] = [
    ['candidate', 'present', 'new'],
    ['candidate', 'good', 'candidate'],
    ['candidate', 'nothing', 'candidate'],
    ['candidate', 'same', 'candidate'],
    ['new', 'present', 'ongoing'],
    ['new', 'good', 'resolved'],
    ['new', 'nothing', 'stale'],
    ['new', 'same', 'ongoing'],
    ['ongoing', 'present', 'ongoing'],
    ['ongoing', 'good', 'resolved'],
    ['ongoing', 'nothing', 'stale'],
    ['ongoing', 'same', 'ongoing'],
    ['stale', 'present', 'ongoing'],
    ['stale', 'good', 'resolved'],
    ['stale', 'nothing', 'stale'],
    ['stale', 'same', 'stale'],
    ['resolved', 'present', 'new'],
    ['resolved', 'good', 'resolved'],
    ['resolved', 'nothing', 'resolved'],
    ['resolved', 'same', 'resolved'],
  ];

  it('has every state with every look', () => {
    expect(new Set(table.map(([state, look]) => `${state} ${look}`)).size).toBe(Object.keys(lives).length * Object.keys(looks).length);
    for (const [state, life] of Object.entries(lives)) expect(life.state).toBe(state);
  });

  it.each(table)('%s, %s: %s', (state, look, then) => {
    const kind: Rules = state === 'candidate' ? { confirm: { n: 2, m: 3 } } : {};
    const after = advance(lives[state], looks[look], kind, moment(1));
    expect(after?.state).toBe(then);
    const begins = state === 'resolved' && look === 'present';
    expect(after?.episode).toBe(lives[state].episode + (begins ? 1 : 0));
    expect(after?.reason).not.toBe('');
  });

  it('stays new to the end of the tick that reports it first', () => {
    const born = advance(UNBORN, PRESENT, {}, moment(0)) as Life;
    for (const look of [PRESENT, SAME]) expect(advance(born, look, {}, moment(0))?.state).toBe('new');
  });

  it('says why', () => {
    expect(advance(lives.ongoing, NOTHING, {}, moment(1))?.reason).toBe('the source failed');
    expect(advance(lives.ongoing, GOOD, {}, moment(1))?.reason).toBe('seen without it');
    expect(advance(lives.resolved, PRESENT, {}, moment(1))?.reason).toBe('back again, episode 2');
  });
});

describe('confirmation', () => {
  const kind: Rules = { confirm: { n: 2, m: 3 } };

  it('waits for n sights among the last m looks', () => {
    expect(live([PRESENT, PRESENT], kind)).toEqual(['candidate', 'new']);
    expect(live([PRESENT, GOOD, PRESENT], kind)).toEqual(['candidate', 'candidate', 'new']);
    expect(live([PRESENT, NOTHING, SAME, PRESENT], kind)).toEqual(['candidate', 'candidate', 'candidate', 'new']);
  });

  it('takes a candidate back when the last m looks were good', () => {
    expect(live([PRESENT, GOOD, GOOD, GOOD, PRESENT], kind)).toEqual(['candidate', 'candidate', 'candidate', null, 'candidate']);
  });

  it('does not count sights of an episode before', () => {
    expect(live([PRESENT, PRESENT, GOOD, PRESENT], kind)).toEqual(['candidate', 'new', 'resolved', 'candidate']);
  });

  it('never waits for a critical, nor when one gets critical', () => {
    expect(live([{ saw: 'present', condition: critical }], kind)).toEqual(['new']);
    expect(live([PRESENT, { saw: 'present', condition: critical }], { confirm: { n: 3, m: 3 } })).toEqual(['candidate', 'new']);
  });

  it('keeps the number of the last episode when a later candidate is taken back', () => {
    let life = UNBORN;
    for (const [n, look] of [PRESENT, PRESENT, GOOD, PRESENT, GOOD, GOOD, GOOD].entries())
      life = advance(life, look, kind, moment(n)) as Life;
    expect(life).toMatchObject({ state: 'resolved', episode: 1 });
    for (const [n, look] of [PRESENT, PRESENT].entries()) life = advance(life, look, kind, moment(10 + n)) as Life;
    expect(life).toMatchObject({ state: 'new', episode: 2 });
  });
});

describe('resolution', () => {
  it('asks for k good looks in a row of that very subject', () => {
    expect(live([PRESENT, GOOD, GOOD, GOOD], { resolveAfter: 3 })).toEqual(['new', 'ongoing', 'ongoing', 'resolved']);
    expect(live([PRESENT, GOOD, GOOD, PRESENT, GOOD, GOOD, GOOD], { resolveAfter: 3 }).slice(-2)).toEqual(['ongoing', 'resolved']);
  });

  it('is neither brought nearer nor taken back by looks that saw nothing', () => {
    expect(live([PRESENT, GOOD, NOTHING, NOTHING, SAME, GOOD], { resolveAfter: 2 })).toEqual([
      'new',
      'ongoing',
      'stale',
      'stale',
      'stale',
      'resolved',
    ]);
  });
});

describe('flapping', () => {
  const flaps = (n: number): Observation[] => Array.from({ length: n }, (_, i) => (i % 2 === 0 ? PRESENT : GOOD));
  const lifeAfter = (looks: readonly Observation[], kind: Rules = {}): Life => {
    let life = UNBORN;
    for (const [n, look] of looks.entries()) life = advance(life, look, kind, moment(n)) as Life;
    return life;
  };

  it('begins with the sixth change in a row and holds the finding open from then on', () => {
    expect(live(flaps(6))).toEqual(['new', 'resolved', 'new', 'resolved', 'new', 'resolved']);
    const held = lifeAfter(flaps(7));
    expect(held).toMatchObject({
      state: 'new',
      episode: 4,
      flappingSince: moment(6).at,
      reason: 'comes and goes: 6 changes in the last 7 looks, now there',
    });
    const longer = lifeAfter(flaps(40));
    expect(longer).toMatchObject({ state: 'ongoing', episode: 4, flappingSince: moment(6).at });
    expect(longer.reason).toContain('now not there');
  });

  it('ends when it has been quiet for long, as resolved or as ongoing', () => {
    const quiet = (look: Observation, n: number) => lifeAfter([...flaps(8), ...Array.from({ length: n }, () => look)]);
    const length = Array.from({ length: 20 }, (_, n) => n).find((n) => quiet(GOOD, n).flappingSince === null) as number;
    // Hysteresis: what began at 30 % is held until 25 %.
    expect(length).toBeGreaterThan(6);
    expect(quiet(GOOD, length - 1)).toMatchObject({ state: 'ongoing', episode: 4 });
    expect(quiet(GOOD, length)).toMatchObject({ state: 'resolved', episode: 4 });
    expect(quiet(PRESENT, 20)).toMatchObject({ state: 'ongoing', episode: 4, flappingSince: null });
  });

  it('is no reason to trust a source that has gone blind', () => {
    const blind = advance(lifeAfter(flaps(10)), NOTHING, {}, moment(50)) as Life;
    expect(blind).toMatchObject({ state: 'stale', reason: 'the source failed' });
    expect(blind.flappingSince).not.toBeNull();
    expect(advance(blind, GOOD, {}, moment(51))?.state).toBe('ongoing');
  });
});
