import { compareSeverity } from '../model/condition.ts';
import type { Finding } from '../model/finding.ts';
import { toIso } from '../model/time.ts';
import { severityOf } from './escalate.ts';
import type { GroundTruth } from './ground-truth.ts';
import { isOpen, type Tracked } from './tracked.ts';

/**
 * Marks what somebody has acknowledged. A mark holds for one episode where the entry names it, to the entry's end, and
 * not for a severity worse than that with which the finding was first acknowledged.
 */
export function acknowledge(
  tracked: Map<string, Tracked>,
  groundTruth: GroundTruth | null,
  now: number,
): ReadonlyMap<string, NonNullable<Finding['acknowledged']>> {
  const marks = new Map<string, NonNullable<Finding['acknowledged']>>();
  for (const { id, by, reason, until, episode } of groundTruth?.acknowledgements ?? []) {
    const t = tracked.get(id);
    if (!t || !isOpen(t) || until <= now || (episode !== undefined && episode !== t.episode)) continue;
    const severity = severityOf(t);
    const first = t.acknowledgedAs ?? severity;
    if (t.acknowledgedAs === undefined) tracked.set(id, { ...t, acknowledgedAs: first });
    if (compareSeverity(severity, first) >= 0) marks.set(id, { by, reason, until: toIso(until) });
  }
  return marks;
}
