import { openSync, readFileSync, readSync } from 'node:fs';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { APIS } from '../../lib/readers/kafka/protocol.ts';
import { Encoder } from '../../lib/readers/kafka/wire.ts';
import { type BatchPlace, partitionFile } from './telemetry-data.ts';

/** What a partition may fill of an answer. */
const MOST = 1024 * 1024;

/**
 * A broker on loopback, as far as the reader's calls go: it serves the batches of one recorded topic from files, and is part
 * of what is measured.
 */
export class RecordedBroker {
  readonly #topic: string;
  readonly #server: Server;
  readonly #partitions: { fd: number; batches: BatchPlace[] }[];

  private constructor(folder: string, topic: string) {
    this.#topic = topic;
    const index = JSON.parse(readFileSync(join(folder, `${topic}.index.json`), 'utf8')) as BatchPlace[][];
    this.#partitions = index.map((batches, p) => ({ batches, fd: openSync(partitionFile(folder, topic, p), 'r') }));
    this.#server = createServer((socket) => this.#serve(socket));
  }

  static async start(folder: string, topic: string): Promise<RecordedBroker> {
    const broker = new RecordedBroker(folder, topic);
    await new Promise<void>((resolve) => broker.#server.listen(0, '127.0.0.1', resolve));
    return broker;
  }

  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.close();
  }

  #serve(socket: Socket): void {
    let pending = Buffer.alloc(0);
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      pending = Buffer.concat([pending, chunk]);
      for (let size = sizeOf(pending); size <= pending.length; size = sizeOf(pending)) {
        const request = pending.subarray(4, size);
        pending = pending.subarray(size);
        const body = this.#answer(request.readInt16BE(0), request.subarray(10 + request.readInt16BE(8)));
        socket.write(
          new Encoder()
            .int32(body.length + 4)
            .raw(request.subarray(4, 8))
            .done(),
        );
        socket.write(body);
      }
    });
  }

  #answer(api: number, body: Buffer): Buffer {
    const e = new Encoder();
    if (api === APIS.apiVersions.key)
      return e
        .int16(0)
        .array(Object.values(APIS), ({ key, version }) => e.int16(key).int16(0).int16(version))
        .done();
    if (api === APIS.metadata.key) {
      const { port } = this.#server.address() as AddressInfo;
      e.int32(0).int32(1).int32(1).string('127.0.0.1').int32(port).int16(-1).int16(-1).int32(1);
      e.int32(1).int16(0).string(this.#topic).int8(0);
      return e.array([...this.#partitions.keys()], (p) => e.int16(0).int32(p).int32(1).int32(0).int32(0)).done();
    }
    // Behind what stands before the topics, there is one, and its name.
    const fetch = api === APIS.fetch.key;
    let at = (fetch ? 25 : 5) + 4;
    at += 2 + body.readInt16BE(at);
    const count = body.readInt32BE(at);
    at += 4;
    e.int32(0);
    if (fetch) e.int16(0).int32(0);
    e.int32(1).string(this.#topic).int32(count);
    for (let i = 0; i < count; i++, at += fetch ? 28 : 12) {
      const partition = body.readInt32BE(at);
      e.int32(partition).int16(0);
      if (fetch)
        e.int64(0)
          .int64(0)
          .int64(0)
          .int32(-1)
          .bytes(this.#records(partition, Number(body.readBigInt64BE(at + 8))));
      else e.int64(-1).int64(body.readBigInt64BE(at + 4) === -1n ? (this.#partitions[partition]?.batches.at(-1)?.next ?? 0) : 0);
    }
    return e.done();
  }

  #records(partition: number, offset: number): Buffer {
    const { fd, batches } = this.#partitions[partition] as { fd: number; batches: BatchPlace[] };
    const first = batches.find((b) => b.next > offset);
    if (first === undefined) return Buffer.alloc(0);
    const bytes = Buffer.allocUnsafe(MOST);
    return bytes.subarray(0, readSync(fd, bytes, 0, MOST, first.at));
  }
}

function sizeOf(bytes: Buffer): number {
  return bytes.length < 4 ? Number.POSITIVE_INFINITY : bytes.readInt32BE(0) + 4;
}
