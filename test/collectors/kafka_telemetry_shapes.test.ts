import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Collected } from '../../lib/model/collector.ts';
import { ago, collect, flat } from './telemetry-inputs.ts';
import { isJson } from '../is-json.ts';

const EVENTS = JSON.stringify({
  Context: 'x1000c0s0b0',
  Events: [
    {
      EventTimestamp: ago(60),
      MessageId: 'CrayTelemetry.Temperature',
      Oem: {
        Sensors: [
          { Timestamp: ago(60), Location: 'x1000c0s0b0n0', PhysicalContext: 'CPU', Index: 0, Value: '55.9' },
          { Timestamp: ago(60), PhysicalContext: 'GPU', DeviceSpecificContext: 'GPU 1 "Temp"', Value: 61 },
          { Location: 'x1000c0s0b0n1', PhysicalContext: 'CPU', Index: 0, Value: '57' },
        ],
        TelemetrySource: 'nC',
      },
    },
    { EventTimestamp: ago(60), MessageId: 'CrayTelemetry.Power', Oem: { Sensors: [{ PhysicalContext: 'Chassis', Value: '812' }] } },
  ],
});
const FLAT = flat('x1000c0s1b0n0', 'Temperature', 48.5, Date.parse(ago(60)));
const SHAPES = [EVENTS, FLAT, flat('x1000c0s1b0n0', 'Energy', '1200', ago(60))];

/** A message in an array is parsed each time: what its text alone gives must be the same. */
function parsed(text: string): string {
  return `[${text}]`;
}

async function told(texts: string[]) {
  const { summary, facts, conditions, coverage, series }: Collected<unknown> = await collect(texts);
  return { summary, facts, conditions, series, coverage: { ...coverage, problems: coverage.problems.length } };
}

const ODD = [
  '',
  ' ',
  '-0',
  '00',
  '1e3',
  '+5',
  '5.',
  '.5',
  '-1',
  'NaN',
  '12345678901234567',
  '0.1234567890123456',
  '1e999',
  'x0',
  '\\u0041',
  '\\',
  '\t',
  '\u00e9',
  '"',
];

describe('messages of a shape that is known', () => {
  it('give what they give parsed, whatever stands in their gaps', async () => {
    const texts: string[] = [];
    for (const shape of SHAPES) {
      for (const member of ['Timestamp', 'EventTimestamp', 'Location', 'Context', 'Value']) {
        for (const odd of [...ODD, ago(30), '2026-11-30T08:44:00', '1796028270', 'x1000c0s7b0n0', '99.5']) {
          const quoted = new RegExp(`"${member}":"[^"]*"`, 'g');
          const bare = new RegExp(`"${member}":[-+.\\deE]+`, 'g');
          texts.push(
            shape.replaceAll(quoted, () => `"${member}":"${odd}"`),
            shape.replaceAll(bare, () => `"${member}":${odd}`),
          );
        }
      }
    }
    const valid = texts.filter(isJson);
    const taken = await told([...SHAPES, ...valid]);
    expect(taken).toEqual(await told([...SHAPES, ...valid].map(parsed)));
    // What is no JSON gives no sample for looking like one.
    const broken = texts.filter((text) => text.startsWith('{"Timestamp"') && !isJson(text));
    expect(await told([...SHAPES, ...valid, ...broken])).toMatchObject({
      facts: taken.facts,
      coverage: { records: taken.coverage.records, rejected: taken.coverage.rejected + broken.length },
    });
  });

  it('give what they give parsed, after any change of their text', async () => {
    const change = fc.record({
      shape: fc.nat(SHAPES.length - 1),
      at: fc.nat(700),
      cut: fc.nat(12),
      put: fc.constantFrom(...ODD, ',', '}', ':1', '"Value":"3",', '"Location":null,'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 20, maxLength: 60 }), async (changes) => {
        const valid = changes
          .map(({ shape, at, cut, put }) => {
            const text = SHAPES[shape] as string;
            const from = at % text.length;
            return text.slice(0, from) + put + text.slice(from + cut);
          })
          .filter(isJson);
        const texts = [...SHAPES, ...valid, ...SHAPES];
        expect(await told(texts)).toEqual(await told(texts.map(parsed)));
      }),
      { numRuns: 60 },
    );
  });

  it('are not taken for another one by a member that stands twice', async () => {
    const twice = FLAT.replace('"Value":48.5', '"Value":48.5,"Value":49.5');
    const texts = [twice, twice.replace('49.5', '50.5'), FLAT.replace('"Location":', '"Location":"x1000c0s9b0n0","Location":')];
    expect(await told([...texts, ...texts])).toEqual(await told([...texts, ...texts].map(parsed)));
  });
});
