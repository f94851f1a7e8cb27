/** A schema that is not used, and why. */
export class BadSchema extends Error {
  override name = 'BadSchema';
}

/** A schema as its text is parsed, with nothing left in it but what decoding needs. */
export type CleanSchema = string | CleanSchema[] | { type: string; [key: string]: unknown };

const PRIMITIVES = new Set(['null', 'boolean', 'int', 'long', 'float', 'double', 'bytes', 'string']);
const NAME = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$/;
const SIMPLE_NAME = /^[A-Za-z_]\w*$/;
const LONGEST_NAME = 512;
/** Names that mean something to every object: a record cannot have them as plain members. */
const RESERVED = new Set(['__proto__', 'constructor', 'prototype']);
const MAX_DEPTH = 32;
const MAX_NODES = 20_000;

/**
 * Takes a schema's text apart and keeps what decoding needs: types, names, fields, sizes, and decimals. The codec makes
 * code out of names, so that none but letters, digits and underscores get there; defaults, aliases and remarks do not.
 * @throws BadSchema
 */
export function cleanSchema(text: string): CleanSchema {
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch {
    // The bare name of a type is how registries keep a schema that is nothing else.
    if (!NAME.test(text.trim())) throw new BadSchema('is no JSON');
    raw = text.trim();
  }
  return new Cleaner().type(raw, 0);
}

class Cleaner {
  #nodes = 0;

  type(raw: unknown, depth: number): CleanSchema {
    if (++this.#nodes > MAX_NODES) throw new BadSchema(`has more than ${MAX_NODES} parts`);
    if (depth > MAX_DEPTH) throw new BadSchema(`is nested more than ${MAX_DEPTH} deep`);
    if (typeof raw === 'string') return PRIMITIVES.has(raw) ? raw : nameOf(raw, NAME);
    if (Array.isArray(raw)) return raw.map((one) => this.type(one, depth + 1));
    if (raw === null || typeof raw !== 'object') throw new BadSchema('has a type that is none');
    return this.#complex(raw as Record<string, unknown>, depth);
  }

  #complex(raw: Record<string, unknown>, depth: number): CleanSchema {
    const { type, fields, symbols } = raw;
    switch (type) {
      case 'record':
      case 'error':
        if (!Array.isArray(fields)) throw new BadSchema('has a record without fields');
        return { type: 'record', ...namesOf(raw), fields: fields.map((field) => this.#field(field, depth)) };
      case 'enum':
        if (!Array.isArray(symbols)) throw new BadSchema('has an enum without symbols');
        return { type, ...namesOf(raw), symbols: symbols.map((symbol) => this.#symbol(symbol)) };
      case 'array':
        return { type, items: this.type(raw['items'], depth + 1) };
      case 'map':
        return { type, values: this.type(raw['values'], depth + 1) };
      case 'fixed':
        if (!Number.isInteger(raw['size']) || (raw['size'] as number) < 0) throw new BadSchema('has a fixed type without a size');
        return { type, ...namesOf(raw), size: raw['size'], ...decimalOf(raw) };
      case 'bytes':
        return { type, ...decimalOf(raw) };
      default:
        // `{"type": "string", "avro.java.string": "String"}`, and types wrapped once more.
        return this.type(type, depth + 1);
    }
  }

  #field(raw: unknown, depth: number): { name: string; type: CleanSchema } {
    if (raw === null || typeof raw !== 'object') throw new BadSchema('has a field that is none');
    const { name, type } = raw as Record<string, unknown>;
    return { name: nameOf(name, SIMPLE_NAME), type: this.type(type, depth + 1) };
  }

  #symbol(raw: unknown): string {
    if (++this.#nodes > MAX_NODES) throw new BadSchema(`has more than ${MAX_NODES} parts`);
    return nameOf(raw, SIMPLE_NAME);
  }
}

function nameOf(raw: unknown, form: RegExp): string {
  if (typeof raw !== 'string' || raw.length > LONGEST_NAME || !form.test(raw) || RESERVED.has(raw))
    throw new BadSchema('has a name that is none');
  return raw;
}

function namesOf({ name, namespace }: Record<string, unknown>): { name: string; namespace?: string } {
  const space = namespace === undefined || namespace === null || namespace === '' ? {} : { namespace: nameOf(namespace, NAME) };
  return { name: nameOf(name, NAME), ...space };
}

/** Decimals are bytes to the eye; other logical types are what they look like, and times go by their magnitude. */
function decimalOf({ logicalType, scale }: Record<string, unknown>): { logicalType?: 'decimal'; scale?: number } {
  if (logicalType !== 'decimal') return {};
  const places = scale ?? 0;
  if (!Number.isInteger(places) || (places as number) < 0 || (places as number) > 100) throw new BadSchema('has a decimal without a scale');
  return { logicalType, scale: places as number };
}
