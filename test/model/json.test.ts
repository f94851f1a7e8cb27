import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atPointer, canonicalJson, type Json, JsonSyntaxError, MAX_JSON_DEPTH, parseJson, pointerSegment } from '../../lib/model/json.ts';
import { isJson } from '../is-json.ts';

function problemOf(text: string): JsonSyntaxError {
  try {
    parseJson(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error;
    throw error;
  }
  throw new Error('parsed');
}

/** Line and column of an offset, counted the slow way. */
function placeOf(text: string, offset: number): { line: number; column: number } {
  const lines = text.slice(0, offset).split('\n');
  return { line: lines.length, column: (lines.at(-1) as string).length + 1 };
}

const anyJson = fc.jsonValue({ maxDepth: 4, noUnicodeString: false }) as fc.Arbitrary<Json>;
/** Documents as tools print them: on one line, or on many. */
const documents = fc.tuple(anyJson, fc.constantFrom(undefined, 1, '\t')).map(([value, indent]) => JSON.stringify(value, null, indent));

describe('parseJson', () => {
  it('reads what JSON.parse reads', () => {
    fc.assert(
      fc.property(documents, (text) => {
        expect(parseJson(text)).toEqual(JSON.parse(text));
        expect(parseJson(`\ufeff \r\n${text}\n`)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('keeps __proto__ as a member', () => {
    expect(Object.keys(parseJson('{"__proto__": 1, "constructor": 2}') as object)).toEqual(['__proto__', 'constructor']);
  });

  it.each([
    ['', 1, 1, 'empty'],
    [' \n ', 2, 2, 'empty'],
    ['\ufeff', 1, 1, 'empty'],
    ['[1, 2', 1, 6, 'ends in the middle of a value'],
    ['{"a": "b', 1, 9, 'ends in the middle of a value'],
    ['{"a": "b\\', 1, 10, 'ends in the middle of a value'],
    ['{"a"', 1, 5, 'ends in the middle of a value'],
    ['nul', 1, 4, 'ends in the middle of a value'],
    ['-', 1, 2, 'ends in the middle of a value'],
    ['1.5e+', 1, 6, 'ends in the middle of a value'],
    ['{"a": 1}\n{"b": 2}', 2, 1, 'unexpected text'],
    ['[1, 2,]', 1, 7, 'unexpected text'],
    ['{"a": 1,}', 1, 9, 'unexpected text'],
    ['{,}', 1, 2, 'unexpected text'],
    ['[,]', 1, 2, 'unexpected text'],
    ['[1 2]', 1, 4, 'unexpected text'],
    ['{"a" 1}', 1, 6, 'unexpected text'],
    ['{a: 1}', 1, 2, 'unexpected text'],
    ["{'a': 1}", 1, 2, 'unexpected text'],
    ['{"a": 1]', 1, 8, 'unexpected text'],
    ['[1}', 1, 3, 'unexpected text'],
    [']', 1, 1, 'unexpected text'],
    ['{"a": 1}}', 1, 9, 'unexpected text'],
    ['[\n  01\n]', 2, 4, 'unexpected text'],
    ['[+1]', 1, 2, 'unexpected text'],
    ['[.5]', 1, 2, 'unexpected text'],
    ['[1.]', 1, 4, 'unexpected text'],
    ['[1e]', 1, 4, 'unexpected text'],
    ['[-]', 1, 3, 'unexpected text'],
    ['[NaN]', 1, 2, 'unexpected text'],
    ['[truth]', 1, 5, 'unexpected text'],
    ['["a\nb"]', 1, 4, 'unexpected text'],
    ['["a\tb"]', 1, 4, 'unexpected text'],
    ['["a\u001fb"]', 1, 4, 'unexpected text'],
    ['["\\x41"]', 1, 4, 'unexpected text'],
    ['["\\u12g4"]', 1, 7, 'unexpected text'],
    ['[1] // ok', 1, 5, 'unexpected text'],
    ['\ufeff[}', 1, 2, 'unexpected text'],
    ['[\u00a01]', 1, 2, 'unexpected text'],
    ['<html>', 1, 1, 'unexpected text'],
    ['curl: (7) Failed to connect', 1, 1, 'unexpected text'],
  ])('says where %j goes wrong', (text, line, column, reason) => {
    expect(problemOf(text)).toMatchObject({ name: 'JsonSyntaxError', line, column, message: `${reason}; expected JSON` });
  });

  // U+0001 may stand nowhere in JSON, raw in a string neither.
  it('finds a corruption at its very place', () => {
    fc.assert(
      fc.property(documents, fc.nat(), fc.boolean(), (text, n, replace) => {
        const at = n % (text.length + 1);
        const broken = `${text.slice(0, at)}\u0001${text.slice(replace ? at + 1 : at)}`;
        expect(problemOf(broken)).toMatchObject(placeOf(broken, at));
      }),
      { numRuns: 1000 },
    );
  });

  it('finds where a document was cut off', () => {
    const objects = fc
      .tuple(fc.dictionary(fc.string(), anyJson), fc.constantFrom(undefined, 2))
      .map(([value, indent]) => JSON.stringify(value, null, indent));
    fc.assert(
      fc.property(objects, fc.nat(), (text, n) => {
        const cut = text.slice(0, 1 + (n % (text.length - 1)));
        expect(problemOf(cut)).toMatchObject({ ...placeOf(cut, cut.length), message: 'ends in the middle of a value; expected JSON' });
      }),
      { numRuns: 500 },
    );
  });

  it('names the first character after which no document can go on', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...Array.from('[]{},:"\\u0019-+.eEtruefalsn \n')), maxLength: 12 }), (text) => {
        fc.pre(!isJson(text));
        const { line, column, message } = problemOf(text);
        const offset =
          text
            .split('\n')
            .slice(0, line - 1)
            .join('\n').length +
          (line > 1 ? 1 : 0) +
          column -
          1;
        const before = text.slice(0, offset);
        expect(isJson(before) || problemOf(before).message !== 'unexpected text; expected JSON').toBe(true);
        expect(message === 'unexpected text; expected JSON').toBe(offset < text.length);
      }),
      { numRuns: 2000 },
    );
  });

  it('is not undone by huge broken documents', () => {
    const size = 5_000_000;
    expect(problemOf(`"${'a'.repeat(size)}`)).toMatchObject({ line: 1, column: size + 2 });
    expect(problemOf(`["${'\\n'.repeat(200_000)}`)).toMatchObject({ line: 1, column: 400_003 });
    expect(problemOf('['.repeat(200_000))).toMatchObject({ line: 1, column: 200_001 });
    expect(problemOf('{"a":'.repeat(200_000))).toMatchObject({ line: 1, column: 1_000_001 });
    expect(problemOf(`${' '.repeat(200_000)}x`)).toMatchObject({ line: 1, column: 200_001, message: 'unexpected text; expected JSON' });
    expect(problemOf(`${'\n'.repeat(200_000)}x`)).toMatchObject({ line: 200_001, column: 1 });
    expect(problemOf(`${'9'.repeat(200_000)}x`)).toMatchObject({ line: 1, column: 200_001 });
  }, 60_000);

  it('refuses a depth at which whoever walks the value would run out of stack', () => {
    const nested = (levels: number): string => `${'[{"a":'.repeat(levels / 2)}"[[{\\"[{\\\\"${'}]'.repeat(levels / 2)}`;
    expect(canonicalJson(parseJson(nested(MAX_JSON_DEPTH)))).toBe(nested(MAX_JSON_DEPTH));
    expect(problemOf(`\n${nested(MAX_JSON_DEPTH + 2)}`)).toMatchObject({
      line: 2,
      column: (MAX_JSON_DEPTH / 2) * 6 + 1,
      message: `nested more than ${MAX_JSON_DEPTH} levels deep`,
    });
    expect(problemOf('['.repeat(100_000) + ']'.repeat(100_000))).toMatchObject({ line: 1, column: MAX_JSON_DEPTH + 1 });
    // Many brackets side by side are no depth.
    expect(parseJson(`[${'[],'.repeat(1000)}[]]`)).toHaveLength(1001);
  });
});

/** The same, word for word as it is defined. */
function slowly(value: unknown): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(slowly).join(',')}]`;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${slowly(member)}`).join(',')}}`;
}

describe('canonicalJson', () => {
  it('is JSON of the same value, whatever the order of members', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), anyJson), (value) => {
        const reversed = Object.fromEntries(Object.entries(value).toReversed());
        expect(canonicalJson(reversed)).toBe(canonicalJson(value));
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('orders by code unit, writes no white space and leaves out undefined', () => {
    expect(canonicalJson({ b: [1, { z: null, y: 'é' }], a: undefined, B: true, '10': -0, '9': 1e21 })).toBe(
      '{"10":0,"9":1e+21,"B":true,"b":[1,{"y":"é","z":null}]}',
    );
    expect(canonicalJson([undefined])).toBe('[null]');
  });

  it('has the members of every object in order, also those whose order is not ours to give', () => {
    const keys = fc.oneof(fc.string(), fc.constantFrom('__proto__', '10', '9', '01', 'a', 'Z'));
    const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom(null, 1, 'text', true),
        fc.array(tie('tree'), { maxLength: 4 }),
        fc.dictionary(keys, tie('tree'), { maxKeys: 5 }),
      ),
    }));
    fc.assert(
      fc.property(tree, (value) => {
        expect(canonicalJson(value)).toBe(slowly(value));
      }),
    );
  });

  it('writes what UTF-8 cannot hold as an escape', () => {
    expect(canonicalJson(['\ud800', '\\ud800'])).toBe('["\\ud800","\\\\ud800"]');
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY])('refuses %d', (n) => {
    expect(() => canonicalJson({ a: [n] })).toThrow('no JSON');
    expect(() => canonicalJson({ 7: [n] })).toThrow('no JSON');
  });
});

describe('atPointer', () => {
  const document = { a: { 'b/c': [10, { '~1': 'deep', '': 0 }] }, '': null };

  it.each([
    ['', document],
    ['/a/b~1c/0', 10],
    ['/a/b~1c/1/~01', 'deep'],
    ['/a/b~1c/1/', 0],
    ['/', null],
    ['/a/b~1c/2', undefined],
    ['/a/b~1c/length', undefined],
    ['/a/toString', undefined],
    ['/__proto__', undefined],
    ['/a/b~1c/0/x', undefined],
    ['a', undefined],
    ['//x', undefined],
  ])('%j', (pointer, value) => expect(atPointer(document, pointer)).toEqual(value));

  it('finds every member by its segments', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: fc.constantFrom('~', '/', '0', '1', 'a', '') }), { maxLength: 5 }), anyJson, (keys, value) => {
        const holder = keys.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
        expect(atPointer(holder, keys.map((key) => `/${pointerSegment(key)}`).join(''))).toBe(value);
      }),
    );
  });
});
