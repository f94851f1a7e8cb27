import type { JsonObject } from '../../model/json.ts';
import { compareNames } from '../../model/text.ts';
import { fold } from '../../nodeset.ts';

/**
 * Names as one folded set of bounded length. Where the whole set is longer, it is that of the first names, and `more`
 * says how many were left out.
 */
export function foldBounded(names: readonly string[], max: number): { nodes: string; more?: number } {
  const whole = fold(names);
  if (whole.length <= max) return { nodes: whole };
  const sorted = [...names].sort(compareNames);
  for (let n = Math.min(sorted.length - 1, 64); n > 0; n = Math.floor(n / 2)) {
    const nodes = fold(sorted.slice(0, n));
    if (nodes.length <= max) return { nodes, more: sorted.length - n };
  }
  return { nodes: '', more: sorted.length };
}

/** The same in a sentence: `x1000c0s[0-3]b0n0` or `x1000c0s[0-3]b0n0 and 12 more`. */
export function foldText(names: readonly string[], max: number): string {
  const { nodes, more } = foldBounded(names, max);
  if (more === undefined) return nodes;
  return nodes === '' ? `${more} names` : `${nodes} and ${more} more`;
}

/** A count with its folded names, for the summary; undefined for none, so that the key is left out. */
export function counted(names: readonly string[], max: number): JsonObject {
  return names.length === 0 ? { count: 0 } : { count: names.length, ...foldBounded(names, max) };
}
