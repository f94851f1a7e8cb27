import type { ConditionDraft } from '../model/condition.ts';
import { compareNames } from '../model/text.ts';
import { Derivation } from './derivation.ts';
import { onNode } from './expected-nodes.ts';
import type { Fleet, FleetMember } from './fleet.ts';
import type { Inventory } from './inventory.ts';
import type { Identity, Names } from './names.ts';

const KIND = 'image_not_expected';

interface Expected {
  fleet: Fleet;
  /** Why the fleet is not what the site meant; null where it is. */
  unsure: string | null;
  inventory: Inventory | { why: string };
  /** The inventory's own records. */
  records: readonly Identity[];
  names: Names;
}

/** Compares the image and kernel that the inventory assigns with those that the site expects of a node's role. */
export function expectedImages({ fleet, unsure, inventory, records, names }: Expected): Derivation {
  const made = new Derivation();
  const why =
    unsure ??
    ('why' in inventory ? inventory.why : inventory.hosts === null ? 'the node list of hpcm_inventory is not proven complete' : null);
  if (why !== null) {
    made.leave(KIND, why);
    return made;
  }
  made.judged(KIND, 'node', 'all');
  const drafts = records.flatMap((record) => {
    const member = memberOf(names.of(record.name), fleet);
    return member ? differing(record, member) : [];
  });
  made.conditions.push(...drafts.sort((a, b) => compareNames(a.subject.id, b.subject.id)));
  return made;
}

function memberOf(names: readonly string[], fleet: Fleet): FleetMember | undefined {
  for (const name of names) {
    const member = fleet.get(name);
    if (member) return member;
  }
  return undefined;
}

/** At most one condition a node: with another image, another kernel is no second fault. */
function differing({ name, assigned, kernel }: Identity, member: FleetMember): ConditionDraft[] {
  const isOther = (has: string | undefined, wanted: string | undefined): boolean =>
    has !== undefined && wanted !== undefined && has !== wanted;
  const isImage = isOther(assigned, member.image);
  if (!isImage && !isOther(kernel, member.kernel)) return [];
  const [what, has, wanted] = isImage ? ['image', assigned, member.image] : ['kernel', kernel, member.kernel];
  return [
    {
      ...onNode(KIND, name),
      message: `${name} (${member.role}) has ${what} ${has} assigned; expected of its role is ${wanted}`,
      values: { role: member.role, image: assigned ?? null, kernel: kernel ?? null, expected: wanted ?? null },
    },
  ];
}
