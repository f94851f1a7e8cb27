import type { Place } from '../../model/condition.ts';
import type { NodeFacts, PowerState } from '../../model/facts.ts';
import type { JsonObject } from '../../model/json.ts';
import { oneLine } from '../../model/text.ts';
import { canonicalXname, placeInOrder, xnameType } from '../../model/xname.ts';
import { placeOfName } from '../oneview/place.ts';
import type { Server } from './server.ts';

const POWER: ReadonlyMap<string, PowerState> = new Map([
  ['on', 'on'],
  ['off', 'off'],
  ['poweringon', 'changing'],
  ['poweringoff', 'changing'],
  ['resetting', 'changing'],
  ['unknown', 'unknown'],
]);

/** Enclosure and rack names by the URI of what stands in them. */
export interface Frames {
  enclosures: ReadonlyMap<string, string>;
  racks: ReadonlyMap<string, string>;
}

/** The xname of a server, if OneView or its operating system calls it by one. */
function xnameOf({ subject, serverName }: Server): string | null {
  const name = [subject.id, serverName].find((n) => n !== null && xnameType(n) === 'node');
  return name == null ? null : canonicalXname(name);
}

/** Where a server stands: by its xname, else the rack that lists it or its enclosure; and its enclosure. */
export function placeOf(server: Server, { enclosures, racks }: Frames): Place | undefined {
  const xname = xnameOf(server);
  const enclosure = server.enclosureUri === null ? undefined : enclosures.get(server.enclosureUri);
  const rack =
    (server.uri === null ? undefined : racks.get(server.uri)) ??
    (server.enclosureUri === null ? undefined : racks.get(server.enclosureUri));
  const place: Place = {
    ...placeOfName(xname ?? server.name),
    ...(rack !== undefined && xname === null && { rack }),
    ...(enclosure !== undefined && { enclosure }),
  };
  return Object.keys(place).length > 0 ? place : undefined;
}

/** What is known of one server, in the words of {@link NodeFacts}; OneView's own words under names of their own. */
export function serverFacts(server: Server, place: Place | undefined, profiles: ReadonlyMap<string, string>): NodeFacts {
  const { subject, serverName, mp, firmware } = server;
  const xname = xnameOf(server);
  const nid = /^nid0*(\d{1,9})$/.exec([subject.id, serverName].find((n) => n?.startsWith('nid')) ?? '');
  const health = server.status !== null && server.status.toLowerCase() !== 'unknown' ? server.status : null;
  const profile = server.profileUri === null ? undefined : profiles.get(server.profileUri);
  // In the order in which facts are stored.
  const given: JsonObject = {
    aliases: serverName !== null && serverName !== subject.id ? [serverName] : null,
    bay: server.bay,
    bmc: mp.addresses[0] ?? null,
    bmcModel: mp.model,
    bmcState: mp.state ?? null,
    cores: server.sockets !== null && server.coresPerSocket !== null ? server.sockets * server.coresPerSocket : null,
    firmware: Object.keys(firmware).length > 0 ? { ...firmware } : null,
    health,
    macs: server.macs.length > 0 ? server.macs : null,
    maintenance: server.maintenance ? true : null,
    memoryMb: server.memoryMb,
    model: server.model,
    nid: nid === null ? null : Number(nid[1]),
    place: place === undefined ? null : placeInOrder(place),
    power: server.powerState === null ? null : (POWER.get(server.powerState.toLowerCase()) ?? 'unknown'),
    profile: profile === undefined ? null : oneLine(profile, 100),
    refreshState: server.refreshState,
    serial: server.serial,
    sockets: server.sockets,
    state: server.state,
    uri: server.uri === null ? null : oneLine(server.uri, 200),
    uuid: server.uuid,
    xname,
  };
  const facts: NodeFacts = {};
  for (const [name, value] of Object.entries(given)) if (value !== null) facts[name] = value;
  return facts;
}
