import { describe, expect, it } from 'vitest';
import { Quantile } from '../../lib/collectors/kafka_telemetry/quantile.ts';
import { type LastWindow, windowOf } from '../../lib/collectors/kafka_telemetry/rollup.ts';
import { SampleStore } from '../../lib/collectors/kafka_telemetry/samples.ts';
import type { JsonObject } from '../../lib/model/json.ts';
import { ago, collect, flat, inputOf, NOW, readingsOf } from './telemetry-inputs.ts';

const NODE = 'x1000c0s0b0n0';

function groupOf(summary: JsonObject, metric: string): JsonObject | undefined {
  return (summary['groups'] as JsonObject[]).find((group) => group['metric'] === metric);
}

describe('the window', () => {
  const hour = 36e5;
  const last = (start: number, end: number, more: Partial<LastWindow> = {}): LastWindow => ({
    start,
    end,
    newest: end,
    gapFrom: null,
    ...more,
  });

  it('reaches back its length at first sight', () => {
    expect(windowOf(NOW, hour, undefined)).toEqual({ start: NOW - hour, end: NOW });
  });

  it('begins where the last one ended', () => {
    expect(windowOf(NOW, hour, last(NOW - 9e5, NOW - 3e5))).toEqual({ start: NOW - 3e5 + 1, end: NOW });
  });

  it('says what nothing covers', () => {
    const gap = { start: NOW - hour, end: NOW, gapFrom: NOW - 2 * hour };
    expect(windowOf(NOW, hour, last(NOW - 3 * hour, NOW - 2 * hour))).toEqual(gap);
    expect(windowOf(NOW, hour, last(NOW - hour, NOW, { gapFrom: NOW - 2 * hour }))).toEqual({ ...gap, again: 'same' });
  });

  it('is the same again where nothing is newer', () => {
    const same = { start: NOW - 6e5, end: NOW, again: 'same' };
    expect(windowOf(NOW, hour, last(NOW - 6e5, NOW))).toEqual(same);
    expect(windowOf(NOW, hour, last(NOW - 6e5, NOW - 6e4, { newest: NOW }))).toEqual(same);
  });

  it('goes back to an older capture', () => {
    const older = { start: NOW - 3 * hour, end: NOW - 2 * hour, again: 'older' };
    expect(windowOf(NOW - 2 * hour, hour, last(NOW - 6e5, NOW))).toEqual(older);
  });

  it('counts each sample before it once, as late or as covered by the last window', async () => {
    const sample = (seconds: number) => flat(NODE, 'Temperature', 50, ago(seconds));
    const first = await collect([sample(5000), sample(900), sample(600)], { now: NOW - 600_000 });
    expect(first.summary).toMatchObject({ samples: 2, excluded: { late: 1 } });
    const second = await collect([sample(5000), sample(900), sample(600), sample(300), sample(0)], { carry: first.carry });
    expect(second.summary).toMatchObject({
      samples: 2,
      excluded: { late: 1, covered: 2 },
      window: { from: new Date(NOW - 600_000 + 1).toISOString() },
    });
    expect(second.asOf).toBe(NOW);
  });

  it('takes in what a topic that lags behind brings after its end', async () => {
    const first = await collect([flat(NODE, 'Temperature', 50, ago(700)), flat(NODE, 'Power', 900, ago(600))], { now: NOW - 600_000 });
    const next = [
      flat(NODE, 'Temperature', 50, ago(700)),
      flat(NODE, 'Temperature', 60, ago(640)),
      flat(NODE, 'Power', 900, ago(600)),
      flat(NODE, 'Power', 900, ago(0)),
    ];
    const second = await collect(next, { carry: first.carry });
    expect(second.summary).toMatchObject({ samples: 2, excluded: { covered: 2 } });
    expect(groupOf(second.summary, 'CPU')).toMatchObject({ last: 60, count: 1 });
  });

  it('tells of a gap between two runs', async () => {
    const first = await collect([flat(NODE, 'Temperature', 50, ago(9000))], { now: NOW - 9e6 });
    const { coverage, summary } = await collect([flat(NODE, 'Temperature', 50, ago(0))], { carry: first.carry });
    expect(summary['window']).toMatchObject({ gap: { from: ago(9000), to: ago(3600) } });
    expect(coverage.problems).toEqual([
      { effect: 'note', message: `nothing covers ${ago(9000)} to ${ago(3600)}: the last run was longer ago than window` },
    ]);
  });

  it('does not let a clock that was days ahead, and came back, hide anything', async () => {
    const hot = (time: number, value = 99) => flat('x1000c0s0b0n0', 'Temperature', value, time, { PhysicalContext: 'GPU' });
    const trip = (time: number, Severity: string) =>
      JSON.stringify({ Context: 'd0', Events: [{ EventTimestamp: new Date(time).toISOString(), Severity, MessageId: 'A.1.Trip' }] });
    const ahead = NOW + 3 * 864e5;
    const first = await collect([hot(ahead - 1000, 50), hot(ahead, 50), trip(ahead, 'Critical')], { now: ahead });
    expect(first.conditions).toMatchObject([{ kind: 'hardware_event' }]);
    const back = await collect([hot(NOW - 2000), hot(NOW - 1000), hot(NOW), trip(NOW, 'OK')], { carry: first.carry });
    expect(back.conditions).toMatchObject([{ kind: 'temperature_high', count: 3 }]);
    expect(back.cleared).toMatchObject([{ kind: 'hardware_event' }]);
    expect(back.coverage.problems).toEqual([
      { effect: 'note', message: expect.stringContaining('1 sensors were last heard of ahead of the clock') },
    ]);
    expect(readingsOf(back).get('node:x1000c0s0b0n0')).toMatchObject([{ last: 99 }]);
    const later = await collect([flat('x1000c0s1b0n0', 'Current', 1, NOW + 3e6)], { carry: back.carry, now: NOW + 3e6 });
    expect(later.conditions.map(({ kind }) => kind)).toContain('temperature_high');
    expect(later.summary['silent_sensors']).toBe(1);
  });

  it('does not let a clock that is ahead hide the next samples', async () => {
    const first = await collect([flat(NODE, 'Temperature', 50, NOW + 200_000)]);
    const second = await collect([flat(NODE, 'Temperature', 51, NOW + 60_000)], { carry: first.carry, now: NOW + 90_000 });
    expect(second.summary['samples']).toBe(1);
  });
});

describe('statistics', () => {
  it('gives count, extremes, mean, p95 and times of a group, and who showed the most', async () => {
    const lines = Array.from({ length: 20 }, (_, i) => flat(`x1000c0s${i % 2}b0n0`, 'Temperature', 41 + i, ago(200 - 10 * i)));
    const { summary } = await collect(lines);
    expect(groupOf(summary, 'CPU')).toEqual({
      kind: 'temperature',
      metric: 'CPU',
      unit: '°C',
      series: 2,
      count: 20,
      min: 41,
      min_at: 'x1000c0s0b0n0',
      mean: 50.5,
      p95: 59,
      max: 60,
      max_at: 'x1000c0s1b0n0',
      last: 60,
      first_at: ago(200),
      last_at: ago(10),
    });
  });

  it('has sums that stay finite, and counts what is too great for that', async () => {
    const { summary } = await collect([1e308, 1e300, -1e300, -1e308].map((value, i) => `depth ${value} ${NOW - i * 1000}`));
    expect(summary).toMatchObject({ excluded: { implausible: 2 }, groups: [{ min: -1e300, mean: 0, max: 1e300 }] });
  });

  it('knows negative maxima', async () => {
    const { summary } = await collect([flat(NODE, 'Temperature', -20, ago(2)), flat(NODE, 'Temperature', -10, ago(1))]);
    expect(groupOf(summary, 'CPU')).toMatchObject({ min: -20, max: -10, mean: -15 });
  });

  it('keeps one of several samples of a time, the greatest, and counts the others', async () => {
    const collected = await collect([50, 52, 51, 52].map((value) => flat(NODE, 'Temperature', value, ago(5))));
    expect(readingsOf(collected).get(`node:${NODE}`)).toMatchObject([{ last: 52 }]);
    expect(collected.summary).toMatchObject({ samples: 1, excluded: { duplicate: 3 }, notes: { conflicting_duplicates: 2 } });
  });

  it('rolls up what counters grew by, over resets and from one window to the next', async () => {
    const energy = (value: number, seconds: number) => flat(NODE, 'Energy', value, ago(seconds));
    // Out of order: what counts is the time of each sample.
    const first = await collect([energy(150, 700), energy(100, 800), energy(20, 650), energy(60, 610)], { now: NOW - 600_000 });
    expect(first.summary['counters']).toEqual([{ kind: 'energy', metric: 'CPU', unit: 'J', series: 1, increase: 110, resets: 1 }]);
    const second = await collect([energy(90, 100), energy(95, 50)], { carry: first.carry });
    expect(second.summary['counters']).toMatchObject([{ increase: 35, resets: 0 }]);
  });

  it('adds up the deltas of OTLP', async () => {
    const sum = (value: number, seconds: number) =>
      JSON.stringify({
        resourceMetrics: [
          {
            scopeMetrics: [
              {
                metrics: [
                  {
                    name: 'retries',
                    sum: {
                      aggregationTemporality: 1,
                      isMonotonic: true,
                      dataPoints: [{ timeUnixNano: `${NOW - seconds * 1000}000000`, asInt: String(value) }],
                    },
                  },
                ],
              },
            ],
          },
        ],
      });
    const { summary } = await collect([sum(3, 20), sum(4, 10)]);
    expect(summary['counters']).toMatchObject([{ metric: 'retries', increase: 7 }]);
  });

  it('leaves out quantities that are skipped', async () => {
    const { summary } = await collect([flat(NODE, 'Energy', 1, ago(1)), flat(NODE, 'Temperature', 50, ago(1))], {
      options: { skip: ['energy'] },
    });
    expect(summary).toMatchObject({ samples: 1, excluded: { skipped: 1 } });
  });

  it('stays within its budget of samples, and says of what share it speaks', async () => {
    const lines = Array.from({ length: 8000 }, (_, i) =>
      flat(`x1000c0s${i % 8}b0n0`, 'Temperature', 40 + (i % 21), NOW - 3_000_000 + i * 100),
    );
    const { coverage, summary } = await collect(lines, { options: { max_samples: 1000 } });
    const kept = summary['samples'] as number;
    const share = summary['one_sample_in'] as number;
    expect(kept).toBeLessThanOrEqual(1000);
    expect(kept * share).toBeGreaterThan(6000);
    expect(kept * share).toBeLessThan(10_000);
    expect(coverage.problems).toMatchObject([{ effect: 'input', message: expect.stringContaining('max_samples') }]);
    // A thinned sensor is not a silent one.
    expect(summary['silent_sensors']).toBe(0);
  });

  it('stays within its budget of series', async () => {
    const lines = Array.from({ length: 1500 }, (_, i) => flat(`x${i}c0s0b0n0`, 'Temperature', 50, ago(1)));
    const { coverage, summary } = await collect(lines, { options: { max_series: 1000 } });
    expect(summary).toMatchObject({ series: 1000, excluded: { overSeries: 500 } });
    expect(coverage.problems).toMatchObject([{ effect: 'input', message: '500 samples belong to more series than max_series' }]);
  });

  it('keeps its summary small whatever there is', async () => {
    const lines = Array.from({ length: 3000 }, (_, i) =>
      flat(`x${1000 + (i % 97)}c${i % 8}s${i % 7}b0n${i % 3}`, 'Temperature', 120, ago(i % 60), {
        PhysicalContext: `${'Sensor of a very long name '.repeat(4)}${i % 200}`,
      }),
    );
    const { summary } = await collect([...lines, flat(NODE, 'Power', 9999, ago(1))]);
    expect(JSON.stringify(summary).length).toBeLessThan(6500);
  });
});

describe('p95', () => {
  it('is exact for few values and within its error for many, in any order', () => {
    const values = Array.from({ length: 50_000 }, (_, i) => ((i * 7919) % 50_000) / 100 - 100);
    const sorted = values.toSorted((a, b) => a - b);
    const exact = (share: number, n: number, list: number[]) => list[Math.ceil(share * n) - 1] as number;
    const few = new Quantile();
    for (const value of values.slice(0, 9999)) few.add(value);
    expect([few.error, few.at(0.95)]).toEqual([
      0,
      exact(
        0.95,
        9999,
        values.slice(0, 9999).sort((a, b) => a - b),
      ),
    ]);
    const [many, backwards] = [new Quantile(), new Quantile()];
    for (const value of values) many.add(value);
    for (const value of values.toReversed()) backwards.add(value);
    expect(many.error).toBe(0.01);
    for (const share of [0.01, 0.1, 0.5, 0.95, 1]) {
      const truth = exact(share, values.length, sorted);
      expect(Math.abs(many.at(share) - truth)).toBeLessThanOrEqual(0.01 * Math.abs(truth) + 1e-9);
      expect(backwards.at(share)).toBe(many.at(share));
    }
  });

  it('is nothing of nothing', () => {
    expect(new Quantile().at(0.95)).toBeNaN();
  });
});

describe('the store of samples', () => {
  const hashes = [11, 22, 33];
  const content = (store: SampleStore) => {
    const all: [number, number, number][] = [];
    store.forEachRun([0, 1, 2], ({ series, length, time, value }) => {
      for (let i = 0; i < length; i++) all.push([series, time[i] as number, value[i] as number]);
    });
    return all;
  };

  it('keeps the same share of the same samples whatever their order and repetition', () => {
    const samples = Array.from({ length: 5000 }, (_, i) => [i % 3, 1e12 + Math.floor(i / 3) * 1000, i] as const);
    const shuffled = samples.toSorted((a, b) => ((a[2] * 7919) % 5003) - ((b[2] * 7919) % 5003));
    const [straight, mixed] = [new SampleStore(700, hashes), new SampleStore(700, hashes)];
    for (const [series, time, value] of samples) straight.add(series, time, value, 0);
    for (const [series, time, value] of [...shuffled, ...shuffled.slice(0, 2000)]) mixed.add(series, time, value, 0);
    straight.compact(0);
    mixed.compact(0);
    expect(straight.thinning).toBe(3);
    expect(mixed.thinning).toBe(3);
    expect(content(mixed)).toEqual(content(straight));
    expect(straight.length).toBeGreaterThan(500);
  });

  it('drops what lies before the window to make room, before it thins anything', () => {
    const store = new SampleStore(100, hashes);
    for (let i = 0; i < 1000; i++) store.add(0, 1e12 + i, i, 1e12 + i - 50);
    store.compact(1e12 + 940, 1e12 + 949, () => false);
    expect([store.thinning, store.length, store.late, store.covered]).toEqual([0, 51, 940, 9]);
  });
});

it('gives numbers for trends, each by a stable name', async () => {
  const { series } = await collect([
    flat(NODE, 'Power', 1500, ago(2), { PhysicalContext: 'VoltageRegulator' }),
    flat(NODE, 'Power', 20, ago(2), { PhysicalContext: 'Fan' }),
    flat('x1000c0s0b0n1', 'Power', 1600, ago(2), { PhysicalContext: 'VoltageRegulator' }),
    flat(NODE, 'Temperature', 50, ago(1)),
  ]);
  expect(series).toEqual({
    samples: 4,
    conditions: 0,
    node_power_w: 3100,
    temperature_cpu_mean: 50,
    temperature_cpu_max: 50,
    silent_sensors: 0,
  });
});

it('remembers sensors for the next run, and forgets them in time', async () => {
  const first = await collect([flat(NODE, 'Temperature', 50, ago(0)), flat(NODE, 'Power', 900, ago(0))]);
  const next = (days: number, carry: unknown) =>
    collect([flat(NODE, 'Temperature', 50, NOW + days * 864e5)], { carry, now: NOW + days * 864e5 });
  const second = await next(1, first.carry);
  expect(readingsOf(second).get(`node:${NODE}`)).toMatchObject([{ kind: 'temperature' }, { kind: 'power', last: 900, at: ago(0) }]);
  const third = await next(8, second.carry);
  expect(readingsOf(third).get(`node:${NODE}`)).toHaveLength(1);
});

it('reads its inputs in one order, however they come', async () => {
  const inputs = [
    inputOf('b', flat(NODE, 'Temperature', 50, ago(1))),
    inputOf('a10', '{"cut'),
    inputOf('a9', `${flat(NODE, 'Power', 5, ago(1))}\nnoise`),
  ];
  expect(await collect(inputs)).toEqual(await collect(inputs.toReversed()));
});
