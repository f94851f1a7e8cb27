import { type Collected, type CollectContext, defineCollector, type Input, UnusableInput } from '../../model/collector.ts';
import type { ConditionDraft } from '../../model/condition.ts';
import { subjectId } from '../../model/identity.ts';
import { fromLocal } from '../../model/local-time.ts';
import { oneLine } from '../../model/text.ts';
import { fold } from '../../nodeset.ts';
import { COMMANDS, currentDocuments, type Document, lostCount, readDocuments, ROLES, type Role } from './documents.ts';
import { factsOf } from './facts.ts';
import { type Host, type Hosts, readHosts } from './hosts.ts';
import { isNeverRunning, jobConditions, type JobFrame, type JobLimits, watchedJobs } from './job-conditions.ts';
import { type Jobs, readJobs } from './jobs.ts';
import { kinds } from './kinds.ts';
import { nodeConditions } from './node-conditions.ts';
import { isOffline } from './node-states.ts';
import { Carry, MAX_CARRIED, Options, ruleDuration, ruleNumber } from './options.ts';
import { readQueues, readReservations, readServers, type Server } from './scheduler.ts';
import { queueConditions, serverConditions } from './scheduler-conditions.ts';
import { setText } from './sets.ts';
import { type Digested, seriesOf, summarise } from './summary.ts';
import { Tally } from './tally.ts';

type Context = CollectContext<Options, Carry>;

/** node_fail_requeue of a server that sets none, in seconds (PBS Professional Reference Guide). */
const NODE_FAIL_REQUEUE = 310;

/**
 * PBS Professional and OpenPBS: nodes, jobs, queues, reservations, from what `pbsnodes -a -F json`, `qstat -f -F json`,
 * `qstat -Bf -F json`, `qstat -Qf -F json` and `pbs_rstat -f` print; each alone or together.
 */
export const pbsState = defineCollector<Options, Carry>({
  source: 'pbs_state',
  title: 'PBS: node states, jobs, queues, reservations',
  maxAge: '15m',
  inputs: { shape: 'documents', roles: ROLES },
  options: Options,
  carryVersion: 1,
  carry: Carry,
  kinds,
  collect,
});

async function collect(inputs: readonly Input[], context: Context): Promise<Collected<Carry>> {
  const { config, carry, rules, nodeDomains } = context;
  const tally = new Tally();
  const documents = currentDocuments(await readDocuments(inputs, tally), config.max_lag, tally);
  const of = (role: Role): Document[] => documents.get(role) ?? [];
  const isPushed = inputs.some((input) => input.pushed === true);
  if (!isPushed) tellMissing(documents, carry, tally);

  const hosts = readHosts(of('nodes'), { nodeDomains, imageResource: config.image_resource }, tally);
  const offline = hosts.hosts.filter((h) => isOffline(h.bucket)).map((h) => h.id);
  if (!isPushed && isWhole(of('nodes'))) tellForgotten(carry?.offline ?? [], hosts, tally);
  const jobs = readJobs(of('jobs'), tally);
  const servers = readServers(of('server'), tally);
  const queues = readQueues(of('queues'), config.image_resource, tally);
  const reservations = readReservations(of('reservations'), tally);
  // An idle cluster has no job and a quiet one no reservation; a cluster without nodes, server and queues is none.
  const isUsable = tally.records > 0 || [...of('jobs'), ...of('reservations')].some((d) => d.records.length === 0 && isWhole([d]));
  if (!isUsable) throw unusable(tally);

  const used = ROLES.flatMap(of);
  const asOf = Math.min(...used.flatMap((d) => (d.isTimeItsOwn && d.time !== undefined ? [d.time] : [])));
  const timeOf = (role: Role): number => of(role)[0]?.time ?? (Number.isFinite(asOf) ? asOf : (context.asOf ?? context.now));
  const limits = limitsOf(rules);
  const frame: JobFrame = {
    time: timeOf('jobs'),
    newest: jobs.newest,
    seen: new Map((carry?.watched ?? []).map(([id, state, since]) => [id, { state, since }])),
    byVnode: hosts.byVnode,
    nodeName: (raw) => subjectId('node', raw, nodeDomains),
    limits,
  };
  const requeue = servers.find((s) => s.nodeFailRequeue !== undefined)?.nodeFailRequeue ?? NODE_FAIL_REQUEUE;
  const ofJobs = jobConditions(jobs.jobs, frame);
  const conditions = [
    ...nodeConditions(hosts.hosts, {
      time: timeOf('nodes'),
      requeueAfter: Math.max(60, requeue) * 1000,
      longOffline: ruleDuration(rules, 'node_offline', 'after', '14d'),
      reasonWithin: ruleDuration(rules, 'node_offline', 'reason_within', '15m'),
    }),
    ...ofJobs,
    ...serverConditions(servers),
    ...queueConditions(queues),
  ].map((draft) => ({ ...draft, message: oneLine(draft.message, 600) }));

  const observed =
    of('jobs').length > 0 ? observedJobs({ jobs, servers, documents: of('jobs'), hosts, frame, carry, isPushed }, tally) : null;
  const digested: Digested = {
    documents: used,
    hosts,
    jobs,
    servers,
    queues,
    reservations,
    saw: { nodes: of('nodes').length > 0, jobs: of('jobs').length > 0 },
    time: timeOf('nodes'),
    neverRuns: jobs.jobs.filter((job) => isNeverRunning(job, limits.neverRuns)).length,
    instant: (reading) => fromLocal(reading, context.timezone),
  };
  return {
    summary: summarise(digested),
    conditions,
    coverage: {
      records: tally.records,
      rejected: tally.rejected,
      problems: tally.problems,
      observed: {
        ...(hosts.hosts.length > 0 && { node: fold(hosts.hosts.map((h) => h.id).filter((id) => !hosts.incomplete.has(id))) }),
        ...(observed && { job: observed.all ? 'all' : fold(observed.names) }),
        ...(of('queues').length > 0 && { queue: isWhole(of('queues')) && !isPushed ? 'all' : fold(queues.map((q) => q.name)) }),
        ...(servers.length > 0 && { scheduler: fold(servers.map((s) => s.name)) }),
        ...(reservations.length > 0 && { reservation: fold(reservations.map((r) => r.id)) }),
      },
    },
    ...(Number.isFinite(asOf) && { asOf }),
    // Ages are reckoned from what the documents say of their time.
    ...(Number.isFinite(asOf) && { turns: [] }),
    facts: factsOf(digested),
    series: seriesOf(digested),
    carry: {
      roles: isPushed ? (carry?.roles ?? []) : [...new Set([...(carry?.roles ?? []), ...documents.keys()])].sort(),
      ...jobCarry(jobs, ofJobs, isPushed ? null : observed, frame, carry),
      offline: isPushed || of('nodes').length === 0 ? (carry?.offline ?? []) : offline.slice(0, MAX_CARRIED),
    },
  };
}

function limitsOf(rules: Context['rules']): JobLimits {
  return {
    exiting: ruleDuration(rules, 'job_stuck_exiting', 'after', '15m'),
    starting: ruleDuration(rules, 'job_stuck_starting', 'after', '10m'),
    overrun: ruleDuration(rules, 'job_over_walltime', 'after', '15m'),
    neverRuns: ruleDuration(rules, 'job_never_runs', 'after', '24h'),
    runs: ruleNumber(rules, 'job_hold_failed_starts', 'threshold', 5),
  };
}

function isWhole(documents: readonly Document[]): boolean {
  return documents.every((d) => d.complete && lostCount(d) === 0);
}

function unusable(tally: Tally): UnusableInput {
  const problem = tally.problems.find((p) => p.input !== undefined);
  if (problem === undefined) return new UnusableInput(`no input holds what \`${COMMANDS.nodes}\` or \`${COMMANDS.jobs}\` prints`);
  return new UnusableInput(problem.message, {
    ...(problem.input !== undefined && { input: problem.input }),
    ...(problem.place !== undefined && { place: problem.place }),
  });
}

/** What an earlier run read and this one did not find, or could not use, makes the source partial. */
function tellMissing(documents: ReadonlyMap<Role, Document[]>, carry: Carry | undefined, tally: Tally): void {
  for (const role of ROLES) {
    if (documents.has(role)) continue;
    if (carry?.roles.includes(role))
      tally.lacks(undefined, `no current document of ${role} (\`${COMMANDS[role]}\`), which an earlier run read`);
    else if (role === 'nodes' || role === 'jobs')
      tally.note(undefined, `no document of ${role} (\`${COMMANDS[role]}\`): nothing is said of these`);
  }
}

/** Fewer marks than this are taken away together every day. */
const FEW_MARKS = 3;

/** Says where every mark is gone at once: a server forgets them at its restart (openpbs#2579), which repairs nothing. */
function tellForgotten(before: readonly string[], { hosts }: Hosts, tally: Tally): void {
  const now = new Map(hosts.map((host) => [host.id, host]));
  const listed = before.filter((id) => now.has(id));
  if (listed.length < FEW_MARKS || listed.some((id) => isOffline((now.get(id) as Host).bucket))) return;
  tally.note(
    undefined,
    `all ${listed.length} nodes that were offline are in service at once (${setText(listed, 120)}): a server that restarts can forget the marks (openpbs#2579), and then nothing is repaired`,
  );
}

interface JobView {
  jobs: Jobs;
  servers: readonly Server[];
  documents: readonly Document[];
  hosts: Hosts;
  frame: JobFrame;
  carry: Carry | undefined;
  isPushed: boolean;
}

/** Of which jobs this run can speak. */
interface ObservedJobs {
  /** Of every job that there is, and so also of those that are gone. */
  all: boolean;
  names: ReadonlySet<string>;
}

/**
 * The jobs that this run can speak of: all where every one is accounted for, else those that it holds, and of those that
 * were open the ones that are gone, but for lost records. A job that was on a broken node is not spoken of while one of its
 * nodes is not seen.
 */
function observedJobs({ jobs, servers, documents, hosts, frame, carry, isPushed }: JobView, tally: Tally): ObservedJobs {
  const open = carry?.open ?? [];
  const present = new Map(jobs.jobs.map((job) => [job.id, job]));
  const lost = new Set(documents.flatMap((d) => [...d.lost]));
  const areAccounted =
    !isPushed && documents.every((d) => d.complete && d.nameless === 0) && isListComplete(jobs, lost.size, servers, documents, tally);
  const isSeen = (raw: string): boolean => {
    const host = hosts.byVnode.get(frame.nodeName(raw) ?? '');
    return host !== undefined && !hosts.incomplete.has(host.id);
  };
  const hidden = new Set(
    open
      .filter(([id, kindsOfJob]) => kindsOfJob.includes('job_on_broken_node') && present.get(id)?.nodes.every(isSeen) === false)
      .map(([id]) => id),
  );
  const gone = areAccounted ? open.map(([id]) => id).filter((id) => !present.has(id) && !lost.has(id)) : [];
  return {
    all: areAccounted && lost.size === 0 && hidden.size === 0,
    names: new Set([...present.keys(), ...gone].filter((id) => !hidden.has(id))),
  };
}

/**
 * Whether the job list holds the jobs that the server counts. A build of 2025 prints only the first (openpbs#2672); the two
 * lists are taken seconds apart, so that some difference is no fault. Subjobs are counted by the server and not listed.
 */
function isListComplete({ jobs }: Jobs, lost: number, servers: readonly Server[], documents: readonly Document[], tally: Tally): boolean {
  const counted = servers.flatMap((s) => [...s.jobs.values()]).reduce((sum, n) => sum + Math.max(0, n), 0);
  const listed = jobs.reduce((sum, job) => sum + 1 + job.subjobs, lost);
  if (counted - listed <= 10 + 0.2 * counted) return true;
  tally.lacks(
    documents[0]?.input,
    `lists ${listed} jobs of the ${counted} that the server counts: taken for cut short (openpbs#2672); dump \`${COMMANDS.jobs}\` without job ids`,
  );
  return false;
}

/** What the next run needs to know of jobs; what this run could not speak of stays as it was. */
function jobCarry(
  { jobs }: Jobs,
  drafts: readonly ConditionDraft[],
  observed: ObservedJobs | null,
  frame: JobFrame,
  carry: Carry | undefined,
): Pick<Carry, 'watched' | 'open'> {
  const before = { watched: carry?.watched ?? [], open: carry?.open ?? [] };
  if (observed === null) return before;
  const isSilent = ([id]: readonly [string, ...unknown[]]): boolean => !observed.all && !observed.names.has(id);
  const open = new Map<string, string[]>(before.open.filter(isSilent));
  for (const { subject, kind } of drafts) open.set(subject.id, [...new Set([...(open.get(subject.id) ?? []), kind])]);
  return {
    watched: [...watchedJobs(jobs, frame), ...before.watched.filter(isSilent)].slice(0, MAX_CARRIED),
    open: [...open].slice(0, MAX_CARRIED),
  };
}
