import type { RecordFinder } from '../../model/collector.ts';
import { Cursor } from './cursor.ts';
import type { Branch, Field } from './flat.ts';

/** Bytes of records are kept in chunks of this size, no record in two of them. */
const CHUNK_BITS = 18;
const CHUNK = 1 << CHUNK_BITS;
const MAX_CHUNKS = 192;
/** Records whose hashes are the same on purpose are not looked for any further: they are read as if they were new. */
const MAX_TRIED = 64;
const NUMBERS: ReadonlySet<Branch> = new Set(['int', 'long', 'float', 'double']);

/** Of one record: where its bytes begin, how many stand before, between and behind the two numbers, its hash, mark and follower. */
const WIDTH = 7;
const [START, BEFORE, BETWEEN, BEHIND, HASH, MARK, NEXT] = [0, 1, 2, 3, 4, 5, 6] as const;

/**
 * Finds flat records again that differ from an earlier one in two numbers alone, by their other bytes: no text is made and
 * no field is looked at. Records mostly come in turn, so that the one that followed last time is tried first.
 */
export class KnownRecords extends Cursor implements RecordFinder {
  time = 0;
  value = 0;
  readonly #fields: readonly Field[];
  readonly #first: number;
  readonly #second: number;
  readonly #timeIsFirst: boolean;
  readonly #firstKind: Branch;
  readonly #secondKind: Branch;
  readonly #chunks: DataView[] = [];
  #room = 0;
  /** The buffer that the message at hand lies in, which many share. */
  #messages: DataView = new DataView(new ArrayBuffer(0));
  // The first record is none: what follows it comes first of all.
  #records = new Int32Array(WIDTH * 1024);
  #count = 1;
  #table = new Int32Array(4096);
  #last = 0;
  /** The record that was looked for in vain, and where its second number begins. */
  readonly #found = new Int32Array(WIDTH);
  #secondAt = 0;
  #missed: Uint8Array | null = null;

  /** @param first,second the places of both numbers among the fields */
  private constructor(fields: readonly Field[], first: number, second: number, timeIsFirst: boolean) {
    super();
    this.#fields = fields;
    this.#first = first;
    this.#second = second;
    this.#timeIsFirst = timeIsFirst;
    this.#firstKind = numberIn(fields[first]) as Branch;
    this.#secondKind = numberIn(fields[second]) as Branch;
  }

  /** Undefined where the records do not have both fields as numbers. */
  static of(fields: readonly Field[], time: string, value: string): KnownRecords | undefined {
    const [a, b] = [time, value].map((name) => fields.findIndex((field) => field.name === name)) as [number, number];
    if (a < 0 || b < 0 || a === b || numberIn(fields[a]) === undefined || numberIn(fields[b]) === undefined) return undefined;
    return new KnownRecords(fields, Math.min(a, b), Math.max(a, b), a < b);
  }

  find(message: Uint8Array, from: number): number {
    this.#missed = null;
    this.bytes = message;
    if (this.#messages.buffer !== message.buffer) this.#messages = new DataView(message.buffer);
    const follower = this.#records[this.#last * WIDTH + NEXT] as number;
    if (follower > 0 && this.#isSame(follower, message, from)) {
      this.#last = follower;
      return this.#records[follower * WIDTH + MARK] as number;
    }
    const hash = this.#walk(message, from);
    if (hash === null) return -1;
    const mask = this.#table.length - 1;
    for (let slot = hash & mask, tried = 0; ; slot = (slot + 1) & mask) {
      const record = this.#table[slot] as number;
      if (record === 0) break;
      if (++tried > MAX_TRIED) return -1;
      if (this.#records[record * WIDTH + HASH] !== hash || !this.#isSame(record, message, from)) continue;
      this.#records[this.#last * WIDTH + NEXT] = record;
      this.#last = record;
      return this.#records[record * WIDTH + MARK] as number;
    }
    this.#found[START] = from;
    this.#found[HASH] = hash;
    this.#missed = message;
    return -1;
  }

  remember(mark: number): void {
    const message = this.#missed;
    if (message === null) return;
    this.#missed = null;
    const [before, between, behind] = [this.#found[BEFORE] as number, this.#found[BETWEEN] as number, this.#found[BEHIND] as number];
    const length = before + between + behind;
    if (!this.#makeRoom(length)) return;
    const chunk = new Uint8Array((this.#chunks.at(-1) as DataView).buffer);
    const start = CHUNK - this.#room;
    const from = this.#found[START] as number;
    const { length: end } = message;
    chunk.set(message.subarray(from, from + before), start);
    // The bytes between both numbers end where the second begins.
    chunk.set(message.subarray(this.#secondAt - between, this.#secondAt), start + before);
    chunk.set(message.subarray(end - behind, end), start + before + between);
    const record = this.#count++;
    const place = (this.#chunks.length - 1) * CHUNK + start;
    this.#records.set([place, before, between, behind, this.#found[HASH] as number, mark, 0], record * WIDTH);
    this.#room -= length;
    this.#enter(record);
    this.#records[this.#last * WIDTH + NEXT] = record;
    this.#last = record;
  }

  /** Whether a record's other bytes are those of a remembered one; reads both numbers on the way. */
  #isSame(record: number, message: Uint8Array, from: number): boolean {
    const records = this.#records;
    const at = record * WIDTH;
    const chunk = this.#chunks[(records[at + START] as number) >>> CHUNK_BITS] as DataView;
    const start = (records[at + START] as number) & (CHUNK - 1);
    const before = records[at + BEFORE] as number;
    const between = records[at + BETWEEN] as number;
    const behind = records[at + BEHIND] as number;
    if (from + before > message.length || !this.#hasBytes(chunk, start, before, message, from)) return false;
    this.at = from + before;
    const first = this.#number(this.#firstKind, message);
    if (Number.isNaN(first) || this.at + between > message.length) return false;
    if (!this.#hasBytes(chunk, start + before, between, message, this.at)) return false;
    this.at += between;
    const second = this.#number(this.#secondKind, message);
    if (this.at + behind !== message.length || !this.#hasBytes(chunk, start + before + between, behind, message, this.at)) return false;
    return this.#take(first, second);
  }

  #hasBytes(chunk: DataView, start: number, length: number, message: Uint8Array, from: number): boolean {
    // From the end, where the parts are that tell records apart, and in words as long as there are.
    const messages = this.#messages;
    const begin = message.byteOffset + from;
    let left = length;
    for (; left >= 4; left -= 4) if (chunk.getInt32(start + left - 4) !== messages.getInt32(begin + left - 4)) return false;
    for (; left > 0; left--) if (chunk.getUint8(start + left - 1) !== messages.getUint8(begin + left - 1)) return false;
    return true;
  }

  #take(first: number, second: number): boolean {
    this.time = this.#timeIsFirst ? first : second;
    this.value = this.#timeIsFirst ? second : first;
    return !Number.isNaN(this.time) && !Number.isNaN(this.value);
  }

  /** Finds where the parts of a record lie, and hashes them; null where it is no plain case. */
  #walk(message: Uint8Array, from: number): number | null {
    this.at = from;
    let begin = from;
    let hash = 0;
    const part = (name: typeof BEFORE | typeof BETWEEN | typeof BEHIND, end: number): void => {
      for (let i = begin; i < end; i++) hash = Math.imul(hash ^ (message[i] as number), 0x01000193);
      this.#found[name] = end - begin;
      hash = Math.imul(hash ^ (end - begin), 0x85ebca6b);
    };
    for (let i = 0; i < this.#fields.length; i++) {
      const { branches, union } = this.#fields[i] as Field;
      const branch = branches[union ? this.varint() : 0];
      if (branch === undefined) return null;
      if (i === this.#first || i === this.#second) {
        if (branch !== (i === this.#first ? this.#firstKind : this.#secondKind)) return null;
        part(i === this.#first ? BEFORE : BETWEEN, this.at);
        if (i === this.#second) this.#secondAt = this.at;
        if (Number.isNaN(this.#number(branch, message))) return null;
        begin = this.at;
      } else if (!this.#skip(branch, message)) return null;
    }
    if (this.at !== message.length) return null;
    part(BEHIND, this.at);
    return hash ^ (hash >>> 15);
  }

  #skip(branch: Branch, message: Uint8Array): boolean {
    switch (branch) {
      case 'null':
        return true;
      case 'boolean':
        return ++this.at <= message.length;
      case 'string': {
        const length = this.varint();
        if (!(length >= 0)) return false;
        this.at += length;
        return this.at <= message.length;
      }
      default:
        // A float may be no number, and is passed all the same.
        if (branch === 'double' || branch === 'float') return (this.at += branch === 'double' ? 8 : 4) <= message.length;
        return !Number.isNaN(this.varint());
    }
  }

  #number(kind: Branch, message: Uint8Array): number {
    if (kind === 'int' || kind === 'long') return this.varint();
    const from = message.byteOffset + this.at;
    this.at += kind === 'double' ? 8 : 4;
    if (this.at > message.length) return Number.NaN;
    return kind === 'double' ? this.#messages.getFloat64(from, true) : this.#messages.getFloat32(from, true);
  }

  /** Makes room for another record; false where it has none. */
  #makeRoom(length: number): boolean {
    if (length > this.#room) {
      if (length > CHUNK || this.#chunks.length >= MAX_CHUNKS) return false;
      this.#chunks.push(new DataView(new ArrayBuffer(CHUNK)));
      this.#room = CHUNK;
    }
    if ((this.#count + 1) * WIDTH > this.#records.length) {
      const wider = new Int32Array(this.#records.length * 2);
      wider.set(this.#records);
      this.#records = wider;
    }
    if (this.#count * 2 > this.#table.length) {
      this.#table = new Int32Array(this.#table.length * 2);
      for (let record = 1; record < this.#count; record++) this.#enter(record);
    }
    return true;
  }

  #enter(record: number): void {
    const mask = this.#table.length - 1;
    let slot = (this.#records[record * WIDTH + HASH] as number) & mask;
    for (let tried = 0; tried <= MAX_TRIED; tried++, slot = (slot + 1) & mask) {
      if (this.#table[slot] !== 0) continue;
      this.#table[slot] = record;
      return;
    }
  }
}

/** The only kind of number that a field may hold. */
function numberIn(field: Field | undefined): Branch | undefined {
  const kinds = field?.branches.filter((branch) => NUMBERS.has(branch)) ?? [];
  return kinds.length === 1 ? kinds[0] : undefined;
}
