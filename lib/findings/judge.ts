import type { Severity, Subject } from '../model/condition.ts';
import type { Finding, Group, Suppressed, Transition } from '../model/finding.ts';
import { worse } from '../model/condition.ts';
import type { SourceReport, Verdict } from '../model/report.ts';
import { parseDuration, toIso } from '../model/time.ts';
import { acknowledge } from './acknowledge.ts';
import { openAndShown, type Raised, raisedByHistory, raisedByImpact, type Rules, severityOf } from './escalate.ts';
import { findingsOf, SHOWN_RESOLVED } from './finding.ts';
import { expectedNames, type Fleet, fleetOf } from './fleet.ts';
import { followSource, leaveUnwatched } from './follow.ts';
import type { GroundTruth } from './ground-truth.ts';
import { groupsOf } from './group.ts';
import { hostsOf, inventoryOf } from './inventory.ts';
import { type Identity, Names } from './names.ts';
import { OBSERVER, type SourceView } from './observe.ts';
import { placesOf } from './places.ts';
import { endWhatIsGone } from './removed.ts';
import { schedulerOf } from './scheduler.ts';
import { sourceReport } from './source-report.ts';
import { type Cover, Covers, suppressedList } from './suppress.ts';
import { inOrder, isOpen, type LifecycleState, type Past, type Tracked } from './tracked.ts';
import { verdictOf } from './verdict.ts';

export type { SourceView } from './observe.ts';
export { LifecycleState } from './tracked.ts';

/** How long the episode number of a resolved finding is remembered. */
const REMEMBERED = parseDuration('30d');
const MOST_PAST = 20_000;

export interface JudgeInput {
  cluster: string;
  tick: string;
  now: number;
  sources: readonly SourceView[];
  groundTruth: GroundTruth | null;
  mistakes: readonly string[];
  before: LifecycleState | null;
  /** What each source tells of the identity of nodes; none = names are taken as they are. */
  identities?: ReadonlyMap<string, readonly Identity[]>;
  /** The names that were made of these, where they were made already. */
  names?: Names;
  /** The site's rules, by kind. */
  rules?: Rules;
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

/** What is known of the cluster's nodes at this tick. */
interface Setting {
  names: Names;
  fleet: Fleet;
  inventory: ReturnType<typeof inventoryOf>;
  rules: Rules;
}

/** Moves every finding by what was seen since the last tick, and says how the cluster stands. Pure. */
export function judge(input: JudgeInput): Judged {
  const { now, groundTruth, identities = new Map<string, readonly Identity[]>(), rules = {} } = input;
  const setting: Setting = {
    names: input.names ?? Names.of(identities),
    fleet: fleetOf(groundTruth),
    inventory: inventoryOf(input.sources, now),
    rules,
  };
  const { names, fleet, inventory } = setting;
  const tracked = new Map((input.before?.tracked ?? []).map((t) => [t.condition.id, t]));
  const was = new Map(tracked);
  const past = new Map((input.before?.past ?? []).map((p) => [p.id, p]));
  const episodes = new Map([...past].map(([id, { episode }]) => [id, episode]));
  for (const view of input.sources) followSource(view, tracked, episodes, input);
  leaveUnwatched(tracked, input.sources, input);
  endWhatIsGone(tracked, { inventory, names, expected: isFleetMeant(input) ? fleet : null, sources: input.sources, now });
  forget(tracked, past, now);
  const covers = new Covers(groundTruth, schedulerOf(input.sources, now), now);
  const hidden = weigh(tracked, covers, input, setting);
  show(tracked, hidden, input);
  showPassed(tracked, { was, covers, names, now });
  const acknowledged = acknowledge(tracked, groundTruth, now);
  const transitions = transitionsOf(was, tracked, { ...input, isPast: (id) => episodes.has(id) });
  const findings = findingsOf(tracked, { hidden, acknowledged, names, rules: setting.rules, now });
  const sources = input.sources.filter((v) => v.source !== OBSERVER).map((v) => sourceReport(v, now));
  const judged: Record<string, string> = { ...input.before?.judged };
  for (const { source, snapshot } of input.sources) if (snapshot) judged[source] = snapshot.id;
  return {
    state: { schema: 'hpc-observer/lifecycle/1', judged, tracked: [...tracked.values()].map(inOrder), past: [...past.values()] },
    findings,
    groups: groupsOf({
      cluster: input.cluster,
      open: openAndShown(tracked.values(), hidden),
      tracked: [...tracked.values()],
      names,
      places: () => placesOf({ fleet, hosts: hostsOf(inventory), groundTruth, identities, names }),
      groundTruth,
    }),
    suppressed: suppressedList([...hidden].map(([id, cover]) => ({ cover, id, ...headOf(tracked.get(id) as Tracked) }))),
    transitions,
    sources,
    ...verdictOf(sources, findings, input.mistakes, hidden.size),
  };
}

function isFleetMeant({ groundTruth, mistakes }: JudgeInput): boolean {
  return groundTruth === null ? mistakes.length === 0 : !groundTruth.faulty.includes('fleet');
}

function headOf(t: Tracked): { kind: string; severity: Severity; subject: Subject } {
  return { kind: t.condition.kind, severity: severityOf(t), subject: t.condition.subject };
}

/** Of what is over and shown no more, its last episode stays for a month; of too many, of those that ended last. */
function forget(tracked: Map<string, Tracked>, past: Map<string, Past>, now: number): void {
  for (const [id, t] of tracked) {
    past.delete(id);
    const endedAt = t.resolvedAt ?? t.lastSeen;
    if (t.state === 'resolved' && now - Date.parse(endedAt) > SHOWN_RESOLVED) {
      tracked.delete(id);
      past.set(id, { id, episode: t.episode, resolvedAt: endedAt });
    }
    // A candidate that nobody can look at any more was never reported, and would wait for ever.
    if (t.state === 'candidate' && now - Date.parse(t.lastSeen) > REMEMBERED) tracked.delete(id);
  }
  for (const [id, { resolvedAt }] of past) if (now - Date.parse(resolvedAt) > REMEMBERED) past.delete(id);
  if (past.size <= MOST_PAST) return;
  const newest = [...past.values()].sort((a, b) =>
    a.resolvedAt < b.resolvedAt ? 1 : a.resolvedAt > b.resolvedAt ? -1 : a.id < b.id ? -1 : 1,
  );
  for (const { id } of newest.slice(MOST_PAST)) past.delete(id);
}

/**
 * How severe everything is, and what ground truth and the scheduler keep out of the open list, by the cover that does.
 * A cover is asked about the severity that history gives; what is held back counts for no loss.
 */
function weigh(
  tracked: Map<string, Tracked>,
  covers: Covers,
  { now }: JudgeInput,
  { names, fleet, rules }: Setting,
): ReadonlyMap<string, Cover> {
  const hidden = new Map<string, Cover>();
  const before = new Map<string, Raised>();
  for (const [id, t] of tracked) {
    if (t.state === 'resolved') continue;
    const raised = raisedByHistory(t, rules, now);
    const { condition } = t;
    const found = covers.isEmpty
      ? null
      : covers.of({
          kind: condition.kind,
          severity: severityOf({ condition, ...(raised && { raised }) }),
          subject: condition.subject,
          names: names.of(condition.subject.id),
          held: t.held,
        });
    if (raised !== t.raised || found?.held !== t.held) {
      const { raised: __, held: _, ...rest } = t;
      tracked.set(id, { ...rest, ...(raised && { raised }), ...(found && { held: found.held }) });
    }
    if (found?.hides) hidden.set(id, found.cover);
    else if (t.raised?.by === 'impact') before.set(id, t.raised);
  }
  const open = openAndShown(tracked.values(), hidden);
  const member = expectedNames(fleet, names);
  const memberName = (name: string): string => member.get(names.canonical(name)) ?? name;
  for (const [id, raised] of raisedByImpact({ open, before, fleet, memberName, rules, now })) {
    const t = tracked.get(id);
    if (t) tracked.set(id, { ...t, raised });
  }
  return hidden;
}

/** What is in the open list for the first time in its episode is new in this tick, whenever it began. */
function show(tracked: Map<string, Tracked>, hidden: ReadonlyMap<string, Cover>, { tick, now }: JudgeInput): void {
  const at = toIso(now);
  for (const [id, t] of tracked) {
    if (!isOpen(t) || hidden.has(id)) continue;
    const severity = severityOf(t);
    const peak = t.peak === undefined ? severity : worse(t.peak, severity);
    if (t.shown === 'open' && peak === t.peak && t.reportedAt !== undefined) continue;
    const seen = { ...t, peak, reportedAt: t.reportedAt ?? at };
    if (t.shown === 'open') tracked.set(id, seen);
    else if (t.state === 'stale') tracked.set(id, { ...seen, shown: 'stale' });
    else {
      const isBorn = t.newIn === tick || t.shown === 'stale';
      const reason = isBorn ? t.reason : `known since ${t.firstSeen}, and not held back any more`;
      tracked.set(id, { ...seen, state: 'new', newIn: tick, shown: 'open', reason });
    }
  }
}

/** What came and went between two ticks is told as resolved: that it happened is news. */
function showPassed(
  tracked: Map<string, Tracked>,
  { was, covers, names, now }: { was: ReadonlyMap<string, Tracked>; covers: Covers; names: Names; now: number },
): void {
  for (const [id, t] of tracked) {
    const isBornHere = was.get(id)?.episode !== t.episode;
    // A candidate that was taken back saw no good look of its own episode.
    if (t.state !== 'resolved' || t.shown !== 'never' || !isBornHere || t.good === 0) continue;
    const { kind, severity, subject } = t.condition;
    if (covers.of({ kind, severity, subject, names: names.of(subject.id), held: undefined })?.hides) continue;
    tracked.set(id, {
      ...t,
      shown: 'open',
      peak: severity,
      reportedAt: toIso(now),
      reason: `came and went since the last tick; ${t.reason}`,
    });
  }
}

/** What moved in this tick; each is dated in the finding as well. */
function transitionsOf(
  was: ReadonlyMap<string, Tracked>,
  tracked: Map<string, Tracked>,
  { tick, now, isPast }: JudgeInput & { isPast: (id: string) => boolean },
): Judged['transitions'] {
  const at = toIso(now);
  const moved: Judged['transitions'] = [];
  for (const [findingId, t] of tracked) {
    const from = was.get(findingId);
    const severity = severityOf(t);
    const isRise = from?.state === t.state && from.episode === t.episode && severityOf(from) !== severity;
    if (from?.state === t.state && from.episode === t.episode && !isRise) continue;
    tracked.set(findingId, { ...t, changedAt: at });
    const reason = isRise ? `${severityOf(from)} to ${severity}${t.raised?.to === severity ? `: ${t.raised.reason}` : ''}` : t.reason;
    moved.push({
      findingId,
      tick,
      at,
      episode: t.episode,
      from: from?.state ?? (isPast(findingId) ? 'resolved' : null),
      to: t.state,
      severity,
      reason,
    });
  }
  return moved;
}
