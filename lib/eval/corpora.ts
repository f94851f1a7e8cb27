import { consoleLogs } from '../collectors/console_logs/index.ts';
import type { Collected, Input } from '../model/collector.ts';

/** One labelled console report in the format of google/syzkaller's `pkg/report/testdata`. */
export interface Case {
  name: string;
  /** The title that an expert gave it; undefined = a negative control. */
  title?: string;
  log: string;
}

/** A kind that a case reported, with its severity. */
export interface Reported {
  kind: string;
  severity: string;
  part?: string;
  message: string;
}

/** A class of titles, and the kinds of which one must be among those reported. */
export interface TitleClass {
  name: string;
  kinds: readonly string[];
}

export interface ClassScore {
  name: string;
  cases: number;
  right: number;
  wrong: { name: string; title: string; reported: string[] }[];
}

const HEADER = /^(?:TITLE|ALT|TYPE|FRAME|START|END|CORRUPTED|SUPPRESSED|PANICKED|EXECUTOR): ?|^(?:TITLE|ALT|TYPE):$/;

/**
 * Reads a case: header lines up to the first empty line, then the log, which ends at the file's end or at a line
 * `REPORT:` behind an empty line. A file whose first line is empty is a negative control.
 * @returns null for what has another format
 */
export function parseCase(name: string, content: string): Case | null {
  const lines = content.replaceAll('\r', '').split('\n');
  const end = lines.indexOf('');
  if (end < 0) return null;
  const header = lines.slice(0, end);
  if (header.some((line) => !line.startsWith('#') && !HEADER.test(line))) return null;
  const title = header
    .find((line) => line.startsWith('TITLE:'))
    ?.slice('TITLE:'.length)
    .trim();
  const body = lines.slice(end + 1);
  const report = body.findIndex((line, i) => line === 'REPORT:' && (i === 0 || body[i - 1] === ''));
  return { name, ...(title && { title }), log: (report < 0 ? body : body.slice(0, report)).join('\n') };
}

/** Every kind by which a kernel's own trouble may be reported. */
const KERNEL_KINDS = [
  'kernel_panic',
  'kernel_oops',
  'kernel_bug',
  'kernel_warning',
  'soft_lockup',
  'hard_lockup',
  'rcu_stall',
  'hung_task',
  'oom',
  'page_alloc_fail',
  'unexpected_reboot',
];

const CLASSES: readonly (readonly [RegExp, TitleClass | null])[] = [
  // No kernel speaks here: the fuzzer's own failures, and run-time errors of Go and Rust programs.
  [/^(?:SYZFAIL|SYZFATAL)\b|go runtime error|^attempt to \w+ with overflow|^panic: |^rust /i, null],
  [/^kernel panic/i, { name: 'kernel panic', kinds: ['kernel_panic'] }],
  [/soft lockup/, { name: 'soft lockup', kinds: ['soft_lockup'] }],
  [/rcu detected stall/, { name: 'rcu stall', kinds: ['rcu_stall'] }],
  [/task hung|can't die/, { name: 'hung task', kinds: ['hung_task'] }],
  [
    /general protection fault|unable to handle|kernel BUG|divide error|double fault|invalid opcode|stack segment|Internal error|Unhandled fault|stack guard/i,
    { name: 'oops', kinds: ['kernel_oops', 'kernel_bug'] },
  ],
  [
    /WARNING|deadlock|lock state|refcount|non-static key|locking bug|unlock balance|lock freed|locks? held|suspicious RCU|lock inversion|nested lock|lock order/i,
    { name: 'warning, lockdep', kinds: ['kernel_warning', 'kernel_bug'] },
  ],
  [/BUG:|KASAN|KMSAN|KCSAN|KFENCE|UBSAN|Bad page/, { name: 'other BUG, sanitizers', kinds: KERNEL_KINDS }],
];

/** The class of a title; null where no kernel speaks. */
export function classOf(title: string): TitleClass | null {
  for (const [pattern, titleClass] of CLASSES) if (pattern.test(title)) return titleClass;
  return { name: 'other', kinds: KERNEL_KINDS };
}

/** What a log that was just written shows, read whole. */
export async function digestLog(name: string, bytes: Uint8Array, now: number): Promise<Collected<unknown>> {
  const input: Input = { name, size: bytes.length, mtime: new Date(now).toISOString(), bytes: (from = 0) => [bytes.subarray(from)] };
  return consoleLogs.collect([input], {
    cluster: 'corpora',
    now,
    config: consoleLogs.options.parse({ first_sight: 'all' }),
    timezone: 'UTC',
    nodeDomains: [],
    rules: {},
  });
}

export async function reportedOf(name: string, bytes: Uint8Array, now: number): Promise<Reported[]> {
  if (bytes.length === 0) return [];
  const { conditions } = await digestLog(`${name}.log`, bytes, now);
  return conditions.map((c) => ({
    kind: c.kind,
    severity: c.severity ?? '',
    message: c.message,
    ...(c.part !== undefined && { part: c.part }),
  }));
}

export interface Score {
  classes: ClassScore[];
  negatives: ClassScore;
  /** Cases in which no kernel speaks. */
  unscored: number;
  recall: number;
}

/** Scores cases: right is a case when a kind that fits its title is among those reported, or when a negative reports nothing. */
export async function scoreCases(cases: readonly Case[], now: number): Promise<Score> {
  const classes = new Map<string, ClassScore>();
  const negatives: ClassScore = { name: 'negative controls', cases: 0, right: 0, wrong: [] };
  let unscored = 0;
  for (const item of cases) {
    const reported = await reportedOf(item.name, new TextEncoder().encode(item.log), now);
    const kinds = reported.map((r) => r.kind);
    if (item.title === undefined) {
      count(negatives, item, kinds, kinds.length === 0);
      continue;
    }
    const titleClass = classOf(item.title);
    if (!titleClass) {
      unscored++;
      continue;
    }
    let score = classes.get(titleClass.name);
    if (!score) {
      score = { name: titleClass.name, cases: 0, right: 0, wrong: [] };
      classes.set(titleClass.name, score);
    }
    count(
      score,
      item,
      kinds,
      kinds.some((k) => titleClass.kinds.includes(k)),
    );
  }
  const all = [...classes.values()].sort((a, b) => b.cases - a.cases);
  const total = all.reduce((n, c) => n + c.cases, 0);
  return { classes: all, negatives, unscored, recall: total === 0 ? 1 : all.reduce((n, c) => n + c.right, 0) / total };
}

function count(score: ClassScore, item: Case, reported: string[], right: boolean): void {
  score.cases++;
  if (right) score.right++;
  else score.wrong.push({ name: item.name, title: item.title ?? '(none)', reported });
}

/** Classes of which no case may be missed. */
const PERFECT = ['kernel panic', 'soft lockup', 'rcu stall', 'hung task'];

/** What a score misses of what is asked; empty = nothing. */
export function missesOf(score: Score, recall: number): string[] {
  const misses: string[] = [];
  if (score.recall < recall) misses.push(`recall ${score.recall.toFixed(4)} is below ${recall}`);
  for (const c of score.classes)
    if (PERFECT.includes(c.name) && c.right < c.cases) misses.push(`${c.name}: ${c.cases - c.right} of ${c.cases} missed`);
  if (score.negatives.right < score.negatives.cases)
    misses.push(`${score.negatives.cases - score.negatives.right} of ${score.negatives.cases} negative controls report something`);
  return misses;
}

/** The kinds at warning or above that each known capture shows, exactly; and those that may stand beside them as information. */
export const CAPTURES: Readonly<Record<string, { shows: readonly string[]; beside?: readonly string[] }>> = {
  'panic.log': { shows: ['kernel_panic'], beside: ['kernel_oops'] },
  'dracut-emergency.log': { shows: ['emergency_shell'], beside: ['boot_failed'] },
  'clean-boot.log': { shows: [] },
  'xid-119.log': { shows: ['gpu_xid'], beside: ['kernel_warning'] },
  'pstore-panic.txt': { shows: ['kernel_oops'] },
};
