import type Avsc from 'avsc';
import * as fc from 'fast-check';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Location } from '../../lib/config.ts';
import { type DecodeBody, ReadError } from '../../lib/model/collector.ts';
import type { CoverageProblem } from '../../lib/model/snapshot.ts';
import { cleanSchema } from '../../lib/readers/avro/clean-schema.ts';
import { type Compile, loadCodec } from '../../lib/readers/avro/codec.ts';
import { schemaReader } from '../../lib/readers/avro/schemas.ts';
import type { Answered, GetRequest } from '../../lib/readers/http.ts';
import { varint } from './kafka-bytes.ts';

// The package is needed only where Avro is: without it all else passes.
const avsc = ((await import('avsc').catch(() => undefined)) as { default: typeof Avsc } | undefined)?.default;
const missing = avsc === undefined;

const READING = {
  type: 'record',
  name: 'Reading',
  namespace: 'cray.telemetry',
  fields: [
    { name: 'Timestamp', type: { type: 'long', logicalType: 'timestamp-millis' } },
    { name: 'Location', type: { type: 'string', 'avro.java.string': 'String' } },
    { name: 'PhysicalContext', type: ['null', 'string'], default: null },
    { name: 'Index', type: ['null', 'int'], default: null },
    { name: 'Value', type: 'double' },
  ],
};
const READING_TEXT = JSON.stringify(READING);
const reading = { Timestamp: 1_777_593_600_000, Location: 'x1000c0s0b0n0', PhysicalContext: 'GPU', Index: 3, Value: 61.25 };
const written = avsc?.Type.forSchema(READING as never).toBuffer(reading) ?? Buffer.alloc(0);

let compile: Compile;
beforeAll(async () => {
  if (!missing) compile = await loadCodec();
});

/** One field of a type, written by hand. */
function oneField(type: unknown, body: readonly number[] | Uint8Array): unknown {
  const decode = compile(JSON.stringify({ type: 'record', name: 'R', fields: [{ name: 'f', type }] }));
  const record = decode(Uint8Array.from(body)) as { f: unknown } | undefined;
  return record === undefined ? 'misfit' : record.f;
}

describe.skipIf(missing)('the codec', () => {
  it('reads a record in plain form', () => {
    expect({ ...(compile(READING_TEXT)(written) as object) }).toEqual(reading);
    // From an array that is no Buffer and does not begin at its own memory's beginning.
    const within = new Uint8Array([9, ...written, 9]).subarray(1, -1);
    expect({ ...(compile(READING_TEXT)(within) as object) }).toEqual(reading);
  });

  it('reads flat records as the package does, whole, damaged and cut', () => {
    const fields = ['long', 'int', 'string', 'double', 'float', 'boolean', ['null', 'string'], ['null', 'int', 'string']];
    const schema = { type: 'record', name: 'Flat', fields: fields.map((type, i) => ({ name: `f${i}`, type })) };
    const type = (avsc as typeof Avsc).Type.forSchema(schema as never);
    const decode = compile(JSON.stringify(schema));
    const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 90 }), fc.constantFrom('GPU', 'x1000c0s0b0n0', 'é', '\ufeffa'));
    const values = fc.tuple(
      fc.integer({ min: -(2 ** 52), max: 2 ** 52 }),
      fc.integer(),
      text,
      fc.double(),
      fc.float(),
      fc.boolean(),
      fc.option(text),
      fc.option(fc.oneof(fc.integer(), text)),
    );
    const byPackage = (bytes: Buffer): unknown => {
      try {
        return { ...(type.fromBuffer(bytes) as object) };
      } catch {
        return undefined;
      }
    };
    fc.assert(
      fc.property(values, fc.nat(), fc.nat(255), fc.nat(3), (record, at, byte, cut) => {
        const bytes = type.toBuffer(Object.fromEntries(record.map((value, i) => [`f${i}`, value])));
        for (const one of [
          bytes,
          bytes.subarray(0, bytes.length - cut),
          Buffer.from(bytes).fill(byte, at % bytes.length, (at % bytes.length) + 1),
        ]) {
          const expected = byPackage(one);
          const found = decode(Buffer.concat([Buffer.from([0, 0]), one]), 2);
          // Numbers past 2^53 are read all the same.
          if (expected !== undefined) expect({ ...(found as object) }).toEqual(expected);
          else if (found !== undefined)
            expect(Object.values(found as object).some((value) => typeof value === 'number' && Math.abs(value) > 2 ** 52)).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });

  it.each<[string, unknown, number[], unknown]>([
    ['a long past 2^53, as nanoseconds are', 'long', [...varint(1_777_593_600_000_000_000)], 1_777_593_600_000_000_000],
    ['a decimal', { type: 'bytes', logicalType: 'decimal', precision: 6, scale: 2 }, [4, 0x17, 0xed], 61.25],
    ['a negative decimal', { type: 'bytes', logicalType: 'decimal', precision: 6, scale: 2 }, [4, 0xe8, 0x13], -61.25],
    ['a decimal in a fixed', { type: 'fixed', name: 'D', size: 2, logicalType: 'decimal', scale: 1 }, [0x02, 0x64], 61.2],
    ['a union of numbers', ['int', 'double'], [2, 0, 0, 0, 0, 0, 160, 78, 64], 61.25],
    ['null in a union of several', ['null', 'int', 'long'], [0], null],
    ['an enum', { type: 'enum', name: 'E', symbols: ['OK', 'Critical'] }, [2], 'Critical'],
    ['a day', { type: 'int', logicalType: 'date' }, [4], 2],
    ['an array in two blocks', { type: 'array', items: 'int' }, [2, 2, 1, 2, 4, 0], [1, 2]],
    ['a type wrapped once more', { type: { type: 'string' } }, [2, 65], 'A'],
  ])('reads %s', (_, type, body, expected) => {
    expect(oneField(type, body)).toEqual(expected);
  });

  it('reads records behind a union that could be several', () => {
    const part = (name: string) => ({ type: 'record', name, fields: [{ name: 'v', type: 'int' }] });
    const value = oneField(['null', part('A'), part('B')], [4, 10]);
    expect({ ...(value as object) }).toEqual({ v: 5 });
  });

  it('reads what another schema of the same name wrote by that one', () => {
    const grown = { ...READING, fields: [...READING.fields, { name: 'Unit', type: 'string', default: '' }] };
    const body = avsc?.Type.forSchema(grown as never).toBuffer({ ...reading, Unit: 'Cel' }) ?? Buffer.alloc(0);
    expect({ ...(compile(JSON.stringify(grown))(body) as object) }).toEqual({ ...reading, Unit: 'Cel' });
    expect(compile(READING_TEXT)(body)).toBeUndefined();
  });

  it('takes names from the schemas that one refers to', () => {
    const outer = JSON.stringify({ type: 'record', name: 'Outer', fields: [{ name: 'r', type: 'cray.telemetry.Reading' }] });
    expect({ ...(compile(outer, [READING_TEXT])(written) as { r: object }).r }).toEqual(reading);
    expect(() => compile(outer)).toThrow('undefined type name');
  });

  it.each<[string, unknown, number[]]>([
    ['cut off', 'double', [0, 0, 0]],
    ['longer than their record', 'int', [2, 2]],
    ['of a branch that is not there', ['null', 'int'], [6]],
    ['with a text longer than what holds it', 'string', [200, 1, 65]],
    ['with a negative length', 'string', [1]],
    ['with an array of more items than could be', { type: 'array', items: 'int' }, [254, 255, 255, 255, 255, 255, 255, 255, 127, 2]],
    ['with an array of countless nothings', { type: 'array', items: 'null' }, [128, 128, 128, 128, 128, 128, 8, 0]],
    ['with a block of the least of all counts', { type: 'map', values: 'int' }, [255, 255, 255, 255, 255, 255, 255, 255, 255, 1, 0]],
    ['nested beyond any stack', { type: 'array', items: 'R' }, [...Array<number>(50_000).fill(2)]],
  ])('does not fit bytes %s', (_, type, body) => {
    expect(oneField(type, body)).toBe('misfit');
  });

  it.each<[string, unknown]>([
    ['that is no JSON', '{'],
    ['that is null', null],
    ['without fields', { type: 'record', name: 'R' }],
    ['of an unknown type', { type: 'recrod', name: 'R', fields: [] }],
    ['with code for a name', { type: 'record', name: 'R(){};process.exit(1);function R', fields: [] }],
    ['with code for a field', { type: 'record', name: 'R', fields: [{ name: 'a=1;throw 1', type: 'int' }] }],
    ['with a field that is every object’s', { type: 'record', name: 'R', fields: [{ name: '__proto__', type: 'int' }] }],
    ['with a type that is every object’s', { type: 'constructor' }],
    ['whose record holds itself', { type: 'record', name: 'R', fields: [{ name: 'r', type: 'R' }] }],
    [
      'whose records hold each other',
      { type: 'record', name: 'A', fields: [{ name: 'b', type: { type: 'record', name: 'B', fields: [{ name: 'a', type: 'A' }] } }] },
    ],
    ['nested deeper than anyone means', `${'{"type":"array","items":'.repeat(5000)}"int"${'}'.repeat(5000)}`],
    ['of more parts than anyone means', { type: 'enum', name: 'E', symbols: Array.from({ length: 30_000 }, (_, i) => `s${i}`) }],
    ['that grows with each of its types', doubling(24)],
    ['of unions in unions', ['null', ['null', 'int']]],
    ['with a decimal of any scale', { type: 'bytes', logicalType: 'decimal', scale: 1e9 }],
  ])('refuses a schema %s', (_, schema) => {
    expect(() => compile(typeof schema === 'string' ? schema : JSON.stringify(schema))).toThrow(
      expect.objectContaining({ name: 'BadSchema' }),
    );
  });

  it('lets no text but plain names of a schema through', () => {
    const text = JSON.stringify({ ...READING, doc: 'x', aliases: ['y'], extra: { z: 1 } });
    expect(JSON.stringify(cleanSchema(text))).not.toMatch(/doc|aliases|extra|default|java/);
  });

  it('any bytes fit or do not, and take no time', () => {
    const all = compile(
      JSON.stringify({
        type: 'record',
        name: 'R',
        fields: [
          { name: 'a', type: { type: 'array', items: ['null', 'string', 'R'] } },
          { name: 'b', type: { type: 'map', values: { type: 'array', items: 'null' } } },
          { name: 'c', type: ['null', READING, { type: 'bytes', logicalType: 'decimal', scale: 3 }] },
        ],
      }),
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        expect(['object', 'undefined']).toContain(typeof all(bytes));
        expect(['object', 'undefined']).toContain(typeof compile(READING_TEXT)(bytes));
      }),
      { numRuns: 100 },
    );
  });
});

/** A record of two of a record of two … : few words, and 2^n parts. */
function doubling(depth: number): unknown {
  const inner = depth === 0 ? 'null' : doubling(depth - 1);
  return {
    type: 'record',
    name: `R${depth}`,
    fields: [
      { name: 'a', type: inner },
      { name: 'b', type: depth === 0 ? 'null' : `R${depth - 1}` },
    ],
  };
}

describe.skipIf(missing)('schemas', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hpc-observer-avro-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, '42.avsc'), READING_TEXT);
  writeFileSync(join(folder, '43-text.json'), '"string"');
  writeFileSync(join(folder, '44.avsc'), '{"type":"record"}');
  writeFileSync(join(folder, 'reading.json'), JSON.stringify({ subject: 's', version: 1, id: 45, schema: READING_TEXT }));

  async function open(avro: object, get: (request: GetRequest) => Promise<Answered> = refuse) {
    const told: CoverageProblem[] = [];
    const location = { ...Location.parse({ avro }), roles: {} };
    const reader = schemaReader(get, (path) => {
      if (path === 'absent') throw Object.assign(new Error('no'), { code: 'ENOENT' });
      return `secret of ${path}\n`;
    });
    return { told, schemas: await reader(location, (problem) => told.push(problem)) };
  }
  const refuse = (): Promise<Answered> => Promise.reject(new ReadError('unreadable', 'http://r', 'cannot be reached'));
  const answer = (body: unknown, status = 200): Answered => ({ status, body: new TextEncoder().encode(JSON.stringify(body)) });

  it('come from files by the id in their name or in themselves', async () => {
    const { schemas, told } = await open({ schemas: folder });
    for (const id of [42, 45]) expect((schemas.decoder(id) as DecodeBody)(written)).toMatchObject(reading);
    expect((schemas.decoder(43) as DecodeBody)(new Uint8Array([2, 65]))).toBe('A');
    expect(schemas.decoder(7)).toBeUndefined();
    expect(told).toEqual([]);
    expect(schemas.decoder(44)).toBeUndefined();
    expect(schemas.decoder(44)).toBeUndefined();
    expect(told).toEqual([{ effect: 'input', input: 'schema 44', message: 'has a record without fields' }]);
  });

  it('that are in no file are told, with what to do', async () => {
    const lone = join(folder, '.nameless');
    writeFileSync(lone, READING_TEXT);
    expect((await open({ schemas: [lone, join(folder, 'absent')] })).told).toMatchObject([
      { effect: 'input', message: 'does not exist' },
      { effect: 'input', input: '.nameless', message: expect.stringContaining('42.avsc') },
    ]);
  });

  it('come from a registry by GET, once each, with what they refer to', async () => {
    const asked: string[] = [];
    const { schemas, told } = await open(
      { schemas: folder, registry: 'https://registry.test/base', token_file: 'token', ca_file: 'ca' },
      async ({ url, headers, ca }) => {
        asked.push(`${url.pathname} ${headers['authorization']} ${ca}`);
        if (url.pathname.endsWith('/subjects/a%2Fb/versions/3')) return answer({ schema: READING_TEXT });
        if (url.pathname.endsWith('/8')) return answer({ error_code: 40_403 }, 404);
        const outer = JSON.stringify({ type: 'record', name: 'O', fields: [{ name: 'r', type: 'cray.telemetry.Reading' }] });
        return answer({ schema: outer, references: [{ name: 'cray.telemetry.Reading', subject: 'a/b', version: 3 }] });
      },
    );
    const decode = (await schemas.decoder(7)) as DecodeBody;
    expect(decode(written)).toEqual({ r: expect.objectContaining(reading) });
    expect(schemas.decoder(7)).toBe(decode);
    expect(await schemas.decoder(8)).toBeUndefined();
    expect(schemas.decoder(8)).toBeUndefined();
    expect(schemas.decoder(42)).toBeTypeOf('function');
    const secrets = 'Bearer secret of token secret of ca';
    expect(asked).toEqual([
      `/base/schemas/ids/7 ${secrets}`,
      `/base/subjects/a%2Fb/versions/3 ${secrets}`,
      `/base/schemas/ids/8 ${secrets}`,
    ]);
    expect(told).toEqual([]);
  });

  it('a registry that does not answer is asked once, and told', async () => {
    for (const get of [refuse, () => Promise.resolve(answer({}, 503)), () => Promise.resolve(answer({}, 401))]) {
      let asked = 0;
      const { schemas, told } = await open({ registry: 'http://r' }, () => {
        asked++;
        return get();
      });
      expect(await schemas.decoder(1)).toBeUndefined();
      expect(await schemas.decoder(2)).toBeUndefined();
      expect([asked, told.length, told[0]?.effect]).toEqual([1, 1, 'input']);
    }
    const { told } = await open({ registry: 'http://r', token_file: 'absent' });
    expect(told).toEqual([{ effect: 'input', input: 'absent', message: 'cannot be read (ENOENT)' }]);
  });

  it.each<[string, unknown, string]>([
    ['something else', { hello: 1 }, 'something else'],
    ['another kind of schema', { schema: 'message M {}', schemaType: 'PROTOBUF' }, 'PROTOBUF'],
    [
      'references without an end',
      { schema: '"int"', references: Array.from({ length: 99 }, (_, version) => ({ name: 'n', subject: 's', version })) },
      'more than 64',
    ],
    ['a schema that is none', { schema: '{' }, 'no JSON'],
  ])('an answer of %s costs that schema alone', async (_, body, message) => {
    const { schemas, told } = await open({ registry: 'http://r' }, async ({ url }) =>
      answer(url.pathname.endsWith('/ids/2') ? { schema: READING_TEXT } : url.pathname.includes('subjects') ? { schema: '"int"' } : body),
    );
    expect(await schemas.decoder(1)).toBeUndefined();
    expect(told).toMatchObject([{ effect: 'input', message: expect.stringContaining(message) }]);
    expect(await schemas.decoder(2)).toBeTypeOf('function');
  });

  it('ids without an end are not all asked for', async () => {
    let asked = 0;
    const { schemas } = await open({ registry: 'http://r' }, async () => {
      asked++;
      return answer({}, 404);
    });
    for (let id = 0; id < 3000; id++) await schemas.decoder(id);
    expect(await schemas.decoder(-5)).toBeUndefined();
    expect(asked).toBe(1000);
  });
});
