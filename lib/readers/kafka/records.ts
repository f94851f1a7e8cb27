import { isAscii } from 'node:buffer';
import type { BrokerMessage } from '../../model/collector.ts';
import { codec, UnknownCodec } from './codecs.ts';
import type { AbortedTransaction } from './protocol.ts';
import { Malformed } from './wire.ts';

/** What stood in the records of one fetched partition, beside its messages; it fills while these are taken. */
export interface Records {
  /** Where to read on: past the last whole batch, gaps of compaction included; null where there was none. */
  next: number | null;
  /** Bytes of the messages' values. */
  bytes: number;
  /** Batches that were left out, by reason. */
  skipped: Map<string, number>;
}

export interface RecordsRequest {
  topic: string;
  /** Messages from this offset on, and before `to`. */
  from: number;
  to: number;
  aborted: readonly AbortedTransaction[];
}

/** Offset, length, leader epoch, magic: what stands before the checksum. */
const PREFIX = 17;
const HEADER = 61;
const MAGIC = 2;
/** No producer's batch holds as many, and a few bytes can unpack to many millions of empty ones. */
const MAX_RECORDS = 500_000;
const DAMAGED = 'damaged';

/**
 * Reads record batches (format 2). A damaged batch is left out and counted, and the others are read; a batch that is cut
 * off at the end, as brokers do, is no fault.
 */
export async function* readRecords(bytes: Buffer, request: RecordsRequest, found: Records): AsyncGenerator<BrokerMessage[]> {
  const aborts = [...request.aborted].sort((a, b) => a.firstOffset - b.firstOffset);
  const aborting = new Set<number>();
  let at = 0;
  while (at + PREFIX <= bytes.length) {
    const base = Number(bytes.readBigInt64BE(at));
    const length = bytes.readInt32BE(at + 8);
    if (length < PREFIX - 12) return skip(found, DAMAGED);
    const end = at + 12 + length;
    if (end > bytes.length) return;
    const batch = bytes.subarray(at, end);
    at = end;
    const messages: BrokerMessage[] = [];
    const skipped = found.skipped.get(DAMAGED);
    let last = await readBatch(batch, base, { request, found, messages, aborts, aborting });
    // How far a damaged batch goes may be its damage: the next one stands behind it.
    if (found.skipped.get(DAMAGED) !== skipped && at + PREFIX <= bytes.length) {
      const next = Number(bytes.readBigInt64BE(at));
      if (next > base && next <= last) last = next - 1;
    }
    if (last + 1 > (found.next ?? request.from)) found.next = last + 1;
    if (messages.length > 0) yield messages;
    if (last + 1 >= request.to) return;
  }
}

export function noRecords(): Records {
  return { next: null, bytes: 0, skipped: new Map() };
}

interface Reading {
  request: RecordsRequest;
  found: Records;
  /** Those of the batch at hand. */
  messages: BrokerMessage[];
  aborts: AbortedTransaction[];
  aborting: Set<number>;
}

/** Reads one batch; returns its last offset. */
async function readBatch(batch: Buffer, base: number, { request, found, messages, aborts, aborting }: Reading): Promise<number> {
  const magic = batch[16] as number;
  if (magic < MAGIC) {
    skip(found, 'of a message format older than Kafka 0.11');
    return base;
  }
  if (magic > MAGIC || batch.length < HEADER || crc32c(batch.subarray(21)) !== batch.readUInt32BE(17)) {
    skip(found, DAMAGED);
    const delta = batch.length < HEADER ? 0 : batch.readInt32BE(23);
    return base + Math.min(Math.max(0, delta), MAX_RECORDS);
  }
  const attributes = batch.readInt16BE(21);
  const last = base + Math.max(0, batch.readInt32BE(23));
  if (last < request.from) return last;
  const producer = Number(batch.readBigInt64BE(43));
  for (let next = aborts[0]; next !== undefined && next.firstOffset <= last; next = aborts[0]) {
    aborting.add(next.producer);
    aborts.shift();
  }
  const transactional = (attributes & 0x10) !== 0;
  const control = (attributes & 0x20) !== 0;
  if (transactional && !control && aborting.has(producer)) return last;
  try {
    const body = (await codec(attributes & 7))(batch.subarray(HEADER));
    if (control) {
      if (isAbort(body)) aborting.delete(producer);
      return last;
    }
    const times = { appended: (attributes & 8) !== 0, base: Number(batch.readBigInt64BE(27)), max: Number(batch.readBigInt64BE(35)) };
    readBody(body, { count: batch.readInt32BE(57), base, times, request }, { found, messages });
  } catch (error) {
    if (error instanceof UnknownCodec) skip(found, `unread: ${error.message}`);
    else if (error instanceof Malformed) skip(found, DAMAGED);
    else throw error;
  }
  return last;
}

function skip(found: Records, reason: string): void {
  found.skipped.set(reason, (found.skipped.get(reason) ?? 0) + 1);
}

interface Body {
  count: number;
  base: number;
  times: { appended: boolean; base: number; max: number };
  request: RecordsRequest;
}

/** Adds the messages of an unpacked batch. @throws Malformed, after what stood before the fault was added */
function readBody(bytes: Uint8Array, body: Body, { found, messages }: Pick<Reading, 'found' | 'messages'>): void {
  const places: number[] = [];
  try {
    findValues(bytes, body, places);
  } finally {
    const { topic } = body.request;
    // What is no value was blanked out, so that the whole is ASCII where all values are: one text is far cheaper to make
    // than as many small ones, and pieces of it cost nothing.
    const text = isAscii(bytes) ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1') : undefined;
    for (let i = 0; i + 2 < places.length; i += 3) {
      const timestamp = places[i] as number;
      const from = places[i + 1] as number;
      const length = places[i + 2] as number;
      if (length > 0) found.bytes += length;
      const value =
        length < 0
          ? null
          : text === undefined
            ? new Uint8Array(bytes.buffer, bytes.byteOffset + from, length)
            : text.slice(from, from + length);
      messages.push({ topic, timestamp, value });
    }
  }
}

/**
 * Finds the values in a batch's body, and fills with zeros what stands between them.
 * @param places takes the time, the place and the length of each; −1 for a tombstone
 */
function findValues(bytes: Uint8Array, { count, base, times, request }: Body, places: number[]): void {
  const cursor = new Cursor(bytes);
  if (count > MAX_RECORDS) throw new Malformed(`of more than ${MAX_RECORDS} records`);
  let blank = 0;
  for (let i = 0; i < count; i++) {
    const end = cursor.varint() + cursor.at;
    if (end > bytes.length || end <= cursor.at) throw new Malformed('a record longer than its batch');
    cursor.at++;
    const time = cursor.varint();
    const offset = base + cursor.varint();
    const key = cursor.varint();
    if (key > 0) cursor.at += key;
    const length = cursor.varint();
    const from = cursor.at;
    if (from + Math.max(0, length) > end) throw new Malformed('a value longer than its record');
    cursor.at = end;
    if (offset < request.from || offset >= request.to) continue;
    while (blank < from) bytes[blank++] = 0;
    blank = from + Math.max(0, length);
    places.push(times.appended ? times.max : times.base + time, from, length);
  }
  bytes.fill(0, blank);
}

/** Whether a control record ends its producer's transaction by an abort: its key holds a version, and a type that is 0. */
function isAbort(bytes: Uint8Array): boolean {
  const cursor = new Cursor(bytes);
  cursor.varint();
  cursor.at++;
  cursor.varint();
  cursor.varint();
  const key = cursor.varint();
  return key >= 4 && bytes[cursor.at + 2] === 0 && bytes[cursor.at + 3] === 0;
}

class Cursor {
  at = 0;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** A zigzag number of at most 64 bits. @throws Malformed */
  varint(): number {
    const first = this.#bytes[this.at];
    if (first !== undefined && first < 0x80) {
      this.at++;
      return (first >> 1) ^ -(first & 1);
    }
    let value = 0;
    let scale = 1;
    for (let i = 0; i < 10; i++) {
      const byte = this.#bytes[this.at++];
      if (byte === undefined) throw new Malformed('ends too soon');
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
      scale *= 128;
    }
    throw new Malformed('a number over 64 bits');
  }
}

const CRC_TABLE = new Int32Array(256).map((_, n) => {
  let c = n;
  for (let k = 0; k < 8; k++) c = c & 1 ? (c >>> 1) ^ 0x82f63b78 : c >>> 1;
  return c;
});

/** CRC-32C (Castagnoli), which batches carry; zlib's is another one. */
export function crc32c(bytes: Uint8Array): number {
  let crc = -1;
  for (let i = 0; i < bytes.length; i++) crc = (CRC_TABLE[(crc ^ (bytes[i] as number)) & 0xff] as number) ^ (crc >>> 8);
  return ~crc >>> 0;
}
