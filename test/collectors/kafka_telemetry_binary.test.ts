import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { BrokerMessage } from '../../lib/model/collector.ts';
import { collect, flat, inputOf, readingsOf } from './telemetry-inputs.ts';

const T0 = Date.parse('2026-05-01T00:00:00Z');
const HERE = flat('x1000c0s0b0n0', 'Temperature', 61.25, T0);
const BESIDE = flat('x1000c0s7b0n0', 'Temperature', 50, T0);

describe('binary messages', () => {
  const avro = new Uint8Array([0, 0, 0, 0, 42, 1, 2, 3]);

  it('are counted where no schema is at hand', async () => {
    const { coverage, summary } = await collect([inputOf('m.avro', avro), inputOf('b', BESIDE)], { now: T0 });
    expect(summary['formats']).toEqual({ avro_no_schema: 1, hpcm_flat: 1 });
    expect(coverage).toMatchObject({ rejected: 1, problems: [{ effect: 'record', input: 'm.avro' }] });
    await expect(collect([inputOf('m.avro', avro)])).rejects.toThrow('1 avro_no_schema');
  });

  it('are read with a decoder', async () => {
    const seen: [number, number][] = [];
    const decode =
      (id: number) =>
      (message: Uint8Array, from = 0) => {
        seen.push([id, message.length - from]);
        return JSON.parse(HERE) as unknown;
      };
    const collected = await collect([inputOf('m.avro', avro)], { now: T0, schemas: { decoder: decode } });
    expect(seen).toEqual([[42, 3]]);
    expect(collected.summary).toMatchObject({ samples: 1, formats: { avro: 1, hpcm_flat: 1 } });
  });

  it('wait for a schema that has to be asked for', async () => {
    const asked: number[] = [];
    const decoder = (id: number) => {
      asked.push(id);
      return Promise.resolve(() => JSON.parse(HERE) as unknown);
    };
    const input = inputOf('k1:9092', '', {
      async *messages() {
        yield [avro, avro.subarray(0, 5), avro.subarray(0, 4)].map((value) => ({ topic: 't', timestamp: T0, value }));
      },
    });
    const collected = await collect([input], { now: T0, schemas: { decoder } });
    expect(asked).toEqual([42]);
    expect(collected.summary).toMatchObject({ samples: 1, formats: { avro: 2, malformed: 1 }, excluded: { duplicate: 1 } });
  });

  it('that do not fit their schema are rejected by name', async () => {
    const { coverage, summary } = await collect([inputOf('m.avro', avro), inputOf('b', BESIDE)], {
      now: T0,
      schemas: { decoder: () => () => undefined },
    });
    expect(summary['formats']).toEqual({ hpcm_flat: 1 });
    expect(coverage.problems).toMatchObject([
      { effect: 'note', input: 'm.avro', message: expect.stringContaining('does not fit its schema 42') },
    ]);
  });

  it('make a topic of nothing else an input that could not be read', async () => {
    const input = inputOf('t', '', {
      async *messages() {
        yield [{ topic: 't', timestamp: T0, value: avro }];
      },
    });
    const { coverage } = await collect([input, inputOf('b', BESIDE)], { now: T0 });
    expect(coverage).toMatchObject({
      rejected: 1,
      problems: [
        { effect: 'input', input: 't' },
        { effect: 'record', input: 't' },
      ],
    });
  });

  it('that are packed and cut off are rejected one by one, however many they are', async () => {
    const cut = new Uint8Array(gzipSync(HERE)).subarray(0, 12);
    const input = inputOf('t', '', {
      async *messages() {
        yield Array.from({ length: 50 }, () => ({ topic: 't', timestamp: T0, value: cut }));
      },
    });
    const { coverage, summary } = await collect([input, inputOf('b', BESIDE)], { now: T0 });
    expect(coverage.rejected).toBe(50);
    expect(summary['formats']).toMatchObject({ gzip: 50, malformed: 50 });
    expect(coverage.problems).toHaveLength(21);
    expect(coverage.problems).toContainEqual({ effect: 'input', input: 't', message: 'none of its 50 messages could be read' });
  });

  it('come from a broker with their own bounds, topics and times', async () => {
    const text = (t: string) => new TextEncoder().encode(t);
    const batches: BrokerMessage[][] = [
      [
        { topic: 'crayex_telemetry', timestamp: T0, value: text(HERE) },
        { topic: 'metrics', timestamp: T0 + 1000, value: text('# TYPE power_watts gauge\npower_watts{xname="x1000c0s0b0n0"} 300\n') },
        { topic: 'metrics', timestamp: T0 + 2000, value: text('power_watts{xname="x1000c0s0b0n0"} 310\n') },
      ],
      [
        { topic: 'pdu_energy', timestamp: T0, value: new Uint8Array(gzipSync('{"location":"x3000m0","energy":1,"timestamp":1777593600}')) },
        { topic: 'crayex_telemetry', timestamp: T0, value: avro },
        { topic: 'crayex_telemetry', timestamp: T0, value: null },
        { topic: 'crayex_telemetry', timestamp: T0, value: text('{"cut":') },
      ],
    ];
    const input = inputOf('k1:9092', '', {
      async *messages() {
        yield* batches;
      },
    });
    const collected = await collect([input], { now: T0 + 60_000 });
    expect(collected.summary).toMatchObject({
      samples: 4,
      formats: { avro_no_schema: 1, empty: 1, gzip: 1, hpcm_flat: 1, hpcm_native: 1, malformed: 1, prometheus: 2 },
      notes: { time_from_record: 2 },
    });
    expect(readingsOf(collected).get('node:x1000c0s0b0n0')).toMatchObject([{ last: 61.25 }, { last: 310, at: '2026-05-01T00:00:02.000Z' }]);
    expect(readingsOf(collected).get('pdu:x3000m0')).toMatchObject([{ last: 3.6e6 }]);
  });
});
