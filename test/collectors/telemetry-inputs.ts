import { vi } from 'vitest';
import { kafkaTelemetry } from '../../lib/collectors/kafka_telemetry/index.ts';
import type { Collected, Input, Schemas } from '../../lib/model/collector.ts';
import type { JsonObject } from '../../lib/model/json.ts';

// Some of these tests collect thousands of messages, and a shared machine may be slow.
vi.setConfig({ testTimeout: 60_000 });

export const NOW = Date.parse('2026-11-30T08:45:00Z');

/** Whole seconds before {@link NOW}, as ISO text. */
export function ago(seconds: number): string {
  return new Date(NOW - seconds * 1000).toISOString();
}

export function inputOf(name: string, content: string | Uint8Array, more: Partial<Input> = {}): Input {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  return { name, size: bytes.length, bytes: (from = 0) => [bytes.subarray(from)], ...more };
}

export interface CollectSettings {
  carry?: unknown;
  now?: number;
  options?: JsonObject;
  rules?: Record<string, JsonObject>;
  schemas?: Schemas;
}

/** Collects inputs, or one input of lines; a carry goes through JSON as it does in the store. */
export async function collect(inputs: Input[] | string[], settings: CollectSettings = {}): Promise<Collected<unknown>> {
  const { carry, now = NOW, options = {}, rules = {}, schemas } = settings;
  const texts = inputs.filter((i): i is string => typeof i === 'string');
  const all = texts.length > 0 ? [inputOf('window.ndjson', `${texts.join('\n')}\n`)] : (inputs as Input[]);
  return kafkaTelemetry.collect(all, {
    cluster: 'democluster',
    now,
    config: kafkaTelemetry.options.parse(options),
    timezone: 'America/Denver',
    nodeDomains: ['hsn.cm.demo.test'],
    rules,
    ...(schemas && { schemas }),
    ...(carry !== undefined && { carry: kafkaTelemetry.carry.parse(JSON.parse(JSON.stringify(carry))) }),
  });
}

export interface Reading {
  kind: string;
  metric: string;
  part: string;
  unit: string;
  last: number;
  at: string;
  min?: number;
  mean?: number;
  max?: number;
}

/** The last reading of every sensor, as `type:id` of its subject → readings. */
export function readingsOf({ facts = [] }: Collected<unknown>): Map<string, Reading[]> {
  return new Map(facts.map(({ subject, facts: { readings } }) => [`${subject.type}:${subject.id}`, readings as unknown as Reading[]]));
}

/** One reading in HPCM's flat form. */
export function flat(location: string, quantity: string, value: unknown, time: number | string, more: JsonObject = {}): string {
  return JSON.stringify({
    Timestamp: time,
    Location: location,
    TelemetrySource: 'nC',
    MessageId: `CrayTelemetry.${quantity}`,
    ParentalContext: null,
    ParentalIndex: null,
    PhysicalContext: 'CPU',
    Index: 0,
    PhysicalSubContext: null,
    DeviceSpecificContext: null,
    Value: value,
    ...more,
  });
}

/** A node that readings are about where it does not matter which. */
export const NODE = 'x1000c0s0b0n0';

/** Readings of one sensor, the newest last, ten seconds apart and the last one `end` seconds ago. */
export function inRow(location: string, quantity: string, values: readonly unknown[], more: JsonObject = {}, end = 0): string[] {
  return values.map((value, i) => flat(location, quantity, value, ago(end + 10 * (values.length - 1 - i)), more));
}

/** The conditions of a digest in short: kind, subject and a severity of their own. */
export function kindsOf({ conditions }: Collected<unknown>): string[] {
  return conditions.map(({ kind, subject, severity }) => `${kind} ${subject.id}${severity === undefined ? '' : ` ${severity}`}`);
}

export async function kinds(lines: string[], settings: CollectSettings = {}): Promise<string[]> {
  return kindsOf(await collect(lines, settings));
}
