import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { kafkaTelemetry } from '../collectors/kafka_telemetry/index.ts';
import { type PrometheusDialect, type PrometheusFault, PrometheusText } from '../collectors/kafka_telemetry/prometheus-text.ts';
import { UnusableInput } from '../model/collector.ts';
import { compareNames } from '../model/text.ts';
import { edgeCases } from './telemetry-edges.ts';

const Cases = z.array(z.object({ name: z.string(), shouldParse: z.boolean(), text: z.string(), err: z.string().nullish() }));
type Case = z.infer<typeof Cases>[number];

/** Why cases of a class may be read line by line though the text as a whole is invalid. */
const TOLERATED: ReadonlyMap<string, string> = new Map([
  ['bad_clashing_names', 'a family whose name is another one with a suffix: each sample still has one series'],
  ['bad_counter_values', 'negative sums, which are right where buckets are negative: buckets are not compared with sums'],
  ['bad_grouping_or_ordering', 'the order of lines makes no difference to a roll-up'],
  ['bad_histograms', 'buckets are not rolled up, so that what is missing among them is not missed'],
  ['testTextParseError_18', 'a last line without its line feed is a whole line to us'],
]);

/** Cases that JSON could not carry: a byte that is no UTF-8. */
const UNUSABLE = new Set(['testTextParseError_38']);

interface Reading {
  faults: { line: number; fault: PrometheusFault }[];
  /** Line numbers that gave a sample. */
  sampled: Set<number>;
}

function read(text: string, dialect: PrometheusDialect): Reading {
  const reading: Reading = { faults: [], sampled: new Set() };
  let line = 0;
  const parser = new PrometheusText<null>(
    {
      define: () => null,
      sample: () => reading.sampled.add(line),
      fault: (at, fault) => reading.faults.push({ line: at, fault }),
    },
    { dialect },
  );
  for (const one of text.replace(/\n$/, '').split('\n')) {
    line++;
    parser.line(one);
  }
  parser.end();
  return reading;
}

/** The numbers of lines that state a sample. */
function statedLines(text: string): number[] {
  return text.split('\n').flatMap((line, i) => (/^\s*(?:#|$)/.test(line) ? [] : [i + 1]));
}

/** A class of cases: `bad_value_7` is one of `bad_value`. */
function classOf({ name }: Case): string {
  return name.startsWith('testText') ? name : name.replace(/_\d+$/, '');
}

interface Suite {
  title: string;
  file: string;
  dialect: PrometheusDialect;
}

const SUITES: readonly Suite[] = [
  { title: 'Prometheus text 0.0.4 (expfmt)', file: 'openmetrics/expfmt-cases.json', dialect: 'prometheus' },
  { title: 'OpenMetrics 1.0', file: 'openmetrics/openmetrics-cases.json', dialect: 'openmetrics' },
];

/**
 * Runs the conformance cases of both Prometheus text formats, and collects every capture beside them.
 * @param dir a folder with the cases in `openmetrics/` and captures in any of the collector's formats
 * @returns a table for people, and whether every valid case is read whole and every invalid one rejected, or tolerated
 * for a stated reason
 */
export async function telemetryCorpora(dir: string): Promise<{ table: string; ok: boolean }> {
  const lines: string[] = [];
  let ok = true;
  for (const suite of SUITES) {
    const cases = Cases.parse(JSON.parse(await readFile(join(dir, suite.file), 'utf8'))).filter(({ name }) => !UNUSABLE.has(name));
    const result = suite.dialect === 'prometheus' ? judgeByLine(cases) : judgeByClass(cases);
    lines.push(`${suite.title}: ${cases.length} cases`, ...result.lines.map((line) => `  ${line}`));
    ok &&= result.ok;
  }
  const edges = await edgeCases(join(dir, 'edge-cases.json'));
  const captures = await collectCaptures(dir);
  return { table: [...lines, ...edges.lines, ...captures.lines].join('\n'), ok: ok && edges.ok && captures.ok };
}

interface Judged {
  lines: string[];
  ok: boolean;
}

function judgeValid(cases: readonly Case[], dialect: PrometheusDialect): Judged {
  const valid = cases.filter(({ shouldParse }) => shouldParse);
  const wrong = valid.filter(({ text }) => {
    const { faults, sampled } = read(text, dialect);
    return faults.length > 0 || statedLines(text).some((line) => !sampled.has(line));
  });
  return {
    lines: [`valid: ${valid.length - wrong.length} of ${valid.length} read whole`, ...wrong.map(({ name }) => `  NOT READ ${name}`)],
    ok: wrong.length === 0,
  };
}

/** The old format's invalid cases name the line at fault: that one must go, and the other ones stay. */
function judgeByLine(cases: readonly Case[]): Judged {
  const { lines, ok } = judgeValid(cases, 'prometheus');
  const invalid = cases.filter(({ shouldParse }) => !shouldParse);
  const failures: string[] = [];
  let rejected = 0;
  for (const one of invalid) {
    const { faults, sampled } = read(one.text, 'prometheus');
    const at = Number(/line (\d+)/.exec(one.err ?? '')?.[1]);
    const tolerated = TOLERATED.get(one.name);
    if (faults.length === 0 && tolerated !== undefined) lines.push(`tolerated: ${one.name}: ${tolerated}`);
    else if (faults.length === 0) failures.push(`NOT REJECTED ${one.name}: ${one.err ?? ''}`);
    else {
      const lost = statedLines(one.text).filter((line) => !sampled.has(line) && !faults.some((fault) => fault.line === line));
      if (Math.abs((faults[0]?.line ?? 0) - at) > 1 || lost.length > 0)
        failures.push(`WRONG LINE ${one.name}: ${one.err ?? ''}; at fault ${faults.map((f) => f.line).join(', ')}`);
      else rejected++;
    }
  }
  return {
    lines: [...lines, `invalid: ${rejected} of ${invalid.length} rejected at the line at fault, the other lines read`, ...failures],
    ok: ok && failures.length === 0,
  };
}

/** OpenMetrics' invalid cases by class: how many are rejected, and why the others may be read. */
function judgeByClass(cases: readonly Case[]): Judged {
  const { lines, ok } = judgeValid(cases, 'openmetrics');
  const classes = new Map<string, { rejected: number; tolerated: number }>();
  for (const one of cases.filter(({ shouldParse }) => !shouldParse)) {
    const counts = classes.get(classOf(one)) ?? { rejected: 0, tolerated: 0 };
    if (read(one.text, 'openmetrics').faults.length > 0) counts.rejected++;
    else counts.tolerated++;
    classes.set(classOf(one), counts);
  }
  const sorted = [...classes].sort(([a], [b]) => compareNames(a, b));
  const total = sorted.reduce((n, [, counts]) => n + counts.rejected + counts.tolerated, 0);
  const rejected = sorted.reduce((n, [, counts]) => n + counts.rejected, 0);
  const unexplained = sorted.filter(([name, { tolerated }]) => tolerated > 0 && !TOLERATED.has(name));
  return {
    lines: [
      ...lines,
      `invalid: ${rejected} of ${total} rejected`,
      ...sorted.map(([name, counts]) => {
        const why = counts.tolerated > 0 ? `, ${counts.tolerated} tolerated: ${TOLERATED.get(name) ?? 'NO REASON'}` : '';
        return `  ${name.padEnd(44)} ${String(counts.rejected).padStart(3)} rejected${why}`;
      }),
    ],
    ok: ok && unexplained.length === 0,
  };
}

/** Collects each capture in the folder by itself, dated by its own newest sample. */
async function collectCaptures(dir: string): Promise<Judged> {
  const lines = ['captures:'];
  let ok = true;
  const names = (await readdir(dir, { withFileTypes: true })).filter((entry) => entry.isFile()).map((entry) => entry.name);
  for (const name of names.toSorted(compareNames)) {
    const bytes = await readFile(join(dir, name));
    try {
      const { coverage, summary } = await kafkaTelemetry.collect([{ name, size: bytes.length, bytes: () => [bytes] }], {
        cluster: 'corpora',
        now: Date.now(),
        config: kafkaTelemetry.options.parse({ window: '7d' }),
        timezone: 'UTC',
        nodeDomains: [],
        rules: {},
      });
      const facts = {
        samples: summary['samples'],
        rejected: coverage.rejected,
        formats: summary['formats'],
        excluded: summary['excluded'],
      };
      lines.push(`  ${name.padEnd(34)} ${JSON.stringify(facts)}`);
    } catch (error) {
      // A file that holds none is said to hold none; anything else is a fault of ours.
      ok &&= error instanceof UnusableInput;
      lines.push(`  ${name.padEnd(34)} ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { lines, ok };
}
