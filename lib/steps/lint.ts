import { INVENTORY, inventoryOf } from '../findings/inventory.ts';
import { lintGroundTruth } from '../findings/lint.ts';
import { getAttempt } from '../store/attempts.ts';
import type { Observer } from './observer.ts';

export interface Linted {
  file: string;
  /** Each with its line; none = nothing to mend. */
  mistakes: string[];
  /** Why names were not compared with the inventory; null where they were. */
  withoutInventory: string | null;
}

/**
 * Checks a ground truth, against the inventory too where that is fresh and complete.
 * @param given a text instead of the configured file; null where there is neither
 */
export async function lint(observer: Observer, given?: { text: string; file: string }): Promise<Linted | null> {
  const { config, clock, snapshots, store } = observer;
  const truth = given ?? (await observer.groundTruth());
  if (!truth) return null;
  const now = clock();
  const configured = config.sources.get(INVENTORY);
  const view = configured && {
    source: INVENTORY,
    maxAge: configured.maxAge,
    attempt: await getAttempt(store, INVENTORY),
    snapshot: await snapshots.latest(INVENTORY),
    since: [],
  };
  const inventory = inventoryOf(view ? [view] : [], now);
  const hosts = 'why' in inventory ? null : inventory.hosts;
  const known = 'why' in inventory || hosts === null ? null : { has: (name: string) => hosts.has(name) || inventory.aliases.has(name) };
  return {
    file: truth.file,
    mistakes: lintGroundTruth(truth.text, { file: truth.file, now, nodeDomains: config.node_domains, ...(known && { inventory: known }) }),
    withoutInventory: 'why' in inventory ? inventory.why : hosts === null ? `the node list of ${INVENTORY} is not proven complete` : null,
  };
}
