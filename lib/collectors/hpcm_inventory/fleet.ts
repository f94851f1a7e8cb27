import type { Place } from '../../model/condition.ts';
import { compareNames } from '../../model/text.ts';
import { canonicalXname, placeOfXname, xnameType } from '../../model/xname.ts';
import { expand } from '../../nodeset.ts';
import { classify, type EntryClass, HOSTS, subjectType } from './classify.ts';
import { DOCUMENT_NAMES, type DocumentKind, type Documents } from './documents.ts';
import { mergeHardware } from './hardware.ts';
import type { Options, Override } from './options.ts';
import { emptyRecord, hasSubstance, type Location, mergeRecords, type NodeRecord } from './records.ts';
import type { Tally } from './tally.ts';

/** One entry of the inventory: all that the inputs say of it. */
export interface Entry extends NodeRecord {
  class: EntryClass;
  /** The type of subject under which it is reported. */
  subject: string;
  /** Boots an operating system of its own. */
  isHost: boolean;
}

/** What the inputs add up to. */
export interface Fleet {
  /** In the order of their names. */
  entries: Entry[];
  /** HPCM types that are not known here, with their number. */
  unknownTypes: Map<string, number>;
  /** Whether any entry goes by the name. */
  isListed(name: string): boolean;
}

/** Finds an entry by any of its names; a name that two entries share finds neither. */
class Names {
  readonly #records: Map<string, NodeRecord>;
  readonly #aliases = new Map<string, string | null>();

  constructor(records: Map<string, NodeRecord>) {
    this.#records = records;
    for (const record of records.values()) this.learn(record);
  }

  learn({ id, aliases, xname, hardware }: NodeRecord): void {
    for (const alias of aliases) this.#learnAlias(alias, id);
    if (xname !== undefined) this.#learnAlias(xname, id);
    if (hardware?.geoloc !== undefined) this.#learnAlias(hardware.geoloc, id);
  }

  #learnAlias(alias: string, id: string): void {
    if (alias === id) return;
    const known = this.#aliases.get(alias);
    if (known !== id) this.#aliases.set(alias, known === undefined ? id : null);
  }

  /** Names that several entries go by, in order. */
  ambiguous(): string[] {
    return [...this.#aliases].flatMap(([alias, id]) => (id === null ? [alias] : [])).sort(compareNames);
  }

  /** Whether an entry, or several, go by the name. */
  has(name: string): boolean {
    return this.#records.has(name) || this.#aliases.has(name);
  }

  find(name: string): NodeRecord | undefined {
    return this.#records.get(name) ?? this.#records.get(this.#aliases.get(name) ?? '');
  }
}

/** Joins what the inputs say into entries, classifies them and finds their places. */
export function assemble(documents: Documents, options: Options, tally: Tally): Fleet {
  // Where there is a node list, it says what exists; the other inputs only add to it.
  const isClosed = documents.kinds.has('nodes');
  const records = new Map(documents.nodes);
  const names = new Names(records);
  const strangers = new Map<DocumentKind, string[]>();
  // What only answers to HPCM's tools is taken for a host, unless its name says something else.
  const assumed = new Set<string>();
  const resolve = (kind: DocumentKind, name: string): NodeRecord | undefined => {
    const found = names.find(name);
    if (found !== undefined) return found;
    if (isClosed) {
      addStranger(strangers, kind, name);
      return undefined;
    }
    const record = emptyRecord(name);
    records.set(name, record);
    assumed.add(name);
    return record;
  };
  addDefinition(documents.definition, records, names, isClosed, strangers);
  for (const [name, hardware] of documents.hardware) {
    const record = resolve('inventory', name);
    if (record === undefined) continue;
    record.hardware = mergeHardware(record.hardware, hardware);
    if (record.hardware?.geoloc !== undefined) names.learn(record);
  }
  for (const [name, power] of documents.power) {
    const record = resolve('power', name);
    if (record !== undefined) record.power = power;
  }
  for (const [name, booted] of documents.boot) {
    const record = resolve('boot', name);
    if (record !== undefined) record.booted = booted;
  }
  addGroups(documents, names);
  for (const [kind, list] of strangers) tellStrangers(kind, list, tally);
  const ambiguous = names.ambiguous();
  if (ambiguous.length > 0)
    tally.note(undefined, `${ambiguous.length} names stand for several entries each and join none: ${sampleText(ambiguous)}`);
  const overrides = options.overrides.map(compile);
  const unknownTypes = new Map<string, number>();
  const entries = [...records.values()].map((record) => {
    const entry = toEntry(record, overrides, assumed.has(record.id));
    if (entry.class === 'unknown') unknownTypes.set(record.type ?? '', (unknownTypes.get(record.type ?? '') ?? 0) + 1);
    return entry;
  });
  entries.sort((a, b) => compareNames(a.id, b.id));
  return { entries, unknownTypes, isListed: (name) => names.has(name) };
}

function addDefinition(
  definition: NodeRecord[],
  records: Map<string, NodeRecord>,
  names: Names,
  isClosed: boolean,
  strangers: Map<DocumentKind, string[]>,
): void {
  for (const defined of definition) {
    const known = names.find(defined.id) ?? defined.aliases.map((alias) => names.find(alias)).find((r) => r !== undefined);
    if (known !== undefined) {
      const merged = mergeRecords(known, { ...defined, id: known.id, aliases: [...defined.aliases, defined.id] });
      records.set(known.id, merged);
      names.learn(merged);
    } else if (!isClosed || defined.isController || defined.isPdu) {
      records.set(defined.id, defined);
      names.learn(defined);
    } else addStranger(strangers, 'cluster_conf', defined.id);
  }
}

/** Notes the groups at their members; of several system groups the first by name. */
function addGroups({ groups }: Documents, names: Names): void {
  for (const { name, isSystem, nodes } of [...groups].sort((a, b) => compareNames(a.name, b.name))) {
    for (const node of nodes) {
      const record = names.find(node);
      if (record === undefined || record.groups.includes(name)) continue;
      record.groups.push(name);
      if (isSystem) record.systemGroup ??= name;
    }
  }
}

function addStranger(strangers: Map<DocumentKind, string[]>, kind: DocumentKind, name: string): void {
  const list = strangers.get(kind);
  if (list === undefined) strangers.set(kind, [name]);
  else list.push(name);
}

function tellStrangers(kind: DocumentKind, list: string[], tally: Tally): void {
  tally.note(
    undefined,
    `${DOCUMENT_NAMES[kind]} names ${list.length} that the node list does not have: ${sampleText(list.sort(compareNames))}`,
  );
}

/** The first three of some names. */
function sampleText(names: readonly string[]): string {
  return names.slice(0, 3).join(', ') + (names.length > 3 ? ', …' : '');
}

type Compiled = Override & { names?: Set<string> };

function compile(override: Override): Compiled {
  return override.nodes === undefined ? override : { ...override, names: new Set(expand(override.nodes.toLowerCase())) };
}

function matches({ names, type, template, group }: Compiled, record: NodeRecord, xname: string | undefined): boolean {
  if (names !== undefined && ![record.id, xname ?? '', ...record.aliases].some((name) => names.has(name))) return false;
  if (type !== undefined && record.type !== type) return false;
  if (template !== undefined && record.template !== template) return false;
  return group === undefined || record.groups.includes(group);
}

/** Makes an entry of a record, in its place: there are as many as nodes, and with many members each. */
function toEntry(record: NodeRecord, overrides: readonly Compiled[], isAssumed: boolean): Entry {
  const { power, booted } = record;
  const geoloc = record.hardware?.geoloc;
  const xname = (geoloc === undefined ? null : canonicalXname(geoloc)) ?? record.xname ?? canonicalXname(record.id) ?? undefined;
  const override = overrides.find((o) => matches(o, record, xname));
  const bootsSystem = isAssumed || typeof record.image === 'string' || booted !== undefined || power?.state === 'booted';
  const found = classify({
    name: record.id,
    type: record.type,
    template: record.template,
    groups: record.groups,
    xname,
    kernel: record.kernel,
    hasHardware: hasSubstance(record),
    bootsSystem,
    isSuLeader: record.isSuLeader,
    isController: record.isController,
    isPdu: record.isPdu,
  });
  const entryClass = override?.class ?? found.class;
  const role = override?.role ?? (entryClass === found.class ? found.role : undefined);
  const subject = subjectType(entryClass, () => bootsSystem || (xname !== undefined && xnameType(xname) === 'node'));
  const place = (xname === undefined ? null : placeOfXname(xname)) ?? placeOfLocation(record.location);
  record.xname = xname;
  record.class = entryClass;
  record.role = role;
  record.subject = subject;
  record.isHost = HOSTS.has(entryClass);
  record.place = place ?? undefined;
  return record as Entry;
}

/**
 * The place that HPCM's own coordinates name, as far as they go without a gap: 0 is a place, null is none. Racks and
 * what is in them are called as xnames call them, so that both forms meet.
 */
function placeOfLocation(location: Location | undefined): Place | null {
  if (location?.rack === undefined) return null;
  let name = `x${location.rack}`;
  for (const [key, letter] of [
    ['chassis', 'c'],
    ['tray', 's'],
    ['controller', 'b'],
  ] as const) {
    const n = location[key];
    if (n === undefined) break;
    name += `${letter}${n}`;
  }
  return placeOfXname(name);
}
