import type { ConditionDraft } from '../../model/condition.ts';
import type { JsonObject } from '../../model/json.ts';
import { bytesText, cleanName, compareNames } from '../../model/text.ts';
import { type Frame, known, type Part, tally } from './digest.ts';
import type { RawRecord, Section } from './documents.ts';
import { type Amount, amount, firstOf, flag, limited, member, percentText, roundShare, state, text, UNLIMITED } from './fields.ts';
import { observedOf, readRecords } from './records.ts';

/** A bucket of an object store, as a file system that tiers to it sees it. */
interface AttachedBucket {
  name: string;
  status: string | null;
  mode: string | null;
}

export interface FileSystem {
  /** Its own name, as users know it. */
  id: string;
  status: string | null;
  leaving: boolean;
  total: Amount;
  used: number | null;
  ssd: Amount;
  usedSsd: number | null;
  reduced: boolean;
  buckets: AttachedBucket[];
}

const TOP = 5;

/**
 * `weka fs -J`, REST's `/fileSystems`, JSON-RPC's `filesystems_get_capacity`. How full a file system is counts against
 * its whole budget: the SSD part of a tiered one is a cache, and a full cache is no full file system.
 */
export function digestFileSystems(section: Section | undefined, frame: Frame): Part & { fileSystems: readonly FileSystem[] } {
  const fileSystems = readRecords(section, readFileSystem, frame.problems);
  const told = fileSystems.filter((fs) => isTold(fs)).map((fs) => fs.id);
  return {
    fileSystems,
    conditions: fileSystems.flatMap((fs) => fullCondition(fs, frame)),
    facts: fileSystems.map((fs) => ({ subject: { type: 'filesystem', id: fs.id }, facts: factsOf(fs) })),
    observed: observedOf('file_systems', section, { listed: fileSystems.length, told }, frame.problems),
    summary: summaryOf(fileSystems),
    records: fileSystems.length,
  };
}

function readFileSystem({ value, key }: RawRecord): FileSystem | null {
  const id = cleanName(member(value, 'name')) ?? cleanName(firstOf(value, 'fs_id', 'id', 'uid') ?? key);
  if (id === null) return null;
  const status = state(member(value, 'status'));
  const attached = firstOf(value, 'obs_buckets') ?? member(value, 'object_storages');
  return {
    id,
    status,
    leaving: flag(member(value, 'is_removing')) === true || status === 'REMOVING',
    total: amount(firstOf(value, 'available_total', 'total_budget')),
    used: limited(amount(member(value, 'used_total'))),
    ssd: amount(firstOf(value, 'available_ssd', 'ssd_budget')),
    usedSsd: limited(amount(member(value, 'used_ssd'))),
    reduced: flag(member(value, 'data_reduction')) === true,
    buckets: (Array.isArray(attached) ? attached.slice(0, 16) : []).flatMap((bucket) => readBucket(bucket)),
  };
}

function readBucket(bucket: unknown): AttachedBucket[] {
  const name = cleanName(member(bucket, 'name'));
  // A bucket that is being detached is meant to go.
  const attached = state(member(bucket, 'state')) ?? 'ACTIVE';
  if (name === null || attached !== 'ACTIVE') return [];
  return [{ name, status: state(member(bucket, 'status')), mode: state(member(bucket, 'mode')) }];
}

/** Used of what there is; null where that says nothing: no size, no limit, or a number that cannot be. */
function shareOf(used: number | null, total: Amount): number | null {
  return used !== null && typeof total === 'number' && total > 0 ? used / total : null;
}

/** Whether it is known how full it is. An empty budget and one without a limit cannot be full, and are known not to be. */
function isTold(fs: FileSystem): boolean {
  return fs.total === UNLIMITED || fs.total === 0 || shareOf(fs.used, fs.total) !== null;
}

function fullCondition(fs: FileSystem, frame: Frame): ConditionDraft[] {
  const share = shareOf(fs.used, fs.total);
  const limits = frame.thresholds.fsFull;
  if (share === null || share < limits.warning || fs.leaving) return [];
  const critical = share >= limits.critical;
  const [used, total] = [fs.used as number, fs.total as number];
  const left = total - used;
  return [
    {
      kind: 'fs_full',
      subject: { type: 'filesystem', id: fs.id },
      ...(critical && { severity: 'critical' as const }),
      message: `Weka file system ${fs.id} is ${percentText(share * 100)} full: ${bytesText(used)} of ${bytesText(total)}, ${left > 0 ? `${bytesText(left)} left` : 'nothing left'} (limit ${percentText((critical ? limits.critical : limits.warning) * 100)})`,
      values: { used_share: roundShare(share), limit: critical ? limits.critical : limits.warning, used_bytes: used, total_bytes: total },
    },
  ];
}

function factsOf(fs: FileSystem): JsonObject {
  const share = shareOf(fs.used, fs.total);
  return known({
    status: fs.status,
    used_bytes: fs.used,
    total_bytes: limited(fs.total),
    ...(fs.total === UNLIMITED && { unlimited: true }),
    used_share: share === null ? null : roundShare(share),
    used_ssd_bytes: fs.usedSsd,
    ssd_bytes: limited(fs.ssd),
    tiered_to: fs.buckets.length > 0 ? fs.buckets.map((b) => b.name).sort(compareNames) : null,
  });
}

function summaryOf(fileSystems: readonly FileSystem[]): JsonObject {
  const byShare = fileSystems
    .flatMap((fs) => {
      const share = shareOf(fs.used, fs.total);
      return share === null ? [] : [{ fs, share }];
    })
    .sort((a, b) => b.share - a.share || compareNames(a.fs.id, b.fs.id));
  return {
    listed: fileSystems.length,
    byStatus: tally(fileSystems.map((fs) => fs.status ?? 'unknown')),
    empty: fileSystems.filter((fs) => fs.total === 0).length,
    unlimited: fileSystems.filter((fs) => fs.total === UNLIMITED).length,
    unknown: fileSystems.filter((fs) => !isTold(fs)).length,
    tiered: fileSystems.filter((fs) => fs.buckets.length > 0).length,
    fullest: byShare
      .slice(0, TOP)
      .map(({ fs, share }) => ({ name: text(fs.id, 32), usedShare: roundShare(share), usedBytes: fs.used, totalBytes: limited(fs.total) })),
    more: Math.max(0, byShare.length - TOP),
  };
}

/** What the file systems hold on the SSDs; null where that cannot be told from them. */
export function usedOnSsd(fileSystems: readonly FileSystem[]): number | null {
  let total = 0;
  for (const fs of fileSystems) {
    // With data reduction a file system counts what users wrote, not what it takes.
    if (fs.reduced) return null;
    const used = fs.usedSsd ?? (fs.buckets.length === 0 ? fs.used : null);
    if (used === null) return null;
    total += used;
  }
  return fileSystems.length > 0 ? total : null;
}

const FORECAST = 18;

/** The numbers from which it can be told when a file system is full: the largest ones, under names that stay. */
export function fileSystemSeries(fileSystems: readonly FileSystem[]): Record<string, number> {
  const largest = fileSystems
    .filter((fs) => fs.used !== null && typeof fs.total === 'number' && fs.total > 0)
    .sort((a, b) => (b.total as number) - (a.total as number) || compareNames(a.id, b.id))
    .slice(0, FORECAST);
  return Object.fromEntries(
    largest.flatMap((fs) => {
      const name = encodeURIComponent(fs.id);
      return [
        [`fs/${name}/used_bytes`, fs.used as number],
        [`fs/${name}/total_bytes`, fs.total as number],
      ];
    }),
  );
}
