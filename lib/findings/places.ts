import type { Place } from '../model/condition.ts';
import { placeOfXname } from '../model/xname.ts';
import { expand } from '../nodeset.ts';
import type { GroundTruth } from './ground-truth.ts';
import type { Identity, Names } from './names.ts';

/** A place of cause: its type (`switch`, `rack`, `image`, …) and its name. */
export interface Spot {
  type: string;
  id: string;
}

export function spotKey({ type, id }: Spot): string {
  return `${type}\n${id}`;
}

/** Containers by name that can be a common cause; a board holds too few nodes, and a node is none. */
const CONTAINERS: readonly string[] = ['rack', 'chassis', 'slot', 'switch', 'pdu', 'cdu'];

/**
 * Where every node stands: by its name, by the site's topology (which may put it behind two PDUs), by the image that it
 * runs. What is not known of a node puts it nowhere.
 */
export class Places {
  /** The nodes of each place, by the inventory's names. */
  readonly members = new Map<string, { spot: Spot; nodes: Set<string> }>();
  readonly #ofNode = new Map<string, Spot[]>();

  constructor(
    nodes: Iterable<string>,
    groundTruth: GroundTruth | null,
    identities: ReadonlyMap<string, readonly Identity[]>,
    names: Names,
  ) {
    this.nodes = new Set([...nodes].map((name) => names.canonical(name)));
    for (const name of this.nodes) {
      const place = names.of(name).reduce<Place | null>((found, n) => found ?? placeOfXname(n), null);
      for (const type of CONTAINERS) if (place?.[type] !== undefined) this.#put(name, { type, id: place[type] });
    }
    for (const [type, places] of Object.entries(groundTruth?.topology ?? {})) {
      for (const [id, set] of Object.entries(places)) for (const name of expand(set)) this.#put(names.canonical(name), { type, id });
    }
    for (const { name, image } of [...identities.values()].flat())
      if (image !== undefined) this.#put(names.canonical(name), { type: 'image', id: image });
  }

  /** All nodes that are known: what findings are a share of. */
  readonly nodes: ReadonlySet<string>;

  of(name: string): readonly Spot[] {
    return this.#ofNode.get(name) ?? [];
  }

  #put(name: string, spot: Spot): void {
    if (!this.nodes.has(name)) return;
    const key = spotKey(spot);
    const place = this.members.get(key) ?? { spot, nodes: new Set<string>() };
    if (place.nodes.has(name)) return;
    this.members.set(key, place);
    place.nodes.add(name);
    const spots = this.#ofNode.get(name);
    if (spots) spots.push(place.spot);
    else this.#ofNode.set(name, [place.spot]);
  }
}

/** Where two places hold the same nodes, the one that is the likelier cause of such a kind comes first. */
const LIKELY: readonly { kinds: RegExp; types: readonly string[] }[] = [
  { kinds: /^(hw_power|power_|node_off$|server_off$|voltage_)/, types: ['pdu', 'rack', 'chassis'] },
  { kinds: /^(temperature_|hw_thermal|hw_fan|fan_|flow_|pressure_|leak_|thermal$)/, types: ['cdu', 'rack', 'chassis'] },
  { kinds: /^(hsn_|eth_|nic_|hw_network|node_down|dhcp_|pxe_|management_|console_)/, types: ['switch', 'rack', 'chassis'] },
  { kinds: /^(lustre_|weka_|nfs_|dvs$|fs_|storage_)/, types: ['storage', 'switch'] },
  { kinds: /^(kernel_|boot_|emergency_|image_|unit_|oom$|soft_|hard_|rcu_|hung_)/, types: ['image', 'rack', 'chassis'] },
];
const OTHERWISE: readonly string[] = ['rack', 'chassis', 'slot', 'switch', 'pdu', 'cdu', 'storage', 'image'];

/** The rank of a type of place as a cause of a kind, lowest first. */
export function likelihood(kind: string, type: string): number {
  const first = LIKELY.find(({ kinds }) => kinds.test(kind))?.types.indexOf(type) ?? -1;
  if (first >= 0) return first;
  const rank = OTHERWISE.indexOf(type);
  return OTHERWISE.length + (rank >= 0 ? rank : OTHERWISE.length);
}
