import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { VERSION } from '../version.ts';
import { PARTS } from './bench/index.ts';
import type { Measured } from './bench/part.ts';
import { Results, table } from './bench/results.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sizes: { type: 'string', default: '64,1000,12000' },
    out: { type: 'string', default: 'bench-results.json' },
    against: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

const unknown = positionals.filter((name) => !PARTS.some((p) => p.name === name));
const sizes = values.sizes.split(',').map(Number);
if (values.help || unknown.length > 0 || sizes.some((size) => !(size >= 64 && size <= 40_000))) {
  console.error(
    `usage: npm run bench [-- PART…] [--sizes 64,1000,12000,40000] [--against FILE] [--out FILE]
parts: ${PARTS.map((p) => `${p.name} (${p.title})`).join(', ')}
Ratios are against the baseline that each part names, measured in the same run; against FILE (default: what --out held) they are compared.`,
  );
  process.exit(values.help ? 0 : 2);
}

const before = readResults(values.against ?? values.out);
const results: Results = {
  schema: 'hpc-observer/bench/1',
  version: VERSION,
  node: process.version,
  processor: cpus()[0]?.model ?? 'unknown',
  parts: { ...before?.parts },
};
for (const part of positionals.length === 0 ? PARTS : PARTS.filter((p) => positionals.includes(p.name))) {
  const measured: Measured[] = [];
  for (const size of sizes.toSorted((a, b) => a - b)) {
    const folder = mkdtempSync(join(tmpdir(), 'hpc-observer-bench-'));
    try {
      globalThis.gc?.();
      const { maxRSS } = process.resourceUsage();
      const made = await part.measure(size, folder);
      measured.push({ size, ...made, peak: Math.max(maxRSS, process.resourceUsage().maxRSS) * 1024 });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  console.log(table(part, measured, before?.parts[part.name]));
  results.parts[part.name] = measured;
}
writeFileSync(values.out, `${JSON.stringify(results, null, 1)}\n`);
console.log(`\nwritten to ${values.out}`);

function readResults(file: string): Results | null {
  if (!existsSync(file)) return null;
  const parsed = Results.safeParse(JSON.parse(readFileSync(file, 'utf8')));
  if (parsed.success) return parsed.data;
  console.error(`${file} holds no results of this benchmark: nothing is compared`);
  return null;
}
