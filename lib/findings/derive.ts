import type { Collected } from '../model/collector.ts';
import { Derivation, UNJUDGED } from './derivation.ts';
import { expectedNodes } from './expected-nodes.ts';
import { fleetOf } from './fleet.ts';
import type { GroundTruth } from './ground-truth.ts';
import { inventoryOf } from './inventory.ts';
import { knownDown } from './known-down.ts';
import type { SourceView } from './observe.ts';
import { schedulerOf } from './scheduler.ts';

/** The pseudo-source of derived conditions. */
export const OBSERVER = 'observer';

export interface DeriveInput {
  cluster: string;
  now: number;
  sources: readonly SourceView[];
  groundTruth: GroundTruth | null;
  mistakes: readonly string[];
}

/** Makes the conditions that need two sources or ground truth. Pure; it reads summaries, conditions and coverage alone. */
export function deriveConditions(input: DeriveInput): Collected<null> {
  const { now, sources, groundTruth, mistakes } = input;
  const inventory = inventoryOf(sources, now);
  const scheduler = schedulerOf(sources, now);
  const unsure = (section: string): string | null => {
    const isLost = groundTruth === null && mistakes.length > 0;
    return isLost || groundTruth?.faulty.includes(section) ? `${section} of the ground truth has mistakes` : null;
  };
  const made = new Derivation();
  made.add(mistaken(input));
  made.add(expectedNodes({ fleet: fleetOf(groundTruth), unsure: unsure('fleet'), inventory }));
  made.add(knownDown({ groundTruth, unsure: unsure('known_down'), scheduler, inventory, now }));
  return {
    summary: { mistakes: mistakes.length, ...made.told, [UNJUDGED]: made.unjudged },
    conditions: made.conditions,
    coverage: { records: 0, rejected: 0, problems: [], observed: made.observed },
  };
}

function mistaken({ cluster, mistakes }: DeriveInput): Derivation {
  const made = new Derivation();
  made.judged('ground_truth_invalid', 'cluster', 'all');
  if (mistakes.length > 0) {
    made.conditions.push({
      kind: 'ground_truth_invalid',
      subject: { type: 'cluster', id: cluster },
      message: `ground truth has ${mistakes.length === 1 ? 'a mistake' : `${mistakes.length} mistakes, the first`}: ${mistakes[0]}`,
      values: { mistakes: mistakes.length },
    });
  }
  return made;
}
