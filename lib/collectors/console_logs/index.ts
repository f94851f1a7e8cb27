import { type Collected, type CollectContext, defineCollector, type Input, UnusableInput } from '../../model/collector.ts';
import type { ClearedDraft, ConditionDraft, Subject } from '../../model/condition.ts';
import type { JsonObject } from '../../model/json.ts';
import type { CoverageProblem } from '../../model/snapshot.ts';
import { compareNames } from '../../model/text.ts';
import { toIso } from '../../model/time.ts';
import { fold } from '../../nodeset.ts';
import { draftOf, wallTime } from './draft.ts';
import { endByTime, findIncident, incidentKey } from './incidents.ts';
import { consoleKinds } from './kinds.ts';
import { type Log, logsOf } from './names.ts';
import { Options, siteRules, siteVetoes } from './options.ts';
import { type ReadLog, readLog, type ReadOptions, settled } from './read.ts';
import { RuleBook } from './rulebook.ts';
import { rules } from './rules/index.ts';
import { lastOutput, standingConditions } from './standing.ts';
import { Carry, type LogState } from './state.ts';
import { factsOf, type Seen, summarise } from './summary.ts';

/** How much of a log that was never seen is read. */
const TAIL = 1024 * 1024;
/** Bytes that are read at once. */
const PIECE = 256 * 1024;
/** A log that is gone is remembered for so long. */
const FORGET_AFTER = 7 * 86_400_000;
const MAX_PROBLEMS = 20;
/** So many logs of which none shows what all should: then it is the way they are written. */
const MANY = 8;

type Context = CollectContext<Options, Carry>;

let plainBook: RuleBook | undefined;

/** Building the search costs more than reading a small log: without patterns of the site it is done once. */
function bookOf(options: Options): RuleBook {
  if (options.patterns.length > 0 || options.vetoes.length > 0) return new RuleBook([...rules, ...siteRules(options)], siteVetoes(options));
  plainBook ??= new RuleBook(rules);
  return plainBook;
}

async function collect(inputs: readonly Input[], context: Context): Promise<Collected<Carry>> {
  const { config, now } = context;
  const known = new Map(Object.entries(context.carry?.logs ?? {}));
  const pattern = config.pattern === undefined ? undefined : new RegExp(config.pattern, 'u');
  const sorted = logsOf(inputs, pattern, context.nodeDomains, new Set(known.keys()));
  const options: ReadOptions = {
    book: bookOf(config),
    timezone: context.timezone,
    tail: config.first_sight === 'all' ? undefined : TAIL,
    memory: new Uint8Array(PIECE),
  };
  const gathering = new Gathering(context, options);
  const states = new Map<string, LogState>();
  for (const log of sorted.logs) {
    const before = known.get(log.key);
    known.delete(log.key);
    const result = await readLog(log, before, options);
    gathering.add(result, before);
    if (before || !(result.binary || result.error)) states.set(log.key, result.state);
  }
  for (const [key, state] of known) {
    const gone = state.gone ?? now;
    if (now - gone < FORGET_AFTER) states.set(key, { ...state, gone });
  }
  gathering.others(sorted);
  return gathering.collected({ logs: Object.fromEntries(states) }, sorted.nameless.length);
}

/** What a run gathers from its logs. */
class Gathering {
  private readonly problems: CoverageProblem[] = [];
  private readonly conditions: ConditionDraft[] = [];
  private readonly cleared: ClearedDraft[] = [];
  private readonly facts = new Map<string, { subject: Subject; facts: JsonObject }>();
  private readonly seen: Seen[] = [];
  private readonly observed = new Set<string>();
  private skipped = { logs: 0, bytes: 0 };
  private readonly context: Context;
  private readonly options: ReadOptions;

  constructor(context: Context, options: ReadOptions) {
    this.context = context;
    this.options = options;
  }

  add(result: ReadLog, before: LogState | undefined): void {
    const { log } = result;
    const name = nameOf(log);
    if (result.binary) this.problem('input', name, 'holds no text: this is no console log');
    if (result.error) this.problem('input', result.error.input, result.error.message);
    if (result.binary || result.error) return;
    if (result.gap !== undefined) this.problem('input', name, `gap: ${result.gap}`);
    if (result.skipped !== undefined) this.skipped = { logs: this.skipped.logs + 1, bytes: this.skipped.bytes + result.skipped };
    if (!before && [...log.rotated, ...(log.current ? [log.current] : [])].every((input) => input.size === 0)) {
      this.problem('note', name, 'is empty: nothing was ever logged');
      return;
    }
    const { now } = this.context;
    const mtime = mtimeOf(log, now);
    const present = this.conclude(result, mtime);
    const standing = standingConditions(present, log.node, {
      now,
      mtime,
      bootStalledAfter: this.context.config.boot_stalled_after,
      silentAfter: this.context.config.silent_after,
    });
    this.observed.add(log.node);
    this.seen.push({ node: log.node, state: present, bytes: result.bytes });
    for (const incident of present.open) if (!incident.e) this.conditions.push(draftOf(incident, present, log.node, now, mtime));
    this.conditions.push(...standing);
    this.clear(result, before, present, standing, mtime);
    this.facts.set(log.node, { subject: { type: 'node', id: log.node }, facts: factsOf(present, name, lastOutput(present, mtime)) });
  }

  /** Brings a log's state up to now: time has ended some of it, and the unfinished last line counts. */
  private conclude({ state, cleared }: ReadLog, mtime: number): LogState {
    const { now } = this.context;
    const clock = state.abs ? now : state.t + Math.max(0, now - mtime);
    // A mark that is not yet due is not missing.
    const until = state.iv !== undefined && state.mk !== undefined ? state.mk + state.iv : clock;
    endByTime(state, clock, until, cleared);
    const present = settled(state, cleared, this.options);
    if (present !== state) endByTime(present, clock, until, cleared);
    return present;
  }

  /** What was told before and is over now. */
  private clear(
    result: ReadLog,
    before: LogState | undefined,
    present: LogState,
    standing: readonly ConditionDraft[],
    mtime: number,
  ): void {
    const subject = { type: 'node', id: result.log.node };
    for (const was of before?.open ?? []) {
      const ended = result.cleared.get(incidentKey(was.k, was.p));
      const still = findIncident(present, was.k, was.p);
      if (was.e || !ended || (still && !still.e)) continue;
      this.cleared.push({
        kind: was.k,
        subject,
        ...(was.p !== undefined && { part: was.p }),
        by: ended.by,
        at: toIso(wallTime(present, ended.at, mtime)),
      });
    }
    const told = [...new Set(standing.map((c) => c.kind))];
    for (const kind of before?.rep ?? []) {
      if (!told.includes(kind))
        this.cleared.push({ kind, subject, by: kind === 'boot_stalled' && present.ph === 'up' ? 'boot' : 'line', at: toIso(mtime) });
    }
    if (told.length > 0) result.state.rep = told;
    else delete result.state.rep;
  }

  /** Inputs that are no logs. */
  others({ strangers, packed, nameless }: { strangers: readonly string[]; packed: readonly string[]; nameless: readonly string[] }): void {
    for (const name of nameless.slice(0, MAX_PROBLEMS)) this.problem('record', name, 'no node name can be made of the name of this file');
    const some = (names: readonly string[]) => names.slice(0, 3).join(', ') + (names.length > 3 ? ', …' : '');
    if (strangers.length > 0) this.problem('note', undefined, `${strangers.length} files are no console logs: ${some(strangers)}`);
    if (packed.length > 0) this.problem('note', undefined, `${packed.length} packed logs are not read: ${some(packed)}`);
  }

  private problem(effect: CoverageProblem['effect'], input: string | undefined, message: string): void {
    this.problems.push({ effect, ...(input !== undefined && { input }), message });
  }

  /** Where many boots seem to stall and no console ever showed one complete, the consoles do not show it. */
  private plausible(): ConditionDraft[] {
    const stalled = this.conditions.filter((c) => c.kind === 'boot_stalled').length;
    if (stalled < MANY || this.seen.some((s) => s.state.ph === 'up')) return this.conditions;
    this.problem(
      'note',
      undefined,
      `${stalled} boots showed no prompt and no target, nor did any other: these consoles do not show them, so stalled boots cannot be told`,
    );
    return this.conditions.filter((c) => c.kind !== 'boot_stalled');
  }

  collected(carry: Carry, rejected: number): Collected<Carry> {
    if (this.observed.size === 0) {
      const first = this.problems.find((p) => p.effect !== 'note') ?? this.problems[0];
      throw new UnusableInput(first?.message ?? 'holds no console log', first?.input === undefined ? {} : { input: first.input });
    }
    if (this.skipped.logs > 0) {
      this.problem(
        'note',
        undefined,
        `first sight: of ${this.skipped.logs} logs only the last ${TAIL / 1024 / 1024} MiB was read; ${this.skipped.bytes} bytes before were not (first_sight: all reads them)`,
      );
    }
    const conditions = this.plausible().sort(
      (a, b) => compareNames(a.subject.id, b.subject.id) || compareNames(a.kind, b.kind) || compareNames(a.part ?? '', b.part ?? ''),
    );
    return {
      ...summarise(this.seen, conditions),
      conditions,
      cleared: this.cleared.filter((c) => !conditions.some((o) => sameIncident(o, c))),
      coverage: { records: this.seen.length, rejected, problems: boundedProblems(this.problems), observed: { node: fold(this.observed) } },
      facts: [...this.facts.values()],
      carry,
    };
  }
}

/** A node may have several logs: what one of them says is over goes on where another shows it. */
function sameIncident(open: ConditionDraft, cleared: ClearedDraft): boolean {
  return open.subject.id === cleared.subject.id && open.kind === cleared.kind && open.part === cleared.part;
}

/** Problems that matter first; of what passes the bound the number is told. */
function boundedProblems(problems: readonly CoverageProblem[]): CoverageProblem[] {
  const order = { input: 0, note: 1, record: 2 };
  const sorted = problems.toSorted((a, b) => order[a.effect] - order[b.effect] || compareNames(a.input ?? '', b.input ?? ''));
  const more = sorted.length - MAX_PROBLEMS;
  return more <= 0 ? sorted : [...sorted.slice(0, MAX_PROBLEMS), { effect: 'note', message: `and ${more} more problems with logs` }];
}

function nameOf(log: Log): string {
  return log.current?.name ?? log.rotated.at(-1)?.name ?? log.key;
}

function mtimeOf(log: Log, now: number): number {
  const mtime = Date.parse((log.current ?? log.rotated.at(-1))?.mtime ?? '');
  return Number.isFinite(mtime) ? mtime : now;
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
