import { type Input, ReadError, textOf } from '../../model/collector.ts';
import { canonicalJson, type Json, type JsonObject, JsonSyntaxError, parseJson } from '../../model/json.ts';
import { compareNames } from '../../model/text.ts';
import { addBooted, type Booted, isBootCapture, isPowerStatus, type Power, readBootLines, readBootObject, readPower } from './captures.ts';
import { readDefinition, SECTION } from './cluster_definition.ts';
import { type Hardware, HardwareReader } from './hardware.ts';
import { type ImageRecord, isDeleted, type NodeRecord, readGroupNodes, readImageGroup, readNode } from './records.ts';
import type { Tally } from './tally.ts';
import { member, record, word } from './values.ts';
import { subjectId } from '../../model/identity.ts';

export const DOCUMENT_KINDS = ['nodes', 'images', 'groups', 'inventory', 'power', 'cluster_conf', 'boot'] as const;
/** What an input can be; also the configuration key under which it may be given. */
export type DocumentKind = (typeof DOCUMENT_KINDS)[number];

/** How a kind is called in a message. */
export const DOCUMENT_NAMES: Record<DocumentKind, string> = {
  nodes: 'the node list',
  images: 'the list of image groups',
  groups: 'the list of groups',
  inventory: 'cm inventory',
  power: 'cm power status',
  cluster_conf: 'the cluster definition',
  boot: 'the list of what nodes run',
};

/** Everything that the inputs say, by kind. */
export interface Documents {
  /** The kinds that were read, each from at least one input. */
  kinds: Set<DocumentKind>;
  /** The oldest modification of the inputs of each kind, where it is known. */
  dates: Map<DocumentKind, number>;
  nodes: Map<string, NodeRecord>;
  deleted: number;
  /** Every element of the node lists was read, from beginning to end. */
  nodesWhole: boolean;
  images: Map<string, ImageRecord>;
  definition: NodeRecord[];
  hardware: Map<string, Hardware>;
  power: Map<string, Power>;
  boot: Map<string, Booted>;
  /** By group its members; only a system group tells what a node is for. */
  groups: { name: string; isSystem: boolean; nodes: string[] }[];
}

interface Reading {
  documents: Documents;
  tally: Tally;
  domains: readonly string[];
  dirtyAttribute: string;
  hardware: HardwareReader;
}

/** Reads every input, whatever it turns out to be; what cannot be read or used is told to the tally. */
export async function readDocuments(
  inputs: readonly Input[],
  tally: Tally,
  domains: readonly string[],
  dirtyAttribute: string,
): Promise<Documents> {
  const documents: Documents = {
    kinds: new Set(),
    dates: new Map(),
    nodes: new Map(),
    deleted: 0,
    nodesWhole: true,
    images: new Map(),
    definition: [],
    hardware: new Map(),
    power: new Map(),
    boot: new Map(),
    groups: [],
  };
  const reading: Reading = { documents, tally, domains, dirtyAttribute, hardware: new HardwareReader() };
  const ordered = [...inputs].sort((a, b) => compareNames(a.name, b.name) || compareNames(a.role ?? '', b.role ?? ''));
  for (const input of ordered) await readInput(input, reading);
  return documents;
}

async function readInput(input: Input, reading: Reading): Promise<void> {
  const { tally, documents } = reading;
  try {
    readText(input, await textOf(input), reading);
  } catch (error) {
    if (error instanceof JsonSyntaxError) {
      const place = `line ${error.line} column ${error.column}`;
      // Other files of a folder may begin like JSON: a log's `[12.3]`.
      if (input.role === undefined && !/\.json$/i.test(input.name) && input.pushed !== true) {
        tally.note(input.name, `${error.message} (${place}); left out`);
        return;
      }
      tally.lacks(input.name, `${error.message}${input.role === undefined ? '' : ` (${roleName(input)})`}`, place);
    } else if (error instanceof ReadError) tally.lacks(input.name, error.message);
    else throw error;
    documents.nodesWhole &&= input.role !== undefined && input.role !== 'nodes';
  }
}

function took(kind: DocumentKind, { mtime }: Input, { kinds, dates }: Documents): void {
  kinds.add(kind);
  const date = mtime === undefined ? Number.NaN : Date.parse(mtime);
  if (!Number.isNaN(date)) dates.set(kind, Math.min(dates.get(kind) ?? date, date));
}

function roleName(input: Input): string {
  return DOCUMENT_NAMES[input.role as DocumentKind] ?? 'an input';
}

function readText(input: Input, text: string, reading: Reading): void {
  const { documents, tally, domains } = reading;
  const head = text.slice(0, 65_536);
  const { name, role } = input;
  if (SECTION.test(head)) {
    documents.definition.push(...readDefinition(text, name, tally, domains));
    took('cluster_conf', input, documents);
  } else if (/^\s*[{[]/.test(head.replace('\ufeff', ''))) readValue(input, parseJson(text), reading);
  else if (isBootCapture(text)) {
    for (const [id, booted] of readBootLines(text, name, tally, domains)) addBooted(documents.boot, id, booted);
    took('boot', input, documents);
  } else if (isPowerStatus(text)) {
    for (const [id, power] of readPower(text, name, tally, domains)) documents.power.set(id, power);
    took('power', input, documents);
  } else if (role === undefined && /\.json$/i.test(name)) {
    // A login page or nothing at all, under the name of a dump.
    readValue(input, parseJson(text), reading);
  } else unrecognised(input, text.trim() === '' ? 'is empty' : 'is nothing that is known here', tally);
}

/** A stray file in a folder is only said; what was configured by its role should have been there. */
function unrecognised(input: Input, reason: string, tally: Tally): void {
  if (input.role === undefined && input.pushed !== true) tally.note(input.name, `${reason}; left out`);
  else tally.lacks(input.name, `${reason}; expected ${roleName(input)}`);
}

function readValue(input: Input, value: Json, reading: Reading): void {
  const kind = Array.isArray(value) ? kindOfArray(value, input) : kindOfObject(record(value) ?? {}, input);
  if (kind === undefined) {
    unrecognised(input, 'is JSON, but nothing that is known here', reading.tally);
    return;
  }
  const { documents, tally, domains } = reading;
  if (kind === 'dump') readDump(input, record(value) as JsonObject, reading);
  else if (kind === 'inventory') readInventory(input, record(value) as JsonObject, reading);
  else if (kind === 'boot') {
    for (const [id, booted] of readBootObject(record(value) as JsonObject, input.name, tally, domains)) documents.boot.set(id, booted);
    took('boot', input, documents);
  } else readArray(kind, input, value as Json[], '', reading);
}

const NODE_KEYS = [
  'internalName',
  'image',
  'network',
  'management',
  'imagePending',
  'templateName',
  'rootFs',
  'biosBootMode',
  'administrativeStatus',
  'inventory',
];
const IMAGE_KEYS = ['kernels', 'baseOsName', 'baseOsVersion', 'captureImageDate', 'captureImageDevice'];

const BOOT_TOKEN = /(?:^|\s)(?:BOOT_IMAGE|IMAGE)=/;

type ArrayKind = 'nodes' | 'images' | 'groups';

function kindOfArray(array: Json[], input: Input): ArrayKind | undefined {
  const sample = array.slice(0, 50).map((v) => record(v) ?? {});
  const has = (keys: readonly string[]): boolean => sample.some((v) => keys.some((key) => Object.hasOwn(v, key)));
  if (has(IMAGE_KEYS)) return 'images';
  if (has(NODE_KEYS)) return 'nodes';
  const { role, name } = input;
  if (role === 'nodes' || role === 'images' || role === 'groups') return role;
  if (has(['nodes']) && /(?:system|custom)[_-]?groups?/i.test(name)) return 'groups';
  // A list of bare names, or an empty one, is what its file is called.
  if (sample.every((v) => Object.hasOwn(v, 'name'))) return /image/i.test(name) ? 'images' : /node/i.test(name) ? 'nodes' : undefined;
  return undefined;
}

function kindOfObject(object: JsonObject, input: Input): 'dump' | 'inventory' | 'boot' | undefined {
  if (Array.isArray(member(object, 'nodes')) || Array.isArray(member(object, 'imageGroups'))) return 'dump';
  const values = Object.keys(object)
    .slice(0, 50)
    .map((key) => object[key]);
  const isFlat = (v: Json | undefined): boolean => Object.keys(record(v) ?? {}).some((key) => key.includes('.') || key === 'geoloc');
  // One bad value among them does not make it something else.
  const areMostlyObjects = values.filter((v) => record(v) !== undefined).length * 2 > values.length;
  if (areMostlyObjects && (values.some(isFlat) || input.role === 'inventory')) return 'inventory';
  const isBoot = (v: Json | undefined): boolean =>
    typeof v === 'string' ? BOOT_TOKEN.test(v) : ['cmdline', 'kernel', 'boot_time'].some((key) => Object.hasOwn(record(v) ?? {}, key));
  return values.some(isBoot) || (input.role === 'boot' && values.length > 0) ? 'boot' : undefined;
}

/** The ten lists of the database in one object. */
function readDump(input: Input, dump: JsonObject, reading: Reading): void {
  for (const [key, kind] of [
    ['nodes', 'nodes'],
    ['imageGroups', 'images'],
  ] as const) {
    const list = member(dump, key);
    if (Array.isArray(list)) readArray(kind, input, list, `/${key}`, reading);
  }
  for (const [key, isSystem] of [
    ['systemGroups', true],
    ['customGroups', false],
  ] as const) {
    const list = member(dump, key);
    if (Array.isArray(list)) readGroups(list, isSystem, input, `/${key}`, reading);
  }
  const controllers = member(dump, 'controllers');
  if (Array.isArray(controllers)) {
    controllers.forEach((raw, i) => addNode(raw, input, `/controllers/${i}`, reading, true));
  }
}

function readArray(kind: ArrayKind, input: Input, array: Json[], at: string, reading: Reading): void {
  took(kind, input, reading.documents);
  if (kind === 'nodes') array.forEach((raw, i) => addNode(raw, input, `${at}/${i}`, reading, false));
  else if (kind === 'images') array.forEach((raw, i) => addImage(raw, input, `${at}/${i}`, reading));
  else readGroups(array, !/custom/i.test(input.name), input, at, reading);
}

function addNode(raw: Json, input: Input, place: string, reading: Reading, isController: boolean): void {
  const { documents, tally, domains, hardware } = reading;
  tally.records++;
  if (isDeleted(raw)) {
    documents.deleted++;
    return;
  }
  const node = readNode(raw, hardware, domains, isController);
  if (typeof node === 'string') {
    tally.reject(input.name, place, node);
    if (!isController) documents.nodesWhole = false;
    return;
  }
  const known = documents.nodes.get(node.id);
  if (known !== undefined) {
    // HPCM lists a controller both as such and, where it boots something, as a node.
    if (isController) return;
    tally.reject(input.name, place, `names ${node.id} a second time; the one that was changed last is kept`);
    if (!isNewer(node, known)) return;
  }
  documents.nodes.set(node.id, node);
}

/** Of two that were changed at once, what they say decides: never the order in which they stand. */
function isNewer(a: NodeRecord, b: NodeRecord): boolean {
  return (a.modified ?? 0) > (b.modified ?? 0) || (a.modified === b.modified && canonicalJson(a) < canonicalJson(b));
}

function addImage(raw: Json, input: Input, place: string, reading: Reading): void {
  const { documents, tally, domains, dirtyAttribute } = reading;
  tally.records++;
  if (isDeleted(raw)) {
    documents.deleted++;
    return;
  }
  const image = readImageGroup(raw, dirtyAttribute, domains);
  const known = typeof image === 'string' ? undefined : documents.images.get(image.name);
  if (typeof image === 'string') tally.reject(input.name, place, image);
  else if (known !== undefined) {
    tally.reject(input.name, place, `names ${image.name} a second time; the one that was changed last is kept`);
    if ((image.modified ?? 0) > (known.modified ?? 0)) documents.images.set(image.name, image);
  } else documents.images.set(image.name, image);
}

function readGroups(list: Json[], isSystem: boolean, input: Input, at: string, reading: Reading): void {
  const { documents, tally, domains } = reading;
  took('groups', input, documents);
  list.forEach((raw, i) => {
    tally.records++;
    const group = record(raw);
    const name = word(member(group, 'name'))?.toLowerCase();
    if (group === undefined || name === undefined) tally.reject(input.name, `${at}/${i}`, 'has no usable name');
    else documents.groups.push({ name, isSystem, nodes: readGroupNodes(group, domains) });
  });
}

function readInventory(input: Input, object: JsonObject, reading: Reading): void {
  const { documents, tally, domains, hardware } = reading;
  took('inventory', input, documents);
  Object.keys(object).forEach((name, i) => {
    tally.records++;
    const id = subjectId('node', name, domains);
    const flat = record(object[name]);
    if (id === null || flat === undefined)
      tally.reject(input.name, `entry ${i + 1}`, id === null ? 'has no usable name' : 'is no object of keys and values');
    else documents.hardware.set(id, hardware.read(flat));
  });
}
