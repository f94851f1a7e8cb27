import { MONTHS, wallTimeOf } from './prefix.ts';

const HEAD = bytesOf('[-- MARK -- ');
const CR = 0x0d;
const SPACE = 0x20;
const COLON = 0x3a;
const CLOSING = 0x5d;
/** `[-- MARK -- Mon Jan 25 14:46:56 1999]` */
const LENGTH = 37;

const WEEKDAYS = new Set(['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'].map(nameOf));
const MONTH_OF = new Map(MONTHS.map((name, month) => [nameOf(name), month]));

/**
 * The time of a line that is nothing but conserver's mark; undefined for every other line. Nine in ten lines of a quiet
 * machine are marks, and this is what the expressions of `prefix.ts` find in them, from the bytes.
 */
export function markTime(bytes: Uint8Array, from: number, to: number, timezone: string): number | undefined {
  let end = to;
  while (end - from > LENGTH && bytes[end - 1] === CR) end--;
  if (end - from !== LENGTH || bytes[end - 1] !== CLOSING) return undefined;
  for (let i = 0; i < HEAD.length; i++) if (bytes[from + i] !== HEAD[i]) return undefined;
  const at = from + HEAD.length;
  const gaps = bytes[at + 3] === SPACE && bytes[at + 7] === SPACE && bytes[at + 10] === SPACE && bytes[at + 19] === SPACE;
  if (!gaps || bytes[at + 13] !== COLON || bytes[at + 16] !== COLON || !WEEKDAYS.has(threeAt(bytes, at))) return undefined;
  const month = MONTH_OF.get(threeAt(bytes, at + 4));
  const day = (bytes[at + 8] === SPACE ? 0 : digit(bytes, at + 8) * 10) + digit(bytes, at + 9);
  const year = twoDigits(bytes, at + 20) * 100 + twoDigits(bytes, at + 22);
  const [hours, minutes, seconds] = [twoDigits(bytes, at + 11), twoDigits(bytes, at + 14), twoDigits(bytes, at + 17)];
  if (month === undefined || Number.isNaN(day + hours + minutes + seconds + year)) return undefined;
  return wallTimeOf(year, month, day, hours, minutes, seconds, timezone);
}

function twoDigits(bytes: Uint8Array, at: number): number {
  return digit(bytes, at) * 10 + digit(bytes, at + 1);
}

function digit(bytes: Uint8Array, at: number): number {
  const value = (bytes[at] as number) - 0x30;
  return value >= 0 && value <= 9 ? value : Number.NaN;
}

function threeAt(bytes: Uint8Array, at: number): number {
  return ((bytes[at] as number) << 16) | ((bytes[at + 1] as number) << 8) | (bytes[at + 2] as number);
}

function nameOf(name: string): number {
  return threeAt(bytesOf(name), 0);
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
