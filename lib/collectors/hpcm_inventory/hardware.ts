import { comparableText, hardwareText, macAddress } from '../../model/facts.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { cleanName } from '../../model/text.ts';

/** What `cm inventory` (or a node's `inventory`) says of the hardware, as far as it is used. */
export interface Hardware {
  /** The geographic name that the inventory gives. */
  geoloc: string | undefined;
  serial: string | undefined;
  model: string | undefined;
  /** Serial numbers by component (`dimm.DIMM 3`); every name has its family in front, so none is a name of `Object`'s. */
  parts: Record<string, string>;
  /** Versions by component; shared by nodes that have the same. */
  firmware: Readonly<Record<string, string>>;
  macs: readonly string[];
  /** The counted parts, compactly. */
  slots: Slots;
  /** How many there are of each family; shared as the slots' names are. */
  counts: Counts;
}

type Counts = Readonly<Record<Family, number>>;

/** Slots in the order of their names, and for each three characters of a hash of its serial number, all in one text. */
export interface Slots {
  /** Shared by the nodes of one kind. */
  names: readonly string[];
  hashes: string;
}

/** The families of parts whose loss or exchange is reported. Disks and NICs come and go with their drivers. */
export const FAMILIES = ['dimm', 'gpu'] as const;
export type Family = (typeof FAMILIES)[number];
const COUNTED = new Set<string>(FAMILIES);

/** The hash of a part that gives no serial number. */
export const NO_SERIAL = '---';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.';

/** 18 bits of FNV-1a as three characters: tells that a part is another, but for one case in 262,144. */
function shortHash(text: string): string {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  const bits = (h ^ (h >>> 18)) & 0x3ffff;
  return ALPHABET.charAt(bits >>> 12) + ALPHABET.charAt((bits >>> 6) & 63) + ALPHABET.charAt(bits & 63);
}

const MAX_PARTS = 64;
const MAX_FIRMWARE = 32;
const MAX_KEYS = 4096;
const MAX_FLEET_KEYS = 20_000;

// Where the server's own serial number and model stand, the most telling first. A chassis or board serial is left
// out: several nodes of one blade share it.
const SYSTEM = ['sys', 'fru.system', 'fru'];

type Field = 'serial' | 'part' | 'model' | 'version' | 'size';
// The same field has several names, by the tool that read it (Cray-HPE/cani normalizeField, MIT).
const FIELDS: ReadonlyMap<string, Field> = new Map<string, Field>([
  ['serialnumber', 'serial'],
  ['partnumber', 'part'],
  ['model', 'model'],
  ['modelname', 'model'],
  ['productname', 'model'],
  ['version', 'version'],
  ['firmwareversion', 'version'],
  ['fwversion', 'version'],
  ['size', 'size'],
  ['capacity', 'size'],
]);

/** A component, with what the record at hand says of it. One object serves all records of a fleet in turn. */
interface Component {
  name: string;
  family: string;
  /** The name stands behind its family's: `dimm.DIMM 3`. */
  isMember: boolean;
  /** Its place in the order of names. */
  rank: number;
  /** The record that last spoke of it. */
  record: number;
  serial: string | undefined;
  part: string | undefined;
  model: string | undefined;
  version: string | undefined;
  size: string | undefined;
}

interface Key {
  component: Component;
  field: Field;
}

/**
 * Reads flat key-value inventories: `dimm.DIMM 1.Serial Number`, `bios.Version`, `gpu.model`. Keys hold spaces; what
 * stands before the last dot is the component. Placeholder values count as absent, so that `NA` is no serial number.
 * One reader serves a whole fleet, whose nodes have the same keys: each key is taken apart once, each component made once.
 */
export class HardwareReader {
  readonly #keys = new Map<string, Key | null>();
  readonly #components = new Map<string, Component>();
  readonly #slotLists = new Map<string, SlotList>();
  #isRanked = true;
  #record = 0;
  // Of the record before: nearly always the next one has the same.
  #said: readonly Component[] = [];
  #saidRanked: readonly Component[] = [];
  #slotList: SlotList = { names: [], counts: countsOf([]) };
  #versions: readonly string[] = [];
  #firmware: Hardware['firmware'] = {};

  read(flat: JsonObject): Hardware {
    this.#record++;
    let geoloc: string | undefined;
    let macs: string[] | undefined;
    const said: Component[] = [];
    let keys = 0;
    // `for in` lists the own keys of what JSON gave alone, and makes no list of them.
    // oxlint-disable-next-line guard-for-in
    for (const name in flat) {
      if (++keys > MAX_KEYS) break;
      const key = this.#key(name);
      if (key !== null) this.#take(key, flat[name], said);
      else if (name === 'geoloc') {
        geoloc = cleanName(hardwareText(flat[name]))?.toLowerCase() ?? geoloc;
      } else if (name.startsWith('mac.')) {
        const mac = macAddress(flat[name]);
        if (mac !== null) (macs ??= []).push(mac);
      }
    }
    const parts: Hardware['parts'] = {};
    const slots: string[] = [];
    const versions: string[] = [];
    let hashes = '';
    for (const component of this.#ranked(said)) {
      const { name, family, isMember, serial, version } = component;
      if (isMember && COUNTED.has(family) && slots.length < MAX_PARTS && isPopulated(component)) {
        const comparable = serial === undefined ? null : comparableText(serial);
        if (comparable !== null) parts[name] = serial as string;
        slots.push(name);
        hashes += comparable === null ? NO_SERIAL : shortHash(comparable);
      }
      if (version !== undefined && (family === 'fw' || family === 'bios') && versions.length < 2 * MAX_FIRMWARE)
        versions.push(family === 'fw' && isMember ? name.slice(3) : name, version);
    }
    const { names, counts } = this.#shared(slots);
    const hardware: Hardware = {
      geoloc,
      serial: undefined,
      model: undefined,
      parts,
      firmware: this.#sharedFirmware(versions),
      macs: macs?.sort() ?? NONE,
      slots: { names, hashes },
      counts,
    };
    for (const name of SYSTEM) this.#addSystem(hardware, this.#components.get(name));
    return hardware;
  }

  #take({ component, field }: Key, raw: Json | undefined, said: Component[]): void {
    const text = cleanName(hardwareText(raw));
    if (text === null) return;
    if (component.record !== this.#record) {
      component.record = this.#record;
      component.serial = component.part = component.model = component.version = component.size = undefined;
      said.push(component);
    }
    component[field] = text;
  }

  #addSystem(hardware: Hardware, system: Component | undefined): void {
    if (system === undefined || system.record !== this.#record) return;
    const { serial } = system;
    if (hardware.serial === undefined && serial !== undefined && comparableText(serial) !== null) hardware.serial = serial;
    if (hardware.model === undefined && system.model !== undefined) hardware.model = system.model;
  }

  #shared(slots: readonly string[]): SlotList {
    if (isEqual(slots, this.#slotList.names)) return this.#slotList;
    const key = slots.join('\n');
    const known = this.#slotLists.get(key);
    this.#slotList = known ?? { names: slots, counts: countsOf(slots) };
    if (known === undefined && this.#slotLists.size < MAX_KEYS) this.#slotLists.set(key, this.#slotList);
    return this.#slotList;
  }

  /** @param versions each after its component's name */
  #sharedFirmware(versions: readonly string[]): Hardware['firmware'] {
    if (isEqual(versions, this.#versions)) return this.#firmware;
    this.#versions = versions;
    this.#firmware = inKeyOrder(
      Object.fromEntries(versions.flatMap((name, i): [string, string][] => (i % 2 === 0 ? [[name, versions[i + 1] as string]] : []))),
    );
    return this.#firmware;
  }

  #key(name: string): Key | null {
    let key = this.#keys.get(name);
    if (key === undefined) {
      // A fleet has some hundreds of keys; what comes after very many of them is not read.
      if (this.#keys.size >= MAX_FLEET_KEYS) return null;
      key = this.#parseKey(name);
      this.#keys.set(name, key);
    }
    return key;
  }

  #parseKey(name: string): Key | null {
    const dot = name.lastIndexOf('.');
    if (dot <= 0 || name.length > 120 || name.startsWith('mac.')) return null;
    const component = cleanName(name.slice(0, dot));
    const tail = name.slice(dot + 1);
    const field = FIELDS.get(tail.toLowerCase().replaceAll(/[ _]/g, ''));
    if (component !== null && field !== undefined) return { component: this.#component(component), field };
    // `fw.BMC` = a version.
    const firmware = component === 'fw' ? cleanName(name) : null;
    return firmware === null ? null : { component: this.#component(firmware), field: 'version' };
  }

  #component(name: string): Component {
    let component = this.#components.get(name);
    if (component === undefined) {
      const dot = name.indexOf('.');
      const family = dot < 0 ? name : name.slice(0, dot);
      component = {
        name,
        family,
        isMember: dot > 0,
        rank: 0,
        record: 0,
        serial: undefined,
        part: undefined,
        model: undefined,
        version: undefined,
        size: undefined,
      };
      this.#components.set(name, component);
      this.#isRanked = false;
    }
    return component;
  }

  /** Components in the order of their names. */
  #ranked(said: readonly Component[]): readonly Component[] {
    if (!this.#isRanked) {
      [...this.#components.keys()].sort().forEach((name, rank) => {
        (this.#components.get(name) as Component).rank = rank;
      });
      this.#isRanked = true;
    }
    if (!isEqual(said, this.#said)) {
      this.#said = said;
      this.#saidRanked = [...said].sort((a, b) => a.rank - b.rank);
    }
    return this.#saidRanked;
  }
}

/** Slots' names, and how many of them are of each family. */
interface SlotList {
  names: readonly string[];
  counts: Counts;
}

const NONE: readonly string[] = [];

function countsOf(slots: readonly string[]): Counts {
  const count = (family: Family): number => slots.filter((name) => name.startsWith(family)).length;
  return { dimm: count('dimm'), gpu: count('gpu') };
}

function isEqual<T>(a: readonly T[], b: readonly T[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** An empty DIMM slot has keys too: it counts once something tells that there is a part in it. */
function isPopulated({ serial, part, model, size }: Component): boolean {
  return serial !== undefined || part !== undefined || model !== undefined || (size !== undefined && /^[1-9]/.test(size));
}

/** Whether the hardware was read at all: an unreachable management controller leaves an empty record, or a name alone. */
export function wasRead(hardware: Hardware | undefined): hardware is Hardware {
  return (
    hardware !== undefined &&
    (hardware.serial !== undefined || hardware.model !== undefined || hardware.slots.names.length > 0 || hasAny(hardware.firmware))
  );
}

/**
 * Two readings of one node: the database's copy and a fresh one. What the fresh one says wins; its parts replace the
 * others as a whole, so that a DIMM that only the copy remembers is not taken for present.
 */
export function mergeHardware(copy: Hardware | undefined, fresh: Hardware | undefined): Hardware | undefined {
  if (!wasRead(copy)) return fresh ?? copy;
  if (!wasRead(fresh)) return copy;
  const { parts, slots, counts } = fresh.slots.names.length === 0 ? copy : fresh;
  return {
    geoloc: fresh.geoloc ?? copy.geoloc,
    serial: fresh.serial ?? copy.serial,
    model: fresh.model ?? copy.model,
    parts,
    firmware: inKeyOrder({ ...copy.firmware, ...fresh.firmware }),
    macs: [...new Set([...copy.macs, ...fresh.macs])].sort(),
    slots,
    counts,
  };
}

/** A copy with its members in the order in which facts are stored. */
function inKeyOrder(texts: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.keys(texts)
      .sort()
      .map((key) => [key, texts[key] as string]),
  );
}

/** Whether an object has any member. */
export function hasAny(object: object): boolean {
  // oxlint-disable-next-line guard-for-in
  for (const _ in object) return true;
  return false;
}
