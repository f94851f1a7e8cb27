import * as fc from 'fast-check';
import { flat, NOW } from './telemetry-inputs.ts';

/** What a message of any format is made of. */
interface Reading {
  node: string;
  slot: number;
  value: number | string | null;
  /** Ms since the epoch. */
  time: number;
}

const iso = (time: number): string => new Date(time).toISOString();
const decimal = (value: Reading['value']): number | string => (typeof value === 'number' ? value : 'NaN');
const whole = (value: Reading['value']): number => (typeof value === 'number' ? value : 7);

const event = ({ node, time }: Pick<Reading, 'node' | 'time'>, id: string, Severity: string): string =>
  JSON.stringify({ Context: node, Events: [{ EventTimestamp: iso(time), Severity, Message: id, MessageId: `A.1.0.${id}` }] });

const sensors = ({ node, value, time }: Reading, quantity: string, count: number): object => ({
  MessageId: `CrayTelemetry.${quantity}`,
  EventTimestamp: iso(time),
  Oem: {
    Sensors: Array.from({ length: count }, (_, Index) => ({ Location: node, PhysicalContext: 'CPU', Index, Value: value })),
    TelemetrySource: 'nC',
  },
});

const otlp = ({ node, value, time }: Reading, name: string, kind: object, unit = ''): string => {
  const dataPoints = [{ timeUnixNano: `${time}000000`, ...(typeof value === 'number' ? { asInt: String(value) } : { asDouble: value }) }];
  const [[type, more]] = Object.entries(kind) as [[string, object]];
  return JSON.stringify({
    resourceMetrics: [
      {
        resource: { attributes: [{ key: 'host.name', value: { stringValue: node } }] },
        scopeMetrics: [{ metrics: [{ name, unit, [type]: { ...more, dataPoints } }] }],
      },
    ],
  });
};

/** One reading in each of the formats. */
export const FORMS: Readonly<Record<string, (reading: Reading) => string>> = {
  'Cray events': (r) => JSON.stringify({ Context: r.node, Events: [sensors(r, 'Power', 2)] }),
  'an event that is no list': (r) => JSON.stringify({ Context: r.node, Events: sensors(r, 'Energy', 1) }),
  "the telemetry API's envelope": (r) =>
    JSON.stringify({ metrics: { messages: [{ Context: r.node, Events: [sensors(r, 'Temperature', 1)] }] } }),
  'flat sensors': ({ node, value, time }) => flat(node, 'Temperature', value, time),
  'several in one message': ({ node, value, time }) => flat(node, 'Power', value, time) + flat(node, 'Power', 7, time + 1000),
  "Avro's unions": ({ node, value, time }) => flat(node, 'LiquidFlow', { double: value }, iso(time), { Location: { string: node } }),
  'named readings': ({ node, value, time }) => JSON.stringify({ timestamp: time, location: node, name: 'DIMM 3 Temp', units: 'C', value }),
  'wide records': ({ node, value, time }) =>
    JSON.stringify({ timestamp: Math.floor(time / 1000), host: node, cpu_frequency: value, power: 5, energy: value }),
  Telegraf: ({ node, value, time }) =>
    JSON.stringify({ name: 'ipmi', fields: { temp: value, x_total: value }, tags: { host: node, z: '1', a: '2' }, timestamp: time / 1000 }),
  'Telegraf in batches': ({ node, value, time }) =>
    JSON.stringify({
      metrics: [{ tags: { a: '2', z: '1', host: node }, name: 'ipmi', fields: { x_total: value, temp: value }, timestamp: time }],
    }),
  'prometheus-kafka-adapter': ({ node, value, time }) =>
    JSON.stringify({ timestamp: iso(time), value: String(value ?? ''), name: 'cpu_seconds_total', labels: { node, cpu: '1' } }),
  'OTLP gauges': (r) => otlp(r, 'hw.temperature', { gauge: {} }, 'Cel'),
  'OTLP counters': (r) => otlp(r, 'requests', { sum: { isMonotonic: true, aggregationTemporality: 2 } }),
  'OTLP deltas': (r) => otlp(r, 'errors', { sum: { aggregationTemporality: 1 } }),
  'Prometheus text': ({ node, value, time }) => `# TYPE reads counter\nreads{xname="${node}",a="1"} ${decimal(value)} ${time}`,
  'quoted names': ({ node, value, time }) => `{"my.temp.celsius",xname="${node}"} ${decimal(value)} ${time}`,
  OpenMetrics: ({ node, value, time }) =>
    `# TYPE busy_seconds counter\nbusy_seconds_total{xname="${node}"} ${decimal(value)} ${time / 1000} # {id="a"} 0.5\n# EOF`,
  'line protocol': ({ node, value, time }) => `ipmi,host=${node} fan_rpm=${whole(value)}i,temp=${whole(value)} ${time}000000`,
  'kcat captures': ({ value, time, slot }) =>
    JSON.stringify({
      topic: 'pdu_power',
      ts: time,
      payload: JSON.stringify({ location: `x1002m${slot}`, power: value, timestamp: time }),
    }),
  "a record's own time": ({ node, value, time }) =>
    JSON.stringify({ topic: 'prom', ts: time, payload: `inlet_temp_celsius{xname="${node}"} ${decimal(value)}` }),
  'text without a time': ({ node, value }) => `node_temp_celsius{xname="${node}"} ${decimal(value)}`,
  'hardware events': (r) => event(r, 'Fault', ['Critical', 'Warning', 'OK'][whole(r.value) % 3] as string),
  leaks: (r) => event(r, 'LeakDetected', r.value === 0 ? 'OK' : 'Critical'),
};

const reading = fc
  .record({
    slot: fc.integer({ min: 0, max: 5 }),
    value: fc.oneof(fc.integer({ min: 0, max: 120 }), fc.constantFrom(255, 'NaN', '', null, 3200, 0)),
    seconds: fc.oneof(
      fc.integer({ min: 0, max: 40 }).map((n) => n * 30),
      fc.constantFrom(-900, -130, 5000),
    ),
  })
  .map(({ slot, value, seconds }): Reading => ({ slot, value, node: `x1000c0s${slot}b0n0`, time: NOW - seconds * 1000 }));

/** Messages of some formats about a few subjects, so that samples meet in series, times and limits. */
export function messagesOf(forms: readonly string[]): fc.Arbitrary<string[]> {
  const message = fc.tuple(fc.constantFrom(...forms), reading).map(([form, r]) => (FORMS[form] as (r: Reading) => string)(r));
  return fc.array(message, { minLength: 1, maxLength: 50 });
}
