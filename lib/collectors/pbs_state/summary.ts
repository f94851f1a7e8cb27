import type { JsonObject } from '../../model/json.ts';
import { compareNames, oneLine } from '../../model/text.ts';
import { toIso } from '../../model/time.ts';
import { type Document, lostCount } from './documents.ts';
import type { Host, Hosts } from './hosts.ts';
import { waitReason } from './job-conditions.ts';
import type { Jobs } from './jobs.ts';
import { offlinedBy } from './node-conditions.ts';
import { BUCKETS, type Bucket, isBroken } from './node-states.ts';
import type { Queue, Reservation, Server } from './scheduler.ts';
import { groupBy, namedSet, top } from './sets.ts';

export interface Digested {
  documents: readonly Document[];
  hosts: Hosts;
  jobs: Jobs;
  servers: readonly Server[];
  queues: readonly Queue[];
  reservations: readonly Reservation[];
  /** Whether a node list, a job list was read. */
  saw: { nodes: boolean; jobs: boolean };
  /** The time of the node list, ms. */
  time: number;
  neverRuns: number;
  /** A wall clock reading of the source → ms since the epoch. */
  instant: (reading: number) => number;
}

/** What stands in the summary with its nodes by name: the states that somebody may want to act on. */
const NAMED: readonly Bucket[] = ['down', 'down_offline', 'offline', 'unknown', 'mixed', 'changing', 'asleep', 'reserved'];

/** Totals, node sets by state, who is out of service and why, jobs by state and reason of waiting, queues, reservations. */
export function summarise(digested: Digested): JsonObject {
  const { documents, servers, saw } = digested;
  return {
    documents: documents.map(documentSummary),
    ...(servers.length > 0 && {
      server: servers.slice(0, 2).map((server) => ({
        name: oneLine(server.name, 60),
        ...(server.version !== undefined && { version: oneLine(server.version, 40) }),
        ...(server.state !== undefined && { state: server.state }),
        scheduling: server.scheduling ?? null,
        jobs: Object.fromEntries([...server.jobs].slice(0, 10)),
      })),
    }),
    ...(saw.nodes && { nodes: nodeSummary(digested) }),
    ...(saw.jobs && { jobs: jobSummary(digested) }),
    ...(digested.queues.length > 0 && { queues: queueSummary(digested.queues) }),
    reservations: reservationSummary(digested),
  };
}

function documentSummary(document: Document): JsonObject {
  const { role, time, isTimeItsOwn, records, repairs } = document;
  const lost = lostCount(document);
  return {
    role,
    ...(time !== undefined && { [isTimeItsOwn ? 'time' : 'mtime']: toIso(time) }),
    records: records.length,
    ...(lost > 0 && { lost }),
    ...(repairs.length > 0 && { repairs: Object.fromEntries(repairs.map(({ kind, count }) => [kind, count])) }),
  };
}

function nodeSummary({ hosts: { hosts, vnodes }, time }: Digested): JsonObject {
  const by = groupBy(hosts, (host) => [host.bucket]);
  return {
    total: hosts.length,
    ...(vnodes !== hosts.length && { vnodes }),
    states: Object.fromEntries(BUCKETS.filter((bucket) => by.has(bucket)).map((bucket) => [bucket, (by.get(bucket) ?? []).length])),
    sets: Object.fromEntries(
      NAMED.filter((bucket) => by.has(bucket)).map((bucket) => [
        bucket,
        namedSet(
          (by.get(bucket) ?? []).map((h) => h.id),
          200,
        ),
      ]),
    ),
    outOfService: outOfService(hosts, time),
  };
}

/** Nodes out of service by reason: comments that differ in numbers and names alone are one. */
function outOfService(hosts: readonly Host[], time: number): JsonObject {
  const out = hosts.filter((host) => host.bucket === 'offline' || host.bucket === 'down_offline');
  const by = groupBy(out, (host) => [offlinedBy(host) === null ? '' : fingerprint(host.comment ?? '')]);
  const groups = [...by.values()].sort((a, b) => b.length - a.length || compareNames(a[0]?.id ?? '', b[0]?.id ?? ''));
  return top(groups, 6, (group) => {
    const first = group[0] as Host;
    const since = group.flatMap((h) => h.since ?? []);
    return {
      reason: offlinedBy(first) === null ? null : oneLine(first.comment ?? '', 90),
      ...namedSet(
        group.map((h) => h.id),
        120,
      ),
      ...(since.length > 0 && { oldestDays: Math.max(0, Math.floor((time - Math.min(...since)) / 864e5)) }),
    };
  });
}

/** A comment without xnames, job ids, numbers. */
function fingerprint(comment: string): string {
  return comment
    .replaceAll(/\bx\d+[a-z0-9]*\b/gi, 'X')
    .replaceAll(/\d[\d.:/]*/g, 'N')
    .toLowerCase();
}

function jobSummary({ jobs: { jobs }, neverRuns }: Digested): JsonObject {
  const states = new Map<string, number>();
  const reasons = new Map<string, number>();
  for (const job of jobs) {
    states.set(job.state, (states.get(job.state) ?? 0) + 1);
    const reason = job.state === 'Q' ? waitReason(job.comment) : null;
    if (reason) reasons.set(reason.reason, (reasons.get(reason.reason) ?? 0) + 1);
  }
  return {
    total: jobs.length,
    states: Object.fromEntries([...states].sort(([a], [b]) => (a < b ? -1 : 1))),
    arrays: jobs.filter((job) => job.isParent).length,
    neverRun: neverRuns,
    waiting: top(
      [...reasons].sort(([a, n], [b, m]) => m - n || compareNames(a, b)),
      6,
      ([reason, count]) => ({ reason, count }),
    ),
  };
}

function queueSummary(queues: readonly Queue[]): JsonObject {
  const own = queues.filter((queue) => !queue.isOfReservation);
  const images = groupBy(own, (queue) => (queue.image === undefined ? [] : [queue.image]));
  const count = (queue: Queue): JsonObject => ({
    name: oneLine(queue.name, 40),
    queued: queue.jobs.get('queued') ?? 0,
    running: queue.jobs.get('running') ?? 0,
  });
  return {
    total: own.length,
    ofReservations: queues.length - own.length,
    stopped: top(
      own.filter((q) => q.started === false),
      6,
      count,
    ),
    draining: top(own.filter(isDraining), 6, count),
    ...(images.size > 0 && {
      images: top(
        [...images].sort(([a, x], [b, y]) => y.length - x.length || compareNames(a, b)),
        4,
        ([image, same]) => ({
          image: oneLine(image, 60),
          queues: namedSet(
            same.map((queue) => queue.name),
            80,
          ),
        }),
      ),
    }),
  };
}

/** Takes no new jobs, runs those it has. */
export function isDraining(queue: Queue): boolean {
  return queue.enabled === false && queue.started !== false && !queue.isOfReservation;
}

function reservationSummary({ reservations, hosts, instant }: Digested): JsonObject {
  const kept = groupBy(hosts.hosts, (host) => host.reservations);
  const maintenance = maintenanceIds(reservations, hosts.hosts);
  const known = new Map(reservations.map((r) => [r.id, r]));
  return {
    total: new Set([...known.keys(), ...kept.keys()]).size,
    maintenance: top(maintenance, 4, (id) => {
      const reservation = known.get(id);
      const nodes = kept.get(id)?.map((host) => host.id) ?? reservation?.nodes ?? [];
      return { id: oneLine(id, 40), ...(reservation && reservationTimes(reservation, instant)), ...namedSet(nodes, 160) };
    }),
  };
}

/** Maintenance reservations by id: those of the list, and those that nodes name. */
function maintenanceIds(reservations: readonly Reservation[], hosts: readonly Host[]): string[] {
  const listed = reservations.filter((r) => r.kind === 'maintenance').map((r) => r.id);
  const named = hosts.flatMap((h) => h.reservations.filter((id) => /^M\d/.test(id)));
  return [...new Set([...listed, ...named])].sort(compareNames);
}

export function reservationTimes(reservation: Reservation, instant: (reading: number) => number): JsonObject {
  const at = (ms: number): string => toIso(reservation.areReadings ? instant(ms) : ms);
  return {
    ...(reservation.state !== undefined && { state: reservation.state }),
    ...(reservation.start !== undefined && { start: at(reservation.start) }),
    ...(reservation.end !== undefined && { end: at(reservation.end) }),
    // Without epochs the zone is the site's as configured: PBS prints none.
    ...(reservation.areReadings && reservation.start !== undefined && { zone: 'configured' }),
  };
}

/** Numbers worth a trend. */
export function seriesOf({ hosts: { hosts }, jobs: { jobs }, saw, neverRuns }: Digested): Record<string, number> {
  const inBucket = (...buckets: Bucket[]): number => hosts.filter((h) => buckets.includes(h.bucket)).length;
  const inState = (...states: string[]): number => jobs.filter((job) => states.includes(job.state)).length;
  return {
    ...(saw.nodes && {
      nodes: hosts.length,
      nodes_free: inBucket('free'),
      nodes_busy: inBucket('busy'),
      nodes_down: inBucket('down', 'down_offline'),
      nodes_offline: inBucket('offline', 'down_offline'),
      nodes_reserved: inBucket('reserved'),
      nodes_down_with_jobs: hosts.filter((h) => isBroken(h.bucket) && h.jobs.length > 0).length,
    }),
    ...(saw.jobs && {
      jobs_running: inState('R'),
      jobs_queued: inState('Q'),
      jobs_held: inState('H'),
      jobs_exiting: inState('E'),
      jobs_never_run: neverRuns,
    }),
  };
}
