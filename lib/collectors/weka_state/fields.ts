import type { JsonObject } from '../../model/json.ts';
import { oneLine } from '../../model/text.ts';

/** A capacity or limit that Weka reports as "no limit": 2^64 − 1, which JSON.parse rounds to 18446744073709552000. */
export const UNLIMITED = Symbol('unlimited');
export type Amount = number | typeof UNLIMITED | null;

/** `active` of `total`. */
export interface Ratio {
  active: number;
  total: number;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A member of a record; undefined where the record is none or does not have it itself. */
export function member(record: unknown, key: string): unknown {
  return isObject(record) && Object.hasOwn(record, key) ? record[key] : undefined;
}

/** The first of several names of the same member that holds something: v4's name before v3's. */
export function firstOf(record: unknown, ...keys: string[]): unknown {
  for (const key of keys) {
    const value = member(record, key);
    if (value !== undefined && value !== null && value !== '') return value;
  }
  return undefined;
}

/** A short printable text; null for what is empty or no text. */
export function text(value: unknown, max = 80): string | null {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  if (typeof value !== 'string') return null;
  const line = oneLine(value, max);
  return line === '' ? null : line;
}

/** A state such as `ACTIVE`, in capitals whatever the version writes; null where there is none. */
export function state(value: unknown): string | null {
  return typeof value === 'string' ? (text(value, 32)?.toUpperCase() ?? null) : null;
}

/** A truth value, also where a version writes it as text. */
export function flag(value: unknown): boolean | null {
  if (typeof value === 'boolean') return value;
  if (value === 'true' || value === 'True') return true;
  if (value === 'false' || value === 'False') return false;
  return null;
}

const DECIMAL = /^[+-]?(?:\d{1,40}(?:\.\d{0,40})?|\.\d{1,40})(?:[eE][+-]?\d{1,3})?$/;

/** A finite number, also where a version writes it as text (`"load": "55"`); never a guess from anything else. */
export function number(value: unknown): number | null {
  const n = typeof value === 'string' && DECIMAL.test(value) ? Number(value) : value;
  return typeof n === 'number' && Number.isFinite(n) ? n : null;
}

/** A number that cannot be below zero. */
export function positive(value: unknown): number | null {
  const n = number(value);
  return n !== null && n >= 0 ? n : null;
}

/** A count. */
export function count(value: unknown): number | null {
  const n = positive(value);
  return n !== null && Number.isSafeInteger(n) ? n : null;
}

/**
 * Bytes, or another amount that may have no limit. Above 2^53 the last bytes are lost, which no share can tell.
 * @returns null where nothing usable is written, a negative number included
 */
export function amount(value: unknown): Amount {
  const n = positive(value);
  return n !== null && n >= 2 ** 63 ? UNLIMITED : n;
}

export function limited(value: Amount): number | null {
  return typeof value === 'number' ? value : null;
}

/** `{active, total}`, or v3's `{active_count, total_count}`. */
export function ratio(value: unknown): Ratio | null {
  const active = count(firstOf(value, 'active', 'active_count'));
  const total = count(firstOf(value, 'total', 'total_count'));
  return active === null || total === null ? null : { active, total };
}

const ISO = /^(\d{4})-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?$/;

/** An ISO 8601 time (Weka writes 6 to 9 digits of fraction) in ms since the epoch; without a zone it is UTC, as all of Weka's are. */
export function instant(value: unknown): number | null {
  if (typeof value !== 'string' || value.length > 40) return null;
  const m = ISO.exec(value);
  if (!m || Number(m[1]) < 1990) return null;
  const ms = Date.parse(m[2] === undefined ? `${value}Z` : value);
  return Number.isNaN(ms) ? null : ms;
}

/** `DiskId` of `DiskId<17>`; null for another form, and for `DiskId<INVALID>`. */
export function idTag(value: unknown): string | null {
  const m = typeof value === 'string' ? /^([A-Za-z]{1,32})<(\d{1,20})>$/.exec(value) : null;
  return m ? (m[1] as string) : null;
}

/** A percentage for people: `96.4 %`, `0.03 %`; never 0 for what is more, never 100 for what is less. */
export function percentText(percent: number): string {
  if (percent > 0 && percent < 0.01) return 'under 0.01 %';
  const near = percent > 99.9 && percent < 100 ? Math.floor(percent * 100) / 100 : Number(percent.toFixed(percent < 10 ? 2 : 1));
  return `${near} %`;
}

/** A share as it is stored: five digits tell more than any of them is worth. */
export function roundShare(share: number): number {
  return Number(share.toPrecision(5));
}
