/** Bytes that do not have the form that they should have. */
export class Malformed extends Error {
  override name = 'Malformed';
}

/** Writes the plain (not "flexible") types of Kafka's protocol. */
export class Encoder {
  #buffer = Buffer.alloc(256);
  #at = 0;

  #room(bytes: number): number {
    const at = this.#at;
    this.#at += bytes;
    if (this.#at > this.#buffer.length) this.#buffer = Buffer.concat([this.#buffer.subarray(0, at)], Math.max(this.#at, at * 2));
    return at;
  }

  int8(value: number): this {
    const at = this.#room(1);
    this.#buffer.writeInt8(value, at);
    return this;
  }

  int16(value: number): this {
    const at = this.#room(2);
    this.#buffer.writeInt16BE(value, at);
    return this;
  }

  int32(value: number): this {
    const at = this.#room(4);
    this.#buffer.writeInt32BE(value, at);
    return this;
  }

  int64(value: number): this {
    const at = this.#room(8);
    this.#buffer.writeBigInt64BE(BigInt(value), at);
    return this;
  }

  string(value: string): this {
    const bytes = Buffer.from(value, 'utf8');
    return this.int16(bytes.length).raw(bytes);
  }

  bytes(value: Uint8Array): this {
    return this.int32(value.length).raw(value);
  }

  raw(value: Uint8Array): this {
    const at = this.#room(value.length);
    this.#buffer.set(value, at);
    return this;
  }

  array<T>(items: readonly T[], write: (item: T) => void): this {
    this.int32(items.length);
    for (const item of items) write(item);
    return this;
  }

  done(): Buffer {
    return this.#buffer.subarray(0, this.#at);
  }
}

/** Reads the plain types of Kafka's protocol. Every method throws {@link Malformed} where the bytes end too soon. */
export class Decoder {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  #take(bytes: number): number {
    const at = this.#at;
    if (bytes < 0 || bytes > this.#bytes.length - at) throw new Malformed('ends too soon');
    this.#at = at + bytes;
    return at;
  }

  int8(): number {
    return this.#bytes.readInt8(this.#take(1));
  }

  int16(): number {
    return this.#bytes.readInt16BE(this.#take(2));
  }

  int32(): number {
    return this.#bytes.readInt32BE(this.#take(4));
  }

  /** Offsets and times stay far below 2^53. */
  int64(): number {
    return Number(this.#bytes.readBigInt64BE(this.#take(8)));
  }

  string(): string | null {
    const length = this.int16();
    if (length === -1) return null;
    const at = this.#take(length);
    return this.#bytes.toString('utf8', at, at + length);
  }

  bytes(): Buffer | null {
    const length = this.int32();
    if (length === -1) return null;
    const at = this.#take(length);
    return this.#bytes.subarray(at, at + length);
  }

  /** An array; null is an empty one. */
  array<T>(read: () => T): T[] {
    const length = this.int32();
    if (length > this.#bytes.length - this.#at) throw new Malformed('an array longer than what holds it');
    const items: T[] = [];
    for (let i = 0; i < length; i++) items.push(read());
    return items;
  }
}
