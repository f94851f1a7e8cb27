import type { Input } from '../../model/collector.ts';
import { type AvroDecoder, LineReader, takeJson } from './messages.ts';
import type { Intake, MessageContext } from './intake.ts';

/** A line over this many characters is no message of ours, and is skipped. */
const MAX_LINE = 16 * 1024 * 1024;
/** Gzip may blow up a thousandfold; what comes out beyond this is left unread, and said. */
const MAX_INFLATED = 4 * 1024 * 1024 * 1024;
const LINE_FEED = 10;

type Bytes = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** Reads one input: gzip or not, a single binary message, or a stream of lines. @throws ReadError */
export async function takeInput(input: Input, intake: Intake, context: MessageContext, avro: AvroDecoder | undefined): Promise<void> {
  let first = true;
  const lines = new Lines(intake, context);
  const binary: Uint8Array[] = [];
  for await (const chunk of inflated(input, intake, context)) {
    if (chunk.length === 0) continue;
    if (first && chunk[0] === 0) binary.push(chunk);
    else if (binary.length > 0) binary.push(chunk);
    else lines.push(chunk);
    first = false;
  }
  lines.end();
  if (binary.length > 0) takeAvro(joined(binary), intake, context, avro);
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

/** Avro in Confluent's framing: a zero byte, the schema's id in four, and the record. */
function takeAvro(bytes: Uint8Array, intake: Intake, context: MessageContext, avro: AvroDecoder | undefined): void {
  if (bytes.length < 6) return intake.reject(context, 'malformed', 'a zero byte, and too short for Avro');
  const schema = new DataView(bytes.buffer, bytes.byteOffset).getInt32(1);
  const record = avro?.decode(schema, bytes.subarray(5));
  if (record === undefined) return intake.reject(context, 'avro_no_schema', `an Avro message of schema ${schema}, which is not at hand`);
  intake.count('avro');
  takeJson(record, intake, context);
}

/** The input's bytes, out of gzip where they are in it. */
async function* inflated(input: Input, intake: Intake, context: MessageContext): AsyncGenerator<Uint8Array> {
  const source = asyncBytes(input.bytes());
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
  yield* gunzip(whole, input.name, intake, context);
}

async function* asyncBytes(bytes: Bytes): AsyncGenerator<Uint8Array> {
  yield* bytes;
}

async function* chain(head: readonly Uint8Array[], rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* head;
  yield* rest;
}

async function* gunzip(
  bytes: AsyncGenerator<Uint8Array>,
  name: string,
  intake: Intake,
  context: MessageContext,
): AsyncGenerator<Uint8Array> {
  let failed: unknown;
  const source = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const next = await bytes.next();
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
  for (;;) {
    let next: Awaited<ReturnType<typeof reader.read>>;
    try {
      next = await reader.read();
    } catch {
      if (failed !== undefined) throw failed;
      intake.problems.push({ effect: 'input', input: name, message: `gzip that breaks off after ${total} bytes of content` });
      return;
    }
    if (next.done) return;
    total += next.value.length;
    if (total > MAX_INFLATED) {
      intake.problems.push({
        effect: 'input',
        input: context.input,
        message: `holds more than ${MAX_INFLATED} bytes once unpacked; the rest was not read`,
      });
      await reader.cancel();
      return;
    }
    yield next.value;
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

  constructor(intake: Intake, context: MessageContext) {
    this.#reader = new LineReader(intake, context);
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
