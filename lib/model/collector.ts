import type * as z from 'zod';
import type { ClearedDraft, ConditionDraft, Subject } from './condition.ts';
import type { JsonObject } from './json.ts';
import type { Kind } from './kind.ts';
import type { CoverageProblem } from './snapshot.ts';

/**
 * One input of a source, already opened by a reader: a document held in memory, or a log that is read piece by piece.
 * A collector that only wants the text of a document calls {@link textOf}.
 */
export interface Input {
  /** The file's path below what was configured, the URL, or the multipart part's name. Never used to open anything. */
  name: string;
  /** The configuration key under which it was given (`nodes`, `images`), where it was not plain `path`. */
  role?: string;
  /** Bytes at the time of opening. */
  size: number;
  /** ISO time of the last modification, where the reader knows one. */
  mtime?: string;
  /** Device and inode, where the reader knows them. */
  file?: { device: string; inode: string };
  /** True for a request's own body: it moves no cursor, and what it does not hold is unobserved. */
  pushed?: boolean;
  /**
   * The bytes from an offset on (default 0) up to `size`. May throw {@link ReadError} half-way.
   * @param lent memory in which every piece may be handed over: each is then good until the next is asked for
   */
  bytes(from?: number, lent?: Uint8Array): Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
  /** Messages in place of bytes, where a broker was read; in batches as they came. May throw {@link ReadError} half-way. */
  messages?(): AsyncIterable<readonly BrokerMessage[]>;
  /** The SHA-256 of all its bytes, in hex, where the reader can tell it. @throws ReadError */
  sha256?(): string;
}

/** One message as a broker keeps it. */
export interface BrokerMessage {
  topic: string;
  /** The record's time, ms since the epoch. */
  timestamp: number;
  /** Null for a tombstone; a text where the reader knows that all of it is ASCII. */
  value: Uint8Array | string | null;
}

/**
 * Decodes what stands in one message from an offset on: to the record in plain form, with numbers as numbers and unions as
 * their value (or in Avro's JSON encoding); undefined where the bytes do not fit the schema. The record holds until the next
 * one is decoded.
 */
export interface DecodeBody {
  (message: Uint8Array, from?: number): unknown;
  /** Of records that hold nothing but numbers and texts, among them two numbers of these names. */
  finder?: (time: string, value: string) => RecordFinder | undefined;
}

/** Finds records again, without decoding them, that differ from one seen before in a time and a value alone. */
export interface RecordFinder {
  /** Those of the record that was found. */
  readonly time: number;
  readonly value: number;
  /** What was remembered of the record that lies in a message from an offset on to its end; −1 where nothing was. */
  find(message: Uint8Array, from: number): number;
  /** Remembers something of the record that was looked for in vain. */
  remember(mark: number): void;
}

/** The schemas of binary messages, by the id in Confluent's framing. An entry that has a codec and schemas hands them in. */
export interface Schemas {
  /** How to decode messages of a schema; undefined where it is not to be had. A promise where it has to be asked for first. */
  decoder(id: number): DecodeBody | undefined | Promise<DecodeBody | undefined>;
}

/** A source could not be read (any further): the reader's one error. */
export class ReadError extends Error {
  override name = 'ReadError';
  readonly code: 'unreadable' | 'missing' | 'too_large' | 'timeout' | 'changing';
  readonly input: string;
  constructor(code: ReadError['code'], input: string, message: string) {
    super(message);
    this.code = code;
    this.input = input;
  }
}

/** Thrown by a collector that finds no usable record at all: the source is `failed`, and nothing it knew is forgotten. */
export class UnusableInput extends Error {
  override name = 'UnusableInput';
  readonly input: string | undefined;
  readonly place: string | undefined;
  constructor(message: string, at: { input?: string; place?: string } = {}) {
    super(message);
    this.input = at.input;
    this.place = at.place;
  }
}

/** Everything a collector knows beside its inputs. Clock readings are milliseconds since the epoch. */
export interface CollectContext<Options, Carry> {
  cluster: string;
  /** The clock when the collect began. */
  now: number;
  /** `?asOf=` of the request, where one was given. */
  asOf?: number;
  /** The source's own options, parsed by its schema. */
  config: Options;
  /** What the last run handed on; absent = first sight. Unreadable carries never get here. */
  carry?: Carry;
  /** When that run began, ms: a carry that names it by a word, and not by its time, is the same after the same inputs. */
  carriedAt?: number;
  /** IANA zone of times that carry none. */
  timezone: string;
  nodeDomains: readonly string[];
  /** Absent: binary messages are counted and not read. */
  schemas?: Schemas;
  /** The site's `rules`, by kind: thresholds and patterns are read from here. Severity overrides are applied later. */
  rules: Readonly<Record<string, JsonObject>>;
}

/** What a collector returns: all plain data, ready for a structured clone. */
export interface Collected<Carry> {
  /** At most about 6 kB of JSON whatever the fleet: totals, shares, folded node sets, top lists. */
  summary: JsonObject;
  conditions: ConditionDraft[];
  cleared?: ClearedDraft[];
  coverage: {
    records: number;
    rejected: number;
    /** At most 20 of effect `record`. */
    problems: CoverageProblem[];
    /** Per type of subject a folded set of names (`fold`), or `all` where the collection was proven complete. */
    observed: Record<string, string>;
  };
  /** The time that the data itself names, ms since the epoch. */
  asOf?: number;
  facts?: { subject: Subject; facts: JsonObject }[];
  series?: Record<string, number>;
  carry?: Carry;
  /**
   * The instants (ms since the epoch) at which the clock alone changes what the same inputs and the same carry come to,
   * none where it never does. Absent: it may at any time, and the inputs are digested at every run.
   */
  turns?: readonly number[];
}

/** Where a source's inputs may come from, beside `path`. */
export interface InputPlan {
  /** `documents` are read whole (at most `max_input`), `logs` are streamed from where the collector wants. */
  shape: 'documents' | 'logs';
  /** Configuration keys that name one input each, beside or instead of `path`. */
  roles?: readonly string[];
  /** GET endpoints below `url`, in order; `paging` follows OneView's `nextPageUri`. */
  endpoints?: readonly { role: string; path: string; optional?: boolean; paging?: 'oneview' }[];
  /** How the token is sent: the header's name and what stands before the token. */
  auth?: { header: string; prefix: string };
  /** A version that the server tells (GET `path`, member `member`) and then wants back in a header. */
  version?: { path: string; member: string; header: string };
  /** The source can be consumed from Kafka brokers. */
  kafka?: boolean;
}

/** A pure digest of one source: no AI, no I/O, no clock or randomness of its own. */
export interface Collector<Options = unknown, Carry = unknown> {
  source: string;
  /** One line for people. */
  title: string;
  /** Default of `max_age`: how old data may be and still count as fresh. */
  maxAge: string;
  inputs: InputPlan;
  /** The source's own configuration keys, beside `path`, roles, `url`, `max_age`, `push`. Every key has a default. */
  options: z.ZodType<Options>;
  /** Changes whenever the form of the carry does: a carry of another version is unreadable. */
  carryVersion: number;
  carry: z.ZodType<Carry>;
  kinds: readonly Kind[];
  collect(inputs: readonly Input[], context: CollectContext<Options, Carry>): Promise<Collected<Carry>>;
}

/**
 * Checks a collector's types where it is written and forgets them where it is listed, so that the registry can hold
 * collectors of every kind: what crosses the seam is parsed by the collector's own schemas.
 */
export function defineCollector<Options, Carry>(collector: Collector<Options, Carry>): Collector {
  return collector;
}

/** The whole of an input. @throws ReadError */
export async function bytesOf(input: Input): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of input.bytes()) {
    parts.push(part);
    length += part.length;
  }
  if (parts.length === 1) return parts[0] as Uint8Array;
  const all = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** The whole of an input as text; bytes that are no UTF-8 become U+FFFD. @throws ReadError */
export async function textOf(input: Input): Promise<string> {
  return new TextDecoder('utf-8').decode(await bytesOf(input));
}
