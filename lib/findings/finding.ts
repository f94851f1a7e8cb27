import { compareSeverity } from '../model/condition.ts';
import type { Finding } from '../model/finding.ts';
import { compareNames } from '../model/text.ts';
import { parseDuration } from '../model/time.ts';
import { type Rules, severityOf } from './escalate.ts';
import { changesIn } from './flapping.ts';
import { kindOf } from './follow.ts';
import type { Names } from './names.ts';
import type { Tracked } from './tracked.ts';

/** A resolved finding stays in the reports for a day. */
export const SHOWN_RESOLVED = parseDuration('24h');

export interface Listing {
  /** Ids of what is held back. */
  hidden: { has(id: string): boolean };
  acknowledged: ReadonlyMap<string, NonNullable<Finding['acknowledged']>>;
  names: Names;
  /** The site's rules, by kind. */
  rules: Rules;
  now: number;
}

/** What the report lists, the worst first. What was never in an open list does not end in one either. */
export function findingsOf(tracked: ReadonlyMap<string, Tracked>, listing: Listing): Finding[] {
  return [...tracked]
    .filter(([id, t]) => !listing.hidden.has(id) && isListed(t, listing.now))
    .map(([, t]) => findingOf(t, listing))
    .sort(
      (a, b) =>
        compareSeverity(a.severity, b.severity) ||
        compareNames(a.kind, b.kind) ||
        compareNames(a.subject.id, b.subject.id) ||
        compareNames(a.id, b.id),
    );
}

function isListed(t: Tracked, now: number): boolean {
  if (t.state !== 'resolved') return true;
  return t.shown !== 'never' && now - Date.parse(t.resolvedAt ?? t.lastSeen) <= SHOWN_RESOLVED;
}

function findingOf(t: Tracked, { acknowledged, names, rules }: Listing): Finding {
  const { condition, raised } = t;
  const { id, subject } = condition;
  const kind = kindOf(condition);
  const severity = severityOf(t);
  const ack = acknowledged.get(id);
  const node = names.canonical(subject.id);
  const runbook = Object.hasOwn(rules, condition.kind) ? rules[condition.kind]?.['runbook'] : undefined;
  return {
    id,
    episode: t.episode,
    state: t.state,
    ...(t.flappingSince !== null && { flapping: { changes: changesIn(t.looks), since: t.flappingSince } }),
    ...(ack && t.state !== 'resolved' && { acknowledged: ack }),
    severity,
    ...(raised?.to === severity && { escalated: { from: raised.from, at: raised.at, reason: raised.reason } }),
    kind: condition.kind,
    title: kind.title,
    source: t.source,
    subject,
    ...(condition.part !== undefined && { part: condition.part }),
    ...(node !== subject.id && { knownAs: node }),
    subjects: subject.id,
    conditions: [condition],
    firstSeen: t.firstSeen,
    lastSeen: t.lastSeen,
    ...(t.resolvedAt !== undefined && t.state === 'resolved' && { resolvedAt: t.resolvedAt }),
    changedAt: t.changedAt,
    ...(t.reportedAt !== undefined && { reportedAt: t.reportedAt }),
    looks: t.looks,
    count: condition.count,
    ...(condition.place && { place: condition.place }),
    evidence: condition.evidence,
    hint: condition.hint,
    ...(typeof runbook === 'string' && { runbook }),
    provenance: kind.provenance,
    reason: t.reason,
  };
}
