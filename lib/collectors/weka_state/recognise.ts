import type { JsonObject } from '../../model/json.ts';
import { firstOf, idTag, isObject, member } from './fields.ts';

/** What an input can hold. Also the configuration keys that name one input each. */
export const ROLES = [
  'status',
  'alerts',
  'events',
  'containers',
  'processes',
  'drives',
  'file_systems',
  'servers',
  'object_stores',
  'licence',
] as const;
export type Role = (typeof ROLES)[number];

// The words by which dumps are named (`weka-drives.json`, `fs-cli.json`, `objectStoreBuckets`), the more telling first.
const WORDS: readonly (readonly [RegExp, Role])[] = [
  [/alert/, 'alerts'],
  [/event/, 'events'],
  [/licen[cs]e/, 'licence'],
  [/obs|object|bucket/, 'object_stores'],
  [/\bfs\b|file.?system/, 'file_systems'],
  [/drive|disk/, 'drives'],
  [/process|node/, 'processes'],
  [/container|host/, 'containers'],
  [/server/, 'servers'],
  [/status|cluster/, 'status'],
];

/** What an input's name says that it holds; null where it says nothing. */
export function roleOfName(name: string): Role | null {
  const stem = (name.split(/[/\\]/).at(-1) ?? '').slice(0, 200).toLowerCase().replaceAll('_', '-');
  return WORDS.find(([word]) => word.test(stem))?.[1] ?? null;
}

/** Whether a whole document is the status or the licence, which are no lists. */
export function roleOfObject(body: JsonObject): Role | null {
  if (typeof member(body, 'io_status') === 'string') return 'status';
  if (isObject(member(body, 'rebuild')) && firstOf(body, 'io_nodes', 'capacity', 'licensing') !== undefined) return 'status';
  return isObject(member(body, 'limits')) && firstOf(body, 'mode', 'usage') !== undefined ? 'licence' : null;
}

// Ids carry their type: `DiskId<17>`.
const TAGS = new Map<string, Role>([
  ['DiskId', 'drives'],
  ['HostId', 'containers'],
  ['NodeId', 'processes'],
  ['FSId', 'file_systems'],
  ['ObsBucketId', 'object_stores'],
  ['ObjectStorageId', 'object_stores'],
]);

/** What one entry of a list is, by its id or the members that only its type has; null where nothing tells. */
export function roleOfRecord(value: JsonObject, key: string | null): Role | null {
  if (hasAny(value, OF_BUCKETS)) return 'object_stores';
  const tagged = TAGS.get(idTag(key) ?? idTag(member(value, 'id')) ?? '');
  if (tagged) return tagged;
  for (const [names, role] of BY_MEMBERS) if (hasAny(value, names)) return role;
  if (Object.hasOwn(value, 'type')) {
    if (hasAny(value, OF_EVENTS)) return 'events';
    if (hasAny(value, OF_ALERTS)) return 'alerts';
  }
  if (hasAny(value, OF_PROCESSES)) return 'processes';
  return hasAny(value, OF_CONTAINERS) ? 'containers' : null;
}

// Members that only one type of entry has.
const OF_BUCKETS = ['obs_bucket_name', 'obs_name', 'status_upload'];
const BY_MEMBERS: readonly (readonly [readonly string[], Role])[] = [
  [['disk_id', 'percentage_used', 'should_be_active'], 'drives'],
  [['fs_id', 'used_total', 'total_budget', 'ssd_budget'], 'file_systems'],
  [['deployment_mode', 'nodesCounter', 'primary_ip_address'], 'servers'],
];
const OF_EVENTS = ['timestamp', 'time'];
const OF_ALERTS = ['muted', 'title', 'fmt', 'severity'];
const OF_PROCESSES = ['node_id', 'is_blacklisted', 'last_fencing_reason'];
const OF_CONTAINERS = ['host_id', 'container_name'];

function hasAny(value: JsonObject, names: readonly string[]): boolean {
  for (const name of names) if (Object.hasOwn(value, name)) return true;
  return false;
}
