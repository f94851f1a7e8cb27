import { drainOf, isKnownDown } from './background.ts';
import type { Plan } from './plan.ts';
import { Random } from './random.ts';
import { DAY, HOUR } from './spec.ts';
import type { Node } from './topology.ts';

/** A job that has nodes. */
export interface Job {
  /** Its number: what stands before the first dot of its id. */
  id: number;
  name: string;
  user: string;
  queue: 'prod' | 'gpu' | 'rack';
  nodes: readonly Node[];
  start: number;
  /** When it ends, or ended. */
  end: number;
  walltime: number;
  /** It ended because a node went down, after the scheduler had waited for it in vain. */
  lost: boolean;
  /** Since when it has ended and does not leave its nodes; null = it is not stuck. */
  stuckSince: number | null;
  exitStatus: number;
}

/** Nodes that take one job after the other, as if the scheduler always cut the machine alike. */
interface Lane {
  queue: Job['queue'];
  nodes: readonly Node[];
  random: number;
}

/** What a scheduler waits for a node that is down before it takes the job back: `node_fail_requeue`, seconds. */
export const NODE_FAIL_REQUEUE = 310;

const SIZES = [1, 1, 1, 2, 2, 4, 4, 8, 8, 16, 32, 64, 128, 256];
const NAMES = ['md_prod', 'cfd_les', 'qcd', 'train', 'post', 'sweep', 'wrf', 'hydro', 'dft', 'align'];

/** The work of a cluster: every node belongs to one lane, and a lane runs one job at a time. */
export class Workload {
  readonly #plan: Plan;
  readonly #lanes: Lane[];

  constructor(plan: Plan) {
    this.#plan = plan;
    const queues = new Map<Job['queue'], Node[]>([
      ['prod', []],
      ['gpu', []],
      ['rack', []],
    ]);
    for (const node of plan.topology.nodes) {
      if (!isKnownDown(node)) queues.get(node.cooling === 'air' ? 'rack' : node.gpus > 0 ? 'gpu' : 'prod')?.push(node);
    }
    this.#lanes = [...queues].flatMap(([queue, nodes]) => lanesOf(queue, nodes));
  }

  /** The jobs that have nodes at a moment, and those that ended in the hour before. */
  at(moment: number): Job[] {
    return this.#lanes.flatMap((lane, i) => this.#jobsOf(lane, i, moment));
  }

  #jobsOf(lane: Lane, index: number, moment: number): Job[] {
    const jobs: Job[] = [];
    const random = new Random(lane.random);
    let at = this.#plan.spec.start - DAY - random.int(0, 4 * HOUR);
    for (let n = 0; at <= moment; n++) {
      const start = this.#whenFree(lane, at);
      if (start > moment) break;
      const walltime = random.pick([2, 4, 6, 8, 12, 24]) * HOUR;
      const planned = start + Math.floor(walltime * (0.3 + 0.6 * random.next()));
      const lost = this.#firstLoss(lane, start, planned);
      const stuck = this.#stuckIn(lane, start, planned);
      const end = stuck?.until ?? (lost === null ? planned : Math.min(planned, lost + NODE_FAIL_REQUEUE * 1000));
      const name = random.pick(NAMES);
      const user = `user${String(random.int(1, 40)).padStart(2, '0')}`;
      const failed = random.next() < 0.08;
      if (end > moment - HOUR) {
        const exitStatus = failed ? random.pick([1, 2, 137, 271]) : 0;
        // Numbers of a lane's jobs are spread so that no two lanes ever meet.
        const id = 40_000 + n * 50_000 + index;
        jobs.push({
          id,
          name,
          user,
          queue: lane.queue,
          nodes: lane.nodes,
          start,
          end,
          walltime,
          lost: stuck === null && lost !== null && end < planned,
          stuckSince: stuck !== null && stuck.from <= moment ? stuck.from : null,
          exitStatus,
        });
      }
      at = end + random.int(60_000, 900_000);
    }
    return jobs;
  }

  /** When every node of the lane takes work, from a moment on. */
  #whenFree(lane: Lane, from: number): number {
    let at = from;
    for (let moved = true; moved; ) {
      moved = false;
      for (const node of lane.nodes) {
        const drain = drainOf(node, at, this.#plan.spec.start);
        const trouble = this.#plan.troubles.get(node.name)?.find((t) => takesNoWork(t) && t.from <= at && at < t.until + SETTLES);
        const until = Math.max(drain?.until ?? 0, trouble === undefined ? 0 : trouble.until + SETTLES);
        if (until <= at) continue;
        at = until + 60_000;
        moved = true;
      }
      if (!Number.isFinite(at)) return at;
    }
    return at;
  }

  /** The trouble of one of its nodes that a job never gets out of. */
  #stuckIn(lane: Lane, start: number, end: number): { from: number; until: number } | null {
    for (const node of lane.nodes)
      for (const trouble of this.#plan.troubles.get(node.name) ?? [])
        if (trouble.jobStuck === true && trouble.from >= start && trouble.from < end) return trouble;
    return null;
  }

  /** When the first node of the lane is lost while a job would run. */
  #firstLoss(lane: Lane, start: number, end: number): number | null {
    let first: number | null = null;
    for (const node of lane.nodes) {
      for (const trouble of this.#plan.troubles.get(node.name) ?? []) {
        const goesDown = trouble.loss !== undefined || trouble.momDown === true || trouble.begins !== undefined;
        for (const lost of [...(goesDown ? [trouble.from] : []), ...(trouble.ends === undefined ? [] : [trouble.until])])
          if (lost >= start && lost < end && (first === null || lost < first)) first = lost;
      }
    }
    return first;
  }
}

/** After a repair the first job is a while in coming. */
const SETTLES = 600_000;

function takesNoWork(trouble: { loss?: string; momDown?: boolean; offline?: unknown }): boolean {
  return trouble.loss !== undefined || trouble.momDown === true || trouble.offline !== undefined;
}

function lanesOf(queue: Job['queue'], nodes: readonly Node[]): Lane[] {
  const lanes: Lane[] = [];
  for (let at = 0; at < nodes.length; ) {
    const { luck } = nodes[at] as Node;
    const most = Math.max(1, nodes.length / 4);
    const size = new Random(luck, 'lane').pick(SIZES.filter((s) => s <= most));
    lanes.push({ queue, nodes: nodes.slice(at, at + size), random: luck });
    at += size;
  }
  return lanes;
}
