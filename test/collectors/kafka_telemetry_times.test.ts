import { describe, expect, it } from 'vitest';
import type { Collected } from '../../lib/model/collector.ts';
import { collect, flat, inputOf, NOW, readingsOf } from './telemetry-inputs.ts';

const T0 = Date.parse('2026-05-01T00:00:00Z');

const sensor = (location: string, time = T0): string => flat(location, 'Temperature', 50, time);

function only(collected: Collected<unknown>) {
  return readingsOf(collected).get('node:x1000c0s0b0n0');
}

describe('samples without a time of their own', () => {
  const untimed = 'power_watts{xname="x1000c0s0b0n0"} 300\n';

  it('have the time of their input', async () => {
    const collected = await collect([inputOf('a.prom', untimed, { mtime: '2026-11-30T08:44:00.000Z' })]);
    expect(only(collected)?.[0]?.at).toBe('2026-11-30T08:44:00.000Z');
    expect(collected.asOf).toBe(Date.parse('2026-11-30T08:44:00Z'));
    expect(collected.summary['notes']).toEqual({ time_from_input: 1 });
  });

  it('are no newer than the dated samples that they were captured with', async () => {
    const timed = [sensor('x1000c0s7b0n0'), sensor('x1000c0s6b0n0')].join('\n');
    const collected = await collect([inputOf('a.prom', untimed, { mtime: '2026-11-30T08:44:00.000Z' }), inputOf('b', timed)]);
    expect(collected.summary).toMatchObject({ samples: 3, excluded: {} });
    expect(collected.asOf).toBe(T0);
  });

  it('count once each, however often they came', async () => {
    const timed = inputOf('b', [sensor('x1000c0s7b0n0'), sensor('x1000c0s6b0n0')].join('\n'));
    const often = inputOf('a.prom', untimed.repeat(9), { mtime: '2026-11-30T08:44:00.000Z' });
    expect((await collect([often, timed])).asOf).toBe(T0);
  });

  it('set the time where they are the many', async () => {
    const many = Array.from({ length: 5 }, (_, i) => `power_watts{xname="x1000c0s${i}b0n0"} 300\n`).join('');
    const collected = await collect([inputOf('a.prom', `${many}last_backup 1 ${T0}\n`, { mtime: '2026-11-30T08:44:00.000Z' })]);
    expect(collected.asOf).toBe(Date.parse('2026-11-30T08:44:00Z'));
    expect(collected.summary).toMatchObject({ samples: 5, excluded: { late: 1 } });
  });
});

it('reads nothing later than the clock allows', async () => {
  const { summary } = await collect([sensor('x1000c0s0b0n0', NOW + 299_000), sensor('x1000c0s0b0n0', NOW + 301_000)]);
  expect(summary).toMatchObject({ samples: 1, excluded: { future: 1 } });
});
