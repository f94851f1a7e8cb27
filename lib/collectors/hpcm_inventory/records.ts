import type { Place } from '../../model/condition.ts';
import { macAddress } from '../../model/facts.ts';
import { subjectId } from '../../model/identity.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { cleanName } from '../../model/text.ts';
import { canonicalXname } from '../../model/xname.ts';
import type { Booted, Power } from './captures.ts';
import type { EntryClass } from './classify.ts';
import { type Hardware, type HardwareReader, mergeHardware, wasRead } from './hardware.ts';
import { address, flag, imageWord, instant, integer, member, record, word } from './values.ts';

/** HPCM's own coordinates. Null and 0 differ, and are `undefined` and 0 here. */
export interface Location {
  rack?: number | undefined;
  chassis?: number | undefined;
  tray?: number | undefined;
  controller?: number | undefined;
  node?: number | undefined;
}

/**
 * What any input says of one name. Every field is left out where an input does not speak of it; `image: null` says that
 * no image is assigned. Passwords, user names, attributes and everything else that is not listed never get in.
 */
export interface NodeRecord {
  id: string;
  aliases: string[];
  type?: string | undefined;
  template?: string | undefined;
  groups: string[];
  xname?: string | undefined;
  location?: Location | undefined;
  image?: string | null | undefined;
  kernel?: string | undefined;
  /** The image's name is none (control characters, too long): it says neither which image nor that there is none. */
  isImageGarbled: boolean;
  imagePending?: boolean | undefined;
  rootFs?: string | undefined;
  modified?: number | undefined;
  bmc?: string | undefined;
  bmcMac?: string | undefined;
  macs: string[];
  hardware?: Hardware | undefined;
  managed?: boolean | undefined;
  hasProduct: boolean;
  isSuLeader: boolean;
  isController: boolean;
  isPdu: boolean;
  /** What other inputs say of it, once all are read. */
  systemGroup?: string | undefined;
  power?: Power | undefined;
  booted?: Booted | undefined;
  /** What it is taken for in the end. */
  class?: EntryClass | undefined;
  role?: string | undefined;
  subject?: string | undefined;
  isHost?: boolean | undefined;
  place?: Place | undefined;
}

/** A record of which only the name is known. All have the same members in the same order, which keeps copies cheap. */
export function emptyRecord(id: string): NodeRecord {
  return {
    id,
    aliases: [],
    type: undefined,
    template: undefined,
    groups: [],
    xname: undefined,
    location: undefined,
    image: undefined,
    kernel: undefined,
    isImageGarbled: false,
    imagePending: undefined,
    rootFs: undefined,
    modified: undefined,
    bmc: undefined,
    bmcMac: undefined,
    macs: [],
    hardware: undefined,
    managed: undefined,
    hasProduct: false,
    isSuLeader: false,
    isController: false,
    isPdu: false,
    systemGroup: undefined,
    power: undefined,
    booted: undefined,
    class: undefined,
    role: undefined,
    subject: undefined,
    isHost: undefined,
    place: undefined,
  };
}

/** Stands for an object that is not there. */
const NOTHING: JsonObject = {};

const MAX_ALIASES = 16;
const MAX_MACS = 32;

/**
 * One element of `GET /cmu/v1/nodes` (HPCM's OpenAPI document, schema `Node`) or, with `isController`, of `controllers`.
 * @returns what was wrong with it, as a text, where it has no usable name
 */
export function readNode(raw: Json, hardwareReader: HardwareReader, domains: readonly string[], isController = false): NodeRecord | string {
  const node = record(raw);
  if (node === undefined) return 'is no object';
  const id = subjectId('node', node['name'], domains);
  if (id === null) return 'has no usable name';
  const out = emptyRecord(id);
  readAliases(node, out, domains);
  const type = word(node['type'])?.toLowerCase();
  if (!isController || type === 'cmc' || type === 'chassis') out.type = type;
  out.isController = isController;
  out.template = word(node['templateName'])?.toLowerCase();
  readImage(node, out);
  out.rootFs = word(node['rootFs'])?.toLowerCase();
  out.managed = flag(node['managed']);
  out.modified = instant(node['modificationTime']);
  readNetwork(node, out, isController);
  out.location = readLocation(record(node['location']));
  const inventory = record(node['inventory']);
  if (inventory !== undefined) out.hardware = hardwareReader.read(inventory);
  out.isSuLeader = flag((record(node['attributes']) ?? NOTHING)['su_leader_role']) ?? false;
  return out;
}

/** Whether `GET` shows the object as deleted. */
export function isDeleted(raw: Json): boolean {
  const time = (record(raw) ?? NOTHING)['deletionTime'];
  return time !== undefined && time !== null && time !== '';
}

function readAliases(node: JsonObject, out: NodeRecord, domains: readonly string[]): void {
  const aliases = record(node['aliases']) ?? NOTHING;
  // `for in` lists the own keys of what JSON gave alone, and makes no list of them.
  // oxlint-disable-next-line guard-for-in
  for (const key in aliases) {
    // `product` names the model, in the place where names stand.
    if (key === 'product') out.hasProduct = true;
    else addAlias(out, aliases[key], key === 'cm-geo-name', domains);
  }
}

/** Notes another name of the entry; a geographic one is also its xname. */
export function addAlias(out: NodeRecord, raw: unknown, isGeographic: boolean, domains: readonly string[]): void {
  const alias = subjectId('node', raw, domains);
  if (alias === null || out.aliases.length >= MAX_ALIASES) return;
  if (isGeographic) out.xname = canonicalXname(alias) ?? out.xname;
  if (alias !== out.id && !out.aliases.includes(alias)) out.aliases.push(alias);
}

function readImage(node: JsonObject, out: NodeRecord): void {
  const assigned = node['image'];
  if (assigned !== undefined) {
    const image = record(assigned) ?? NOTHING;
    const raw = typeof assigned === 'string' ? assigned : image['name'];
    out.isImageGarbled = typeof raw === 'string' && raw.trim() !== '' && cleanName(raw) === null;
    out.image = out.isImageGarbled ? undefined : (imageWord(raw) ?? null);
    out.kernel = imageWord(image['kernel']);
  }
  out.imagePending = flag(node['imagePending']);
}

function readNetwork(node: JsonObject, out: NodeRecord, isController: boolean): void {
  const management = record(node['management']) ?? NOTHING;
  out.bmc = address(isController ? node['ipAddress'] : management['cardIpAddress']);
  out.bmcMac = macAddress(isController ? node['macAddress'] : management['cardMacAddress']) ?? undefined;
  const network = record(node['network']) ?? NOTHING;
  addMac(out, network['macAddress']);
  const nics = network['nics'];
  if (!Array.isArray(nics)) return;
  for (const raw of nics) {
    const nic = record(raw) ?? NOTHING;
    const type = word(nic['type'])?.toLowerCase();
    if (type !== undefined && type.endsWith('bmc')) out.bmcMac ??= macAddress(nic['macAddress']) ?? undefined;
    else addMac(out, nic['macAddress']);
  }
  out.macs.sort();
}

/** Notes a MAC address of the entry's own. */
export function addMac(out: NodeRecord, raw: unknown): void {
  const mac = macAddress(raw);
  if (mac !== null && !out.macs.includes(mac) && out.macs.length < MAX_MACS) out.macs.push(mac);
}

function readLocation(raw: JsonObject | undefined): Location | undefined {
  if (raw === undefined) return undefined;
  const location: Location = {
    rack: integer(raw['rack']),
    chassis: integer(raw['chassis']),
    tray: integer(raw['tray']),
    controller: integer(raw['controller']),
    node: integer(raw['node']),
  };
  const { rack, chassis, tray, controller, node } = location;
  return (rack ?? chassis ?? tray ?? controller ?? node) === undefined ? undefined : location;
}

/** One element of `GET /cmu/v1/imagegroups`. */
export interface ImageRecord {
  name: string;
  /** Absent where the input does not list them. */
  kernels?: string[];
  modified?: number;
  /** The site's own mark: changed, and not committed. */
  isMarkedDirty: boolean;
  nodes: string[];
}

/** @returns what was wrong with it, as a text, where it has no usable name */
export function readImageGroup(raw: Json, dirtyAttribute: string, domains: readonly string[]): ImageRecord | string {
  const group = record(raw);
  if (group === undefined) return 'is no object';
  const name = imageWord(group['name']);
  if (name === undefined) return 'has no usable name';
  const kernels = group['kernels'];
  const modified = instant(group['modificationTime']);
  return {
    name,
    ...(Array.isArray(kernels) && { kernels: kernels.map(imageWord).filter((k) => k !== undefined) }),
    ...(modified !== undefined && { modified }),
    isMarkedDirty: flag(member(record(group['attributes']), dirtyAttribute)) ?? false,
    nodes: readGroupNodes(group, domains),
  };
}

/** The names that a group lists; members may be whole node objects or bare names. */
export function readGroupNodes(group: JsonObject, domains: readonly string[]): string[] {
  const nodes = group['nodes'];
  const names: string[] = [];
  for (const node of Array.isArray(nodes) ? nodes : []) {
    const id = subjectId('node', typeof node === 'string' ? node : (record(node) ?? NOTHING)['name'], domains);
    if (id !== null) names.push(id);
  }
  return names;
}

/**
 * Two records of one name: what `a` says counts, `b` fills what it leaves open. Lists are joined.
 */
export function mergeRecords(a: NodeRecord, b: NodeRecord): NodeRecord {
  const image = a.image !== undefined ? { image: a.image, kernel: a.kernel } : { image: b.image, kernel: b.kernel };
  return {
    ...b,
    ...Object.fromEntries(Object.entries(a).filter(([, v]) => v !== undefined)),
    ...image,
    aliases: [...new Set([...a.aliases, ...b.aliases])].filter((n) => n !== a.id),
    groups: [...new Set([...a.groups, ...b.groups])],
    macs: [...new Set([...a.macs, ...b.macs])].sort(),
    hardware: mergeHardware(b.hardware, a.hardware),
    hasProduct: a.hasProduct || b.hasProduct,
    isSuLeader: a.isSuLeader || b.isSuLeader,
    isController: a.isController || b.isController,
    isPdu: a.isPdu || b.isPdu,
    id: a.id,
  };
}

/** Whether the entry shows any sign of being more than a name. */
export function hasSubstance(entry: NodeRecord): boolean {
  return entry.hasProduct || wasRead(entry.hardware);
}
