import type { BrokerMessage, DecodeBody, Input, RecordFinder, Schemas } from '../../model/collector.ts';
import type { Intake, MessageContext } from './intake.ts';
import type { LineReader, MessageReader } from './messages.ts';

/** A line over this many characters, or a binary message over this many bytes, is none of ours, and is skipped. */
const MAX_LINE = 8 * 1024 * 1024;
/** Gzip may blow up a thousandfold, telemetry by a few dozen; what comes out beyond this is left unread, and said. */
const MAX_INFLATED = 4 * 1024 * 1024 * 1024;
const MAX_BLOW_UP = 200;
/** What any input may hold once unpacked. */
const FREE_INFLATED = 4 * 1024 * 1024;
const LINE_FEED = 10;

type Bytes = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** Reads inputs into an intake: streams of lines, single binary messages, gzip of either, and a broker's messages. */
export class InputReader {
  readonly #intake: Intake;
  readonly #messages: MessageReader;
  readonly #schemas: Schemas | undefined;
  readonly #decoder = new TextDecoder('utf-8');
  #lastSchema = Number.NaN;
  #lastDecode: DecodeBody | undefined;
  #lastFinder: RecordFinder | undefined;
  readonly #finders = new Map<DecodeBody, RecordFinder | undefined>();

  constructor(intake: Intake, messages: MessageReader, schemas: Schemas | undefined) {
    this.#intake = intake;
    this.#messages = messages;
    this.#schemas = schemas;
  }

  /** Reads one input. @throws ReadError */
  async input(input: Input, around: MessageContext): Promise<void> {
    if (input.messages === undefined) {
      const broken = (message: string): void => void this.#intake.problems.push({ effect: 'input', input: around.input, message });
      return this.#bytes(input.bytes(), around, broken);
    }
    // One for all: nothing holds on to it, and the next message waits until the one before is done.
    const context = { ...around };
    for await (const batch of input.messages()) {
      for (const message of batch) {
        const dated = message.timestamp > 0;
        context.topic = message.topic;
        context.time = dated ? message.timestamp : around.time;
        context.recorded = dated;
        const pending = this.#message(message.value, context);
        if (pending !== undefined) await pending;
      }
    }
  }

  /** A broker's message, whose bounds are known: nothing is waited for but gzip and schemas that come for the first time. */
  #message(value: BrokerMessage['value'], context: MessageContext): Promise<void> | undefined {
    if (value === null || value.length === 0) this.#intake.count('empty');
    else if (typeof value === 'string') {
      if (value.charCodeAt(0) === 0) return this.#binary(new TextEncoder().encode(value), context);
      this.#messages.text(value, context);
    } else if (value[0] === 0) return this.#binary(value, context);
    else if (isGzip(value)) return this.#bytes([value], context, (message) => this.#intake.reject(context, 'malformed', message));
    else this.#messages.text(this.#decoder.decode(value), context);
    return undefined;
  }

  /** @param broken is told where what is packed cannot be read to its end */
  async #bytes(bytes: Bytes, context: MessageContext, broken: (message: string) => void): Promise<void> {
    const lines = new Lines(this.#intake, this.#messages.lines(context), context);
    const binary: Uint8Array[] = [];
    let size = 0;
    let first = true;
    for await (const chunk of inflated(bytes, this.#intake, broken)) {
      if (chunk.length === 0) continue;
      if (binary.length > 0 || (first && chunk[0] === 0)) {
        binary.push(chunk);
        size += chunk.length;
        if (size > MAX_LINE) return this.#intake.reject(context, 'malformed', `a binary message of more than ${MAX_LINE} bytes`);
      } else lines.push(chunk);
      first = false;
    }
    lines.end();
    if (binary.length > 0) await this.#binary(joined(binary), context);
  }

  /** Avro in Confluent's framing: a zero byte, the schema's id in four, and the record. */
  #binary(bytes: Uint8Array, context: MessageContext): Promise<void> | undefined {
    if (bytes.length < 5) {
      this.#intake.reject(context, 'malformed', 'a zero byte, and too short for Avro');
      return undefined;
    }
    let schema = 0;
    for (let at = 1; at < 5; at++) schema = (schema << 8) | (bytes[at] as number);
    // Messages of a topic mostly have one schema.
    let decoder: ReturnType<Schemas['decoder']> = this.#lastDecode;
    if (schema !== this.#lastSchema) decoder = this.#schemas?.decoder(schema);
    if (decoder instanceof Promise) return decoder.then((decode) => this.#decode(decode, bytes, schema, context));
    this.#decode(decoder, bytes, schema, context);
    return undefined;
  }

  #decode(decode: DecodeBody | undefined, bytes: Uint8Array, schema: number, context: MessageContext): void {
    if (schema !== this.#lastSchema) {
      this.#lastSchema = schema;
      this.#lastDecode = decode;
      this.#lastFinder = decode && this.#finderOf(decode);
    }
    if (decode === undefined)
      return this.#intake.reject(context, 'avro_no_schema', `an Avro message of schema ${schema}, which is not at hand`);
    const finder = this.#lastFinder;
    const series = finder === undefined ? -1 : finder.find(bytes, 5);
    if (series >= 0) {
      this.#intake.count('avro');
      return this.#messages.flat(series, (finder as RecordFinder).time, (finder as RecordFinder).value, context);
    }
    const record = decode(bytes, 5);
    if (record === undefined) return this.#intake.reject(context, 'malformed', `an Avro message that does not fit its schema ${schema}`);
    this.#intake.count('avro');
    const known = this.#messages.json(record, context);
    if (typeof known === 'number') finder?.remember(known);
  }

  #finderOf(decode: DecodeBody): RecordFinder | undefined {
    let finder = this.#finders.get(decode);
    if (finder === undefined && !this.#finders.has(decode)) {
      finder = decode.finder?.('Timestamp', 'Value');
      this.#finders.set(decode, finder);
    }
    return finder;
  }

  /** Lets go of what was learnt of messages. */
  close(): void {
    this.#lastFinder = undefined;
    this.#lastDecode = undefined;
    this.#lastSchema = Number.NaN;
    this.#finders.clear();
    this.#messages.close();
  }
}

function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((n, part) => n + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** The input's bytes, out of gzip where they are in it. */
async function* inflated(bytes: Bytes, intake: Intake, broken: (message: string) => void): AsyncGenerator<Uint8Array> {
  const source = asyncBytes(bytes);
  const head: Uint8Array[] = [];
  let have = 0;
  while (have < 2) {
    const next = await source.next();
    if (next.done === true) break;
    head.push(next.value);
    have += next.value.length;
  }
  const [a, b] = head.flatMap((chunk) => [...chunk.subarray(0, 2)]);
  const whole = chain(head, source);
  if (a !== 0x1f || b !== 0x8b) {
    yield* whole;
    return;
  }
  intake.count('gzip');
  yield* gunzip(whole, broken);
}

async function* asyncBytes(bytes: Bytes): AsyncGenerator<Uint8Array> {
  yield* bytes;
}

async function* chain(head: readonly Uint8Array[], rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* head;
  yield* rest;
}

async function* gunzip(bytes: AsyncGenerator<Uint8Array>, broken: (message: string) => void): AsyncGenerator<Uint8Array> {
  let failed: unknown;
  let packed = 0;
  const source = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const next = await bytes.next();
        packed += next.done === true ? 0 : next.value.length;
        if (next.done === true) controller.close();
        else controller.enqueue(next.value);
      } catch (error) {
        failed = error;
        controller.error(error);
      }
    },
  });
  const reader = source.pipeThrough(new DecompressionStream('gzip')).getReader();
  let total = 0;
  try {
    for (;;) {
      let next: Awaited<ReturnType<typeof reader.read>>;
      try {
        next = await reader.read();
      } catch {
        if (failed !== undefined) throw failed;
        broken(`gzip that breaks off after ${total} bytes of content`);
        return;
      }
      if (next.done) return;
      total += next.value.length;
      const most = Math.min(MAX_INFLATED, FREE_INFLATED + MAX_BLOW_UP * packed);
      if (total > most) {
        broken(`holds more than ${most} bytes once unpacked; the rest was not read`);
        return;
      }
      yield next.value;
    }
  } finally {
    // Whatever ended it, the input is let go.
    await reader.cancel().catch(() => undefined);
    await bytes.return(undefined);
  }
}

/** Cuts bytes into lines. Bytes that are no UTF-8 become U+FFFD. */
class Lines {
  readonly #reader: LineReader;
  readonly #intake: Intake;
  readonly #context: MessageContext;
  readonly #decoder = new TextDecoder('utf-8');
  #tail = '';
  #skipping = false;

  constructor(intake: Intake, reader: LineReader, context: MessageContext) {
    this.#reader = reader;
    this.#intake = intake;
    this.#context = context;
  }

  push(chunk: Uint8Array): void {
    const lastFeed = chunk.lastIndexOf(LINE_FEED);
    const text = this.#decoder.decode(chunk, { stream: true });
    if (lastFeed < 0) return this.#keep(text);
    let from = 0;
    for (;;) {
      const feed = text.indexOf('\n', from);
      if (feed < 0) break;
      this.#line(from === 0 ? this.#tail + text.slice(0, feed) : text.slice(from, feed));
      if (from === 0) this.#tail = '';
      from = feed + 1;
    }
    this.#tail = '';
    this.#keep(text.slice(from));
  }

  #keep(text: string): void {
    if (this.#tail.length + text.length > MAX_LINE) {
      this.#skipping = true;
      this.#tail = '';
    } else if (!this.#skipping) this.#tail += text;
  }

  #line(text: string): void {
    if (!this.#skipping) return this.#reader.line(text);
    this.#skipping = false;
    this.#intake.reject(this.#context, 'malformed', `a line of more than ${MAX_LINE} characters`);
  }

  end(): void {
    this.#tail += this.#decoder.decode();
    if (this.#tail !== '' || this.#skipping) this.#line(this.#tail);
    this.#reader.end();
  }
}
