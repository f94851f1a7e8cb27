import { type Json, pointerSegment } from '../../model/json.ts';
import { JsonReader, REPAIR_KINDS, type RepairKind, Unreadable } from './json-reader.ts';

/** How many places of repairs, and of rejected records, are kept. */
const SAMPLES = 20;

/** A document that loses more records than this is no longer worth its time: what follows is left unread, and said to be. */
const MAX_LOST = 20_000;

/** One sort of repair: how often, and where first. */
interface Repair {
  kind: RepairKind;
  count: number;
  /** `line 12 column 3` of the first. */
  place: string;
}

interface RejectedRecord {
  /** JSON pointer of the record, as far as it is known: `/Jobs/812345.pbs01`. */
  pointer: string;
  /** `line 12 column 3`, where reading it failed. */
  place: string;
  message: string;
}

export interface TolerantJson {
  value: Json;
  /** By kind, in the order of {@link REPAIR_KINDS}; empty for what is plain JSON. */
  repairs: Repair[];
  rejected: {
    count: number;
    /** Names of the records that were lost; fewer than `count` where even the name was unreadable. */
    names: Set<string>;
    samples: RejectedRecord[];
  };
  /** `cut`: the text ends before the document does; `given_up`: too many of its records are lost to read on. */
  end: 'whole' | 'cut' | 'given_up';
  /** Where something stands behind the document, if anything does. */
  trailing?: string;
}

/** A text in which no JSON document is found. */
export class NoJson extends Error {
  override name = 'NoJson';
  /** `line 12 column 3` */
  readonly place: string;
  constructor(message: string, place: string) {
    super(message);
    this.place = place;
  }
}

/**
 * Parses what a PBS command printed as JSON: as strict JSON first; where that fails, or would hide something (keys given
 * twice, whole numbers that no double holds), with the repairs of {@link REPAIR_KINDS}. A record (an object that stands two
 * levels deep, as in `{"nodes": {"n1": {…}}}`) that cannot be read even so is left out and counted, and the next one is
 * looked for behind it: by the indentation of PBS's own printing, or in a document on one line by the shape of a record's
 * beginning. Work is linear in the text.
 * @throws NoJson where no document is found at all
 */
export function parseTolerantJson(text: string): TolerantJson {
  let strict: Json;
  try {
    strict = JSON.parse(text) as Json;
  } catch {
    try {
      return repairJson(text, { isBroken: true });
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      const at = placesOf(text, [error.offset]).get(error.offset);
      throw new NoJson(text.trim() === '' ? 'empty; expected JSON' : `no JSON, and beyond repair: ${error.message}`, at ?? '');
    }
  }
  const plain: TolerantJson = { value: strict, repairs: [], rejected: { count: 0, names: new Set(), samples: [] }, end: 'whole' };
  if (!hidesSomething(text, strict)) return plain;
  try {
    const careful = repairJson(text);
    return careful.rejected.count === 0 ? careful : plain;
  } catch (error) {
    if (error instanceof Unreadable) return plain;
    throw error;
  }
}

/** Whether valid JSON holds more keys than its value does, or may hold a whole number of over 15 digits. */
function hidesSomething(text: string, value: Json): boolean {
  if (/\d{16}/.test(text)) return true;
  let keys = 0;
  for (let open = text.indexOf('"'); open >= 0; ) {
    let after = closingQuote(text, open) + 1;
    while (isSpace(text.charCodeAt(after))) after++;
    if (text.charCodeAt(after) === COLON) keys++;
    open = text.indexOf('"', after);
  }
  return keys !== keysOf(value);
}

const COLON = 0x3a;

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** How many keys there are in all objects. */
function keysOf(value: Json): number {
  let keys = 0;
  const inside: Json[] = [value];
  for (let at = inside.pop(); at !== undefined; at = inside.pop()) {
    if (at === null || typeof at !== 'object') continue;
    if (Array.isArray(at)) {
      for (const inner of at) if (typeof inner === 'object') inside.push(inner);
      continue;
    }
    // `for in` lists the own keys of what JSON gave alone, and makes no list of them.
    // oxlint-disable-next-line guard-for-in
    for (const key in at) {
      keys++;
      const inner = at[key] as Json;
      if (typeof inner === 'object') inside.push(inner);
    }
  }
  return keys;
}

/** Where the text ends that opens at a quotation mark in valid JSON. */
function closingQuote(text: string, open: number): number {
  for (let close = text.indexOf('"', open + 1); ; close = text.indexOf('"', close + 1)) {
    let slashes = 0;
    while (text.charCodeAt(close - 1 - slashes) === 0x5c) slashes++;
    if (slashes % 2 === 0) return close;
  }
}

/**
 * Parses with repairs, whether they are needed or not.
 * @param options.isBroken the text is known to be no JSON, so that one brace more or less must not be let to move the
 *   records behind it into another object: they are held apart by the form that PBS gives its documents
 * @throws Unreadable where no document is found at all
 */
export function repairJson(text: string, options: { isBroken?: boolean } = {}): TolerantJson {
  return new DocumentReader(text, options.isBroken === true).read();
}

// Attributes that are objects themselves: in a document on one line, what tells them from records.
const NESTED = /^(?:resources?_|Resource_List$|Variable_List$|estimated$|default_chunk$|max_|queued_jobs_threshold)/;

class DocumentReader {
  private readonly text: string;
  private readonly isBroken: boolean;
  private readonly reader: JsonReader;
  private readonly repairs = new Map<RepairKind, { count: number; offset: number }>();
  private readonly lost = { count: 0, names: new Set<string>(), samples: [] as { pointer: string; offset: number; message: string }[] };
  private end: TolerantJson['end'] = 'whole';
  /** Nothing that can be read follows. */
  private ended = false;

  constructor(text: string, isBroken: boolean) {
    this.text = text;
    this.isBroken = isBroken;
    this.reader = new JsonReader(text, (kind, offset) => this.repaired(kind, offset));
  }

  read(): TolerantJson {
    const { reader, text } = this;
    reader.at = text.startsWith('\ufeff') ? 1 : 0;
    const begin = reader.skip(reader.at);
    let value: Json;
    if (text.charAt(begin) === '{') value = this.document(begin);
    else {
      try {
        value = reader.value('root');
        if (reader.next() !== '') throw new Unreadable('text behind a value', reader.at);
      } catch (error) {
        const open = text.indexOf('\n{');
        if (!(error instanceof Unreadable) || open < 0) throw error;
        this.repairs.clear();
        this.repaired('text_before', begin);
        value = this.document(open + 1);
      }
    }
    const end = this.ended ? text.length : reader.skip(reader.at);
    const trailing = end < text.length ? [end] : [];
    const kinds = REPAIR_KINDS.filter((kind) => this.repairs.has(kind));
    const offsets = [...kinds.map((kind) => this.repairs.get(kind)?.offset ?? 0), ...this.lost.samples.map((s) => s.offset), ...trailing];
    const places = placesOf(text, offsets);
    const place = (offset: number): string => places.get(offset) ?? '';
    return {
      value,
      repairs: kinds.map((kind) => {
        const { count, offset } = this.repairs.get(kind) ?? { count: 0, offset: 0 };
        return { kind, count, place: place(offset) };
      }),
      rejected: {
        count: this.lost.count,
        names: this.lost.names,
        samples: this.lost.samples.map(({ pointer, offset, message }) => ({ pointer, place: place(offset), message })),
      },
      end: this.end,
      ...(trailing.length > 0 && { trailing: place(end) }),
    };
  }

  private repaired(kind: RepairKind, offset: number): void {
    const known = this.repairs.get(kind);
    if (known === undefined) this.repairs.set(kind, { count: 1, offset });
    else known.count++;
  }

  private reject(section: string, name: string | null, error: Unreadable): void {
    this.lost.count++;
    if (name !== null) this.lost.names.add(name);
    if (this.lost.samples.length >= SAMPLES) return;
    const pointer = `/${pointerSegment(section)}${name === null ? '' : `/${pointerSegment(name)}`}`;
    this.lost.samples.push({ pointer, offset: error.offset, message: error.message });
  }

  private stop(end: TolerantJson['end']): void {
    this.ended = true;
    this.end = end;
  }

  /** The outermost object: header members as they are, objects in it as sections of records. */
  private document(begin: number): Json {
    const { reader } = this;
    const object: { [key: string]: Json } = {};
    let section: { name: string; records: { [key: string]: Json }; indent: string | null } | null = null;
    reader.at = begin + 1;
    reader.depth = 1;
    if (reader.next() !== '}') {
      for (;;) {
        const start = reader.at;
        const key = reader.key();
        if (reader.next() !== '{') reader.put(object, key, reader.value('member'), start);
        else if (section !== null && this.isBroken) {
          // PBS prints one section: a second one is a record of the first, behind a brace too many.
          this.reject(section.name, null, new Unreadable('a brace too many before it', start));
          reader.at = start;
          this.records(section.name, section.records, section.indent);
        } else {
          reader.at++;
          const open = reader.at;
          const isEmpty = reader.next() === '}';
          const space = this.text.slice(open, reader.at);
          section = { name: key, records: {}, indent: space.includes('\n') ? space.slice(space.lastIndexOf('\n') + 1) : null };
          reader.put(object, key, section.records, start);
          if (isEmpty) reader.at++;
          else this.records(key, section.records, section.indent);
        }
        const mark = reader.next();
        if (mark === '' && !this.ended) this.stop('cut');
        if (this.ended) return object;
        if (mark === '}') break;
        reader.take(',');
        reader.next();
      }
    }
    reader.at++;
    return object;
  }

  /** Records up to the brace that closes their section, and past it. */
  private records(section: string, records: { [key: string]: Json }, indent: string | null): void {
    const { reader, text } = this;
    reader.depth = 2;
    for (;;) {
      let from = reader.skip(reader.at);
      let name: string | null = null;
      try {
        name = reader.key();
        reader.onKey = this.isBroken ? this.fence(indent) : null;
        reader.put(records, name, reader.value('member'), from);
        // What fails from here on is not this record's fault.
        name = null;
        from = reader.at;
        if (reader.next() === '}') break;
        reader.take(',');
        from = reader.at;
      } catch (error) {
        if (!(error instanceof Unreadable)) throw error;
        reader.depth = 2;
        const again = this.nextRecord(from, indent);
        if (name !== null || reader.skip(error.offset) < text.length) this.reject(section, name, error);
        if (again === undefined || this.lost.count >= MAX_LOST) {
          if (again !== undefined) this.stop('given_up');
          else this.stop(/\}\s*\}\s*$/.test(text.slice(-100)) ? 'whole' : 'cut');
          break;
        }
        reader.at = again;
      }
    }
    reader.onKey = null;
    reader.at++;
    reader.depth = 1;
  }

  /**
   * Keeps the next record from swallowing those behind it where one of its braces is missing: what stands as a record does,
   * by its indentation or by being an object that no attribute is, does not stand inside of one.
   */
  private fence(indent: string | null): (key: string, offset: number) => void {
    const { reader, text } = this;
    const refuse = (offset: number): never => {
      throw new Unreadable('the next record begins inside of it', offset);
    };
    if (indent === null) {
      return (key, offset) => {
        if (reader.depth === 3 && reader.next() === '{' && !NESTED.test(key)) refuse(offset);
      };
    }
    const line = `\n${indent}"`;
    const stands = (offset: number): boolean => text.startsWith(line, offset - line.length + 1);
    const first = reader.next() === '{' ? reader.skip(reader.at + 1) : reader.at;
    if (stands(first)) return () => {};
    return (_, offset) => {
      if (stands(offset)) refuse(offset);
    };
  }

  /** Where the next record's key stands behind a place; undefined where none follows. */
  private nextRecord(from: number, indent: string | null): number | undefined {
    const { reader, text } = this;
    if (indent !== null) {
      const needle = `\n${indent}"`;
      for (let line = text.indexOf(needle, from); line >= 0; line = text.indexOf(needle, line + 1)) {
        const key = line + needle.length - 1;
        const value = reader.afterKey(key);
        if (value !== undefined && text.charAt(value) === '{') return key;
      }
      return undefined;
    }
    // The brace before the comma may be what is missing.
    const between = /,[ \t\n\r]*"/g;
    between.lastIndex = from;
    while (between.test(text)) {
      const key = between.lastIndex - 1;
      const value = reader.afterKey(key);
      if (value !== undefined && text.charAt(value) === '{' && !NESTED.test(text.slice(key + 1, key + 32))) return key;
    }
    return undefined;
  }
}

/** `line 12 column 3` of each offset, in one pass over the text. */
function placesOf(text: string, offsets: readonly number[]): Map<number, string> {
  const places = new Map<number, string>();
  let line = 1;
  let begin = 0;
  for (const offset of [...new Set(offsets)].sort((a, b) => a - b)) {
    for (let end = text.indexOf('\n', begin); end >= 0 && end < offset; end = text.indexOf('\n', begin)) {
      line++;
      begin = end + 1;
    }
    places.set(offset, `line ${line} column ${offset - begin + 1}`);
  }
  return places;
}
