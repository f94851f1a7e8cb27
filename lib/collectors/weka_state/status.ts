import type { JsonObject } from '../../model/json.ts';
import type { RawRecord, Section } from './documents.ts';
import {
  type Amount,
  amount,
  count,
  firstOf,
  flag,
  instant,
  isObject,
  member,
  number,
  positive,
  type Ratio,
  ratio,
  state,
  text,
} from './fields.ts';
import type { Problems } from './problems.ts';

/** So much of the data has so many failures. */
export interface Protection {
  failures: number;
  percent: number;
  mib: number;
}

export interface Licence {
  mode: string | null;
  error: string | null;
  expiresAt: number | null;
  mayStartIo: boolean | null;
}

/** `weka status`, with one name for what v3 and v4 call differently. Null: the cluster does not say. */
export interface Status {
  input: string;
  name: string | null;
  release: string | null;
  status: string | null;
  ioStatus: string | null;
  ioSince: number | null;
  initFailure: string | null;
  clusterTime: number | null;
  /** Milliseconds. */
  allowedSkew: number | null;
  drives: Ratio | null;
  ioNodes: Ratio | null;
  buckets: Ratio | null;
  containers: Ratio | null;
  backends: Ratio | null;
  clients: Ratio | null;
  processes: number | null;
  blacklisted: number | null;
  dataDrives: number | null;
  protectionDrives: number | null;
  /** By number of failures, ascending; what can be read of it, null where nothing can. */
  protection: Protection[] | null;
  /** Fields on which the judgement of health rests and that hold nothing usable. */
  unread: string[];
  unavailablePercent: number;
  unavailableMib: number;
  rebuildPercent: number | null;
  copiesDoneMib: number | null;
  movingData: boolean | null;
  failureDomains: { active: number; required: number; enough: boolean | null } | null;
  hotSpare: number | null;
  hotSpareBytes: number | null;
  totalBytes: Amount;
  /** Below zero where more is provisioned than there is. */
  unprovisionedBytes: number | null;
  unavailableBytes: number | null;
  /** How full the RAID is on average, 0 to 1. */
  raidFill: number | null;
  /** Weka's own judgement of the RAID's fill level: `Normal`. */
  raidFillSeverity: string | null;
  licence: Licence | null;
  alerts: number | null;
  /** When Weka last said that requests hang without saying since that they no longer do. */
  hangingSince: number | null;
  upgrade: string | null;
  activity: Record<string, number>;
}

/**
 * Takes the newest of the status objects that there are.
 * @returns null where there is none that tells the state of the cluster; what is missing in it is a problem
 */
export function readStatus(section: Section | undefined, problems: Problems): Status | null {
  const read = (section?.records ?? []).map((record) => statusOf(record)).sort(newestFirst);
  const [newest, ...others] = read;
  if (!newest) return null;
  for (const other of others) {
    if (other.name === null || newest.name === null || other.name === newest.name)
      problems.note(`is a status no newer than that of ${newest.input}, which counts`, other.input);
    else problems.input(`is the status of another cluster (${other.name}) than ${newest.input}; one source is one cluster`, other.input);
  }
  const { unread } = newest;
  if (unread.length > 0)
    problems.input(`status: ${unread.join(' and ')} missing or unusable: the state of the cluster cannot be told`, newest.input);
  return newest;
}

/** Whether a status is enough to say that nothing is wrong. */
export function isConclusive(status: Status | null): status is Status {
  return status !== null && status.unread.length === 0;
}

/** Whether nothing of the protection state is left unread. */
export function isProtectionWhole({ protection, unread }: Status): boolean {
  return protection !== null && !unread.includes(PROTECTION);
}

export function readLicence(source: unknown): Licence | null {
  if (!isObject(source)) return null;
  return {
    mode: text(member(source, 'mode'), 40),
    error: text(member(source, 'error'), 160),
    expiresAt: instant(member(member(source, 'limits'), 'expires_at')),
    mayStartIo: flag(member(source, 'io_start_eligibility')),
  };
}

function newestFirst(a: Status, b: Status): number {
  return (b.clusterTime ?? 0) - (a.clusterTime ?? 0) || (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
}

function statusOf({ value, input }: RawRecord): Status {
  const at = (...path: string[]): unknown => path.reduce<unknown>(member, value);
  const hosts = at('hosts');
  const containers = firstOf(value, 'containers', 'hosts');
  const part = (key: string): Ratio | null => ratio(member(containers, key)) ?? ratio(member(hosts, key));
  const processes = firstOf(value, 'processes', 'nodes');
  const allowedSkew = positive(at('time', 'allowed_clock_skew_secs'));
  const fill = positive(at('buckets_info', 'averageFillLevelPPM'));
  const upgrade = firstOf(at('upgrade_info'), 'upgrade_phase') ?? at('upgrade');
  return {
    input,
    name: text(at('name'), 48),
    release: text(at('release'), 48),
    status: state(at('status')),
    ioStatus: state(at('io_status')),
    ioSince: instant(at('io_status_changed_time')),
    initFailure: text(at('last_init_failure'), 160),
    clusterTime: instant(at('time', 'cluster_time')),
    allowedSkew: allowedSkew === null ? null : allowedSkew * 1000,
    drives: ratio(at('drives')),
    ioNodes: ratio(at('io_nodes')),
    buckets: ratio(at('buckets')),
    containers: ratio(containers) ?? ratio(hosts),
    backends: part('backends'),
    clients: part('clients'),
    processes: count(member(processes, 'total')),
    blacklisted: count(member(processes, 'blacklisted')),
    dataDrives: count(at('stripe_data_drives')),
    protectionDrives: count(firstOf(value, 'stripe_protection_drives') ?? at('rebuild', 'numProtectionDisks')),
    ...rebuildOf(at('rebuild')),
    hotSpare: count(at('hot_spare')),
    hotSpareBytes: number(at('capacity', 'hot_spare_bytes')),
    totalBytes: amount(at('capacity', 'total_bytes')),
    unprovisionedBytes: number(at('capacity', 'unprovisioned_bytes')),
    unavailableBytes: positive(at('capacity', 'unavailable_bytes')),
    raidFill: fill === null ? null : fill / 1e6,
    unread: unreadOf(value),
    raidFillSeverity: text(at('buckets_info', 'reportedRaidFillLevelSeverity'), 32),
    licence: readLicence(at('licensing')),
    alerts: count(at('active_alerts_count')),
    hangingSince: hangingSince(at('hanging_ios')),
    upgrade: text(upgrade, 60),
    activity: activityOf(at('activity')),
  };
}

const PROTECTION = 'rebuild.protectionState';
/** What a cluster always says of its health. */
const NEEDED: readonly (readonly [string, (value: unknown) => boolean])[] = [
  ['io_status', (value) => state(value) !== null],
  [PROTECTION, (value) => readProtection(value)?.whole === true],
];
/** What not every release says; where it is said, and cannot be read, it may be anything. */
const TOLD: readonly (readonly [string, (value: unknown) => boolean])[] = [
  ['rebuild.unavailablePercent', (value) => positive(value) !== null],
  ['rebuild.unavailableMiB', (value) => positive(value) !== null],
  ['drives', (value) => ratio(value) !== null],
  ['io_nodes', (value) => ratio(value) !== null],
  ['buckets', (value) => ratio(value) !== null],
];

function unreadOf(value: JsonObject): string[] {
  const at = (path: string): unknown => path.split('.').reduce<unknown>(member, value);
  return [
    ...NEEDED.filter(([path, isUsable]) => !isUsable(at(path))),
    ...TOLD.filter(([path, isUsable]) => (at(path) ?? null) !== null && !isUsable(at(path))),
  ].map(([path]) => path);
}

/** Far more than any stripe has protection drives. */
const MAX_STATES = 64;

type Rebuild = Pick<
  Status,
  'protection' | 'unavailablePercent' | 'unavailableMib' | 'rebuildPercent' | 'copiesDoneMib' | 'movingData' | 'failureDomains'
>;

function rebuildOf(rebuild: unknown): Rebuild {
  const active = count(member(rebuild, 'numActiveFDs'));
  const required = count(member(rebuild, 'requiredFDsForRebuild'));
  return {
    protection: readProtection(member(rebuild, 'protectionState'))?.states ?? null,
    unavailablePercent: positive(member(rebuild, 'unavailablePercent')) ?? 0,
    unavailableMib: positive(member(rebuild, 'unavailableMiB')) ?? 0,
    rebuildPercent: positive(member(rebuild, 'progressPercent')),
    copiesDoneMib: positive(member(rebuild, 'totalCopiesDoneMiB')),
    movingData: flag(member(rebuild, 'movingData')),
    failureDomains: active === null || required === null ? null : { active, required, enough: flag(member(rebuild, 'enoughActiveFDs')) },
  };
}

/** The entries that can be read, and whether that is all of them; null where none can. */
function readProtection(entries: unknown): { states: Protection[]; whole: boolean } | null {
  if (!Array.isArray(entries)) return null;
  const states = entries.slice(0, MAX_STATES).flatMap((entry: unknown): Protection[] => {
    const failures = count(member(entry, 'numFailures'));
    const percent = positive(member(entry, 'percent'));
    const mib = positive(member(entry, 'MiB'));
    return failures === null || (percent === null && mib === null) ? [] : [{ failures, percent: percent ?? 0, mib: mib ?? 0 }];
  });
  if (states.length === 0) return null;
  states.sort((a, b) => a.failures - b.failures || a.percent - b.percent || a.mib - b.mib);
  return { states, whole: states.length === entries.length };
}

// Weka writes one event when requests of a front end begin to hang, and one when they no longer do.
const HANGING = ['backend', 'driver_frontend', 'nfs_frontend'] as const;

function hangingSince(source: unknown): number | null {
  const open = HANGING.flatMap((where) => {
    const began = instant(member(source, `last_emitted_${where}_event`));
    const ended = instant(member(source, `last_emitted_${where}_no_longer_detected_event`));
    return began !== null && (ended === null || ended < began) ? [began] : [];
  });
  return open.length === 0 ? null : Math.min(...open);
}

const ACTIVITY: readonly (readonly [string, string])[] = [
  ['ops', 'num_ops'],
  ['reads', 'num_reads'],
  ['writes', 'num_writes'],
  ['readBytesPerSecond', 'sum_bytes_read'],
  ['writtenBytesPerSecond', 'sum_bytes_written'],
  ['objectStoreDownBytesPerSecond', 'obs_download_bytes_per_second'],
  ['objectStoreUpBytesPerSecond', 'obs_upload_bytes_per_second'],
];

function activityOf(source: unknown): Record<string, number> {
  const pairs = ACTIVITY.flatMap(([ours, theirs]) => {
    const value = positive(member(source, theirs));
    return value === null ? [] : [[ours, Number(value.toPrecision(6))] as const];
  });
  return Object.fromEntries(pairs);
}
