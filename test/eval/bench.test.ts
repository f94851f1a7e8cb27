import { describe, expect, it } from 'vitest';
import type { Measured, Part } from '../../lib/eval/bench/part.ts';
import { costliest, Results, table } from '../../lib/eval/bench/results.ts';

const part: Part = { name: 'run', title: 'a run', clock: 'processor', measure: () => Promise.reject(new Error('not here')) };

function measured(size: number, stages: Record<string, number>, baseline = 10): Measured {
  return {
    size,
    baseline: { name: 'read the files', ms: baseline },
    stages: Object.entries(stages).map(([name, ms]) => ({ name, ms })),
    whole: 'first: all',
    peak: 100 * 2 ** 20,
  };
}

/** The cells of a stage's row. */
function row(text: string, stage: string): string[] {
  const line = text.split('\n').findLast((l) => l.trim().startsWith(stage)) ?? '';
  return line.trim().slice(stage.length).trim().split(/ {2,}/);
}

describe('the table of a benchmark', () => {
  const small = measured(100, { 'first: all': 30, 'first: digest': 20, 'next: digest': 500 });
  const large = measured(10_000, { 'first: all': 4000, 'first: digest': 2000, 'first: store': 1999, 'next: digest': 9000 }, 100);

  it('tells multiples of the baseline, cost a node, and the power of the size with which it grows', () => {
    const text = table(part, [small, large], undefined);
    expect(row(text, 'first: digest')).toEqual(['20.00', '2000 ms', '200.0', 'n^1.00']);
    expect(text).toContain('10,000 nodes; baseline: read the files, 100 ms; peak memory 100 MiB');
  });

  it('names the costliest stage of the whole, and no other', () => {
    expect(costliest(large)).toEqual({ name: 'first: digest', share: 0.5 });
    expect(table(part, [large], undefined)).toContain('costliest stage: first: digest, 50 % of the whole');
    const { whole: _, ...parts } = large;
    expect(costliest(parts)).toBeNull();
  });

  it('compares ratios with those before, whatever the machine took for its baseline', () => {
    const sameOnASlowMachine = measured(10_000, { 'first: digest': 4000, 'first: store': 5000, 'next: digest': 8000 }, 200);
    const text = table(part, [sameOnASlowMachine], [large]);
    expect(row(text, 'first: digest').at(-1)).toBe('20.00');
    expect(row(text, 'first: store').at(-1)).toBe('19.99 → 1.25 × WORSE');
    expect(row(text, 'next: digest').at(-1)).toBe('90.00 → 0.44 × better');
  });

  it('is kept in a form that is read again', () => {
    const results = { schema: 'hpc-observer/bench/1', version: '0.1.0', node: 'v20', processor: 'one', parts: { run: [small, large] } };
    expect(Results.parse(JSON.parse(JSON.stringify(results)))).toEqual(results);
  });
});
