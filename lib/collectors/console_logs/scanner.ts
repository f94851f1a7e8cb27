/** Windows end in three bytes that are looked up together. */
const BLOCK = 3;
const SLOTS = 65_536;
const LF = 10;

function slotOf(a: number, b: number, c: number): number {
  return ((a << 9) ^ (b << 5) ^ c) & (SLOTS - 1);
}

/**
 * Finds any of many literals in bytes, skipping most of them unread (after Wu and Manber: the shift that three adjacent
 * bytes allow). Its cost hardly depends on how many literals there are, and no input can make it slow: where a window may
 * end, the few literals that share its last five bytes are compared, and each at most once.
 */
export class LiteralScanner {
  private readonly literals: readonly Uint8Array[];
  /** Length of every literal's window: that of the shortest literal. */
  private readonly window: number;
  private readonly shift = new Uint8Array(SLOTS);
  /** Per slot where its literals begin in {@link entries}; 0 = none. */
  private readonly bucket = new Uint16Array(SLOTS);
  /**
   * Runs of: literal + 1, distance of the window's end from the literal's begin, the two bytes before the last three;
   * each run ends with 0.
   */
  private readonly entries: Uint16Array;

  /** @param literals at least five characters each, all Latin-1 */
  constructor(literals: readonly string[]) {
    this.literals = literals.map((text) => Uint8Array.from(text, (c) => c.charCodeAt(0)));
    this.window = Math.min(...this.literals.map((l) => l.length));
    if (this.window < BLOCK + 2) throw new RangeError(`a literal has less than ${BLOCK + 2} characters`);
    this.shift.fill(this.window - BLOCK + 1);
    const bySlot = new Map<number, number[]>();
    for (const [literal, bytes] of this.literals.entries()) {
      const start = rarestWindow(bytes, this.window);
      const last = start + this.window - 1;
      for (let end = start + BLOCK - 1; end <= last; end++) {
        const slot = slotOf(bytes[end - 2] as number, bytes[end - 1] as number, bytes[end] as number);
        this.shift[slot] = Math.min(this.shift[slot] as number, last - end);
        if (end < last) continue;
        const before = ((bytes[end - 4] as number) << 8) | (bytes[end - 3] as number);
        bySlot.set(slot, [...(bySlot.get(slot) ?? []), literal + 1, last, before]);
      }
    }
    const entries = [0];
    for (const [slot, run] of bySlot) {
      this.bucket[slot] = entries.length;
      entries.push(...run, 0);
    }
    this.entries = Uint16Array.from(entries);
  }

  /**
   * The positions where literals begin that lie whole between `from` and `to`, in the order of their lines; a literal may
   * not hold a line end but as its first byte.
   */
  positions(bytes: Uint8Array, from: number, to: number): number[] {
    // Two places are searched in turn: the processor works on one while it waits for the bytes of the other.
    const middle = to - from < 4096 ? to : bytes.indexOf(LF, from + ((to - from) >> 1));
    const first: number[] = [];
    if (middle < 0 || middle >= to) {
      this.search(bytes, from + this.window - 1, from, to, first);
      return first;
    }
    const { shift, window } = this;
    const second: number[] = [];
    let i = from + window - 1;
    let j = middle + window - 1;
    while (i < middle && j < to) {
      const a = shift[(((bytes[i - 2] as number) << 9) ^ ((bytes[i - 1] as number) << 5) ^ (bytes[i] as number)) & (SLOTS - 1)] as number;
      const b = shift[(((bytes[j - 2] as number) << 9) ^ ((bytes[j - 1] as number) << 5) ^ (bytes[j] as number)) & (SLOTS - 1)] as number;
      if (a !== 0) i += a;
      else this.compare(bytes, i++, from, middle, first);
      if (b !== 0) j += b;
      else this.compare(bytes, j++, middle, to, second);
    }
    this.search(bytes, i, from, middle, first);
    this.search(bytes, j, middle, to, second);
    return first.concat(second);
  }

  private search(bytes: Uint8Array, start: number, from: number, to: number, found: number[]): void {
    const { shift } = this;
    let i = start;
    while (i < to) {
      const step = shift[
        (((bytes[i - 2] as number) << 9) ^ ((bytes[i - 1] as number) << 5) ^ (bytes[i] as number)) & (SLOTS - 1)
      ] as number;
      if (step !== 0) i += step;
      else this.compare(bytes, i++, from, to, found);
    }
  }

  /** Compares what may end a window at `i` with the literals that do. */
  private compare(bytes: Uint8Array, i: number, from: number, to: number, found: number[]): void {
    const { entries } = this;
    const slot = (((bytes[i - 2] as number) << 9) ^ ((bytes[i - 1] as number) << 5) ^ (bytes[i] as number)) & (SLOTS - 1);
    const before = ((bytes[i - 4] as number) << 8) | (bytes[i - 3] as number);
    for (let e = this.bucket[slot] as number; entries[e] !== 0; e += 3) {
      if (entries[e + 2] !== before) continue;
      const start = i - (entries[e + 1] as number);
      if (start >= from && this.standsAt((entries[e] as number) - 1, bytes, start, to)) {
        found.push(start);
        return;
      }
    }
  }

  /** Every literal that stands whole between `from` and `to`, each once. */
  all(bytes: Uint8Array, from: number, to: number): number[] {
    const { shift, bucket, entries } = this;
    const hits: number[] = [];
    let i = from + this.window - 1;
    while (i < to) {
      const slot = (((bytes[i - 2] as number) << 9) ^ ((bytes[i - 1] as number) << 5) ^ (bytes[i] as number)) & (SLOTS - 1);
      const step = shift[slot] as number;
      if (step !== 0) {
        i += step;
        continue;
      }
      const before = ((bytes[i - 4] as number) << 8) | (bytes[i - 3] as number);
      for (let e = bucket[slot] as number; entries[e] !== 0; e += 3) {
        if (entries[e + 2] !== before) continue;
        const start = i - (entries[e + 1] as number);
        const literal = (entries[e] as number) - 1;
        if (start >= from && !hits.includes(literal) && this.standsAt(literal, bytes, start, to)) hits.push(literal);
      }
      i++;
    }
    return hits;
  }

  private standsAt(literal: number, bytes: Uint8Array, start: number, to: number): boolean {
    const wanted = this.literals[literal] as Uint8Array;
    if (start + wanted.length > to) return false;
    for (let i = 0; i < wanted.length; i++) if (bytes[start + i] !== wanted[i]) return false;
    return true;
  }
}

/** The part of a literal whose bytes are rarest in logs: a shift is the longer, and a candidate the rarer. */
function rarestWindow(bytes: Uint8Array, length: number): number {
  let best = 0;
  let bestScore = -1;
  for (let start = 0; start + length <= bytes.length; start++) {
    let score = 0;
    for (let i = start; i < start + length; i++) score += rarity(bytes[i] as number);
    for (let i = start + length - BLOCK; i < start + length; i++) score += 2 * rarity(bytes[i] as number);
    if (score > bestScore) {
      bestScore = score;
      best = start;
    }
  }
  return best;
}

function rarity(byte: number): number {
  const c = String.fromCharCode(byte);
  if ('etaoinsr '.includes(c)) return 1;
  if (/[a-z0-9]/.test(c)) return 'jkqvwxyz'.includes(c) ? 5 : 3;
  if (':.[]-'.includes(c)) return 2;
  return 6;
}
