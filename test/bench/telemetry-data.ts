import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import avsc from 'avsc';
import { crc32c } from '../../lib/readers/kafka/records.ts';
import { Random } from '../../lib/eval/random.ts';

/*
 * What the telemetry benchmark reads: the same readings as lines, as a topic's batches, in Avro, and as Prometheus text.
 */

export const MESSAGES = 500_000;
/** The first round of readings. */
export const BEGINS = Date.parse('2026-11-30T08:00:00.000Z');
export const PARTITIONS = 4;
/** Messages in a batch, as producers with a little linger make them. */
const BATCH = 1000;
export const SCHEMA_ID = 7;
export const SCHEMA = JSON.stringify({
  type: 'record',
  name: 'crayex_telemetry',
  namespace: 'hpcm',
  fields: [
    { name: 'Timestamp', type: 'long' },
    { name: 'Location', type: 'string' },
    { name: 'TelemetrySource', type: 'string' },
    { name: 'MessageId', type: 'string' },
    ...['ParentalContext', 'PhysicalContext', 'PhysicalSubContext', 'DeviceSpecificContext'].map((name) => ({
      name,
      type: ['null', 'string'],
    })),
    ...['ParentalIndex', 'Index', 'SubIndex'].map((name) => ({ name, type: ['null', 'int'] })),
    { name: 'Value', type: 'double' },
  ],
});

/** Sensors of a node: what is measured, where, its number, what it is called, and around what its values lie. */
const SENSORS: readonly (readonly [string, string, number, string, number])[] = [
  ...[0, 1, 2, 3].map((n) => ['Temperature', 'GPU', n, `GPU ${n} Temp`, 61] as const),
  ['Temperature', 'CPU', 0, 'CPU 0 Package Temp', 55],
  ['Temperature', 'CPU', 1, 'CPU 1 Package Temp', 56],
  ['Power', 'VoltageRegulator', 0, 'Node Input Power', 1740],
  ['Voltage', 'VoltageRegulator', 1, 'Node Input Voltage', 48],
  ['Current', 'VoltageRegulator', 2, 'Node Input Current', 36],
];

/** How many series a fleet of so many nodes has; one of 12,000 has the 100,000 that memory is measured at. */
export function seriesOf(nodes: number): number {
  return Math.min(100_000, nodes * SENSORS.length);
}

interface Reading {
  node: number;
  location: string;
  time: number;
  sensor: (typeof SENSORS)[number];
  value: number;
}

/** Readings in the order in which boards report: node by node, one round after the other. */
function* readings(nodes: number): Generator<Reading> {
  const series = seriesOf(nodes);
  const rounds = Math.ceil(MESSAGES / series);
  const luck = new Random(1, 'telemetry');
  for (let i = 0; i < MESSAGES; i++) {
    const one = i % series;
    const node = Math.floor(one / SENSORS.length);
    const sensor = SENSORS[one % SENSORS.length] as (typeof SENSORS)[number];
    const time = BEGINS + Math.floor((Math.floor(i / series) * 1_800_000) / rounds) + (node % 1000);
    const value = Math.round(sensor[4] * (0.95 + luck.next() / 10) * 100) / 100;
    yield { node, location: locationOf(node), time, sensor, value };
  }
}

function locationOf(n: number): string {
  return `x${1000 + Math.floor(n / 256)}c${(n >> 5) % 8}s${(n >> 2) % 8}b${(n >> 1) % 2}n${n % 2}`;
}

/** A message as hms-hmcollector publishes it, of about 400 bytes. */
function lineOf({ location, time, sensor, value }: Reading): string {
  const [id, context, index, name] = sensor;
  const iso = new Date(time).toISOString().replace('Z', '123456Z');
  return `{"Context":"${location.slice(0, -2)}","Events":[{"EventTimestamp":"${iso}","MessageId":"CrayTelemetry.${id}","Oem":{"Sensors":[{"Timestamp":"${iso}","Location":"${location}","ParentalContext":"Chassis","ParentalIndex":0,"PhysicalContext":"${context}","Index":${index},"PhysicalSubContext":"Input","DeviceSpecificContext":"${name}","Value":"${value}"}],"TelemetrySource":"nC"}}]}`;
}

/** Writes it all below a folder: `lines.ndjson`, the topics `json` and `avro`, and `metrics.prom`. */
export function writeTelemetry(nodes: number, folder: string): void {
  const type = avsc.Type.forSchema(JSON.parse(SCHEMA) as avsc.Schema);
  const frame = Buffer.from([0, 0, 0, 0, SCHEMA_ID]);
  const lines = new Appender(join(folder, 'lines.ndjson'));
  const json = new TopicWriter(folder, 'json');
  const avro = new TopicWriter(folder, 'avro');
  for (const reading of readings(nodes)) {
    const line = lineOf(reading);
    const partition = reading.node % PARTITIONS;
    lines.add(`${line}\n`);
    json.add(partition, Buffer.from(line), reading.time);
    const [id, context, index, name] = reading.sensor;
    const record = {
      Timestamp: reading.time,
      Location: reading.location,
      TelemetrySource: 'nC',
      MessageId: `CrayTelemetry.${id}`,
      ParentalContext: 'Chassis',
      PhysicalContext: context,
      PhysicalSubContext: 'Input',
      DeviceSpecificContext: name,
      ParentalIndex: 0,
      Index: index,
      SubIndex: null,
      Value: reading.value,
    };
    avro.add(partition, Buffer.concat([frame, type.toBuffer(record)]), reading.time);
  }
  lines.end();
  json.end();
  avro.end();
  writeScrape(nodes, join(folder, 'metrics.prom'));
}

/** One scrape of many exporters, about as the textfile collector of node_exporter shows sensors. */
function writeScrape(nodes: number, path: string): void {
  const out = new Appender(path);
  for (const [id, help] of [
    ['temp_celsius', 'Temperature of a part.'],
    ['power_watt', 'Power drawn.'],
    ['in_volts', 'Voltage of a rail.'],
  ] as const) {
    out.add(`# HELP node_hwmon_${id} ${help}\n# TYPE node_hwmon_${id} gauge\n`);
    for (let i = 0; i < Math.min(20_000, seriesOf(nodes)); i++)
      out.add(
        `node_hwmon_${id}{chip="platform_coretemp_${i % 2}",instance="${locationOf(Math.floor(i / 8))}:9100",job="node",sensor="temp${i % 8}"} ${(40 + (i % 997) / 16).toString()}\n`,
      );
  }
  out.end();
}

class Appender {
  readonly #fd: number;
  #pending = '';

  constructor(path: string) {
    this.#fd = openSync(path, 'w');
  }

  add(text: string): void {
    this.#pending += text;
    if (this.#pending.length < 1 << 20) return;
    writeSync(this.#fd, this.#pending);
    this.#pending = '';
  }

  end(): void {
    writeSync(this.#fd, this.#pending);
    closeSync(this.#fd);
  }
}

/** Where a batch lies in its partition's file. */
export interface BatchPlace {
  /** Its first offset, and the one behind its last. */
  base: number;
  next: number;
  at: number;
  length: number;
}

interface Partition {
  n: number;
  fd: number;
  /** Where its file ends, and its next offset. */
  at: number;
  next: number;
  values: Buffer[];
  times: number[];
  batches: BatchPlace[];
}

/** A topic's partitions, one file each, and a list of the batches in them. */
class TopicWriter {
  readonly #folder: string;
  readonly #topic: string;
  readonly #partitions: Partition[];

  constructor(folder: string, topic: string) {
    this.#folder = folder;
    this.#topic = topic;
    this.#partitions = Array.from({ length: PARTITIONS }, (_, n) => {
      const fd = openSync(partitionFile(folder, topic, n), 'w');
      return { n, fd, at: 0, next: 0, values: [], times: [], batches: [] };
    });
  }

  add(partition: number, value: Buffer, time: number): void {
    const p = this.#partitions[partition];
    if (p === undefined) return;
    p.values.push(value);
    p.times.push(time);
    if (p.values.length >= BATCH) this.#flush(p);
  }

  #flush(p: Partition): void {
    if (p.values.length === 0) return;
    const bytes = batchOf(p.values, p.times, p.next);
    writeSync(p.fd, bytes);
    p.batches.push({ base: p.next, next: p.next + p.values.length, at: p.at, length: bytes.length });
    p.at += bytes.length;
    p.next += p.values.length;
    p.values = [];
    p.times = [];
  }

  end(): void {
    for (const p of this.#partitions) {
      this.#flush(p);
      closeSync(p.fd);
    }
    const index = openSync(join(this.#folder, `${this.#topic}.index.json`), 'w');
    writeSync(index, JSON.stringify(this.#partitions.map(({ batches }) => batches)));
    closeSync(index);
  }
}

export function partitionFile(folder: string, topic: string, partition: number): string {
  return join(folder, `${topic}-${partition}.log`);
}

/** A record batch (format 2), packed by gzip. */
function batchOf(values: readonly Buffer[], times: readonly number[], base: number): Buffer {
  const first = times[0] as number;
  const records: Buffer[] = [];
  for (const [i, value] of values.entries()) {
    const head = Buffer.from([0, ...varint((times[i] as number) - first), ...varint(i), 1, ...varint(value.length)]);
    records.push(Buffer.from(varint(head.length + value.length + 1)), head, value, Buffer.from([0]));
  }
  const packed = gzipSync(Buffer.concat(records));
  const bytes = Buffer.alloc(61 + packed.length);
  bytes.writeBigInt64BE(BigInt(base), 0);
  bytes.writeInt32BE(bytes.length - 12, 8);
  bytes[16] = 2;
  bytes.writeInt16BE(1, 21);
  bytes.writeInt32BE(values.length - 1, 23);
  bytes.writeBigInt64BE(BigInt(first), 27);
  bytes.writeBigInt64BE(BigInt(Math.max(...times)), 35);
  bytes.writeBigInt64BE(-1n, 43);
  bytes.writeInt32BE(values.length, 57);
  bytes.set(packed, 61);
  bytes.writeUInt32BE(crc32c(bytes.subarray(21)), 17);
  return bytes;
}

function varint(value: number): number[] {
  let rest = value >= 0 ? value * 2 : -value * 2 - 1;
  const bytes: number[] = [];
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  bytes.push(rest);
  return bytes;
}
