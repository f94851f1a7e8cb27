import * as z from 'zod';
import { type Collected, type CollectContext, defineCollector, type Input, UnusableInput } from '../../model/collector.ts';
import type { ConditionDraft } from '../../model/condition.ts';
import type { CoverageProblem } from '../../model/snapshot.ts';
import { compareNames } from '../../model/text.ts';
import { toIso } from '../../model/time.ts';
import { fold } from '../../nodeset.ts';
import { endByTime, findIncident, incidentKey } from './incidents.ts';
import { judge } from './judge.ts';
import { consoleKind, consoleKinds } from './kinds.ts';
import { type Log, logsOf } from './names.ts';
import { type ReadLog, readLog, type ReadOptions, settled } from './read.ts';
import { RuleBook } from './rulebook.ts';
import { rules } from './rules/index.ts';
import { Carry, type Incident, type LogState } from './state.ts';

const Options = z.strictObject({
  /** `tail`: of a log that was never seen the last 1 MiB is read; `all`: all of it. */
  first_sight: z.enum(['tail', 'all']).default('tail'),
  /** Finds the node's name in a file's path: a regular expression with a group named `node`. */
  pattern: z
    .string()
    .max(200)
    .optional()
    .superRefine((text, context) => {
      if (text === undefined) return;
      try {
        RegExp(text, 'u');
      } catch (error) {
        context.addIssue({ code: 'custom', message: `is no regular expression: ${(error as Error).message}` });
        return;
      }
      if (!text.includes('(?<node>')) context.addIssue({ code: 'custom', message: 'needs a group named node: (?<node>…)' });
    }),
});
type Options = z.infer<typeof Options>;

const TAIL = 1024 * 1024;
const FORGET_AFTER = 7 * 86_400_000;

let plainBook: RuleBook | undefined;

async function collect(inputs: readonly Input[], context: CollectContext<Options, Carry>): Promise<Collected<Carry>> {
  const { config, carry, now, timezone } = context;
  const { logs, strangers, packed, nameless } = logsOf(
    inputs,
    config.pattern === undefined ? undefined : new RegExp(config.pattern, 'u'),
    context.nodeDomains,
  );
  plainBook ??= new RuleBook(rules);
  const options: ReadOptions = { book: plainBook, timezone, tail: config.first_sight === 'all' ? undefined : TAIL };
  const problems: CoverageProblem[] = [];
  const before = new Map(Object.entries(carry?.logs ?? {}));
  const states: Record<string, LogState> = Object.create(null) as Record<string, LogState>;
  const read: ReadLog[] = [];
  for (const log of logs) {
    const result = await readLog(log, before.get(log.key), options);
    read.push(result);
    if (!result.binary && !(result.error && !before.has(log.key) && result.bytes === 0)) states[log.key] = result.state;
    before.delete(log.key);
  }
  for (const [key, state] of before) {
    if (now - (state.gone ?? now) < FORGET_AFTER) states[key] = { ...state, gone: state.gone ?? now };
  }
  for (const name of nameless.slice(0, 20))
    problems.push({ effect: 'record', input: name, message: 'no node name can be made of the name of this file' });
  if (strangers.length > 0)
    problems.push({ effect: 'note', message: `${strangers.length} files are no console logs: ${strangers.slice(0, 3).join(', ')}` });
  if (packed.length > 0)
    problems.push({ effect: 'note', message: `${packed.length} packed logs are not read: ${packed.slice(0, 3).join(', ')}` });
  const observed = new Set<string>();
  const conditions: ConditionDraft[] = [];
  const cleared: Collected<Carry>['cleared'] = [];
  let skipped = 0;
  let skippedLogs = 0;
  for (const result of read) {
    const { log, state } = result;
    if (result.binary) {
      problems.push({ effect: 'input', input: nameOf(log), message: 'holds no text: this is no console log' });
      continue;
    }
    if (result.error) {
      problems.push({ effect: 'input', input: result.error.input, message: result.error.message });
      continue;
    }
    if (result.gap !== undefined) problems.push({ effect: 'input', input: nameOf(log), message: `gap: ${result.gap}` });
    if (result.skipped !== undefined) {
      skipped += result.skipped;
      skippedLogs++;
    }
    if (state.pos === 0 && state.part === undefined && log.current?.size === 0 && log.rotated.length === 0) {
      problems.push({ effect: 'note', input: nameOf(log), message: 'is empty: nothing was ever logged' });
      continue;
    }
    observed.add(log.node);
    const present = concluded(result, options, now);
    const openBefore = carry?.logs[log.key]?.open ?? [];
    for (const incident of present.open) if (!incident.e) conditions.push(draft(incident, present, log.node, now, mtimeOf(log, now)));
    for (const was of openBefore) {
      const ended = result.cleared.get(incidentKey(was.k, was.p));
      const still = findIncident(present, was.k, was.p);
      if (!ended || was.e || (still && !still.e)) continue;
      cleared.push({
        kind: was.k,
        subject: { type: 'node', id: log.node },
        ...(was.p !== undefined && { part: was.p }),
        by: ended.by,
        at: toIso(wallTime(present, ended.at, mtimeOf(log, now))),
      });
    }
  }
  if (observed.size === 0)
    throw new UnusableInput(problems[0]?.message ?? 'holds no console log', {
      ...(problems[0]?.input !== undefined && { input: problems[0].input }),
    });
  if (skippedLogs > 0)
    problems.push({
      effect: 'note',
      message: `first sight: of ${skippedLogs} logs only the last ${TAIL / 1024 / 1024} MiB was read, ${skipped} bytes before were not`,
    });
  return {
    summary: { logs: logs.length, nodes: observed.size },
    conditions: conditions.sort(
      (a, b) => compareNames(a.subject.id, b.subject.id) || compareNames(a.kind, b.kind) || compareNames(a.part ?? '', b.part ?? ''),
    ),
    cleared,
    coverage: { records: observed.size, rejected: nameless.length, problems, observed: { node: fold(observed) } },
    carry: { logs: states },
  };
}

function nameOf(log: Log): string {
  return log.current?.name ?? log.rotated.at(-1)?.name ?? log.key;
}

/** What is open when all is read: time has ended some of it, and the unfinished last line counts. */
function concluded(result: ReadLog, options: ReadOptions, now: number): LogState {
  const { state, cleared } = result;
  const clock = state.abs ? now : state.t + Math.max(0, now - mtimeOf(result.log, now));
  const until = state.iv !== undefined && state.mk !== undefined ? state.mk + state.iv : clock;
  endByTime(state, clock, until, cleared);
  const present = settled(state, cleared, options);
  if (present !== state) endByTime(present, clock, until, cleared);
  return present;
}

function mtimeOf(log: Log, now: number): number {
  const mtime = Date.parse(log.current?.mtime ?? '');
  return Number.isFinite(mtime) ? mtime : now;
}

function wallTime(state: LogState, t: number, mtime: number): number {
  return state.abs ? t : mtime - (state.t - t);
}

function draft(incident: Incident, state: LogState, node: string, now: number, mtime: number): ConditionDraft {
  const { severity, message, values } = judge(incident, { now: state.abs ? now : state.t, open: state.open, node });
  const kind = consoleKind(incident.k);
  return {
    kind: incident.k,
    subject: { type: 'node', id: node },
    ...(kind?.part !== undefined && { part: incident.p ?? 'unnamed' }),
    severity: severity ?? incident.s,
    message,
    values: { count: incident.n, ...values, ...(incident.inc && { incomplete: true }), ...(incident.led && { led_to: 'kernel_panic' }) },
    since: toIso(wallTime(state, incident.f, mtime)),
    lastSeen: toIso(wallTime(state, incident.l, mtime)),
    count: incident.n,
    evidence: incident.q.map((quote) => ({ quote })),
  };
}

/** What nodes say on their serial consoles, as conserver, conman or goconserver log it: one file per node. */
export const consoleLogs = defineCollector<Options, Carry>({
  source: 'console_logs',
  title: 'console logs of the nodes (conserver, conman)',
  maxAge: '15m',
  inputs: { shape: 'logs' },
  options: Options,
  carryVersion: 1,
  carry: Carry,
  kinds: consoleKinds,
  collect,
});
