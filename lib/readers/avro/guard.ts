import type { Type, types } from 'avsc';
import { BadSchema } from './clean-schema.ts';

/** Bytes that a schema does not fit. */
class Misfit extends Error {
  override name = 'Misfit';
}

/** A value that costs more steps than this before its first byte is read is no telemetry. */
const MAX_WEIGHT = 4096;
/** Steps that a message may cost beside those that its bytes pay for. */
const FREE_STEPS = 65_536;

/**
 * A check that has to pass before the codec may decode: avsc takes the length of an array from the bytes and reads on
 * behind their end, so that ten of them can keep it busy for days. Undefined where no message of the type can do that.
 * @throws BadSchema for a type whose values have no end, or cost too much whatever their bytes are
 */
export function guardOf(type: Type): ((bytes: Buffer) => void) | undefined {
  const known = new Map<Type, number>();
  let repeats = false;
  // A value may hold itself behind a union's index or an array's length: these are bytes, and come to an end.
  for (const queue: Type[] = [type]; queue.length > 0; ) {
    const later = new Set<Type>();
    weigh(queue.pop() as Type, known, later);
    for (const one of later) {
      if (one.typeName === 'array' || one.typeName === 'map') repeats = true;
      queue.push(...partsOf(one).filter((part) => !known.has(part)));
    }
  }
  return repeats ? (bytes) => new Walk(bytes).whole(type) : undefined;
}

/** The types behind an array's length, a map's keys or a union's index. */
function partsOf(type: Type): readonly Type[] {
  switch (type.typeName) {
    case 'array':
      return [(type as types.ArrayType).itemsType];
    case 'map':
      return [(type as types.MapType).valuesType];
    default:
      return (type as types.UnwrappedUnionType).types;
  }
}

/** How many steps a value costs up to its next array, map or union; these are put on a list of their own. */
function weigh(type: Type, known: Map<Type, number>, later: Set<Type>): number {
  const before = known.get(type);
  if (before === Number.POSITIVE_INFINITY) throw new BadSchema('holds itself without an end');
  if (before !== undefined) return before;
  known.set(type, Number.POSITIVE_INFINITY);
  let weight = 1;
  switch (type.typeName) {
    case 'record':
      for (const field of (type as types.RecordType).fields) {
        weight += weigh(field.type, known, later);
        if (weight > MAX_WEIGHT) throw new BadSchema(`has values of more than ${MAX_WEIGHT} parts`);
      }
      break;
    case 'array':
    case 'map':
    case 'union:unwrapped':
    case 'union:wrapped':
      later.add(type);
      break;
    default: {
      const under = underlying(type);
      if (under !== undefined) weight += weigh(under, known, later);
    }
  }
  known.set(type, weight);
  return weight;
}

function underlying(type: Type): Type | undefined {
  return type.typeName.startsWith('logical:') ? (type as types.LogicalType).underlyingType : undefined;
}

/** Walks over a message as the codec will, and reads nothing but lengths. */
class Walk {
  readonly #bytes: Buffer;
  #at = 0;
  #steps: number;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#steps = FREE_STEPS + 8 * bytes.length;
  }

  whole(type: Type): void {
    this.#skip(type);
    if (this.#at !== this.#bytes.length) throw new Misfit('has bytes behind its end');
  }

  #skip(type: Type): void {
    if (--this.#steps < 0) throw new Misfit('costs too much');
    switch (type.typeName) {
      case 'null':
        return;
      case 'boolean':
        return this.#over(1);
      case 'int':
      case 'long':
      case 'abstract:long':
      case 'enum':
        this.#number();
        return;
      case 'float':
        return this.#over(4);
      case 'double':
        return this.#over(8);
      case 'bytes':
      case 'string':
        return this.#over(this.#number());
      case 'fixed':
        return this.#over((type as types.FixedType).size);
      case 'record':
        for (const field of (type as types.RecordType).fields) this.#skip(field.type);
        return;
      case 'array':
        return this.#blocks((type as types.ArrayType).itemsType, false);
      case 'map':
        return this.#blocks((type as types.MapType).valuesType, true);
      case 'union:unwrapped':
      case 'union:wrapped': {
        const branch = (type as types.UnwrappedUnionType).types[this.#number()];
        if (branch === undefined) throw new Misfit('names a branch that its union does not have');
        return this.#skip(branch);
      }
      default: {
        const under = underlying(type);
        if (under === undefined) throw new Misfit(`has a ${type.typeName}`);
        return this.#skip(under);
      }
    }
  }

  #blocks(item: Type, keyed: boolean): void {
    for (let count = this.#number(); count !== 0; count = this.#number()) {
      if (count < 0) this.#number();
      for (let left = Math.abs(count); left > 0; left--) {
        if (keyed) this.#over(this.#number());
        this.#skip(item);
      }
    }
  }

  #over(bytes: number): void {
    if (bytes < 0 || bytes > this.#bytes.length - this.#at) throw new Misfit('ends too soon');
    this.#at += bytes;
  }

  #number(): number {
    let value = 0;
    let scale = 1;
    for (let i = 0; i < 10; i++) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new Misfit('ends too soon');
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
      scale *= 128;
    }
    throw new Misfit('has a number over 64 bits');
  }
}
