import type { ConditionDraft } from '../model/condition.ts';
import { compareNames } from '../model/text.ts';
import { placeOfXname } from '../model/xname.ts';
import { Derivation } from './derivation.ts';
import type { Fleet, FleetMember } from './fleet.ts';
import type { Inventory } from './inventory.ts';
import type { Names } from './names.ts';
import { setText } from './set-text.ts';

interface Expected {
  fleet: Fleet;
  /** Why the fleet is not what the site meant; null where it is. */
  unsure: string | null;
  inventory: Inventory | { why: string };
  names: Names;
}

/** Compares the nodes that the site expects with those that a complete inventory lists. */
export function expectedNodes({ fleet, unsure, inventory, names }: Expected): Derivation {
  const made = new Derivation();
  const hosts = 'why' in inventory ? null : inventory.hosts;
  const why =
    unsure ?? ('why' in inventory ? inventory.why : hosts === null ? 'the node list of hpcm_inventory is not proven complete' : null);
  if (why !== null || hosts === null || 'why' in inventory) {
    for (const kind of ['node_missing', 'node_unexpected']) made.leave(kind, why ?? 'unknown');
    return made;
  }
  made.judged('node_missing', 'node', 'all');
  made.judged('node_unexpected', 'node', 'all');
  if (fleet.size === 0) return made;
  const isListed = (name: string): boolean => hosts.has(names.canonical(name)) || inventory.aliases.has(name);
  const missing = [...fleet.keys()].filter((name) => !isListed(name)).sort(compareNames);
  made.conditions.push(...missing.map((name) => missingNode(name, fleet.get(name) as FleetMember, hosts.size)));
  const unexpected = [...hosts].filter((name) => !names.of(name).some((n) => fleet.has(n))).sort(compareNames);
  made.conditions.push(...unexpected.map(unexpectedNode));
  made.tell('missing', { count: missing.length, nodes: setText(missing, 400) });
  made.tell('unexpected', { count: unexpected.length, nodes: setText(unexpected, 400) });
  return made;
}

function missingNode(name: string, { role }: FleetMember, listed: number): ConditionDraft {
  return {
    ...onNode('node_missing', name),
    message: `${name} (${role}) is expected, and the complete inventory of ${listed} hosts does not list it`,
    values: { role, listed },
  };
}

function unexpectedNode(name: string): ConditionDraft {
  return {
    ...onNode('node_unexpected', name),
    message: `${name} is in the inventory, and the site's list of expected nodes does not have it`,
  };
}

/** The common part of a derived condition on one node. */
export function onNode(kind: string, name: string): Pick<ConditionDraft, 'kind' | 'subject' | 'place'> {
  const place = placeOfXname(name);
  return { kind, subject: { type: 'node', id: name }, ...(place && { place }) };
}
