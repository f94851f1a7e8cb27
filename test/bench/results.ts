import * as z from 'zod';
import type { Measured, Part } from './part.ts';

const Stage = z.object({ name: z.string(), ms: z.number(), peak: z.number().exactOptional(), note: z.string().exactOptional() });
const Amount = z.object({ name: z.string(), bytes: z.number() });

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
        amounts: z.array(Amount).exactOptional(),
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
  const unit = part.unit ?? 'nodes';
  for (const measured of all) {
    const { size, baseline, stages, peak } = measured;
    lines.push(
      `\n  ${size.toLocaleString('en')} ${unit}; baseline: ${baseline.name}, ${showMs(baseline.ms)}${baseline.note === undefined ? '' : ` (${baseline.note})`}; peak memory ${showBytes(peak)}`,
      `  ${'stage'.padEnd(46)} ${'×base'.padStart(8)} ${'time'.padStart(10)} ${`µs/${unit.replace(/s$/, '')}`.padStart(9)} ${'growth'.padStart(7)}  before`,
    );
    const smaller = all.findLast((m) => m.size < size);
    const was = before?.find((m) => m.size === size);
    for (const { name, ms, ...said } of stages) {
      const of = (m: Measured | undefined): number | undefined => m?.stages.find((s) => s.name === name)?.ms;
      const ratio = ms / baseline.ms;
      const [less, old] = [of(smaller), of(was)];
      const growth = less === undefined || smaller === undefined ? '' : exponent(ms / less, size / smaller.size);
      const oldRatio = old === undefined || was === undefined ? undefined : old / was.baseline.ms;
      const moved = oldRatio === undefined ? '' : `${oldRatio.toFixed(2)}${verdict(ratio / oldRatio)}`;
      const notes = [said.peak === undefined ? [] : `peak ${showBytes(said.peak)}`, said.note ?? []].flat();
      lines.push(
        `  ${name.padEnd(46)} ${ratio.toFixed(2).padStart(8)} ${showMs(ms).padStart(10)} ${((ms * 1000) / size).toFixed(1).padStart(9)} ${growth.padStart(7)}  ${moved}${notes.length === 0 ? '' : `  (${notes.join(', ')})`}`,
      );
    }
    for (const { name, bytes } of measured.amounts ?? []) lines.push(`  ${name.padEnd(46)} ${showBytes(bytes).padStart(19)}`);
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
  const power = powerOf(cost, size);
  return Number.isFinite(power) ? `n^${power.toFixed(2)}` : '';
}

function verdict(change: number): string {
  if (change > 1 + MOVED) return ` → ${change.toFixed(2)} × WORSE`;
  return change < 1 / (1 + MOVED) ? ` → ${change.toFixed(2)} × better` : '';
}

/** Growth up to this power of the size counts as linear: logarithms, and what a machine's mood adds. */
const LINEAR = 1.1;
/** Below this size what is always paid hides how cost grows. */
const SMALL = 1000;

/** How everything grows with the fleet: a row for each stage and amount, a column for each size. */
export function growthTable(all: readonly { part: Part; measured: readonly Measured[] }[]): string {
  const sizes = [...new Set(all.flatMap(({ measured }) => measured.map((m) => m.size)))].sort((a, b) => a - b);
  const from = sizes.find((size) => size >= SMALL) ?? sizes[0];
  const to = sizes.at(-1);
  const row = (name: string, cells: readonly string[], growth: string): string =>
    `  ${name.padEnd(60)} ${cells.map((cell) => cell.padStart(10)).join(' ')}  ${growth}`;
  const lines = [
    '\ngrowth with the fleet, in nodes',
    row(
      '',
      sizes.map((size) => size.toLocaleString('en')),
      `from ${from?.toLocaleString('en')} on`,
    ),
  ];
  for (const { part, measured } of all) {
    const things = (m: Measured): [string, number, string][] => [
      ...m.stages.map((s): [string, number, string] => [s.name, s.ms, showMs(s.ms)]),
      ...m.stages.flatMap((s): [string, number, string][] =>
        s.peak === undefined ? [] : [[`${s.name}, memory`, s.peak, showBytes(s.peak)]],
      ),
      ...(m.amounts ?? []).map((a): [string, number, string] => [a.name, a.bytes, showBytes(a.bytes)]),
    ];
    const bySize = new Map(measured.map((m) => [m.size, new Map(things(m).map(([name, amount, shown]) => [name, { amount, shown }]))]));
    for (const name of new Set(measured.flatMap((m) => things(m).map(([thing]) => thing)))) {
      const at = (size: number | undefined): number | undefined => bySize.get(size ?? 0)?.get(name)?.amount;
      const [less, more] = [at(from), at(to)];
      const power = less === undefined || more === undefined || from === to ? Number.NaN : powerOf(more / less, (to ?? 1) / (from ?? 1));
      const growth = Number.isFinite(power) ? `n^${power.toFixed(2)}${power > LINEAR ? ' MORE THAN LINEAR' : ''}` : '';
      lines.push(
        row(
          `${part.name} · ${name}`,
          sizes.map((size) => bySize.get(size)?.get(name)?.shown ?? ''),
          growth,
        ),
      );
    }
  }
  return lines.join('\n');
}

function powerOf(cost: number, size: number): number {
  return Math.log(cost) / Math.log(size);
}

function showBytes(bytes: number): string {
  return bytes >= 2 ** 20 ? `${Math.round(bytes / 2 ** 20)} MiB` : `${(bytes / 1024).toFixed(1)} KiB`;
}

function showMs(ms: number): string {
  return ms >= 100 ? `${Math.round(ms)} ms` : `${ms.toFixed(ms >= 10 ? 1 : 2)} ms`;
}
