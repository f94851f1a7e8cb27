import { compareNames } from '../model/text.ts';
import { foldShared } from '../nodeset.ts';

/** Names in a sentence, folded and bounded: `x1000c0s[0-7]b0n0`, `… and 12 more`. */
export function setText(names: readonly string[], max: number): string {
  const whole = foldShared(names);
  if (whole.length <= max) return whole;
  const sorted = [...names].sort(compareNames);
  for (let n = Math.min(sorted.length - 1, 64); n > 0; n = Math.floor(n / 2)) {
    const some = foldShared(sorted.slice(0, n));
    if (some.length <= max) return `${some} and ${sorted.length - n} more`;
  }
  return `${sorted.length} names`;
}
