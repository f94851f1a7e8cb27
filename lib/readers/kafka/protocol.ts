import { Decoder, Encoder } from './wire.ts';

/**
 * The calls that this reader has, each in one version: the last that needs no tagged fields and that brokers from
 * Kafka 2.1 up to 4 speak. None of them can write, create, join or commit.
 * Source: the message definitions in Apache Kafka, clients/src/main/resources/common/message.
 */
export const APIS = {
  fetch: { key: 1, version: 10 },
  listOffsets: { key: 2, version: 2 },
  metadata: { key: 3, version: 4 },
  saslHandshake: { key: 17, version: 1 },
  apiVersions: { key: 18, version: 0 },
  saslAuthenticate: { key: 36, version: 0 },
} as const;
export type Api = keyof typeof APIS;

export const ERRORS = {
  OFFSET_OUT_OF_RANGE: 1,
  UNKNOWN_TOPIC_OR_PARTITION: 3,
  LEADER_NOT_AVAILABLE: 5,
  NOT_LEADER_OR_FOLLOWER: 6,
  INVALID_TOPIC: 17,
  TOPIC_AUTHORIZATION_FAILED: 29,
  UNSUPPORTED_SASL_MECHANISM: 33,
  ILLEGAL_SASL_STATE: 34,
  SASL_AUTHENTICATION_FAILED: 58,
} as const;

/** Errors of one partition that another look at the cluster may heal. */
const PASSING = new Set([2, 3, 5, 6, 7, 9, 56, 72, 74, 75, 76, 78]);

export function isPassing(error: number): boolean {
  return PASSING.has(error);
}

export function errorName(error: number): string {
  return Object.entries(ERRORS).find(([, code]) => code === error)?.[0] ?? `error ${error}`;
}

/** Which of our calls a broker does not speak in our version. */
export function decodeApiVersions(bytes: Buffer): { error: number; lacking: Api[] } {
  const d = new Decoder(bytes);
  const error = d.int16();
  const ranges = new Map(d.array(() => [d.int16(), { min: d.int16(), max: d.int16() }]));
  const lacking = (['metadata', 'listOffsets', 'fetch'] as const).filter((api) => {
    const { key, version } = APIS[api];
    const range = ranges.get(key);
    return range === undefined || range.min > version || range.max < version;
  });
  return { error, lacking };
}

/** Asks about these topics alone, and says that none of them may be created by it. */
export function encodeMetadata(topics: readonly string[]): Buffer {
  const e = new Encoder();
  return e
    .array(topics, (topic) => e.string(topic))
    .int8(0)
    .done();
}

export interface Metadata {
  brokers: Map<number, { host: string; port: number }>;
  topics: Map<string, { error: number; partitions: { error: number; partition: number; leader: number }[] }>;
}

export function decodeMetadata(bytes: Buffer): Metadata {
  const d = new Decoder(bytes);
  d.int32();
  const brokers = new Map(
    d.array(() => {
      const id = d.int32();
      const address = { host: d.string() ?? '', port: d.int32() };
      d.string();
      return [id, address] as const;
    }),
  );
  d.string();
  d.int32();
  const topics = new Map(
    d.array(() => {
      const error = d.int16();
      const name = d.string() ?? '';
      d.int8();
      const partitions = d.array(() => {
        const partition = { error: d.int16(), partition: d.int32(), leader: d.int32() };
        d.array(() => d.int32());
        d.array(() => d.int32());
        return partition;
      });
      return [name, { error, partitions }] as const;
    }),
  );
  return { brokers, topics };
}

/** Only what was committed is read. */
const READ_COMMITTED = 1;

export const LATEST = -1;
export const EARLIEST = -2;

export interface OffsetQuery {
  topic: string;
  partition: number;
  /** Ms since the epoch, {@link LATEST} or {@link EARLIEST}. */
  timestamp: number;
}

function byTopic<T extends { topic: string }>(items: readonly T[]): [string, T[]][] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const own = groups.get(item.topic);
    if (own === undefined) groups.set(item.topic, [item]);
    else own.push(item);
  }
  return [...groups];
}

export function encodeListOffsets(queries: readonly OffsetQuery[]): Buffer {
  const e = new Encoder();
  e.int32(-1).int8(READ_COMMITTED);
  e.array(byTopic(queries), ([topic, partitions]) => {
    e.string(topic).array(partitions, ({ partition, timestamp }) => e.int32(partition).int64(timestamp));
  });
  return e.done();
}

export interface OffsetAnswer {
  topic: string;
  partition: number;
  error: number;
  /** -1 where nothing is as late as was asked for. */
  offset: number;
}

export function decodeListOffsets(bytes: Buffer): OffsetAnswer[] {
  const d = new Decoder(bytes);
  d.int32();
  return d
    .array(() => {
      const topic = d.string() ?? '';
      return d.array(() => {
        const [partition, error] = [d.int32(), d.int16()];
        d.int64();
        return { topic, partition, error, offset: d.int64() };
      });
    })
    .flat();
}

export interface FetchQuery {
  topic: string;
  partition: number;
  offset: number;
  maxBytes: number;
}

/** A fetch without a session: the broker keeps nothing of it. */
export function encodeFetch(queries: readonly FetchQuery[], { maxBytes, maxWait }: { maxBytes: number; maxWait: number }): Buffer {
  const e = new Encoder();
  e.int32(-1).int32(maxWait).int32(1).int32(maxBytes).int8(READ_COMMITTED).int32(0).int32(-1);
  e.array(byTopic(queries), ([topic, partitions]) => {
    e.string(topic).array(partitions, (p) => e.int32(p.partition).int32(-1).int64(p.offset).int64(-1).int32(p.maxBytes));
  });
  return e.int32(0).done();
}

export interface AbortedTransaction {
  producer: number;
  firstOffset: number;
}

export interface FetchAnswer {
  topic: string;
  partition: number;
  error: number;
  aborted: AbortedTransaction[];
  records: Buffer;
}

export function decodeFetch(bytes: Buffer): { error: number; partitions: FetchAnswer[] } {
  const d = new Decoder(bytes);
  d.int32();
  const error = d.int16();
  d.int32();
  const partitions = d
    .array(() => {
      const topic = d.string() ?? '';
      return d.array((): FetchAnswer => {
        const [partition, failed] = [d.int32(), d.int16()];
        d.int64();
        d.int64();
        d.int64();
        const aborted = d.array(() => ({ producer: d.int64(), firstOffset: d.int64() }));
        return { topic, partition, error: failed, aborted, records: d.bytes() ?? Buffer.alloc(0) };
      });
    })
    .flat();
  return { error, partitions };
}

export function encodeSaslHandshake(mechanism: string): Buffer {
  return new Encoder().string(mechanism).done();
}

export function decodeSaslHandshake(bytes: Buffer): { error: number; mechanisms: string[] } {
  const d = new Decoder(bytes);
  return { error: d.int16(), mechanisms: d.array(() => d.string() ?? '') };
}

export function encodeSaslAuthenticate(message: Uint8Array): Buffer {
  return new Encoder().bytes(message).done();
}

export function decodeSaslAuthenticate(bytes: Buffer): { error: number; message: string; reply: Buffer } {
  const d = new Decoder(bytes);
  return { error: d.int16(), message: d.string() ?? '', reply: d.bytes() ?? Buffer.alloc(0) };
}
