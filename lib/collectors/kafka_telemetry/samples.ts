const CHUNK_BITS = 12;
const CHUNK = 1 << CHUNK_BITS;
const MASK = CHUNK - 1;

interface Chunk {
  series: Uint32Array;
  time: Float64Array;
  value: Float64Array;
}

/** A well-mixed 32-bit hash of a series' own hash and a time: what decides which samples stay when there are too many. */
function mix(seed: number, time: number): number {
  let h = seed ^ Math.imul(time >>> 0, 0x9e3779b1) ^ Math.imul(Math.floor(time / 4294967296), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 16), 0x21f0aaad);
  h = Math.imul(h ^ (h >>> 15), 0x735a2d97);
  return (h ^ (h >>> 15)) >>> 0;
}

/**
 * FNV-1a over UTF-16 code units: the same for a series in every run, whatever its index.
 * @param begin the hash of what stands before the text
 */
export function hashText(text: string, begin = 0x811c9dc5): number {
  let h = begin;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return h >>> 0;
}

interface Sorted {
  order: Uint32Array;
  /** Where each series begins in it. */
  starts: Uint32Array;
}

/** The samples of one series in the order of time, in buffers that the next run overwrites. */
export interface Run {
  series: number;
  length: number;
  time: Float64Array;
  value: Float64Array;
}

/**
 * Samples in columns, 20 bytes each, within a budget. Where repeated samples and those that are too old do not make room
 * for more, every second one goes, by a hash of series and time: what stays is an even share of all, whatever their order.
 */
export class SampleStore {
  /** One sample in `2 ** thinning` is kept. */
  thinning = 0;
  /** Samples of a series and time that were there already. */
  duplicates = 0;
  /** Those of them that gave another value; the greatest is kept. */
  conflicts = 0;
  /** Samples dropped because they lay before any window that could still be. */
  late = 0;
  /** Samples dropped because the last window had them already. */
  covered = 0;
  readonly #budget: number;
  readonly #room: number;
  readonly #hashes: readonly number[];
  #chunks: Chunk[] = [];
  #length = 0;
  /** No sample is older; those without a time of their own are older than any. */
  #oldest = Number.POSITIVE_INFINITY;
  /** The order of all samples, while none has come or gone since. */
  #sorted: Sorted | null = null;

  /** @param hashes per series the hash of its name; it grows while samples are added */
  constructor(budget: number, hashes: readonly number[]) {
    this.#budget = budget;
    // Room for a quarter more, so that each clean-up is paid for by many samples.
    this.#room = Math.ceil(budget * 1.25);
    this.#hashes = hashes;
  }

  get length(): number {
    return this.#length;
  }

  /** Adds a sample; `from` is where the window begins as far as is known. */
  add(series: number, time: number, value: number, from: number): void {
    if (this.#length >= this.#room) this.compact(from);
    if (this.thinning > 0 && !this.#stays(series, time)) return;
    let chunk = this.#chunks[this.#length >>> CHUNK_BITS];
    if (chunk === undefined) {
      chunk = { series: new Uint32Array(CHUNK), time: new Float64Array(CHUNK), value: new Float64Array(CHUNK) };
      this.#chunks.push(chunk);
    }
    const at = this.#length & MASK;
    chunk.series[at] = series;
    chunk.time[at] = time;
    chunk.value[at] = value;
    if (time < this.#oldest) this.#oldest = time;
    this.#length++;
    this.#sorted = null;
  }

  #stays(series: number, time: number): boolean {
    return (mix(this.#hashes[series] as number, time) & ((1 << this.thinning) - 1)) === 0;
  }

  /**
   * Drops what lies before `floor` or does not belong to the window, then repeated samples, then thins what is over the
   * budget.
   * @param from what is as new as this belongs to the window without a question
   */
  compact(floor: number, from = floor, belongs?: (series: number, time: number) => boolean): void {
    if (this.#oldest < Math.max(floor, from))
      this.#filter((chunk, at) => {
        const time = chunk.time[at] as number;
        if (time < 0) return true;
        if (time < floor) this.late++;
        else if (belongs !== undefined && time < from && !belongs(chunk.series[at] as number, time)) this.covered++;
        else return true;
        return false;
      });
    const repeated = this.#repeated();
    if (repeated !== null) this.#filter((_, __, index) => repeated[index] === 0);
    while (this.#length > this.#budget && this.thinning < 30) {
      this.thinning++;
      this.#filter((chunk, at) => this.#stays(chunk.series[at] as number, chunk.time[at] as number));
    }
  }

  /** Lets all samples go. */
  clear(): void {
    this.#chunks = [];
    this.#length = 0;
    this.#sorted = null;
  }

  /** How many samples have a time of their own. */
  countDated(): number {
    let dated = 0;
    for (let i = 0; i < this.#length; i++) if (((this.#chunks[i >>> CHUNK_BITS] as Chunk).time[i & MASK] as number) >= 0) dated++;
    return dated;
  }

  /** Turns negative times, which are not the samples' own, into positive ones up to `cap`. @returns the greatest of them */
  settleTimes(cap: number): number {
    let greatest = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < this.#length; i++) {
      const { time } = this.#chunks[i >>> CHUNK_BITS] as Chunk;
      const at = i & MASK;
      const given = time[at] as number;
      if (given >= 0) continue;
      this.#sorted = null;
      time[at] = Math.min(-given, cap);
      greatest = Math.max(greatest, time[at]);
    }
    return greatest;
  }

  /** Calls back with the samples of each of the given series that has any. Call {@link compact} first. */
  forEachRun(wanted: Iterable<number>, visit: (run: Run) => void): void {
    const { order, starts } = this.#bySeries();
    let time = new Float64Array(1024);
    let value = new Float64Array(1024);
    for (const series of wanted) {
      const start = starts[series] as number;
      const length = (starts[series + 1] as number) - start;
      if (length === 0) continue;
      if (length > time.length) {
        time = new Float64Array(length * 2);
        value = new Float64Array(length * 2);
      }
      for (let i = 0; i < length; i++) {
        const index = order[start + i] as number;
        const chunk = this.#chunks[index >>> CHUNK_BITS] as Chunk;
        time[i] = chunk.time[index & MASK] as number;
        value[i] = chunk.value[index & MASK] as number;
      }
      visit({ series, length, time, value });
    }
  }

  /** Which samples repeat an earlier one, by index; null where none does. */
  #repeated(): Uint8Array | null {
    const { order, starts } = this.#bySeries();
    let marks: Uint8Array | null = null;
    for (let series = 0; series + 1 < starts.length; series++) {
      const end = starts[series + 1] as number;
      for (let i = (starts[series] as number) + 1; i < end; i++) {
        const [a, b] = [order[i - 1] as number, order[i] as number];
        if (this.#timeOf(a) !== this.#timeOf(b)) continue;
        // In one time the order is by value, so the last one, the greatest, stays.
        marks ??= new Uint8Array(this.#length);
        marks[a] = 1;
        this.duplicates++;
        if (this.#valueOf(a) !== this.#valueOf(b)) this.conflicts++;
      }
    }
    return marks;
  }

  #timeOf(index: number): number {
    return (this.#chunks[index >>> CHUNK_BITS] as Chunk).time[index & MASK] as number;
  }

  #valueOf(index: number): number {
    return (this.#chunks[index >>> CHUNK_BITS] as Chunk).value[index & MASK] as number;
  }

  /** The indices of all samples by series, then time, then value, and where each series begins in them. */
  #bySeries(): Sorted {
    if (this.#sorted !== null) return this.#sorted;
    const starts = new Uint32Array(this.#hashes.length + 1);
    for (let i = 0; i < this.#length; i++) {
      const series = (this.#chunks[i >>> CHUNK_BITS] as Chunk).series[i & MASK] as number;
      starts[series + 1] = (starts[series + 1] as number) + 1;
    }
    for (let s = 1; s < starts.length; s++) starts[s] = (starts[s] as number) + (starts[s - 1] as number);
    const next = starts.slice();
    const order = new Uint32Array(this.#length);
    for (let i = 0; i < this.#length; i++) {
      const series = (this.#chunks[i >>> CHUNK_BITS] as Chunk).series[i & MASK] as number;
      const at = next[series] as number;
      order[at] = i;
      next[series] = at + 1;
    }
    const compare = (a: number, b: number): number => this.#timeOf(a) - this.#timeOf(b) || this.#valueOf(a) - this.#valueOf(b);
    for (let s = 0; s + 1 < starts.length; s++) {
      const [start, end] = [starts[s] as number, starts[s + 1] as number];
      let last = start < end ? this.#timeOf(order[start] as number) : 0;
      for (let i = start + 1; i < end; i++) {
        const time = this.#timeOf(order[i] as number);
        const isBehind = time > last || (time === last && this.#valueOf(order[i - 1] as number) <= this.#valueOf(order[i] as number));
        last = time;
        if (isBehind) continue;
        order.subarray(start, end).sort(compare);
        break;
      }
    }
    this.#sorted = { order, starts };
    return this.#sorted;
  }

  /** Keeps what passes, in order, and lets go of the chunks that are then empty. */
  #filter(keep: (chunk: Chunk, at: number, index: number) => boolean): void {
    let kept = 0;
    for (let i = 0; i < this.#length; i++) {
      const from = this.#chunks[i >>> CHUNK_BITS] as Chunk;
      const at = i & MASK;
      if (!keep(from, at, i)) continue;
      const to = this.#chunks[kept >>> CHUNK_BITS] as Chunk;
      const slot = kept & MASK;
      to.series[slot] = from.series[at] as number;
      to.time[slot] = from.time[at] as number;
      to.value[slot] = from.value[at] as number;
      kept++;
    }
    if (kept === this.#length) return;
    this.#sorted = null;
    this.#length = kept;
    this.#chunks = this.#chunks.slice(0, Math.max(1, Math.ceil(kept / CHUNK)));
  }
}
