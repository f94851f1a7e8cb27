/**
 * Finds any of many literals in bytes, skipping most of them unread (after Wu and Manber: the shift that two adjacent
 * bytes allow). Its cost hardly depends on how many literals there are, and no input can make it slow: what ends a
 * window is looked at once, and a candidate costs at most the length of the literals that share its last two bytes.
 */
export class LiteralScanner {
  /** The literal that {@link next} found last. */
  found = -1;
  private readonly literals: readonly Uint8Array[];
  private readonly window: number;
  private readonly shift = new Uint8Array(65536);
  /** Per pair of bytes the literals whose window ends in it. */
  private readonly bucket = new Uint16Array(65536);
  private readonly buckets: { literal: number; before: number }[][] = [[]];

  /** @param literals at least two characters each, all Latin-1 */
  constructor(literals: readonly string[]) {
    this.literals = literals.map((text) => Uint8Array.from(text, (c) => c.charCodeAt(0)));
    this.window = Math.min(...literals.map((l) => l.length));
    this.shift.fill(this.window - 1);
    for (const [literal, bytes] of this.literals.entries()) this.add(literal, bytes);
  }

  private add(literal: number, bytes: Uint8Array): void {
    const start = rarestWindow(bytes, this.window);
    const last = this.window - 1;
    for (let i = 1; i <= last; i++) {
      const pair = ((bytes[start + i - 1] as number) << 8) | (bytes[start + i] as number);
      this.shift[pair] = Math.min(this.shift[pair] as number, last - i);
      if (i < last) continue;
      const at = (this.bucket[pair] ||= this.buckets.push([]) - 1);
      (this.buckets[at] as { literal: number; before: number }[]).push({ literal, before: start + last });
    }
  }

  /**
   * The position where some literal begins that lies whole within `from` and `to`, none of an earlier line being passed
   * over; -1 where there is none. {@link found} tells which.
   */
  next(bytes: Uint8Array, from: number, to: number): number {
    const { shift } = this;
    let i = from + this.window - 1;
    while (i < to) {
      const pair = ((bytes[i - 1] as number) << 8) | (bytes[i] as number);
      const step = shift[pair] as number;
      if (step > 0) {
        i += step;
        continue;
      }
      for (const { literal, before } of this.buckets[this.bucket[pair] as number] as { literal: number; before: number }[]) {
        const start = i - before;
        if (start < from || !this.standsAt(literal, bytes, start, to)) continue;
        this.found = literal;
        return start;
      }
      i++;
    }
    return -1;
  }

  /** Every literal that stands within `from` and `to`, each once, in the order of their indexes. */
  all(bytes: Uint8Array, from: number, to: number): number[] {
    const { shift } = this;
    const hits = new Set<number>();
    let i = from + this.window - 1;
    while (i < to) {
      const pair = ((bytes[i - 1] as number) << 8) | (bytes[i] as number);
      const step = shift[pair] as number;
      if (step > 0) {
        i += step;
        continue;
      }
      for (const { literal, before } of this.buckets[this.bucket[pair] as number] as { literal: number; before: number }[]) {
        const start = i - before;
        if (start >= from && this.standsAt(literal, bytes, start, to)) hits.add(literal);
      }
      i++;
    }
    return [...hits].sort((a, b) => a - b);
  }

  private standsAt(literal: number, bytes: Uint8Array, start: number, to: number): boolean {
    const wanted = this.literals[literal] as Uint8Array;
    if (start + wanted.length > to) return false;
    for (let i = 0; i < wanted.length; i++) if (bytes[start + i] !== wanted[i]) return false;
    return true;
  }
}

/** The part of a literal whose bytes are rarest in logs: capitals, digits and punctuation before common letters. */
function rarestWindow(bytes: Uint8Array, length: number): number {
  let best = 0;
  let bestScore = -1;
  for (let start = 0; start + length <= bytes.length; start++) {
    let score = 0;
    for (let i = start; i < start + length; i++) score += rarity(bytes[i] as number);
    // The end of the window decides how often a candidate must be looked at.
    score += 2 * (rarity(bytes[start + length - 1] as number) + rarity(bytes[start + length - 2] as number));
    if (score > bestScore) {
      bestScore = score;
      best = start;
    }
  }
  return best;
}

function rarity(byte: number): number {
  const c = String.fromCharCode(byte);
  if (' 0'.includes(c)) return 0;
  if ('etaoinsr123'.includes(c)) return 1;
  if (/[a-z0-9:[\]]/.test(c)) return 2;
  return 3;
}
