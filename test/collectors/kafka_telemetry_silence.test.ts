import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../lib/model/json.ts';
import { ago, collect, flat, inRow, kinds, kindsOf, NODE, NOW } from './telemetry-inputs.ts';

describe('silence', () => {
  const beats = (location: string, quantity: string, end: number, more: JsonObject = {}) =>
    inRow(location, quantity, [50, 51, 50, 51], more, end);

  it('of one sensor is told of that sensor', async () => {
    const { conditions, summary } = await collect([...beats(NODE, 'Temperature', 400), ...beats(NODE, 'Power', 0)]);
    expect(conditions).toMatchObject([
      {
        kind: 'sensor_stale',
        subject: { type: 'node', id: NODE },
        part: 'temperature CPU0',
        message: `node ${NODE}: temperature of CPU0 silent for 6m 40s, since ${ago(400)}; it last showed 51 °C`,
        values: { silent_ms: 400_000, interval_ms: 10_000 },
        since: ago(400),
      },
    ]);
    expect(summary['silent_sensors']).toBe(1);
  });

  it('of a sensor that is heard in another unit is none', async () => {
    const reading = (units: string, value: number, seconds: number) =>
      JSON.stringify({ timestamp: NOW - seconds * 1000, location: NODE, name: 'CPU Temp', units, value });
    const before = [410, 400].map((seconds) => reading('C', 50, seconds));
    const { conditions, summary, facts } = await collect([...before, ...[10, 0].map((seconds) => reading('F', 122, seconds))]);
    expect(conditions).toEqual([]);
    expect(summary['silent_sensors']).toBe(0);
    expect(facts).toMatchObject([{ facts: { readings: [{ last: 50, unit: '°C', at: ago(0) }] } }]);
    expect((await collect([...before, ...beats(NODE, 'Power', 0)])).summary['silent_sensors']).toBe(1);
  });

  it('of all sensors is told of the subject, which then is not observed', async () => {
    const other = 'x1000c0s1b0n0';
    const { conditions, coverage } = await collect([
      ...beats(NODE, 'Temperature', 400),
      ...beats(NODE, 'Power', 410),
      ...beats(other, 'Temperature', 0),
    ]);
    expect(conditions).toMatchObject([
      {
        kind: 'telemetry_gap',
        subject: { id: NODE },
        part: 'all sensors',
        message: `node ${NODE}: all 2 sensors silent for 6m 40s, since ${ago(400)}; it drew 51 W then`,
        values: { sensors: 2, last_power_w: 51 },
      },
    ]);
    expect(coverage.observed).toEqual({ cluster: 'democluster', node: other });
  });

  it('of a whole kind of sensors is told once, of the cluster', async () => {
    const nodes = Array.from({ length: 6 }, (_, i) => `x1000c0s${i}b0n0`);
    const { conditions } = await collect(nodes.flatMap((node) => [...beats(node, 'Temperature', 900), ...beats(node, 'Power', 0)]));
    expect(conditions).toMatchObject([
      {
        kind: 'telemetry_gap',
        subject: { type: 'cluster', id: 'democluster' },
        part: 'temperature CPU',
        values: { sensors: 6, subjects: 6 },
      },
    ]);
  });

  it('of nodes that are gone is theirs, also where nobody else has such sensors', async () => {
    const dark = Array.from({ length: 6 }, (_, i) => `x1000c1s${i}b0n0`);
    const gone = dark.flatMap((node) => [...beats(node, 'Temperature', 900), ...beats(node, 'Power', 900)]);
    const others = beats(NODE, 'Power', 0);
    expect(await kinds([...gone, ...others])).toEqual(dark.map((node) => `telemetry_gap ${node}`));
    // One that still sends other readings shows that it is the kind of sensors that stopped.
    const alive = [...beats('x1000c1s6b0n0', 'Temperature', 900), ...beats('x1000c1s6b0n0', 'Power', 0)];
    expect(await kinds([...gone, ...others, ...alive])).toContain('telemetry_gap democluster');
    // Where none of their kinds is heard of others, the subjects may be all that the topic told of.
    const switches = dark.map((_, i) => `x1000c0r${i}b0`).flatMap((bmc) => beats(bmc, 'Temperature', 900));
    expect(await kinds([...switches, ...others])).toEqual(['telemetry_gap democluster']);
  });

  it('of most sensors is told once', async () => {
    const lost = [0, 1, 2].flatMap((Index) => beats(NODE, 'Temperature', 400, { Index }));
    expect((await collect([...lost, ...beats(NODE, 'Power', 0)])).conditions).toMatchObject([
      { kind: 'telemetry_gap', part: 'most sensors', message: `node ${NODE}: most sensors (3) silent for 6m 40s, since ${ago(400)}` },
    ]);
  });

  it('of what is switched off is no news', async () => {
    const off = inRow(NODE, 'Power', [900, 900, 0, 0]);
    expect(await kinds([...beats(NODE, 'Temperature', 400), ...off])).toEqual([]);
    const gone = inRow(NODE, 'Power', [900, 900, 0, 0], {}, 400);
    expect(await kinds([...gone, ...beats('x1000c0s1b0n0', 'Power', 0)])).toEqual([`telemetry_gap ${NODE} info`]);
  });

  it('is measured in the rhythm of the sensor', async () => {
    const slow = [0, 1, 2, 3].map((i) => flat(NODE, 'Energy', i, ago(3000 - 600 * i)));
    expect(await kinds([...slow, ...beats(NODE, 'Power', 0)])).toEqual([]);
  });

  it('is seen across runs, and ends with the next reading', async () => {
    const first = await collect([...beats(NODE, 'Temperature', 0), ...beats(NODE, 'Power', 0)]);
    const power = (minutes: number) => flat(NODE, 'Power', 50, NOW + minutes * 60_000);
    const second = await collect([power(10)], { carry: first.carry, now: NOW + 600_000 });
    expect(kindsOf(second)).toEqual([`sensor_stale ${NODE}`]);
    const third = await collect([power(15), flat(NODE, 'Temperature', 50, NOW + 900_000)], { carry: second.carry, now: NOW + 900_000 });
    expect(kindsOf(third)).toEqual([]);
  });

  it('of a sensor that only sends what stands for a failed reading is silence', async () => {
    const failed = inRow(NODE, 'Temperature', [50, 51, ...Array.from({ length: 40 }, () => 255)]);
    expect(await kinds([...failed, ...beats(NODE, 'Power', 0)])).toEqual([`sensor_stale ${NODE}`]);
  });
});
