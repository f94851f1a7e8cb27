import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deriveConditions } from '../../lib/findings/derive.ts';
import type { Series } from '../../lib/findings/forecast.ts';
import { fitLine, type Point } from '../../lib/findings/trend.ts';
import type { JsonObject } from '../../lib/model/json.ts';
import { DAY, HOUR, NOON, snapshot, view } from './build.ts';

const TIB = 2 ** 40;
const weka = (at = NOON) => view(snapshot({ source: 'weka_state', at, observed: { cluster: 'test', filesystem: 'all' } }));
const series = (name: string, told: readonly Point[]): Series => ({ source: 'weka_state', name, points: told });

/** A point every six hours of the last days. */
function points(days: number, valueAt: (day: number) => number): Point[] {
  return Array.from({ length: days * 4 + 1 }, (_, i) => ({ at: NOON - days * DAY + i * 6 * HOUR, value: valueAt(i / 4) }));
}

function forecast(
  used: readonly Point[],
  total: readonly Point[] | number,
  { name = 'scratch', rule, at = NOON }: { name?: string; rule?: JsonObject; at?: number } = {},
) {
  const prefix = name === '' ? '' : `fs/${encodeURIComponent(name)}/`;
  const totals = typeof total === 'number' ? used.map((p) => ({ at: p.at, value: total })) : total;
  return deriveConditions({
    cluster: 'test',
    now: NOON,
    sources: [weka(at)],
    groundTruth: null,
    mistakes: [],
    series: [series(`${prefix}used_bytes`, used), series(`${prefix}total_bytes`, totals)],
    ...(rule && { rules: { capacity_forecast: rule } }),
  });
}

describe('a line through points', () => {
  it('is the one of least squares, with the error of its slope', () => {
    expect(
      fitLine([
        { at: 0, value: 1 },
        { at: 1, value: 3 },
        { at: 2, value: 5 },
      ]),
    ).toEqual({ slope: 2, error: 0, last: 5 });
    const line = fitLine([
      { at: 0, value: 0 },
      { at: 1, value: 2 },
      { at: 2, value: 1 },
      { at: 3, value: 3 },
    ]);
    expect(line?.slope).toBeCloseTo(0.8, 12);
    expect(line?.error).toBeCloseTo(Math.sqrt(1.8 / 2 / 5), 12);
    expect(
      fitLine([
        { at: 5, value: 1 },
        { at: 5, value: 2 },
        { at: 5, value: 3 },
      ]),
    ).toBeNull();
    expect(
      fitLine([
        { at: 0, value: 1 },
        { at: 1, value: 3 },
      ]),
    ).toBeNull();
  });

  it('has the same slope wherever time begins', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 3, maxLength: 20 }), fc.nat(1e12), (values, shift) => {
        const at = (from: number): Point[] => values.map((value, i) => ({ at: from + i * 1000, value }));
        expect(fitLine(at(shift))?.slope).toBeCloseTo(fitLine(at(0))?.slope as number, 12);
      }),
    );
  });
});

describe('a capacity forecast', () => {
  it('names the day on which a file system is full, with its error band', () => {
    const [condition] = forecast(
      points(10, (d) => (60 + 2 * d) * TIB),
      100 * TIB,
    ).conditions;
    expect(condition).toMatchObject({
      kind: 'capacity_forecast',
      subject: { type: 'filesystem', id: 'scratch' },
      values: { days: 10, days_soonest: 10, days_latest: 10, bytes_per_day: 2 * TIB, used_share: 0.8, limit_days: 14 },
    });
    expect(condition?.message).toBe(
      'file system scratch will be full in 10 days (10 to 10 days), about 2026-12-10: it is 80 % full and grows by 2 TiB a day (limit 14d)',
    );
  });

  it('says how fast a small file system grows, and bears a rule that looks beyond all dates', () => {
    const little = points(10, (d) => 0.5 * TIB + d * 20 * 2 ** 30);
    expect(forecast(little, TIB, { rule: { warning_days: 1e12 } }).conditions[0]?.message).toMatch(
      /grows by 20 GiB a day \(limit 3650d\)$/,
    );
    const hardly = points(10, (d) => d);
    expect(forecast(hardly, 100 * TIB, { rule: { warning_days: 1e300 } }).conditions).toEqual([]);
  });

  it('has a wider band the more the points scatter', () => {
    const scattered = points(10, (d) => (60 + 2 * d + (Math.round(d * 4) % 2)) * TIB);
    const values = forecast(scattered, 100 * TIB).conditions[0]?.values as Record<string, number>;
    expect(values['days_soonest']).toBeLessThan(values['days'] as number);
    expect(values['days_latest']).toBeGreaterThan(values['days'] as number);
  });

  it('is critical when two days are left, or as the site says', () => {
    const soon = points(10, (d) => (76 + 2 * d) * TIB);
    expect(forecast(soon, 100 * TIB).conditions[0]?.severity).toBe('critical');
    expect(forecast(soon, 100 * TIB, { rule: { critical_days: 1 } }).conditions[0]?.severity).toBeUndefined();
    expect(forecast(soon, 100 * TIB, { rule: { warning_days: 1 } }).conditions).toEqual([]);
  });

  it('is none for what does not grow, or no more than it scatters', () => {
    for (const at of [() => 90, (d: number) => 90 - d, (d: number) => 90 + (Math.round(d * 4) % 2)]) {
      const made = forecast(
        points(10, (d) => at(d) * TIB),
        100 * TIB,
      );
      expect(made.conditions).toEqual([]);
      expect(made.coverage.observed).toMatchObject({ 'capacity_forecast:filesystem': 'all' });
    }
  });

  it('starts anew after a purge and after the capacity changed', () => {
    const purged = points(10, (d) => (d < 5 ? 60 + 7 * d : 50 + 2 * (d - 5)) * TIB);
    expect(forecast(purged, 100 * TIB, { rule: { warning_days: 100 } }).conditions[0]?.values).toMatchObject({
      bytes_per_day: 2 * TIB,
      days: 20,
    });
    const used = points(10, (d) => (d < 5 ? 50 : 60 + 2 * d) * TIB);
    const grown = points(10, (d) => (d < 5 ? 60 : 100) * TIB);
    expect(forecast(used, grown).conditions[0]?.values).toMatchObject({ bytes_per_day: 2 * TIB, days: 10 });
  });

  it('is not made of less than a day, nor while the storage is not seen', () => {
    const short = forecast(
      points(1, (d) => (90 + d) * TIB),
      100 * TIB,
    );
    expect(short.conditions).toEqual([]);
    expect(short.summary['unjudged']).toMatchObject({ capacity_forecast: 'there is not yet a day of steady numbers of weka_state' });
    const blind = forecast(
      points(10, (d) => (60 + 2 * d) * TIB),
      100 * TIB,
      { at: NOON - HOUR },
    );
    expect(blind.conditions).toEqual([]);
    expect(blind.summary['unjudged']).toMatchObject({ capacity_forecast: 'weka_state is 1h old' });
  });

  it('speaks of the cluster as a whole, and of names of any kind', () => {
    const used = points(10, (d) => (60 + 2 * d) * TIB);
    expect(forecast(used, 100 * TIB, { name: '' }).conditions[0]?.subject).toEqual({ type: 'cluster', id: 'test' });
    for (const name of ['a/b', '__proto__', 'ü %41', 'used_bytes'])
      expect(forecast(used, 100 * TIB, { name }).conditions[0]?.subject.id).toBe(name);
  });
});
