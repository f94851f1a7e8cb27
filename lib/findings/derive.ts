import type { Collected } from '../model/collector.ts';
import { contradictions } from './contradictions.ts';
import { Derivation, UNJUDGED } from './derivation.ts';
import type { Rules } from './escalate.ts';
import { expectedImages } from './expected-images.ts';
import { expectedNodes } from './expected-nodes.ts';
import { fleetOf } from './fleet.ts';
import { capacityForecast, type Series } from './forecast.ts';
import type { GroundTruth } from './ground-truth.ts';
import { hardwareOf } from './hardware.ts';
import { INVENTORY, inventoryOf } from './inventory.ts';
import { knownDown } from './known-down.ts';
import { type Ambiguity, type Identity, type Names, NO_NAMES } from './names.ts';
import type { SourceView } from './observe.ts';
import { setText } from './set-text.ts';

export { OBSERVER } from './observe.ts';
import { schedulerOf } from './scheduler.ts';

export interface DeriveInput {
  cluster: string;
  now: number;
  sources: readonly SourceView[];
  groundTruth: GroundTruth | null;
  mistakes: readonly string[];
  /** Why the lifecycle's state is not the one that the last tick left; null where it is. */
  damage?: string | null;
  /** What each source tells of the identity of nodes, and the names made of it; none = names are taken as they are. */
  identities?: ReadonlyMap<string, readonly Identity[]>;
  names?: Names;
  /** Numbers over time, for the forecast. */
  series?: readonly Series[];
  /** The site's rules, by kind. */
  rules?: Rules;
}

/** Makes the conditions that need two sources or ground truth. Pure; of snapshots it reads summaries, conditions and coverage alone. */
export function deriveConditions(input: DeriveInput): Collected<null> {
  const { cluster, now, sources, groundTruth, mistakes, names = NO_NAMES, series = [], rules = {} } = input;
  const inventory = inventoryOf(sources, now);
  const scheduler = schedulerOf(sources, now);
  const unsure = (section: string): string | null => {
    const isLost = groundTruth === null && mistakes.length > 0;
    return isLost || groundTruth?.faulty.includes(section) ? `${section} of the ground truth has mistakes` : null;
  };
  const made = new Derivation();
  made.add(mistaken(input));
  made.add(damaged(input));
  const fleet = fleetOf(groundTruth);
  made.add(expectedNodes({ fleet, unsure: unsure('fleet'), inventory, names }));
  const records = input.identities?.get(INVENTORY) ?? [];
  made.add(expectedImages({ fleet, unsure: unsure('fleet') ?? unsure('roles'), inventory, records, names }));
  made.add(knownDown({ groundTruth, unsure: unsure('known_down'), scheduler, inventory, names, now }));
  made.add(contradictions({ inventory, scheduler, hardware: hardwareOf(sources, now), names }));
  made.add(capacityForecast({ cluster, sources, series, rule: rules['capacity_forecast'], now }));
  made.add(ambiguous(cluster, names));
  return {
    summary: { mistakes: mistakes.length, ...made.told, [UNJUDGED]: made.unjudged },
    conditions: made.conditions,
    coverage: { records: 0, rejected: 0, problems: [], observed: made.observed },
  };
}

const AMBIGUITIES_TOLD = 3;

/** Nodes that could not be told apart, one condition for each key: joined by none of what is named here. */
function ambiguous(cluster: string, names: Names): Derivation {
  const made = new Derivation();
  made.judged('identity_ambiguous', 'cluster', 'all');
  const byKey = new Map<string, Ambiguity[]>();
  for (const one of names.ambiguous) {
    const some = byKey.get(one.key);
    if (some) some.push(one);
    else byKey.set(one.key, [one]);
  }
  for (const [key, all] of byKey) {
    const told = all.slice(0, AMBIGUITIES_TOLD).map((a) => `${a.value} by ${setText(a.names, 80)}`);
    made.conditions.push({
      kind: 'identity_ambiguous',
      subject: { type: 'cluster', id: cluster },
      part: key,
      message: `${all.length === 1 ? 'a' : all.length} ${key}${all.length === 1 ? ' is' : 's are'} claimed by more than one node: ${told.join('; ')}${all.length > told.length ? `; and ${all.length - told.length} more` : ''}`,
      values: { claims: all.length },
    });
  }
  return made;
}

function damaged({ cluster, damage = null }: DeriveInput): Derivation {
  const made = new Derivation();
  made.judged('memory_damaged', 'cluster', 'all');
  if (damage !== null) {
    made.conditions.push({
      kind: 'memory_damaged',
      subject: { type: 'cluster', id: cluster },
      message: `what the last tick left cannot be read: ${damage}`,
    });
  }
  return made;
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
