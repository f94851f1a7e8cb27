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

const FIELDS = ['min', 'max', 'mean', 'median', 'firstTime', 'last', 'lastTime', 'interval', 'increase', 'resets', 'zeroSince'] as const;
type Field = (typeof FIELDS)[number];

/** What is known of each series over the window, in columns: as objects a hundred thousand of them fill the heap. */
export class StatsTable {
  /** Series with samples in the window. */
  size = 0;
  readonly #count: Uint32Array;
  readonly #columns: Readonly<Record<Field, Float64Array>>;

  constructor(length: number) {
    this.#count = new Uint32Array(length);
    this.#columns = Object.fromEntries(FIELDS.map((field) => [field, new Float64Array(length)])) as Record<Field, Float64Array>;
  }

  /** Whether the window holds samples of a series. */
  has(index: number): boolean {
    return (this.#count[index] ?? 0) > 0;
  }

  get(index: number, field: Field): number {
    return this.#columns[field][index] as number;
  }

  /** All of one series; undefined where the window holds no sample of it. */
  at(index: number): SeriesStats | undefined {
    if (!this.has(index)) return undefined;
    const stats: Partial<SeriesStats> = { count: this.#count[index] as number };
    for (const field of FIELDS) stats[field] = this.get(index, field);
    return stats as SeriesStats;
  }

  set(index: number, stats: SeriesStats): void {
    if (!this.has(index)) this.size++;
    this.#count[index] = stats.count;
    for (const field of FIELDS) this.#columns[field][index] = stats[field];
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

/** What is remembered of each series, in columns. */
export class MemoryTable {
  readonly #time: Float64Array;
  readonly #value: Float64Array;
  readonly #interval: Float64Array;
  readonly #baseline: Float64Array;

  constructor(length: number) {
    this.#time = new Float64Array(length);
    this.#value = new Float64Array(length);
    this.#interval = new Float64Array(length);
    this.#baseline = new Float64Array(length);
  }

  has(index: number): boolean {
    return (this.#time[index] ?? 0) > 0;
  }

  /** Time of the newest sample; 0 where nothing is remembered. */
  timeOf(index: number): number {
    return this.#time[index] ?? 0;
  }

  valueOf(index: number): number {
    return this.#value[index] as number;
  }

  intervalOf(index: number): number {
    return this.#interval[index] as number;
  }

  at(index: number): Memory | undefined {
    if (!this.has(index)) return undefined;
    return {
      time: this.timeOf(index),
      value: this.valueOf(index),
      interval: this.intervalOf(index),
      baseline: this.#baseline[index] as number,
    };
  }

  set(index: number, { time, value, interval, baseline }: Memory): void {
    this.#time[index] = time;
    this.#value[index] = value;
    this.#interval[index] = interval;
    this.#baseline[index] = baseline;
  }

  forget(index: number): void {
    this.#time[index] = 0;
  }
}
