import { COMPUTE, FORMER, type Image, SERVICE } from '../images.ts';
import { joined, LOOKED_BEFORE, seenBy, type SourceFile, type Tick } from '../tick.ts';
import type { Node, Service } from '../topology.ts';

/*
 * HPCM: `GET /cmu/v1/nodes` and `/imagegroups`, `cm inventory -e -j`, `cm power status`, kernel command lines.
 */

/** What the tools were asked, one after the other. */
export function hpcmFiles(tick: Tick): SourceFile[] {
  const mtime = tick.at - LOOKED_BEFORE.hpcm;
  return [
    { path: 'hpcm/nodes.json', text: joined('[', entries(tick), ']'), mtime },
    { path: 'hpcm/imagegroups.json', text: joined('[', imageGroups(tick), ']'), mtime },
    { path: 'hpcm/cm-inventory.json', text: joined('{', hardware(tick), '}'), mtime },
    { path: 'hpcm/cm-power-status.txt', text: powerStatus(tick), mtime },
    { path: 'hpcm/proc-cmdline.txt', text: commandLines(tick), mtime },
  ];
}

const UUID = '00000000-0000-4000-8000-';

function uuid(id: number): string {
  return UUID + String(id).padStart(12, '0');
}

/** A hardware address of the locally administered range. */
function mac(kind: number, n: number): string {
  const hex = n.toString(16).padStart(6, '0');
  return `02:00:${kind.toString(16).padStart(2, '0')}:${hex.slice(0, 2)}:${hex.slice(2, 4)}:${hex.slice(4)}`;
}

function address(net: number, n: number): string {
  return `10.${net + (n >> 16)}.${(n >> 8) & 255}.${n & 255}`;
}

const CHANGED = '2026-11-20T03:10:44.000+00:00';

function* entries(tick: Tick): Iterable<string> {
  const { topology } = tick.plan;
  for (const service of topology.services) yield serviceEntry(service);
  for (const node of topology.nodes) {
    const { unlisted, assigned } = seenBy(tick, 'hpcm', node);
    if (!unlisted) yield nodeEntry(node, assigned ?? null);
  }
  let id = 500_000;
  const part = (name: string, type: string, location: unknown): string =>
    entry(name, id++, { type, location, modificationTime: '2026-10-02T08:00:00.000+00:00' });
  for (const [board, [first]] of topology.boards) yield part(board, 'compute', blade(first as Node));
  for (const [name, [first]] of topology.switches) yield part(name, 'switch_blade', { ...placed(first as Node), tray: 1 });
  for (const [name, [first]] of topology.chassis) yield part(name, 'chassis', placed(first as Node));
  for (const [name, [first]] of topology.pdus) yield part(name, 'pdu', { ...placed(first as Node), chassis: null });
  for (const name of topology.cdus.keys()) yield part(name, 'cooldev', null);
  yield part('mgmtsw0', 'mgmt_switch', null);
  yield part('su-aliases', 'leader_alias', null);
}

function placed(node: Node): Record<string, number | null> {
  const chassis = Number(node.chassis.slice(node.rack.length + 1));
  return { rack: Number(node.rack.slice(1)), chassis, tray: null, node: null, controller: null };
}

function blade(node: Node): Record<string, number | null> {
  return { ...placed(node), tray: node.slot, controller: Number(node.board.slice(node.board.lastIndexOf('b') + 1)) };
}

/** What all entries have; the rest is put over it. */
function entry(name: string, id: number, more: Record<string, unknown>): string {
  return `  ${JSON.stringify({
    name,
    aliases: {},
    id,
    uuid: uuid(id),
    modificationTime: CHANGED,
    deletionTime: null,
    network: null,
    image: null,
    platform: { name: 'generic', architecture: 'x86_64' },
    management: { cardType: 'none', cardIpAddress: '0.0.0.0', cardMacAddress: null, protocol: 'default', username: null, password: null },
    location: null,
    internalName: name,
    type: 'compute',
    imagePending: false,
    templateName: null,
    rootFs: null,
    operationalStatus: null,
    administrativeStatus: 1,
    managed: true,
    inventory: null,
    attributes: {},
    ...more,
  })}`;
}

function imageMember({ name, kernel }: Pick<Image, 'name' | 'kernel'>): unknown {
  return { name, kernel, cloningBlockDevice: null, cloningDate: null };
}

/** The two networks that a host is on: `n` is its number in each. */
function connections(n: number, net: number, kind: number): Record<string, unknown> {
  return {
    network: { name: 'hostmgmt', ipAddress: address(net, n), macAddress: mac(kind, n) },
    management: {
      cardType: 'ILO',
      cardIpAddress: address(net + 2, n),
      cardMacAddress: mac(kind + 1, n),
      protocol: 'redfish',
      username: 'demo-bmc-user',
      password: 'demo-bmc-password',
    },
  };
}

function nodeEntry(node: Node, assigned: { image: string; kernel: string } | null): string {
  const isAir = node.cooling === 'air';
  const n = node.ordinal + 1;
  const id = (isAir ? 200_000 : 1000) + n;
  return entry(node.name, id, {
    aliases: { nid: node.alias },
    ...(isAir ? connections(n, 40, 0x20) : connections(n, 20, 0x10)),
    image: imageMember(assigned === null ? COMPUTE : { name: assigned.image, kernel: assigned.kernel }),
    location: { ...blade(node), node: Number(node.name.slice(node.board.length + 1)) },
    internalName: `service${id}`,
    templateName: isAir ? 'rack-compute' : 'ex-compute',
    rootFs: 'nfs',
  });
}

const TYPES = { admin: 'admin', leader: 'leader', login: 'compute', observer: 'compute', storage: 'compute' } as const;
const TEMPLATES = { admin: null, leader: 'leader', login: 'login', observer: 'service', storage: 'weka' } as const;
const FIRST_ID = { admin: 100, leader: 110, login: 200, observer: 300, storage: 400 } as const;

function hasServiceImage({ role }: Service): boolean {
  return role !== 'admin' && role !== 'storage';
}

/** The number of a service node, which all of its addresses carry. */
export function serviceId({ role, ordinal }: Service): number {
  return FIRST_ID[role] + ordinal + 1;
}

function serviceEntry(service: Service): string {
  const { name, role } = service;
  const id = serviceId(service);
  return entry(name, id, {
    ...connections(id, 60, 0x30),
    image: hasServiceImage(service) ? imageMember(SERVICE) : null,
    internalName: `service${id}`,
    type: TYPES[role],
    templateName: TEMPLATES[role],
    rootFs: role === 'login' || role === 'observer' ? 'nfs' : 'disk',
    ...(role === 'leader' && { attributes: { su_leader_role: 'yes' } }),
  });
}

function* imageGroups(tick: Tick): Iterable<string> {
  const { topology } = tick.plan;
  const group = ({ name, kernel, id, modified }: Image, nodes: readonly { name: string }[]): string =>
    `  {"name": "${name}", "id": ${id}, "uuid": "${uuid(id)}", "type": "generic", "architecture": "x86_64", "baseOsName": "SLES", "baseOsVersion": "15.5", "path": "/opt/clmgr/image/images/${name}", "kernels": ["${kernel}"], "modificationTime": "${modified}", "deletionTime": null, "attributes": {}, "nodes": [${nodes.map((n) => `{"name": "${n.name}"}`).join(', ')}]}`;
  yield group(
    COMPUTE,
    topology.nodes.filter((n) => {
      const { unlisted, assigned } = seenBy(tick, 'hpcm', n);
      return !unlisted && assigned === null;
    }),
  );
  yield group(
    FORMER,
    topology.nodes.filter((n) => seenBy(tick, 'hpcm', n).assigned?.image === FORMER.name),
  );
  yield group(SERVICE, topology.services.filter(hasServiceImage));
}

const DIMMS = ['A', 'B', 'C', 'D'];

/** The serial number of a node, which OneView knows as well. */
export function serialOf(node: Node): string {
  return node.cooling === 'air' ? `DMO2N${String(node.ordinal + 1).padStart(5, '0')}` : `DMO0N${String(node.ordinal + 1).padStart(5, '0')}`;
}

export function serviceSerial(service: Service): string {
  return `DMO2S${String(serviceId(service)).padStart(5, '0')}`;
}

function* hardware(tick: Tick): Iterable<string> {
  const { topology } = tick.plan;
  for (const node of topology.nodes) {
    if (seenBy(tick, 'hpcm', node).unlisted) continue;
    const [product, bios, bmc] =
      node.cooling === 'air'
        ? ['ProLiant XL225n Gen10 Plus', 'A46 v2.84 (10/27/2025)', '3.10 Oct 03 2025']
        : [node.gpus > 0 ? 'HPE Cray EX235n' : 'HPE Cray EX425', 'ex.bios-1.8.2', 'nc.1.9.14'];
    const dimms = DIMMS.map((slot, i) => `"dimm.DIMM ${slot}.Size": "128 GB", "dimm.DIMM ${slot}.Serial Number": "${serialOf(node)}${i}"`);
    yield `  "${node.name}": {"geoloc": "${node.name}", "sys.Product Name": "${product}", "sys.Serial Number": "${serialOf(node)}", "bios.Version": "${bios}", "fw.BMC": "${bmc}", "board.Serial Number": "NA", ${dimms.join(', ')}}`;
  }
  for (const service of topology.services)
    yield `  "${service.name}": {"sys.Product Name": "ProLiant DL385 Gen11", "sys.Serial Number": "${serviceSerial(service)}", "bios.Version": "A55 v2.60 (09/11/2026)", "fw.BMC": "1.68 Aug 14 2026"}`;
}

function* powerStatus(tick: Tick): Iterable<string> {
  for (const { name } of tick.plan.topology.services) yield `${name.padEnd(16)} : BOOTED\n`;
  for (const node of tick.plan.topology.nodes) {
    const { loss, unlisted, bmcLost } = seenBy(tick, 'hpcm', node);
    if (unlisted) continue;
    if (bmcLost) {
      yield `${node.name}: FAILURE:  power status : Unable to get Chassis Power Status\n\n`;
      continue;
    }
    // The heartbeat goes over the management network: a node without fabric still has it.
    const state = loss === 'off' ? 'Off' : loss === 'dead' ? 'On' : 'BOOTED';
    yield `${node.name.padEnd(16)} : ${state}\n`;
  }
}

function* commandLines(tick: Tick): Iterable<string> {
  for (const node of tick.plan.topology.nodes) {
    const { loss, booted, unlisted } = seenBy(tick, 'hpcm', node);
    if (unlisted || loss === 'off' || loss === 'dead') continue;
    const { image, kernel } = booted ?? { image: COMPUTE.name, kernel: COMPUTE.kernel };
    yield `${node.name}: BOOT_IMAGE=images/${image}/vmlinuz-${kernel} IMAGE=${image} HOSTNAME=${node.name} console=ttyS0,115200 panic=10 oops=panic ro\n`;
  }
}
