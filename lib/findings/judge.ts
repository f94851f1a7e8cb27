import * as z from 'zod';
import { compareSeverity, Condition } from '../model/condition.ts';
import { type Finding, FindingState, type Group, type Suppressed, type Transition } from '../model/finding.ts';
import type { SourceReport, Verdict } from '../model/report.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { compareNames } from '../model/text.ts';
import { IsoTime, TimeId, parseDuration, toIso } from '../model/time.ts';
import type { GroundTruth } from './ground-truth.ts';
import { kinds } from './kinds.ts';
import { advance, type Observation, UNBORN } from './lifecycle.ts';
import { blindness, expiry, looker, type SourceView } from './observe.ts';
import { sourceReport } from './source-report.ts';
import { verdictOf } from './verdict.ts';

export type { SourceView } from './observe.ts';

/** A resolved finding stays in the reports for a day, and its episode number in memory for a month. */
const SHOWN_RESOLVED = parseDuration('24h');
const REMEMBERED = parseDuration('30d');

/** One condition followed over ticks. */
const Tracked = z.object({
  state: FindingState,
  episode: z.number().int().nonnegative(),
  newIn: TimeId.nullable(),
  good: z.number().int().nonnegative(),
  looks: z.string(),
  reason: z.string(),
  source: z.string(),
  condition: Condition,
  firstSeen: IsoTime,
  lastSeen: IsoTime,
  resolvedAt: IsoTime.optional(),
});
type Tracked = z.infer<typeof Tracked>;

/** What the lifecycle hands from tick to tick. */
export const LifecycleState = z.object({
  schema: z.literal('hpc-observer/lifecycle/1'),
  /** The last snapshot of each source that was judged. */
  judged: z.record(z.string(), TimeId),
  tracked: z.array(Tracked),
});
export type LifecycleState = z.infer<typeof LifecycleState>;

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
  for (const [id, t] of tracked) {
    if (t.state === 'resolved' && now - Date.parse(t.resolvedAt ?? t.lastSeen) > REMEMBERED) tracked.delete(id);
  }
  const transitions = [...tracked].flatMap(([findingId, t]) => {
    const from = was.get(findingId);
    if (from?.state === t.state && from.episode === t.episode) return [];
    return [{ findingId, tick, at: toIso(now), episode: t.episode, from: from?.state ?? null, to: t.state, reason: t.reason }];
  });
  const findings = [...tracked.values()]
    .filter((t) => t.state !== 'resolved' || now - Date.parse(t.resolvedAt ?? t.lastSeen) <= SHOWN_RESOLVED)
    .map(toFinding);
  findings.sort(
    (a, b) =>
      compareSeverity(a.severity, b.severity) ||
      compareNames(a.kind, b.kind) ||
      compareNames(a.subject.id, b.subject.id) ||
      compareNames(a.id, b.id),
  );
  const sources = input.sources.filter((v) => v.source !== 'observer').map((v) => sourceReport(v, now));
  const judged: Record<string, string> = { ...input.before?.judged };
  for (const { source, snapshot } of input.sources) if (snapshot) judged[source] = snapshot.id;
  return {
    state: { schema: 'hpc-observer/lifecycle/1', judged, tracked: [...tracked.values()] },
    findings,
    groups: [],
    suppressed: [],
    transitions,
    sources,
    ...verdictOf(sources, findings, input.mistakes),
  };
}

/** Follows all conditions of one source through its new snapshots, then judges what none of them spoke of. */
function followSource(view: SourceView, tracked: Map<string, Tracked>, { now, tick }: JudgeInput): void {
  const stale = blindness(view, now);
  const mine = (): Tracked[] => [...tracked.values()].filter((t) => t.source === view.source);
  for (const [index, snapshot] of view.since.entries()) {
    const isLast = index === view.since.length - 1;
    const look = looker(snapshot, isLast ? stale : staleWhenMade(snapshot, view.maxAge), now);
    for (const t of mine()) step(tracked, t, look(asKnown(t), kindOf(t.condition)), tick, now);
    for (const condition of snapshot.conditions) {
      if (tracked.has(condition.id) && tracked.get(condition.id)?.state !== 'resolved') continue;
      begin(tracked, view.source, condition, stale, tick, now);
    }
  }
  if (view.since.length > 0) return;
  for (const t of mine()) {
    const expired = expiry(kindOf(t.condition), t.lastSeen, now);
    step(tracked, t, expired ?? (stale === null ? { saw: 'same' } : { saw: 'nothing', why: stale }), tick, now);
  }
}

function staleWhenMade(snapshot: Snapshot, maxAge: number): string | null {
  return Date.parse(snapshot.collectedAt) - Date.parse(snapshot.asOf) > maxAge ? `${snapshot.source} was old when it was collected` : null;
}

/** A condition that is not open: its first sight, or its return. One that is known only from an old look begins stale. */
function begin(tracked: Map<string, Tracked>, source: string, condition: Condition, stale: string | null, tick: string, now: number): void {
  const kind = kindOf(condition);
  if (expiry(kind, condition.lastSeen, now)) return;
  const earlier = tracked.get(condition.id);
  const born = advance(earlier ?? UNBORN, { saw: 'present', condition }, kind, tick, condition.severity === 'critical');
  if (!born) return;
  const life = stale === null ? born : advance(born, { saw: 'nothing', why: stale }, kind, tick, false);
  if (!life) return;
  tracked.set(condition.id, { ...life, source, condition, firstSeen: condition.since, lastSeen: condition.lastSeen });
}

function step(tracked: Map<string, Tracked>, t: Tracked, seen: Observation, tick: string, now: number): void {
  if (t.state === 'resolved' && seen.saw === 'present') return;
  const condition = seen.saw === 'present' ? seen.condition : t.condition;
  const life = advance(t, seen, kindOf(t.condition), tick, condition.severity === 'critical');
  if (life === null) {
    tracked.delete(t.condition.id);
    return;
  }
  const { state, episode, newIn, good, looks, reason } = life;
  tracked.set(t.condition.id, {
    ...t,
    state,
    episode,
    newIn,
    good,
    looks,
    reason,
    condition,
    lastSeen: condition.lastSeen > t.lastSeen ? condition.lastSeen : t.lastSeen,
    ...(state === 'resolved' && t.state !== 'resolved' && { resolvedAt: toIso(now) }),
  });
}

function asKnown({ condition, lastSeen }: Tracked): { id: string; subject: Condition['subject']; lastSeen: string } {
  return { id: condition.id, subject: condition.subject, lastSeen };
}

function kindOf(condition: Condition) {
  const kind = kinds.get(condition.kind);
  if (!kind) throw new TypeError(`no kind ${condition.kind} is declared`);
  return kind;
}

function toFinding(t: Tracked): Finding {
  const { condition } = t;
  const kind = kindOf(condition);
  return {
    id: condition.id,
    episode: t.episode,
    state: t.state,
    severity: condition.severity,
    kind: condition.kind,
    title: kind.title,
    source: t.source,
    subject: condition.subject,
    ...(condition.part !== undefined && { part: condition.part }),
    subjects: condition.subject.id,
    conditions: [condition],
    firstSeen: t.firstSeen,
    lastSeen: t.lastSeen,
    ...(t.resolvedAt !== undefined && t.state === 'resolved' && { resolvedAt: t.resolvedAt }),
    count: condition.count,
    ...(condition.place && { place: condition.place }),
    evidence: condition.evidence,
    hint: condition.hint,
    provenance: kind.provenance,
    reason: t.reason,
  };
}
