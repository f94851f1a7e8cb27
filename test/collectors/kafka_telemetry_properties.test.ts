import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Collected } from '../../lib/model/collector.ts';
import { collect, flat, inputOf, NOW } from './telemetry-inputs.ts';

/** Messages of several formats about a few subjects, so that samples meet in series, times and limits. */
const message = fc
  .record({
    form: fc.constantFrom('flat', 'redfish', 'prometheus', 'telegraf', 'influx', 'kcat', 'event'),
    slot: fc.integer({ min: 0, max: 5 }),
    quantity: fc.constantFrom('Temperature', 'Power', 'Rotational', 'Energy', 'LiquidFlow', 'Voltage'),
    value: fc.oneof(fc.integer({ min: 0, max: 120 }), fc.constantFrom(255, 'NaN', '', null, 3200, 0)),
    seconds: fc.oneof(
      fc.integer({ min: 0, max: 40 }).map((n) => n * 30),
      fc.constantFrom(-900, -130, 5000),
    ),
  })
  .map(({ form, slot, quantity, value, seconds }): string => {
    const node = `x1000c0s${slot}b0n0`;
    const time = NOW - seconds * 1000;
    switch (form) {
      case 'flat':
        return flat(node, quantity, value, time);
      case 'redfish':
        return JSON.stringify({
          Context: node,
          Events: [
            {
              MessageId: `CrayTelemetry.${quantity}`,
              EventTimestamp: new Date(time).toISOString(),
              Oem: {
                Sensors: [0, 1].map((Index) => ({ Location: node, PhysicalContext: 'CPU', Index, Value: value })),
                TelemetrySource: 'nC',
              },
            },
          ],
        });
      case 'prometheus':
        return `node_hwmon_temp_celsius{chip="a",xname="${node}"} ${typeof value === 'number' ? value : 'NaN'} ${time}`;
      case 'telegraf':
        return JSON.stringify({ name: 'ipmi', fields: { temp: value }, tags: { host: node }, timestamp: Math.floor(time / 1000) });
      case 'influx':
        return `ipmi,host=${node} fan_rpm=${typeof value === 'number' ? value : 7}i ${time}000000`;
      case 'kcat':
        return JSON.stringify({
          topic: 'pdu_power',
          partition: 0,
          offset: slot,
          ts: time,
          payload: JSON.stringify({ location: `x1002m${slot}`, power: value, timestamp: time }),
        });
      default:
        return JSON.stringify({
          Context: node,
          Events: [
            {
              EventTimestamp: new Date(time).toISOString(),
              Severity: 'Critical',
              Message: `fault ${quantity}`,
              MessageId: `A.1.0.${quantity}`,
            },
          ],
        });
    }
  });

const messages = fc.array(message, { minLength: 1, maxLength: 60 });

function told({ summary, conditions, coverage, asOf, facts, series, carry }: Collected<unknown>): object {
  const { formats: _formats, excluded: _excluded, notes: _notes, ...rest } = summary;
  return { summary: rest, conditions, observed: coverage.observed, asOf, facts, series, carry };
}

describe('the same samples', () => {
  it('are each kept or counted once', async () => {
    await fc.assert(
      fc.asyncProperty(messages, async (all) => {
        const lines = [flat('x1000c0s0b0n0', 'Current', 1, NOW), ...all.filter((line) => !line.includes('"Severity"'))];
        const { summary, coverage } = await collect(lines);
        const excluded = Object.values(summary['excluded'] as Record<string, number>).reduce((a, b) => a + b, 0);
        const said = lines.reduce((n, line) => n + (line.includes('"Sensors"') ? 2 : 1), 0);
        expect((summary['samples'] as number) + excluded).toBe(said);
        expect(coverage.rejected).toBe(0);
      }),
      { numRuns: 100 },
    );
  });

  it('read again in the next run change nothing, whatever ran before', async () => {
    await fc.assert(
      fc.asyncProperty(
        messages,
        fc.array(fc.integer({ min: 1, max: 39 }), { maxLength: 3 }),
        fc.boolean(),
        async (lines, cuts, growing) => {
          const good = [flat('x1000c0s0b0n0', 'Current', 1, NOW - 1_190_000), flat('x1000c0s0b0n0', 'Current', 1, NOW)];
          const [all, start] = [[...good, ...lines], { options: { window: '10m', stale_after: '1m', skew: '15m' } }];
          let carry: unknown;
          for (const cut of cuts.sort((a, b) => b - a)) {
            // Earlier runs saw a file that still grew, or all of it with a clock that had not come as far.
            const seen = growing ? all.slice(0, Math.ceil((all.length * (40 - cut)) / 40)) : all;
            const before = { ...start, now: NOW - cut * 30_000, ...(carry !== undefined && { carry }) };
            carry = (await collect([inputOf('all.ndjson', seen.join('\n'))], before)).carry;
          }
          const inputs = [inputOf('all.ndjson', all.join('\n'))];
          const first = await collect(inputs, { ...start, ...(carry !== undefined && { carry }) });
          const second = await collect(inputs, { ...start, carry: first.carry });
          expect(told(second)).toEqual(told(first));
        },
      ),
      { numRuns: 200 },
    );
  });

  it('cut into windows end with the same readings as in one', async () => {
    await fc.assert(
      fc.asyncProperty(messages, fc.integer({ min: 1, max: 39 }), async (lines, cut) => {
        const good = [flat('x1000c0s0b0n0', 'Current', 1, NOW - 1_190_000), flat('x1000c0s0b0n0', 'Current', 1, NOW)];
        const all = [inputOf('all.ndjson', [...good, ...lines].join('\n'))];
        const whole = await collect(all);
        const clock = NOW - cut * 30_000;
        const first = await collect(all, { now: clock, options: { skew: '0s' } });
        const second = await collect(all, { carry: first.carry });
        const lasts = ({ facts }: Collected<unknown>) =>
          facts?.map(({ subject, facts: { readings } }) => [
            subject,
            (readings as Record<string, unknown>[]).map(({ part, last, at }) => [part, last, at]),
          ]);
        expect(lasts(second)).toEqual(lasts(whole));
      }),
      { numRuns: 100 },
    );
  });
});

describe('any bytes', () => {
  const hostile = fc.oneof(
    fc.uint8Array({ maxLength: 400 }),
    fc.string({ unit: 'binary', maxLength: 200 }).map((text) => new TextEncoder().encode(text)),
    fc.json().map((text) => new TextEncoder().encode(text)),
    fc
      .array(
        fc.constantFrom(
          '{',
          '}',
          '[',
          ']',
          '"',
          ':',
          ',',
          '\n',
          '\\',
          '1',
          'Events',
          '"Events"',
          '"topic"',
          '"payload"',
          '"fields"',
          '"Location"',
          'null',
          ' ',
          '\u0000',
          '\u001e',
          '\ufeff',
          '# EOF',
          'a=1',
        ),
        { maxLength: 80 },
      )
      .map((parts) => new TextEncoder().encode(parts.join(''))),
    // Known members with values of any kind.
    fc
      .dictionary(
        fc.constantFrom(
          'Events',
          'Context',
          'MessageId',
          'Oem',
          'Sensors',
          'Location',
          'Value',
          'Timestamp',
          'topic',
          'payload',
          'ts',
          'metrics',
          'messages',
          'fields',
          'tags',
          'labels',
          'name',
          'timestamp',
          'resourceMetrics',
          'scopeMetrics',
          'gauge',
          'dataPoints',
          '__proto__',
          'constructor',
        ),
        fc.jsonValue({ maxDepth: 3 }),
      )
      .map((value) => new TextEncoder().encode(JSON.stringify(value))),
  );

  it('never throw, and cost the good ones beside them nothing', async () => {
    const good = flat('x1000c0s0b0n0', 'Current', 1, NOW);
    await fc.assert(
      fc.asyncProperty(fc.array(hostile, { maxLength: 4 }), async (parts) => {
        const inputs = parts.map((part, i) => inputOf(`hostile-${i}`, part));
        const { facts, coverage } = await collect([...inputs, inputOf('good', good)]);
        expect(facts?.some(({ subject }) => subject.id === 'x1000c0s0b0n0')).toBe(true);
        expect(coverage.problems.filter(({ effect }) => effect === 'record').length).toBeLessThanOrEqual(20);
      }),
      { numRuns: 200 },
    );
  });

  it('come in any chunks to the same', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(hostile, { minLength: 1, maxLength: 6 }), fc.integer({ min: 1, max: 9 }), async (parts, size) => {
        const all = new Uint8Array(parts.flatMap((part) => [...part, 10]));
        const good = inputOf('good', flat('x1000c0s0b0n0', 'Current', 1, NOW));
        const chunks = Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.subarray(i * size, (i + 1) * size));
        const whole = await collect([inputOf('hostile', all), good]);
        expect(await collect([inputOf('hostile', all, { bytes: () => chunks }), good])).toEqual(whole);
      }),
      { numRuns: 200 },
    );
  });

  it('as a carry of the right form never throw', async () => {
    const first = await collect([flat('x1000c0s0b0n0', 'Temperature', 99, NOW), flat('x1000c0s0b0n0', 'Power', 99, NOW)]);
    const carry = first.carry as Record<string, unknown>;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { maxLength: 20 }),
        fc.array(fc.string(), { maxLength: 3 }),
        async (series, texts) => {
          const broken = { ...carry, series, parts: texts, baselines: series, subjects: texts.map((text) => ['node', text]) };
          const next = await collect([flat('x1000c0s0b0n0', 'Temperature', 99, NOW + 60_000)], { carry: broken, now: NOW + 60_000 });
          expect(next.summary['samples']).toBe(1);
        },
      ),
      { numRuns: 100 },
    );
  });
});
