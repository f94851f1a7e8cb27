import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { wekaState } from '../../lib/collectors/weka_state/index.ts';
import { type Collected, type CollectContext, type Input, ReadError } from '../../lib/model/collector.ts';
import type { ConditionDraft } from '../../lib/model/condition.ts';
import type { Json, JsonObject } from '../../lib/model/json.ts';

export const NOW = Date.parse('2026-11-30T08:45:00.000Z');
export const MINUTE = 60_000;
export const DAY = 86_400_000;

/** An input that holds a text, or a value as JSON. */
export function input(name: string, content: unknown, extra: Partial<Input> = {}): Input {
  const bytes = new TextEncoder().encode(typeof content === 'string' ? content : JSON.stringify(content));
  return { name, size: bytes.length, bytes: (from = 0) => [bytes.subarray(from)], ...extra };
}

/** An input that breaks off with an error. */
export function unreadable(name: string, extra: Partial<Input> = {}): Input {
  return {
    name,
    size: 100,
    *bytes() {
      yield new TextEncoder().encode('[{');
      throw new ReadError('unreadable', name, 'lies on a stale mount');
    },
    ...extra,
  };
}

export type Result = Collected<unknown>;

export function collect(inputs: readonly Input[], extra: Partial<CollectContext<unknown, unknown>> = {}): Promise<Result> {
  return wekaState.collect(inputs, {
    cluster: 'democluster',
    now: NOW,
    config: wekaState.options.parse({}),
    timezone: 'America/Denver',
    nodeDomains: ['hsn.cm.demo.test'],
    rules: {},
    ...extra,
  });
}

/** The bundled cluster's dumps of one day. */
export function fixtures(day: 'healthy' | 'faulty'): Input[] {
  const path = fileURLToPath(new URL(`../../fixtures/democluster/${day}/weka/`, import.meta.url));
  return readdirSync(path).map((name) => input(name, readFileSync(`${path}${name}`, 'utf8'), { mtime: '2026-11-30T08:44:00.000Z' }));
}

/** The one condition of a kind; fails where there is none or more. */
export function only(result: Result, kind: string): ConditionDraft {
  const found = result.conditions.filter((c) => c.kind === kind);
  if (found.length !== 1) throw new Error(`${found.length} conditions ${kind} among ${kinds(result).join(', ')}`);
  return found[0] as ConditionDraft;
}

/** The kinds of what is there, each once. */
export function kinds(result: Result): string[] {
  return [...new Set(result.conditions.map((c) => c.kind))];
}

/** A healthy v4 status; what a test is about is put over it. */
export function status(over: JsonObject = {}): JsonObject {
  return {
    name: 'demo-weka',
    release: '4.4.2.157',
    status: 'OK',
    io_status: 'STARTED',
    io_status_changed_time: '2026-08-04T10:20:15.0170422Z',
    time: { cluster_time: '2026-11-30T08:44:30.1234567Z', allowed_clock_skew_secs: 60 },
    active_alerts_count: 0,
    containers: { active: 4, total: 4, backends: { active: 3, total: 3 }, clients: { active: 1, total: 1 } },
    processes: { total: 12, blacklisted: 0 },
    drives: { active: 6, total: 6 },
    io_nodes: { active: 6, total: 6 },
    buckets: { active: 30, total: 30 },
    stripe_data_drives: 3,
    stripe_protection_drives: 2,
    hot_spare: 1,
    capacity: { total_bytes: 1e14, hot_spare_bytes: 1e13, unprovisioned_bytes: 0 },
    buckets_info: { averageFillLevelPPM: 400_000 },
    rebuild: rebuild({}),
    licensing: { mode: 'Classic', error: '', limits: { usable_capacity_gb: 1e5, expires_at: '2028-01-01T00:00:00Z' } },
    ...over,
  };
}

/** What Weka writes where there is no limit: 2^64 − 1, as it comes out of JSON.parse. */
export const NO_LIMIT = 2 ** 64;

/** The rebuild part of a status, with a share of the data per number of failures. */
export function rebuild(percents: Record<number, number>, over: JsonObject = {}): JsonObject {
  const failures = Object.values(percents).reduce((a, b) => a + b, 0);
  const states = [0, 1, 2].map((n) => ({
    numFailures: n,
    percent: n === 0 ? 100 - failures : (percents[n] ?? 0),
    MiB: 1000 * (n === 0 ? 100 - failures : (percents[n] ?? 0)),
  }));
  return {
    protectionState: states,
    progressPercent: 0,
    totalCopiesDoneMiB: 0,
    unavailablePercent: 0,
    unavailableMiB: 0,
    numActiveFDs: 6,
    requiredFDsForRebuild: 3,
    enoughActiveFDs: true,
    ...over,
  };
}

export const statusFile = (over: JsonObject = {}): Input => input('status.json', status(over));

const HOSTS = ['weka01', 'weka02', 'weka03'];

/** The objects of one cluster with a failed drive, a container that is down and a process that is blacklisted. */
function objects() {
  const drives = HOSTS.flatMap((host, h) =>
    [0, 1].map((d): JsonObject => {
      const failed = h === 1 && d === 0;
      return {
        hostname: host,
        status: failed ? 'FAILED' : 'ACTIVE',
        should_be_active: true,
        size_bytes: 7681501126656,
        percentage_used: 10 + h,
        serial_number: `SER${h}${d}`,
        model: 'M1',
        vendor: null,
      };
    }),
  );
  const containers = [...HOSTS, 'x1000c0s0b0n0.hsn.cm.demo.test'].map(
    (host, h): JsonObject => ({
      hostname: host,
      status: h === 2 ? 'DOWN' : 'UP',
      state: 'ACTIVE',
      mode: h < 3 ? 'backend' : 'client',
      failure_domain: h < 3 ? `DOM-00${h}` : '',
    }),
  );
  const processes = Array.from(
    { length: 12 },
    (_, p): JsonObject => ({
      hostname: HOSTS[p % 3] as string,
      status: p === 4 ? 'DOWN' : 'UP',
      is_blacklisted: p === 4,
      roles: ['COMPUTE'],
    }),
  );
  const fileSystems: JsonObject[] = [
    { name: 'home', status: 'READY', available_total: 3e13, used_total: 1e13, available_ssd: 3e13, used_ssd: 1e13, obs_buckets: [] },
    { name: 'scratch', status: 'READY', available_total: 5e13, used_total: 4.6e13, available_ssd: 5e13, used_ssd: 4.6e13, obs_buckets: [] },
    { name: 'empty', status: 'READY', available_total: 0, used_total: 0, available_ssd: 0, used_ssd: 0, obs_buckets: [] },
  ];
  return { drives, containers, processes, fileSystems };
}

const degraded = (): JsonObject => ({
  status: 'REBUILDING',
  drives: { active: 5, total: 6 },
  rebuild: rebuild({ 1: 2.5 }, { progressPercent: 12.5, totalCopiesDoneMiB: 100 }),
});

const byId = (tag: string, list: JsonObject[]): JsonObject => Object.fromEntries(list.map((value, i) => [`${tag}<${i}>`, value]));
const withId = (key: string, tag: string, list: JsonObject[]): JsonObject[] =>
  list.map((value, i) => ({ [key]: `${tag}<${i}>`, ...value }));

/** One and the same cluster as each version and way of asking shows it. */
export function shapes(): Record<'cliV4' | 'cliV3' | 'rest' | 'jsonRpc', Input[]> {
  const { drives, containers, processes, fileSystems } = objects();
  const drive17 = { drive_id: 'DiskId<2>', hostname: 'weka02' };
  const v4 = status({
    ...degraded(),
    containers: { active: 3, total: 4, backends: { active: 2, total: 3 }, clients: { active: 1, total: 1 } },
    processes: { total: 12, blacklisted: 1 },
  });
  // v3 knows hosts and nodes, and none of the fields that came with v4.
  const { containers: _containers, processes: _processes, ...common } = v4;
  const v3: JsonObject = {
    ...common,
    hosts: { active_count: 3, total_count: 4, backends: { active: 2, total: 3 }, clients: { active: 1, total: 1 } },
    nodes: { total: 12, blacklisted: 1 },
    upgrade: '',
  };
  const both: JsonObject = {
    ...v4,
    hosts: v3['hosts'] as Json,
    nodes: v3['nodes'] as Json,
    servers: { active: 3, total: 4, degraded: 1 },
    upgrade_info: { upgrade_phase: '' },
  };
  const named = containers.map((c, i): JsonObject => ({ ...c, container_name: i < 3 ? 'default' : 'client' }));
  const texts = (list: JsonObject[]): JsonObject[] =>
    list.map((d, i) => ({ ...d, percentage_used: `${10 + Math.floor(i / 2)}`, uid: String(100 + i), uuid: `u-${i}` }));
  const older = fileSystems.map(({ obs_buckets, ...fs }): JsonObject => ({ ...fs, object_storages: obs_buckets as Json }));
  const data = (list: Json): JsonObject => ({ data: list });
  const result = (value: Json): JsonObject => ({ jsonrpc: '2.0', id: 7, result: value });
  return {
    cliV4: [
      input('weka-status.json', both),
      input('alerts.json', [
        {
          type: 'DriveDown',
          title: 'Drive failed',
          severity: 'MAJOR',
          count: 1,
          muted: false,
          description: 'Drive DiskId<2> on host weka02 is down',
          params: drive17,
        },
      ]),
      input(
        'drives.json',
        withId(
          'disk_id',
          'DiskId',
          drives.map((d, i) => ({ uid: `5d0c-${i}`, host_id: `HostId<${i}>`, node_id: 'NodeId<9>', ...d })),
        ),
      ),
      input('containers.json', withId('host_id', 'HostId', named)),
      input(
        'processes.json',
        withId(
          'node_id',
          'NodeId',
          processes.map((p) => ({ host_id: 'HostId<0>', ...p })),
        ),
      ),
      input('fs.json', withId('fs_id', 'FSId', fileSystems)),
    ],
    cliV3: [
      input('status.json', v3),
      input('alerts.json', [{ type: 'DriveDown', title: 'Drive failed', muted: false, params: drive17 }]),
      input('drives.json', withId('disk_id', 'DiskId', drives)),
      input('hosts.json', withId('host_id', 'HostId', containers)),
      input('nodes.json', withId('node_id', 'NodeId', processes)),
      input('filesystems.json', withId('fs_id', 'FSId', older)),
    ],
    rest: [
      input('https://weka.demo.test:14000/api/v2/cluster', data(both), { role: 'status' }),
      input(
        'https://weka.demo.test:14000/api/v2/alerts',
        data([
          { type: 'DriveDown', muted: false, fmt: 'Drive {drive_id} on host {hostname} is down', title: 'Drive failed', params: drive17 },
        ]),
        { role: 'alerts' },
      ),
      input('https://weka.demo.test:14000/api/v2/drives', data(withId('id', 'DiskId', texts(drives))), { role: 'drives' }),
      input('https://weka.demo.test:14000/api/v2/containers', data(withId('id', 'HostId', named)), { role: 'containers' }),
      input(
        'https://weka.demo.test:14000/api/v2/processes',
        data(
          withId(
            'id',
            'NodeId',
            processes.map((p) => ({ container_id: 'HostId<0>', ...p })),
          ),
        ),
        { role: 'processes' },
      ),
      input('https://weka.demo.test:14000/api/v2/fileSystems', data(withId('id', 'FSId', fileSystems)), { role: 'file_systems' }),
    ],
    jsonRpc: [
      input('status', result(v3)),
      input('alerts_list', result([{ type: 'DriveDown', muted: false, title: 'Drive failed', params: drive17 }])),
      input(
        'disks_list',
        result(
          byId(
            'DiskId',
            drives.map((d, i) => ({ host_id: `HostId<${i}>`, ...d })),
          ),
        ),
      ),
      input('hosts_list', byId('HostId', containers)),
      input(
        'nodes_list',
        result(
          byId(
            'NodeId',
            processes.map((p) => ({ host_id: 'HostId<0>', ...p })),
          ),
        ),
      ),
      input('filesystems_get_capacity', byId('FSId', fileSystems)),
    ],
  };
}
