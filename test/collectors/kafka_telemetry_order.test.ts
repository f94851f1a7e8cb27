import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Input, UnusableInput } from '../../lib/model/collector.ts';
import { collect, inputOf } from './telemetry-inputs.ts';
import { FORMS, messagesOf } from './telemetry-messages.ts';

/** All that a run says of the samples, without how they came. */
async function rollupOf(inputs: Input[]): Promise<unknown> {
  try {
    const { summary, coverage, turns: _turns, ...told } = await collect(inputs);
    const { formats: _formats, excluded: _excluded, notes: _notes, ...rest } = summary;
    return { ...told, summary: rest, observed: coverage.observed };
  } catch (error) {
    if (error instanceof UnusableInput) return 'unusable';
    throw error;
  }
}

/** Puts texts into three files, one of them packed. */
function split(texts: readonly string[], cuts: readonly number[]): Input[] {
  const parts: string[][] = [[], [], []];
  texts.forEach((text, i) => parts[cuts[i % Math.max(1, cuts.length)] ?? 0]?.push(text));
  return parts.map((part, i) => {
    const text = part.join('\n');
    return inputOf(`part-${i}`, i === 1 ? new Uint8Array(gzipSync(text)) : text);
  });
}

function sameInAnyOrder(forms: readonly string[], numRuns: number): Promise<void> {
  return fc.assert(
    fc.asyncProperty(
      messagesOf(forms),
      fc.array(fc.nat(2), { maxLength: 7 }),
      fc.array(fc.nat(49), { maxLength: 20 }),
      fc.infiniteStream(fc.nat()),
      async (texts, cuts, repeats, randoms) => {
        const again = [...texts, ...repeats.flatMap((i) => texts[i] ?? [])];
        const order = again.map((text) => ({ text, at: randoms.next().value ?? 0 })).sort((a, b) => a.at - b.at);
        const other = split(
          order.map(({ text }) => text),
          cuts,
        );
        expect(await rollupOf(other)).toEqual(await rollupOf([inputOf('all', texts.join('\n'))]));
      },
    ),
    { numRuns },
  );
}

describe('the same samples in any order, any split and any repetition', () => {
  it.each(Object.keys(FORMS))('as %s roll up to the same', async (form) => {
    await sameInAnyOrder([form], 10);
  });

  it('in all formats side by side roll up to the same', async () => {
    await sameInAnyOrder(Object.keys(FORMS), 120);
  });
});
