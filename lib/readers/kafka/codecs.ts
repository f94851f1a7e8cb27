import * as zlib from 'node:zlib';
import { Malformed } from './wire.ts';

/** What one batch may hold once it is unpacked: a few kilobytes can claim to be gigabytes. */
export const MAX_UNPACKED = 128 * 1024 * 1024;

type Unpack = (bytes: Buffer) => Uint8Array;

/** A codec that this Node does not have. */
export class UnknownCodec extends Error {
  override name = 'UnknownCodec';
}

/** Largest piece that is made ready at once: what a batch claims to hold is believed no further. */
const MOST_ROOM = 4 * 1024 * 1024;

/** How much gzip says that it holds, in its last four bytes: one piece of that size needs no putting together. */
function roomFor(bytes: Buffer): number {
  const claimed = bytes.length < 4 ? 0 : bytes.readUInt32LE(bytes.length - 4);
  return Math.min(Math.max(claimed + 1, 1024), MOST_ROOM, Math.max(1024, bytes.length * 64));
}

const gzip: Unpack = (bytes) => {
  try {
    return zlib.gunzipSync(bytes, { maxOutputLength: MAX_UNPACKED, chunkSize: roomFor(bytes) });
  } catch (error) {
    throw new Malformed(`gzip that cannot be unpacked (${(error as Error).message})`);
  }
};

/** An output that grows, and knows its bounds. */
class Output {
  #buffer: Buffer;
  length = 0;

  constructor(guess: number) {
    this.#buffer = Buffer.allocUnsafe(Math.min(Math.max(guess, 64), MAX_UNPACKED));
  }

  #room(bytes: number): void {
    const need = this.length + bytes;
    if (need > MAX_UNPACKED) throw new Malformed(`unpacks to more than ${MAX_UNPACKED} bytes`);
    if (need <= this.#buffer.length) return;
    const grown = Buffer.allocUnsafe(Math.min(Math.max(need, this.#buffer.length * 2), MAX_UNPACKED));
    this.#buffer.copy(grown, 0, 0, this.length);
    this.#buffer = grown;
  }

  literal(bytes: Buffer, from: number, count: number): void {
    if (count > bytes.length - from) throw new Malformed('a literal longer than what holds it');
    this.#room(count);
    bytes.copy(this.#buffer, this.length, from, from + count);
    this.length += count;
  }

  /** Repeats what stands `back` bytes before; where that is less than `count`, the copy repeats itself. */
  copy(back: number, count: number): void {
    if (back === 0 || back > this.length) throw new Malformed('a copy from before the beginning');
    this.#room(count);
    const buffer = this.#buffer;
    let at = this.length;
    this.length += count;
    if (back >= count) {
      buffer.copyWithin(at, at - back, at - back + count);
      return;
    }
    for (const end = at + count; at < end; at++) buffer[at] = buffer[at - back] as number;
  }

  done(): Uint8Array {
    return this.#buffer.subarray(0, this.length);
  }
}

function byteAt(bytes: Buffer, at: number): number {
  const byte = bytes[at];
  if (byte === undefined) throw new Malformed('ends too soon');
  return byte;
}

/** The framing of Java's snappy streams: this magic, two versions, and blocks with their lengths. */
const XERIAL = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00]);

const snappy: Unpack = (bytes) => {
  const out = new Output(bytes.length * 3);
  if (!bytes.subarray(0, XERIAL.length).equals(XERIAL)) {
    snappyBlock(bytes, out);
    return out.done();
  }
  let at = 16;
  while (at < bytes.length) {
    if (at + 4 > bytes.length) throw new Malformed('a block without its length');
    const length = bytes.readUInt32BE(at);
    at += 4;
    if (length > bytes.length - at) throw new Malformed('a block longer than what holds it');
    snappyBlock(bytes.subarray(at, at + length), out);
    at += length;
  }
  return out.done();
};

/** Format: google/snappy, format_description.txt. */
function snappyBlock(bytes: Buffer, out: Output): void {
  const begin = out.length;
  let at = 0;
  let size = 0;
  for (let shift = 0; ; shift += 7) {
    if (shift > 28) throw new Malformed('a length over 32 bits');
    const byte = byteAt(bytes, at++);
    size += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) break;
  }
  while (at < bytes.length) {
    const tag = byteAt(bytes, at++);
    const kind = tag & 3;
    if (kind === 0) {
      let length = tag >> 2;
      if (length >= 60) {
        const extra = length - 59;
        if (at + extra > bytes.length) throw new Malformed('ends too soon');
        length = bytes.readUIntLE(at, extra);
        at += extra;
      }
      out.literal(bytes, at, length + 1);
      at += length + 1;
    } else if (kind === 1) {
      out.copy(((tag >> 5) << 8) | byteAt(bytes, at), ((tag >> 2) & 7) + 4);
      at += 1;
    } else {
      const width = kind === 2 ? 2 : 4;
      if (at + width > bytes.length) throw new Malformed('ends too soon');
      out.copy(bytes.readUIntLE(at, width), (tag >> 2) + 1);
      at += width;
    }
  }
  if (out.length - begin !== size) throw new Malformed('a block of another length than it says');
}

const LZ4_MAGIC = 0x184d2204;

/** Frames, as lz4_Frame_format.md has them. Checksums are left alone: the batch has its own. */
const lz4: Unpack = (bytes) => {
  const out = new Output(bytes.length * 4);
  let at = 0;
  while (at < bytes.length) {
    if (at + 7 > bytes.length || bytes.readUInt32LE(at) !== LZ4_MAGIC) throw new Malformed('no LZ4 frame');
    const flags = byteAt(bytes, at + 4);
    at += 7 + (flags & 8 ? 8 : 0) + (flags & 1 ? 4 : 0);
    for (;;) {
      if (at + 4 > bytes.length) throw new Malformed('an LZ4 frame without its end');
      const size = bytes.readUInt32LE(at);
      at += 4;
      if (size === 0) break;
      const length = size % 0x8000_0000;
      if (length > bytes.length - at) throw new Malformed('a block longer than what holds it');
      if (size >= 0x8000_0000) out.literal(bytes, at, length);
      else lz4Block(bytes.subarray(at, at + length), out);
      at += length + (flags & 16 ? 4 : 0);
    }
    at += flags & 4 ? 4 : 0;
  }
  return out.done();
};

/** Format: lz4_Block_format.md. */
function lz4Block(bytes: Buffer, out: Output): void {
  let at = 0;
  const longer = (length: number): number => {
    if (length < 15) return length;
    let total = length;
    for (;;) {
      const byte = byteAt(bytes, at++);
      total += byte;
      if (byte < 255) return total;
    }
  };
  while (at < bytes.length) {
    const token = byteAt(bytes, at++);
    const literals = longer(token >> 4);
    out.literal(bytes, at, literals);
    at += literals;
    if (at >= bytes.length) return;
    if (at + 2 > bytes.length) throw new Malformed('ends too soon');
    const back = bytes.readUInt16LE(at);
    at += 2;
    out.copy(back, longer(token & 15) + 4);
  }
}

interface NodeZstd {
  zstdDecompressSync?: (bytes: Buffer, options: { maxOutputLength: number }) => Buffer;
}

/** Node has zstd from 22.15 on; before, the package `fzstd` has to be there. */
async function findZstd(): Promise<Unpack> {
  const native = (zlib as NodeZstd).zstdDecompressSync;
  let unpack: Unpack;
  if (native) unpack = (bytes) => native(bytes, { maxOutputLength: MAX_UNPACKED });
  else {
    const { Decompress } = await import('fzstd').catch(() => {
      throw new UnknownCodec('zstd needs Node 22.15 or newer, or the package fzstd');
    });
    unpack = (bytes) => {
      const out = new Output(bytes.length * 4);
      const stream = new Decompress((chunk) => out.literal(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length), 0, chunk.length));
      stream.push(bytes, true);
      return out.done();
    };
  }
  return (bytes) => {
    checkZstdWindow(bytes);
    try {
      return unpack(bytes);
    } catch (error) {
      throw error instanceof Malformed ? error : new Malformed(`zstd that cannot be unpacked (${(error as Error).message})`);
    }
  };
}

/** Refuses a frame that asks for more memory than a batch may have. Format: RFC 8878, 3.1.1.1. */
function checkZstdWindow(bytes: Buffer): void {
  if (bytes.length < 6 || bytes.readUInt32LE(0) !== 0xfd2fb528) throw new Malformed('no zstd frame');
  const descriptor = byteAt(bytes, 4);
  const single = (descriptor & 0x20) !== 0;
  const idBytes = [0, 1, 2, 4][descriptor & 3] as number;
  const sizeBytes = [single ? 1 : 0, 2, 4, 8][descriptor >> 6] as number;
  if (!single) {
    const window = byteAt(bytes, 5);
    if (2 ** (10 + (window >> 3)) * (1 + (window & 7) / 8) > MAX_UNPACKED) throw new Malformed('a zstd window over the limit');
  }
  const at = 5 + (single ? 0 : 1) + idBytes;
  if (at + sizeBytes > bytes.length) throw new Malformed('ends too soon');
  const size = sizeBytes === 8 ? Number(bytes.readBigUInt64LE(at)) : sizeBytes === 0 ? 0 : bytes.readUIntLE(at, sizeBytes);
  if (size > MAX_UNPACKED) throw new Malformed(`unpacks to more than ${MAX_UNPACKED} bytes`);
}

const NAMES = ['none', 'gzip', 'snappy', 'lz4', 'zstd'];
let zstd: Promise<Unpack> | undefined;

/**
 * How to unpack the batches of a codec, by its number in a batch's attributes (0 = none). What comes out is a copy in
 * any case. The unpackers throw {@link Malformed}. @throws UnknownCodec
 */
export async function codec(number: number): Promise<Unpack> {
  switch (number) {
    case 0:
      return (bytes) => Buffer.from(bytes);
    case 1:
      return gzip;
    case 2:
      return snappy;
    case 3:
      return lz4;
    case 4:
      zstd ??= findZstd();
      return zstd;
    default:
      throw new UnknownCodec(`codec ${number} is not known here; known: ${NAMES.join(', ')}`);
  }
}
