import * as z from 'zod';

/** ISO 8601 in UTC with milliseconds, the only form in which a time is stored: `2026-11-30T08:45:00.123Z`. */
export const IsoTime = z.string().regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/, 'expected an ISO 8601 UTC time with milliseconds');

/** Id of a snapshot or a tick: the time of its beginning, sortable as text and valid as a key: `20261130t084500.123z`. */
export const TimeId = z.string().regex(/^\d{8}t\d{6}\.\d{3}z$/, 'expected an id such as 20261130t084500.123z');

/** Milliseconds since the epoch → {@link IsoTime}. */
export function toIso(ms: number): string {
  return new Date(ms).toISOString();
}

/** Milliseconds since the epoch → {@link TimeId}. */
export function toTimeId(ms: number): string {
  return toIso(ms).replaceAll(/[-:]/g, '').toLowerCase();
}

/** {@link TimeId} → milliseconds since the epoch; NaN for anything else. */
export function fromTimeId(id: string): number {
  const m = /^(\d{4})(\d{2})(\d{2})t(\d{2})(\d{2})(\d{2}\.\d{3})z$/.exec(id);
  const ms = m ? Date.parse(`${m[1]}-${m[2]}-${m[3]}T${m[4]}:${m[5]}:${m[6]}Z`) : Number.NaN;
  // Date.parse takes the 30th of February for a day in March.
  return !Number.isNaN(ms) && toTimeId(ms) === id ? ms : Number.NaN;
}

const UNITS: Record<string, number> = { s: 1e3, m: 6e4, h: 36e5, d: 864e5 };

/** A duration as configuration writes it (`90s`, `15m`, `24h`, `7d`) → milliseconds. */
export const Duration = z
  .string()
  .regex(/^\d{1,6}[smhd]$/, 'expected a duration such as 90s, 15m, 24h or 7d')
  .transform(parseDuration);

/** `90s` → 90000. The text must have the form that {@link Duration} checks; anything else gives NaN. */
export function parseDuration(text: string): number {
  const m = /^(\d+)([smhd])$/.exec(text);
  return m ? Number(m[1]) * (UNITS[m[2] as string] as number) : Number.NaN;
}

/** Milliseconds → the two coarsest units, for people: `3d 4h`, `14m`, `8s`. */
export function formatDuration(ms: number): string {
  let rest = Math.max(0, Math.round(ms / 1000));
  const parts: string[] = [];
  for (const [unit, size] of [
    ['d', 86400],
    ['h', 3600],
    ['m', 60],
    ['s', 1],
  ] as const) {
    const n = Math.floor(rest / size);
    rest -= n * size;
    if (n > 0) parts.push(`${n}${unit}`);
    if (parts.length === 2 || (parts.length === 1 && n === 0)) break;
  }
  return parts.length > 0 ? parts.join(' ') : '0s';
}
