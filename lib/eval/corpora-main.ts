import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { telemetryCorpora } from './telemetry-corpora.ts';
import { type Case, CAPTURES, missesOf, parseCase, reportedOf, scoreCases } from './corpora.ts';

/** The clock of every digest: results do not depend on the day. */
const NOW = Date.parse('2026-11-30T08:45:00.000Z');

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { recall: { type: 'string', default: '0.97' }, verbose: { type: 'boolean', short: 'v', default: false } },
});
const folder = positionals[0];
if (folder === undefined || !existsSync(folder)) {
  console.error(
    'usage: npm run corpora -- DIR [--recall 0.97] [-v]    DIR holds console/syzkaller-linux and console/serial, or cases themselves',
  );
  process.exit(2);
}

function filesOf(dir: string): string[] {
  if (!existsSync(dir)) return [];
  return readdirSync(dir)
    .map((name) => join(dir, name))
    .filter((path) => statSync(path).isFile());
}

/** The first of the places in which cases or captures may lie. */
function placeOf(name: string): string | undefined {
  return [join(folder as string, 'console', name), join(folder as string, name)].find((dir) => existsSync(dir));
}

const cases: Case[] = filesOf(placeOf('syzkaller-linux') ?? folder).flatMap((path) => {
  const parsed = parseCase(basename(path), readFileSync(path, 'latin1'));
  return parsed ? [{ ...parsed, log: Buffer.from(parsed.log, 'latin1').toString('utf8') }] : [];
});

const score = await scoreCases(cases, NOW);
const misses = cases.length === 0 ? [] : missesOf(score, Number(values.recall));
if (cases.length > 0) {
  console.log('class                        right / cases   share');
  for (const c of [...score.classes, score.negatives]) {
    console.log(
      `${c.name.padEnd(28)} ${String(c.right).padStart(5)} / ${String(c.cases).padEnd(5)}   ${(c.right / Math.max(1, c.cases)).toFixed(4)}`,
    );
  }
  console.log(
    `${'all titled'.padEnd(28)} recall ${score.recall.toFixed(4)}; ${score.unscored} cases in which no kernel speaks are not scored`,
  );
  for (const c of [...score.classes, score.negatives])
    for (const w of c.wrong) console.log(`  wrong: ${w.name} "${w.title}" reported ${w.reported.join(', ') || 'nothing'}`);
}

for (const dir of ['serial', 'gpu', 'conman'].map(placeOf).filter((d) => d !== undefined)) {
  for (const path of filesOf(dir).filter((p) => !p.endsWith('.csv'))) {
    const name = basename(path);
    const reported = await reportedOf(name, readFileSync(path), NOW);
    const shown = [...new Set(reported.filter((r) => r.severity !== 'info').map((r) => r.kind))].sort();
    const beside = [...new Set(reported.filter((r) => r.severity === 'info').map((r) => r.kind))].sort();
    const expected = CAPTURES[name];
    const right = !expected || (shown.join() === [...expected.shows].sort().join() && beside.every((k) => expected.beside?.includes(k)));
    if (!right) misses.push(`${name}: expected ${expected?.shows.join(', ') || 'nothing'}`);
    const verdict = expected ? (right ? 'exact' : 'WRONG') : 'no expectation';
    console.log(`${name}: ${shown.join(', ') || 'nothing'}${beside.length > 0 ? ` (info: ${beside.join(', ')})` : ''} - ${verdict}`);
    if (values.verbose) for (const r of reported) console.log(`  ${r.severity} ${r.kind} ${r.message}`);
  }
}

const telemetry = join(folder, 'telemetry');
if (existsSync(telemetry)) {
  const { table, ok } = await telemetryCorpora(telemetry);
  console.log(table);
  if (!ok) misses.push('telemetry: a valid case is not read whole, or an invalid one is tolerated without a reason');
}

for (const miss of misses) console.log(`MISSED: ${miss}`);
if (cases.length === 0) console.log('no cases of that format were found');
process.exit(misses.length > 0 || cases.length === 0 ? 1 : 0);
