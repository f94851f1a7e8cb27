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
  // Of one kind and severity they nearly stand in order already.
  const alike = new Map<string, [Finding, ...Finding[]]>();
  for (const [id, t] of tracked) {
    if (listing.hidden.has(id) || !isListed(t, listing.now)) continue;
    const finding = findingOf(t, listing);
    const key = `${finding.severity} ${finding.kind}`;
    const some = alike.get(key);
    if (some) some.push(finding);
    else alike.set(key, [finding]);
  }
  return [...alike.values()]
    .sort(([a], [b]) => compareSeverity(a.severity, b.severity) || compareNames(a.kind, b.kind))
    .flatMap((some) => some.sort((a, b) => compareNames(a.subject.id, b.subject.id) || compareNames(a.id, b.id)));
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
  // Member by member, in the order of the schema: of thousands, objects that are put together from pieces cost more than
  // all that is worked out here.
  const f = { id, episode: t.episode, state: t.state } as Finding;
  if (t.flappingSince !== null) f.flapping = { changes: changesIn(t.looks), since: t.flappingSince };
  if (ack && t.state !== 'resolved') f.acknowledged = ack;
  f.severity = severity;
  if (raised?.to === severity) f.escalated = { from: raised.from, at: raised.at, reason: raised.reason };
  f.kind = condition.kind;
  f.title = kind.title;
  f.source = t.source;
  f.subject = subject;
  if (condition.part !== undefined) f.part = condition.part;
  if (node !== subject.id) f.knownAs = node;
  f.subjects = subject.id;
  f.conditions = [condition];
  f.firstSeen = t.firstSeen;
  f.lastSeen = t.lastSeen;
  if (t.resolvedAt !== undefined && t.state === 'resolved') f.resolvedAt = t.resolvedAt;
  f.changedAt = t.changedAt;
  if (t.reportedAt !== undefined) f.reportedAt = t.reportedAt;
  f.looks = t.looks;
  f.count = condition.count;
  if (condition.place) f.place = condition.place;
  f.evidence = condition.evidence;
  f.hint = condition.hint;
  if (typeof runbook === 'string') f.runbook = runbook;
  f.provenance = kind.provenance;
  f.reason = t.reason;
  return f;
}
