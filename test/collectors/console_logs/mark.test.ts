import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { markTime } from '../../../lib/collectors/console_logs/mark.ts';
import { CONSERVER_TAG, ctimeOf } from '../../../lib/collectors/console_logs/prefix.ts';

const ZONE = 'America/Denver';
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const WEEKDAY = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTH = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** What the expression says of a line that is nothing but a mark. */
function byExpression(line: string): number | undefined {
  const tag = CONSERVER_TAG.exec(line);
  return tag && tag[0] === line && tag[1] === 'MARK' ? ctimeOf(tag, 2, ZONE) : undefined;
}

function markAt(date: Date): string {
  const day = String(date.getUTCDate()).padStart(2, ' ');
  const clock = date.toISOString().slice(11, 19);
  return `[-- MARK -- ${WEEKDAY[date.getUTCDay()]} ${MONTH[date.getUTCMonth()]} ${day} ${clock} ${String(date.getUTCFullYear()).padStart(4, '0')}]`;
}

const marks = fc.date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true }).map(markAt);

describe('a mark of conserver', () => {
  it('is dated in the zone of the site', () => {
    const line = '[-- MARK -- Mon Nov 30 01:45:00 2026]';
    expect(markTime(encode(line), 0, line.length, ZONE)).toBe(Date.UTC(2026, 10, 30, 8, 45));
  });

  it('may have carriage returns at its end, and stand anywhere in what is read', () => {
    const line = 'x\n[-- MARK -- Mon Nov  2 01:45:00 2026]\r\r';
    expect(markTime(encode(line), 2, line.length, ZONE)).toBe(Date.UTC(2026, 10, 2, 8, 45));
  });

  it('is read as the expression for all lines of conserver reads it', () => {
    fc.assert(
      fc.property(marks, (line) => {
        expect(markTime(encode(line), 0, line.length, ZONE)).toBe(byExpression(line));
      }),
    );
  });

  it('is nothing else: a line that differs in one place is one only where the expression says so', () => {
    fc.assert(
      fc.property(marks, fc.nat({ max: 36 }), fc.constantFrom(...' 0:9]-[MJanx'.split('')), (line, at, byte) => {
        const other = line.slice(0, at) + byte + line.slice(at + 1);
        expect(markTime(encode(other), 0, other.length, ZONE)).toBe(byExpression(other));
      }),
    );
  });

  it('is none where text stands before or behind it', () => {
    const mark = '[-- MARK -- Mon Nov 30 01:45:00 2026]';
    for (const line of [`x${mark}`, `${mark}x`, mark.slice(1), `${mark} `])
      expect(markTime(encode(line), 0, line.length, ZONE), line).toBeUndefined();
  });
});
