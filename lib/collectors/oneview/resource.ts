import type { Json, JsonObject } from '../../model/json.ts';
import { isObject, isZeroId, lastSegment, member, text, time } from './fields.ts';

/** One resource of OneView (a server, an alert, …) as it was found in an input. */
export interface Resource {
  /** OneView's word: `server-hardware`, `alerts`, `enclosures`, … */
  category: string;
  fields: JsonObject;
  input: string;
  /** JSON pointer, or line, in the input. */
  place: string;
  /** The message that wrapped it, where it came from the message bus (SCMB). */
  event?: { at: number | null; deleted: boolean };
}

const BY_TYPE: readonly (readonly [RegExp, string])[] = [
  [/^server-hardware-\d/i, 'server-hardware'],
  [/^server-hardware-list/i, 'server-hardware'],
  [/^AlertResource/i, 'alerts'],
  [/^Enclosure(?:List|Collection)?V?\d/i, 'enclosures'],
  [/^Racks?(?:List|Collection)?-?V?\d/i, 'racks'],
  [/^ServerProfile(?:List|Collection)?V?\d/i, 'server-profiles'],
  [/^ApplianceHealthStatus/i, 'health-status'],
];

// What only one category has: the way to recognise records whose export lost type, category and URI.
const BY_SHAPE: readonly (readonly [string, string])[] = [
  ['alertState', 'alerts'],
  ['alertTypeID', 'alerts'],
  ['mpFirmwareVersion', 'server-hardware'],
  ['mpHostInfo', 'server-hardware'],
  ['romVersion', 'server-hardware'],
  ['deviceBayCount', 'enclosures'],
  ['rackMounts', 'racks'],
  ['serverProfileTemplateUri', 'server-profiles'],
];

/**
 * The category of a resource or of a page, from its type, its category, its URI or its shape. `type` carries a version
 * that changes with every release and is matched by its stem alone.
 * @returns null where nothing tells
 */
export function categoryOf(fields: JsonObject): string | null {
  const type = text(fields, 'type');
  const typed = type === null ? undefined : BY_TYPE.find(([pattern]) => pattern.test(type));
  if (typed) return typed[1];
  const category = text(fields, 'category');
  if (category !== null) return category.slice(0, 60);
  const uri = text(fields, 'uri');
  const path = uri === null ? null : /^\/rest\/(?:appliance\/)?([a-z][a-z-]{1,40})(?=[/?]|$)/.exec(uri);
  if (path) return path[1] as string;
  return BY_SHAPE.find(([key]) => Object.hasOwn(fields, key))?.[1] ?? null;
}

/** A message of OneView's message bus around a resource: its content, null where it is none. */
export function unwrap(fields: JsonObject): { resource: JsonObject; event: NonNullable<Resource['event']> } | null {
  const inner = member(fields, 'resource');
  if (!isObject(inner)) return null;
  if (!['changeType', 'newState', 'timestamp'].some((key) => Object.hasOwn(fields, key))) return null;
  const deleted = text(fields, 'changeType')?.toLowerCase() === 'deleted';
  return { resource: inner, event: { at: time(fields, 'timestamp'), deleted } };
}

/** The body of an error answer: `{errorCode, message, …}`; null for anything else. */
export function errorBody(fields: JsonObject): { code: string; message: string } | null {
  const code = text(fields, 'errorCode');
  if (code === null || Object.hasOwn(fields, 'members')) return null;
  return { code, message: text(fields, 'message') ?? text(fields, 'details') ?? '' };
}

/**
 * What makes two records the same resource: the URI; beside it the name where the URI ends in zeros, since every server
 * whose board was swapped has that one; without URI the UUID, then the name.
 */
export function resourceKey({ category, fields }: Resource): string | null {
  const uri = text(fields, 'uri');
  const name = text(fields, 'name');
  if (uri !== null) return `${category} ${uri}${isZeroId(lastSegment(uri) ?? '0') ? ` ${name ?? ''}` : ''}`;
  const uuid = text(fields, 'uuid');
  if (uuid !== null && !isZeroId(uuid)) return `${category} uuid ${uuid}`;
  return name === null ? null : `${category} name ${name}`;
}

function scalars(fields: JsonObject): string {
  const flat = Object.entries(fields).filter(([, v]: [string, Json]) => v === null || typeof v !== 'object');
  return JSON.stringify(flat.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Orders two records of one resource, the newer last; a total order, so that it does not matter which was read first. */
export function compareAge(a: Resource, b: Resource): number {
  const at = (r: Resource): number => r.event?.at ?? time(r.fields, 'modified') ?? time(r.fields, 'created') ?? 0;
  const byTime = at(a) - at(b);
  if (byTime !== 0) return byTime;
  const [x, y] = [scalars(a.fields), scalars(b.fields)];
  return x < y ? -1 : x > y ? 1 : 0;
}
