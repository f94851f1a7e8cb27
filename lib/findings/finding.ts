import { compareSeverity } from '../model/condition.ts';
import type { Finding } from '../model/finding.ts';
import { compareNames } from '../model/text.ts';
import { parseDuration } from '../model/time.ts';
import { kindOf } from './follow.ts';
import type { Tracked } from './tracked.ts';

/** A resolved finding stays in the reports for a day. */
const SHOWN_RESOLVED = parseDuration('24h');

/** What the report lists, the worst first. What was never in an open list does not end in one either. */
export function findingsOf(tracked: ReadonlyMap<string, Tracked>, hidden: { has(id: string): boolean }, now: number): Finding[] {
  return [...tracked]
    .filter(([id, t]) => !hidden.has(id) && isListed(t, now))
    .map(([, t]) => findingOf(t))
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

function findingOf(t: Tracked): Finding {
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
