import type { Change } from '../model/change.ts';
import type { Subject } from '../model/condition.ts';
import type { Finding, Group, Suppressed, Transition } from '../model/finding.ts';
import type { JsonObject } from '../model/json.ts';
import type { SourceReport, Verdict } from '../model/report.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { GroundTruth } from '../findings/ground-truth.ts';

/**
 * All that the tools can see: the snapshots that a tick is pinned to, and what code made of them. It holds no reader,
 * no path and no store, so that no call can reach further than this.
 */
export interface ReadView {
  cluster: string;
  /** The tick's clock, ms since the epoch. */
  now: number;
  verdict: Verdict;
  sources: readonly SourceReport[];
  changes: readonly Change[];
  findings: readonly Finding[];
  groups: readonly Group[];
  suppressed: readonly Suppressed[];
  groundTruth: GroundTruth | null;
  /** Every name of a node across sources, its own in the inventory first; the name alone where it has no other. */
  namesOf(name: string): readonly string[];
  /** The pinned snapshot of a source (`observer` for derived conditions); null where it has none. */
  snapshot(source: string): Promise<Snapshot | null>;
  /** What each source knows of a subject, in the order of the sources. */
  facts(subject: Subject): Promise<{ source: string; asOf: string; facts: JsonObject }[]>;
  /** A finding's transitions, oldest first. */
  history(findingId: string): Promise<readonly Transition[]>;
  /** A declared number of a source over time, oldest first; `at` in ms since the epoch. */
  trend(source: string, name: string, range: { from: number; to: number }): Promise<{ at: number; value: number }[]>;
}
