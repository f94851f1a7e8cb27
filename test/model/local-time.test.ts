import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromLocal } from '../../lib/model/local-time.ts';

const read = (text: string, zone: string): string => new Date(fromLocal(Date.parse(`${text}Z`), zone)).toISOString().slice(0, 19);

describe('a local time without a zone', () => {
  it.each([
    ['2026-11-30T08:45:00', 'America/Denver', '2026-11-30T15:45:00'],
    ['2026-07-01T08:45:00', 'America/Denver', '2026-07-01T14:45:00'],
    ['2026-11-30T08:45:00', 'Asia/Kathmandu', '2026-11-30T03:00:00'],
    ['2026-11-30T08:45:00', 'UTC', '2026-11-30T08:45:00'],
    // A zone that this platform does not know is read as UTC.
    ['2026-11-30T08:45:00', 'Mars/Olympus', '2026-11-30T08:45:00'],
    // Twice: the earlier one. Never: with the offset before the jump.
    ['2026-11-01T01:30:00', 'America/Denver', '2026-11-01T07:30:00'],
    ['2026-03-08T02:30:00', 'America/Denver', '2026-03-08T09:30:00'],
    ['2026-10-25T02:30:00', 'Europe/Berlin', '2026-10-25T00:30:00'],
    ['2026-03-29T02:30:00', 'Europe/Berlin', '2026-03-29T01:30:00'],
    // The hours beside a jump are ordinary.
    ['2026-11-01T02:00:00', 'America/Denver', '2026-11-01T09:00:00'],
    ['2026-03-08T01:59:59', 'America/Denver', '2026-03-08T08:59:59'],
    ['2026-03-08T03:00:00', 'America/Denver', '2026-03-08T09:00:00'],
  ])('%s of %s is %s', (text, zone, instant) => {
    expect(read(text, zone)).toBe(instant);
  });

  it('is an instant at which the clocks of that zone show it, where there is one', () => {
    const zones = ['America/Denver', 'Europe/Berlin', 'Australia/Lord_Howe', 'Asia/Kolkata', 'Pacific/Apia'];
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.date({ min: new Date('2015-01-01'), max: new Date('2035-01-01'), noInvalidDate: true }),
        (zone, date) => {
          const second = Math.floor(date.getTime() / 1000) * 1000;
          const shown = new Date(second).toLocaleString('sv-SE', { timeZone: zone });
          const instant = fromLocal(Date.parse(`${shown.replace(' ', 'T')}Z`), zone);
          expect(new Date(instant).toLocaleString('sv-SE', { timeZone: zone })).toBe(shown);
          expect(instant).toBeLessThanOrEqual(second);
        },
      ),
    );
  });
});
