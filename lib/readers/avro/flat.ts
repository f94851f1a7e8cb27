import type { CleanSchema } from './clean-schema.ts';
import { Cursor } from './cursor.ts';

/** Reads one record that lies at an offset; undefined where it is no plain case, for the codec to judge. */
export type ReadFlat = (bytes: Uint8Array, from: number) => unknown;

const BRANCHES = ['null', 'boolean', 'int', 'long', 'float', 'double', 'string'] as const;
export type Branch = (typeof BRANCHES)[number];

export interface Field {
  name: string;
  /** What it is, or what a union's index chooses from. */
  branches: readonly Branch[];
  union: boolean;
}

/** The fields of records that hold nothing but numbers, texts and unions of them, as telemetry mostly does; else undefined. */
export function flatFields(schema: CleanSchema): readonly Field[] | undefined {
  if (typeof schema === 'string' || Array.isArray(schema) || schema.type !== 'record') return undefined;
  const fields: Field[] = [];
  for (const { name, type } of schema['fields'] as { name: string; type: CleanSchema }[]) {
    const branches = Array.isArray(type) ? type : [type];
    if (!branches.every(isBranch)) return undefined;
    fields.push({ name, branches, union: Array.isArray(type) });
  }
  return fields;
}

/** A reader of flat records: much faster than the codec, since texts that come again are not made again, and one record serves all. */
export function flatReader(fields: readonly Field[]): ReadFlat {
  const reader = new FlatReader(fields);
  return (bytes, from) => reader.read(bytes, from);
}

function isBranch(type: CleanSchema): type is Branch {
  return (BRANCHES as readonly unknown[]).includes(type);
}

/** Texts that are remembered, by a hash of their bytes; longer ones than this are not. */
const TEXTS = 4096;
const LONGEST = 64;

/** A field, and what it was in the record before: mostly it is the same again. */
interface ReadField extends Field {
  last: unknown;
}

class FlatReader extends Cursor {
  readonly #fields: readonly ReadField[];
  readonly #record: Record<string, unknown>;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  readonly #texts: string[] = Array.from({ length: TEXTS }, () => '');
  readonly #float = new DataView(new ArrayBuffer(8));

  constructor(fields: readonly Field[]) {
    super();
    this.#fields = fields.map((field) => ({ ...field, last: null }));
    // Made at once, so that the engine keeps one form for all of them.
    this.#record = JSON.parse(JSON.stringify(Object.fromEntries(fields.map(({ name }) => [name, null])))) as Record<string, unknown>;
  }

  read(bytes: Uint8Array, from: number): unknown {
    this.bytes = bytes;
    this.at = from;
    for (const field of this.#fields) {
      const branch = field.branches[field.union ? this.varint() : 0];
      if (branch === undefined) return undefined;
      const value = branch === 'string' ? this.#text(field.last) : this.#value(branch);
      if (value === undefined) return undefined;
      if (value === field.last) continue;
      field.last = value;
      this.#record[field.name] = value;
    }
    return this.at === bytes.length ? this.#record : undefined;
  }

  #value(branch: Exclude<Branch, 'string'>): unknown {
    switch (branch) {
      case 'int':
      case 'long': {
        const value = this.varint();
        return Number.isNaN(value) ? undefined : value;
      }
      case 'double':
      case 'float':
        return this.#fraction(branch === 'double' ? 8 : 4);
      case 'boolean': {
        const byte = this.bytes[this.at++];
        return byte === undefined ? undefined : byte !== 0;
      }
      default:
        return null;
    }
  }

  #fraction(size: 4 | 8): number | undefined {
    const from = this.at;
    if (from + size > this.bytes.length) return undefined;
    for (let i = 0; i < size; i++) this.#float.setUint8(i, this.bytes[from + i] as number);
    this.at += size;
    return size === 8 ? this.#float.getFloat64(0, true) : this.#float.getFloat32(0, true);
  }

  #text(last: unknown): string | undefined {
    const length = this.varint();
    const from = this.at;
    const end = from + length;
    if (!(length >= 0) || end > this.bytes.length) return undefined;
    this.at = end;
    if (length === 0) return '';
    const bytes = this.bytes;
    if (typeof last === 'string' && last.length === length && isSame(last, bytes, from)) return last;
    if (length > LONGEST) return this.#decoder.decode(bytes.subarray(from, end));
    let hash = length;
    for (let i = from; i < end; i++) hash = Math.imul(hash ^ (bytes[i] as number), 0x01000193);
    const slot = (hash ^ (hash >>> 15)) & (TEXTS - 1);
    const known = this.#texts[slot] as string;
    if (known.length === length && isSame(known, bytes, from)) return known;
    const text = this.#decoder.decode(bytes.subarray(from, end));
    this.#texts[slot] = text;
    return text;
  }
}

/** Whether a text of ASCII is what the bytes say; of any other it is not known. */
function isSame(text: string, bytes: Uint8Array, from: number): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code !== bytes[from + i] || code > 127) return false;
  }
  return true;
}
