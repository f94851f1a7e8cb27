import type { Json, JsonObject } from '../../model/json.ts';
import { oneLine } from '../../model/text.ts';

/** Whether a value is a JSON object (no list, not null). */
export function isObject(value: Json | undefined): value is JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** A member of a resource; never what an object inherits. */
export function member(fields: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
}

/** A text, trimmed; null where it is absent, empty, or neither text nor number (`eTag` and counts come as both). */
export function text(fields: JsonObject, key: string): string | null {
  const value = member(fields, key);
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  if (typeof value !== 'string') return null;
  const trimmed = value.trim();
  return trimmed === '' ? null : trimmed;
}

/** A word of some vocabulary (`Monitored`, `iLO5`), bounded and printable. */
export function word(fields: JsonObject, key: string): string | null {
  const value = text(fields, key);
  return value === null ? null : oneLine(value, 60);
}

/** A finite number; numeric texts count, since some exports quote theirs. */
export function number(fields: JsonObject, key: string): number | null {
  const value = member(fields, key);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  return typeof value === 'string' && /^-?\d{1,15}(\.\d{1,6})?$/.test(value.trim()) ? Number(value) : null;
}

/** A boolean; `"true"` and `"false"` count. */
export function flag(fields: JsonObject, key: string): boolean | null {
  const value = member(fields, key);
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string') return null;
  const lower = value.trim().toLowerCase();
  return lower === 'true' ? true : lower === 'false' ? false : null;
}

/** The objects of a list; a single object counts as a list of one. */
export function objects(fields: JsonObject, key: string): JsonObject[] {
  const value = member(fields, key);
  return (Array.isArray(value) ? value : [value]).filter((v): v is JsonObject => isObject(v));
}

const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:?\d{2})$/;
const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** An ISO time with its zone → milliseconds since the epoch; null for anything else, and for times before 1970. */
export function time(fields: JsonObject, key: string): number | null {
  const value = text(fields, key);
  if (value === null || !ISO.test(value)) return null;
  const ms = Date.parse(value);
  return ms >= 0 && ms <= LAST_MS ? ms : null;
}

/** The last segment of a resource's URI: its id. */
export function lastSegment(uri: string): string | null {
  const path = (uri.split(/[?#]/, 1)[0] as string).replace(/\/$/, '');
  const segment = path.slice(path.lastIndexOf('/') + 1);
  return segment === '' ? null : segment;
}

/** Whether an id says nothing: zeros (with dashes) only, as a UUID reads after a system board was swapped. */
export function isZeroId(id: string): boolean {
  return /^[0-]+$/.test(id);
}
