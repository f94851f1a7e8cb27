import { toIso } from '../model/time.ts';
import { fold, nodeSetOf } from '../nodeset.ts';
import { Derivation } from './derivation.ts';
import { onNode } from './expected-nodes.ts';
import type { GroundTruth } from './ground-truth.ts';
import type { Inventory } from './inventory.ts';
import type { Names } from './names.ts';
import type { Scheduler } from './scheduler.ts';
import { setText } from './set-text.ts';

interface KnownDown {
  groundTruth: GroundTruth | null;
  /** Why the entries are not what the site meant; null where they are. */
  unsure: string | null;
  scheduler: Scheduler | { why: string };
  inventory: Inventory | { why: string };
  names: Names;
  now: number;
}

/** Entries of known-down nodes that have run out, or that the cluster contradicts. */
export function knownDown({ groundTruth, unsure, scheduler, inventory, names, now }: KnownDown): Derivation {
  const made = new Derivation();
  if (unsure !== null) {
    made.leave('known_down_expired', unsure);
    made.leave('known_down_but_up', unsure);
    return made;
  }
  const entries = groundTruth?.known_down ?? [];
  made.judged('known_down_expired', 'node', 'all');
  const expired = entries.filter((entry) => entry.expires <= now);
  const current = new Map(
    entries.filter((entry) => entry.expires > now).flatMap((entry) => [...nodeSetOf(entry.nodes)].map((name) => [name, entry] as const)),
  );
  for (const entry of expired) {
    for (const name of nodeSetOf(entry.nodes)) {
      if (current.has(name)) continue;
      made.conditions.push({
        ...onNode('known_down_expired', name),
        message: `${name} was known to be down until ${toIso(entry.expires)} (${entry.reason}; ${entry.owner}); the entry has run out and no longer covers it`,
        values: { expired: toIso(entry.expires), owner: entry.owner, ticket: entry.ticket ?? null },
      });
    }
  }
  const undecided: string[] = [];
  for (const [name, entry] of current) {
    const up = isUp(names.of(name), scheduler, inventory);
    if (up === null) undecided.push(name);
    if (!up) continue;
    made.conditions.push({
      ...onNode('known_down_but_up', name),
      message: `${name} is listed as known down until ${toIso(entry.expires)} (${entry.reason}; ${entry.owner}), and ${up}`,
      values: { until: toIso(entry.expires), owner: entry.owner, ticket: entry.ticket ?? null },
    });
  }
  if (undecided.length === 0) made.judged('known_down_but_up', 'node', 'all');
  else {
    made.leave('known_down_but_up', `nothing that is fresh tells of ${setText(undecided, 200)}`);
    made.judged('known_down_but_up', 'node', fold([...current.keys()].filter((name) => !undecided.includes(name))));
  }
  made.tell('known_down', {
    count: current.size,
    nodes: setText([...current.keys()], 400),
    expired: expired.length,
  });
  return made;
}

/** How one knows that the node is up; false where it is not, null where nobody tells. */
function isUp(
  names: readonly string[],
  scheduler: Scheduler | { why: string },
  inventory: Inventory | { why: string },
): string | false | null {
  const isIn = (some: ReadonlySet<string> | null): boolean => some !== null && names.some((name) => some.has(name));
  if (!('why' in scheduler) && isIn(scheduler.known)) return isIn(scheduler.inService) && 'the scheduler gives it work';
  if (!('why' in inventory) && inventory.on !== null && isIn(inventory.hosts)) return isIn(inventory.on) && 'it is powered on';
  return null;
}
