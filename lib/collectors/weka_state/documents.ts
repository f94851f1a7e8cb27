import { type Input, ReadError, textOf, UnusableInput } from '../../model/collector.ts';
import { type Json, type JsonObject, JsonSyntaxError, parseJson, pointerSegment } from '../../model/json.ts';
import { compareNames } from '../../model/text.ts';
import { firstOf, instant, isObject, member } from './fields.ts';
import type { Problems } from './problems.ts';
import { ROLES, type Role, roleOfName, roleOfObject, roleOfRecord } from './recognise.ts';

/** One object of a section, and where it stood. */
export interface RawRecord {
  value: JsonObject;
  /** The key under which JSON-RPC gives it: its id. */
  key: string | null;
  input: string;
  place: string;
  /** When its input was written, ms since the epoch, where readers know. */
  written: number | null;
}

/** Everything that the inputs hold of one role. */
export interface Section {
  records: RawRecord[];
  /** No page, input or entry of it is known to be missing. */
  whole: boolean;
}

export type Sections = ReadonlyMap<Role, Section>;

/**
 * Reads every input and sorts what it holds into sections. All four shapes are taken: bare CLI JSON, REST's
 * `{data, next_token}`, JSON-RPC's `{result}`, and JSON-RPC's objects keyed by id.
 * @throws UnusableInput where no input holds anything of Weka
 * @throws ReadError where no input could be read at all
 */
export async function readSections(inputs: readonly Input[], problems: Problems): Promise<Sections> {
  const sections = new Map<Role, Section>();
  const broken = new Set<Role>();
  let unread: ReadError | undefined;
  let unusable: UnusableInput | undefined;
  for (const input of inputs.toSorted((a, b) => compareNames(a.name, b.name))) {
    try {
      add(sections, sort(parseJson(await textOf(input)), input), input, problems);
    } catch (error) {
      const role = roleOfInput(input);
      if (role) broken.add(role);
      if (error instanceof ReadError) {
        unread ??= error;
        problems.input(error.message, input.name);
        continue;
      }
      const fault = faultOf(error, input);
      unusable ??= fault;
      if (role) problems.input(`${role}: ${fault.message}`, input.name, fault.place);
      else problems.note(`is not of Weka: ${fault.message}`, input.name, fault.place);
    }
  }
  if (sections.size === 0) throw unusable ?? unread ?? new UnusableInput('there is no input');
  for (const role of broken) {
    const section = sections.get(role);
    if (section) section.whole = false;
  }
  return sections;
}

function faultOf(error: unknown, input: Input): UnusableInput {
  if (error instanceof JsonSyntaxError) {
    return new UnusableInput(error.message, { input: input.name, place: `line ${error.line} column ${error.column}` });
  }
  if (!(error instanceof UnusableInput)) throw error;
  return new UnusableInput(error.message, { input: input.name, ...(error.place !== undefined && { place: error.place }) });
}

function roleOfInput(input: Input): Role | null {
  return ROLES.find((role) => role === input.role) ?? roleOfName(input.name);
}

interface Found {
  role: Role;
  /** Entries with their keys; what is no object is rejected when they are added. */
  entries: { value: Json; key: string | null; place: string }[];
  more: boolean;
}

/** Takes the envelopes off a document and tells what it holds. @throws UnusableInput */
function sort(document: Json, input: Input): Found {
  let body: Json = document;
  let path = '';
  let more = false;
  for (let depth = 0; depth < 3 && isObject(body) && roleOfObject(body) === null; depth++) {
    const key = ['data', 'result'].find((k) => member(body, k) !== undefined);
    if (key === undefined) break;
    more ||= firstOf(body, 'next_token') !== undefined;
    body = body[key] as Json;
    path += `/${key}`;
  }
  const given = roleOfInput(input);
  const asList = Array.isArray(body) ? body.map((value, i) => ({ value, key: null, place: `${path}/${i}` })) : mapEntries(body, path);
  const seen = isObject(body) ? roleOfObject(body) : null;
  const role = seen ?? vote(asList) ?? (asList.length === 0 && (Array.isArray(body) || isEmptyMap(body, given)) ? given : null);
  if (role === null) throw new UnusableInput(refusal(document, body), path === '' ? {} : { place: path });
  if (ROLES.some((r) => r === input.role) && role !== input.role)
    throw new UnusableInput(`is configured as ${input.role}, but holds ${role}`);
  return { role, entries: seen === null ? asList : [{ value: body, key: null, place: path === '' ? '/' : path }], more };
}

/** JSON-RPC answers with an empty object where a list is empty; a status or licence is never empty. */
function isEmptyMap(body: Json, given: Role | null): boolean {
  return isObject(body) && Object.keys(body).length === 0 && given !== 'status' && given !== 'licence';
}

function mapEntries(body: Json, path: string): Found['entries'] {
  if (!isObject(body)) return [];
  return Object.entries(body).map(([key, value]) => ({ value, key, place: `${path}/${pointerSegment(key)}` }));
}

/** What most of the entries are, so that an odd one among them changes nothing; ties go by the order of the roles. */
function vote(entries: Found['entries']): Role | null {
  const votes = new Map<Role, number>();
  for (const { value, key } of entries) {
    const role = isObject(value) ? roleOfRecord(value, key) : null;
    if (role !== null) votes.set(role, (votes.get(role) ?? 0) + 1);
  }
  let best: Role | null = null;
  for (const role of ROLES) if ((votes.get(role) ?? 0) > (best === null ? 0 : (votes.get(best) as number))) best = role;
  return best;
}

function refusal(document: Json, body: Json): string {
  if (isObject(document) && member(document, 'error') !== undefined) return 'is an error answer, no data';
  if (typeof body === 'string' || (isObject(document) && typeof member(document, 'message') === 'string'))
    return 'is an error answer, no data';
  if (Array.isArray(body) && body.length === 0) return 'is an empty list, and nothing says of what';
  return 'holds no object of Weka that is known';
}

function add(sections: Map<Role, Section>, found: Found, input: Input, problems: Problems): void {
  const section = sections.get(found.role) ?? { records: [], whole: true };
  sections.set(found.role, section);
  const written = instant(input.mtime);
  if (found.more) {
    section.whole = false;
    problems.note(`${found.role}: this page is not the last one`, input.name);
  }
  for (const { value, key, place } of found.entries) {
    if (isObject(value)) section.records.push({ value, key, input: input.name, place, written });
    else {
      section.whole = false;
      problems.reject('is no object', input.name, place);
    }
  }
}
