import * as z from 'zod';
import { type CollectContext, type Collected, defineCollector, type Input } from '../../model/collector.ts';
import { type ConditionDraft, subjectKey } from '../../model/condition.ts';
import { compareNames } from '../../model/text.ts';
import { fold } from '../../nodeset.ts';
import { digestAlerts, QUIET_ALERTS } from './alerts.ts';
import { type Capacity, capacityConditions, capacityOf, hotSpareConditions } from './capacity.ts';
import { digestContainers, digestProcesses, digestServers } from './containers.ts';
import type { Frame, Part } from './digest.ts';
import { readSections, type Sections } from './documents.ts';
import { digestDrives } from './drives.ts';
import { digestEvents } from './events.ts';
import { instant } from './fields.ts';
import { digestFileSystems, type FileSystem, fileSystemSeries } from './filesystems.ts';
import { clockConditions, clockTurns, followRebuild, healthConditions, holding, licenceConditions, type Written } from './health.ts';
import { hostFacts } from './hosts.ts';
import { wekaKinds } from './kinds.ts';
import { digestObjectStores, observedBuckets } from './objectstores.ts';
import { Problems } from './problems.ts';
import { ROLES } from './recognise.ts';
import { isConclusive, isProtectionWhole, readLicence, readStatus, type Status } from './status.ts';
import { licenceSummary, statusSummary } from './summary.ts';
import { DAY, readThresholds } from './thresholds.ts';

const Options = z.object({
  /** Types of alerts that are worth knowing and no more, whatever Weka calls them short of critical. */
  quiet_alerts: z.array(z.string()).default([...QUIET_ALERTS]),
});

const Carry = z.object({
  /** How far the rebuild was when it last moved. */
  rebuild: z.object({ mark: z.string().max(1000), movedAt: z.number() }).nullable(),
  /** Sections on which an open condition of the cluster rests: without them it has not been observed. */
  restsOn: z.array(z.enum(['file_systems', 'licence'])),
  /** When a list of object store buckets was last read, ms since the epoch; `now`: by the run that handed this on. */
  bucketsListedAt: z.union([z.number(), z.literal('now')]).nullable(),
});
type Carry = z.infer<typeof Carry>;

const FIRST_SIGHT: Carry = { rebuild: null, restsOn: [], bucketsListedAt: null };

async function collect(inputs: readonly Input[], context: CollectContext<z.infer<typeof Options>, Carry>): Promise<Collected<Carry>> {
  const problems = new Problems();
  const sections = await readSections(inputs, problems);
  const before = context.carry ?? FIRST_SIGHT;
  const status = readStatus(sections.get('status'), problems);
  if (status === null && inputs.some((input) => input.pushed !== true)) {
    problems.input('there is no status of the cluster (weka status -J): its health cannot be told');
  }
  const source = inputs.find((input) => input.name === status?.input);
  const asOf = status?.clusterTime == null ? undefined : Math.min(status.clusterTime, context.now);
  const told = status?.clusterTime ?? instant(source?.mtime) ?? context.asOf ?? Number.POSITIVE_INFINITY;
  // What was fetched is as new as this run; of a pushed body nobody knows how long it was under way.
  const written: Written = instant(source?.mtime) ?? (source && /^https?:/.test(source.name) ? 'now' : null);
  const frame: Frame = {
    cluster: { type: 'cluster', id: context.cluster },
    at: Math.min(told, context.now),
    now: context.now,
    nodeDomains: context.nodeDomains,
    thresholds: readThresholds(context.rules, problems),
    problems,
  };
  const parts = digestSections(sections, status, frame);
  const cluster = digestCluster(sections, status, written, parts.fileSystems.fileSystems, before, frame);
  const alerts = digestAlerts(
    sections.get('alerts'),
    {
      quiet: context.config.quiet_alerts,
      others: [...cluster.conditions, ...Object.values(parts).flatMap((part) => part.conditions)],
      protected: isConclusive(status) ? !cluster.conditions.some((c) => c.kind === 'storage_at_risk') : null,
    },
    frame,
  );
  const events = digestEvents(sections.get('events'), frame);
  const all = [...Object.values(parts), alerts, events];
  const listedAt = before.bucketsListedAt === 'now' ? (context.carriedAt ?? context.now) : before.bucketsListedAt;
  const bucketsExpected = listedAt !== null && context.now - listedAt < DAY;
  const { buckets } = parts;
  return {
    summary: {
      ...cluster.summary,
      ...(sections.has('alerts') && { alerts: alerts.summary }),
      ...(sections.has('drives') && { drives: parts.drives.summary }),
      ...(sections.has('containers') && { containers: parts.containers.summary }),
      ...(sections.has('processes') && { processes: parts.processes.summary }),
      ...(sections.has('servers') && { servers: parts.servers.summary }),
      ...(sections.has('file_systems') && { fileSystems: parts.fileSystems.summary }),
      ...(buckets.told.length > 0 || sections.has('object_stores') ? { objectStores: buckets.summary } : {}),
      ...(sections.has('events') && { events: events.summary }),
    },
    conditions: [...cluster.conditions, ...all.flatMap((part) => part.conditions)].sort(
      (a, b) => compareNames(a.kind, b.kind) || compareNames(subjectKey(a.subject), subjectKey(b.subject)),
    ),
    coverage: {
      records: all.reduce((n, part) => n + part.records, 0) + countDocuments(sections),
      rejected: problems.rejected,
      problems: problems.list(),
      observed: namesSeen({
        cluster: cluster.observed,
        drive: parts.drives.observed,
        container: parts.containers.observed,
        process: parts.processes.observed,
        filesystem: parts.fileSystems.observed,
        object_store: observedBuckets(buckets, parts.fileSystems.observed === 'all', bucketsExpected),
        alert: alerts.observed,
      }),
    },
    ...(asOf !== undefined && { asOf }),
    ...(told <= context.now && written !== 'now' && { turns: [...clockTurns(written), ...(listedAt === null ? [] : [listedAt + DAY])] }),
    facts: [...all.flatMap((part) => part.facts), ...hostFacts(parts.containers.containers, parts.drives.hosts)],
    series: seriesOf(status, cluster.capacity, parts.fileSystems.fileSystems),
    carry: {
      rebuild: cluster.rebuild,
      restsOn: cluster.restsOn,
      bucketsListedAt: buckets.listed ? 'now' : listedAt,
    },
  };
}

function namesSeen(sets: Record<string, string | null>): Record<string, string> {
  return Object.fromEntries(Object.entries(sets).filter((pair): pair is [string, string] => pair[1] !== null && pair[1] !== ''));
}

/** What is said of the cluster as a whole: from its status, and from what its file systems and its licence add to that. */
function digestCluster(
  sections: Sections,
  status: Status | null,
  written: Written,
  fileSystems: readonly FileSystem[],
  before: Carry,
  frame: Frame,
) {
  const licence = status?.licence ?? readLicence(sections.get('licence')?.records[0]?.value);
  const capacity = status === null ? null : capacityOf(status, fileSystems);
  const rebuild = status === null ? { progress: before.rebuild, drafts: [] } : followRebuild(status, frame, before.rebuild);
  const ofStatus =
    status === null || capacity === null
      ? []
      : [
          ...healthConditions(status, frame),
          ...rebuild.drafts,
          ...clockConditions(status, written, frame),
          ...capacityConditions(capacity, status, frame),
          ...hotSpareConditions(status, fileSystems, frame),
        ];
  const conditions = [...ofStatus, ...licenceConditions(licence, frame)];
  const seen =
    isConclusive(status) && before.restsOn.every((role) => (role === 'licence' ? licence !== null : capacity?.usedShare != null));
  return {
    conditions,
    capacity,
    rebuild: rebuild.progress,
    restsOn: seen ? restsOn(conditions, capacity, status, frame) : before.restsOn,
    observed: seen ? fold([frame.cluster.id]) : null,
    summary: {
      ...(status !== null && capacity !== null ? statusSummary(status, capacity, conditions, frame) : { health: 'unknown' }),
      ...(licence !== null && { licence: licenceSummary(licence) }),
    },
  };
}

function digestSections(sections: Sections, status: Status | null, frame: Frame) {
  const fileSystems = digestFileSystems(sections.get('file_systems'), frame);
  return {
    drives: digestDrives(sections.get('drives'), status?.drives ?? null, frame),
    containers: digestContainers(sections.get('containers'), status, frame),
    processes: digestProcesses(sections.get('processes'), status, frame),
    servers: digestServers(sections.get('servers'), frame),
    fileSystems,
    buckets: digestObjectStores(sections.get('object_stores'), fileSystems.fileSystems, frame),
  } satisfies Record<string, Omit<Part, 'observed'>>;
}

function countDocuments(sections: Sections): number {
  return (sections.get('status')?.records.length ?? 0) + (sections.get('licence')?.records.length ?? 0);
}

/** Which sections beside the status made a condition of the cluster. */
function restsOn(conditions: readonly ConditionDraft[], capacity: Capacity | null, status: Status | null, frame: Frame): Carry['restsOn'] {
  const kinds = new Set(conditions.map((c) => c.kind));
  const filled = kinds.has('capacity_high') && (capacity?.usedShare ?? 0) >= frame.thresholds.capacityHigh.warning;
  return [
    ...(filled || kinds.has('hot_spare_exhausted') ? (['file_systems'] as const) : []),
    ...(kinds.has('licence_expiring') && status?.licence === null ? (['licence'] as const) : []),
  ];
}

/** What trends and the capacity forecast are made of: at most 10 of the cluster, and two for each of 18 file systems. */
function seriesOf(status: Status | null, capacity: Capacity | null, fileSystems: readonly FileSystem[]): Record<string, number> {
  const numbers: Record<string, number | null | undefined> = {
    used_share: capacity?.usedShare,
    used_bytes: capacity?.usedBytes,
    total_bytes: capacity?.totalBytes,
    raid_fill: capacity?.raidFill,
    drives_active: status?.drives?.active,
    unprotected_percent:
      status === null || !isProtectionWhole(status) ? null : holding(status.protection).reduce((n, p) => n + p.percent, 0),
    rebuild_percent: status?.rebuildPercent,
    ops: status?.activity['ops'],
    read_bytes_per_second: status?.activity['readBytesPerSecond'],
    written_bytes_per_second: status?.activity['writtenBytesPerSecond'],
  };
  const given = Object.entries(numbers).filter((pair): pair is [string, number] => typeof pair[1] === 'number');
  return { ...Object.fromEntries(given), ...fileSystemSeries(fileSystems) };
}

/**
 * The state of a Weka storage cluster, of releases 3 and 4: from dumps of the CLI (`weka status -J`, `weka alerts -J`, …),
 * from REST (`GET /api/v2/…`, never with `force_fresh`, which makes the cluster work), or from captured JSON-RPC.
 * Health is judged by `io_status`, protection, unavailable data and counters; Weka's own `status` can be `OK` meanwhile.
 */
export const wekaState = defineCollector<z.infer<typeof Options>, Carry>({
  source: 'weka_state',
  title: 'Weka storage: health, protection, drives, containers, capacity and alerts',
  maxAge: '15m',
  inputs: {
    shape: 'documents',
    roles: ROLES,
    endpoints: [
      { role: 'status', path: '/api/v2/cluster' },
      { role: 'alerts', path: '/api/v2/alerts' },
      { role: 'containers', path: '/api/v2/containers' },
      { role: 'drives', path: '/api/v2/drives' },
      { role: 'file_systems', path: '/api/v2/fileSystems' },
      { role: 'processes', path: '/api/v2/processes', optional: true },
      { role: 'servers', path: '/api/v2/servers', optional: true },
      { role: 'object_stores', path: '/api/v2/objectStoreBuckets', optional: true },
      { role: 'object_stores', path: '/api/v2/objectStores/capacities', optional: true },
      { role: 'licence', path: '/api/v2/license', optional: true },
      { role: 'events', path: '/api/v2/events?num_results=500', optional: true },
    ],
    auth: { header: 'Authorization', prefix: 'Bearer ' },
  },
  options: Options,
  carryVersion: 1,
  carry: Carry,
  kinds: wekaKinds,
  collect,
});
