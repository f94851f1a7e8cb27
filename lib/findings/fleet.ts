import { expand } from '../nodeset.ts';
import type { GroundTruth } from './ground-truth.ts';

export interface FleetMember {
  role: string;
  image: string | undefined;
  kernel: string | undefined;
}

/** Every node that the site expects, by name. The first entry that names a node counts. */
export function fleetOf(groundTruth: GroundTruth | null): ReadonlyMap<string, FleetMember> {
  const fleet = new Map<string, FleetMember>();
  for (const { nodes, role, image } of groundTruth?.fleet ?? []) {
    const expected = groundTruth && Object.hasOwn(groundTruth.roles, role) ? groundTruth.roles[role] : undefined;
    // An image of its own has a kernel of its own.
    const member = { role, image: image ?? expected?.image, kernel: image === undefined ? expected?.kernel : undefined };
    for (const name of expand(nodes)) if (!fleet.has(name)) fleet.set(name, member);
  }
  return fleet;
}
