import type { Subject } from '../../model/condition.ts';
import type { NodeFacts } from '../../model/facts.ts';
import type { JsonObject } from '../../model/json.ts';
import { oneLine } from '../../model/text.ts';
import { toIso } from '../../model/time.ts';
import { canonicalXname, placeInOrder, placeOfXname } from '../../model/xname.ts';
import { type Host, maintenanceOf } from './hosts.ts';
import { offlinedBy } from './node-conditions.ts';
import { isOffline } from './node-states.ts';
import type { Queue, Reservation } from './scheduler.ts';
import { namedSet } from './sets.ts';
import { type Digested, isDraining, reservationTimes } from './summary.ts';

/**
 * What PBS knows of each node, in the words of {@link NodeFacts}; beside these `bucket`, `offline` (reason, by whom, since)
 * and `maintenance` (a reservation) for ground truth. Queues and reservations have facts of their own.
 */
export function factsOf({ hosts, queues, reservations, instant }: Digested): { subject: Subject; facts: JsonObject }[] {
  const shared = sharedMoms(hosts.hosts);
  return [
    ...hosts.hosts.map((host) => ({ subject: { type: 'node', id: host.id }, facts: nodeFacts(host, shared) })),
    ...queues.map((queue) => ({ subject: { type: 'queue', id: queue.name }, facts: queueFacts(queue) })),
    ...reservations.map((r) => ({ subject: { type: 'reservation', id: r.id }, facts: reservationFacts(r, instant) })),
  ];
}

/** MoMs that serve several hosts, as on Cray XC: their name is none of the host's. */
function sharedMoms(hosts: readonly Host[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const shared = new Set<string>();
  for (const { mom } of hosts) {
    if (mom === undefined) continue;
    if (seen.has(mom)) shared.add(mom);
    seen.add(mom);
  }
  return shared;
}

function nodeFacts(host: Host, shared: ReadonlySet<string>): JsonObject {
  const by = isOffline(host.bucket) ? offlinedBy(host) : undefined;
  const since = host.since === undefined ? undefined : toIso(host.since);
  const maintenance = maintenanceOf(host);
  const xname = canonicalXname(host.id);
  const place = placeOfXname(host.id);
  const nid = /^nid0*(\d{1,9})$/.exec(host.id)?.[1];
  const alias = host.mom !== undefined && host.mom !== host.id.split('.', 1)[0] && !shared.has(host.mom) ? host.mom : undefined;
  const facts = {} as NodeFacts;
  // Set one by one, and in the order in which they are stored: of twelve thousand hosts all else takes a noticeable time.
  if (alias !== undefined) facts.aliases = [alias];
  if (host.image !== undefined) facts.bootedImage = host.image;
  facts['bucket'] = host.bucket;
  if (host.cpus !== undefined) facts.cpus = host.cpus;
  if (host.gpus !== undefined) facts.gpus = host.gpus;
  if (host.jobs.length > 0) facts['jobIds'] = host.jobs.slice(0, 8);
  facts.jobs = host.jobs.length;
  if (maintenance !== undefined) facts['maintenance'] = maintenance;
  if (host.memoryMb !== undefined) facts.memoryMb = host.memoryMb;
  if (nid !== undefined) facts.nid = Number(nid);
  if (by !== undefined)
    facts['offline'] = {
      by: by?.who ?? null,
      reason: by === null ? null : (host.comment ?? null),
      ...(since !== undefined && { since }),
    };
  if (place !== null) facts.place = placeInOrder(place);
  if (host.queues.length + host.reservations.length > 0) facts.queues = [...host.queues, ...host.reservations].slice(0, 16);
  if (host.comment !== undefined) facts.schedulerReason = host.comment;
  if (since !== undefined) facts.schedulerSince = since;
  facts.schedulerState = oneLine(host.states.join(','), 200);
  if (host.vnodes.length > 1) facts['vnodes'] = host.vnodes.length;
  if (xname !== null) facts.xname = xname;
  return facts;
}

function queueFacts(queue: Queue): JsonObject {
  return {
    type: queue.type ?? null,
    enabled: queue.enabled ?? null,
    started: queue.started ?? null,
    draining: isDraining(queue),
    jobs: Object.fromEntries([...queue.jobs].slice(0, 12)),
    ...(queue.image !== undefined && { image: queue.image }),
  };
}

function reservationFacts(reservation: Reservation, instant: (reading: number) => number): JsonObject {
  return {
    kind: reservation.kind,
    ...(reservation.label !== undefined && { label: oneLine(reservation.label, 60) }),
    ...reservationTimes(reservation, instant),
    ...(reservation.durationMs !== undefined && { durationMs: reservation.durationMs }),
    ...namedSet(reservation.nodes, 4000),
  };
}
