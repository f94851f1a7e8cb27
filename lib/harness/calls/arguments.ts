import { type Json, JsonSyntaxError, type JsonObject, parseJson } from '../../model/json.ts';
import { unfence } from './unfence.ts';

/** More than any tool's arguments need, a whole report included. */
export const MAX_ARGUMENTS = 48 * 1024;

export type ReadArguments = { ok: true; args: JsonObject /** What had to be mended. */; mended: string[] } | { ok: false; error: string };

/**
 * Arguments of a call as an object, from whatever a server made of them: a text, a text in a text, an object, nothing.
 * Mends little (a code fence, a comma too many, brackets that were never closed, values in the wrong clothes) and never
 * makes up what is not there: what stays unreadable is an error for the model to read.
 * @param schema the tool's JSON Schema, which tells what a value was meant to be
 */
export function readArguments(raw: unknown, schema: JsonObject): ReadArguments {
  const mended: string[] = [];
  let value: unknown = raw ?? {};
  for (let depth = 0; typeof value === 'string'; depth++) {
    if (value.length > MAX_ARGUMENTS) return wrong(`the arguments are over ${MAX_ARGUMENTS} characters`);
    if (value.trim() === '' || value.trim() === 'null') value = {};
    else if (depth === 2) return wrong('the arguments are a text within a text');
    else {
      if (depth === 1) mended.push('a text within a text');
      const parsed = parseMending(value, mended);
      if (parsed === undefined) return wrong('the arguments are no JSON; send one JSON object');
      value = parsed;
    }
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return wrong('the arguments are no object; send one JSON object');
  if (hasInfinity(value)) return wrong('a number is too large');
  return { ok: true, args: dress(value as JsonObject, schema, mended) as JsonObject, mended };
}

function wrong(error: string): ReadArguments {
  return { ok: false, error };
}

function parseMending(text: string, mended: string[]): Json | undefined {
  const plain = parseOr(text);
  if (plain !== undefined) return plain;
  const fence = unfence(text);
  const body = fence ?? text;
  const closed = close(body);
  const found = parseOr(body) ?? (closed === null ? undefined : parseOr(closed));
  if (found !== undefined) mended.push(fence === null ? 'brackets or commas' : 'a code fence');
  return found;
}

function parseOr(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}

/** A JSON text without commas before a closing bracket, and with the brackets closed that are open; null within a string. */
function close(text: string): string | null {
  const open: string[] = [];
  let out = '';
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const c = text.charAt(at);
    if (inString) {
      if (c === '\\') {
        out += c + text.charAt(++at);
        continue;
      }
      if (c === '"') inString = false;
    } else if (c === '"') inString = true;
    else if (c === '{' || c === '[') open.push(c === '{' ? '}' : ']');
    else if (c === '}' || c === ']') {
      if (open.pop() !== c) return null;
      out = withoutComma(out);
    }
    out += c;
  }
  return inString ? null : withoutComma(out) + open.toReversed().join('');
}

function withoutComma(text: string): string {
  const trimmed = text.trimEnd();
  return trimmed.endsWith(',') ? trimmed.slice(0, -1) : text;
}

function hasInfinity(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value);
  return value !== null && typeof value === 'object' && Object.values(value).some(hasInfinity);
}

/** Gives values the type that the schema asks for, where they plainly were meant to have it. */
function dress(value: Json, schema: JsonObject, mended: string[]): Json {
  const types = [schema['type'] ?? []].flat() as string[];
  const wants = (type: string): boolean => types.includes(type);
  if (typeof value === 'string' && !wants('string')) {
    const meant = meantBy(value.trim(), wants);
    if (meant !== undefined) {
      mended.push('a value in quotes');
      return dress(meant, schema, mended);
    }
  }
  if (typeof value === 'string' && wants('null') && (value === '' || value === 'null' || value === 'None')) {
    mended.push('an empty text for null');
    return null;
  }
  if (Array.isArray(value)) return schema['items'] ? value.map((v) => dress(v, schema['items'] as JsonObject, mended)) : value;
  if (value === null || typeof value !== 'object') return value;
  const properties = (schema['properties'] ?? {}) as Record<string, JsonObject>;
  return Object.fromEntries(
    Object.entries(value).map(([key, v]) => {
      const own = Object.hasOwn(properties, key) ? properties[key] : undefined;
      return [key, own ? dress(v, own, mended) : v];
    }),
  );
}

function meantBy(text: string, wants: (type: string) => boolean): Json | undefined {
  if ((wants('number') || wants('integer')) && /^-?\d{1,15}(?:\.\d{1,15})?$/.test(text)) return Number(text);
  if (wants('boolean') && /^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  if (wants('null') && /^(?:null|none)?$/i.test(text)) return null;
  if (!(wants('array') && text.startsWith('[')) && !(wants('object') && text.startsWith('{'))) return undefined;
  const inner = parseOr(text);
  return inner !== undefined && typeof inner === 'object' ? inner : undefined;
}
