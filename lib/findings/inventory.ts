import { blindness, type SourceView } from './observe.ts';
import { oncePer } from '../model/once.ts';
import { at, namesOf, NO_NAMES, numberAt, textAt } from './summary-reader.ts';

export const INVENTORY = 'hpcm_inventory';

/** What the inventory tells of nodes, where it is fresh. */
export interface Inventory {
  /** The names of all hosts; null where the list is not proven complete. */
  hosts: ReadonlySet<string> | null;
  /** Their other names. */
  aliases: ReadonlySet<string>;
  /** The hosts that are powered on; null where that is not known of all of them. */
  on: ReadonlySet<string> | null;
  /** Those that are off, as this look read them. */
  off: ReadonlySet<string>;
  /** Milliseconds since the epoch. */
  asOf: number;
}

/** The inventory of this tick, or why there is none to go by. */
export function inventoryOf(sources: readonly SourceView[], now: number): Inventory | { why: string } {
  const view = sources.find((s) => s.source === INVENTORY);
  if (!view) return { why: `${INVENTORY} is not configured` };
  const why = blindness(view, now);
  if (why !== null || view.snapshot === null) return { why: why ?? `${INVENTORY} was not collected` };
  return inventoryIn(view.snapshot);
}

/** The hosts of a complete list; none where it is not. */
export function hostsOf(inventory: Inventory | { why: string }): ReadonlySet<string> {
  return 'why' in inventory || inventory.hosts === null ? NO_NAMES : inventory.hosts;
}

const inventoryIn = oncePer((snapshot: NonNullable<SourceView['snapshot']>): Inventory => {
  const { observed } = snapshot.coverage;
  const listed = observed['host'];
  const hosts = listed === undefined ? null : namesOf(listed);
  const off = new Set(
    snapshot.conditions.filter((c) => c.kind === 'node_off' && c.values['last_read'] === undefined).map((c) => c.subject.id),
  );
  return {
    hosts,
    aliases: namesOf(observed['host_alias']),
    on: hosts && poweredOn(hosts, off, snapshot.summary),
    off,
    asOf: Date.parse(snapshot.asOf),
  };
});

type Summary = NonNullable<SourceView['snapshot']>['summary'];

/** All hosts that are neither off nor without an answer: known only where every host was asked, and the silent ones are all named. */
function poweredOn(hosts: ReadonlySet<string>, off: ReadonlySet<string>, summary: Summary): ReadonlySet<string> | null {
  if (numberAt(summary, 'power', 'asked') !== hosts.size || numberAt(summary, 'power', 'changing') !== 0) return null;
  if (at(summary, 'power', 'unknown_nodes', 'more') !== undefined) return null;
  const silent = namesOf(textAt(summary, 'power', 'unknown_nodes', 'nodes'));
  return new Set([...hosts].filter((name) => !off.has(name) && !silent.has(name)));
}
