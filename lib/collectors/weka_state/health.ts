import type { ConditionDraft } from '../../model/condition.ts';
import { formatDuration, toIso } from '../../model/time.ts';
import { bytesText } from '../../model/text.ts';
import type { Frame } from './digest.ts';
import { percentText, type Ratio } from './fields.ts';
import { isConclusive, isProtectionWhole, type Licence, type Protection, type Status } from './status.ts';
import { DAY, MINUTE } from './thresholds.ts';

export const HEALTH = ['ok', 'degraded', 'at_risk', 'unavailable', 'stopped', 'unknown'] as const;

// The states that Weka's own operator lets disruptive work go on in (weka/weka-operator, cluster_health.go).
const GOOD = new Set(['OK', 'REDISTRIBUTING']);

/** Entries of the protection state that some data are in. */
export function holding(protection: readonly Protection[] | null): Protection[] {
  return (protection ?? []).filter((p) => p.failures > 0 && (p.percent > 0 || p.mib > 0));
}

/** How many failures the data survive; where no field says it, the protection state has an entry for each of them. */
export function tolerated(status: Status): number | null {
  if (status.protectionDrives !== null && status.protectionDrives > 0) return status.protectionDrives;
  const last = isProtectionWhole(status) ? (status.protection?.at(-1)?.failures ?? 0) : 0;
  return last > 0 ? last : null;
}

/**
 * The conditions that the status alone tells. They hide nothing behind each other: a cluster that stops while data were
 * unavailable still has unavailable data, and saying only the worse would look like the other one's end.
 */
export function healthConditions(status: Status, frame: Frame): ConditionDraft[] {
  const base = { subject: frame.cluster };
  const who = `Weka cluster ${status.name ?? frame.cluster.id}`;
  const drafts: ConditionDraft[] = [];
  if (status.ioStatus !== null && status.ioStatus !== 'STARTED') {
    const failure = status.initFailure === null ? '' : `; last start failed: ${status.initFailure}`;
    drafts.push({
      ...base,
      kind: 'storage_stopped',
      message: `${who}: IO is ${status.ioStatus}, no client can read or write${failure}`,
      values: { io_status: status.ioStatus, status: status.status, init_failure: status.initFailure },
      ...(status.ioSince !== null && { since: toIso(status.ioSince) }),
      evidence: [{ at: '/summary/io' }],
    });
  }
  const noBuckets = status.buckets !== null && status.buckets.total > 0 && status.buckets.active === 0;
  if (status.unavailablePercent > 0 || status.unavailableMib > 0 || noBuckets) {
    const size = status.unavailableMib > 0 ? ` (${bytesText(status.unavailableMib * 2 ** 20)})` : '';
    const lost =
      status.unavailablePercent > 0 || status.unavailableMib > 0
        ? `${percentText(status.unavailablePercent)} of the data${size} cannot be read`
        : null;
    const idle = noBuckets ? `none of ${status.buckets?.total} buckets is active` : null;
    drafts.push({
      ...base,
      kind: 'storage_unavailable',
      message: `${who}: ${[lost, idle].filter((t) => t !== null).join('; ')}`,
      values: {
        unavailable_percent: status.unavailablePercent,
        unavailable_mib: status.unavailableMib,
        buckets_active: status.buckets?.active ?? null,
      },
      evidence: [{ at: '/summary/protection' }],
    });
  }
  const limit = tolerated(status);
  const exhausted = holding(status.protection).filter((p) => limit !== null && p.failures >= limit);
  if (limit !== null && exhausted.length > 0) {
    const percent = exhausted.reduce((n, p) => n + p.percent, 0);
    const mib = exhausted.reduce((n, p) => n + p.mib, 0);
    drafts.push({
      ...base,
      kind: 'storage_at_risk',
      message: `${who}: ${percentText(percent)} of the data${mib > 0 ? ` (${bytesText(mib * 2 ** 20)})` : ''} has no redundancy left, ${limit} of ${limit} tolerated failures used; one more loses data`,
      values: { percent, mib, tolerated_failures: limit, rebuild_percent: status.rebuildPercent },
      evidence: [{ at: '/summary/protection' }],
    });
  }
  const reasons = degradedReasons(status, frame);
  if (reasons.length > 0) {
    drafts.push({
      ...base,
      kind: 'storage_degraded',
      message: `${who} is degraded: ${reasons.join('; ')}`,
      values: degradedValues(status),
      evidence: [{ at: '/summary/reasons' }, { at: '/summary/counters' }],
    });
  }
  return drafts;
}

/** What falls short of full health, in words; empty where nothing does. */
export function degradedReasons(status: Status, frame: Frame): string[] {
  const limit = tolerated(status);
  const of = limit === null ? '' : ` of ${limit} tolerated`;
  const short = (name: string, counter: Ratio | null): string | false =>
    counter !== null && counter.active < counter.total && `${counter.active} of ${counter.total} ${name} active`;
  const { failureDomains: domains, unprovisionedBytes: spare } = status;
  const hanging = status.hangingSince !== null && frame.at - status.hangingSince < DAY;
  return [
    ...holding(status.protection).map((p) => `${percentText(p.percent)} of the data has ${p.failures}${of} failures`),
    short('drives', status.drives),
    short('IO processes', status.ioNodes),
    short('buckets', status.buckets),
    short('backend containers', status.backends),
    domains !== null && domains.enough === false && `${domains.active} failure domains active, a rebuild needs ${domains.required}`,
    status.blacklisted !== null && status.blacklisted > 0 && `${status.blacklisted} processes blacklisted`,
    status.unavailableBytes !== null && status.unavailableBytes > 0 && `${bytesText(status.unavailableBytes)} of the capacity unavailable`,
    spare !== null && spare < 0 && `${bytesText(-spare)} more provisioned than there is`,
    hanging && `requests hang since ${toIso(status.hangingSince as number)}`,
    status.status !== null && !GOOD.has(status.status) && `Weka calls itself ${status.status}`,
  ].filter((reason) => reason !== false);
}

function degradedValues(status: Status): NonNullable<ConditionDraft['values']> {
  const counters = { drives: status.drives, io_processes: status.ioNodes, buckets: status.buckets, backends: status.backends };
  const numbers = Object.entries(counters).flatMap(([name, counter]) =>
    counter === null || counter.active >= counter.total
      ? []
      : ([
          [`${name}_active`, counter.active],
          [`${name}_total`, counter.total],
        ] as const),
  );
  const failures = holding(status.protection).map((p) => [`percent_with_${p.failures}_failures`, p.percent] as const);
  return Object.fromEntries([...failures, ...numbers, ['status', status.status], ['rebuild_percent', status.rebuildPercent]]);
}

/** The one word for the summary. */
export function healthOf(status: Status | null, conditions: readonly ConditionDraft[]): (typeof HEALTH)[number] {
  const has = (kind: string): boolean => conditions.some((c) => c.kind === kind);
  if (has('storage_stopped')) return 'stopped';
  if (has('storage_unavailable')) return 'unavailable';
  if (has('storage_at_risk')) return 'at_risk';
  if (has('storage_degraded')) return 'degraded';
  return isConclusive(status) ? 'ok' : 'unknown';
}

/** How far a rebuild was when it was last seen to move. */
export interface RebuildProgress {
  mark: string;
  /** ms since the epoch, by the cluster's clock. */
  movedAt: number;
}

/**
 * Follows a rebuild from run to run. Time counts by the data's own clock, so that the same dump read twice is no stall.
 * @returns the progress to hand on; null when there is nothing to rebuild
 */
export function followRebuild(
  status: Status,
  frame: Frame,
  before: RebuildProgress | null,
): { progress: RebuildProgress | null; drafts: ConditionDraft[] } {
  const waiting = holding(status.protection);
  if (waiting.length === 0) return { progress: isProtectionWhole(status) ? null : before, drafts: [] };
  const mark = JSON.stringify([status.rebuildPercent ?? waiting.map((p) => p.percent), status.copiesDoneMib]);
  const still = before !== null && before.mark === mark && before.movedAt <= frame.at;
  const progress = still ? before : { mark, movedAt: frame.at };
  const stood = frame.at - progress.movedAt;
  const cannot = status.failureDomains?.enough === false;
  if (!cannot && stood < frame.thresholds.rebuildStalled) return { progress, drafts: [] };
  const share = waiting.reduce((n, p) => n + p.percent, 0);
  const cause = cannot
    ? `only ${status.failureDomains?.active} failure domains are active, it needs ${status.failureDomains?.required}`
    : `no progress for ${formatDuration(stood)} (limit ${formatDuration(frame.thresholds.rebuildStalled)})`;
  const draft: ConditionDraft = {
    kind: 'rebuild_stalled',
    subject: frame.cluster,
    message: `Weka cluster ${status.name ?? frame.cluster.id}: the rebuild stands at ${percentText(status.rebuildPercent ?? 0)} with ${percentText(share)} of the data not fully protected; ${cause}`,
    values: {
      rebuild_percent: status.rebuildPercent,
      unprotected_percent: share,
      stood_ms: stood,
      limit_ms: frame.thresholds.rebuildStalled,
    },
    since: toIso(progress.movedAt),
    evidence: [{ at: '/summary/protection' }],
  };
  return { progress, drafts: [draft] };
}

/** A licence that ends soon, has ended, or that Weka finds fault with. Times count from the data's own. */
export function licenceConditions(licence: Licence | null, frame: Frame): ConditionDraft[] {
  if (licence === null) return [];
  const { expiresAt } = licence;
  const left = expiresAt === null ? null : expiresAt - frame.at;
  const { warning, critical } = frame.thresholds.licence;
  const reasons = [
    left !== null && left <= 0 && `expired ${formatDuration(-left)} ago`,
    left !== null && left > 0 && left <= warning && `expires in ${formatDuration(left)}, on ${toIso(expiresAt as number).slice(0, 10)}`,
    licence.error !== null && `Weka reports: ${licence.error}`,
    licence.mayStartIo === false && 'IO could not be started again with it',
  ].filter((reason) => reason !== false);
  if (reasons.length === 0) return [];
  return [
    {
      kind: 'licence_expiring',
      subject: frame.cluster,
      ...(left !== null && left <= critical && { severity: 'critical' as const }),
      message: `Weka licence (${licence.mode ?? 'mode unknown'}): ${reasons.join('; ')}`,
      values: {
        mode: licence.mode,
        expires_at: expiresAt === null ? null : toIso(expiresAt),
        days_left: left === null ? null : Math.floor(left / DAY),
        error: licence.error,
      },
      evidence: [{ at: '/summary/licence' }],
    },
  ];
}

// A dump is written some time after the cluster was asked, so that being a little behind its own file proves nothing.
const WRITING_TIME = 5 * MINUTE;
/** A file that was written longer ago than this says how old its data are, not how its writer's clock goes. */
const RECENT_FILE = 15 * MINUTE;

/** When a status was written: `now` for what was just fetched, null where nobody knows. */
export type Written = number | 'now' | null;

/** The instants at which the clock alone changes what is told of the cluster's own. */
export function clockTurns(written: Written): number[] {
  return typeof written === 'number' ? [written, written + RECENT_FILE + 1] : [];
}

/**
 * The cluster's clock against ours. Ahead of us no data can be. Behind is age, unless the data are known to be new: just
 * fetched, or in a file that was just written.
 */
export function clockConditions(status: Status, written: Written, frame: Frame): ConditionDraft[] {
  if (status.clusterTime === null) return [];
  const allowed = frame.thresholds.clockSkew ?? status.allowedSkew ?? MINUTE;
  const ahead = status.clusterTime - frame.now;
  const recent = typeof written === 'number' && written <= frame.now && frame.now - written <= RECENT_FILE;
  const reference = written === 'now' ? frame.now : recent ? written - WRITING_TIME : null;
  const behind = reference === null ? 0 : reference - status.clusterTime;
  const by = ahead > allowed ? ahead : behind > allowed ? behind : null;
  if (by === null) return [];
  const side = ahead > allowed ? 'ahead of' : 'behind';
  return [
    {
      kind: 'clock_skew',
      subject: frame.cluster,
      message: `the clock of Weka cluster ${status.name ?? frame.cluster.id} is ${formatDuration(by)} ${side} the observer's; the cluster allows ${formatDuration(allowed)}`,
      values: { skew_ms: side === 'behind' ? -by : by, allowed_ms: allowed, cluster_time: toIso(status.clusterTime) },
    },
  ];
}
