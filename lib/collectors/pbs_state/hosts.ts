import { subjectId } from '../../model/identity.ts';
import type { Json } from '../../model/json.ts';
import { cleanName, compareNames, oneLine } from '../../model/text.ts';
import { type Document, lose } from './documents.ts';
import { count, epoch, mebibytes, member, text } from './fields.ts';
import { BUCKETS, type Bucket, bucketOf, stateTokens } from './node-states.ts';
import type { Tally } from './tally.ts';

/** One vnode as `pbsnodes -a` lists it. */
interface Vnode {
  name: string;
  /** The host that it is a part of: its name without `[n]`. */
  host: string;
  states: readonly string[];
  bucket: Bucket;
  since: number | undefined;
  comment: string | undefined;
  jobs: readonly string[];
  reservations: readonly string[];
  queue: string | undefined;
  mom: string | undefined;
  cpus: number | undefined;
  memoryMb: number | undefined;
  gpus: number | undefined;
  image: string | undefined;
  /** Stands for the host alone (in_multivnode_host, no CPU): its `free` says nothing of capacity. */
  natural: boolean;
}

/** A host with its vnodes; most have one, of the host's own name. */
export interface Host {
  id: string;
  vnodes: readonly string[];
  /** The worst of its vnodes' buckets. */
  bucket: Bucket;
  /** Every state of the vnodes in that bucket, sorted. */
  states: readonly string[];
  /** Vnodes in that bucket, where not all are. */
  affected: string[] | undefined;
  /** When the first of these last changed its state, in ms; a change of any of its states counts. */
  since: number | undefined;
  comment: string | undefined;
  /** Distinct jobs on it, sorted. */
  jobs: readonly string[];
  /** Ids of reservations without server: `R90011`, `M12`. */
  reservations: readonly string[];
  queues: readonly string[];
  mom: string | undefined;
  cpus: number | undefined;
  memoryMb: number | undefined;
  gpus: number | undefined;
  image: string | undefined;
}

/** The maintenance reservation that a host belongs to, now or later. */
export function maintenanceOf({ reservations }: Host): string | undefined {
  return reservations.find((id) => /^M\d/.test(id));
}

export interface Hosts {
  hosts: Host[];
  byVnode: ReadonlyMap<string, Host>;
  vnodes: number;
  /** Hosts of which a vnode's record was lost: how they are is not known. */
  incomplete: ReadonlySet<string>;
}

interface HostOptions {
  nodeDomains: readonly string[];
  imageResource: string;
}

/** Reads printed states; those of a fleet are of a few kinds, and each is taken apart once. */
function stateReader(): (printed: string) => readonly string[] {
  const known = new Map<string, readonly string[]>();
  return (printed) => {
    let states = known.get(printed);
    if (states === undefined) {
      states = stateTokens(printed);
      if (known.size < 1000) known.set(printed, states);
    }
    return states;
  };
}

type StateReader = ReturnType<typeof stateReader>;

/** Reads the vnodes of `pbsnodes -a -F json` and puts those of one host together. */
export function readHosts(documents: readonly Document[], options: HostOptions, tally: Tally): Hosts {
  const statesOf = stateReader();
  const byHost = new Map<string, Map<string, Vnode>>();
  for (const document of documents) {
    let summaries = 0;
    for (const [key, value] of document.records) {
      if (member(value, 'State') !== undefined && member(value, 'state') === undefined) {
        summaries++;
        lose(document, key);
        continue;
      }
      const vnode = readVnode(key, value, document, options, statesOf, tally);
      if (vnode === null) {
        lose(document, key);
        continue;
      }
      tally.records++;
      const vnodes = byHost.get(vnode.host) ?? new Map<string, Vnode>();
      if (vnodes.has(vnode.name))
        tally.note(document.input, 'a node is listed under two spellings of its name; the last counts', pointer(key));
      vnodes.set(vnode.name, vnode);
      byHost.set(vnode.host, vnodes);
    }
    if (summaries === 0) continue;
    tally.rejectMore(summaries);
    tally.lacks(
      document.input,
      `${summaries} nodes as \`pbsnodes -S\` prints them, with job ids and counts that PBS gets wrong (openpbs#1333); dump \`pbsnodes -a -F json\``,
    );
  }
  const hosts = [...byHost].map(([id, vnodes]) => hostOf(id, [...vnodes.values()])).sort((a, b) => compareNames(a.id, b.id));
  const byVnode = new Map<string, Host>();
  for (const host of hosts) {
    for (const name of host.vnodes) byVnode.set(name, host);
    byVnode.set(host.id, host);
  }
  const lost = documents.flatMap((d) => [...d.lost]).flatMap((key) => subjectId('node', key, options.nodeDomains) ?? []);
  return {
    hosts,
    byVnode,
    vnodes: [...byHost.values()].reduce((n, vnodes) => n + vnodes.size, 0),
    incomplete: new Set(lost.map(hostName)),
  };
}

/** `node7[1]` is a part of `node7`. */
function hostName(vnode: string): string {
  return /^(.+)\[\d{1,6}\]$/.exec(vnode)?.[1] ?? vnode;
}

function pointer(key: string): string {
  return `/nodes/${oneLine(key, 200)}`;
}

function readVnode(key: string, value: Json, { input }: Document, options: HostOptions, statesOf: StateReader, tally: Tally): Vnode | null {
  const name = subjectId('node', key, options.nodeDomains);
  const printed = member(value, 'state');
  if (name === null || typeof printed !== 'string' || printed.trim() === '') {
    tally.reject(input, pointer(key), name === null ? 'its name is none' : 'has no state');
    return null;
  }
  const states = statesOf(printed);
  const available = member(value, 'resources_available');
  const cpus = count(member(available, 'ncpus'));
  const jobs = member(value, 'jobs');
  const resv = text(member(value, 'resv'));
  const comment = text(member(value, 'comment'));
  return {
    name,
    host: hostName(name),
    states,
    bucket: bucketOf(states),
    since: epoch(member(value, 'last_state_change_time')),
    comment: comment === undefined ? undefined : oneLine(comment, 200),
    jobs: Array.isArray(jobs) ? jobs.flatMap((job) => cleanName(text(job)?.replace(/\/\d+$/, '')) ?? []) : NONE,
    reservations: resv === undefined ? NONE : resv.split(',').flatMap((id) => cleanName(id.split('.', 1)[0]) ?? []),
    queue: cleanName(text(member(value, 'queue'))) ?? undefined,
    mom: momName(text(member(value, 'Mom')), options.nodeDomains),
    cpus: cpus ?? count(member(value, 'pcpus')),
    memoryMb: mebibytes(member(available, 'mem')),
    gpus: count(member(available, 'ngpus')),
    image: cleanName(text(member(available, options.imageResource))) ?? undefined,
    natural: member(value, 'in_multivnode_host') !== undefined && (cpus ?? 0) === 0,
  };
}

/** The host that runs the vnode's MoM, without domain; undefined where it names several, or an address. */
function momName(printed: string | undefined, nodeDomains: readonly string[]): string | undefined {
  const name = subjectId('node', printed, nodeDomains);
  if (name === null || /[,<>:\s]|^[\d.]+$/.test(name)) return undefined;
  return name.split('.', 1)[0];
}

const NONE: readonly string[] = [];

function hostOf(id: string, listed: readonly Vnode[]): Host {
  if (listed.length === 1) return soleHost(id, listed[0] as Vnode);
  const all = listed.toSorted((a, b) => compareNames(a.name, b.name));
  // Where a host has parts of its own, the vnode that stands for the host counts only when something is wrong with it.
  const parts = all.filter((v) => !(v.natural && v.bucket === 'free' && all.length > 1));
  const vnodes = parts.length > 0 ? parts : all;
  const bucket = BUCKETS.find((b) => vnodes.some((v) => v.bucket === b)) ?? 'free';
  const worst = vnodes.filter((v) => v.bucket === bucket);
  const sum = (of: (v: Vnode) => number | undefined): number | undefined =>
    all.some((v) => of(v) !== undefined) ? all.reduce((n, v) => n + (of(v) ?? 0), 0) : undefined;
  const distinct = (of: (v: Vnode) => readonly string[]): readonly string[] => inOrder(all.flatMap(of));
  const since = worst.flatMap((v) => v.since ?? []);
  return {
    id,
    vnodes: all.map((v) => v.name),
    bucket,
    states: [...new Set(worst.flatMap((v) => v.states))].sort(),
    affected: worst.length < vnodes.length ? worst.map((v) => v.name) : undefined,
    since: since.length > 0 ? Math.min(...since) : undefined,
    comment: worst.find((v) => v.comment !== undefined)?.comment,
    jobs: distinct((v) => v.jobs),
    reservations: distinct((v) => v.reservations),
    queues: distinct((v) => (v.queue === undefined ? [] : [v.queue])),
    mom: all.find((v) => v.mom !== undefined)?.mom,
    cpus: sum((v) => v.cpus),
    memoryMb: sum((v) => v.memoryMb),
    gpus: sum((v) => v.gpus),
    image: all.find((v) => v.image !== undefined)?.image,
  };
}

/** As {@link hostOf} of one vnode: nearly all hosts have no more. */
function soleHost(id: string, vnode: Vnode): Host {
  const { name, bucket, states, since, comment, jobs, reservations, queue, mom, cpus, memoryMb, gpus, image } = vnode;
  return {
    id,
    vnodes: [name],
    bucket,
    states,
    affected: undefined,
    since,
    comment,
    jobs: inOrder(jobs),
    reservations: inOrder(reservations),
    queues: queue === undefined ? NONE : [queue],
    mom,
    cpus,
    memoryMb,
    gpus,
    image,
  };
}

/** Names once each, sorted. */
function inOrder(names: readonly string[]): readonly string[] {
  return names.length < 2 ? names : [...new Set(names)].sort(compareNames);
}
