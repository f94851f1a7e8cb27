import { describe, expect, it } from 'vitest';
import { amountAt } from '../../lib/eval/effects.ts';
import { findingKey, isExpected, standsFor } from '../../lib/eval/expected.ts';
import { fleetOf } from '../../lib/eval/scenario.ts';

const found = (kind: string, id: string) => ({ kind, subject: { type: 'node', id } });

describe('what is expected', () => {
  it('is a kind of a subject, or a subject under any of its names', () => {
    const kinded = findingKey({ kind: 'oom', subject: { type: 'node', id: 'a' } });
    const named = findingKey({ subject: { type: 'node', id: 'a' }, alias: 'b' });
    expect([found('oom', 'a'), found('leak', 'a'), found('oom', 'b')].map((f) => standsFor(kinded, f))).toEqual([true, false, false]);
    expect([found('oom', 'a'), found('leak', 'b'), found('oom', 'ab')].map((f) => standsFor(named, f))).toEqual([true, true, false]);
    expect(isExpected([kinded, named], found('leak', 'c'))).toBe(false);
  });

  it('is not due while its source is blind, and still so', () => {
    const fleet = fleetOf({
      seed: 3,
      nodes: 72,
      tick: '1h',
      noise: 1,
      faults: [
        { kind: 'drive_failed', where: 'DiskId<3>', from: '90m', until: '400m' },
        { kind: 'source_missing', where: 'weka_state', from: '200m', until: '290m' },
      ],
    });
    const key = 'drive_failed drive DiskId<3>';
    const at = (look: number) => fleet.expected(fleet.timeOf(look));
    expect([1, 2, 3, 4, 5, 7].map((look) => [at(look).must.has(key), at(look).holds.has(key)])).toEqual([
      [false, false],
      [true, true],
      [true, true],
      [false, true],
      [true, true],
      [false, false],
    ]);
    expect([3, 4].map((look) => at(look).must.has('source weka_state'))).toEqual([false, true]);
  });

  it('accounts for the job on a node that resets and comes up again', () => {
    const where = 'x1000c1s2b1n1';
    const fault = { kind: 'reset_unasked', where, from: '175m', until: '185m' };
    const jobs = new Set<string>();
    for (let seed = 0; seed < 8; seed++) {
      const fleet = fleetOf({ seed, nodes: 72, tick: '1h', noise: 1, faults: [fault] });
      const { may } = fleet.expected(fleet.timeOf(3));
      const broken = [...may].filter((key) => key.startsWith('job_on_broken_node '));
      for (const key of broken) jobs.add(key);
      expect(broken.length, `seed ${seed}`).toBeLessThanOrEqual(1);
      expect(may.has(`node_down_with_jobs node ${where}`), `seed ${seed}`).toBe(true);
    }
    expect(jobs.size).toBeGreaterThan(2);
  });

  it('grows with time where its fault does', () => {
    const ramp = { from: 10, to: 20, over: 100 };
    expect([-5, 0, 50, 100, 900].map((elapsed) => amountAt(ramp, elapsed))).toEqual([10, 10, 15, 20, 20]);
    expect(amountAt(7, 50)).toBe(7);
  });
});
