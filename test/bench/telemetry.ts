import { closeSync, openSync, readFileSync, readSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import parsePrometheus from 'parse-prometheus-text-format';
import { kafkaTelemetry } from '../../lib/collectors/kafka_telemetry/index.ts';
import { PrometheusText } from '../../lib/collectors/kafka_telemetry/prometheus-text.ts';
import { Location } from '../../lib/config.ts';
import { schemaReader } from '../../lib/readers/avro/schemas.ts';
import { kafkaReader } from '../../lib/readers/kafka/reader.ts';
import { type Part, type Stage, Stopwatch } from './part.ts';
import { RecordedBroker } from './telemetry-broker.ts';
import { BEGINS, MESSAGES, SCHEMA, SCHEMA_ID, seriesOf, writeTelemetry } from './telemetry-data.ts';

const NOW = BEGINS + 1_860_000;
const TRIES = 3;
const PARSE = 'JSON.parse of the lines';
const JSON_TOPIC = 'JSON from a broker, rolled up';
const AVRO_TOPIC = 'Avro from a broker, rolled up';
const TEXT = 'Prometheus text';
const OTHER = 'parse-prometheus-text-format';

/**
 * Half a million messages of about 400 bytes, packed by gzip, from a broker on loopback to the collector's result; the
 * same lines in a bare JSON.parse, which is no more than a part of it. The broker is in this process and is counted too:
 * all times are of all threads, so that a busy machine tells the same.
 */
export const telemetryPart: Part = {
  name: 'telemetry',
  title: 'half a million telemetry messages',
  clock: 'processor',
  prepare: (size, folder) => writeTelemetry(size, folder),
  async measure(size, folder) {
    const watch = new Stopwatch('processor');
    const least = new Map<string, number>();
    const keep = (name: string): void => {
      const { ms } = watch.take(name);
      least.set(name, Math.min(ms, least.get(name) ?? Number.POSITIVE_INFINITY));
    };
    const scrape = readFileSync(join(folder, 'metrics.prom'), 'utf8');
    for (let i = 0; i < TRIES; i++) {
      await parseLines(join(folder, 'lines.ndjson'), watch);
      keep(PARSE);
      for (const [name, topic] of [
        [JSON_TOPIC, 'json'],
        [AVRO_TOPIC, 'avro'],
      ] as const) {
        await watch.time(name, () => rollUp(folder, topic, size));
        keep(name);
      }
      await watch.time(TEXT, () => parseText(scrape));
      keep(TEXT);
      await watch.time(OTHER, () => parsePrometheus(scrape));
      keep(OTHER);
    }
    const of = (name: string): number => least.get(name) as number;
    const stage = (name: string, note: string): Stage => ({ name, ms: of(name), note });
    const rate = (name: string): string => `${Math.round(MESSAGES / of(name))} k messages/s`;
    return {
      baseline: { name: `${PARSE}, ${rate(PARSE)}`, ms: of(PARSE) },
      stages: [
        stage(JSON_TOPIC, `${rate(JSON_TOPIC)}, ${(of(PARSE) / of(JSON_TOPIC)).toFixed(2)} of the baseline's; 0.35 is the least`),
        stage(AVRO_TOPIC, `${rate(AVRO_TOPIC)}; 350 k is the least`),
        stage(
          TEXT,
          `${(scrape.length / 1000 / of(TEXT)).toFixed(1)} MB/s, ${(of(OTHER) / of(TEXT)).toFixed(2)} of ${OTHER}'s; 0.9 is the least`,
        ),
        stage(OTHER, `${(scrape.length / 1000 / of(OTHER)).toFixed(1)} MB/s`),
      ],
    };
  },
  alone: {
    'JSON alone, with its memory': async (size, folder) => {
      await rollUp(folder, 'json', size);
      return { note: `${seriesOf(size)} series; 300 MB at 100,000 is the most` };
    },
    'Avro alone, with its memory': async (size, folder) => {
      await rollUp(folder, 'avro', size);
      return { note: `${seriesOf(size)} series` };
    },
  },
};

/** Times nothing but JSON.parse: reading and cutting the lines is not part of it. */
async function parseLines(path: string, watch: Stopwatch): Promise<void> {
  const fd = openSync(path, 'r');
  const chunk = Buffer.alloc(8 * 1024 * 1024);
  let rest = '';
  for (let n = readSync(fd, chunk); n > 0; n = readSync(fd, chunk)) {
    const lines = (rest + chunk.toString('latin1', 0, n)).split('\n');
    rest = lines.pop() as string;
    await watch.time(PARSE, () => {
      for (const line of lines) JSON.parse(line);
    });
  }
  closeSync(fd);
}

/** The whole way of a topic: found, fetched, unpacked, decoded, rolled up and judged. */
async function rollUp(folder: string, topic: 'json' | 'avro', size: number): Promise<void> {
  const broker = await RecordedBroker.start(folder, topic);
  const schema = join(folder, `${SCHEMA_ID}.avsc`);
  writeFileSync(schema, SCHEMA);
  const location = { ...Location.parse({ brokers: [broker.address], topics: [topic], avro: { schemas: schema } }), roles: {} };
  const config = kafkaTelemetry.options.parse({});
  const opened = await kafkaReader(() => '')({ location, plan: kafkaTelemetry.inputs, now: NOW, options: config });
  const schemas = await schemaReader(
    () => Promise.reject(new Error('there is no registry')),
    () => '',
  )(location, (problem) => opened.problems.push(problem));
  const { coverage, facts } = await kafkaTelemetry.collect(opened.inputs, {
    cluster: 'bench',
    now: NOW,
    config,
    schemas,
    timezone: 'UTC',
    nodeDomains: [],
    rules: {},
  });
  opened.close();
  broker.stop();
  const problems = [...opened.problems, ...coverage.problems];
  if (coverage.records !== MESSAGES || problems.length > 0 || (facts?.length ?? 0) < seriesOf(size) / 9)
    throw new Error(`${coverage.records} of ${MESSAGES} messages were rolled up: ${JSON.stringify(problems)}`);
}

function parseText(text: string): void {
  let samples = 0;
  const parser = new PrometheusText<null>(
    { define: () => null, sample: () => samples++, fault: (line, fault) => raise(`line ${line}: ${fault}`) },
    { dialect: 'prometheus' },
  );
  for (const line of text.split('\n')) parser.line(line);
  parser.end();
  if (samples === 0) raise('no samples');
}

function raise(message: string): never {
  throw new Error(message);
}
