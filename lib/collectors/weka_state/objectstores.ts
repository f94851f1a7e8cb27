import type { ConditionDraft } from '../../model/condition.ts';
import type { JsonObject } from '../../model/json.ts';
import { cleanName, compareNames } from '../../model/text.ts';
import { fold } from '../../nodeset.ts';
import { type Frame, known, type Part, shortSet } from './digest.ts';
import type { RawRecord, Section } from './documents.ts';
import { amount, count, firstOf, limited, member, positive, state, text } from './fields.ts';
import type { FileSystem } from './filesystems.ts';
import { readRecords } from './records.ts';

/** One record of a bucket: `weka fs tier obs-bucket`, REST's `/objectStoreBuckets`, or one of the capacities, which tell no state. */
interface Bucket {
  /** Tells the records apart: a bucket has one of its own, and a capacity for each file system that tiers to it. */
  id: string;
  name: string;
  status: string | null;
  up: number | null;
  down: number | null;
  usedBytes: number | null;
  reclaimablePercent: number | null;
  fileSystem: string | null;
}

const TOP = 5;

/** Object store buckets, from their own list and from the file systems that tier to them; each is one subject. */
export function digestObjectStores(
  section: Section | undefined,
  fileSystems: readonly FileSystem[],
  frame: Frame,
): Omit<Part, 'observed'> & ObservedBuckets {
  const records = readRecords(section, readBucket, frame.problems);
  const byName = new Map<string, { states: string[]; fileSystems: Set<string>; records: Bucket[] }>();
  const entry = (name: string) => {
    const found = byName.get(name) ?? { states: [], fileSystems: new Set<string>(), records: [] };
    byName.set(name, found);
    return found;
  };
  for (const bucket of records) {
    const found = entry(bucket.name);
    found.records.push(bucket);
    if (bucket.fileSystem !== null) found.fileSystems.add(bucket.fileSystem);
    const status = effectiveState(bucket);
    if (status !== null) found.states.push(status);
  }
  for (const fs of fileSystems) {
    for (const bucket of fs.buckets) {
      const found = entry(bucket.name);
      found.fileSystems.add(fs.id);
      if (bucket.status !== null) found.states.push(bucket.status);
    }
  }
  const buckets = [...byName].sort(([a], [b]) => compareNames(a, b));
  const down = buckets.filter(([, b]) => b.states.includes('DOWN'));
  const told = buckets.filter(([, b]) => b.states.length > 0).map(([name]) => name);
  return {
    conditions: down.map(([name, b]) => downCondition(name, [...b.fileSystems], b.records)),
    facts: buckets.map(([name, b]) => ({ subject: { type: 'object_store', id: name }, facts: factsOf(b) })),
    told,
    listed: records.some((bucket) => bucket.status !== null),
    complete: section?.whole ?? false,
    summary: {
      listed: buckets.length,
      down: { count: down.length, buckets: shortSet(down.map(([name]) => name)) },
      top: buckets.slice(0, TOP).map(([name, b]) => ({ name: text(name, 32), ...factsOf(b) })),
      more: Math.max(0, buckets.length - TOP),
    },
    records: records.length,
  };
}

export interface ObservedBuckets {
  /** Buckets that some record gives a state. */
  told: string[];
  /** There is a list of the buckets themselves. */
  listed: boolean;
  complete: boolean;
}

/**
 * What was observed of buckets. Their own list is all of them; where a site has never given one, so are the file systems'.
 * @param fileSystemsWhole the list of file systems was read whole
 * @param listExpected a list of buckets was there not long ago
 */
export function observedBuckets(digest: ObservedBuckets, fileSystemsWhole: boolean, listExpected: boolean): string | null {
  if (digest.listed ? digest.complete : fileSystemsWhole && !listExpected) return 'all';
  return digest.told.length > 0 ? fold(digest.told) : null;
}

function readBucket({ value, key }: RawRecord): Bucket | null {
  const capacity = firstOf(value, 'obs_bucket_name');
  const name = cleanName(capacity ?? member(value, 'name')) ?? cleanName(firstOf(value, 'id', 'uid') ?? key);
  if (name === null) return null;
  const fileSystem = capacity === undefined ? null : cleanName(member(value, 'filesystem_name'));
  return {
    id: JSON.stringify([name, capacity !== undefined, fileSystem]),
    name,
    status: capacity === undefined ? state(member(value, 'status')) : null,
    up: count(member(value, 'up_count')),
    down: count(member(value, 'down_count')),
    usedBytes: limited(amount(firstOf(value, 'used_bytes', 'used_capacity'))),
    reclaimablePercent: positive(firstOf(value, 'reclaimable_percent', 'reclaimable')),
    fileSystem,
  };
}

/** A bucket that no process reaches is down, whatever it is called. */
function effectiveState(bucket: Bucket): string | null {
  if (bucket.up === 0 && bucket.down !== null && bucket.down > 0) return 'DOWN';
  return bucket.status;
}

function downCondition(name: string, fileSystems: string[], records: readonly Bucket[]): ConditionDraft {
  const used = fileSystems.length === 0 ? '' : `; file systems ${shortSet(fileSystems)} tier to it`;
  const reach = records.find((b) => b.down !== null && b.up !== null);
  const counts = reach === undefined ? '' : `, reached by ${reach.up} of ${(reach.up as number) + (reach.down as number)} processes`;
  return {
    kind: 'object_store_down',
    subject: { type: 'object_store', id: name },
    message: `Weka object store bucket ${name} is down${counts}${used}`,
    values: { file_systems: fileSystems.length, processes_up: reach?.up ?? null, processes_down: reach?.down ?? null },
  };
}

function factsOf(bucket: { states: string[]; fileSystems: ReadonlySet<string>; records: readonly Bucket[] }): JsonObject {
  const used = bucket.records.flatMap((b) => b.usedBytes ?? []);
  const reclaimable = bucket.records.flatMap((b) => b.reclaimablePercent ?? []);
  return known({
    status: bucket.states.includes('DOWN') ? 'DOWN' : (bucket.states.toSorted()[0] ?? null),
    file_systems: bucket.fileSystems.size,
    used_bytes: used.length > 0 ? used.reduce((a, b) => a + b, 0) : null,
    reclaimable_percent: reclaimable.length > 0 ? reclaimable.reduce((a, b) => Math.max(a, b)) : null,
  });
}
