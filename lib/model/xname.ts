import type { Place } from './condition.ts';

/**
 * What an HPE Cray EX component name (xname) names. `node_part`, `switch_part`, `chassis_part`, `pdu_part` and
 * `cabinet_part` stand for everything inside these (processors, DIMMs, NICs, ASICs, jacks, outlets, rectifiers, …).
 */
export type XnameType =
  | 'cdu'
  | 'cdu_switch'
  | 'cabinet'
  | 'cabinet_part'
  | 'cec'
  | 'pdu_controller'
  | 'pdu'
  | 'pdu_part'
  | 'chassis'
  | 'chassis_bmc'
  | 'chassis_part'
  | 'mgmt_switch'
  | 'mgmt_switch_enclosure'
  | 'mgmt_spine'
  | 'slot'
  | 'slot_part'
  | 'node_bmc'
  | 'node_bmc_part'
  | 'node'
  | 'node_part'
  | 'switch'
  | 'switch_bmc'
  | 'switch_part';

// By the letters of a name. Names go deeper than this list in several families; see FAMILIES for the rest.
const TYPES: ReadonlyMap<string, XnameType> = new Map([
  ['d', 'cdu'],
  ['dw', 'cdu_switch'],
  ['x', 'cabinet'],
  ['xe', 'cec'],
  ['xm', 'pdu_controller'],
  ['xmp', 'pdu'],
  ['xc', 'chassis'],
  ['xcb', 'chassis_bmc'],
  ['xcw', 'mgmt_switch'],
  ['xch', 'mgmt_switch_enclosure'],
  ['xchs', 'mgmt_spine'],
  ['xcs', 'slot'],
  ['xcsb', 'node_bmc'],
  ['xcsbn', 'node'],
  ['xcr', 'switch'],
  ['xcrb', 'switch_bmc'],
]);

// What lies deeper than a listed name, the longest stem first.
const FAMILIES: readonly (readonly [string, XnameType])[] = [
  ['xcsbn', 'node_part'],
  ['xcsb', 'node_bmc_part'],
  ['xcs', 'slot_part'],
  ['xcr', 'switch_part'],
  ['xc', 'chassis_part'],
  ['xm', 'pdu_part'],
  ['x', 'cabinet_part'],
];

interface Parsed {
  type: XnameType;
  /** The letters, one a segment. */
  letters: string;
  /** The name up to and including each segment, in lower case and without leading zeros. */
  stems: string[];
}

// A cabinet has at most five digits, everything inside it at most four: longer runs of digits are no xname.
const XNAME = /^[xd]\d{1,5}(?:[a-z]\d{1,4}){0,7}$/i;
const MAX_LENGTH = 48;

let lastName = '';
let lastParsed: Parsed | null = null;

function parse(name: string): Parsed | null {
  // Its type, its place and its canonical form are asked for one after the other.
  if (name !== lastName) {
    lastParsed = parseAnew(name);
    lastName = name;
  }
  return lastParsed;
}

function parseAnew(name: string): Parsed | null {
  if (name.length > MAX_LENGTH || !XNAME.test(name)) return null;
  const lower = name.toLowerCase();
  let letters = '';
  let stem = '';
  const stems: string[] = [];
  for (let at = 0; at < lower.length; ) {
    let end = at + 1;
    while (end < lower.length && isDigit(lower.charCodeAt(end))) end++;
    let first = at + 1;
    while (first < end - 1 && lower.charCodeAt(first) === ZERO) first++;
    letters += lower.charAt(at);
    stem += lower.charAt(at) + lower.slice(first, end);
    stems.push(stem);
    at = end;
  }
  const type = TYPES.get(letters) ?? FAMILIES.find(([family]) => letters.startsWith(family))?.[1];
  return type === undefined ? null : { type, letters, stems };
}

const ZERO = 48;

function isDigit(code: number): boolean {
  return code >= ZERO && code <= 57;
}

/** What a name names, or null where it is no xname. Upper and lower case are the same. */
export function xnameType(name: string): XnameType | null {
  return parse(name)?.type ?? null;
}

/** The name in lower case and without leading zeros (`X1000C0S00B0N1` → `x1000c0s0b0n1`); null where it is no xname. */
export function canonicalXname(name: string): string | null {
  return parse(name)?.stems.at(-1) ?? null;
}

// Which container each stem of letters is, as places call them. A node contains its parts, but is no place of its own.
const CONTAINERS: ReadonlyMap<string, string> = new Map([
  ['d', 'cdu'],
  ['x', 'rack'],
  ['xm', 'pdu'],
  ['xc', 'chassis'],
  ['xcs', 'slot'],
  ['xcsb', 'board'],
  ['xcr', 'switch'],
  ['xcw', 'switch'],
  ['xchs', 'switch'],
]);

/** The place of `n` in `xcsbn`. */
const NODE_DEPTH = 4;

/**
 * Where the named component stands: the name of each container that holds it, or that it is, by the container's type
 * (`rack`, `chassis`, `slot`, `board`; `switch`, `pdu`, `cdu`; `node` for what is inside a node). Each is a whole xname,
 * so that it tells one place from every other: `x1000c0s0b1n0` → `{rack: 'x1000', chassis: 'x1000c0', slot: 'x1000c0s0',
 * board: 'x1000c0s0b1'}`. A name says nothing of the switch, PDU or CDU that serve a node: that is the site's topology.
 * @returns null where the name is no xname
 */
export function placeOfXname(name: string): Place | null {
  const parsed = parse(name);
  if (parsed === null) return null;
  const { stems, letters, type } = parsed;
  const place: Place = {};
  for (let i = 0; i < stems.length; i++) {
    const container = CONTAINERS.get(letters.slice(0, i + 1));
    if (container !== undefined) place[container] = stems[i] as string;
  }
  if (type === 'node_part') place['node'] = stems[NODE_DEPTH] as string;
  return place;
}

/** A place with its containers in the order in which facts are stored. */
export function placeInOrder(place: Place): Place {
  const ordered: Place = {};
  for (const container of Object.keys(place).sort()) ordered[container] = place[container] as string;
  return ordered;
}
