import { fold } from '../../nodeset.ts';
import type { JsonObject } from '../../model/json.ts';
import { compareNames, oneLine } from '../../model/text.ts';

/** Names as a summary and a message hold them: their number, and the folded set as far as it fits. */
export interface NamedSet {
  count: number;
  names: string;
  /** How many names the set leaves out. */
  more: number;
}

/** Folds names; a set over `max` characters keeps the first names that fit, and says how many it leaves out. */
export function namedSet(names: Iterable<string>, max = 240): NamedSet {
  const all = [...new Set(names)].sort(compareNames);
  const whole = fold(all);
  if (whole.length <= max) return { count: all.length, names: whole, more: 0 };
  // Doubling first: irregular names fold badly, few of them fit, and folding thousands to learn that is dear.
  const fitting = (n: number): boolean => fold(all.slice(0, n)).length <= max;
  let [fits, tooMany] = [0, 8];
  while (tooMany < all.length && fitting(tooMany)) [fits, tooMany] = [tooMany, tooMany * 2];
  tooMany = Math.min(tooMany, all.length);
  while (tooMany - fits > 1) {
    const middle = Math.floor((fits + tooMany) / 2);
    if (fitting(middle)) fits = middle;
    else tooMany = middle;
  }
  return { count: all.length, names: fold(all.slice(0, fits)), more: all.length - fits };
}

/** A set in JSON: `more` only where something is left out. */
export function setJson(names: Iterable<string>, max?: number): JsonObject {
  const { count, names: folded, more } = namedSet(names, max);
  return { count, names: folded, ...(more > 0 && { more }) };
}

/** A set for people: `x1000c0s[0-7]b0n0`, `… and 12 more`. */
export function setText(names: Iterable<string>, max = 160): string {
  const { names: folded, more } = namedSet(names, max);
  if (more === 0) return folded;
  return folded === '' ? `${more} names` : `${folded} and ${more} more`;
}

/** How often each word occurs, the most frequent first; what passes `max` words is summed under `others`. */
export function tally(words: Iterable<string | null>, max = 8): JsonObject {
  const counts = new Map<string, number>();
  for (const word of words) {
    const name = word === null ? 'none' : oneLine(word, 40);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const ordered = [...counts].sort(([a, n], [b, m]) => m - n || compareNames(a, b));
  const rest = ordered.slice(max).reduce((sum, [, n]) => sum + n, 0);
  return Object.fromEntries(rest > 0 ? [...ordered.slice(0, max), ['others', rest]] : ordered);
}
