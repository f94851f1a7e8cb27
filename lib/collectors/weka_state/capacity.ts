import type { ConditionDraft } from '../../model/condition.ts';
import type { JsonObject } from '../../model/json.ts';
import { bytesText } from '../../model/text.ts';
import { type Frame, known } from './digest.ts';
import { limited, percentText, roundShare } from './fields.ts';
import { type FileSystem, usedOnSsd } from './filesystems.ts';
import type { Status } from './status.ts';

export interface Capacity {
  totalBytes: number | null;
  usedBytes: number | null;
  /** What the file systems hold, of the usable SSD capacity. */
  usedShare: number | null;
  raidFill: number | null;
}

/**
 * How full the cluster is, by two measures: what its file systems hold, and what Weka says of its RAID. How much is
 * provisioned says nothing: sites give out all of it.
 */
export function capacityOf(status: Status, fileSystems: readonly FileSystem[]): Capacity {
  const totalBytes = limited(status.totalBytes);
  const usedBytes = usedOnSsd(fileSystems);
  const usedShare = usedBytes !== null && totalBytes !== null && totalBytes > 0 ? usedBytes / totalBytes : null;
  return { totalBytes, usedBytes, usedShare, raidFill: status.raidFill };
}

export function capacityConditions(capacity: Capacity, status: Status, frame: Frame): ConditionDraft[] {
  const limits = frame.thresholds.capacityHigh;
  const { usedShare, raidFill, usedBytes, totalBytes } = capacity;
  const judged = status.raidFillSeverity;
  const warned = judged !== null && !['NORMAL', 'INVALID', 'NONE'].includes(judged.toUpperCase());
  const worst = Math.max(usedShare ?? 0, raidFill ?? 0);
  if (worst < limits.warning && !warned) return [];
  const critical = worst >= limits.critical;
  const reasons = [
    usedShare !== null &&
      usedShare >= limits.warning &&
      `file systems hold ${percentText(usedShare * 100)} of it (${bytesText(usedBytes as number)} of ${bytesText(totalBytes as number)})`,
    raidFill !== null && raidFill >= limits.warning && `the RAID is ${percentText(raidFill * 100)} full`,
    warned && `Weka judges the RAID's fill level ${judged}`,
  ].filter((reason) => reason !== false);
  return [
    {
      kind: 'capacity_high',
      subject: frame.cluster,
      ...(critical && { severity: 'critical' as const }),
      message: `Weka cluster ${status.name ?? frame.cluster.id}: SSD capacity is short: ${reasons.join('; ')} (limit ${percentText((critical ? limits.critical : limits.warning) * 100)})`,
      values: {
        used_share: usedShare === null ? null : roundShare(usedShare),
        raid_fill: raidFill,
        fill_severity: judged,
        limit: critical ? limits.critical : limits.warning,
        used_bytes: usedBytes,
        total_bytes: totalBytes,
      },
      evidence: [{ at: '/summary/capacity' }],
    },
  ];
}

/**
 * No spare failure domain to rebuild into. With none configured at all that only hurts once a file system is so full that
 * the loss of one leaves no room: (data − 1)/data of its SSD (Weka's ta-script 890: writes may hang).
 */
export function hotSpareConditions(status: Status, fileSystems: readonly FileSystem[], frame: Frame): ConditionDraft[] {
  const { hotSpare, hotSpareBytes, dataDrives } = status;
  const total = limited(status.totalBytes) ?? 0;
  const used = hotSpare !== null && hotSpare > 0 && hotSpareBytes !== null && hotSpareBytes <= 0 && total > 0;
  const limit = dataDrives !== null && dataDrives > 1 ? (dataDrives - 1) / dataDrives : null;
  const tight = hotSpare === 0 && limit !== null ? fileSystems.filter((fs) => ssdShare(fs) >= limit) : [];
  if (!used && tight.length === 0) return [];
  const fullest = tight.toSorted((a, b) => ssdShare(b) - ssdShare(a))[0];
  const reason = used
    ? `${hotSpare} spare failure domains are configured, but no spare capacity is left`
    : `no spare failure domain is configured, and ${tight.length} file systems are over ${percentText((limit as number) * 100)} of their SSD (${(fullest as FileSystem).id} at ${percentText(ssdShare(fullest as FileSystem) * 100)}): writes may hang when a failure domain is lost`;
  return [
    {
      kind: 'hot_spare_exhausted',
      subject: frame.cluster,
      message: `Weka cluster ${status.name ?? frame.cluster.id}: ${reason}`,
      values: { hot_spare: hotSpare, hot_spare_bytes: hotSpareBytes, file_systems: tight.length, limit },
      evidence: [{ at: '/summary/hotSpare' }],
    },
  ];
}

function ssdShare(fs: FileSystem): number {
  return fs.usedSsd !== null && typeof fs.ssd === 'number' && fs.ssd > 0 ? fs.usedSsd / fs.ssd : 0;
}

export function capacitySummary(capacity: Capacity, status: Status): JsonObject {
  const { totalBytes, usedBytes, usedShare, raidFill } = capacity;
  return known({
    totalBytes,
    usedBytes,
    usedShare: usedShare === null ? null : roundShare(usedShare),
    raidFill,
    unprovisionedBytes: status.unprovisionedBytes,
    unavailableBytes: (status.unavailableBytes ?? 0) > 0 ? status.unavailableBytes : null,
  });
}
