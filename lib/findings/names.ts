import { comparableSerial } from '../model/facts.ts';
import { compareNames, sortedByName } from '../model/text.ts';
import { INVENTORY } from './inventory.ts';
import { oncePer } from '../model/once.ts';

/** What one source tells of the identity of one node: what the names of different sources are joined by. */
export interface Identity {
  name: string;
  /** Its other names, the geographic one among them. */
  aliases?: readonly string[];
  serial?: string;
  /** Address of its management processor. */
  bmc?: string;
  bmcMac?: string;
  macs?: readonly string[];
  /** The image that it runs, or is assigned: what it has in common with others. */
  image?: string;
  /** What it is assigned, running or not. */
  assigned?: string;
  kernel?: string;
}

/** Keys that tell nodes apart, in the order in which they are believed. */
const KEYS = ['serial number', 'BMC address', 'BMC MAC address', 'MAC address'] as const;
export type Key = (typeof KEYS)[number] | 'name';

/** Something that two nodes claim, so that nothing is joined by it. */
export interface Ambiguity {
  key: Key;
  /** What is claimed, and by which names. */
  value: string;
  names: string[];
}

/** The inventory's names are the nodes' own; the others' are joined to them. */
const OWN = INVENTORY;

/**
 * One identity for each node, across the names that sources give it. Nodes are those of the inventory; another source's
 * record is the one that its serial number, BMC address, MAC address or name leads to, the first of these that leads
 * to exactly one. Whatever two claim joins nothing, and is told.
 */
export class Names {
  readonly ambiguous: readonly Ambiguity[];
  readonly #canonical = new Map<string, string>();
  readonly #names = new Map<string, string[]>();

  constructor(identities: ReadonlyMap<string, readonly Identity[]>) {
    // Only how ambiguities are told depends on the order of records, and to sort those of a fleet is dear.
    let told = this.#joinAll(identities, (records) => records);
    if (told.others.length > 0) {
      this.#canonical.clear();
      told = this.#joinAll(identities, inOrder);
    }
    this.ambiguous = [...claimsIn(identities.get(OWN) ?? NO_RECORDS, told.shared), ...told.others];
    for (const [alias, name] of this.#canonical) {
      const names = this.#names.get(name);
      if (names) names.push(alias);
      else this.#names.set(name, [name, alias]);
    }
  }

  /** The names of identities that never change: the same for the same. */
  static readonly of: (identities: ReadonlyMap<string, readonly Identity[]>) => Names = oncePer((identities) => new Names(identities));

  /** The node's name in the inventory; the name itself where it is known by no other. */
  canonical(name: string): string {
    return this.#canonical.get(name) ?? name;
  }

  /** Every name of the node, its own first. */
  of(name: string): readonly string[] {
    const own = this.canonical(name);
    return this.#names.get(own) ?? [own];
  }

  #joinAll(identities: ReadonlyMap<string, readonly Identity[]>, ordered: (records: readonly Identity[]) => readonly Identity[]): Told {
    const told: Told = { shared: new Map(), others: [] };
    const own = ordered(identities.get(OWN) ?? NO_RECORDS);
    const isNode = new Set<string>();
    for (const { name } of own) isNode.add(name);
    const ownersIn = (key: Key, values: ValuesOf): Map<string, string> => {
      const { owners, several } = ownersOf(own, values);
      if (several.size > 0) told.shared.set(key, several);
      return owners;
    };
    for (const [alias, name] of ownersIn('name', aliasesBut(isNode))) this.#join(alias, name);
    const byKey = KEYS.map((key) => ownersIn(key, VALUES[key]));
    for (const [source, records] of [...identities].sort(([a], [b]) => compareNames(a, b))) {
      if (source !== OWN) this.#joinSource(ordered(records), byKey, isNode, told.others);
    }
    return told;
  }

  #join(alias: string, name: string): void {
    if (alias !== name) this.#canonical.set(alias, name);
  }

  #joinSource(
    records: readonly Identity[],
    byKey: readonly ReadonlyMap<string, string>[],
    isNode: ReadonlySet<string>,
    ambiguous: Ambiguity[],
  ): void {
    // A key that two records of this source bear leads nowhere, whatever the inventory says.
    const mine = KEYS.map((key) => {
      const { owners, several } = ownersOf(records, VALUES[key]);
      if (several.size > 0) ambiguous.push(...claimsOf(records, key, VALUES[key], several));
      return owners;
    });
    const found = new Map<string, string[]>();
    for (const record of records) {
      const node = this.#led(record, byKey, mine) ?? this.#byName(record, isNode);
      if (node === null) continue;
      const claims = found.get(node);
      if (claims) claims.push(record.name);
      else found.set(node, [record.name]);
    }
    for (const [node, claims] of found) {
      const [name] = claims as [string];
      if (claims.length > 1) ambiguous.push({ key: 'name', value: node, names: claims });
      // A record that bears another node's name stays with it: what is told under that name is not moved.
      else if (name !== node && isNode.has(name)) ambiguous.push({ key: 'name', value: name, names: [name, node] });
      else this.#join(name, node);
    }
  }

  #led(record: Identity, byKey: readonly ReadonlyMap<string, string>[], mine: readonly ReadonlyMap<string, string>[]): string | null {
    for (const [k, key] of KEYS.entries()) {
      for (const value of VALUES[key](record)) {
        const node = mine[k]?.get(value) === record.name ? byKey[k]?.get(value) : undefined;
        if (node !== undefined) return node;
      }
    }
    return null;
  }

  #byName(record: Identity, isNode: ReadonlySet<string>): string | null {
    for (const name of [record.name, ...(record.aliases ?? [])]) {
      const own = this.canonical(name);
      if (isNode.has(own)) return own;
    }
    return null;
  }
}

interface Told {
  /** What several records of the inventory claim, by key. */
  shared: Map<Key, ReadonlySet<string>>;
  /** The ambiguities that come with the other sources. */
  others: Ambiguity[];
}

type ValuesOf = (record: Identity) => readonly string[];

const NONE: readonly string[] = [];
const NO_RECORDS: readonly Identity[] = [];

/** The aliases of a record that are no node's own name. */
function aliasesBut(isNode: ReadonlySet<string>): ValuesOf {
  return ({ aliases = NONE }) => (aliases.some((alias) => isNode.has(alias)) ? aliases.filter((alias) => !isNode.has(alias)) : aliases);
}

function inOrder(records: readonly Identity[]): Identity[] {
  return sortedByName(records, (record) => record.name);
}

const VALUES: Readonly<Record<(typeof KEYS)[number], ValuesOf>> = {
  'serial number': ({ serial: raw }) => {
    const serial = comparableSerial(raw);
    return serial === null ? NONE : [serial];
  },
  'BMC address': ({ bmc }) => (bmc === undefined ? NONE : [bmc]),
  'BMC MAC address': ({ bmcMac }) => (bmcMac === undefined ? NONE : [bmcMac]),
  'MAC address': ({ macs = NONE }) => macs,
};

/** Who bears each value, and what several bear: that has no owner. */
function ownersOf(records: readonly Identity[], values: ValuesOf): { owners: Map<string, string>; several: ReadonlySet<string> } {
  const owners = new Map<string, string>();
  const several = new Set<string>();
  let claims = 0;
  for (const record of records) {
    for (const value of values(record)) {
      owners.set(value, record.name);
      claims++;
    }
  }
  if (owners.size === claims) return { owners, several };
  owners.clear();
  for (const record of records) {
    for (const value of values(record)) {
      const other = owners.get(value);
      if (other === undefined) owners.set(value, record.name);
      else if (other !== record.name) several.add(value);
    }
  }
  for (const value of several) owners.delete(value);
  return { owners, several };
}

/** Who claims what several of the inventory do, key by key. */
function claimsIn(own: readonly Identity[], shared: Told['shared']): Ambiguity[] {
  return [...shared].flatMap(([key, several]) => {
    const values: ValuesOf = key === 'name' ? ({ aliases = NONE }) => aliases : VALUES[key];
    const claiming = own.filter((record) => values(record).some((value) => several.has(value)));
    return claimsOf(inOrder(claiming), key, values, several);
  });
}

/** Who claims what several do, each where the second of them stands. @param records in order */
function claimsOf(records: readonly Identity[], key: Key, values: ValuesOf, several: ReadonlySet<string>): Ambiguity[] {
  const claimed = new Map<string, string[]>();
  const ambiguous: Ambiguity[] = [];
  for (const record of records) {
    for (const value of values(record)) {
      if (!several.has(value)) continue;
      const names = claimed.get(value);
      if (names === undefined) claimed.set(value, [record.name]);
      else if (names.at(-1) !== record.name && names.push(record.name) === 2) ambiguous.push({ key, value, names });
    }
  }
  return ambiguous;
}

export const NO_NAMES = new Names(new Map());
