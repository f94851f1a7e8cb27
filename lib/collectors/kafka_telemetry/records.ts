import { type Intake, isRecord, type JsonRecord, type MessageContext } from './intake.ts';
import { isCounterName, type Measure, measureOfName } from './quantity.ts';
import type { Branch } from './known-series.ts';
import type { Exclusion, Mode, SeriesDraft } from './recorder.ts';
import { readingOf, textOfField } from './values.ts';

/*
 * JSON records that are no Redfish: HPCM's own topics, Telegraf's `json` serializer (which Slingshot telemetry shares),
 * prometheus-kafka-adapter and OTLP.
 */

/** Names under which records and labels carry whom they speak of, in the order in which they are asked. */
const LOCATION_KEYS = [
  'xname',
  'Location',
  'location',
  'host',
  'host.name',
  'hostname',
  'Hostname',
  'node',
  'nodename',
  'sw_node_name',
  'instance',
  'Switch',
  'switch',
  'source',
  'IP',
  'MAC',
];
const TIME_KEYS = ['timestamp', 'Timestamp', 'time', '@timestamp', 'ts'];

/** Whom labels speak of, and under which key they say so. */
export function locationIn(get: (key: string) => unknown): { key: string; location: string } {
  for (const key of LOCATION_KEYS) {
    const location = textOfField(get(key));
    if (location !== '') return { key, location };
  }
  return { key: '', location: '' };
}

const RANKS: ReadonlyMap<string, number> = new Map(LOCATION_KEYS.map((key, i) => [key, i]));

/** The same of labels in a list. */
function locationAmong(labels: readonly (readonly [string, string])[]): { key: string; location: string } {
  let best = LOCATION_KEYS.length;
  let found = { key: '', location: '' };
  for (const [key, location] of labels) {
    const rank = RANKS.get(key);
    if (rank === undefined || rank > best || location === '') continue;
    best = rank;
    found = { key, location };
  }
  return found;
}

/** `name{a=1,b=2}` of the labels that are left, by key, so that it is the same in any order. */
export function partOf(name: string, labels: readonly (readonly [string, string])[]): string {
  if (labels.length === 0) return name;
  const sorted = labels.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `${name}{${sorted.map(([k, v]) => `${k}=${v}`).join(',')}}`;
}

function member(record: JsonRecord, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** The groups of sensors that differ in an ordinal only: `DIMM 3 Temp` and `DIMM 12 Temp` are both `DIMM Temp`. */
function withoutOrdinals(name: string): string {
  return name
    .slice(0, 200)
    .replaceAll(/(?<=[a-z_ -])\d+(?!\d*\.?\d*\s?v\b)/gi, '')
    .replaceAll(/ {2,}/g, ' ')
    .trim();
}

/** What the readings of one record have in common may be as long as this; no record of anybody's is named by more. */
export const LONGEST_COMMON = 8192;

/** The series of a text below a branch, defined unless it was seen before. */
export function seriesBelow(
  branch: Branch,
  text: string,
  describe: () => { location: string } & Omit<SeriesDraft, 'at'>,
  intake: Intake,
): number | Exclusion {
  const known = branch.series.get(text);
  if (known !== undefined) return known;
  const { location, ...draft } = describe();
  return intake.known.remember(branch, text, intake.recorder.defineAt(location, draft));
}

function modeOf(name: string, measure: Measure): Mode {
  return isCounterName(name, measure.quantity) ? 'counter' : 'gauge';
}

/** HPCM `sensors_node`: `{timestamp, location, name, units, value}`. */
export function takeNamedReading(record: JsonRecord, intake: Intake, context: MessageContext): void {
  intake.count('hpcm_native');
  const name = textOfField(record['name']);
  const units = textOfField(record['units'] ?? record['unit']);
  const { location } = locationIn((key) => member(record, key));
  const time = intake.timeOf(timeIn(record), context);
  const branch = intake.known.root.at('N').at(location);
  const series = seriesBelow(
    branch,
    units === '' ? name : `${name}\0${units}`,
    () => {
      const measure = measureOfName(name, units);
      return { location, measure, metric: withoutOrdinals(name), part: name, mode: modeOf(name, measure) };
    },
    intake,
  );
  intake.recorder.record(series, time, readingOf(record['value']));
}

function timeIn(record: JsonRecord): unknown {
  for (const key of TIME_KEYS) {
    const time = member(record, key);
    if (time !== undefined && time !== null) return time;
  }
  return undefined;
}

/** Whether a record has a time and says whom it speaks of: the mark of HPCM's wide records. */
export function isWideRecord(record: JsonRecord): boolean {
  return timeIn(record) !== undefined && locationIn((key) => member(record, key)).location !== '';
}

/** HPCM's wide records (`pcm-monitoring`, `pdu_power`, `metric_cooldev`): every numeric member is a reading. */
export function takeWideRecord(record: JsonRecord, intake: Intake, context: MessageContext): void {
  intake.count('hpcm_native');
  const { key: locationKey, location } = locationIn((key) => member(record, key));
  const time = intake.timeOf(timeIn(record), context);
  const branch = intake.known.root.at('W').at(context.topic).at(location);
  const named = location.length <= LONGEST_COMMON;
  for (const field of Object.keys(record)) {
    if (field === locationKey || TIME_KEYS.includes(field)) continue;
    const value = readingOf(record[field]);
    if (typeof value === 'string') {
      // A text is a remark; an empty member is a reading that is not there.
      if (value !== 'malformed') intake.recorder.exclude(value);
      continue;
    }
    const describe = () => {
      const measure = measureOfWide(field, context.topic);
      return { location, measure, metric: field, part: field, mode: modeOf(field, measure) };
    };
    intake.recorder.record(named ? seriesBelow(branch, field, describe, intake) : 'noName', time, value);
  }
}

/** HPCM's PDU topics give power in W and energy in kWh; CPU frequencies are in MHz (dai-ds, TopicMetric*.java). */
function measureOfWide(field: string, topic: string): Measure {
  if (topic.endsWith('pdu_energy') && field === 'energy') return measureOfName(field, 'kWh');
  if (field === 'cpu_frequency') return measureOfName(field, 'MHz');
  return measureOfName(field);
}

/** Telegraf's JSON: `{name, tags, fields, timestamp}`; each numeric field is a series. */
export function takeTelegraf(record: JsonRecord, intake: Intake, context: MessageContext): void {
  intake.count('telegraf');
  const name = textOfField(record['name']);
  const tags = isRecord(record['tags']) ? record['tags'] : {};
  const fields = isRecord(record['fields']) ? record['fields'] : {};
  const pairs = Object.keys(tags).map((key) => [key, textOfField(tags[key])] as const);
  const time = intake.timeOf(record['timestamp'], context);
  takeFields(
    name,
    pairs,
    Object.keys(fields).map((key) => [key, fields[key]] as const),
    time,
    intake,
  );
}

/** Fields of one Telegraf metric, from JSON or from line protocol. */
export function takeFields(
  name: string,
  tags: readonly (readonly [string, string])[],
  fields: readonly (readonly [string, unknown])[],
  time: number,
  intake: Intake,
): void {
  const common = `${name}\0${tags.map(([k, v]) => `${k}\0${v}`).join('\0')}`;
  const branch = intake.known.root.at('T').at(common);
  // What the tags say is worked out once, and only where a series is new.
  let about: { location: string; labels: string; fabric: Measure | undefined } | undefined;
  for (const [field, value] of fields) {
    if (typeof value === 'boolean' || (typeof value === 'string' && readingOf(value) === 'malformed')) continue;
    const describe = () => {
      about ??= aboutTags(tags);
      const metric = name === '' ? field : `${name}.${field}`;
      const measure = about.fabric ?? measureOfName(metric);
      return { location: about.location, measure, metric, part: `${metric}${about.labels}`, mode: modeOf(field, measure) };
    };
    const series = common.length <= LONGEST_COMMON ? seriesBelow(branch, field, describe, intake) : 'noName';
    intake.recorder.record(series, time, readingOf(value));
  }
}

function aboutTags(tags: readonly (readonly [string, string])[]): { location: string; labels: string; fabric: Measure | undefined } {
  const { key, location } = locationAmong(tags);
  return {
    location,
    labels: partOf(
      '',
      tags.filter(([k]) => k !== key),
    ),
    fabric: fabricMeasure(new Map(tags)),
  };
}

/** Slingshot telemetry in Telegraf's shape: the location is a port, and the values are its counters and rates. */
function fabricMeasure(tags: ReadonlyMap<string, string>): Measure | undefined {
  return tags.has('Switch') && tags.has('Location') ? { quantity: 'fabric', unit: '', scale: 1, offset: 0 } : undefined;
}

/** prometheus-kafka-adapter: `{timestamp, value: string, name, labels}`. */
export function takeAdapted(record: JsonRecord, intake: Intake, context: MessageContext): void {
  intake.count('prometheus_adapter');
  const labels = isRecord(record['labels']) ? record['labels'] : {};
  const name = textOfField(record['name']) || textOfField(member(labels, '__name__'));
  const pairs = Object.keys(labels)
    .filter((key) => key !== '__name__')
    .map((key) => [key, textOfField(labels[key])] as const);
  const time = intake.timeOf(record['timestamp'], context);
  const index = definePrometheus({ name, labels: pairs, type: '', unit: '' }, intake);
  intake.recorder.record(index, time, readingOf(record['value']));
}

export interface PrometheusSeries {
  name: string;
  labels: readonly (readonly [string, string])[];
  /** `counter`, `gauge`, …; empty where none was declared. */
  type: string;
  unit: string;
}

/** The series of a Prometheus sample. Buckets, creation times and infos are no readings. */
export function definePrometheus({ name, labels, type, unit }: PrometheusSeries, intake: Intake): number | Exclusion {
  const branch = intake.known.root.at('P').at(name);
  const key = labels.map(([k, v]) => `${k}\0${v}`).join('\0');
  const known = branch.series.get(key);
  if (known !== undefined && type === '') return known;
  if (
    type === 'info' ||
    (type !== 'gauge' && (name.endsWith('_created') || (name.endsWith('_bucket') && labels.some(([k]) => k === 'le'))))
  )
    return 'notScalar';
  const { key: locationKey, location } = locationAmong(labels);
  const measure = intake.measureOf(name, unit);
  const rest = labels.filter(([k]) => k !== locationKey && !(k === 'job' || k === 'instance'));
  const cumulative = type === 'counter' || ((type === 'histogram' || type === 'summary') && /_(?:count|sum)$/.test(name));
  const mode = cumulative || (type !== 'gauge' && isCounterName(name, measure.quantity)) ? 'counter' : 'gauge';
  return intake.known.remember(branch, key, intake.recorder.defineAt(location, { measure, metric: name, part: partOf(name, rest), mode }));
}
