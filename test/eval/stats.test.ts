import { describe, expect, it } from 'vitest';
import { clustered, meanDifference, passAll, quantile, wilson } from '../../lib/eval/stats.ts';

describe("Wilson's interval", () => {
  it('has the values of the textbook', () => {
    // 8 of 10: (0.8 + 0.19207 ± 1.959964 · √(0.016 + 0.0096036)) / 1.384146
    expect(wilson(8, 10)).toMatchObject({ rate: 0.8, low: expect.closeTo(0.4902, 4), high: expect.closeTo(0.9433, 4) });
    expect(wilson(0, 60)).toMatchObject({ rate: 0, low: 0, high: expect.closeTo(0.0602, 4) });
    expect(wilson(73, 73).low).toBeCloseTo(0.95, 3);
    expect(wilson(381, 381).low).toBeCloseTo(0.99, 3);
  });

  it('knows nothing of no cases', () => {
    expect(wilson(0, 0)).toEqual({ of: 0, right: 0, rate: null, low: 0, high: 1 });
  });
});

describe('the bootstrap over clusters', () => {
  it('is of no width where all clusters are alike, and leaves out those without a case', () => {
    expect(
      clustered([
        { right: 1, of: 2 },
        { right: 2, of: 4 },
        { right: 0, of: 0 },
      ]),
    ).toEqual({ of: 6, right: 3, rate: 0.5, low: 0.5, high: 0.5 });
    expect(clustered([]).rate).toBeNull();
  });

  it('is wider than that of independent cases where cases of a cluster hang together', () => {
    const clusters = Array.from({ length: 20 }, (_, i) => ({ right: i % 5 === 0 ? 0 : 50, of: 50 }));
    const [whole, single] = [clustered(clusters), wilson(800, 1000)];
    expect(whole.rate).toBe(0.8);
    expect(whole.high - whole.low).toBeGreaterThan(3 * (single.high - single.low));
    expect(clustered(clusters)).toEqual(whole);
  });

  it('tells a difference that there is from one that there is none', () => {
    expect(meanDifference([0.5, 0.5, 0.5])).toEqual({ mean: 0.5, low: 0.5, high: 0.5 });
    const mixed = meanDifference([1, -1, 1, -1]);
    expect(mixed.mean).toBe(0);
    expect(mixed.low).toBeLessThan(0);
    expect(mixed.high).toBeGreaterThan(0);
    expect(meanDifference([]).mean).toBeNull();
  });
});

it('pass^k is the share of ways to draw k tries that all passed', () => {
  // 3 of 4 passed: of 6 pairs 3 hold no failure.
  expect(passAll([{ passed: 3, of: 4 }], 2)).toBeCloseTo(0.5, 10);
  expect(
    passAll(
      [
        { passed: 4, of: 4 },
        { passed: 1, of: 4 },
      ],
      2,
    ),
  ).toBe(0.5);
  expect(passAll([{ passed: 1, of: 1 }], 2)).toBeNull();
});

it('quantiles are by the nearest rank', () => {
  expect([0.5, 0.95, 1].map((q) => quantile([1, 2, 3, 4], q))).toEqual([2, 4, 4]);
  expect(quantile([], 0.5)).toBeNaN();
});
