import type { Json } from '../../model/json.ts';

/**
 * PBS since 2022 guesses the type of every value from its text (src/lib/Libjson/cJSON/pbs_cjson.c of openpbs): a comment
 * `5` is printed as a number, `true` as a boolean. So each field is read as what it is meant to be, whatever its type.
 */

/** Members of an object; none of anything else. */
export function membersOf(value: Json | undefined): [string, Json][] {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? Object.entries(value) : [];
}

/** An object's own member; undefined where there is none. */
export function member(value: Json | undefined, key: string): Json | undefined {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return undefined;
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

/** The text that PBS printed, whatever type it took it for; undefined where the field is absent or empty. */
export function text(value: Json | undefined): string | undefined {
  if (value === undefined) return undefined;
  const printed = typeof value === 'string' ? value : typeof value === 'object' ? JSON.stringify(value) : String(value);
  return printed.trim() === '' ? undefined : printed;
}

/** A number, or the text of one. */
export function number(value: Json | undefined): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'string' || !/^\s*-?\d{1,15}(?:\.\d{1,15})?\s*$/.test(value)) return undefined;
  return Number(value);
}

/** A whole number of 0 and more. */
export function count(value: Json | undefined): number | undefined {
  const n = number(value);
  return n !== undefined && Number.isSafeInteger(n) && n >= 0 ? n : undefined;
}

/** `True` and `False`, as PBS writes booleans. */
export function flag(value: Json | undefined): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string') return undefined;
  const word = value.trim().toLowerCase();
  return word === 'true' ? true : word === 'false' ? false : undefined;
}

/** Seconds since the epoch → milliseconds; undefined for 0 (PBS's "never") and for what is no time of our days. */
export function epoch(value: Json | undefined): number | undefined {
  const seconds = number(value);
  return seconds !== undefined && seconds > 0 && seconds < 1e11 ? seconds * 1000 : undefined;
}

const BYTES: Readonly<Record<string, number>> = { b: 1, kb: 2 ** 10, mb: 2 ** 20, gb: 2 ** 30, tb: 2 ** 40, pb: 2 ** 50 };

/** `1055345000kb` → MiB; also words (`kw`), which are of eight bytes. Units are powers of 1024. */
export function mebibytes(value: Json | undefined): number | undefined {
  const m = /^(\d{1,18})(?:([kmgtp]?)([bw]))?$/i.exec(text(value)?.trim() ?? '');
  if (!m) return undefined;
  const unit = BYTES[`${(m[2] ?? '').toLowerCase()}b`] ?? 1;
  return Math.round((Number(m[1]) * unit * (m[3]?.toLowerCase() === 'w' ? 8 : 1)) / 2 ** 20);
}

/** `392:00:00`, `00:28`, or seconds → milliseconds; hours are not bounded. */
export function duration(value: Json | undefined): number | undefined {
  const seconds = count(value);
  if (seconds !== undefined) return seconds * 1000;
  const m = typeof value === 'string' ? /^(?:(\d{1,7}):)?(\d{1,2}):(\d{1,2})$/.exec(value.trim()) : null;
  return m ? (Number(m[1] ?? 0) * 3600 + Number(m[2]) * 60 + Number(m[3])) * 1000 : undefined;
}

/** `Transit:0 Queued:150 Held:44 ` → counts by name, in lower case; negative ones as they are. */
export function stateCounts(value: Json | undefined): Map<string, number> {
  const counts = new Map<string, number>();
  for (const part of (text(value) ?? '').slice(0, 2000).split(' ')) {
    const m = /^([A-Za-z_]{1,20}):(-?\d{1,15})$/.exec(part);
    if (m) counts.set((m[1] as string).toLowerCase(), Number(m[2]));
  }
  return counts;
}

const MONTHS = 'JanFebMarAprMayJunJulAugSepOctNovDec';

/**
 * `Mon Nov 30 02:01:30 2026`, a wall clock reading without zone, as if it were UTC, in milliseconds. Its zone is that of
 * whoever ran the command, which nothing in the output tells: only differences of readings are to be trusted.
 */
export function reading(value: Json | undefined): number | undefined {
  const m =
    typeof value === 'string' ? /^\s*[A-Z][a-z]{2} ([A-Z][a-z]{2}) {1,2}(\d{1,2}) (\d{2}):(\d{2}):(\d{2}) (\d{4})\s*$/.exec(value) : null;
  if (!m) return undefined;
  const month = MONTHS.indexOf(m[1] as string) / 3;
  if (!Number.isInteger(month) || month < 0) return undefined;
  const ms = Date.UTC(Number(m[6]), month, Number(m[2]), Number(m[3]), Number(m[4]), Number(m[5]));
  return ms > 0 ? ms : undefined;
}

/**
 * `(n1:ncpus=4)+(n2:ncpus=4+n3:mem=2gb)` and `n1/0*208+n2/0*208` → the names in it, each once.
 * Formats: exec_vnode, exec_host and resv_nodes of PBS Professional.
 */
export function chunkNames(value: Json | undefined): string[] {
  const names = new Set<string>();
  for (const chunk of typeof value === 'string' ? value.split('+') : []) {
    const name = chunk.replaceAll(/[()\s]/g, '').split(/[:/]/, 1)[0] as string;
    if (name !== '') names.add(name);
  }
  return [...names];
}
