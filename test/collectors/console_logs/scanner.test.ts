import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { cleanTexts, copyWithoutColours } from '../../../lib/collectors/console_logs/normalise.ts';
import { LiteralScanner } from '../../../lib/collectors/console_logs/scanner.ts';

const LITERALS = [
  'Kernel panic',
  'panic - not',
  ' BUG: ',
  '\nBUG: ',
  'aaaaaa',
  'aaaaab',
  'BUG: unable',
  'ab ab ab',
  'syncing',
  'ot syncing',
];
const scanner = new LiteralScanner(LITERALS);
const texts = fc
  .array(fc.constantFrom(...LITERALS, 'a', 'b', ' ', '\n', 'BUG', 'Kernel pani', 'x'.repeat(40), ': ', 'syn'), { maxLength: 60 })
  .map((parts) => parts.join(''));
const bytesOf = (text: string) => Uint8Array.from(text, (c) => c.charCodeAt(0));

test('every literal that stands in a text is found, and no other', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const found = new Set(scanner.all(bytesOf(text), 0, text.length));
      expect(LITERALS.filter((_, i) => found.has(i))).toEqual(LITERALS.filter((l) => text.includes(l)));
    }),
    { numRuns: 500 },
  );
});

test('the places found cover every line that holds a literal, in the order of lines, also when searched in two halves', () => {
  fc.assert(
    fc.property(fc.array(texts, { minLength: 1, maxLength: 80 }), (lines) => {
      // Repeated, the text is long enough to be searched in two places at once.
      const text = `${'filler line without any\n'.repeat(200)}${lines.map((l) => l.replaceAll('\n', '')).join('\n')}\n`;
      const lineOf = (at: number) => text.slice(0, at).split('\n').length - 1;
      const found = scanner.positions(bytesOf(text), 0, text.length).map((at) => lineOf(text[at] === '\n' ? at + 1 : at));
      const wanted = text.split('\n').flatMap((line, i) => (LITERALS.some((l) => `\n${line}`.includes(l)) ? [i] : []));
      expect([...new Set(found)]).toEqual(wanted);
      expect(found).toEqual(found.toSorted((a, b) => a - b));
    }),
    { numRuns: 200 },
  );
});

test('a literal at the very end is found, one cut short is not', () => {
  const bytes = bytesOf('xx Kernel panic');
  expect(scanner.all(bytes, 0, bytes.length)).toEqual([0]);
  expect(scanner.all(bytes, 0, bytes.length - 1)).toEqual([]);
  expect(scanner.all(bytes, 4, bytes.length)).toEqual([]);
});

test('literals that are too short to be searched for are refused', () => {
  expect(() => new LiteralScanner(['BUG:'])).toThrow(RangeError);
});

test('a copy without colours is the clean text, wherever it is made at all', () => {
  const parts = fc.array(
    fc.constantFrom(
      '\u001b[0;1;31m',
      '\u001b[0m',
      '\u001b[K',
      '\u001b[2J',
      '\u001b[1;',
      '\u001b',
      '^[[0m',
      '^',
      '[0m',
      'text',
      ' ',
      '\t',
      '\r',
      '\0',
      '\b',
      'm',
      'é',
    ),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(parts, (pieces) => {
      const bytes = new TextEncoder().encode(pieces.join(''));
      const copy = new Uint8Array(bytes.length + 1);
      const n = copyWithoutColours(bytes, 0, bytes.length, copy);
      if (n < 0) return;
      const text = new TextDecoder().decode(copy.subarray(1, n));
      expect(text.trim() === '' ? [] : [text]).toEqual(cleanTexts(bytes, 0, bytes.length));
    }),
    { numRuns: 2000 },
  );
});
