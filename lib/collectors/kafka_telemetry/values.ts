/** Why a text or a JSON value is no reading: absent or blank, not a decimal number, or NaN and the infinities. */
export type ValueFault = 'missing' | 'malformed' | 'nonFinite';

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const NON_FINITE = /^[+-]?(?:nan|inf|infinity)$/i;
/** No decimal that a sensor sends is longer; the bound keeps hostile texts cheap. */
const LONGEST_NUMBER = 64;

/** A copy of a text: a piece of a larger one would keep all of that in memory. */
export function detached(text: string): string {
  return JSON.parse(JSON.stringify(text)) as string;
}

/** The members under which Avro's JSON encoding wraps the branches of a union: `{"string": "ASIC"}`. */
const UNION_BRANCHES = new Set(['string', 'int', 'long', 'float', 'double', 'boolean']);

/** A value out of Avro's JSON union encoding, in which no union stands in another; anything else as it is. */
function unwrapUnion(raw: unknown): unknown {
  if (raw === null || typeof raw !== 'object') return raw;
  const keys = Object.keys(raw);
  const key = keys[0];
  if (keys.length !== 1 || key === undefined || !UNION_BRANCHES.has(key)) return raw;
  const inner = (raw as Record<string, unknown>)[key];
  return inner !== null && typeof inner === 'object' ? raw : inner;
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

/** Powers of ten that a double holds exactly, as far as readings have places. */
const TENS = Float64Array.from({ length: 16 }, (_, n) => 10 ** n);

/** A short plain decimal as `Number()` reads it; NaN for anything else, which may be a number too. */
export function decimalOf(text: string): number {
  const { length } = text;
  const negative = text.charCodeAt(0) === 45;
  // Up to 15 digits are exact, and so is the power of ten: their quotient is the nearest double.
  if (length > 16) return Number.NaN;
  let digits = 0;
  let value = 0;
  let point = -1;
  for (let at = negative ? 1 : 0; at < length; at++) {
    const digit = text.charCodeAt(at) - 48;
    if (digit >= 0 && digit <= 9) {
      value = value * 10 + digit;
      digits++;
    } else if (digit === -2 && point < 0 && digits > 0) point = digits;
    else return Number.NaN;
  }
  if (digits === 0 || digits > 15 || point === digits) return Number.NaN;
  const size = point < 0 ? value : value / (TENS[digits - point] as number);
  return negative ? -size : size;
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

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** The number that two digits make; NaN where they are none. */
function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 48;
  const ones = text.charCodeAt(at + 1) - 48;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN;
}

/** `Z`, `+01:00`, `+0100` at an offset of a text → minutes; NaN for anything else that stands there. */
function zoneMinutes(text: string, at: number): number {
  const rest = text.slice(at);
  if (rest === 'Z' || rest === 'z') return 0;
  const m = /^([+-])(\d{2}):?(\d{2})$/.exec(rest);
  return m === null ? Number.NaN : (m[1] === '-' ? -1 : 1) * (Number(m[2]) * 60 + Number(m[3]));
}

/**
 * Reads times of any spelling that the formats use. It parses ISO texts itself: they come with every sample, and their
 * day hardly ever changes.
 */
export class TimeReader {
  /** How many times carried no zone and were read as UTC. */
  assumedUtc = 0;
  #day = '';
  #dayMs = Number.NaN;

  /** Milliseconds since the epoch, whole; NaN where there is no time to be read. */
  read(raw: unknown): number {
    if (typeof raw === 'number') return Math.floor(epochToMs(raw));
    if (typeof raw === 'string') {
      if (raw.charCodeAt(4) === 45 && raw.length >= 16) return this.#iso(raw);
      return raw.length <= LONGEST_NUMBER && DECIMAL.test(raw) ? Math.floor(epochToMs(Number(raw))) : Number.NaN;
    }
    const inner = unwrapUnion(raw);
    return inner === raw ? Number.NaN : this.read(inner);
  }

  /** `2026-11-30T08:45[:00[.123456789]][Z|±hh:mm]`, with a blank in place of the `T` and a comma of the point. */
  #iso(text: string): number {
    if (text.length > LONGEST_NUMBER || !text.startsWith(this.#day) || this.#day === '') {
      const day = text.slice(0, 10);
      if (text.length > LONGEST_NUMBER || !DAY.test(day)) return Number.NaN;
      this.#day = day;
      this.#dayMs = Date.parse(day);
    }
    const separator = text.charCodeAt(10);
    const hours = twoDigits(text, 11);
    const minutes = twoDigits(text, 14);
    if ((separator !== 84 && separator !== 32) || text.charCodeAt(13) !== 58 || !(hours <= 23) || !(minutes <= 59)) return Number.NaN;
    let ms = this.#dayMs + hours * 36e5 + minutes * 6e4;
    let at = 16;
    if (text.charCodeAt(at) === 58) {
      const seconds = twoDigits(text, 17);
      if (!(seconds <= 60)) return Number.NaN;
      ms += seconds * 1e3;
      at = 19;
      const point = text.charCodeAt(at);
      if (point === 46 || point === 44) {
        let unit = 100;
        for (at++; ; at++) {
          const digit = text.charCodeAt(at) - 48;
          if (!(digit >= 0 && digit <= 9)) break;
          // Whole milliseconds only: what is finer tells no two samples of a sensor apart.
          if (unit >= 1) ms += digit * unit;
          unit /= 10;
        }
        if (unit === 100) return Number.NaN;
      }
    }
    if (at === text.length) {
      this.assumedUtc++;
      return ms;
    }
    return ms - (text.charCodeAt(at) === 90 && at + 1 === text.length ? 0 : zoneMinutes(text, at) * 6e4);
  }
}
