/** Why a text or a JSON value is no reading: absent or blank, not a decimal number, or NaN and the infinities. */
export type ValueFault = 'missing' | 'malformed' | 'nonFinite';

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const NON_FINITE = /^[+-]?(?:nan|inf|infinity)$/i;
/** No decimal that a sensor sends is longer; the bound keeps hostile texts cheap. */
const LONGEST_NUMBER = 64;

/** The members under which Avro's JSON encoding wraps the branches of a union: `{"string": "ASIC"}`. */
const UNION_BRANCHES = new Set(['string', 'int', 'long', 'float', 'double', 'boolean']);

/** A value out of Avro's JSON union encoding; anything else as it is. */
export function unwrapUnion(raw: unknown): unknown {
  if (raw === null || typeof raw !== 'object') return raw;
  const keys = Object.keys(raw);
  const key = keys[0];
  return keys.length === 1 && key !== undefined && UNION_BRANCHES.has(key) ? (raw as Record<string, unknown>)[key] : raw;
}

/**
 * A reading as a finite number. Only JSON numbers and plain decimals count: `Number()` alone would take `""`, `null`,
 * `true` and `0x1F` for readings.
 */
export function readingOf(raw: unknown): number | ValueFault {
  if (typeof raw === 'number') return Number.isFinite(raw) ? raw : 'nonFinite';
  if (typeof raw === 'string') {
    if (raw.length > LONGEST_NUMBER) return 'malformed';
    if (DECIMAL.test(raw)) {
      const value = Number(raw);
      return Number.isFinite(value) ? value : 'nonFinite';
    }
    if (raw.trim() === '') return 'missing';
    return NON_FINITE.test(raw) ? 'nonFinite' : 'malformed';
  }
  if (raw === null || raw === undefined) return 'missing';
  const inner = unwrapUnion(raw);
  return inner === raw ? 'malformed' : readingOf(inner);
}

/** A text, out of an Avro union where it stands in one; empty for anything that is none. */
export function textOfField(raw: unknown): string {
  if (typeof raw === 'string') return raw;
  if (typeof raw === 'number') return String(raw);
  if (raw === null || typeof raw !== 'object') return '';
  const inner = unwrapUnion(raw);
  return inner === raw ? '' : textOfField(inner);
}

/** An epoch number in ms; its unit goes by its magnitude, since none is on the wire: s, ms, µs or ns. */
export function epochToMs(value: number): number {
  if (!(value > 0)) return Number.NaN;
  if (value < 1e11) return value * 1e3;
  if (value < 1e14) return value;
  if (value < 1e17) return value / 1e3;
  return value / 1e6;
}

const ISO = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,12})?)?(Z|z|[+-]\d{2}:?\d{2})?$/;

/** Reads times of any spelling that the formats use. Keeps the last text, since sensors of one message share it. */
export class TimeReader {
  /** How many times carried no zone and were read as UTC. */
  assumedUtc = 0;
  #text = '';
  #ms = Number.NaN;
  #zoned = true;

  /** Milliseconds since the epoch, whole; NaN where there is no time to be read. */
  read(raw: unknown): number {
    if (typeof raw === 'number') return Math.floor(epochToMs(raw));
    if (typeof raw !== 'string') {
      const inner = unwrapUnion(raw);
      return inner === raw ? Number.NaN : this.read(inner);
    }
    if (raw !== this.#text) {
      this.#text = raw;
      this.#parse(raw);
    }
    if (!this.#zoned) this.assumedUtc++;
    return this.#ms;
  }

  #parse(text: string): void {
    this.#zoned = true;
    this.#ms = Number.NaN;
    if (text.length > LONGEST_NUMBER) return;
    const iso = ISO.exec(text);
    if (iso) {
      this.#zoned = iso[1] !== undefined;
      const plain = text.replace(' ', 'T').replace(',', '.');
      this.#ms = Math.floor(Date.parse(this.#zoned ? plain.replace(/z$/, 'Z').replace(/([+-]\d{2})(\d{2})$/, '$1:$2') : `${plain}Z`));
    } else if (DECIMAL.test(text)) this.#ms = Math.floor(epochToMs(Number(text)));
  }
}
