import type { JsonObject } from '../../model/json.ts';
import { compareNames } from '../../model/text.ts';
import { fold } from '../../nodeset.ts';

/**
 * Names as a summary holds them: their number, and the folded set as far as it fits into `max` characters, with the number
 * of those left out.
 */
export function namedSet(names: Iterable<string>, max = 240): { count: number; names: string; more?: number } {
  const all = [...new Set(names)].sort(compareNames);
  const whole = fold(all);
  if (whole.length <= max) return { count: all.length, names: whole };
  let [fits, tooMany] = [0, all.length];
  while (tooMany - fits > 1) {
    const middle = Math.floor((fits + tooMany) / 2);
    if (fold(all.slice(0, middle)).length <= max) fits = middle;
    else tooMany = middle;
  }
  return { count: all.length, names: fold(all.slice(0, fits)), more: all.length - fits };
}

/** A set in a sentence: `x1000c0s[0-7]b0n0`, `… and 12 more`. */
export function setText(names: Iterable<string>, max = 120): string {
  const { names: folded, more } = namedSet(names, max);
  if (more === undefined) return folded;
  return folded === '' ? `${more} names` : `${folded} and ${more} more`;
}

/** The first `max` of a list, and how many more there are where there are. */
export function top<T>(list: readonly T[], max: number, toJson: (item: T) => JsonObject): JsonObject {
  return { top: list.slice(0, max).map(toJson), ...(list.length > max && { more: list.length - max }) };
}

/** Items by what they have in common, in the order in which each was first met. */
export function groupBy<T>(items: Iterable<T>, keysOf: (item: T) => readonly string[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    for (const key of keysOf(item)) {
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [item]);
      else group.push(item);
    }
  }
  return groups;
}
