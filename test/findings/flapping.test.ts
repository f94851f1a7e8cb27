import { describe, expect, it } from 'vitest';
import { changeShare, changesIn, isFlapping, LOOKS_KEPT } from '../../lib/findings/flapping.ts';

describe('the flap ring', () => {
  it('weighs changes as Icinga does: 0.80 for the oldest of twenty, 1.18 for the newest', () => {
    expect(changeShare('0'.repeat(LOOKS_KEPT))).toBe(0);
    expect(changeShare('01')).toBeCloseTo(5.9, 10);
    expect(changeShare(`01${'1'.repeat(LOOKS_KEPT - 2)}`)).toBeCloseTo(4, 10);
    expect(changeShare('01'.repeat(11).slice(0, LOOKS_KEPT))).toBeCloseTo(99, 10);
  });

  it('begins above 30 percent and ends at 25', () => {
    const six = '0101010';
    expect(changesIn(six)).toBe(6);
    expect(changeShare(six)).toBeCloseTo(33.9, 10);
    expect(isFlapping(six, false)).toBe(true);
    expect(isFlapping('010101', false)).toBe(false);
    expect(isFlapping('010101', true)).toBe(true);
    expect(isFlapping(`0101${'1'.repeat(10)}`, true)).toBe(false);
  });

  it('looks at nothing older than twenty changes', () => {
    expect(changeShare(`${'01'.repeat(10)}${'1'.repeat(LOOKS_KEPT)}`)).toBe(0);
  });
});
