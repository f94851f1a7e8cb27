import * as z from 'zod';

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
  if (value === null || typeof value !== 'object') {
    if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError(`no JSON for ${value}`);
    return JSON.stringify(value) ?? 'null';
  }
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.entries(value)
    .filter(([, v]) => v !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([k, v]) => `${JSON.stringify(k)}:${canonicalJson(v)}`);
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

/**
 * Parses JSON, ignoring a byte order mark.
 * @throws JsonSyntaxError with line and column, the same on every version of Node.
 */
export function parseJson(text: string): Json {
  const body = text.startsWith('\ufeff') ? text.slice(1) : text;
  try {
    return JSON.parse(body) as Json;
  } catch {
    const offset = jsonErrorOffset(body);
    const before = body.slice(0, offset).split('\n');
    const reason = body.trim() === '' ? 'empty' : offset >= body.length ? 'ends in the middle of a value' : 'unexpected text';
    throw new JsonSyntaxError(`${reason}; expected JSON`, before.length, (before.at(-1) as string).length + 1);
  }
}

const TOKEN =
  /[ \t\n\r]*(?:([{}[\],:])|("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-]))/y;

/**
 * The offset of the first character that cannot stand where it does; the text's length where the text only ends early.
 * V8's own messages name an offset in some versions and for some errors only.
 */
function jsonErrorOffset(text: string): number {
  const open: ('{' | '[')[] = [];
  let expect: 'value' | 'key' | 'colon' | 'next' | 'first' = 'value';
  let at = 0;
  for (;;) {
    TOKEN.lastIndex = at;
    const m = TOKEN.exec(text);
    const start = at + (/^[ \t\n\r]*/.exec(text.slice(at, at + 4096)) as RegExpExecArray)[0].length;
    if (!m) return /^"(?:[^"\\\n]|\\.)*$/.test(text.slice(start)) ? text.length : Math.min(start, text.length);
    const [, mark, string, scalar] = m;
    const top = open.at(-1);
    const closes = (mark === '}' && top === '{') || (mark === ']' && top === '[');
    if (closes && (expect === 'next' || expect === 'first')) {
      open.pop();
      expect = 'next';
    } else if (expect === 'value' || (expect === 'first' && top === '[')) {
      if (mark === '{' || mark === '[') {
        open.push(mark);
        expect = 'first';
      } else if (string !== undefined || scalar !== undefined) expect = 'next';
      else return start;
    } else if (expect === 'key' || expect === 'first') {
      if (string === undefined) return start;
      expect = 'colon';
    } else if (expect === 'colon') {
      if (mark !== ':') return start;
      expect = 'value';
    } else if (mark === ',' && top !== undefined) expect = top === '{' ? 'key' : 'value';
    else return start;
    at = TOKEN.lastIndex;
  }
}

/** Resolves an RFC 6901 JSON pointer (`/summary/drives/0`); undefined where nothing stands. Own members only. */
export function atPointer(value: unknown, pointer: string): unknown {
  if (pointer === '') return value;
  if (!pointer.startsWith('/')) return undefined;
  let at: unknown = value;
  for (const raw of pointer.slice(1).split('/')) {
    const key = raw.replaceAll('~1', '/').replaceAll('~0', '~');
    if (at === null || typeof at !== 'object' || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string, unknown>)[key];
  }
  return at;
}

/** One segment of a JSON pointer, escaped. */
export function pointerSegment(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
