import { COMPUTE } from '../images.ts';
import { type Job, NODE_FAIL_REQUEUE, Workload } from '../jobs.ts';
import type { NodeState, Plan } from '../plan.ts';
import { draw, Random } from '../random.ts';
import { DAY, HOUR } from '../spec.ts';
import { holding, LOOKED_BEFORE, seenBy, type SourceFile, type Tick } from '../tick.ts';
import type { Node } from '../topology.ts';

/*
 * PBS Professional: `pbsnodes -a -F json`, `qstat -x -f -F json`, `qstat -B -f -F json`, `qstat -Q -f -F json`,
 * `pbs_rstat -f`. A node with a job on it names the job; one that is down names its jobs until they are taken back.
 */

const SERVER = 'pbs01.hsn.cm.demo.test';
const VERSION = '2022.1.7.20241004133957';
const workloads = new WeakMap<Plan, Workload>();

/** What the server knows at one moment. */
interface Books {
  tick: Tick;
  now: number;
  jobs: readonly Job[];
  onNode: ReadonlyMap<string, Job>;
}

export function pbsFiles(tick: Tick): SourceFile[] {
  const now = tick.at - LOOKED_BEFORE.pbs;
  const books = booksAt(tick, now);
  return [
    { path: 'pbs/pbsnodes.json', text: document(now, 'nodes', nodes(books)), mtime: now },
    { path: 'pbs/qstat-f.json', text: document(now, 'Jobs', jobs(books)), mtime: now },
    { path: 'pbs/qstat-Bf.json', text: document(now, 'Server', [server(books)]), mtime: now },
    { path: 'pbs/qstat-Qf.json', text: document(now, 'Queue', queues(books)), mtime: now },
    { path: 'pbs/pbs_rstat-f.txt', text: reservations(books), mtime: now },
  ];
}

function booksAt(tick: Tick, now: number): Books {
  const { plan } = tick;
  const workload = workloads.get(plan) ?? new Workload(plan);
  workloads.set(plan, workload);
  const all = workload.at(now);
  const onNode = new Map(all.filter((job) => job.end > now).flatMap((job) => job.nodes.map((node) => [node.name, job] as const)));
  return { tick, now, jobs: all, onNode };
}

/** Jobs that run on a node at the moment when the scheduler is looked at, by their full names: what its loss would hit. */
export function jobOn(tick: Tick, node: Node): { name: string; isLeaving: boolean } | null {
  const { onNode } = booksAt(tick, tick.at - LOOKED_BEFORE.pbs);
  const job = onNode.get(node.name);
  return job === undefined ? null : { name: fullName(job), isLeaving: job.stuckSince !== null };
}

function fullName(job: { id: number }): string {
  return `${job.id}.${SERVER}`;
}

function* document(now: number, member: string, records: Iterable<string>): Iterable<string> {
  yield `{\n    "timestamp":${Math.floor(now / 1000)},\n    "pbs_version":"${VERSION}",\n    "pbs_server":"${SERVER}",\n    "${member}":{`;
  let separator = '\n';
  for (const one of records) {
    yield separator + one;
    separator = ',\n';
  }
  yield '\n    }\n}\n';
}

/** A record as `-F json` prints it. */
function record(name: string, body: unknown): string {
  const text = JSON.stringify({ [name]: body }, null, 4);
  // Members of members of the document: without the outer braces, and eight spaces in.
  return text
    .slice(2, -2)
    .replaceAll(/^/gm, '    ')
    .replaceAll(/^( *"(?:[^"\\]|\\.)*"): /gm, '$1:');
}

/** The states of a node, and since when, as the server keeps them. */
export function statesOf(state: NodeState, job: Job | undefined): { states: string; since: number | null; isDown: boolean } {
  const busy = job === undefined ? [] : ['job-exclusive'];
  const isDown = state.loss !== null || state.momDown;
  const since = isDown ? (state.loss === null ? state.momDownSince : state.lostSince) + 40_000 : (state.offline?.since ?? null);
  const states = [...(isDown ? ['down'] : []), ...(state.offline === null ? [] : ['offline']), ...busy];
  return { states: states.length === 0 ? 'free' : states.join(','), since, isDown };
}

function* nodes({ tick, now, onNode }: Books): Iterable<string> {
  for (const node of tick.plan.topology.nodes) {
    const state = seenBy(tick, 'pbs', node);
    const job = onNode.get(node.name);
    const { states, since, isDown } = statesOf(state, job);
    const changed = Math.min(since ?? job?.start ?? tick.plan.spec.start - DAY, now);
    const comment = state.offline?.comment ?? (isDown && state.offline === null ? 'node down: communication closed' : null);
    const resources = `
                "arch":"linux",
                "host":"${node.name}",
                "hpcm_image":"${state.booted?.image ?? COMPUTE.name}",
                "mem":"527690000kb",
                "ncpus":${node.cores},${node.gpus > 0 ? `\n                "ngpus":${node.gpus},` : ''}
                "vnode":"${node.name}"`;
    yield `        "${node.name}":{
            "Mom":"${node.alias}.hsn.cm.demo.test",
            "Port":15002,
            "pbs_version":"${VERSION}",
            "ntype":"PBS",
            "state":"${states}",
            "pcpus":${node.cores},${job === undefined ? '' : `\n            "jobs":[\n                "${fullName(job)}"\n            ],`}
            "resources_available":{${resources}
            },
            "resources_assigned":{${job === undefined ? '' : `\n                "mem":"0kb",\n                "ncpus":${node.cores}\n            `}},${comment === null ? '' : `\n            "comment":${JSON.stringify(comment)},`}
            "resv_enable":"True",
            "sharing":"force_exclhost",
            "license":"l",
            "last_state_change_time":${Math.floor(changed / 1000)},
            "last_used_time":${Math.floor(changed / 1000) - 600}
        }`;
  }
}

function hms(ms: number): string {
  const s = Math.max(0, Math.floor(ms / 1000));
  const two = (n: number): string => String(n).padStart(2, '0');
  return `${two(Math.floor(s / 3600))}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}`;
}

function* jobs(books: Books): Iterable<string> {
  for (const job of books.jobs) yield running(job, books);
  for (const waiting of waitingJobs(books)) yield waiting;
}

function running(job: Job, { tick, now }: Books): string {
  const ctime = (at: number): string => tick.clock.ctime(at);
  const isOver = job.end <= now;
  const cores = (job.nodes[0] as Node).cores;
  const cpus = cores * job.nodes.length;
  const isStuck = !isOver && job.stuckSince !== null && job.stuckSince <= now;
  const state = isOver ? (job.lost ? 'Q' : 'F') : isStuck ? 'E' : 'R';
  const queued = job.start - 3 * HOUR;
  if (state === 'Q')
    return waitingJob({ ...job, state: 'Q', comment: 'Not Running: Insufficient amount of resource: ncpus', runCount: 1 }, tick, now);
  return record(fullName(job), {
    Job_Name: job.name,
    Job_Owner: `${job.user}@login1.hsn.cm.demo.test`,
    resources_used: {
      cpupercent: 9800,
      cput: hms((Math.min(now, job.end) - job.start) * 90),
      mem: '80443532kb',
      ncpus: cpus,
      vmem: '90543532kb',
      walltime: hms(Math.min(now, job.end) - job.start),
    },
    job_state: state,
    queue: job.queue,
    server: SERVER,
    ctime: ctime(queued),
    Hold_Types: 'n',
    mtime: ctime(isOver ? job.end : isStuck ? (job.stuckSince as number) : job.start),
    Priority: 0,
    qtime: ctime(queued),
    Rerunable: 'True',
    exec_host: job.nodes.map((n) => `${n.name}/0*${cores}`).join('+'),
    exec_vnode: job.nodes.map((n) => `(${n.name}:ncpus=${cores})`).join('+'),
    Resource_List: {
      ncpus: cpus,
      nodect: job.nodes.length,
      place: 'scatter',
      select: `${job.nodes.length}:ncpus=${cores}`,
      walltime: hms(job.walltime),
    },
    stime: ctime(job.start),
    ...(isOver && { Exit_status: job.exitStatus, obittime: ctime(job.end) }),
    substate: isOver ? 92 : isStuck ? 50 : 42,
    Variable_List: { PBS_O_LOGNAME: job.user, PBS_O_HOST: 'login1.hsn.cm.demo.test', PBS_O_WORKDIR: `/scratch/${job.user}` },
    comment: `Job run at ${ctime(job.start)} on (${(job.nodes[0] as Node).name}:ncpus=${cores})${isOver ? ' and finished' : ''}`,
    etime: ctime(queued),
    run_count: 1,
    project: '_pbs_project_default',
  });
}

interface Waiting {
  id: number;
  name: string;
  user: string;
  queue: string;
  state: 'Q' | 'H' | 'B';
  comment?: string;
  runCount?: number;
}

/** What waits on any day: for nodes, for another job, for its owner; an array, and a job that asks for too much. */
function* waitingJobs({ tick, now }: Books): Iterable<string> {
  const { spec } = tick.plan;
  const period = Math.floor((now - spec.start) / HOUR);
  const count = 4 + Math.floor(spec.nodes / 150);
  for (let i = 0; i < count; i++) {
    // Each place in the line has another job every six hours.
    const turn = Math.floor((period + i) / 6) + 1;
    const random = new Random(spec.seed, 'waiting', i, turn);
    const id = 5_000_000 + turn * 1000 + i;
    const base = { id, name: random.pick(['big_run', 'test', 'later', 'sweep']), user: `user${random.int(10, 40)}`, queue: 'prod' };
    const kind = i % 8;
    if (kind === 3) yield waitingJob({ ...base, state: 'H' }, tick, now);
    else if (kind === 5) yield waitingJob({ ...base, state: 'B' }, tick, now);
    else if (kind === 6)
      yield waitingJob(
        { ...base, state: 'Q', comment: 'Can Never Run: Insufficient amount of resource: ngpus (R: 32 A: 16 T: 16)' },
        tick,
        now,
      );
    else
      yield waitingJob(
        {
          ...base,
          state: 'Q',
          comment: `Not Running: Insufficient amount of resource: ncpus (R: 12288 A: 3584 T: 12288)`,
          runCount: random.int(0, 1),
        },
        tick,
        now,
      );
  }
}

function waitingJob({ id, name, user, queue, state, comment, runCount }: Waiting, tick: Tick, now: number): string {
  const queued = now - HOUR - Math.floor(draw(id, 'queued') * 5 * HOUR);
  const at = tick.clock.ctime(queued);
  return record(`${id}${state === 'B' ? '[]' : ''}.${SERVER}`, {
    Job_Name: name,
    Job_Owner: `${user}@login1.hsn.cm.demo.test`,
    job_state: state,
    queue,
    server: SERVER,
    ctime: at,
    Hold_Types: state === 'H' ? 'u' : 'n',
    mtime: at,
    Priority: 0,
    qtime: at,
    Rerunable: 'True',
    Resource_List: { ncpus: 512, nodect: 4, place: 'scatter', select: '4:ncpus=128', walltime: '04:00:00' },
    substate: state === 'H' ? 20 : 10,
    Variable_List: { PBS_O_LOGNAME: user, PBS_O_HOST: 'login1.hsn.cm.demo.test' },
    ...(state === 'B' && { array: 'True', array_indices_submitted: '1-20', array_state_count: 'Queued:20 Running:0 Exiting:0 Expired:0 ' }),
    ...(comment !== undefined && { comment }),
    ...(state !== 'B' && { eligible_time: hms(now - queued) }),
    etime: at,
    ...(runCount !== undefined && runCount > 0 && { run_count: runCount }),
    project: '_pbs_project_default',
  });
}

/** How many jobs are in each state, as the server counts them. */
function stateCount(books: Books, queue?: string): string {
  const counts = { Transit: 0, Queued: 0, Held: 0, Waiting: 0, Running: 0, Exiting: 0, Begun: 0 };
  for (const job of books.jobs) {
    if (queue !== undefined && job.queue !== queue) continue;
    if (job.end > books.now) counts[job.stuckSince === null ? 'Running' : 'Exiting']++;
    else if (job.lost) counts.Queued++;
  }
  if (queue === undefined || queue === 'prod') {
    for (const text of waitingJobs(books)) {
      const state = /"job_state":"(\w)"/.exec(text)?.[1];
      if (state === 'H') counts.Held++;
      else if (state === 'B') counts.Begun++;
      else counts.Queued++;
    }
  }
  return Object.entries(counts)
    .map(([name, n]) => `${name}:${n} `)
    .join('');
}

function assigned(books: Books, queue?: string): { ncpus: number; nodect: number } {
  const own = books.jobs.filter((job) => job.end > books.now && (queue === undefined || job.queue === queue));
  return {
    ncpus: own.reduce((n, job) => n + job.nodes.length * (job.nodes[0] as Node).cores, 0),
    nodect: own.reduce((n, job) => n + job.nodes.length, 0),
  };
}

function server(books: Books): string {
  const count = stateCount(books);
  return record(SERVER, {
    server_state: 'Active',
    server_host: SERVER,
    scheduling: holding(books.tick.plan, books.now).some((f) => f.effects.schedulingPaused) ? 'False' : 'True',
    total_jobs: [...count.matchAll(/:(\d+)/g)].reduce((n, [, digits]) => n + Number(digits), 0),
    state_count: count,
    default_queue: 'prod',
    log_events: 511,
    mailer: '/usr/sbin/sendmail',
    mail_from: 'adm',
    query_other_jobs: 'True',
    resources_default: { ncpus: 1 },
    default_chunk: { ncpus: 1 },
    resources_assigned: { mem: '0kb', ...assigned(books) },
    scheduler_iteration: 600,
    flatuid: 'True',
    resv_enable: 'True',
    node_fail_requeue: NODE_FAIL_REQUEUE,
    max_array_size: 10_000,
    license_count: 'Avail_Global:0 Avail_Local:0 Used:0 High_Use:0',
    pbs_version: VERSION,
    eligible_time_enable: 'True',
    job_history_enable: 'True',
    job_history_duration: '120:00:00',
    max_concurrent_provision: 5,
  });
}

export const QUEUES = ['prod', 'gpu', 'rack', 'debug'] as const;

function* queues(books: Books): Iterable<string> {
  const { tick, now } = books;
  const stopped = new Set(holding(tick.plan, now).flatMap((f) => f.effects.queues ?? []));
  for (const queue of QUEUES) {
    const count = stateCount(books, queue);
    yield record(queue, {
      queue_type: 'Execution',
      Priority: queue === 'debug' ? 50 : 10,
      total_jobs: [...count.matchAll(/:(\d+)/g)].reduce((n, [, digits]) => n + Number(digits), 0),
      state_count: count,
      resources_default: { hpcm_image: COMPUTE.name, walltime: '01:00:00' },
      max_queued: '[u:PBS_GENERIC=100]',
      resources_assigned: assigned(books, queue),
      enabled: 'True',
      started: stopped.has(queue) ? 'False' : 'True',
    });
  }
  yield record('retired', {
    queue_type: 'Execution',
    Priority: 0,
    total_jobs: 0,
    state_count: 'Transit:0 Queued:0 Held:0 Waiting:0 Running:0 Exiting:0 Begun:0 ',
    resources_assigned: { ncpus: 0, nodect: 0 },
    enabled: 'False',
    started: 'False',
  });
}

/** One reservation for firmware work, always of the next day. */
function* reservations({ tick, now }: Books): Iterable<string> {
  const { clock, plan } = tick;
  const day = plan.spec.start + Math.floor((now - plan.spec.start) / DAY) * DAY;
  const [from, until] = [day + DAY + 15 * HOUR, day + DAY + 19 * HOUR];
  const some = plan.topology.nodes.slice(0, 2);
  yield `Resv ID: M77.${SERVER}
Reserve_Name = firmware
Reserve_Owner = operator@admin.hsn.cm.demo.test
reserve_state = RESV_CONFIRMED
reserve_substate = 2
reserve_start = ${clock.ctime(from)}
reserve_end = ${clock.ctime(until)}
reserve_duration = 14400
queue = M77
Resource_List.ncpus = 256
Resource_List.nodect = 2
Resource_List.select = 2:ncpus=128
Resource_List.place = scatter
resv_nodes = ${some.map((n) => `(${n.name}:ncpus=128)`).join('+')}
Authorized_Users = operator@admin.hsn.cm.demo.test
server = ${SERVER}
ctime = ${clock.ctime(day)}
mtime = ${clock.ctime(day)}
Variable_List = PBS_O_LOGNAME=operator,PBS_O_HOST=admin.hsn.cm.demo.test

`;
}
