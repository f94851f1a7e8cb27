import type { ConditionDraft } from '../../model/condition.ts';
import type { JsonObject } from '../../model/json.ts';
import { compareSeverity } from '../../model/condition.ts';
import { compareNames, oneLine } from '../../model/text.ts';
import { formatDuration, toIso } from '../../model/time.ts';
import type { Completeness } from '../oneview/pages.ts';
import { setJson, tally } from '../oneview/sets.ts';
import { type Alert, worstOf } from './alert.ts';
import type { Family } from './families.ts';
import { type Burst, byFingerprint } from './storms.ts';

export interface Digested {
  alerts: readonly Alert[];
  families: readonly Family[];
  conditions: readonly ConditionDraft[];
  bursts: readonly Burst[];
  completeness: Completeness;
  complete: boolean;
  /** The time from which ages are reckoned, and how old a Locked alert may be. */
  at: number;
  lockedAfter: number;
}

const MAX_TOP = 8;

/** The summary: totals, alerts by severity and state, the most frequent fingerprints, and folded sets of what they hit. */
export function summarise(digested: Digested): JsonObject {
  const { alerts, families, conditions, bursts, completeness, complete, at, lockedAfter } = digested;
  const open = families.flatMap((f) => [f.root, ...f.children]);
  const roots = families.map((f) => f.root);
  const names = (list: readonly Alert[]): JsonObject => setJson(list.map((a) => a.subject.id));
  const longLocked = roots.filter((a) => a.state.toLowerCase() === 'locked' && a.created !== null && at - a.created > lockedAfter);
  const suppressed = roots.filter((a) => a.suppressedTrap !== null);
  return {
    alerts: alerts.length,
    collection: { stated: completeness.stated, collected: completeness.collected, missing: completeness.missing, complete },
    states: tally(alerts.map((a) => a.state)),
    open: {
      roots: roots.length,
      below: open.length - roots.length,
      lifecycle: roots.filter((a) => a.lifecycle).length,
      ok: roots.filter((a) => a.severityWord.toLowerCase() === 'ok').length,
      severity: tally(roots.map((a) => a.severityWord)),
    },
    conditions: conditions.length,
    kinds: tally(
      conditions.map((c) => c.kind),
      12,
    ),
    critical: setJson(conditions.filter((c) => c.severity === 'critical').map((c) => c.subject.id)),
    warning: setJson(conditions.filter((c) => c.severity === 'warning').map((c) => c.subject.id)),
    top: topFingerprints(roots),
    locked: {
      count: roots.filter((a) => a.state.toLowerCase() === 'locked').length,
      over: formatDuration(lockedAfter),
      long: names(longLocked),
    },
    predictive: names(roots.filter((a) => a.predictive)),
    self_test: names(roots.filter((a) => a.selfTest)),
    suppressed: {
      traps: tally(
        suppressed.map((a) => a.suppressedTrap),
        5,
      ),
      resources: names(suppressed),
    },
    bursts: bursts.slice(0, 3).map((b) => ({ part: oneLine(b.part, 80), alerts: b.alerts, since: toIso(b.since) })),
  };
}

function topFingerprints(roots: readonly Alert[]): JsonObject {
  const groups = [...byFingerprint(roots.filter((a) => a.severityWord.toLowerCase() !== 'ok')).values()].map((group) => {
    const created = group.flatMap((a) => (a.created === null ? [] : [a.created]));
    return {
      lead: group[0] as Alert,
      group,
      severity: worstOf(group),
      oldest: created.length > 0 ? created.reduce((a, b) => Math.min(a, b)) : null,
    };
  });
  const ordered = groups.sort(
    (a, b) =>
      compareSeverity(a.severity, b.severity) ||
      b.group.length - a.group.length ||
      compareNames(a.lead.kind, b.lead.kind) ||
      compareNames(a.lead.part, b.lead.part),
  );
  return {
    shown: ordered.slice(0, MAX_TOP).map(({ lead, group, severity, oldest }) => ({
      kind: lead.kind,
      part: oneLine(lead.part, 80),
      severity,
      alerts: group.length,
      resources: setJson(
        group.map((a) => a.subject.id),
        120,
      ),
      oldest: oldest === null ? null : toIso(oldest),
    })),
    more: Math.max(0, ordered.length - MAX_TOP),
  };
}
