import { fork } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { VERSION } from '../../lib/version.ts';
import { type Answer, type Errand, measureAt, runErrand } from './child.ts';
import { PARTS } from './index.ts';
import type { Measured, Part } from './part.ts';
import { growthTable, Results, table } from './results.ts';

const EVERY_SIZE = '64,1000,12000,40000';
const USAGE = `usage: npm run bench [-- PART… | all] [--sizes ${EVERY_SIZE}] [--against FILE] [--out FILE]
parts: ${PARTS.map((p) => `${p.name} (${p.title})`).join(', ')}
Without sizes: 64,1000,12000; of \`all\`, ${EVERY_SIZE}; of console, 500 MB. Ratios are against the baseline that each part names, measured in
the same run; with FILE (default: what --out held) they are compared.`;

const errand = process.argv[2] === '--errand' ? process.argv[3] : undefined;
if (errand === undefined) await main();
else {
  const asked = JSON.parse(errand) as Errand;
  const answer = await runErrand(PARTS.find((p) => p.name === asked.part) as Part, asked);
  process.send?.(answer, () => process.exit(0));
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      sizes: { type: 'string' },
      out: { type: 'string', default: 'bench-results.json' },
      against: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const all = positionals.includes('all');
  const unknown = positionals.filter((name) => name !== 'all' && !PARTS.some((p) => p.name === name));
  const sizes = values.sizes?.split(',').map(Number);
  const fleets = (all ? EVERY_SIZE : '64,1000,12000').split(',').map(Number);
  if (values.help || unknown.length > 0 || sizes?.some((size) => !(size >= 64 && size <= 40_000))) {
    console.error(USAGE);
    process.exitCode = values.help ? 0 : 2;
    return;
  }
  const before = readResults(values.against ?? values.out);
  const results: Results = {
    schema: 'hpc-observer/bench/1',
    version: VERSION,
    node: process.version,
    processor: cpus()[0]?.model ?? 'unknown',
    parts: { ...before?.parts },
  };
  const parts = PARTS.filter((p) => all || positionals.length === 0 || positionals.includes(p.name));
  for (const part of parts) {
    const measured: Measured[] = [];
    for (const size of (sizes ?? part.sizes ?? fleets).toSorted((a, b) => a - b)) {
      const folder = mkdtempSync(join(tmpdir(), 'hpc-observer-bench-'));
      try {
        measured.push(await measureAt(part, size, folder, sendAway));
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    }
    console.log(table(part, measured, before?.parts[part.name]));
    results.parts[part.name] = measured;
    // Kept as they come: the largest size may be too much for a machine.
    writeFileSync(values.out, `${JSON.stringify(results, null, 1)}\n`);
  }
  const ofFleets = parts.filter((part) => part.unit === undefined);
  if ((sizes ?? fleets).length > 1 && ofFleets.length > 0)
    console.log(growthTable(ofFleets.map((part) => ({ part, measured: results.parts[part.name] ?? [] }))));
  console.log(`\nwritten to ${values.out}`);
}

/** Memory once taken is never given back, so each errand is done by a process that has done nothing before. */
function sendAway(asked: Errand): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const child = fork(new URL(import.meta.url), ['--errand', JSON.stringify(asked)], { execArgv: ['--expose-gc'] });
    let answer: Answer | undefined;
    child.once('message', (message) => (answer = message as Answer));
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      if (answer !== undefined && code === 0) resolve(answer);
      else reject(new Error(`${asked.part} ${asked.what} at ${asked.size} nodes ended with ${signal ?? code}`));
    });
  });
}

function readResults(file: string): Results | null {
  if (!existsSync(file)) return null;
  const parsed = Results.safeParse(JSON.parse(readFileSync(file, 'utf8')));
  if (parsed.success) return parsed.data;
  console.error(`${file} holds no results of this benchmark: nothing is compared`);
  return null;
}
