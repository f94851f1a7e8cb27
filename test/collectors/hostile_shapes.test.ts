import { gzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { parseTolerantJson } from '../../lib/collectors/pbs_state/tolerant-json.ts';
import type { Input } from '../../lib/model/collector.ts';
import { collect as collectTelemetry, flat, inputOf, NOW } from './telemetry-inputs.ts';

// Processor time is compared with processor time of the same run: a busy machine makes both longer.
vi.setConfig({ testTimeout: 120_000 });

const SIZE = 8000;
const GROWTH = 8;
/** In proportion it is 8, in its square 64. */
const MOST = 28;
/** Time that says nothing, ms. */
const NOISE = 4;

async function spent(work: () => unknown): Promise<number> {
  const began = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1000;
}

/** How often as long something takes that is eight times as large: the least of a few tries. */
async function growthOf(work: (size: number) => unknown): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 3 && least > MOST; i++) {
    const small = await spent(() => work(SIZE));
    least = Math.min(least, (await spent(() => work(SIZE * GROWTH))) / Math.max(NOISE, small));
  }
  return least;
}

const repeat = (piece: string) => (size: number) => piece.repeat(size / piece.length);
const listed = (size: number, piece: (i: number) => string, separator = ',') =>
  Array.from({ length: size }, (_, i) => piece(i)).join(separator);
const good = flat('x1000c0s0b0n0', 'Power', 5, NOW);

const SHAPES: [string, (size: number) => string][] = [
  ['brackets, each on a line', repeat('[\n')],
  ['braces, each on a line', repeat('{\n')],
  ['members that open, each on a line', repeat('{"a":\n')],
  ['members behind one that opens', (n) => `{\n${repeat('"a":1,\n')(n)}`],
  ['brackets just below the depth that is followed', repeat(`${'[\n'.repeat(31)}{\n`)],
  ['documents that break off', repeat('{"Events":[\n{"MessageId":"a"},\n')],
  ['documents that begin where others end', (n) => `[\n${repeat('1][\n')(n)}`],
  ['brackets', repeat('[')],
  ['quotes', repeat('{"')],
  ['backslashes', (n) => `{"${'\\'.repeat(n)}`],
  ['commas', (n) => `{${','.repeat(n)}`],
  ['objects one behind the other', (n) => `${repeat('{"a":1}')(n)}{`],
  ['objects that are none', repeat('{x}')],
  ['labels', (n) => `a{${listed(n / 10, (i) => `l${i}="v"`)}} 1`],
  ['quoted escapes', (n) => `{"${repeat('\\"')(n)}`],
  ['a long number', (n) => `{"name":"a","location":"x1","value":${'1'.repeat(n)}}`],
  [
    'tags by fields',
    (n) => {
      const members = (name: string, value: string) => `"${name}":{${listed(n / 24, (i) => `"t${i}":${value}`)}}`;
      return `{"name":"a","timestamp":${NOW},${members('tags', '"v"')},${members('fields', '1')}}`;
    },
  ],
  ['tags by fields of a line', (n) => `a,${listed(n / 16, (i) => `t${i}=v`)} ${listed(n / 16, (i) => `f${i}=1`)}`],
  ['a long tag by fields', (n) => `{"name":"a","tags":{"host":"${'x'.repeat(n / 2)}"},"fields":{${listed(n / 24, (i) => `"t${i}":1`)}}}`],
  ['a long location by members', (n) => `{"location":"${'x'.repeat(n / 2)}","timestamp":${NOW},${listed(n / 24, (i) => `"t${i}":1`)}}`],
  ['a long context by sensors', (n) => events('x'.repeat(n / 2), 'CrayTelemetry.Power', n)],
  ['a long message id by sensors', (n) => events('x1000c0s0b0n0', `CrayTelemetry.${'x'.repeat(n / 2)}`, n)],
  ['attributes by points', (n) => otlp(n, 1, n / 100)],
  ['attributes by metrics', (n) => otlp(n, n / 130, 1)],
  ['texts that are captured texts', (n) => JSON.stringify({ topic: 't', offset: 1, payload: '[\n'.repeat(n / 2) })],
  ['lines of words', repeat('x\n')],
];

function events(context: string, id: string, size: number): string {
  const sensors = listed(size / 80, (i) => `{"PhysicalContext":"C${i}","Value":1}`);
  return `{"Context":"${context}","Events":[{"MessageId":"${id}","EventTimestamp":"2026-11-30T08:44:00Z","Oem":{"Sensors":[${sensors}]}}]}`;
}

function otlp(size: number, metrics: number, points: number): string {
  const attributes = listed(size / 100, (i) => `{"key":"k${i}","value":{"stringValue":"v"}}`);
  const dataPoints = listed(points, () => `{"timeUnixNano":"${NOW}000000","asDouble":1}`);
  const all = listed(metrics, (i) => `{"name":"a${i}","gauge":{"dataPoints":[${dataPoints}]}}`);
  return `{"resourceMetrics":[{"resource":{"attributes":[${attributes}]},"scopeMetrics":[{"metrics":[${all}]}]}]}`;
}

/** A topic of one message. */
function topicOf(value: string): Input {
  return inputOf('topic', '', {
    async *messages() {
      yield await Promise.resolve([{ topic: 't', timestamp: NOW, value }]);
    },
  });
}

describe('a telemetry message of', () => {
  it.each(SHAPES)('%s costs in proportion to its length', async (_, shape) => {
    const growth = await growthOf((size) => collectTelemetry([topicOf(shape(size)), inputOf('good', good)]));
    expect(growth).toBeLessThan(MOST);
  });

  it.each(['[', '{', '[1,', '{"a":', '{"a":1,'])('lines that open %s and never close is looked at a few times', async (line) => {
    const text = `${line}\n`.repeat(2000);
    const looked = vi.spyOn(String.prototype, 'charCodeAt');
    try {
      await collectTelemetry([topicOf(text), inputOf('good', good)]);
      expect(looked.mock.calls.length / text.length).toBeLessThan(30);
    } finally {
      looked.mockRestore();
    }
  });

  it('gzip is read as far as telemetry is ever packed', async () => {
    const bomb = gzipSync(new Uint8Array(64 * 1024 * 1024).fill(10));
    const { coverage } = await collectTelemetry([inputOf('bomb.gz', bomb), inputOf('good', good)]);
    expect(coverage.records).toBe(1);
    expect(coverage.problems).toMatchObject([{ effect: 'input', input: 'bomb.gz', message: expect.stringContaining('once unpacked') }]);
  });
});

describe('a document of PBS with', () => {
  const nodes = '{"timestamp":1796028180,"pbs_version":"2022.1.7","nodes":{';
  it.each<[string, string, string]>([
    ['quotes in a comment', `${nodes}"n1":{"comment":"`, '"'],
    ['backslashes', `${nodes}"n1":{"comment":"`, '\\'],
    ['line breaks in a comment', `${nodes}"n1":{"comment":"`, '\n'],
    ['records that never close', nodes, '\n        "n":{'],
    ['records in one another', nodes, '"a":{'],
    ['keys without values', nodes, '"a":"'],
    ['ends of texts', nodes, '","'],
  ])('%s costs in proportion to its length', async (_, begin, piece) => {
    expect(await growthOf((size) => parseTolerantJson(begin + repeat(piece)(size)))).toBeLessThan(MOST);
  });
});
