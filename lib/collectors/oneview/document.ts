import { type Json, type JsonObject, JsonSyntaxError, parseJson, pointerSegment } from '../../model/json.ts';
import type { CoverageProblem } from '../../model/snapshot.ts';
import { oneLine } from '../../model/text.ts';
import { isObject, member, number, text } from './fields.ts';
import { categoryOf, errorBody, type Resource, resourceKey, unwrap } from './resource.ts';

/** One page of a collection, `{members, total, nextPageUri, …}`. */
export interface Page {
  input: string;
  role: string | undefined;
  category: string | null;
  uri: string | null;
  start: number | null;
  /** How many members OneView says that this page has, and the whole collection. */
  count: number | null;
  total: number | null;
  next: string | null;
  previous: string | null;
  /** How many members are there, and what makes each of them one ({@link resourceKey}). */
  members: number;
  keys: string[];
}

/** What one input holds. */
export interface Document {
  pages: Page[];
  resources: Resource[];
  /** Records that are none, each with its place. */
  problems: CoverageProblem[];
  /** The document is a bare list, which states no total. */
  bare: boolean;
}

/** Lists in lists (a file of several pages) are followed this far; nothing real goes deeper. */
const MAX_DEPTH = 3;

interface At {
  input: string;
  role: string | undefined;
  /** Of the enclosing page, for members that lost their own. */
  category: string | null;
  place: string;
  depth: number;
}

/**
 * Takes one input apart: a page, a bare list of resources or of pages, one resource, a message of the bus, or one of
 * these a line. An error answer in place of data is a problem of the input.
 */
export function readDocument(body: string, input: string, role: string | undefined): Document {
  const found: Document = { pages: [], resources: [], problems: [], bare: false };
  const at: At = { input, role, category: null, place: '', depth: 0 };
  let value: Json;
  try {
    value = parseJson(body);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    if (!readLines(body, at, found)) found.problems.push(unparsed(body, input, error));
    return found;
  }
  found.bare = Array.isArray(value) && !value.some((v) => isObject(v) && Object.hasOwn(v, 'members'));
  readValue(value, at, found);
  return found;
}

function unparsed(body: string, input: string, error: JsonSyntaxError): CoverageProblem {
  const ours = /\.json$/i.test(input) || /^\s*[[{]/.test(body.slice(0, 1000)) || body.trim() === '';
  if (!ours) return { effect: 'note', input, message: 'is no JSON; not read' };
  return { effect: 'input', input, place: `line ${error.line} column ${error.column}`, message: error.message };
}

/** One JSON value a line, as consumers of the bus write them. False where the first line is none by itself. */
function readLines(body: string, at: At, found: Document): boolean {
  const lines = body.split('\n');
  const first = lines.findIndex((line) => line.trim() !== '');
  if (first < 0 || !lines.slice(first + 1).some((line) => line.trim() !== '')) return false;
  const values: { value: Json; place: string }[] = [];
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const place = `line ${index + 1}`;
    try {
      values.push({ value: parseJson(line), place });
    } catch (error) {
      if (index === first || !(error instanceof JsonSyntaxError)) return false;
      found.problems.push(rejected(at, `is no JSON (column ${error.column}): ${error.message}`, place));
    }
  }
  if (!values.every(({ value }) => isObject(value))) return false;
  for (const { value, place } of values) readValue(value, { ...at, place, depth: 1 }, found);
  return true;
}

function readValue(value: Json, at: At, found: Document): void {
  if (Array.isArray(value)) {
    if (at.depth >= MAX_DEPTH) found.problems.push(rejected(at, 'is a list within lists'));
    else value.forEach((item, i) => readValue(item, { ...at, place: `${at.place}/${i}`, depth: at.depth + 1 }, found));
  } else if (!isObject(value)) found.problems.push(rejected(at, `is ${value === null ? 'null' : `a ${typeof value}`}, not a resource`));
  else if (Object.hasOwn(value, 'members')) readPage(value, at, found);
  else readResource(value, at, found);
}

function readPage(fields: JsonObject, at: At, found: Document): void {
  const raw = member(fields, 'members') ?? null;
  const members: Json[] = Array.isArray(raw) ? raw : raw === null ? [] : [raw];
  const page: Page = {
    input: at.input,
    role: at.role,
    category: categoryOf(fields),
    uri: text(fields, 'uri'),
    start: number(fields, 'start'),
    count: number(fields, 'count'),
    total: number(fields, 'total'),
    next: text(fields, 'nextPageUri'),
    previous: text(fields, 'prevPageUri'),
    members: members.length,
    keys: [],
  };
  const before = found.resources.length;
  members.forEach((value, i) => {
    const place = `${at.place}/members/${pointerSegment(String(i))}`;
    const inner: At = { ...at, category: page.category, place, depth: MAX_DEPTH };
    if (isObject(value)) readResource(value, inner, found);
    else readValue(Array.isArray(value) ? null : value, inner, found);
  });
  const own = found.resources.slice(before);
  page.category ??= own[0]?.category ?? null;
  // A member without identity, or one that is no resource, still is one of the records that the page was to hold.
  page.keys = own.map((resource) => resourceKey(resource) ?? `${at.input} ${resource.place}`);
  for (let i = own.length; i < members.length; i++) page.keys.push(`${at.input} ${at.place} rejected ${i}`);
  found.pages.push(page);
}

function readResource(fields: JsonObject, at: At, found: Document): void {
  const wrapped = unwrap(fields);
  const resource = wrapped?.resource ?? fields;
  const failure = errorBody(resource);
  if (failure) {
    found.problems.push({ effect: 'input', input: at.input, ...(at.place !== '' && { place: at.place }), message: describeError(failure) });
    return;
  }
  const category = categoryOf(resource) ?? at.category;
  if (category === null) {
    if (at.depth > 0) found.problems.push(rejected(at, 'is no resource of OneView: it has neither type, category nor uri'));
    else found.problems.push({ effect: 'note', input: at.input, message: 'holds no resource of OneView' });
    return;
  }
  found.resources.push({ category, fields: resource, input: at.input, place: at.place, ...(wrapped && { event: wrapped.event }) });
}

function describeError({ code, message }: { code: string; message: string }): string {
  const credentials = /auth|session|token|login/i.test(code) ? 'the credential has expired or lacks rights: ' : '';
  return `OneView answered with an error, ${credentials}${oneLine(code, 60)} ${oneLine(message, 200)}`.trimEnd();
}

function rejected(at: At, message: string, place = at.place): CoverageProblem {
  return { effect: 'record', input: at.input, ...(place !== '' && { place }), message };
}
