/*
 * Whether findings gather in one place beyond chance: the hypergeometric test. Were the K affected of N nodes drawn
 * without regard to place, the chance that k or more of them stand in a place of n nodes is
 *   P(X >= k) = sum over i >= k of C(n, i) C(N - n, K - i) / C(N, K).
 * The chance is multiplied by the number of places that were asked (Bonferroni), so that the bound holds for all
 * questions of one kind together: nodes that fail scattered make a group in at most one case of a thousand.
 */

/** The most that chance may have to do with a group, all its alternatives counted. */
export const BOUND = 1e-3;

let logFactorials = new Float64Array([0]);

/** log(n!), from a table that grows as needed. */
function logFactorial(n: number): number {
  if (n >= logFactorials.length) {
    const grown = new Float64Array(Math.max(n + 1, 2 * logFactorials.length));
    grown.set(logFactorials);
    for (let i = logFactorials.length; i < grown.length; i++) grown[i] = (grown[i - 1] as number) + Math.log(i);
    logFactorials = grown;
  }
  return logFactorials[n] as number;
}

function logChoose(n: number, k: number): number {
  return logFactorial(n) - logFactorial(k) - logFactorial(n - k);
}

/** The numbers of a question: of `population` nodes `affected` have the finding; of `inPlace` nodes of the place, `members`. */
export interface Gathering {
  population: number;
  affected: number;
  inPlace: number;
  members: number;
}

/** The natural logarithm of the chance that `members` or more of the affected stand in the place: exact where it is tiny too. */
export function logChance({ population, affected, inPlace, members }: Gathering): number {
  const least = Math.max(members, affected - (population - inPlace), 0);
  const most = Math.min(inPlace, affected);
  const whole = logChoose(population, affected);
  const terms: number[] = [];
  for (let i = least; i <= most; i++) terms.push(logChoose(inPlace, i) + logChoose(population - inPlace, affected - i) - whole);
  const top = terms.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  if (top === Number.NEGATIVE_INFINITY) return top;
  return Math.min(0, top + Math.log(terms.reduce((sum, term) => sum + Math.exp(term - top), 0)));
}
