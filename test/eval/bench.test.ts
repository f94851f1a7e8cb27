import { describe, expect, it } from 'vitest';
import { type Errand, measureAt, runErrand } from '../bench/child.ts';
import type { Measured, Part } from '../bench/part.ts';
import { costliest, growthTable, Results, table } from '../bench/results.ts';

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

  it('tells growth from 1,000 nodes on, and what grows more than the fleet', () => {
    const tiny = measured(64, { 'first: digest': 20 });
    const text = growthTable([{ part, measured: [tiny, ...[1000, 10_000].map(growing)] }]);
    expect(row(text, 'run · first: digest')).toEqual(['20.0 ms', '1000 ms', '10000 ms', 'n^1.00']);
    expect(row(text, 'run · pairs')).toEqual(['1000 ms', '100000 ms', 'n^2.00 MORE THAN LINEAR']);
    expect(row(text, 'run · all at once, memory')).toEqual(['100 MiB', '100 MiB', 'n^0.00']);
    expect(row(text, 'run · prompt')).toEqual(['2.0 KiB', '2.0 KiB', 'n^0.00']);
  });
});

/** One stage linear, one quadratic, memory and an amount that do not grow. */
function growing(size: number): Measured {
  const m = measured(size, { 'first: digest': size, pairs: size ** 2 / 1000 });
  m.stages.push({ name: 'all at once', ms: 5, peak: 100 * 2 ** 20 });
  return { ...m, amounts: [{ name: 'prompt', bytes: 2048 }] };
}

describe('a part', () => {
  it('is prepared, measured, and run alone in processes apart, in that order', async () => {
    const asked: string[] = [];
    const small: Part = {
      ...part,
      prepare: () => undefined,
      measure: async () => ({ baseline: { name: 'nothing', ms: 1 }, stages: [{ name: 'a', ms: 2 }] }),
      alone: { whole: async () => ({ ms: 7, note: 'seven', amounts: [{ name: 'report', bytes: 3 }] }) },
    };
    const { peak, stages, ...rest } = await measureAt(small, 64, '/nowhere', (errand: Errand) => {
      asked.push(errand.what);
      return runErrand(small, errand);
    });
    expect(asked).toEqual(['prepare', 'measure', 'whole']);
    expect(rest).toEqual({ size: 64, baseline: { name: 'nothing', ms: 1 }, amounts: [{ name: 'report', bytes: 3 }] });
    expect(stages).toEqual([
      { name: 'a', ms: 2 },
      { name: 'whole', ms: 7, note: 'seven', peak: expect.any(Number) },
      { name: 'whole, processor', ms: expect.any(Number) },
    ]);
    expect(peak).toBeGreaterThan(2 ** 20);
  });
});
