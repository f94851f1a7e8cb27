import * as z from 'zod';
import { findFault } from './json-fault.ts';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** Any JSON value. */
export const Json: z.ZodType<Json> = z.json();
/** Any JSON object. */
export const JsonObject = z.record(z.string(), Json);

/**
 * JSON with the keys of every object in code unit order and no white space: the form that is hashed.
 * `undefined` members are left out, as JSON does; non-finite numbers throw, since they would become null unseen.
 */
export function canonicalJson(value: unknown): string {
  // Facts of whole fleets are written this way at every run, nearly all in order, and the platform's own writer is
  // several times as fast.
  if (isInOrder(value)) return JSON.stringify(value) ?? 'null';
  const ordered = inOrder(value);
  return ordered === NO_ORDER ? sortedJson(value) : (JSON.stringify(ordered) ?? 'null');
}

/** Whether the keys of all objects are in order. Makes nothing, not even lists of keys. */
function isInOrder(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) {
    refuseNonFinite(value);
    return true;
  }
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) if (!isInOrder(value[i])) return false;
    return true;
  }
  let before = '';
  // Keys that are inherited as well can only make it no.
  // oxlint-disable-next-line guard-for-in
  for (const key in value) {
    if (key < before) return false;
    const member = (value as Record<string, unknown>)[key];
    if (typeof member !== 'string' && !isInOrder(member)) return false;
    before = key;
  }
  return true;
}

/** Stands for objects whose keys keep no order that they are given: those that look like numbers, and `__proto__`. */
const NO_ORDER = Symbol('no order');

/** The value itself where the keys of all objects are in order, else a copy of it where they are. */
function inOrder(value: unknown): unknown {
  if (value === null || typeof value !== 'object') {
    refuseNonFinite(value);
    return value;
  }
  if (Array.isArray(value)) {
    let copy: unknown[] | undefined;
    for (let i = 0; i < value.length; i++) {
      const ordered = inOrder(value[i]);
      if (ordered === NO_ORDER) return NO_ORDER;
      if (ordered !== value[i]) (copy ??= [...value])[i] = ordered;
    }
    return copy ?? value;
  }
  const members = value as Record<string, unknown>;
  const keys = Object.keys(members);
  let isSorted = true;
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as string;
    if (isDigit(key.charCodeAt(0)) || key === '__proto__') return NO_ORDER;
    if (i > 0 && key < (keys[i - 1] as string)) isSorted = false;
  }
  let copy: Record<string, unknown> | undefined = isSorted ? undefined : {};
  for (const key of isSorted ? keys : keys.sort()) {
    const ordered = inOrder(members[key]);
    if (ordered === NO_ORDER) return NO_ORDER;
    if (copy === undefined && ordered === members[key]) continue;
    copy ??= { ...members };
    copy[key] = ordered;
  }
  return copy ?? value;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function refuseNonFinite(value: unknown): void {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError(`no JSON for ${value}`);
}

function sortedJson(value: unknown): string {
  if (value === null || typeof value !== 'object') {
    refuseNonFinite(value);
    return JSON.stringify(value) ?? 'null';
  }
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(',')}]`;
  const members = Object.keys(value)
    .sort()
    .flatMap((key) => {
      const member = (value as Record<string, unknown>)[key];
      return member === undefined ? [] : `${JSON.stringify(key)}:${sortedJson(member)}`;
    });
  return `{${members.join(',')}}`;
}

/** Where a text stands that is no JSON, and what was expected there. */
export class JsonSyntaxError extends Error {
  override name = 'JsonSyntaxError';
  readonly line: number;
  readonly column: number;
  constructor(message: string, line: number, column: number) {
    super(message);
    this.line = line;
    this.column = column;
  }
}

/** Brackets within brackets that a document may have: far more than any source uses, far less than would end the stack. */
export const MAX_JSON_DEPTH = 200;

/**
 * Parses JSON, ignoring a byte order mark. Takes linear time, whatever the text.
 * @throws JsonSyntaxError with line and column, the same on every version of Node; also for more than
 * {@link MAX_JSON_DEPTH} levels, so that whoever walks the value can recurse.
 */
export function parseJson(text: string): Json {
  const body = text.startsWith('\ufeff') ? text.slice(1) : text;
  let value: Json;
  try {
    value = JSON.parse(body) as Json;
  } catch {
    // V8's own messages name an offset in some versions and for some errors only.
    const { offset, reason } = findFault(body);
    throw syntaxErrorAt(body, offset, `${reason}; expected JSON`);
  }
  const deep = tooDeepAt(body);
  if (deep >= 0) throw syntaxErrorAt(body, deep, TOO_DEEP);
  return value;
}

const TOO_DEEP = `nested more than ${MAX_JSON_DEPTH} levels deep`;

function syntaxErrorAt(text: string, offset: number, message: string): JsonSyntaxError {
  let line = 1;
  let start = 0;
  for (let end = text.indexOf('\n'); end >= 0 && end < offset; end = text.indexOf('\n', start)) {
    line++;
    start = end + 1;
  }
  return new JsonSyntaxError(message, line, offset - start + 1);
}

/** Where a valid document opens one level too many; -1 where it does not. */
function tooDeepAt(text: string): number {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const c = text.charCodeAt(at);
    if (c === 0x22) {
      // Texts are most of a document, and a search passes them faster than a loop.
      at = text.indexOf('"', at + 1);
      while (isEscaped(text, at)) at = text.indexOf('"', at + 1);
    } else if (c === 0x5b || c === 0x7b) {
      if (++depth > MAX_JSON_DEPTH) return at;
    } else if (c === 0x5d || c === 0x7d) depth--;
  }
  return -1;
}

/** Whether an odd number of backslashes stands before a place. */
function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text.charCodeAt(before) === 0x5c) before--;
  return (at - before) % 2 === 0;
}

/** Resolves an RFC 6901 JSON pointer (`/summary/drives/0`); undefined where nothing stands. Own members only. */
export function atPointer(value: unknown, pointer: string): unknown {
  if (pointer === '') return value;
  if (!pointer.startsWith('/')) return undefined;
  let at: unknown = value;
  for (const raw of pointer.slice(1).split('/')) {
    const key = raw.replaceAll('~1', '/').replaceAll('~0', '~');
    if (at === null || typeof at !== 'object' || !Object.hasOwn(at, key)) return undefined;
    if (Array.isArray(at) && !/^\d+$/.test(key)) return undefined;
    at = (at as Record<string, unknown>)[key];
  }
  return at;
}

/** A value that nobody can change any more, nor anything inside it: it may be handed to everybody. */
export function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const key in value) frozen(value[key]);
  return Object.freeze(value);
}

/** One segment of a JSON pointer, escaped. */
export function pointerSegment(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
