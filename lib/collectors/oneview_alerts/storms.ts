import type { ConditionDraft } from '../../model/condition.ts';
import { compareNames } from '../../model/text.ts';
import { parseDuration, toIso } from '../../model/time.ts';
import { setText } from '../oneview/sets.ts';
import { type Alert, APPLIANCE } from './alert.ts';
import { bounded } from './description.ts';

const WINDOW = parseDuration('10m');
/** A burst is news for as long as this. */
const RECENT = parseDuration('1h');

export interface Burst {
  kind: string;
  part: string;
  /** The most alerts of one fingerprint within the window, when the first of them came, and on whom. */
  alerts: number;
  since: number;
  subjects: string[];
}

/** Groups alerts by what they say, wherever they occur. */
export function byFingerprint(alerts: readonly Alert[]): Map<string, Alert[]> {
  const groups = new Map<string, Alert[]>();
  for (const alert of alerts) {
    const key = JSON.stringify([alert.kind, alert.part]);
    const group = groups.get(key) ?? [];
    group.push(alert);
    groups.set(key, group);
  }
  return groups;
}

/**
 * Fingerprints of which at least `threshold` alerts were created within ten minutes, the last of them within an hour
 * before `at`: one cause that shows in many places. Alerts that have been cleared since count too.
 */
export function burstsOf(alerts: readonly Alert[], threshold: number, at: number): Burst[] {
  const dated = alerts.filter((a) => !a.lifecycle && a.created !== null && a.kind !== 'alert_storm' && a.severity !== 'info');
  const bursts: Burst[] = [];
  for (const group of byFingerprint(dated).values()) {
    if (group.length < threshold) continue;
    const ordered = group
      .map((alert) => ({ alert, at: alert.created as number }))
      .sort((a, b) => a.at - b.at || compareNames(a.alert.key, b.alert.key));
    const densest = densestWindow(ordered.map((o) => o.at));
    const within = ordered.slice(densest.from, densest.to);
    const [first, last] = [within[0], within.at(-1)];
    if (!first || !last || within.length < threshold || at - last.at > RECENT) continue;
    bursts.push({
      kind: first.alert.kind,
      part: first.alert.part,
      alerts: within.length,
      since: first.at,
      subjects: within.map((w) => w.alert.subject.id),
    });
  }
  return bursts.sort((a, b) => b.alerts - a.alerts || compareNames(`${a.kind} ${a.part}`, `${b.kind} ${b.part}`));
}

/** The stretch of ascending times that has the most of them within the window; of equal ones the latest. */
function densestWindow(times: readonly number[]): { from: number; to: number } {
  let best = { from: 0, to: 0 };
  let from = 0;
  for (let to = 1; to <= times.length; to++) {
    while ((times[to - 1] as number) - (times[from] as number) > WINDOW) from++;
    if (to - from >= best.to - best.from) best = { from, to };
  }
  return best;
}

export function burstConditions(bursts: readonly Burst[]): ConditionDraft[] {
  return bursts.map(({ kind, part, alerts, since, subjects }) => ({
    kind: 'alert_storm',
    subject: APPLIANCE,
    part: bounded(`${kind} ${part}`),
    message: `${alerts} alerts of one type (${part}) within 10 minutes, on ${new Set(subjects).size} resources: ${setText(subjects)}`,
    values: { alerts, resources: new Set(subjects).size, of: kind },
    since: toIso(since),
    count: alerts,
  }));
}
