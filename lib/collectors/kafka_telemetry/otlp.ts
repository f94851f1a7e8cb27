import { type Intake, isRecord, type JsonRecord, type MessageContext } from './intake.ts';
import { measureOfName } from './quantity.ts';
import type { Branch } from './known-series.ts';
import { locationIn, LONGEST_COMMON, partOf, seriesBelow } from './records.ts';
import type { Mode } from './recorder.ts';
import { readingOf, textOfField } from './values.ts';

/*
 * OTLP metrics in the JSON encoding of protobuf: 64-bit integers are strings, enums may be names or numbers, and a time
 * of 0 is unknown (opentelemetry-proto, metrics/v1/metrics.proto).
 */

type Labels = (readonly [string, string])[];

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

/** The records of a list; what else stands in it is counted. */
function records(value: unknown, intake: Intake): JsonRecord[] {
  return list(value).filter((entry): entry is JsonRecord => {
    if (isRecord(entry)) return true;
    intake.recorder.exclude('malformed');
    return false;
  });
}

function field(record: JsonRecord, camel: string, snake: string): unknown {
  return record[camel] ?? record[snake];
}

function attributesOf(owner: unknown): Labels {
  if (!isRecord(owner)) return [];
  return list(owner['attributes']).flatMap((attribute): Labels => {
    if (!isRecord(attribute) || typeof attribute['key'] !== 'string' || !isRecord(attribute['value'])) return [];
    const value = attribute['value'];
    const raw =
      field(value, 'stringValue', 'string_value') ??
      field(value, 'intValue', 'int_value') ??
      field(value, 'doubleValue', 'double_value') ??
      field(value, 'boolValue', 'bool_value');
    return [[attribute['key'], typeof raw === 'boolean' ? String(raw) : textOfField(raw)] as const];
  });
}

/** What the points of a metric have in common. */
interface Common {
  name: string;
  unit: string;
  mode: Mode;
  about: ReadonlyMap<string, string>;
  /** Null where their names are too long to be anybody's. */
  branch: Branch | null;
}

/** Takes `{resourceMetrics: [{resource, scopeMetrics: [{metrics}]}]}`: gauges and sums; the rest is no scalar. */
export function takeOtlp(message: JsonRecord, intake: Intake, context: MessageContext): void {
  intake.count('otlp');
  for (const resource of records(field(message, 'resourceMetrics', 'resource_metrics'), intake)) {
    const attributes = attributesOf(resource['resource']);
    const about = new Map(attributes);
    const text = textOf(attributes);
    const branch = text.length > LONGEST_COMMON ? null : intake.known.root.at('O').at(text);
    for (const scope of records(field(resource, 'scopeMetrics', 'scope_metrics'), intake))
      for (const metric of records(scope['metrics'], intake)) takeMetric(metric, { about, branch }, intake, context);
  }
}

function textOf(labels: Labels): string {
  return labels.map(([k, v]) => `${k}\0${v}`).join('\0');
}

function takeMetric(
  metric: JsonRecord,
  { about, branch }: Pick<Common, 'about' | 'branch'>,
  intake: Intake,
  context: MessageContext,
): void {
  const sum = isRecord(metric['sum']) ? metric['sum'] : undefined;
  const scalar = isRecord(metric['gauge']) ? metric['gauge'] : sum;
  if (scalar === undefined) {
    const other = [metric['histogram'], field(metric, 'exponentialHistogram', 'exponential_histogram'), metric['summary']].find(isRecord);
    intake.recorder.exclude('notScalar', Math.max(1, other === undefined ? 1 : list(field(other, 'dataPoints', 'data_points')).length));
    return;
  }
  const name = textOfField(metric['name']);
  const unit = textOfField(metric['unit']);
  const text = `${name}\0${unit}`;
  const common: Common = {
    name,
    unit,
    mode: sum === undefined ? 'gauge' : modeOfSum(sum),
    about,
    branch: text.length > LONGEST_COMMON || branch === null ? null : branch.at(text),
  };
  for (const point of records(field(scalar, 'dataPoints', 'data_points'), intake)) takePoint(point, common, intake, context);
}

function modeOfSum(sum: JsonRecord): Mode {
  const temporality = field(sum, 'aggregationTemporality', 'aggregation_temporality');
  if (temporality === 1 || temporality === 'AGGREGATION_TEMPORALITY_DELTA') return 'delta';
  return field(sum, 'isMonotonic', 'is_monotonic') === true ? 'counter' : 'gauge';
}

function takePoint(point: JsonRecord, { name, unit, mode, about, branch }: Common, intake: Intake, context: MessageContext): void {
  const own = attributesOf(point);
  const describe = () => {
    const byKey = new Map(own);
    const { key, location } = locationIn((k) => (byKey.has(k) ? byKey.get(k) : about.get(k)));
    const measure = measureOfName(name, unit === '1' ? '' : unit);
    const part = partOf(
      name,
      own.filter(([k]) => k !== key),
    );
    return { location, measure, metric: name, part, mode };
  };
  const series = branch === null ? 'noName' : seriesBelow(branch, textOf(own), describe, intake);
  const value = hasNoValue(point) ? undefined : (field(point, 'asDouble', 'as_double') ?? field(point, 'asInt', 'as_int'));
  intake.recorder.record(series, intake.timeOf(field(point, 'timeUnixNano', 'time_unix_nano'), context), readingOf(value));
}

/** Whether a point says that its series has ended (DATA_POINT_FLAGS_NO_RECORDED_VALUE_MASK): what stands for its value is none. */
function hasNoValue({ flags }: JsonRecord): boolean {
  const given = readingOf(flags);
  return typeof given === 'number' && given % 2 === 1;
}
