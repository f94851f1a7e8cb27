import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Duration, formatDuration, fromTimeId, IsoTime, parseDuration, TimeId, toIso, toTimeId } from '../../lib/model/time.ts';

const AT = Date.UTC(2026, 10, 30, 8, 45, 0, 123);
const moment = fc.integer({ min: Date.UTC(1970, 0), max: Date.UTC(9999, 11, 31, 23, 59, 59, 999) });

describe('times and their ids', () => {
  it('write UTC with milliseconds', () => {
    expect(toIso(AT)).toBe('2026-11-30T08:45:00.123Z');
    expect(toTimeId(AT)).toBe('20261130t084500.123z');
    expect(fromTimeId('20261130t084500.123z')).toBe(AT);
  });

  it('are what their schemas take, and lead back', () => {
    fc.assert(
      fc.property(moment, (ms) => {
        expect(IsoTime.parse(toIso(ms))).toBe(toIso(ms));
        expect(fromTimeId(TimeId.parse(toTimeId(ms)))).toBe(ms);
      }),
    );
  });

  it('ids sort as text in the order of time', () => {
    fc.assert(
      fc.property(moment, moment, (a, b) => {
        expect(toTimeId(a) < toTimeId(b)).toBe(a < b);
      }),
    );
  });

  it.each([
    '',
    'latest',
    '20261130T084500.123Z',
    '20261130t084500z',
    '2026-11-30T08:45:00.123Z',
    '20261130t084500.123z ',
    '../20261130t084500.123z',
    '20260230t084500.123z',
    '20261301t000000.000z',
    '20261130t240000.000z',
    '20261130t086000.000z',
  ])('%j is no id', (text) => expect(fromTimeId(text)).toBeNaN());
});

describe('durations', () => {
  it.each([
    ['90s', 90_000],
    ['15m', 900_000],
    ['24h', 86_400_000],
    ['7d', 604_800_000],
    ['0s', 0],
  ])('%s', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
    expect(Duration.parse(text)).toBe(ms);
  });

  it.each(['', '15', 'm', '15 m', '-1m', '1.5h', '15M', '1h30m', '1w', '1234567s', '١٥m'])('%j is none', (text) => {
    expect(Duration.safeParse(text).success).toBe(false);
  });

  it.each(['', '15', '1w', '-1m'])('%j gives NaN', (text) => expect(parseDuration(text)).toBeNaN());

  it.each([
    [0, '0s'],
    [-5000, '0s'],
    [499, '0s'],
    [8000, '8s'],
    [59_999, '1m'],
    [61_000, '1m 1s'],
    [14 * 60_000, '14m'],
    [3_600_000 + 5000, '1h'],
    [26 * 3_600_000 + 5 * 60_000, '1d 2h'],
    [76 * 3_600_000, '3d 4h'],
    [400 * 86_400_000, '400d'],
  ])('%d ms are %s', (ms, text) => expect(formatDuration(ms)).toBe(text));
});
