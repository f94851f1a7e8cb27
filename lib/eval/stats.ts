import { Random } from './random.ts';

/** A share with the interval in which it lies with 95 % confidence. */
export interface Share {
  of: number;
  right: number;
  rate: number | null;
  low: number;
  high: number;
}

const Z = 1.959964;

/** Wilson's interval: it holds for few cases and for shares near 0 and 1 as well. Cases have to be independent. */
export function wilson(right: number, of: number): Share {
  if (of === 0) return { of, right, rate: null, low: 0, high: 1 };
  const rate = right / of;
  const z2 = (Z * Z) / of;
  const middle = (rate + z2 / 2) / (1 + z2);
  const half = (Z / (1 + z2)) * Math.sqrt((rate * (1 - rate)) / of + z2 / (4 * of));
  return { of, right, rate, low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}

/** Cases of one scenario hang together: what is drawn again is whole scenarios. */
export interface Cluster {
  right: number;
  of: number;
}

const DRAWS = 1000;

/** The share over all cases of all clusters, with an interval by bootstrap over clusters; the same seed gives the same. */
export function clustered(clusters: readonly Cluster[], seed = 1): Share {
  const some = clusters.filter((c) => c.of > 0);
  const total = (list: readonly Cluster[]): Cluster =>
    list.reduce((sum, c) => ({ right: sum.right + c.right, of: sum.of + c.of }), { right: 0, of: 0 });
  const { right, of } = total(some);
  if (of === 0) return { of, right, rate: null, low: 0, high: 1 };
  const [low, high] = middle95(draws(some.length, seed).map((picked) => ratio(total(picked.map((i) => some[i] as Cluster)))));
  return { of, right, rate: right / of, low, high };
}

/** The mean of differences, scenario by scenario, with an interval by bootstrap over scenarios. */
export function meanDifference(differences: readonly number[], seed = 1): { mean: number | null; low: number; high: number } {
  if (differences.length === 0) return { mean: null, low: 0, high: 0 };
  const mean = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0) / list.length;
  const [low, high] = middle95(draws(differences.length, seed).map((picked) => mean(picked.map((i) => differences[i] as number))));
  return { mean: mean(differences), low, high };
}

function draws(n: number, seed: number): number[][] {
  const random = new Random(seed, 'bootstrap', n);
  return Array.from({ length: DRAWS }, () => Array.from({ length: n }, () => random.int(0, n - 1)));
}

function ratio({ right, of }: Cluster): number {
  return right / of;
}

function middle95(values: number[]): [number, number] {
  values.sort((a, b) => a - b);
  return [quantile(values, 0.025), quantile(values, 0.975)];
}

/** Of sorted values, by the nearest rank; NaN for none. */
export function quantile(sorted: readonly number[], q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(q * sorted.length) - 1))] ?? Number.NaN;
}

/**
 * The chance that k tries at one scenario all pass, over scenarios that were tried n times and passed c of them: C(c,k)/C(n,k)
 * has it as its mean. Scenarios that were tried less often do not count; null where there is none.
 */
export function passAll(tries: readonly { passed: number; of: number }[], k: number): number | null {
  const enough = tries.filter((t) => t.of >= k);
  if (enough.length === 0) return null;
  const share = ({ passed, of }: { passed: number; of: number }): number => {
    let product = 1;
    for (let i = 0; i < k; i++) product *= (passed - i) / (of - i);
    return Math.max(0, product);
  };
  return enough.reduce((sum, t) => sum + share(t), 0) / enough.length;
}
