import { nodeSetOf } from '../nodeset.ts';
import type { GroundTruth } from './ground-truth.ts';
import type { Names } from './names.ts';
import { oncePer } from '../model/once.ts';

export interface FleetMember {
  role: string;
  image: string | undefined;
  kernel: string | undefined;
}

/** The nodes that the site expects, by name. */
export type Fleet = ReadonlyMap<string, FleetMember>;

const NOBODY: Fleet = new Map();

/** Every node that the site expects, by name. The first entry that names a node counts. */
export function fleetOf(groundTruth: GroundTruth | null): Fleet {
  return groundTruth ? expectedFleet(groundTruth.fleet, groundTruth.roles) : NOBODY;
}

const expectedFleet = oncePer((entries: GroundTruth['fleet'], roles: GroundTruth['roles']): Fleet => {
  const fleet = new Map<string, FleetMember>();
  for (const { nodes, role, image } of entries) {
    const expected = Object.hasOwn(roles, role) ? roles[role] : undefined;
    // An image of its own has a kernel of its own.
    const member = { role, image: image ?? expected?.image, kernel: image === undefined ? expected?.kernel : undefined };
    for (const name of nodeSetOf(nodes)) if (!fleet.has(name)) fleet.set(name, member);
  }
  return fleet;
});

/** The name by which the site expects a node, by the node's own. */
export const expectedNames = oncePer((fleet: Fleet, names: Names): ReadonlyMap<string, string> => {
  const expected = new Map<string, string>();
  for (const name of fleet.keys()) expected.set(names.canonical(name), name);
  return expected;
});

/** How many nodes of each role are expected. */
export const roleSizes = oncePer((fleet: Fleet): ReadonlyMap<string, number> => {
  const sizes = new Map<string, number>();
  for (const { role } of fleet.values()) sizes.set(role, (sizes.get(role) ?? 0) + 1);
  return sizes;
});
