import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Location } from '../../lib/config.ts';
import { ReadError } from '../../lib/model/collector.ts';
import { APIS } from '../../lib/readers/kafka/protocol.ts';
import { kafkaReader } from '../../lib/readers/kafka/reader.ts';
import { Encoder } from '../../lib/readers/kafka/wire.ts';
import type { Opened } from '../../lib/readers/reader.ts';
import { batch } from './kafka-bytes.ts';

const NOW = 1_700_000_000_000;

/** A broker of one topic, as far as our calls go; every partition holds batches of 100 messages of 10 bytes. */
class FakeBroker {
  readonly calls: number[] = [];
  readonly sockets = new Set<Socket>();
  readonly server: Server;
  partitions = [1000, 1000];
  /** What a partition's fetch is answered with, before it is served; empty = no more of them. */
  fetchErrors: number[] = [];
  /** Fetches that are answered by hanging up. */
  hangUps = 0;
  /** Answers a call in place of all others. */
  garbage: Buffer | undefined;
  topicError = 0;
  logStart = 0;
  /** The port of a second broker, which leads the last partition. */
  second: number | undefined;

  constructor() {
    this.server = createServer((socket) => {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      let pending = Buffer.alloc(0);
      socket.on('data', (chunk) => {
        pending = Buffer.concat([pending, chunk]);
        while (pending.length >= 4 && pending.length >= pending.readInt32BE(0) + 4) {
          const size = pending.readInt32BE(0);
          this.#call(socket, pending.subarray(4, size + 4));
          pending = pending.subarray(size + 4);
        }
      });
    });
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  #call(socket: Socket, request: Buffer): void {
    const api = request.readInt16BE(0);
    this.calls.push(api);
    const body = request.subarray(10 + request.readInt16BE(8));
    if (api === APIS.fetch.key && this.hangUps > 0) {
      this.hangUps--;
      socket.destroy();
      return;
    }
    const answer = this.garbage ?? this.#answer(api, body);
    const id = Buffer.alloc(8);
    id.writeInt32BE(answer.length + 4, 0);
    request.copy(id, 4, 4, 8);
    socket.write(Buffer.concat([id, answer]));
  }

  #answer(api: number, body: Buffer): Buffer {
    const e = new Encoder();
    if (api === APIS.apiVersions.key) {
      return e
        .int16(0)
        .array(Object.values(APIS), ({ key, version }) => e.int16(key).int16(0).int16(version))
        .done();
    }
    if (api === APIS.metadata.key) {
      const ports = [this.port, ...(this.second === undefined ? [] : [this.second])];
      e.int32(0).array(ports, (port) => e.int32(port).string('127.0.0.1').int32(port).int16(-1));
      e.int16(-1).int32(this.port).int32(1).int16(this.topicError).string('t').int8(0);
      const leaderOf = (p: number): number => (p === this.partitions.length - 1 ? (this.second ?? this.port) : this.port);
      return e.array([...this.partitions.keys()], (p) => e.int16(0).int32(p).int32(leaderOf(p)).int32(0).int32(0)).done();
    }
    // replica, isolation and (of fetch) waits, sizes and the session; then one topic named t.
    let at = (api === APIS.fetch.key ? 25 : 5) + 4 + 3;
    const count = body.readInt32BE(at);
    at += 4;
    e.int32(0);
    if (api === APIS.fetch.key) e.int16(0).int32(0);
    e.int32(1).string('t').int32(count);
    for (let i = 0; i < count; i++) {
      const partition = body.readInt32BE(at);
      if (api === APIS.fetch.key) {
        this.#fetched(e, partition, Number(body.readBigInt64BE(at + 8)));
        at += 28;
      } else {
        const time = Number(body.readBigInt64BE(at + 4));
        at += 12;
        e.int32(partition)
          .int16(0)
          .int64(-1)
          .int64(time === -1 ? (this.partitions[partition] as number) : this.logStart);
      }
    }
    return e.done();
  }

  #fetched(e: Encoder, partition: number, offset: number): void {
    const error = this.fetchErrors.shift() ?? (offset < this.logStart ? 1 : 0);
    const base = Math.floor(offset / 100) * 100;
    const values = Array.from({ length: 100 }, (_, i) => `${partition}:${String(base + i).padStart(8, '0')}`);
    e.int32(partition).int16(error).int64(0).int64(0).int64(0).int32(-1);
    e.bytes(error === 0 && offset < (this.partitions[partition] as number) ? batch(values, { base, time: NOW }) : Buffer.alloc(0));
  }
}

let broker: FakeBroker;
beforeEach(async () => {
  broker = new FakeBroker();
  await new Promise<void>((resolve) => broker.server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  for (const socket of broker.sockets) socket.destroy();
  broker.server.close();
});

const open = async (location: object = {}): Promise<Opened> =>
  kafkaReader(() => 'secret', { tries: 3, wait: 1 })({
    location: { ...Location.parse({ brokers: [`127.0.0.1:${broker.port}`], topics: ['t'], ...location }), roles: {} },
    plan: { shape: 'logs', kafka: true },
    now: NOW,
    options: {},
  });

async function read(location: object = {}): Promise<{ opened: Opened; texts: string[] }> {
  const opened = await open(location);
  const texts: string[] = [];
  for (const input of opened.inputs)
    for await (const found of input.messages?.() ?? []) texts.push(...found.map((m) => Buffer.from(m.value ?? []).toString()));
  opened.close();
  return { opened, texts: texts.sort() };
}

const offsets = (partition: number, from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, i) => `${partition}:${String(from + i).padStart(8, '0')}`);
const WHOLE = [...offsets(0, 0, 1000), ...offsets(1, 0, 1000)];

describe('a window from brokers', () => {
  it('gives every message once, by read-only calls alone', async () => {
    const { opened, texts } = await read();
    expect(texts).toEqual(WHOLE);
    expect(opened).toMatchObject({ coverage: [{ name: 't', status: 'ok', bytes: 20_000 }], problems: [] });
    expect([...new Set(broker.calls)].sort((a, b) => a - b)).toEqual([1, 2, 3, 18]);
  });

  it('over the budget of messages, reads the newest of each partition in the same share', async () => {
    broker.partitions = [1000, 500];
    const { opened, texts } = await read({ budget: { messages: 150 } });
    expect(texts).toEqual([...offsets(0, 900, 1000), ...offsets(1, 450, 500)]);
    expect(opened.coverage).toMatchObject([{ status: 'truncated' }]);
    expect(opened.problems).toMatchObject([
      { effect: 'input', input: 't', message: expect.stringMatching(/newest 10\.0 %.*budget\.messages/) },
    ]);
  });

  it('over the budget of bytes, ends with the newest stretches', async () => {
    broker.partitions = [50_000, 50_000];
    const { opened, texts } = await read({ budget: { bytes: 100_000 } });
    const [first, second] = [texts.filter((t) => t.startsWith('0')), texts.filter((t) => t.startsWith('1'))];
    expect(Math.abs(first.length - second.length)).toBeLessThanOrEqual(100);
    expect(texts.length).toBeLessThan(11_000);
    expect(first.every((t) => Number(t.slice(2)) >= 42_000)).toBe(true);
    expect(opened.problems).toMatchObject([{ message: expect.stringContaining('budget.bytes') }]);
  });

  it('over the budget of time, says so', async () => {
    broker.partitions = [5_000_000];
    const { opened } = await read({ budget: { time: '1s' } });
    expect(opened.coverage).toMatchObject([{ status: 'truncated' }]);
    expect(opened.problems).toMatchObject([{ message: expect.stringContaining('budget.time') }]);
  });

  it('goes on where a leader hung up or moved', async () => {
    broker.hangUps = 1;
    broker.fetchErrors = [6, 74];
    const { opened, texts } = await read();
    expect(texts).toEqual(WHOLE);
    expect(opened.problems).toEqual([]);
  });

  it('a leader that stays away costs its partitions, and names itself', async () => {
    broker.hangUps = 99;
    const { opened, texts } = await read();
    expect(texts).toEqual([]);
    expect(opened.coverage).toMatchObject([{ name: 't', status: 'unreadable' }]);
    expect(opened.problems).toMatchObject([
      { effect: 'input', input: 't', place: 'partition 0, 1', message: expect.stringContaining(`127.0.0.1:${broker.port}`) },
    ]);
  });

  it('a leader that hangs costs its partitions, and the others no more than one wait', async () => {
    const hung = createServer();
    await new Promise<void>((resolve) => hung.listen(0, '127.0.0.1', resolve));
    broker.second = (hung.address() as AddressInfo).port;
    try {
      const bootstrap = [`127.0.0.1:${broker.second}`, `127.0.0.1:${broker.port}`];
      const { opened, texts } = await read({ brokers: bootstrap, budget: { time: '5s' } });
      expect(texts).toEqual(offsets(0, 0, 1000));
      expect(opened.coverage).toMatchObject([{ name: 't', status: 'truncated' }]);
      expect(opened.problems).toMatchObject([
        {
          effect: 'input',
          place: 'partition 1',
          message: expect.stringContaining(`127.0.0.1:${broker.second} did not answer within 1000 ms`),
        },
      ]);
    } finally {
      hung.close();
    }
  });

  it('what expired in between is passed, and said', async () => {
    const opened = await open();
    broker.logStart = 300;
    const texts: string[] = [];
    for await (const found of opened.inputs[0]?.messages?.() ?? []) texts.push(...found.map((m) => Buffer.from(m.value ?? []).toString()));
    opened.close();
    expect(texts.sort()).toEqual([...offsets(0, 300, 1000), ...offsets(1, 300, 1000)]);
    expect(opened.problems).toMatchObject([{ effect: 'note', message: expect.stringContaining('600 messages expired') }]);
  });

  it.each([
    [3, 'missing', 'is no topic'],
    [29, 'unreadable', 'may not be described'],
    [17, 'missing', 'no name of a topic'],
  ])('a topic answered with error %i is %s', async (error, status, message) => {
    broker.topicError = error;
    const { opened } = await read();
    expect(opened).toMatchObject({
      inputs: [],
      coverage: [{ name: 't', status }],
      problems: [{ input: 't', message: expect.stringContaining(message) }],
    });
  });

  it('a broker that is not there, or speaks something else, is named', async () => {
    await expect(open({ brokers: ['127.0.0.1:1'] })).rejects.toThrow(/cannot be reached/);
    await expect(open({ brokers: ['no port:x'] })).rejects.toThrow(ReadError);
    for (const garbage of [Buffer.alloc(0), Buffer.alloc(3, 255), Buffer.from('0000ffffffff', 'hex'), Buffer.alloc(40, 127)]) {
      broker.garbage = garbage;
      await expect(open()).rejects.toMatchObject({ name: 'ReadError', input: `127.0.0.1:${broker.port}` });
    }
  });
});
