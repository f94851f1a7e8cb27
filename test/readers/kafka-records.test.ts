import fc from 'fast-check';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { codec, UnknownCodec } from '../../lib/readers/kafka/codecs.ts';
import type { BrokerMessage } from '../../lib/model/collector.ts';
import { crc32c, noRecords, readRecords, type Records } from '../../lib/readers/kafka/records.ts';
import { Malformed } from '../../lib/readers/kafka/wire.ts';
import { batch, marker, varint } from './kafka-bytes.ts';

interface Found extends Records {
  messages: BrokerMessage[];
}

async function read(bytes: Buffer, more: Partial<Parameters<typeof readRecords>[1]> = {}): Promise<Found> {
  const found = noRecords();
  const messages: BrokerMessage[] = [];
  for await (const some of readRecords(bytes, { topic: 't', from: 0, to: 1e9, aborted: [], ...more }, found)) messages.push(...some);
  return { ...found, messages };
}

const values = ({ messages }: Found): (string | null)[] => messages.map((m) => (m.value === null ? null : Buffer.from(m.value).toString()));

describe('record batches', () => {
  it('give messages with their times, tombstones among them', async () => {
    const found = await read(batch(['a', null, '']));
    expect(values(found)).toEqual(['a', null, '']);
    expect(found.messages.map((m) => m.timestamp)).toEqual([1_700_000_000_000, 1_700_000_000_001, 1_700_000_000_002]);
    expect(found).toMatchObject({ next: 3, skipped: new Map() });
  });

  it('give texts as they were, in ASCII and beyond it', async () => {
    const long = 'x'.repeat(300);
    const ascii = await read(batch(['a', null, long, '']));
    expect(ascii.messages.map((m) => m.value)).toEqual(['a', null, long, '']);
    const beyond = await read(batch(['a', 'Wärme', long]));
    expect(beyond.messages.every((m) => m.value instanceof Uint8Array)).toBe(true);
    expect(values(beyond)).toEqual(['a', 'Wärme', long]);
    expect(beyond.bytes).toBe(1 + 6 + 300);
  });

  it('a key longer than its record is damage', async () => {
    const body = Buffer.concat([varint(9), Buffer.from([0]), varint(0), varint(0), varint(2 ** 50), varint(-1)]);
    const found = await read(batch(['a'], { attributes: 1, pack: () => gzipSync(body) }));
    expect(found).toMatchObject({ messages: [], skipped: new Map([['damaged', 1]]), next: 1 });
  });

  it('of more records than anyone means is damage', async () => {
    const bomb = batch(['a'], { attributes: 1, pack: () => gzipSync(Buffer.alloc(1000)) });
    bomb.writeInt32BE(2_000_000_000, 57);
    bomb.writeUInt32BE(crc32c(bomb.subarray(21)), 17);
    expect(await read(bomb)).toMatchObject({ messages: [], skipped: new Map([['damaged', 1]]), next: 1 });
  });

  it('take the time of the append where the batch says so', async () => {
    const found = await read(batch(['a', 'b'], { attributes: 8, maxTime: 42 }));
    expect(found.messages.map((m) => m.timestamp)).toEqual([42, 42]);
  });

  it('keep to the offsets that were asked for, over the gaps of compaction', async () => {
    const bytes = Buffer.concat([batch(['a', 'b'], { base: 10, deltas: [0, 7], lastDelta: 9 }), batch(['c', 'd'], { base: 40 })]);
    expect(values(await read(bytes, { from: 11, to: 41 }))).toEqual(['b', 'c']);
    expect((await read(bytes, { from: 11, to: 20 })).next).toBe(20);
    expect((await read(bytes)).next).toBe(42);
  });

  it('passes a batch that compaction left empty', async () => {
    expect(await read(batch([], { base: 5, lastDelta: 3 }))).toMatchObject({ messages: [], next: 9 });
  });

  it('a batch that is cut off at the end is no fault, wherever it is cut', async () => {
    const whole = batch(['a']);
    const last = batch(['b'], { base: 1 });
    for (let cut = 0; cut < last.length; cut++) {
      const found = await read(Buffer.concat([whole, last.subarray(0, cut)]));
      expect(values(found)).toEqual(['a']);
      expect(found).toMatchObject({ next: 1, skipped: new Map() });
    }
  });

  it('a damaged batch costs itself alone', async () => {
    const damaged = batch(['b'], { base: 1 });
    damaged[64] = (damaged[64] as number) ^ 1;
    const found = await read(Buffer.concat([batch(['a']), damaged, batch(['c'], { base: 2 })]));
    expect(values(found)).toEqual(['a', 'c']);
    expect(found.skipped).toEqual(new Map([['damaged', 1]]));
  });

  it('nor does one that claims to hold all that comes behind it cost more', async () => {
    const damaged = batch(['b'], { base: 1 });
    damaged.writeInt32BE(2 ** 30, 23);
    const found = await read(Buffer.concat([batch(['a']), damaged, batch(['c'], { base: 2 })]));
    expect(values(found)).toEqual(['a', 'c']);
    expect(found).toMatchObject({ next: 3, skipped: new Map([['damaged', 1]]) });
  });

  it('counts batches of the old formats, and of a codec that is not known', async () => {
    const old = batch(['a']);
    old[16] = 1;
    const found = await read(Buffer.concat([old, batch(['b'], { base: 1, attributes: 7 })]));
    expect(values(found)).toEqual([]);
    expect([...found.skipped.keys()]).toEqual(['of a message format older than Kafka 0.11', expect.stringContaining('codec 7')]);
  });

  it('leaves out what a transaction took back, and its markers', async () => {
    const bytes = Buffer.concat([
      batch(['kept 1'], { base: 0, attributes: 0x10, producer: 1 }),
      batch(['taken back'], { base: 1, attributes: 0x10, producer: 2 }),
      batch(['kept 2'], { base: 2, attributes: 0x10, producer: 1 }),
      marker('abort', { base: 3, producer: 2 }),
      marker('commit', { base: 4, producer: 1 }),
      batch(['the next transaction'], { base: 5, attributes: 0x10, producer: 2 }),
      marker('commit', { base: 6, producer: 2 }),
      batch(['none'], { base: 7, producer: 2 }),
    ]);
    const found = await read(bytes, { aborted: [{ producer: 2, firstOffset: 1 }] });
    expect(values(found)).toEqual(['kept 1', 'kept 2', 'the next transaction', 'none']);
    expect(found.next).toBe(8);
  });

  it('the checksum is that of RFC 3720', () => {
    expect(crc32c(Buffer.from('123456789'))).toBe(0xe3069283);
  });

  it('never throws, whatever the bytes', async () => {
    const whole = batch(['a', 'b', 'c']);
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 200 }),
        fc.integer({ min: 0, max: whole.length - 1 }),
        fc.integer({ min: 0, max: 255 }),
        async (noise, at, byte) => {
          await read(Buffer.from(noise));
          const bent = Buffer.from(whole);
          bent[at] = byte;
          bent.writeUInt32BE(crc32c(bent.subarray(21)), 17);
          await read(Buffer.concat([bent, noise]));
        },
      ),
      { numRuns: 200 },
    );
  });
});

/** As the tools of each format pack it, but for snappy, whose stream was put together by hand. */
const TEXT = 'power 412 W; '.repeat(20);
const VECTORS: [string, number, Buffer][] = [
  ['gzip', 1, gzipSync(TEXT)],
  // 260 bytes: a literal of 13, and copies of 64, 64, 64 and 55 from 13 back.
  [
    'snappy',
    2,
    Buffer.concat([
      Buffer.from([0x84, 0x02, 12 << 2]),
      Buffer.from('power 412 W; '),
      Buffer.from([0xfe, 13, 0, 0xfe, 13, 0, 0xfe, 13, 0, 0xda, 13, 0]),
    ]),
  ],
  ['lz4', 3, Buffer.from('04224d186440a717000000df706f7765722034313220573b200d00df503220573b2000000000d358a935', 'hex')],
  ['zstd', 4, Buffer.from('28b52ffd0458a5000068706f7765722034313220573b20010074a0e61739e4dc2d', 'hex')],
];

describe('codecs', () => {
  it.each(VECTORS)('%s', async (_, number, packed) => {
    expect(Buffer.from((await codec(number))(packed)).toString()).toBe(TEXT);
  });

  it('is undone for a whole batch', async () => {
    expect(values(await read(batch(['x', 'y'], { attributes: 1, pack: (body) => gzipSync(body) })))).toEqual(['x', 'y']);
    expect((await read(batch(['x'], { attributes: 1, pack: (body) => body }))).skipped).toEqual(new Map([['damaged', 1]]));
  });

  it('snappy in the blocks of Java', async () => {
    const block = (VECTORS[1] as (typeof VECTORS)[0])[2];
    const length = Buffer.alloc(4);
    length.writeUInt32BE(block.length);
    const head = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0, 0, 0, 0, 1, 0, 0, 0, 1]);
    expect(Buffer.from((await codec(2))(Buffer.concat([head, length, block, length, block]))).toString()).toBe(TEXT + TEXT);
  });

  it('a codec that is not known is refused by its number', async () => {
    await expect(codec(5)).rejects.toThrow(UnknownCodec);
  });

  it.each([
    ['gzip', 1, gzipSync(Buffer.alloc(200 * 1024 * 1024), { level: 1 })],
    ['snappy', 2, Buffer.concat([Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f, 0, 1]), Buffer.from('fe0100'.repeat(3_000_000), 'hex')])],
    ['zstd', 4, Buffer.from('28b52ffd00ff000000', 'hex')],
  ])('%s that claims to be gigabytes is malformed', async (_, number, packed) => {
    const unpack = await codec(number);
    expect(() => unpack(packed)).toThrow(Malformed);
  });

  it.each([1, 2, 3, 4])('codec %i takes any bytes, or says that they are malformed', async (number) => {
    const unpack = await codec(number);
    const packed = (VECTORS[number - 1] as (typeof VECTORS)[0])[2];
    const tried = (bytes: Buffer): unknown => {
      try {
        return unpack(bytes);
      } catch (error) {
        return error;
      }
    };
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), fc.nat(packed.length - 1), fc.integer({ min: 0, max: 255 }), (noise, at, byte) => {
        const bent = Buffer.from(packed);
        bent[at] = byte;
        for (const bytes of [Buffer.from(noise), bent, packed.subarray(0, at)]) {
          const got = tried(bytes);
          expect(got instanceof Uint8Array || got instanceof Malformed).toBe(true);
        }
      }),
      { numRuns: 100 },
    );
  });
});
