import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type CollectContext, type Input, ReadError } from '../../lib/model/collector.ts';
import type { JsonObject } from '../../lib/model/json.ts';

export const NOW = Date.parse('2026-11-30T08:45:00.000Z');

/** An input that holds a text, or a value as JSON. */
export function input(name: string, content: unknown, extra: Partial<Input> = {}): Input {
  const bytes = new TextEncoder().encode(typeof content === 'string' ? content : JSON.stringify(content));
  return { name, size: bytes.length, bytes: (from = 0) => [bytes.subarray(from)], ...extra };
}

/** An input that breaks off with an error after some bytes. */
export function brokenInput(name: string): Input {
  return {
    name,
    size: 100,
    *bytes() {
      yield new TextEncoder().encode('{"members": [');
      throw new ReadError('unreadable', name, 'lies on a stale mount');
    },
  };
}

export function context<O, C>(config: O, extra: Partial<CollectContext<O, C>> = {}): CollectContext<O, C> {
  return { cluster: 'democluster', now: NOW, config, timezone: 'America/Denver', nodeDomains: ['hsn.cm.demo.test'], rules: {}, ...extra };
}

/** A page of a collection, as OneView answers it. */
export function page(
  category: string,
  members: unknown,
  { start = 0, total, next = null, ...more }: JsonObject & { start?: number; total?: number | string | null; next?: string | null } = {},
): JsonObject {
  const count = Array.isArray(members) ? members.length : 0;
  return {
    type: `${category}-list-14`,
    category,
    count,
    total: total === undefined ? count : total,
    start,
    prevPageUri: null,
    nextPageUri: next,
    uri: `/rest/${category}?start=${start}&count=${count}`,
    members: members as JsonObject[],
    ...more,
  };
}

/** The files of one folder of the bundled cluster. */
export function fixtures(day: 'healthy' | 'faulty', folder: string): Input[] {
  const path = fileURLToPath(new URL(`../../fixtures/democluster/${day}/oneview/${folder}/`, import.meta.url));
  return readdirSync(path).map((name) => input(name, readFileSync(`${path}${name}`, 'utf8'), { mtime: '2026-11-30T08:44:00.000Z' }));
}

/** A healthy server; what a test is about is put over it. */
export function server(n: number, over: JsonObject = {}): JsonObject {
  return {
    type: 'server-hardware-14',
    category: 'server-hardware',
    uri: `/rest/server-hardware/uuid-${n}`,
    name: `n${n}`,
    serverName: `nid${String(n).padStart(6, '0')}.hsn.cm.demo.test`,
    status: 'OK',
    state: 'Monitored',
    refreshState: 'NotRefreshing',
    powerState: 'On',
    model: 'ProLiant XL225n Gen10 Plus',
    serialNumber: `DMO2N${String(n).padStart(5, '0')}`,
    uuid: `31323334-3536-4D44-4F32-${String(n).padStart(12, '0')}`,
    romVersion: 'A46 v2.84 (10/27/2025)',
    mpModel: 'iLO5',
    mpFirmwareVersion: '3.10 Oct 03 2025',
    mpState: 'OK',
    mpHostInfo: {
      mpHostName: 'ilo',
      mpIpAddresses: [
        { address: 'fe80:0:0:0:1:0:0:1', type: 'LinkLocal' },
        { address: `10.10.2.${n}`, type: 'DHCP' },
      ],
    },
    memoryMb: 262144,
    processorCount: 2,
    processorCoreCount: 64,
    modified: '2026-11-30T08:00:00.000Z',
    ...over,
  };
}

/** An open warning about a fan of one server; what a test is about is put over it. */
export function alert(n: number, over: JsonObject = {}): JsonObject {
  return {
    type: 'AlertResourceV3',
    category: 'alerts',
    uri: `/rest/alerts/${n}`,
    created: '2026-11-30T08:00:00.000Z',
    modified: '2026-11-30T08:00:00.000Z',
    severity: 'Warning',
    alertState: 'Active',
    lifeCycle: false,
    alertTypeID: 'Trap.cpqHe3FltTolFanDegraded',
    healthCategory: 'Fans',
    description: 'Fan 2 is degraded.',
    clearedTime: null,
    parentAlert: null,
    childAlerts: null,
    associatedResource: on(`n${n}`),
    ...over,
  };
}

/** The resource that an alert is about. */
export function on(
  resourceName: string | null,
  resourceUri: string | null = '/rest/server-hardware/31323334-3536-4d44-4f32-000000000001',
  resourceCategory = 'server-hardware',
): JsonObject {
  return { resourceName, resourceUri, resourceCategory, associationType: 'HAS_A' };
}
