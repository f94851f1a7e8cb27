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
    let ambiguous = this.#joinAll(identities, (records) => records);
    if (ambiguous.length > 0) {
      // Only how ambiguities are told depends on the order of records, and to sort those of a fleet is dear.
      this.#canonical.clear();
      ambiguous = this.#joinAll(identities, inOrder);
    }
    this.ambiguous = ambiguous;
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

  #joinAll(
    identities: ReadonlyMap<string, readonly Identity[]>,
    ordered: (records: readonly Identity[]) => readonly Identity[],
  ): Ambiguity[] {
    const ambiguous: Ambiguity[] = [];
    const own = ordered(identities.get(OWN) ?? []);
    const isNode = new Set(own.map((i) => i.name));
    const byAlias = uniqueOwners(own, 'name', (i) => i.aliases?.filter((alias) => !isNode.has(alias)) ?? NONE, ambiguous);
    for (const [alias, name] of byAlias) this.#join(alias, name);
    const byKey = KEYS.map((key) => uniqueOwners(own, key, (i) => valuesOf(i, key), ambiguous));
    for (const [source, records] of [...identities].sort(([a], [b]) => compareNames(a, b))) {
      if (source !== OWN) this.#joinSource(ordered(records), byKey, isNode, ambiguous);
    }
    return ambiguous;
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
    const mine = KEYS.map((key) => uniqueOwners(records, key, (i) => valuesOf(i, key), ambiguous));
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
      for (const value of valuesOf(record, key)) {
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

const NONE: readonly string[] = [];

function inOrder(records: readonly Identity[]): Identity[] {
  return sortedByName(records, (record) => record.name);
}

function valuesOf(identity: Identity, key: (typeof KEYS)[number]): readonly string[] {
  switch (key) {
    case 'serial number': {
      const serial = comparableSerial(identity.serial);
      return serial === null ? NONE : [serial];
    }
    case 'BMC address':
      return identity.bmc === undefined ? NONE : [identity.bmc];
    case 'BMC MAC address':
      return identity.bmcMac === undefined ? NONE : [identity.bmcMac];
    case 'MAC address':
      return identity.macs ?? NONE;
  }
}

/** Who bears each value; what several bear is left out and told. */
function uniqueOwners(
  records: readonly Identity[],
  key: Key,
  values: (identity: Identity) => readonly string[],
  ambiguous: Ambiguity[],
): Map<string, string> {
  const owners = new Map<string, string>();
  let claims = 0;
  for (const record of records) {
    for (const value of values(record)) {
      owners.set(value, record.name);
      claims++;
    }
  }
  if (owners.size === claims) return owners;
  owners.clear();
  const shared = new Map<string, Set<string>>();
  for (const record of records) {
    for (const value of values(record)) {
      const other = owners.get(value);
      if (other === undefined) owners.set(value, record.name);
      else if (other !== record.name) {
        const names = shared.get(value);
        if (names) names.add(record.name);
        else shared.set(value, new Set([other, record.name]));
      }
    }
  }
  for (const [value, names] of shared) {
    owners.delete(value);
    ambiguous.push({ key, value, names: [...names] });
  }
  return owners;
}

export const NO_NAMES = new Names(new Map());
