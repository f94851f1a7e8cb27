import { type Intake, isRecord, type JsonRecord, type MessageContext } from './intake.ts';
import { measureOfName } from './quantity.ts';
import { locationIn, partOf } from './records.ts';
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

/** Takes `{resourceMetrics: [{resource, scopeMetrics: [{metrics}]}]}`: gauges and sums; the rest is no scalar. */
export function takeOtlp(message: JsonRecord, intake: Intake, context: MessageContext): void {
  intake.count('otlp');
  for (const resource of list(field(message, 'resourceMetrics', 'resource_metrics'))) {
    if (!isRecord(resource)) continue;
    const about = attributesOf(resource['resource']);
    for (const scope of list(field(resource, 'scopeMetrics', 'scope_metrics'))) {
      if (!isRecord(scope)) continue;
      for (const metric of list(scope['metrics'])) if (isRecord(metric)) takeMetric(metric, about, intake, context);
    }
  }
}

function takeMetric(metric: JsonRecord, about: Labels, intake: Intake, context: MessageContext): void {
  const sum = isRecord(metric['sum']) ? metric['sum'] : undefined;
  const scalar = isRecord(metric['gauge']) ? metric['gauge'] : sum;
  if (scalar === undefined) {
    const other = [metric['histogram'], field(metric, 'exponentialHistogram', 'exponential_histogram'), metric['summary']].find(isRecord);
    intake.recorder.exclude('notScalar', Math.max(1, other === undefined ? 1 : list(field(other, 'dataPoints', 'data_points')).length));
    return;
  }
  const mode = sum === undefined ? 'gauge' : modeOfSum(sum);
  for (const point of list(field(scalar, 'dataPoints', 'data_points'))) {
    if (isRecord(point)) takePoint(metric, point, mode, about, intake, context);
    else intake.recorder.exclude('malformed');
  }
}

function modeOfSum(sum: JsonRecord): Mode {
  const temporality = field(sum, 'aggregationTemporality', 'aggregation_temporality');
  if (temporality === 1 || temporality === 'AGGREGATION_TEMPORALITY_DELTA') return 'delta';
  return field(sum, 'isMonotonic', 'is_monotonic') === true ? 'counter' : 'gauge';
}

function takePoint(metric: JsonRecord, point: JsonRecord, mode: Mode, about: Labels, intake: Intake, context: MessageContext): void {
  const name = textOfField(metric['name']);
  const unit = textOfField(metric['unit']);
  const own = attributesOf(point);
  const key = `O${name}\0${unit}\0${[...about, ...own].map(([k, v]) => `${k}\0${v}`).join('\0')}`;
  let series = intake.known.get(key);
  if (series === undefined) {
    const all = new Map([...about, ...own]);
    const { key: locationKey, location } = locationIn((k) => all.get(k));
    const measure = measureOfName(name, unit === '1' ? '' : unit);
    const part = partOf(
      name,
      own.filter(([k]) => k !== locationKey),
    );
    series = intake.remember(key, intake.recorder.defineAt(location, { measure, metric: name, part, mode }));
  }
  const value = field(point, 'asDouble', 'as_double') ?? field(point, 'asInt', 'as_int');
  intake.recorder.record(series, intake.timeOf(field(point, 'timeUnixNano', 'time_unix_nano'), context), readingOf(value));
}
