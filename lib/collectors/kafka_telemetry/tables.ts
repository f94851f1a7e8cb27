/** One series over the window. */
export interface SeriesStats {
  count: number;
  min: number;
  max: number;
  mean: number;
  /** NaN but of quantities that are judged by what they usually show. */
  median: number;
  firstTime: number;
  last: number;
  lastTime: number;
  /** Usual time from sample to sample, ms; 0 where it cannot be told. */
  interval: number;
  /** Of counters: how much it grew, and how often it began anew. */
  increase: number;
  resets: number;
  /** Since when it shows nothing but (nearly) zero; NaN where it does not. */
  zeroSince: number;
}

/** Where each number stands in the row of its series. */
const PLACES = {
  count: 0,
  min: 1,
  max: 2,
  mean: 3,
  median: 4,
  firstTime: 5,
  last: 6,
  lastTime: 7,
  interval: 8,
  increase: 9,
  resets: 10,
  zeroSince: 11,
} as const;
const WIDTH = 12;

/**
 * What is known of each series over the window, in rows of one table: as objects a hundred thousand of them fill the heap,
 * and what is asked of one series lies together.
 */
export class StatsTable {
  /** Series with samples in the window. */
  size = 0;
  readonly #rows: Float64Array;

  constructor(length: number) {
    this.#rows = new Float64Array(length * WIDTH);
  }

  /** Whether the window holds samples of a series. */
  has(index: number): boolean {
    return (this.#rows[index * WIDTH] ?? 0) > 0;
  }

  get(index: number, field: keyof SeriesStats): number {
    return this.#rows[index * WIDTH + PLACES[field]] as number;
  }

  /** All of one series; undefined where the window holds no sample of it. */
  at(index: number): SeriesStats | undefined {
    if (!this.has(index)) return undefined;
    const at = index * WIDTH;
    const rows = this.#rows;
    return {
      count: rows[at] as number,
      min: rows[at + PLACES.min] as number,
      max: rows[at + PLACES.max] as number,
      mean: rows[at + PLACES.mean] as number,
      median: rows[at + PLACES.median] as number,
      firstTime: rows[at + PLACES.firstTime] as number,
      last: rows[at + PLACES.last] as number,
      lastTime: rows[at + PLACES.lastTime] as number,
      interval: rows[at + PLACES.interval] as number,
      increase: rows[at + PLACES.increase] as number,
      resets: rows[at + PLACES.resets] as number,
      zeroSince: rows[at + PLACES.zeroSince] as number,
    };
  }

  set(index: number, stats: SeriesStats): void {
    if (!this.has(index)) this.size++;
    const at = index * WIDTH;
    const rows = this.#rows;
    rows[at] = stats.count;
    rows[at + PLACES.min] = stats.min;
    rows[at + PLACES.max] = stats.max;
    rows[at + PLACES.mean] = stats.mean;
    rows[at + PLACES.median] = stats.median;
    rows[at + PLACES.firstTime] = stats.firstTime;
    rows[at + PLACES.last] = stats.last;
    rows[at + PLACES.lastTime] = stats.lastTime;
    rows[at + PLACES.interval] = stats.interval;
    rows[at + PLACES.increase] = stats.increase;
    rows[at + PLACES.resets] = stats.resets;
    rows[at + PLACES.zeroSince] = stats.zeroSince;
  }
}

/** What one run hands on of a series. */
export interface Memory {
  /** Its newest sample. */
  time: number;
  value: number;
  /** Its usual time from sample to sample, ms; 0 where only one was seen. */
  interval: number;
  /** What it usually shows; NaN but of quantities that are judged by it. */
  baseline: number;
}

const MEMORY_WIDTH = 4;

/** What is remembered of each series, in rows of one table. */
export class MemoryTable {
  readonly #rows: Float64Array;

  constructor(length: number) {
    this.#rows = new Float64Array(length * MEMORY_WIDTH);
  }

  has(index: number): boolean {
    return (this.#rows[index * MEMORY_WIDTH] ?? 0) > 0;
  }

  /** Time of the newest sample; 0 where nothing is remembered. */
  timeOf(index: number): number {
    return this.#rows[index * MEMORY_WIDTH] ?? 0;
  }

  valueOf(index: number): number {
    return this.#rows[index * MEMORY_WIDTH + 1] as number;
  }

  intervalOf(index: number): number {
    return this.#rows[index * MEMORY_WIDTH + 2] as number;
  }

  at(index: number): Memory | undefined {
    if (!this.has(index)) return undefined;
    const at = index * MEMORY_WIDTH;
    return {
      time: this.#rows[at] as number,
      value: this.#rows[at + 1] as number,
      interval: this.#rows[at + 2] as number,
      baseline: this.#rows[at + 3] as number,
    };
  }

  set(index: number, { time, value, interval, baseline }: Memory): void {
    const at = index * MEMORY_WIDTH;
    this.#rows[at] = time;
    this.#rows[at + 1] = value;
    this.#rows[at + 2] = interval;
    this.#rows[at + 3] = baseline;
  }

  forget(index: number): void {
    this.#rows[index * MEMORY_WIDTH] = 0;
  }
}
