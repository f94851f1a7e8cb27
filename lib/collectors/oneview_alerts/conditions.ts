import { type ClearedDraft, compareSeverity, type ConditionDraft, subjectKey } from '../../model/condition.ts';
import { compareNames } from '../../model/text.ts';
import { toIso } from '../../model/time.ts';
import { type Alert, worstOf } from './alert.ts';
import type { Family } from './families.ts';

/** What makes alerts one condition: several of them may speak of one fact, as when a trap repeats. */
export function identityOf(alert: Alert): string {
  return JSON.stringify([alert.kind, alert.subject.type, alert.subject.id, alert.part]);
}

/**
 * One condition for each fact that open roots state. Alerts of severity OK, alone or with others of that severity, say
 * that something went well and are none.
 * @param now the clock: an appliance whose clock is ahead does not date a beginning into the future
 */
export function alertConditions(families: readonly Family[], now: number): ConditionDraft[] {
  const groups = new Map<string, Family[]>();
  for (const family of families) {
    if ([family.root, ...family.children].every((a) => a.severityWord.toLowerCase() === 'ok')) continue;
    const key = identityOf(family.root);
    const group = groups.get(key);
    if (group) group.push(family);
    else groups.set(key, [family]);
  }
  return [...groups.values()].map((group) => conditionOf(group, now));
}

function conditionOf(group: readonly Family[], now: number): ConditionDraft {
  const roots = group
    .map((f) => f.root)
    .sort((a, b) => compareSeverity(a.severity, b.severity) || (a.created ?? 0) - (b.created ?? 0) || compareNames(a.key, b.key));
  const lead = roots[0] as Alert;
  const children = group.flatMap((f) => f.children);
  const severity = worstOf([...roots, ...children]);
  const created = roots.flatMap((r) => (r.created === null ? [] : [r.created]));
  const since = created.length > 0 ? created.reduce((a, b) => Math.min(a, b)) : null;
  const locked = roots.some((r) => r.state.toLowerCase() === 'locked');
  return {
    kind: lead.kind,
    subject: lead.subject,
    part: lead.part,
    severity,
    message: describe(lead, roots.length, children.length, locked),
    values: {
      severity: lead.severityWord,
      state: lead.state,
      type: lead.type,
      urgency: lead.urgency,
      alerts: roots.length,
      children: children.length,
      locked,
      ...(lead.predictive && { predictive: true }),
      ...(lead.selfTest && { self_test: true }),
      ...(lead.suppressedTrap !== null && { suppressed: lead.suppressedTrap }),
      ...(lead.action !== null && { action: lead.action }),
    },
    ...(since !== null && since <= now && { since: toIso(since) }),
    count: roots.length,
    ...(lead.place && { place: lead.place }),
    evidence: [{ quote: lead.description }],
  };
}

function describe(lead: Alert, roots: number, children: number, locked: boolean): string {
  const what =
    lead.suppressedTrap === null
      ? lead.description
      : `OneView filters the trap ${lead.suppressedTrap}, so its counts are a floor: ${lead.description}`;
  const marks = [
    lead.severityWord,
    ...(lead.predictive ? ['predictive'] : []),
    ...(locked ? ['Locked'] : []),
    ...(roots > 1 ? [`${roots} alerts`] : []),
    ...(children > 0 ? [`${children} below it`] : []),
  ];
  return `${lead.subject.id}: ${what} [${marks.join(', ')}]`;
}

const MAX_CLEARED = 200;

/** What ended: alerts in state Cleared, or deleted, that are news and that no open alert of the same identity outlives. */
export function clearedDrafts(alerts: readonly Alert[], open: readonly Alert[], after: number, now: number): ClearedDraft[] {
  const stillOpen = new Set(open.map(identityOf));
  const newest = new Map<string, { alert: Alert; at: number }>();
  for (const alert of alerts) {
    const at = alert.clearedAt;
    const key = identityOf(alert);
    if (alert.open || alert.lifecycle || at === null || at <= after || at > now || stillOpen.has(key)) continue;
    const twin = newest.get(key);
    if (!twin || twin.at < at) newest.set(key, { alert, at });
  }
  return [...newest.values()]
    .sort(
      (a, b) =>
        b.at - a.at || compareNames(subjectKey(a.alert.subject), subjectKey(b.alert.subject)) || compareNames(a.alert.key, b.alert.key),
    )
    .slice(0, MAX_CLEARED)
    .map(({ alert, at }) => ({ kind: alert.kind, subject: alert.subject, part: alert.part, by: 'line' as const, at: toIso(at) }));
}
