import type { Place } from '../model/condition.ts';
import { placeOfXname } from '../model/xname.ts';
import { nodeSetOf } from '../nodeset.ts';
import type { GroundTruth } from './ground-truth.ts';
import type { Fleet } from './fleet.ts';
import type { Identity, Names } from './names.ts';
import { oncePer } from '../model/once.ts';

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

/** The name of a node with that of its slot: all nodes of a slot are in the same containers. */
const NODE_IN_SLOT = /^(x\d{1,5}c\d{1,4}s\d{1,4})b\d{1,4}n\d{1,4}$/;

/** A place and the nodes that stand there. */
export class Held {
  readonly spot: Spot;
  readonly #names: string[] = [];
  #nodes: ReadonlySet<string> | undefined;

  constructor(spot: Spot) {
    this.spot = spot;
  }

  add(name: string): void {
    this.#names.push(name);
  }

  get size(): number {
    return this.#names.length;
  }

  /** The nodes by name: few of all places are ever looked into. */
  get nodes(): ReadonlySet<string> {
    return (this.#nodes ??= new Set(this.#names));
  }
}

const NOWHERE: readonly Held[] = [];

/**
 * Where every node stands: by its name, by the site's topology (which may put it behind two PDUs), by the image that it
 * runs. What is not known of a node puts it nowhere.
 */
export class Places {
  /** The nodes of each place, by the inventory's names. */
  readonly members = new Map<string, Held>();
  /** All nodes that are known: what findings are a share of. */
  readonly nodes: ReadonlySet<string>;
  readonly #ofNode = new Map<string, Held[]>();

  constructor(
    nodes: Iterable<string>,
    topology: GroundTruth['topology'],
    identities: ReadonlyMap<string, readonly Identity[]>,
    names: Names,
  ) {
    const known = new Set<string>();
    for (const name of nodes) known.add(names.canonical(name));
    this.nodes = known;
    const byType = CONTAINERS.map((type) => ({ type, at: this.#placesOf(type) }));
    const containersOf = (all: readonly string[]): readonly Held[] => {
      const place = placeUnder(all);
      return place ? byType.flatMap(({ type, at }) => (place[type] === undefined ? [] : [at(place[type])])) : [];
    };
    const ofSlot = new Map<string, readonly Held[]>();
    for (const name of known) {
      const slot = NODE_IN_SLOT.exec(name)?.[1];
      const containers = (slot === undefined ? undefined : ofSlot.get(slot)) ?? containersOf(names.of(name));
      if (slot !== undefined) ofSlot.set(slot, containers);
      for (const held of containers) held.add(name);
      this.#ofNode.set(name, [...containers]);
    }
    for (const [type, places] of Object.entries(topology)) {
      const at = this.#placesOf(type);
      for (const [id, set] of Object.entries(places)) {
        let held: Held | undefined;
        for (const told of nodeSetOf(set)) {
          const name = names.canonical(told);
          const mine = this.#ofNode.get(name);
          if (mine) put((held ??= at(id)), name, mine);
        }
      }
    }
    const imaged = this.#placesOf('image');
    for (const some of identities.values()) {
      for (const { name, image } of some) {
        const own = names.canonical(name);
        const mine = image === undefined ? undefined : this.#ofNode.get(own);
        if (mine && image !== undefined) put(imaged(image), own, mine);
      }
    }
  }

  /** The places where a node stands; each is the same object for all of its nodes. */
  of(name: string): readonly Held[] {
    return this.#ofNode.get(name) ?? NOWHERE;
  }

  /** The places of a type by their names, made when first asked for: the key of each is put together once. */
  #placesOf(type: string): (id: string) => Held {
    const known = new Map<string, Held>();
    return (id) => {
      let held = known.get(id);
      if (held) return held;
      const key = spotKey({ type, id });
      held = this.members.get(key) ?? new Held({ type, id });
      this.members.set(key, held);
      known.set(id, held);
      return held;
    };
  }
}

function placeUnder(names: readonly string[]): Place | null {
  for (const name of names) {
    const place = placeOfXname(name);
    if (place) return place;
  }
  return null;
}

/** A node is in few places: whether it is in this one already is seen by looking through them. */
function put(held: Held, name: string, mine: Held[]): void {
  if (mine.includes(held)) return;
  held.add(name);
  mine.push(held);
}

const NO_TOPOLOGY: GroundTruth['topology'] = {};

/** Where the nodes that are expected or listed stand. */
export function placesOf(of: {
  fleet: Fleet;
  hosts: ReadonlySet<string>;
  groundTruth: GroundTruth | null;
  identities: ReadonlyMap<string, readonly Identity[]>;
  names: Names;
}): Places {
  return placesOnce(of.fleet, of.hosts, of.groundTruth?.topology ?? NO_TOPOLOGY, of.identities, of.names);
}

const placesOnce = oncePer(
  (
    fleet: Fleet,
    hosts: ReadonlySet<string>,
    topology: GroundTruth['topology'],
    identities: ReadonlyMap<string, readonly Identity[]>,
    names: Names,
  ) => new Places(both(fleet.keys(), hosts), topology, identities, names),
);

function* both(some: Iterable<string>, others: Iterable<string>): Iterable<string> {
  yield* some;
  yield* others;
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
