import { hardwareText } from '../../model/facts.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { cleanName } from '../../model/text.ts';

/** A JSON object as such; undefined for anything else. */
export function record(value: Json | undefined): JsonObject | undefined {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? value : undefined;
}

/** An own member, so that `__proto__` and its like are found only where the document has them. */
export function member(object: JsonObject | undefined, key: string): Json | undefined {
  return object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;
}

/** A short name (image, kernel, template, type, …); undefined for null, placeholders and what is no name. */
export function word(value: Json | undefined): string | undefined {
  return hardwareText(value) === null ? undefined : (cleanName(value) ?? undefined);
}

/** The name of an image or a kernel: {@link word}, but for `default`, which can be one. */
export function imageWord(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value.trim() === 'default' ? 'default' : word(value);
}

/** An integer, also as a decimal string; undefined for null, so that 0 and nothing stay apart. */
export function integer(value: Json | undefined): number | undefined {
  const n = typeof value === 'string' && /^\d{1,9}$/.test(value.trim()) ? Number(value) : value;
  return typeof n === 'number' && Number.isSafeInteger(n) && n >= 0 ? n : undefined;
}

/** A boolean, also as `yes`, `True`, `"1"` and the like. */
export function flag(value: Json | undefined): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (value === 1 || value === 0) return value === 1;
  if (typeof value !== 'string') return undefined;
  const text = value.trim().toLowerCase();
  if (text === 'true' || text === 'yes' || text === '1' || text === 'on') return true;
  return text === 'false' || text === 'no' || text === '0' || text === 'off' ? false : undefined;
}

/** A time as HPCM writes it (`2026-01-12T09:14:02.000+00:00`), or as ms or s since the epoch → ms; undefined for none. */
export function instant(value: Json | undefined): number | undefined {
  if (typeof value === 'number' && value > 0 && value < 1e14) return value < 1e11 ? value * 1000 : value;
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d{2}:?\d{2})$/.test(value)) return undefined;
  const isExtended = value.endsWith('Z') || value.at(-3) === ':';
  const ms = Date.parse(isExtended ? value : `${value.slice(0, -2)}:${value.slice(-2)}`);
  return Number.isFinite(ms) && ms > 0 ? ms : undefined;
}

/** An IP address that is one: no placeholder such as `0.0.0.0`, `default`, `None`, and no link-local address. */
export function address(value: Json | undefined): string | undefined {
  if (typeof value !== 'string' || value.length > 45) return undefined;
  const text = value.trim().toLowerCase();
  if (/^(?:\d{1,3}\.){3}\d{1,3}$/.test(text))
    return text === '0.0.0.0' || text.startsWith('169.254.') || text.startsWith('127.') ? undefined : text;
  const isV6 = /^[0-9a-f:]+$/.test(text) && text.split(':').length >= 3;
  return isV6 && !/^[0:]*1?$/.test(text) && !/^fe[89ab]/.test(text) ? text : undefined;
}
