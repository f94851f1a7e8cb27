import * as z from 'zod';
import type { Measured, Part } from './part.ts';

const Stage = z.object({ name: z.string(), ms: z.number(), note: z.string().exactOptional() });

/** What a benchmark leaves behind for the next one to be compared with. */
export const Results = z.object({
  schema: z.literal('hpc-observer/bench/1'),
  version: z.string(),
  node: z.string(),
  processor: z.string(),
  parts: z.record(
    z.string(),
    z.array(
      z.object({
        size: z.number(),
        baseline: Stage,
        stages: z.array(Stage),
        whole: z.string().exactOptional(),
        peak: z.number(),
      }),
    ),
  ),
});
export type Results = z.infer<typeof Results>;

/** Ratios that moved by more than this share are worth a word: what is less is the machine's mood. */
const MOVED = 0.25;

/** A part's measurements as a table: multiples of the baseline, cost a node, and how cost grows from size to size. */
export function table(part: Part, all: readonly Measured[], before: readonly Measured[] | undefined): string {
  const lines: string[] = [`\n${part.title} (${part.name}), ${part.clock === 'wall' ? 'by the clock' : 'processor time'}`];
  for (const measured of all) {
    const { size, baseline, stages, peak } = measured;
    lines.push(
      `\n  ${size.toLocaleString('en')} nodes; baseline: ${baseline.name}, ${showMs(baseline.ms)}; peak memory ${Math.round(peak / 2 ** 20)} MiB`,
      `  ${'stage'.padEnd(46)} ${'×base'.padStart(8)} ${'time'.padStart(10)} ${'µs/node'.padStart(9)} ${'growth'.padStart(7)}  before`,
    );
    const smaller = all.findLast((m) => m.size < size);
    const was = before?.find((m) => m.size === size);
    for (const { name, ms, note } of stages) {
      const of = (m: Measured | undefined): number | undefined => m?.stages.find((s) => s.name === name)?.ms;
      const ratio = ms / baseline.ms;
      const [less, old] = [of(smaller), of(was)];
      const growth = less === undefined || smaller === undefined ? '' : exponent(ms / less, size / smaller.size);
      const oldRatio = old === undefined || was === undefined ? undefined : old / was.baseline.ms;
      const moved = oldRatio === undefined ? '' : `${oldRatio.toFixed(2)}${verdict(ratio / oldRatio)}`;
      lines.push(
        `  ${name.padEnd(46)} ${ratio.toFixed(2).padStart(8)} ${showMs(ms).padStart(10)} ${((ms * 1000) / size).toFixed(1).padStart(9)} ${growth.padStart(7)}  ${moved}${note === undefined ? '' : `  (${note})`}`,
      );
    }
    const worst = costliest(measured);
    if (worst !== null) lines.push(`  costliest stage: ${worst.name}, ${Math.round(worst.share * 100)} % of the whole`);
  }
  return lines.join('\n');
}

/** The stage that takes most of the whole, and its share. */
export function costliest({ whole, stages }: Measured): { name: string; share: number } | null {
  const total = stages.find((s) => s.name === whole);
  if (whole === undefined || !total) return null;
  const prefix = whole.slice(0, whole.indexOf(':') + 1);
  const worst = stages.filter((s) => s !== total && s.name.startsWith(prefix)).sort((a, b) => b.ms - a.ms)[0];
  return worst ? { name: worst.name, share: worst.ms / total.ms } : null;
}

/** `n^1.02`: with what power of the size a cost grows. */
function exponent(cost: number, size: number): string {
  const power = Math.log(cost) / Math.log(size);
  return Number.isFinite(power) ? `n^${power.toFixed(2)}` : '';
}

function verdict(change: number): string {
  if (change > 1 + MOVED) return ` → ${change.toFixed(2)} × WORSE`;
  return change < 1 / (1 + MOVED) ? ` → ${change.toFixed(2)} × better` : '';
}

function showMs(ms: number): string {
  return ms >= 100 ? `${Math.round(ms)} ms` : `${ms.toFixed(ms >= 10 ? 1 : 2)} ms`;
}
