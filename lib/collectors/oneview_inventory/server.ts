import { comparableSerial, hardwareText, macAddress } from '../../model/facts.ts';
import type { Subject } from '../../model/condition.ts';
import { subjectId } from '../../model/identity.ts';
import type { JsonObject } from '../../model/json.ts';
import { oneLine } from '../../model/text.ts';
import { flag, isObject, isZeroId, member, number, objects, text, time, word } from '../oneview/fields.ts';
import type { Resource } from '../oneview/resource.ts';

/** What is taken of a `server-hardware` resource; everything else (settings, signatures, support contacts) is dropped. */
export interface Server {
  subject: Subject;
  /** As OneView writes it. */
  name: string;
  uri: string | null;
  /** The operating system's host name, as `subjectId` gives it. */
  serverName: string | null;
  serial: string | null;
  /** {@link comparableSerial} of it. */
  serialKey: string | null;
  uuid: string | null;
  zeroUuid: boolean;
  model: string | null;
  status: string | null;
  state: string | null;
  stateReason: string | null;
  refreshState: string | null;
  powerState: string | null;
  maintenance: boolean;
  /** The management processor (iLO). */
  mp: {
    model: string | null;
    /** `OK`, `Reset`, `Resetting`; null where OneView says that it knows none; undefined where the record has no such field. */
    state: string | null | undefined;
    /** Addresses that can be reached from outside the link, the configured ones first. */
    addresses: string[];
    /** The record has a field for addresses at all. */
    addressed: boolean;
  };
  /** Versions by component. */
  firmware: { bios?: string; bmc?: string };
  memoryMb: number | null;
  sockets: number | null;
  coresPerSocket: number | null;
  macs: string[];
  enclosureUri: string | null;
  bay: number | null;
  profileUri: string | null;
  modified: number | null;
}

const MAX_MACS = 32;

/**
 * Reads one server.
 * @returns a text that says what is wrong with a record that has no usable name
 */
export function readServer(resource: Resource, nodeDomains: readonly string[]): Server | string {
  const { fields } = resource;
  const id = subjectId('node', text(fields, 'name'), nodeDomains);
  if (id === null) return 'is a server without a usable name';
  const serial = line(hardwareText(text(fields, 'serialNumber')));
  const uuid = hardwareText(text(fields, 'uuid'));
  const location = text(fields, 'locationUri');
  return {
    subject: { type: 'node', id },
    name: text(fields, 'name') ?? id,
    uri: text(fields, 'uri'),
    serverName: subjectId('node', hardwareText(text(fields, 'serverName')), nodeDomains),
    serial,
    serialKey: comparableSerial(serial),
    uuid: line(uuid),
    zeroUuid: isZeroId(text(fields, 'uuid') ?? ''),
    model: line(hardwareText(text(fields, 'model')) ?? hardwareText(text(fields, 'shortModel'))),
    status: word(fields, 'status'),
    state: word(fields, 'state'),
    stateReason: word(fields, 'stateReason'),
    refreshState: word(fields, 'refreshState'),
    powerState: word(fields, 'powerState'),
    maintenance: flag(fields, 'maintenanceMode') === true,
    mp: readManagement(fields),
    firmware: readFirmware(fields),
    memoryMb: positive(number(fields, 'memoryMb')),
    sockets: positive(number(fields, 'processorCount')),
    coresPerSocket: positive(number(fields, 'processorCoreCount')),
    macs: readMacs(fields),
    enclosureUri: location?.startsWith('/rest/enclosures/') ? location : null,
    bay: positive(number(fields, 'position')),
    profileUri: text(fields, 'serverProfileUri'),
    modified: time(fields, 'modified'),
  };
}

function line(value: string | null): string | null {
  return value === null ? null : oneLine(value, 100);
}

function positive(value: number | null): number | null {
  return value !== null && value > 0 ? value : null;
}

function readFirmware(fields: JsonObject): Server['firmware'] {
  const bios = line(hardwareText(text(fields, 'romVersion')));
  const bmc = line(hardwareText(text(fields, 'mpFirmwareVersion')));
  return { ...(bios !== null && { bios }), ...(bmc !== null && { bmc }) };
}

/** Newer versions of the API name addresses in `mpHostInfo`, the first one flat in `mpIpAddress`. */
function readManagement(fields: JsonObject): Server['mp'] {
  const info = member(fields, 'mpHostInfo');
  const listed = isObject(info) ? objects(info, 'mpIpAddresses') : [];
  const typed = listed.map((a) => ({ address: address(text(a, 'address')), type: text(a, 'type')?.toLowerCase() ?? '' }));
  const rank = (type: string): number => ['static', 'dhcp', 'lookup'].indexOf(type) + 1 || 4;
  const addresses = typed
    .filter((a): a is { address: string; type: string } => a.address !== null)
    .sort((a, b) => rank(a.type) - rank(b.type) || (a.address < b.address ? -1 : 1))
    .map((a) => a.address);
  const flat = address(text(fields, 'mpIpAddress'));
  if (flat !== null && !addresses.includes(flat)) addresses.push(flat);
  return {
    model: word(fields, 'mpModel'),
    state: Object.hasOwn(fields, 'mpState') ? word(fields, 'mpState') : undefined,
    addresses: addresses.slice(0, 8),
    addressed: info !== undefined || Object.hasOwn(fields, 'mpIpAddress'),
  };
}

/** An address of the management network, lower case; null for placeholders, loopback and link-local ones. */
function address(raw: string | null): string | null {
  if (raw === null || raw.length > 45 || !/^[0-9a-fA-F.:]+$/.test(raw)) return null;
  const lower = raw.toLowerCase();
  if (/^(0\.0\.0\.0|127\..*|169\.254\..*|::1?|[0:]+)$/.test(lower) || /^fe[89ab]/.test(lower)) return null;
  return lower;
}

function readMacs(fields: JsonObject): string[] {
  const map = member(fields, 'portMap');
  if (!isObject(map)) return [];
  const ports = objects(map, 'deviceSlots').flatMap((slot) => objects(slot, 'physicalPorts'));
  const macs = new Set(ports.flatMap((port) => macAddress(text(port, 'mac')) ?? []));
  return [...macs].sort().slice(0, MAX_MACS);
}

/** What OneView knows but does not manage, or is just adding or removing: nothing about it can be relied on. */
export function isUnmanaged(server: Server): boolean {
  return ['unmanaged', 'unsupported', 'adding', 'removing', 'removed'].includes(server.state?.toLowerCase() ?? '');
}
