import type { Json, JsonObject } from '../model/json.ts';
import { NodeSetError, nodeSetOf } from '../nodeset.ts';

/** A member of a summary by its path; undefined where there is none. */
export function at(summary: JsonObject, ...path: readonly (string | number)[]): Json | undefined {
  let value: Json | undefined = summary;
  for (const step of path) {
    if (value === null || typeof value !== 'object') return undefined;
    value = Object.hasOwn(value, step) ? (value as Record<string, Json>)[step] : undefined;
  }
  return value;
}

export function numberAt(summary: JsonObject, ...path: readonly (string | number)[]): number | undefined {
  const value = at(summary, ...path);
  return typeof value === 'number' ? value : undefined;
}

export function textAt(summary: JsonObject, ...path: readonly (string | number)[]): string | undefined {
  const value = at(summary, ...path);
  return typeof value === 'string' ? value : undefined;
}

/** The objects of a list. */
export function objectsAt(summary: JsonObject, ...path: readonly (string | number)[]): JsonObject[] {
  const value = at(summary, ...path);
  return Array.isArray(value) ? value.filter((v): v is JsonObject => v !== null && typeof v === 'object' && !Array.isArray(v)) : [];
}

export const NO_NAMES: ReadonlySet<string> = new Set();

/** The names of a folded set; none for a text that is no set. */
export function namesOf(folded: string | undefined): ReadonlySet<string> {
  if (folded === undefined) return NO_NAMES;
  try {
    return nodeSetOf(folded);
  } catch (error) {
    if (error instanceof NodeSetError) return NO_NAMES;
    throw error;
  }
}
