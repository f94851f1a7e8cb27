import { describe, expect, it } from 'vitest';
import { type Answer, isTold, pairsOf, says } from '../../lib/eval/answers.ts';

const answer = (text: string, ...subjects: string[]): Answer => ({
  text,
  subjects: new Set(subjects),
  evidence: ['weka_state@T#/facts/x'],
});

describe('a story', () => {
  const story = { cause: ['x3000m0'], links: ['a', 'b', 'c'], apart: ['z'] };

  it('is told by an answer that names the cause and links at least half, and two', () => {
    expect(isTold(story, [answer('x3000m0 is dead', 'a', 'b')])).toBe(true);
    expect(isTold(story, [answer('x3000m0 is dead', 'a')])).toBe(false);
    expect(isTold(story, [answer('the PDU is dead', 'a', 'b', 'c')])).toBe(false);
    expect(isTold(story, [answer('x3000m0', 'a'), answer('something', 'b', 'c')])).toBe(false);
    expect(isTold({ ...story, links: ['a'] }, [answer('x3000m0', 'a')])).toBe(true);
  });

  it('is not told by one that links what has another cause', () => {
    expect(isTold(story, [answer('x3000m0', 'a', 'b', 'z')])).toBe(false);
  });

  it('wants its source cited where nothing was found', () => {
    const ramp = { cause: ['d0'], links: [], apart: [], cites: 'kafka_telemetry' };
    expect(isTold(ramp, [answer('d0 gets warmer')])).toBe(false);
    expect(isTold({ ...ramp, cites: 'weka_state' }, [answer('d0 gets warmer')])).toBe(true);
  });
});

it('a name is said as a whole', () => {
  expect(says('on x1000c0s1b0n1: down', 'x1000c0s1b0n1')).toBe(true);
  expect(says('on x1000c0s1b0n10 and x1000c0s1b0n1', 'x1000c0s1b0n1')).toBe(true);
  expect(says('on x1000c0s1b0n10', 'x1000c0s1b0n1')).toBe(false);
  expect(says('DiskId<1> fails', 'DiskId<1>')).toBe(true);
  expect(says('anything', '')).toBe(false);
});

it('pairs are of one owner, linked, or both', () => {
  const owners = new Map([
    ['1', 'a'],
    ['2', 'a'],
    ['3', 'a'],
    ['4', 'b'],
  ]);
  // Of a's three pairs one is linked; 3 and 4 are linked in error; 9 has no owner; a pair that is linked twice counts once.
  expect(
    pairsOf(owners, [
      ['1', '2', '9'],
      ['2', '1'],
      ['3', '4'],
    ]),
  ).toEqual({ same: 3, linked: 2, both: 1 });
});
