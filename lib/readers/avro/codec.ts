import type Avro from 'avsc';
import type { ForSchemaOptions, Schema, Type } from 'avsc';
import type { DecodeBody } from '../../model/collector.ts';
import { BadSchema, cleanSchema, type CleanSchema } from './clean-schema.ts';
import { flatFields, flatReader } from './flat.ts';
import { guardOf } from './guard.ts';
import { KnownRecords } from './known-records.ts';

/**
 * Makes a decoder of a schema.
 * @param references texts of the schemas whose names it uses, each before those that use it
 * @throws BadSchema
 */
export type Compile = (text: string, references?: readonly string[]) => DecodeBody;

type Avsc = typeof Avro;

/** The codec, by the package `avsc`, which is loaded here and nowhere else. @throws where it is not installed */
export async function loadCodec(): Promise<Compile> {
  const { default: avsc } = await import('avsc');
  return (text, references = []) => {
    const schemas = [...references, text].map(cleanSchema);
    let { type, guard } = typed(avsc, schemas, false);
    const fields = schemas.length === 1 ? flatFields(schemas[0] as CleanSchema) : undefined;
    const flat = fields && flatReader(fields);
    let wide = false;
    const decode: DecodeBody = (message, from = 0) => {
      const record = flat?.(message, from);
      if (record !== undefined) return record;
      const body = message.subarray(from);
      const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body.buffer, body.byteOffset, body.length);
      try {
        guard?.(bytes);
        return type.fromBuffer(bytes) as unknown;
      } catch (error) {
        // Nanoseconds do not fit a double to the last one; those who send them get the slower way.
        if (wide || !/precision/.test((error as Error).message)) return undefined;
        wide = true;
        ({ type, guard } = typed(avsc, schemas, true));
      }
      try {
        return type.fromBuffer(bytes) as unknown;
      } catch {
        return undefined;
      }
    };
    if (fields) decode.finder = (time, value) => KnownRecords.of(fields, time, value);
    return decode;
  };
}

function typed(avsc: Avsc, schemas: readonly CleanSchema[], wide: boolean): { type: Type; guard: ReturnType<typeof guardOf> } {
  const options = optionsOf(avsc, wide);
  let type: Type | undefined;
  try {
    for (const schema of schemas) type = avsc.Type.forSchema(schema as Schema, options);
  } catch (error) {
    throw new BadSchema(`cannot be used (${(error as Error).message})`);
  }
  return { type: type as Type, guard: guardOf(type as Type) };
}

function optionsOf(avsc: Avsc, wide: boolean): Partial<ForSchemaOptions> {
  const { LogicalType, LongType } = avsc.types;

  /** A union of which several branches look alike: the value alone, without the branch's name around it. */
  class PlainUnion extends LogicalType {
    protected override _fromValue(value: { unwrap(): unknown } | null): unknown {
      return value === null ? null : value.unwrap();
    }
  }

  class Decimal extends LogicalType {
    readonly #scale: number;
    constructor(schema: Schema, opts?: unknown) {
      super(schema, opts);
      this.#scale = 10 ** (schema as unknown as { scale: number }).scale;
    }
    protected override _fromValue(bytes: Buffer): number {
      return decimalOf(bytes) / this.#scale;
    }
  }

  const unused = (): never => {
    throw new Error('nothing is encoded here');
  };
  const long = LongType.__with({
    fromBuffer: (bytes: Buffer) => Number(bytes.readBigInt64LE(0)),
    toBuffer: unused,
    fromJSON: unused,
    toJSON: unused,
    isValid: unused,
    compare: unused,
  });
  const opened = new WeakSet<object>();
  return {
    // Names such as `constructor` are in every other object.
    registry: Object.create(null) as Record<string, Type>,
    logicalTypes: Object.assign(Object.create(null) as object, { decimal: Decimal }),
    omitRecordMethods: true,
    typeHook(schema, own) {
      if (wide && schema === 'long') return long;
      if (!Array.isArray(schema) || opened.has(schema)) return undefined;
      opened.add(schema);
      const union = avsc.Type.forSchema(schema, own);
      return union.typeName === 'union:wrapped' ? new PlainUnion(union, own) : union;
    },
  };
}

/** A big-endian number in two's complement; beyond the precision of a double it is near enough for a reading. */
function decimalOf(bytes: Buffer): number {
  if (bytes.length > 32) return Number.NaN;
  let value = 0n;
  for (const byte of bytes) value = value * 256n + BigInt(byte);
  return Number(BigInt.asIntN(bytes.length * 8, value));
}
