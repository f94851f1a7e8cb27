import type { Finding, Group, Suppressed, Transition } from '../model/finding.ts';
import type { SourceReport, Verdict } from '../model/report.ts';
import { parseDuration, toIso } from '../model/time.ts';
import { findingsOf } from './finding.ts';
import { followSource, leaveUnwatched } from './follow.ts';
import type { GroundTruth } from './ground-truth.ts';
import type { SourceView } from './observe.ts';
import { schedulerOf } from './scheduler.ts';
import { sourceReport } from './source-report.ts';
import { type Cover, Covers, suppressedList } from './suppress.ts';
import { isOpen, type LifecycleState, type Tracked } from './tracked.ts';
import { verdictOf } from './verdict.ts';

export type { SourceView } from './observe.ts';
export { LifecycleState } from './tracked.ts';

/** How long the episode number of a resolved finding is remembered. */
const REMEMBERED = parseDuration('30d');

export interface JudgeInput {
  cluster: string;
  tick: string;
  now: number;
  sources: readonly SourceView[];
  groundTruth: GroundTruth | null;
  mistakes: readonly string[];
  before: LifecycleState | null;
}

export interface Judged {
  state: LifecycleState;
  findings: Finding[];
  groups: Group[];
  suppressed: Suppressed[];
  transitions: (Transition & { findingId: string })[];
  sources: SourceReport[];
  verdict: Verdict;
  because: string[];
}

/** Moves every finding by what was seen since the last tick, and says how the cluster stands. Pure. */
export function judge(input: JudgeInput): Judged {
  const { now, tick } = input;
  const tracked = new Map((input.before?.tracked ?? []).map((t) => [t.condition.id, t]));
  const was = new Map(tracked);
  for (const view of input.sources) followSource(view, tracked, input);
  leaveUnwatched(tracked, input.sources, input);
  forget(tracked, now);
  const hidden = suppress(tracked, input);
  show(tracked, hidden, tick);
  const findings = findingsOf(tracked, hidden, now);
  const sources = input.sources.filter((v) => v.source !== 'observer').map((v) => sourceReport(v, now));
  const judged: Record<string, string> = { ...input.before?.judged };
  for (const { source, snapshot } of input.sources) if (snapshot) judged[source] = snapshot.id;
  return {
    state: { schema: 'hpc-observer/lifecycle/1', judged, tracked: [...tracked.values()] },
    findings,
    groups: [],
    suppressed: suppressedList([...hidden].map(([id, cover]) => ({ cover, id, ...pick((tracked.get(id) as Tracked).condition) }))),
    transitions: transitionsOf(was, tracked, input),
    sources,
    ...verdictOf(sources, findings, input.mistakes, hidden.size),
  };
}

function pick({ kind, severity, subject }: Tracked['condition']): Pick<Tracked['condition'], 'kind' | 'severity' | 'subject'> {
  return { kind, severity, subject };
}

function forget(tracked: Map<string, Tracked>, now: number): void {
  for (const [id, t] of tracked) {
    if (t.state === 'resolved' && now - Date.parse(t.resolvedAt ?? t.lastSeen) > REMEMBERED) tracked.delete(id);
    // A candidate that nobody can look at any more was never reported, and would wait for ever.
    if (t.state === 'candidate' && now - Date.parse(t.lastSeen) > REMEMBERED) tracked.delete(id);
  }
}

/** What ground truth and the scheduler keep out of the open list, by the cover that does. */
function suppress(tracked: Map<string, Tracked>, { groundTruth, sources, now }: JudgeInput): ReadonlyMap<string, Cover> {
  const covers = new Covers(groundTruth, schedulerOf(sources, now), now);
  const hidden = new Map<string, Cover>();
  for (const [id, t] of tracked) {
    const { kind, severity, subject } = t.condition;
    const found = t.state === 'resolved' ? null : covers.of({ kind, severity, subject, names: [subject.id], held: t.held });
    const { held: _, ...rest } = t;
    tracked.set(id, found ? { ...rest, held: found.held } : rest);
    if (found?.hides) hidden.set(id, found.cover);
  }
  return hidden;
}

/** What is in the open list for the first time in its episode is new in this tick, whenever it began. */
function show(tracked: Map<string, Tracked>, hidden: ReadonlyMap<string, Cover>, tick: string): void {
  for (const [id, t] of tracked) {
    if (!isOpen(t) || hidden.has(id) || t.shown === 'open') continue;
    if (t.state === 'stale') tracked.set(id, { ...t, shown: 'stale' });
    else {
      const reason = t.newIn === tick ? t.reason : `known since ${t.firstSeen}, and no longer held back`;
      tracked.set(id, { ...t, state: 'new', newIn: tick, shown: 'open', reason });
    }
  }
}

function transitionsOf(
  was: ReadonlyMap<string, Tracked>,
  tracked: ReadonlyMap<string, Tracked>,
  { tick, now }: JudgeInput,
): Judged['transitions'] {
  return [...tracked].flatMap(([findingId, t]) => {
    const from = was.get(findingId);
    if (from?.state === t.state && from.episode === t.episode) return [];
    return [{ findingId, tick, at: toIso(now), episode: t.episode, from: from?.state ?? null, to: t.state, reason: t.reason }];
  });
}
