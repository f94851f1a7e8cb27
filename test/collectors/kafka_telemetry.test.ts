import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { kafkaTelemetry } from '../../lib/collectors/kafka_telemetry/index.ts';
import type { Collected, Input } from '../../lib/model/collector.ts';

const NOW = Date.parse('2026-11-30T08:45:00Z');

function dayInputs(day: 'healthy' | 'faulty'): Input[] {
  const folder = join(import.meta.dirname, '../../fixtures/democluster', day, 'telemetry');
  return readdirSync(folder).map((name) => ({
    name,
    size: statSync(join(folder, name)).size,
    bytes: () => [readFileSync(join(folder, name))],
  }));
}

async function collect(inputs: Input[], carry?: unknown, now = NOW): Promise<Collected<unknown>> {
  return kafkaTelemetry.collect(inputs, {
    cluster: 'democluster',
    now,
    config: kafkaTelemetry.options.parse({}),
    timezone: 'America/Denver',
    nodeDomains: ['hsn.cm.demo.test'],
    rules: {},
    ...(carry !== undefined && { carry: kafkaTelemetry.carry.parse(JSON.parse(JSON.stringify(carry))) }),
  });
}

describe('the democluster', () => {
  it('is quiet on the healthy day, sentinel values and an idle node included', async () => {
    const { conditions, coverage, summary } = await collect(dayInputs('healthy'));
    expect(conditions).toEqual([]);
    expect(coverage.rejected).toBe(0);
    expect(coverage.observed['node']).toBe('x[1000-1002]c0s[0-5]b[0-1]n[0-1]');
    expect(summary['excluded']).toEqual({ sentinel: 9 });
  });

  it('tells the stories of the faulty day', async () => {
    const { conditions, coverage, summary } = await collect(dayInputs('faulty'));
    expect(conditions.map(({ kind, severity, subject, part }) => [kind, severity, subject.id, part])).toEqual([
      ['leak_detected', 'critical', 'd0', 'LeakDetectors/Rope1'],
      ['power_lost', undefined, 'x1002m0', 'power'],
      ['telemetry_gap', undefined, 'x1002c0s5b0n0', 'all sensors'],
      ['telemetry_gap', undefined, 'x1002c0s5b0n1', 'all sensors'],
      ['telemetry_gap', undefined, 'x1002c0s5b1n0', 'all sensors'],
      ['telemetry_gap', undefined, 'x1002c0s5b1n1', 'all sensors'],
      ['temperature_high', 'warning', 'x1001c0s3b0', 'CoolingSubsystem0/Coolant Inlet Temp'],
    ]);
    expect(coverage.observed['node']).toBe('x[1000-1001]c0s[0-5]b[0-1]n[0-1],x1002c0s[0-4]b[0-1]n[0-1]');
    expect(JSON.stringify(summary).length).toBeLessThan(6144);
  });

  it('tells the same of the same files five minutes later', async () => {
    const first = await collect(dayInputs('faulty'));
    const second = await collect(dayInputs('faulty'), first.carry, NOW + 300_000);
    expect(second.conditions).toEqual(first.conditions);
    expect(second.summary).toEqual(first.summary);
    expect(second.carry).toEqual(first.carry);
  });
});
