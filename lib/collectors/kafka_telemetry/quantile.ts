/** Up to this many values a quantile is exact. */
const EXACT = 10_000;
/** Relative error of the sketch: a quantile is within this share of a value that is one. */
export const SKETCH_ERROR = 0.01;
const GAMMA = (1 + SKETCH_ERROR) / (1 - SKETCH_ERROR);
const LOG_GAMMA = Math.log(GAMMA);
/** Values nearer to zero than this are zero to the sketch. */
const TINY = 1e-9;

/**
 * A quantile of any number of values in bounded memory: exact for a few, beyond that from a histogram with logarithmic
 * bins (DDSketch: Masson, Rim, Lee, VLDB 2019). The order of the values makes no difference.
 */
export class Quantile {
  #exact: Float64Array = new Float64Array(64);
  #count = 0;
  #bins: Map<number, number> | null = null;

  add(value: number): void {
    if (this.#bins !== null) this.#bin(this.#bins, value);
    else if (this.#count < EXACT) {
      if (this.#count === this.#exact.length) {
        const wider = new Float64Array(this.#exact.length * 2);
        wider.set(this.#exact);
        this.#exact = wider;
      }
      this.#exact[this.#count] = value;
    } else {
      const bins = new Map<number, number>();
      for (let i = 0; i < this.#count; i++) this.#bin(bins, this.#exact[i] as number);
      this.#bin(bins, value);
      this.#bins = bins;
      this.#exact = new Float64Array(0);
    }
    this.#count++;
  }

  /** Relative error of what {@link at} answers. */
  get error(): number {
    return this.#bins === null ? 0 : SKETCH_ERROR;
  }

  /** The value at a share of all (0.95: the 95th percentile by nearest rank); NaN where there is none. */
  at(share: number): number {
    if (this.#count === 0) return Number.NaN;
    const rank = Math.max(1, Math.ceil(share * this.#count));
    if (this.#bins === null) return this.#exact.slice(0, this.#count).sort()[rank - 1] as number;
    let seen = 0;
    const bins = [...this.#bins].sort(([a], [b]) => a - b);
    for (const [bin, count] of bins) {
      seen += count;
      if (seen >= rank) return valueOf(bin);
    }
    return Number.NaN;
  }

  #bin(bins: Map<number, number>, value: number): void {
    const size = Math.abs(value);
    // Bins of negative values lie below those of zero and of positive ones.
    const bin = size < TINY ? 0 : Math.sign(value) * (Math.ceil(Math.log(size / TINY) / LOG_GAMMA) + 1);
    bins.set(bin, (bins.get(bin) ?? 0) + 1);
  }
}

function valueOf(bin: number): number {
  if (bin === 0) return 0;
  return (Math.sign(bin) * TINY * (2 * GAMMA ** (Math.abs(bin) - 1))) / (GAMMA + 1);
}

/** The middle of some values; NaN where there is none. Sorts them in place. */
export function medianOf(values: number[] | Float64Array): number {
  if (values.length === 0) return Number.NaN;
  const sorted = values instanceof Float64Array ? values.sort() : values.sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const high = sorted[middle] as number;
  return sorted.length % 2 === 1 ? high : ((sorted[middle - 1] as number) + high) / 2;
}
