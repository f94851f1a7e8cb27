import { crc32c } from '../../lib/readers/kafka/records.ts';

/** Builds what brokers keep, so that the reader is held against bytes that it did not write itself. */
export interface BatchOptions {
  base?: number;
  time?: number;
  maxTime?: number;
  attributes?: number;
  producer?: number;
  /** Offsets of the values from the base; 0, 1, 2, … where none are given. */
  deltas?: readonly number[];
  lastDelta?: number;
  pack?: (body: Buffer) => Uint8Array;
}

export function varint(value: number): Buffer {
  let rest = value >= 0 ? BigInt(value) * 2n : BigInt(-value) * 2n - 1n;
  const bytes: number[] = [];
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}

function field(value: Uint8Array | null): Buffer {
  return value === null ? varint(-1) : Buffer.concat([varint(value.length), value]);
}

function record(delta: number, time: number, key: Uint8Array | null, value: Uint8Array | null): Buffer {
  const header = Buffer.concat([varint(1), field(Buffer.from('trace')), field(Buffer.from('x'))]);
  const body = Buffer.concat([Buffer.from([0]), varint(time), varint(delta), field(key), field(value), header]);
  return Buffer.concat([varint(body.length), body]);
}

/** A batch of format 2. A value's time is the batch's, and a millisecond later for each before it. */
export function batch(values: readonly (string | Uint8Array | null)[], options: BatchOptions = {}): Buffer {
  const { base = 0, time = 1_700_000_000_000, attributes = 0, producer = -1, deltas = values.map((_, i) => i) } = options;
  const records = values.map((value, i) =>
    record(deltas[i] as number, i, i % 2 === 0 ? null : Buffer.from('key'), typeof value === 'string' ? Buffer.from(value) : value),
  );
  return wrap(Buffer.concat(records), values.length, {
    ...options,
    base,
    time,
    attributes,
    producer,
    lastDelta: options.lastDelta ?? deltas.at(-1) ?? 0,
  });
}

/** The marker by which a transaction ends. */
export function marker(kind: 'abort' | 'commit', options: BatchOptions): Buffer {
  const body = record(0, 0, Buffer.from([0, 0, 0, kind === 'abort' ? 0 : 1]), Buffer.alloc(6));
  return wrap(body, 1, { base: 0, time: 1_700_000_000_000, producer: -1, lastDelta: 0, ...options, attributes: 0x30 });
}

type Whole = BatchOptions & { base: number; time: number; attributes: number; producer: number; lastDelta: number };

function wrap(
  body: Buffer,
  count: number,
  { base, time, maxTime = time, attributes, producer, lastDelta, pack = (b) => b }: Whole,
): Buffer {
  const packed = pack(body);
  const bytes = Buffer.alloc(61 + packed.length);
  bytes.writeBigInt64BE(BigInt(base), 0);
  bytes.writeInt32BE(bytes.length - 12, 8);
  bytes[16] = 2;
  bytes.writeInt16BE(attributes, 21);
  bytes.writeInt32BE(lastDelta, 23);
  bytes.writeBigInt64BE(BigInt(time), 27);
  bytes.writeBigInt64BE(BigInt(maxTime), 35);
  bytes.writeBigInt64BE(BigInt(producer), 43);
  bytes.writeInt32BE(count, 57);
  bytes.set(packed, 61);
  bytes.writeUInt32BE(crc32c(bytes.subarray(21)), 17);
  return bytes;
}
