import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type avscType from 'avsc';
import type { DecodeBody, RecordFinder } from '../../lib/model/collector.ts';
import { loadCodec } from '../../lib/readers/avro/codec.ts';

const avsc = ((await import('avsc').catch(() => undefined)) as { default: typeof avscType } | undefined)?.default;

const TEXTS = { name: 'Location', type: 'string' };
const INDEX = { name: 'Index', type: ['null', 'int'] };
const FLAG = { name: 'Flag', type: 'boolean' };
const RATIO = { name: 'Ratio', type: ['float', 'string'] };
/** The two numbers first, last, in the middle, the other way round, and behind the index of a union. */
const SCHEMAS = [
  [{ name: 'Timestamp', type: 'long' }, TEXTS, INDEX, FLAG, RATIO, { name: 'Value', type: 'double' }],
  [{ name: 'Value', type: 'float' }, { name: 'Timestamp', type: 'double' }, TEXTS, INDEX, FLAG, RATIO],
  [TEXTS, INDEX, { name: 'Value', type: ['null', 'int'] }, FLAG, { name: 'Timestamp', type: ['null', 'long'] }, RATIO],
].map((fields) => ({ type: 'record', name: 'Reading', fields }));

const record = fc.record({
  Timestamp: fc.constantFrom(1_777_593_600_000, 1_777_593_660_000, 0, -5, 300),
  Value: fc.constantFrom(61, 0, -1, 8192),
  Location: fc.constantFrom('x1000c0s0b0n0', 'x1000c0s0b0n1', '', 'é'),
  Index: fc.constantFrom(null, 0, 300),
  Flag: fc.boolean(),
  Ratio: fc.constantFrom(0.5, 'a'),
});
const message = fc.record({
  reading: record,
  damage: fc.option(fc.record({ at: fc.nat(60), byte: fc.nat(255), cut: fc.nat(3) }), { freq: 3 }),
});

describe.skipIf(avsc === undefined)('records that are found again', () => {
  it('are those that were remembered, with the numbers that the codec reads', async () => {
    const compile = await loadCodec();
    fc.assert(
      fc.property(fc.constantFrom(...SCHEMAS), fc.array(message, { minLength: 5, maxLength: 60 }), (schema, messages) => {
        const type = (avsc as typeof avscType).Type.forSchema(schema as never);
        const decode: DecodeBody = compile(JSON.stringify(schema));
        const finder = decode.finder?.('Timestamp', 'Value') as RecordFinder;
        const marks = new Map<string, number>();
        for (const { reading, damage } of messages) {
          const whole = type.toBuffer(reading);
          const bytes = new Uint8Array([7, 7, ...whole.subarray(0, damage ? whole.length - damage.cut : undefined)]);
          if (damage) bytes[2 + (damage.at % whole.length)] = damage.byte;
          // In a buffer that others share, behind which it goes on.
          const within = new Uint8Array([1, ...bytes, 0, 0, 0, 0, 0, 0, 0, 0]).subarray(1, 1 + bytes.length);
          const found = finder.find(within, 2);
          const read = decode(within, 2) as typeof reading | undefined;
          if (read === undefined) {
            expect(found).toBe(-1);
            continue;
          }
          const { Timestamp, Value, ...rest } = read;
          const known = marks.get(JSON.stringify(rest));
          if (found >= 0) {
            expect({ found, time: finder.time, value: finder.value }).toEqual({ found: known, time: Timestamp, value: Value });
          } else if (damage === null) {
            expect(known).toBeUndefined();
            marks.set(JSON.stringify(rest), marks.size);
            finder.remember(marks.size - 1);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it('are found among many, whatever their order', async () => {
    const schema = SCHEMAS[0] as (typeof SCHEMAS)[number];
    const type = (avsc as typeof avscType).Type.forSchema(schema as never);
    const finder = (await loadCodec())(JSON.stringify(schema)).finder?.('Timestamp', 'Value') as RecordFinder;
    const bytesOf = (n: number, Value: number) =>
      new Uint8Array(type.toBuffer({ Timestamp: 1_777_593_600_000, Location: `x${n}`, Index: n, Flag: true, Ratio: 0.5, Value }));
    for (let n = 0; n < 5000; n++) {
      expect(finder.find(bytesOf(n, 1), 0)).toBe(-1);
      finder.remember(n);
    }
    for (let n = 4999; n >= 0; n--) expect([finder.find(bytesOf(n, n), 0), finder.value]).toEqual([n, n]);
    for (let n = 0; n < 5000; n += 7) expect(finder.find(bytesOf(n, 2), 0)).toBe(n);
  });

  it('are found also where others have the same hash', async () => {
    const schema = SCHEMAS[0] as (typeof SCHEMAS)[number];
    const finder = (await loadCodec())(JSON.stringify(schema)).finder?.('Timestamp', 'Value') as RecordFinder;
    const type = (avsc as typeof avscType).Type.forSchema(schema as never);
    const bytes = new Uint8Array(type.toBuffer({ Timestamp: 300, Location: '0000', Index: null, Flag: true, Ratio: 0.5, Value: 1 }));
    const place = bytes.indexOf(0x30);
    const nth = (n: number): Uint8Array => {
      new DataView(bytes.buffer).setInt32(place, Math.imul(n + 1, 0x9e3779b1));
      return bytes;
    };
    // So many that a few hashes of 32 bits meet.
    const many = 250_000;
    for (let n = 0; n < many; n++) if (finder.find(nth(n), 0) < 0) finder.remember(n);
    let lost = 0;
    for (let n = many - 1; n >= 0; n--) if (finder.find(nth(n), 0) !== n) lost++;
    expect(lost).toBe(0);
  });

  it('are sought where records hold both as numbers, and nowhere else', async () => {
    const compile = await loadCodec();
    const finderOf = (fields: object[]) => compile(JSON.stringify({ type: 'record', name: 'R', fields })).finder?.('Timestamp', 'Value');
    const time = { name: 'Timestamp', type: 'long' };
    expect(finderOf([time, { name: 'Value', type: 'double' }])).toBeDefined();
    expect(finderOf([time, { name: 'Value', type: 'string' }])).toBeUndefined();
    expect(finderOf([time, { name: 'Value', type: ['int', 'double'] }])).toBeUndefined();
    expect(finderOf([time])).toBeUndefined();
    expect(finderOf([time, { name: 'Value', type: { type: 'array', items: 'double' } }])).toBeUndefined();
  });
});
