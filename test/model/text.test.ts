import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanName, compareNames, hasUnsafe, MAX_NAME_BYTES, oneLine, sortedByName } from '../../lib/model/text.ts';

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom(
      'a',
      ' ',
      '\n',
      '\r',
      '\t',
      '\u001b',
      '\u0085',
      '\u2028',
      '\u202e',
      '\u200b',
      '\ufe0f',
      '\ud83d',
      '\u{1f600}',
      '\u{e0041}',
      'é',
    ),
  }),
);

describe('oneLine', () => {
  it.each([
    ['plain text, ümläuts and 日本', 'plain text, ümläuts and 日本'],
    ['  a\tb  ', 'a b'],
    ['one\ntwo\r\nthree', 'one\\ntwo\\r\\nthree'],
    ['\u001b[31mred\u0007', '\\x1b[31mred\\x07'],
    ['a\u0000b\u007fc\u0085d', 'a\\x00b\\x7fc\\x85d'],
    ['abc\u202ecba', 'abc\\u{202e}cba'],
    ['a\u200bb\ufeffc\u2028d\u00ade', 'a\\u{200b}b\\u{feff}c\\u{2028}d\\xade'],
    ['a\u3164b\ufe0fc\u034fd\u{e0041}e', 'a\\u{3164}b\\u{fe0f}c\\u{34f}d\\u{e0041}e'],
    ['\ud800x', '\\u{d800}x'],
    ['\u{1f600}', '\u{1f600}'],
    ['', ''],
  ])('%j', (text, line) => expect(oneLine(text)).toBe(line));

  it('cuts a long text and says how much is missing', () => {
    expect(oneLine('x'.repeat(401))).toBe(`${'x'.repeat(400)}…(+1)`);
    expect(oneLine('x'.repeat(400))).toBe('x'.repeat(400));
    expect(oneLine('abcdef', 4)).toBe('abcd…(+2)');
    expect(oneLine(`abc\u{1f600}`, 4)).toBe('abc\\u{d83d}…(+1)');
  });

  it('is one bounded line of visible characters, whatever the text', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 30 }), (text, max) => {
        const line = oneLine(text, max);
        expect(hasUnsafe(line)).toBe(false);
        expect(line).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/u);
        expect(line).toBe(line.trim());
        expect(line.length).toBeLessThanOrEqual(max * '\\u{200b}'.length + `…(+${text.length})`.length);
        expect(line.endsWith(`…(+${text.length - max})`)).toBe(text.length > max);
      }),
      { numRuns: 500 },
    );
  });

  it('leaves a line of its own as it is', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(oneLine(oneLine(text))).toBe(oneLine(text));
      }),
    );
  });

  it('costs no more for a huge text than for its beginning', () => {
    expect(oneLine('\n'.repeat(20_000_000), 3)).toBe('\\n\\n\\n…(+19999997)');
  });
});

describe('cleanName', () => {
  it.each([
    ['x1000c0s0b0n0', 'x1000c0s0b0n0'],
    ['  Encl1, bay 3 ', 'Encl1, bay 3'],
    ['cafe\u0301', 'café'],
    ['__proto__', '__proto__'],
    ['..', '..'],
    ['é'.repeat(126), 'é'.repeat(126)],
    ['ᾂ'.repeat(84).normalize('NFD'), 'ᾂ'.repeat(84)],
  ])('%j', (raw, name) => expect(cleanName(raw)).toBe(name));

  it.each([
    undefined,
    null,
    1,
    ['n'],
    '',
    ' \n',
    'a\nb',
    'a\u001bb',
    'a\u200b',
    '\u3164',
    '\ud800',
    'n'.repeat(254),
    'é'.repeat(127),
    'n'.repeat(10_000_000),
  ])('refuses %#', (raw) => expect(cleanName(raw)).toBeNull());

  it('is null, or a name that stays what it is', () => {
    fc.assert(
      fc.property(anyText, (raw) => {
        const name = cleanName(raw);
        fc.pre(name !== null);
        expect(cleanName(name)).toBe(name);
        expect(cleanName(name.normalize('NFD'))).toBe(name);
        expect(hasUnsafe(name)).toBe(false);
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(MAX_NAME_BYTES);
      }),
    );
  });
});

/** The rule itself, in few words: piece by piece, numbers by their size; ties by code unit. */
function byRule(a: string, b: string): number {
  const [as, bs] = [a.match(/\d+|\D+/g) ?? [], b.match(/\d+|\D+/g) ?? []];
  for (const [i, x] of as.entries()) {
    const y = bs[i];
    if (y === undefined) return 1;
    if (x === y) continue;
    const numbers = /^\d/.test(x) && /^\d/.test(y);
    if (numbers && BigInt(x) !== BigInt(y)) return BigInt(x) < BigInt(y) ? -1 : 1;
    if (!numbers) return x < y ? -1 : 1;
  }
  return as.length < bs.length ? -1 : a < b ? -1 : a > b ? 1 : 0;
}

describe('compareNames', () => {
  const name = fc.oneof(
    fc.string({ unit: fc.constantFrom('n', 'x', '-', '.', '0', '1', '9', '١', 'é', '~'), maxLength: 8 }),
    fc.string({ unit: 'binary', maxLength: 6 }),
    fc.tuple(fc.constantFrom('', 'n'), fc.bigInt({ min: 0n, max: 10n ** 40n })).map(([text, n]) => text + n),
  );

  it('orders names as people do', () => {
    const ordered = [
      '',
      '1',
      '2',
      '10',
      'N1',
      'n',
      'n-1',
      'n1',
      'n01',
      'n1-ib',
      'n2',
      'n02',
      'n10',
      'n10a',
      'n100',
      'na1',
      'x9c10',
      'x10c2',
      'x10c10',
      'é1',
    ];
    const position = new Map(ordered.map((one, i) => [one, i]));
    expect(
      ordered
        .toReversed()
        .sort(compareNames)
        .map((one) => position.get(one)),
    ).not.toContain(undefined);
    expect(ordered.toReversed().sort(compareNames)).toEqual(ordered.toSorted(byRule));
    expect(['n10', 'n9', 'n1'].sort(compareNames)).toEqual(['n1', 'n9', 'n10']);
    expect(['n01', 'n1', 'n001'].sort(compareNames)).toEqual(['n001', 'n01', 'n1']);
    expect(['na1', 'n1'].sort(compareNames)).toEqual(['n1', 'na1']);
    expect(['x1000c0s10b0', 'x1000c0s9b1', 'x999c9s9b9'].sort(compareNames)).toEqual(['x999c9s9b9', 'x1000c0s9b1', 'x1000c0s10b0']);
    expect([`n1${'0'.repeat(40)}`, `n${'9'.repeat(40)}`].sort(compareNames)).toEqual([`n${'9'.repeat(40)}`, `n1${'0'.repeat(40)}`]);
  });

  it('follows its rule', () => {
    fc.assert(
      fc.property(name, name, (a, b) => {
        expect(Math.sign(compareNames(a, b))).toBe(byRule(a, b));
      }),
      { numRuns: 2000 },
    );
  });

  it('is the order of long lists too', () => {
    fc.assert(
      fc.property(fc.array(name, { maxLength: 12 }), (names) => {
        expect(sortedByName(names, (one) => one)).toEqual([...names].sort(compareNames));
      }),
      { numRuns: 500 },
    );
    expect(sortedByName(['n\0', 'n1', 'n', 'n\x001', 'n00'], (one) => one)).toEqual(['n', 'n00', 'n1', 'n\0', 'n\x001']);
  });

  it('is a total order', () => {
    fc.assert(
      fc.property(name, name, name, (a, b, c) => {
        expect(compareNames(a, a)).toBe(0);
        expect(compareNames(a, b) === 0).toBe(a === b);
        expect(Math.sign(compareNames(a, b)) + Math.sign(compareNames(b, a))).toBe(0);
        const [low, middle, high] = [a, b, c].sort(compareNames) as [string, string, string];
        expect([compareNames(low, middle), compareNames(middle, high), compareNames(low, high)].every((order) => order <= 0)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});
