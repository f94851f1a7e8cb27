import { amountAt } from '../effects.ts';
import { draw } from '../random.ts';
import { DAY, HOUR } from '../spec.ts';
import { CONTAINERS_OF_SERVER as CONTAINERS, driveCount, driveName, DRIVES, FILE_SYSTEMS } from '../storage.ts';
import { holding, joined, LOOKED_BEFORE, seenBy, type SourceFile, type Tick } from '../tick.ts';

/*
 * Weka: `weka status -J`, `weka cluster container -J`, `weka cluster drive -J`, `weka fs -J`, `weka fs tier s3 -J`,
 * `weka alerts -J`, `weka events -J`. Every compute and login node is a client.
 */

const RELEASE = '4.4.2.157-5f0b7c1e9d';
const DRIVE_BYTES = 7_681_501_126_656;

/** What is wrong with the storage at a moment. */
interface Wrong {
  drives: ReadonlyMap<number, number>;
  containers: ReadonlyMap<string, number>;
  fileSystems: ReadonlyMap<string, number>;
  /** Servers of which no container is up, and their names in `containers` as well. */
  servers: ReadonlySet<string>;
  /** Percent of its endurance. */
  worn: ReadonlyMap<number, number>;
  unwritable: ReadonlySet<number>;
  stoppedSince: number | null;
  objectStoreDown: boolean;
  licenceDays: number;
}

export function wekaFiles(tick: Tick): SourceFile[] {
  const now = tick.at - LOOKED_BEFORE.weka;
  const wrong = wrongAt(tick, now);
  const clients = clientsOf(tick);
  const file = (name: string, text: Iterable<string>): SourceFile => ({ path: `weka/${name}.json`, text, mtime: now });
  return [
    file('status', [`${JSON.stringify(status(tick, now, wrong, clients), null, 1)}\n`]),
    file('containers', joined('[', containers(tick, wrong, clients), ']')),
    file('drives', joined('[', drives(tick, wrong), ']')),
    file('fs', joined('[', fileSystems(tick, now, wrong), ']')),
    file('obs', [`${JSON.stringify(objectStores(wrong), null, 1)}\n`]),
    file('alerts', [`${JSON.stringify(alerts(tick, wrong), null, 1)}\n`]),
    file('events', [`${JSON.stringify(events(now, wrong), null, 1)}\n`]),
  ];
}

function wrongAt({ plan }: Tick, now: number): Wrong {
  const worn = new Map<number, number>();
  const unwritable = new Set<number>();
  const servers = new Set<string>();
  let stoppedSince: number | null = null;
  let objectStoreDown = false;
  let licenceDays = 300;
  const drivesDown = new Map<number, number>();
  const down = new Map<string, number>();
  const full = new Map<string, number>();
  for (const { effects, from } of holding(plan, now)) {
    for (const drive of effects.drives ?? []) drivesDown.set(drive, from);
    for (const host of effects.containers ?? []) down.set(host, from);
    for (const [name, share] of effects.fileSystems ?? []) full.set(name, amountAt(share, now - from));
    for (const [drive, percent] of effects.wornDrives ?? []) worn.set(drive, amountAt(percent, now - from));
    for (const drive of effects.unwritableDrives ?? []) unwritable.add(drive);
    for (const host of effects.storageServers ?? []) {
      servers.add(host);
      down.set(host, from);
      const first = plan.topology.storage.findIndex((s) => s.name === host) * DRIVES;
      for (let i = first; i < first + DRIVES; i++) drivesDown.set(i, from);
    }
    if (effects.storageStopped) stoppedSince = from;
    objectStoreDown ||= effects.objectStore === 'down';
    if (effects.licenceDays !== undefined) licenceDays = amountAt(effects.licenceDays, now - from);
  }
  return { drives: drivesDown, containers: down, fileSystems: full, servers, worn, unwritable, stoppedSince, objectStoreDown, licenceDays };
}

function hostOfDrive({ plan: { topology } }: Tick, index: number): string {
  return topology.storage[Math.floor(index / DRIVES)]?.name as string;
}

interface Client {
  name: string;
  isUp: boolean;
}

function clientsOf(tick: Tick): Client[] {
  const { topology } = tick.plan;
  return [
    ...topology.services.filter((s) => s.role === 'login' || s.role === 'observer').map((s) => ({ name: s.name, isUp: true })),
    ...topology.nodes.map((n) => ({ name: n.name, isUp: seenBy(tick, 'weka', n).loss === null })),
  ];
}

function status({ plan: { topology } }: Tick, now: number, wrong: Wrong, clients: readonly Client[]): unknown {
  const servers = topology.storage.length;
  const backends = servers * CONTAINERS.length;
  const backendsUp = backends - wrong.containers.size - wrong.servers.size * (CONTAINERS.length - 1);
  const clientsUp = clients.filter((c) => c.isUp).length;
  const driveTotal = driveCount(servers);
  const failed = wrong.drives.size;
  // Data that lies on two of the servers with failed drives has lost two copies.
  const domains = new Set([...wrong.drives.keys()].map((i) => Math.floor(i / DRIVES))).size;
  const twice = domains < 2 ? 0 : 1.2;
  const data = servers * 13_268_125;
  const share = failed === 0 ? 0 : Math.min(50, Math.round((6240 * failed) / servers) / 100 / 4);
  // How far the rebuild is: it takes a day, and never stands still.
  const rebuilt = Math.min(99, ...[...wrong.drives.values()].map((since) => Math.round(((now - since) / DAY) * 9900) / 100));
  const isWell = failed === 0 && wrong.containers.size === 0;
  const total = { active: backendsUp + clientsUp, total: backends + clients.length };
  const parts = { backends: { active: backendsUp, total: backends }, clients: { active: clientsUp, total: clients.length } };
  return {
    name: 'eval-weka',
    guid: '6a1f5c1e-0000-4000-8000-00000000de30',
    release: RELEASE,
    status: failed > 0 ? 'REBUILDING' : isWell ? 'OK' : 'DEGRADED',
    init_stage: 'INITIALIZED',
    io_status: wrong.stoppedSince === null ? 'STARTED' : 'STOPPED',
    io_status_changed_time:
      wrong.stoppedSince === null ? '2026-08-04T10:20:15.0170422Z' : new Date(wrong.stoppedSince).toISOString().replace('Z', '0422Z'),
    time: { cluster_time: new Date(now).toISOString(), cluster_local_utc_offset: '-07:00', allowed_clock_skew_secs: 60 },
    active_alerts_count: 1 + failed * 2 + wrong.containers.size,
    hosts: { active_count: total.active, total_count: total.total, ...parts },
    containers: {
      ...total,
      ...parts,
      computes: { active: servers - wrong.containers.size, total: servers },
      drives: { active: servers - wrong.servers.size, total: servers },
    },
    servers: { active: servers + clientsUp - wrong.containers.size, total: servers + clients.length, degraded: wrong.containers.size },
    processes: { blacklisted: 0, total: servers * 6 + clients.length * 2 },
    drives: { active: driveTotal - failed, total: driveTotal },
    io_nodes: { active: servers * 4 - wrong.containers.size * 2, total: servers * 4 },
    buckets: { active: servers * 20, total: servers * 20, included_in_report: servers * 20 },
    stripe_data_drives: 5,
    stripe_protection_drives: 2,
    hot_spare: 1,
    capacity: {
      total_bytes: servers * 17_280_000_000_000,
      hot_spare_bytes: 19_748_571_428_571,
      unprovisioned_bytes: servers * 530_000_000_000,
      unavailable_bytes: 0,
    },
    buckets_info: {
      averageFillLevelPPM: 663_000,
      criticalRaidFillLevelPPM: 970_000,
      maxProvisionablePPM: 920_000,
      reportedRaidFillLevelSeverity: 'Normal',
    },
    rebuild: {
      movingData: failed > 0,
      enoughActiveFDs: true,
      numActiveFDs: servers,
      requiredFDsForRebuild: 7,
      stripeDisks: 7,
      numProtectionDisks: 2,
      progressPercent: failed === 0 ? 0 : rebuilt,
      totalCopiesMiB: failed === 0 ? 0 : 3_311_724,
      totalCopiesDoneMiB: failed === 0 ? 0 : Math.floor(33_117.24 * rebuilt),
      unavailableMiB: 0,
      unavailablePercent: 0,
      protectionState: [
        { numFailures: 0, percent: 100 - share - twice, MiB: Math.floor((data * (100 - share - twice)) / 100) },
        { numFailures: 1, percent: share, MiB: Math.floor((data * share) / 100) },
        { numFailures: 2, percent: twice, MiB: Math.floor((data * twice) / 100) },
      ],
    },
    activity: {
      num_ops: 48_211.4,
      num_reads: 19_804.2,
      num_writes: 11_877.9,
      sum_bytes_read: 21_474_836_480.5,
      sum_bytes_written: 9_663_676_416.25,
    },
    licensing: {
      mode: 'Classic',
      io_start_eligibility: true,
      error: '',
      limits: { valid_from: new Date(now - 90 * DAY).toISOString(), expires_at: new Date(now + wrong.licenceDays * DAY).toISOString() },
    },
    is_cluster: true,
  };
}

function* containers({ plan: { topology } }: Tick, wrong: Wrong, clients: readonly Client[]): Iterable<string> {
  let id = 0;
  for (const [i, { name }] of topology.storage.entries()) {
    for (const container of CONTAINERS) {
      const since = container === 'compute0' || wrong.servers.has(name) ? wrong.containers.get(name) : undefined;
      const failure =
        since === undefined
          ? '"last_failure": "", "last_failure_time": null'
          : `"last_failure": "Process lost connectivity", "last_failure_time": "${new Date(since).toISOString()}"`;
      yield ` {"host_id": "HostId<${id++}>", "container_name": "${container}", "hostname": "${name}", "host_ip": "10.70.${i >> 8}.${i & 255}", "mode": "backend", "state": "ACTIVE", "status": "${since === undefined ? 'UP' : 'DOWN'}", "failure_domain": "DOM-${String(i).padStart(3, '0')}", "sw_release_string": "${RELEASE}", "cores": 2, ${failure}}`;
    }
  }
  for (const { name, isUp } of clients)
    yield ` {"host_id": "HostId<${id++}>", "container_name": "client", "hostname": "${name}", "mode": "client", "state": "ACTIVE", "status": "${isUp ? 'UP' : 'DOWN'}", "failure_domain": "", "sw_release_string": "${RELEASE}"}`;
}

function* drives(tick: Tick, wrong: Wrong): Iterable<string> {
  const { topology, spec } = tick.plan;
  for (let i = 0; i < driveCount(topology.storage.length); i++) {
    const since = wrong.drives.get(i);
    const server = Math.floor(i / DRIVES);
    const serial = String(i).padStart(6, '0');
    yield ` ${JSON.stringify({
      disk_id: driveName(i),
      uid: `5d0c2b7e-0000-4000-8000-000000${serial}`,
      hostname: hostOfDrive(tick, i),
      host_id: `HostId<${server * CONTAINERS.length}>`,
      node_id: `NodeId<${server * 60 + 1}>`,
      location: `Slot ${(i % DRIVES) + 1}`,
      failure_domain_name: `DOM-${String(server).padStart(3, '0')}`,
      status: since === undefined ? 'ACTIVE' : 'INACTIVE',
      should_be_active: true,
      writable: wrong.unwritable.has(i) ? 'Unwritable' : 'Writable',
      attachment: 'OK',
      size_bytes: DRIVE_BYTES,
      percentage_used: Math.floor(wrong.worn.get(i) ?? 5 + draw(spec.seed, 'wear', i) * 20),
      spares_remaining: 100,
      spares_threshold: 10,
      vendor: 'SAMSUNG',
      model: 'MZWLJ7T6HALA-00AU3',
      serial_number: `S5XYNE0R${serial}`,
      firmware: 'MPK94R5Q',
      state_change_time: since === undefined ? '2026-08-04T10:21:07.530Z' : new Date(since).toISOString(),
    })}`;
  }
}

function* fileSystems({ plan: { topology, spec } }: Tick, now: number, wrong: Wrong): Iterable<string> {
  for (const [i, { name, bytes, share }] of FILE_SYSTEMS.entries()) {
    const total = bytes * topology.storage.length;
    // It breathes by a percent over the day and goes nowhere.
    const since = now - spec.start;
    const breath = 0.01 * Math.sin((since / DAY) * 2 * Math.PI) + 0.002 * draw(spec.seed, 'fs', i, Math.floor(since / HOUR));
    const used = Math.floor(total * (wrong.fileSystems.get(name) ?? share + (share === 0 ? 0 : breath)));
    const sizes = (of: 'total' | 'ssd'): string =>
      `"${of === 'total' ? 'total_budget' : 'ssd_budget'}": ${total}, "available_${of}": ${total}, "used_${of}": ${used}, "free_${of}": ${total - used}`;
    yield ` {"fs_id": "FSId<${i}>", "name": "${name}", "group_name": "default", "status": "READY", "is_ready": true, "is_creating": false, "is_removing": false, ${sizes('total')}, ${sizes('ssd')}, "data_reduction": false, "obs_buckets": []}`;
  }
}

const objectStores = ({ objectStoreDown }: Wrong): unknown => [
  {
    id: 'ObsBucketId<0>',
    uid: '237',
    name: 'archive-s3',
    obs_name: 'eval-s3',
    obs_type: 'OTHER',
    protocol: 'HTTPS',
    hostname: 's3.demo.test',
    port: 443,
    bucket: 'weka-archive',
    ...(objectStoreDown
      ? { status: 'DOWN', status_upload: 'DOWN', status_download: 'DOWN', status_remove: 'DOWN', last_errors: 'connection timed out' }
      : { status: 'UP', status_upload: 'UP', status_download: 'UP', status_remove: 'UP', last_errors: null }),
  },
];

function alerts(tick: Tick, wrong: Wrong): unknown[] {
  const open = (type: string, severity: string, description: string, params: Record<string, string> = {}): unknown => ({
    type,
    title: description,
    severity,
    count: 1,
    muted: false,
    description,
    params,
  });
  return [
    ...[...wrong.drives.keys()].map((i) =>
      open('DriveDown', 'MINOR', `Drive ${driveName(i)} on host ${hostOfDrive(tick, i)} is down`, {
        hostname: hostOfDrive(tick, i),
        drive_id: driveName(i),
      }),
    ),
    ...(wrong.drives.size > 0 ? [open('DataProtection', 'MINOR', 'Some data has 1 failure')] : []),
    ...[...wrong.containers.keys()].map((host) =>
      open('NodeDisconnected', 'MINOR', `Processes of container compute0 on host ${host} are disconnected`, { hostname: host }),
    ),
    // What an administrator has muted, and what says no more than how the cluster was set up.
    {
      type: 'TLSCertificateExpiresSoon',
      title: 'TLS certificate is about to expire',
      severity: 'MAJOR',
      count: 1,
      muted: true,
      description: 'The TLS certificate expires in 21 days',
      params: {},
    },
    {
      type: 'CloudHealth',
      title: 'WEKA Home disconnected',
      severity: 'MINOR',
      count: 24,
      muted: true,
      description: 'Containers cannot reach WEKA Home',
      params: {},
    },
    {
      type: 'SystemDefinedTLS',
      title: 'TLS certificate is not user-defined',
      severity: 'WARNING',
      count: 1,
      muted: false,
      description: 'The TLS certificate was made by the system',
    },
  ];
}

function events(now: number, wrong: Wrong): unknown[] {
  const event = (at: number, type: string, category: string, severity: string, description: string): unknown => ({
    timestamp: new Date(at).toISOString(),
    type,
    category,
    severity,
    description,
    entity: 'Cluster',
    nid: 'NodeId<0>',
    is_backend: true,
    org_id: 'OrgId<0>',
  });
  return [
    event(now - 5_000_000, 'UserLoggedIn', 'User', 'INFO', 'User logged in'),
    event(now - 2_500_000, 'ClientConnected', 'Clustering', 'INFO', 'Client connected'),
    ...[...wrong.drives].map(([i, since]) => event(since, 'DriveDead', 'Drive', 'MAJOR', `Drive ${driveName(i)} is unresponsive`)),
    ...[...wrong.containers].map(([host, since]) =>
      event(since, 'NodeUnreachable', 'Clustering', 'MINOR', `Processes of ${host} were removed`),
    ),
  ];
}
