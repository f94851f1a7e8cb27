import type { Json } from '../../model/json.ts';
import { cleanName, compareNames, oneLine } from '../../model/text.ts';
import { type Document, lose, type Role } from './documents.ts';
import { chunkNames, count, duration, epoch, flag, member, membersOf, number, reading, stateCounts, text } from './fields.ts';
import type { Tally } from './tally.ts';

export interface Server {
  name: string;
  state: string | undefined;
  scheduling: boolean | undefined;
  version: string | undefined;
  /** Jobs by state, in lower case: `queued`, `running`, … */
  jobs: ReadonlyMap<string, number>;
  /** Seconds after which the server takes the jobs from a node that is down. */
  nodeFailRequeue: number | undefined;
  negative: [string, number][];
}

export interface Queue {
  name: string;
  type: string | undefined;
  enabled: boolean | undefined;
  started: boolean | undefined;
  jobs: ReadonlyMap<string, number>;
  /** The image that its nodes should run, by the site's resource. */
  image: string | undefined;
  /** Made for a reservation: stopped until that begins. */
  isOfReservation: boolean;
  negative: [string, number][];
}

export interface Reservation {
  /** Without server: `R90011`, `M12`. */
  id: string;
  kind: 'advance' | 'standing' | 'maintenance' | 'other';
  label: string | undefined;
  /** `RESV_RUNNING`, `RESV_CONFIRMED`, … */
  state: string | undefined;
  /** Epoch milliseconds where PBS gave epochs; wall clock readings without zone otherwise. */
  start: number | undefined;
  end: number | undefined;
  areReadings: boolean;
  durationMs: number | undefined;
  nodes: string[];
}

/** Every named record of the documents; what has no usable name is rejected. */
function named(role: Role, documents: readonly Document[], section: string, tally: Tally): [string, Json][] {
  const records: [string, Json][] = [];
  for (const document of documents) {
    for (const [key, value] of document.records) {
      const name = cleanName(key);
      if (name === null || membersOf(value).length === 0) {
        tally.reject(
          document.input,
          `/${section}/${oneLine(key, 200)}`,
          name === null ? 'its name is none' : `has nothing that a record of ${role} has`,
        );
        lose(document, key);
        continue;
      }
      tally.records++;
      records.push([name, value]);
    }
  }
  return records.sort(([a], [b]) => compareNames(a, b));
}

/** `qstat -Bf -F json` */
export function readServers(documents: readonly Document[], tally: Tally): Server[] {
  return named('server', documents, 'Server', tally).map(([name, value]) => ({
    name,
    state: word(member(value, 'server_state')),
    scheduling: flag(member(value, 'scheduling')),
    version: word(member(value, 'pbs_version')),
    jobs: stateCounts(member(value, 'state_count')),
    nodeFailRequeue: count(member(value, 'node_fail_requeue')),
    negative: negatives(value),
  }));
}

/** `qstat -Qf -F json` */
export function readQueues(documents: readonly Document[], imageResource: string, tally: Tally): Queue[] {
  return named('queues', documents, 'Queue', tally).map(([name, value]) => ({
    name,
    type: word(member(value, 'queue_type')),
    enabled: flag(member(value, 'enabled')),
    started: flag(member(value, 'started')),
    jobs: stateCounts(member(value, 'state_count')),
    image: word(member(member(value, 'resources_default'), imageResource)),
    isOfReservation: /^[RSM]\d+$/.test(name),
    negative: negatives(value),
  }));
}

/** `pbs_rstat -f`, also as JSON where a site has it. */
export function readReservations(documents: readonly Document[], tally: Tally): Reservation[] {
  return named('reservations', documents, 'reservations', tally).map(([name, value]) => {
    const start = member(value, 'reserve_start');
    const end = member(value, 'reserve_end');
    const id = name.split('.', 1)[0] as string;
    return {
      id,
      kind: id.startsWith('M') ? 'maintenance' : id.startsWith('R') ? 'advance' : id.startsWith('S') ? 'standing' : 'other',
      label: word(member(value, 'Reserve_Name')),
      state: word(member(value, 'reserve_state')),
      start: epoch(start) ?? reading(start),
      end: epoch(end) ?? reading(end),
      areReadings: epoch(start) === undefined,
      durationMs: duration(member(value, 'reserve_duration')),
      nodes: chunkNames(member(value, 'resv_nodes')),
    };
  });
}

function word(value: Json | undefined): string | undefined {
  const printed = text(value);
  return printed === undefined ? undefined : oneLine(printed, 80);
}

/** Counters that are below zero, as after a restart in 2022.1: what is assigned, and jobs by state. */
function negatives(value: Json): [string, number][] {
  const assigned = membersOf(member(value, 'resources_assigned')).flatMap(([name, v]): [string, number][] => {
    const n = number(typeof v === 'string' ? v.replace(/[kmgtp]?[bw]$/i, '') : v);
    return n !== undefined && n < 0 ? [[oneLine(name, 40), n]] : [];
  });
  const states = [...stateCounts(member(value, 'state_count'))].filter(([, n]) => n < 0);
  return [...assigned, ...states].sort(([a], [b]) => compareNames(a, b));
}
