import { draw, hash } from './random.ts';
import type { FleetSpec } from './spec.ts';

/** What a compute node is, whatever happens to it. */
export interface Node {
  name: string;
  /** `nid000001`: the name by which its scheduler daemon and the fabric know it. */
  alias: string;
  /** Its place among the nodes of its kind, from 0. */
  ordinal: number;
  /** Stands for it in every draw: a larger fleet gives the same node the same luck. */
  luck: number;
  cooling: 'liquid' | 'air';
  rack: string;
  chassis: string;
  slot: number;
  board: string;
  switch: string;
  /** The PDUs that feed it, the first one first; liquid-cooled cabinets have rectifiers of their own. */
  pdus: readonly string[];
  cdu: string | null;
  gpus: number;
  cores: number;
}

export interface Service {
  name: string;
  role: 'admin' | 'leader' | 'login' | 'observer' | 'storage';
  ordinal: number;
}

/** The fleet as it was built. */
export interface Topology {
  nodes: readonly Node[];
  byName: ReadonlyMap<string, Node>;
  services: readonly Service[];
  storage: readonly Service[];
  /** The nodes behind each switch, PDU and CDU, and on each board. */
  switches: ReadonlyMap<string, readonly Node[]>;
  pdus: ReadonlyMap<string, readonly Node[]>;
  cdus: ReadonlyMap<string, readonly Node[]>;
  boards: ReadonlyMap<string, readonly Node[]>;
  /** Liquid-cooled chassis, each with its nodes. */
  chassis: ReadonlyMap<string, readonly Node[]>;
}

/** An EX cabinet: 8 chassis of 8 slots with 2 boards of 2 nodes each; two of its switches serve a chassis. */
const SLOTS = 8;
const CHASSIS_NODES = SLOTS * 4;
const CABINET_NODES = 8 * CHASSIS_NODES;
const CABINETS_OF_A_CDU = 4;
/** An air-cooled rack: 18 enclosures of 4 nodes, one switch, two PDUs. */
const RACK_SLOTS = 18;
const RACK_NODES = RACK_SLOTS * 4;
/** The enclosure of a rack that hangs on one feed alone, so that a dead PDU shows both ways. */
const SINGLE_FED = 1;
/** Every fourth chassis holds nodes with GPUs. */
const GPU_CHASSIS = 4;

/** Builds the fleet: an eighth of the nodes is air-cooled and managed by OneView. */
export function buildTopology(spec: FleetSpec): Topology {
  const air = Math.max(8, 4 * Math.round(spec.nodes / 32));
  const nodes = [
    ...Array.from({ length: spec.nodes - air }, (_, i) => liquidNode(i, spec)),
    ...Array.from({ length: air }, (_, i) => airNode(i, spec)),
  ];
  const services = buildServices(spec.nodes);
  const grouped = (keyOf: (node: Node) => readonly string[]): Map<string, Node[]> => {
    const groups = new Map<string, Node[]>();
    for (const node of nodes) {
      for (const key of keyOf(node)) {
        const group = groups.get(key);
        if (group) group.push(node);
        else groups.set(key, [node]);
      }
    }
    return groups;
  };
  return {
    nodes,
    byName: new Map(nodes.map((n) => [n.name, n])),
    services,
    storage: services.filter((s) => s.role === 'storage'),
    switches: grouped((n) => [n.switch]),
    pdus: grouped((n) => n.pdus),
    cdus: grouped((n) => (n.cdu === null ? [] : [n.cdu])),
    boards: grouped((n) => [n.board]),
    chassis: grouped((n) => (n.cooling === 'liquid' ? [n.chassis] : [])),
  };
}

function liquidNode(i: number, { firstRack, seed }: FleetSpec): Node {
  const cabinet = Math.floor(i / CABINET_NODES);
  const rack = `x${firstRack + cabinet}`;
  const ordinalOfChassis = Math.floor(i / CHASSIS_NODES);
  const chassis = `${rack}c${ordinalOfChassis % 8}`;
  const slot = Math.floor((i % CHASSIS_NODES) / 4);
  const board = `${chassis}s${slot}b${Math.floor((i % 4) / 2)}`;
  const hasGpus = ordinalOfChassis % GPU_CHASSIS === 1;
  return {
    name: `${board}n${i % 2}`,
    alias: `nid${String(i + 1).padStart(6, '0')}`,
    ordinal: i,
    luck: hash(seed, 'liquid', i),
    cooling: 'liquid',
    rack,
    chassis,
    slot,
    board,
    switch: `${chassis}r${slot < SLOTS / 2 ? 1 : 3}`,
    pdus: [],
    cdu: `d${Math.floor(cabinet / CABINETS_OF_A_CDU)}`,
    gpus: hasGpus ? 4 : 0,
    cores: hasGpus ? 128 : 256,
  };
}

function airNode(i: number, { firstRack, seed }: FleetSpec): Node {
  const rack = `x${firstRack + 2000 + Math.floor(i / RACK_NODES)}`;
  const slot = Math.floor((i % RACK_NODES) / 4);
  const chassis = `${rack}c0`;
  const board = `${chassis}s${slot}b${Math.floor((i % 4) / 2)}`;
  const isSingleFed = slot === SINGLE_FED;
  return {
    name: `${board}n${i % 2}`,
    alias: `nid${String(i + 500_001)}`,
    ordinal: i,
    luck: hash(seed, 'air', i),
    cooling: 'air',
    rack,
    chassis,
    slot,
    board,
    switch: `${chassis}r1`,
    pdus: isSingleFed ? [`${rack}m0`] : [`${rack}m0`, `${rack}m1`],
    cdu: null,
    gpus: 0,
    cores: 128,
  };
}

function buildServices(nodes: number): Service[] {
  const some = (role: Service['role'], name: string, count: number, width = 1): Service[] =>
    Array.from({ length: count }, (_, i) => ({ name: `${name}${String(i + 1).padStart(width, '0')}`, role, ordinal: i }));
  return [
    { name: 'admin', role: 'admin', ordinal: 0 },
    ...some('leader', 'leader', 3 + 3 * Math.floor(nodes / 4000)),
    ...some('login', 'login', 2 + Math.floor(nodes / 2000)),
    ...some('observer', 'gpu', 1),
    ...some('storage', 'weka', 8 + Math.floor(nodes / 400), 3),
  ];
}

/** Whether a lot falls on a node, of so many in all. */
export function isLot(node: Node, name: string, share: number): boolean {
  return draw(node.luck, name) < share;
}

/** Whether OneView manages it. */
export function isManaged(subject: Node | Service): boolean {
  return 'cooling' in subject ? subject.cooling === 'air' : subject.role !== 'admin' && subject.role !== 'storage';
}
