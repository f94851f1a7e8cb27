import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { kafkaTelemetry } from '../collectors/kafka_telemetry/index.ts';
import type { JsonObject } from '../model/json.ts';

const Cases = z.array(z.object({ name: z.string(), input: z.string(), expect: z.string() }));

const T0 = 1_777_593_600_000;
/** A good sample of another node beside each case, so that a window holds something though the case does not count. */
const BESIDE = `{"Timestamp":${T0},"Location":"x1000c0s7b0n0","MessageId":"CrayTelemetry.Temperature","PhysicalContext":"CPU","Value":50}`;

interface Outcome {
  /** Readings of the case itself, as `value at time`, and the sensor where that is the point. */
  readings: string[];
  /** What was counted about it: exclusions, notes, rejected formats. */
  counted: string[];
}

const READ = '61.25 at 2026-05-01T00:00:00.000Z';

/** What becomes of each case, by its name. */
const EXPECTED: ReadonlyMap<string, Outcome> = new Map([
  ['number-string value', { readings: [READ], counted: [] }],
  ['empty string value', { readings: [], counted: ['missing'] }],
  ['null value', { readings: [], counted: ['missing'] }],
  ['NaN string', { readings: [], counted: ['nonFinite'] }],
  ['-Infinity', { readings: [], counted: ['nonFinite'] }],
  ['hex', { readings: [], counted: ['malformed'] }],
  ['seconds ts', { readings: [READ], counted: [] }],
  ['micro ts', { readings: [READ], counted: [] }],
  ['nano ts (unsafe int)', { readings: [READ], counted: [] }],
  ['ISO ns', { readings: ['61.25 at 2026-05-01T00:00:00.123Z'], counted: [] }],
  ['ISO no zone', { readings: [READ], counted: ['assumed_utc'] }],
  ['future ts +1 d', { readings: [], counted: ['clocks_ahead', 'future'] }],
  ['index -1', { readings: [READ], counted: [] }],
  ['bool value', { readings: [], counted: ['malformed'] }],
  ['array top-level', { readings: [READ], counted: ['duplicate'] }],
  ['two objects concatenated', { readings: [READ], counted: ['duplicate'] }],
  ['python repr', { readings: [], counted: ['malformed'] }],
  ['truncated', { readings: [], counted: ['malformed'] }],
  ['BOM', { readings: [READ], counted: [] }],
  ['__proto__ label', { readings: ['1 at 2026-05-01T00:00:00.000Z'], counted: [] }],
  ['confluent avro', { readings: [], counted: ['avro_no_schema'] }],
]);

/** Collects each edge case by itself, and holds what became of it against what should. */
export async function edgeCases(path: string): Promise<{ lines: string[]; ok: boolean }> {
  const cases = Cases.parse(JSON.parse(await readFile(path, 'utf8')));
  const wrong: string[] = [];
  for (const { name, input, expect } of cases) {
    const found = JSON.stringify(await outcomeOf(name === 'confluent avro' ? '\0\0\0\0*\x02\x04' : input));
    if (found !== JSON.stringify(EXPECTED.get(name))) wrong.push(`  WRONG ${name}: ${expect}; became ${found}`);
  }
  return {
    lines: [`edge cases: ${cases.length - wrong.length} of ${cases.length} as expected`, ...wrong],
    ok: wrong.length === 0,
  };
}

async function outcomeOf(text: string): Promise<Outcome> {
  const inputs = [BESIDE, text].map((content, i) => {
    const bytes = new TextEncoder().encode(content);
    return { name: `case ${i}`, size: bytes.length, bytes: () => [bytes] };
  });
  const { summary, facts, coverage } = await kafkaTelemetry.collect(inputs, {
    cluster: 'corpora',
    now: T0 + 60_000,
    config: kafkaTelemetry.options.parse({}),
    timezone: 'UTC',
    nodeDomains: [],
    rules: {},
  });
  const readings = (facts ?? [])
    .filter(({ subject }) => subject.id !== 'x1000c0s7b0n0')
    .flatMap(({ facts: { readings: own } }) => own as { last: number; at: string }[]);
  const { excluded, notes, formats } = summary as { excluded: JsonObject; notes: JsonObject; formats: JsonObject };
  const unread = ['malformed', 'unknown_json', 'avro_no_schema'].filter((format) => format in formats);
  // A file with nothing in it that can be read is no more than a note beside one that can.
  const noted = coverage.problems.some(({ effect, message }) => effect === 'note' && message.startsWith('no telemetry in it'));
  return {
    readings: readings.map(({ last, at }) => `${last} at ${at}`),
    counted: [...new Set([...Object.keys(excluded), ...Object.keys(notes), ...unread, ...(noted ? ['malformed'] : [])])].sort(),
  };
}
