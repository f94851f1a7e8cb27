import type { ServerAlert } from '../effects.ts';
import { draw, hash } from '../random.ts';
import { DAY, HOUR } from '../spec.ts';
import { holding, LOOKED_BEFORE, seenBy, type SourceFile, type Tick } from '../tick.ts';
import { isManaged, type Node } from '../topology.ts';
import { serialOf, serviceId, serviceSerial } from './hpcm.ts';

/*
 * HPE OneView: pages of `/rest/server-hardware` and `/rest/alerts`, of the air-cooled nodes and the service nodes.
 */

const PAGE = 250;

/** A server that OneView manages. */
interface Managed {
  name: string;
  serverName: string;
  serial: string;
  address: string;
  luck: number;
  isCompute: boolean;
  node: Node | null;
}

interface Alert extends Omit<ServerAlert, 'severity'> {
  severity: ServerAlert['severity'] | 'OK';
  clearedAt: number | null;
  lifeCycle: boolean;
}

export function oneviewFiles(tick: Tick): SourceFile[] {
  const now = tick.at - LOOKED_BEFORE.oneview;
  const servers = managed(tick);
  const alerts = alertsAt(tick, servers, now);
  const unreached = new Set(holding(tick.plan, now).flatMap((f) => f.effects.unmanaged ?? []));
  const uris = new Map(servers.map((s) => [s.name, uriOf(s)]));
  const open = new Map<string, ServerAlert['severity']>();
  for (const { server, severity, clearedAt } of alerts) {
    if (clearedAt !== null || severity === 'OK' || open.get(server) === 'Critical') continue;
    open.set(server, severity);
  }
  return [
    ...pages(
      'oneview/server-hardware',
      'server-hardware-list-14',
      'server-hardware',
      servers.map((s) => () => serverRecord(s, open, tick, unreached)),
      now,
    ),
    ...pages(
      'oneview/alerts',
      'AlertResourceCollectionV3',
      'alerts',
      alerts.map((alert) => () => alertRecord(alert, uris.get(alert.server) as string)),
      now,
    ),
  ];
}

function managed({ plan: { topology, spec } }: Tick): Managed[] {
  return [
    ...topology.services.filter(isManaged).map(
      (s): Managed => ({
        name: s.name,
        serverName: `${s.name}.hsn.cm.demo.test`,
        serial: serviceSerial(s),
        address: `10.61.${serviceId(s) >> 8}.${serviceId(s) & 255}`,
        luck: hash(spec.seed, 'service', s.name),
        isCompute: false,
        node: null,
      }),
    ),
    ...topology.nodes.filter(isManaged).map(
      (n): Managed => ({
        name: n.name,
        serverName: `${n.alias}.hsn.cm.demo.test`,
        serial: serialOf(n),
        address: `10.42.${(n.ordinal + 1) >> 8}.${(n.ordinal + 1) & 255}`,
        luck: n.luck,
        isCompute: true,
        node: n,
      }),
    ),
  ];
}

function pages(folder: string, type: string, category: string, records: readonly (() => string)[], mtime: number): SourceFile[] {
  const count = Math.max(1, Math.ceil(records.length / PAGE));
  return Array.from({ length: count }, (_, i) => {
    const start = i * PAGE;
    const own = records.slice(start, start + PAGE);
    const uri = (from: number): string => `"/rest/${category}?start=${from}&count=${PAGE}"`;
    const members = function* (): Iterable<string> {
      yield `{
  "type": "${type}",
  "category": "${category}",
  "count": ${own.length},
  "total": ${records.length},
  "start": ${start},
  "prevPageUri": ${i === 0 ? 'null' : uri(start - PAGE)},
  "nextPageUri": ${i === count - 1 ? 'null' : uri(start + PAGE)},
  "uri": ${uri(start)},
  "members": [`;
      let separator = '\n';
      for (const record of own) {
        yield `${separator}    ${record()}`;
        separator = ',\n';
      }
      yield '\n  ],\n  "eTag": null,\n  "created": null,\n  "modified": null\n}\n';
    };
    return { path: `${folder}/page${i + 1}.json`, text: members(), mtime };
  });
}

/** `30313030-…`: what HPE makes of product and serial number. */
function uuidOf(serial: string): string {
  const hex = Array.from(`010002${serial}`.slice(0, 16), (c) => c.charCodeAt(0).toString(16)).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
}

function uriOf({ serial }: Managed): string {
  return `/rest/server-hardware/${uuidOf(serial)}`;
}

const COMPUTE_MODEL = {
  model: 'ProLiant XL225n Gen10 Plus',
  shortModel: 'XL225n Gen10 Plus',
  generation: 'Gen10',
  formFactor: '1U',
  partNumber: 'P99001-DMO',
  romVersion: 'A46 v2.84 (10/27/2025)',
  mpModel: 'iLO5',
  mpFirmwareVersion: '3.10 Oct 03 2025',
  processorCoreCount: 64,
  processorSpeedMhz: 2450,
  processorType: 'AMD EPYC 7763 64-Core Processor',
};
const SERVICE_MODEL: typeof COMPUTE_MODEL = {
  model: 'ProLiant DL385 Gen11',
  shortModel: 'DL385 Gen11',
  generation: 'Gen11',
  formFactor: '2U',
  partNumber: 'P99002-DMO',
  romVersion: 'A55 v2.60 (09/11/2026)',
  mpModel: 'iLO6',
  mpFirmwareVersion: '1.68 Aug 14 2026',
  processorCoreCount: 32,
  processorSpeedMhz: 3250,
  processorType: 'AMD EPYC 9334 32-Core Processor',
};

function serverRecord(server: Managed, open: ReadonlyMap<string, string>, tick: Tick, unreached: ReadonlySet<string>): string {
  const { name, serverName, serial, address, isCompute, node } = server;
  const isOff = node !== null && seenBy(tick, 'oneview', node).loss === 'off';
  const uuid = uuidOf(serial);
  return JSON.stringify({
    type: 'server-hardware-14',
    category: 'server-hardware',
    uri: uriOf(server),
    eTag: '1795000000021',
    created: '2026-03-02T09:14:40.120Z',
    modified: '2026-11-24T16:02:11.407Z',
    name,
    serverName,
    description: null,
    status: open.get(name) ?? (unreached.has(name) ? 'Unknown' : 'OK'),
    state: 'Monitored',
    stateReason: 'NotApplicable',
    refreshState: unreached.has(name) ? 'RefreshFailed' : 'NotRefreshing',
    powerState: isOff ? 'Off' : 'On',
    powerLock: false,
    uidState: 'Off',
    maintenanceMode: false,
    ...(isCompute ? COMPUTE_MODEL : SERVICE_MODEL),
    position: null,
    locationUri: null,
    serialNumber: serial,
    virtualSerialNumber: null,
    uuid: uuid.toUpperCase(),
    virtualUuid: null,
    assetTag: '[Unknown]',
    mpState: unreached.has(name) ? null : 'OK',
    mpHostInfo: unreached.has(name) ? null : { mpHostName: `${name}-ilo`, mpIpAddresses: [{ address, type: 'DHCP' }] },
    memoryMb: 524_288,
    processorCount: 2,
    licensingIntent: 'OneViewStandard',
    supportState: 'NotSupported',
    serverProfileUri: null,
  });
}

/** Every alert that OneView still lists: those of faults, and what came and went on healthy servers. */
function alertsAt({ plan, plan: { spec } }: Tick, servers: readonly Managed[], now: number): Alert[] {
  const alerts: Alert[] = [];
  for (const { effects, until } of plan.faults) {
    for (const alert of effects.alerts ?? []) {
      if (alert.at <= now) alerts.push({ ...alert, clearedAt: until <= now ? until : null, lifeCycle: false });
    }
  }
  const { start } = plan.spec;
  const today = Math.floor((now - start) / DAY);
  for (const { name, luck } of servers) {
    for (let day = today - 3; day <= today; day++) {
      const chance = draw(luck, 'alert', day);
      if (chance >= 0.04 * spec.noise) continue;
      const at = start + day * DAY + Math.floor(draw(luck, 'alert at', day) * 20 * HOUR);
      const alert = wornOut(name, at, chance / spec.noise);
      if ((alert.clearedAt as number) <= now) alerts.push(alert);
    }
  }
  return alerts.sort((a, b) => a.at - b.at || (a.server < b.server ? -1 : a.server > b.server ? 1 : 0) || (a.type < b.type ? -1 : 1));
}

/** An alert that is over: it must worry nobody. */
function wornOut(server: string, at: number, chance: number): Alert {
  const cleared = { server, at, action: null, clearedAt: at + 600_000 + Math.floor(chance * 1e6), lifeCycle: false };
  if (chance < 0.015)
    return {
      ...cleared,
      clearedAt: at + 1,
      lifeCycle: true,
      type: 'Trap.coldStart',
      category: 'None',
      severity: 'OK',
      description: 'Cold Start.',
    };
  if (chance < 0.03)
    return { ...cleared, type: 'Trap.cpqHe3FltTolFanDegraded', category: 'Fans', severity: 'Warning', description: 'Fan 2 is degraded.' };
  return {
    ...cleared,
    type: 'Trap.cpqHe4FltTolPowerSupplyFailed',
    category: 'Power',
    severity: 'Critical',
    description: 'Power supply 2 has failed.',
  };
}

function alertRecord(alert: Alert, uri: string): string {
  const id = hash(0, alert.server, alert.type, alert.at);
  const cleared = alert.clearedAt === null ? null : new Date(alert.clearedAt).toISOString();
  const created = new Date(alert.at).toISOString();
  const modified = cleared ?? created;
  return JSON.stringify({
    type: 'AlertResourceV3',
    category: 'alerts',
    uri: `/rest/alerts/${id}`,
    eTag: modified,
    created,
    modified,
    severity: alert.severity,
    alertState: cleared === null ? 'Active' : 'Cleared',
    urgency: alert.severity === 'OK' ? 'None' : alert.severity === 'Critical' ? 'High' : 'Medium',
    lifeCycle: alert.lifeCycle,
    alertTypeID: alert.type,
    healthCategory: alert.category,
    description: alert.description,
    correctiveAction: alert.action,
    physicalResourceType: 'server-hardware',
    resourceID: null,
    resourceUri: uri,
    associatedResource: { resourceName: alert.server, resourceUri: uri, resourceCategory: 'server-hardware', associationType: 'HAS_A' },
    associatedEventUris: [],
    assignedToUser: null,
    clearedByUser: cleared === null ? null : 'System',
    clearedTime: cleared,
    changeLog: [],
    parentAlert: null,
    childAlerts: null,
    serviceEventSource: false,
    serviceEventDetails: null,
  });
}
