import type { ConditionDraft } from '../../model/condition.ts';
import { compareNames } from '../../model/text.ts';
import { formatDuration, toIso } from '../../model/time.ts';
import type { Host } from './hosts.ts';
import type { Job } from './jobs.ts';
import { isBroken } from './node-states.ts';
import { MAX_CARRIED } from './options.ts';
import { setText } from './sets.ts';

export interface JobFrame {
  /** The time of the job list, ms. */
  time: number;
  /** The newest wall clock reading in it: about that time by the clock that wrote the others. */
  newest: number | undefined;
  /** First sight of jobs in their state, from the last run: id → state and time. */
  seen: ReadonlyMap<string, { state: string; since: number }>;
  byVnode: ReadonlyMap<string, Host>;
  nodeName: (raw: string) => string | null;
  limits: JobLimits;
}

/** Milliseconds, and a count of runs. */
export interface JobLimits {
  exiting: number;
  starting: number;
  overrun: number;
  neverRuns: number;
  runs: number;
}

/**
 * Jobs of info severity that are shown one by one, for each reason: the oldest. A user can submit thousands that never run,
 * and the summary counts them all.
 */
const SHOWN = 20;

/** What is wrong with the jobs. Array parents run nowhere and are left alone but for their starts. */
export function jobConditions(jobs: readonly Job[], frame: JobFrame): ConditionDraft[] {
  const never = neverRunning(jobs, frame);
  return [
    ...jobs.flatMap((job) => {
      if (job.isParent) return failedStarts(job, frame);
      if (job.state === 'E') return stuckExiting(job, frame);
      if (isStarting(job)) return [...stuckStarting(job, frame), ...onBrokenNode(job, frame)];
      if (job.state === 'R' || job.state === 'S' || job.state === 'U') return [...overWalltime(job, frame), ...onBrokenNode(job, frame)];
      return failedStarts(job, frame);
    }),
    ...never,
  ];
}

/**
 * Jobs in a state that should pass soon, with the time since when: what the next run compares with. A job is known by its
 * state and substate; a change of either starts its time anew.
 */
export function watchedJobs(jobs: readonly Job[], frame: JobFrame): [string, string, number][] {
  return jobs
    .filter((job) => !job.isParent && (job.state === 'E' || isStarting(job)))
    .slice(0, MAX_CARRIED)
    .map((job) => [job.id, stateKey(job), frame.time - ageOf(job, frame)]);
}

function stateKey(job: Job): string {
  return job.state === 'E' ? 'E' : `${job.state}${job.substate ?? ''}`;
}

/** Substates of openpbs (job.h): 41 sent to MoM, not confirmed as running; 71 being provisioned; 72 waits for its nodes to join. */
function isStarting(job: Job): boolean {
  return (job.state === 'R' || job.state === 'T') && (job.substate === 41 || job.substate === 71 || job.substate === 72);
}

/**
 * How long the job has been in its state, at least. Its own times carry no zone, so they are compared with the newest one of
 * the same list, which is at most as old as the list itself; what an earlier run saw counts as well.
 */
function ageOf(job: Job, { time, newest, seen }: JobFrame): number {
  const byReading = job.entered !== undefined && newest !== undefined ? Math.max(0, newest - job.entered) : 0;
  const known = seen.get(job.id);
  return Math.max(byReading, known?.state === stateKey(job) ? Math.max(0, time - known.since) : 0);
}

function draft(kind: string, job: Job, frame: JobFrame, message: string, values: ConditionDraft['values'], age?: number): ConditionDraft {
  return {
    kind,
    subject: { type: 'job', id: job.id },
    message,
    values: {
      state: job.state,
      substate: job.substate ?? null,
      queue: job.queue ?? null,
      nodes: job.nodes.length > 0 ? job.nodes.length : (job.nodeCount ?? null),
      ...values,
    },
    ...(age !== undefined && { since: toIso(frame.time - age) }),
  };
}

/** `in queue prod on 4 nodes (x1002c0s5b[0-1]n[0-1])` */
function where(job: Job): string {
  const queue = job.queue === undefined ? '' : ` in queue ${job.queue}`;
  if (job.nodes.length === 0) return queue;
  return `${queue} on ${job.nodes.length === 1 ? setText(job.nodes, 80) : `${job.nodes.length} nodes (${setText(job.nodes, 80)})`}`;
}

function brokenNodes(job: Job, { byVnode, nodeName }: JobFrame): string[] {
  const broken = job.nodes.flatMap((raw) => {
    const host = byVnode.get(nodeName(raw) ?? '');
    return host && isBroken(host.bucket) ? [host.id] : [];
  });
  return [...new Set(broken)].sort(compareNames);
}

function stuckExiting(job: Job, frame: JobFrame): ConditionDraft[] {
  const age = ageOf(job, frame);
  if (age <= frame.limits.exiting) return [];
  const broken = brokenNodes(job, frame);
  const dead = broken.length > 0 ? `; down: ${setText(broken, 80)}` : '';
  return [
    draft(
      'job_stuck_exiting',
      job,
      frame,
      `job ${job.id}${where(job)} has been exiting for ${formatDuration(age)} or more (limit ${formatDuration(frame.limits.exiting)})${dead}`,
      { minutes: Math.floor(age / 6e4), nodesDown: broken.length, exitStatus: job.exitStatus ?? null },
      age,
    ),
  ];
}

function stuckStarting(job: Job, frame: JobFrame): ConditionDraft[] {
  const age = ageOf(job, frame);
  if (age <= frame.limits.starting || (job.substate === 41 && job.hasUsage)) return [];
  const doing = job.substate === 71 ? 'in provisioning' : job.substate === 72 ? 'waiting for its nodes to join' : 'starting';
  return [
    draft(
      'job_stuck_starting',
      job,
      frame,
      `job ${job.id}${where(job)} has been ${doing} for ${formatDuration(age)} or more (limit ${formatDuration(frame.limits.starting)})`,
      { minutes: Math.floor(age / 6e4), runCount: job.runCount },
      age,
    ),
  ];
}

function overWalltime(job: Job, frame: JobFrame): ConditionDraft[] {
  const { walltime, walltimeUsed } = job;
  if (job.state !== 'R' || walltime === undefined || walltimeUsed === undefined) return [];
  const over = walltimeUsed - walltime;
  if (over <= frame.limits.overrun) return [];
  return [
    draft(
      'job_over_walltime',
      job,
      frame,
      `job ${job.id}${where(job)} has run ${formatDuration(walltimeUsed)}, ${formatDuration(over)} past its walltime of ${formatDuration(walltime)}`,
      { minutesOver: Math.floor(over / 6e4) },
      over,
    ),
  ];
}

function onBrokenNode(job: Job, frame: JobFrame): ConditionDraft[] {
  const broken = brokenNodes(job, frame);
  if (broken.length === 0) return [];
  const since = broken.flatMap((id) => frame.byVnode.get(id)?.since ?? []);
  const oldest = since.length > 0 ? Math.max(0, frame.time - Math.min(...since)) : undefined;
  const longest = oldest === undefined ? '' : `, the longest for ${formatDuration(oldest)}`;
  return [
    draft(
      'job_on_broken_node',
      job,
      frame,
      `job ${job.id}${job.queue === undefined ? '' : ` in queue ${job.queue}`} runs on ${job.nodes.length} nodes of which ${broken.length === 1 ? '1 is' : `${broken.length} are`} down: ${setText(broken, 120)}${longest}`,
      { nodesDown: broken.length },
      oldest,
    ),
  ];
}

/** A system hold with the server's own words, or so many runs that only those can be meant. */
function failedStarts(job: Job, frame: JobFrame): ConditionDraft[] {
  const said = /^job held, (too many failed attempts to run|provisioning failed to start)/.exec(job.comment ?? '')?.[1];
  const isHeld = job.state === 'H' && job.holds.includes('s');
  // An array's parent may count the starts of its subjobs.
  const runs = job.isParent ? 0 : job.runCount;
  const held = isHeld && (said !== undefined || runs > 20);
  const tries = (job.state === 'Q' || job.state === 'H') && runs >= frame.limits.runs;
  if (!held && !tries) return [];
  const why = held ? `is held by PBS: ${said ?? 'it was run too often'}` : `waits in state ${job.state} again`;
  return [
    {
      ...draft(
        'job_hold_failed_starts',
        job,
        frame,
        `job ${job.id}${job.queue === undefined ? '' : ` in queue ${job.queue}`} ${why}; started ${job.runCount} times`,
        { runCount: job.runCount, holds: job.holds },
      ),
      ...(!held && { severity: 'info' as const }),
    },
  ];
}

/**
 * The reason of a comment of the scheduler, without the numbers and names in it: `Not Running: Insufficient amount of
 * resource: ncpus (R: 4 A: 0 T: 8)` → `Insufficient amount of resource: ncpus`. Null for other comments.
 */
export function waitReason(comment: string | undefined): { never: boolean; reason: string } | null {
  const m = /^(Not Running|Can Never Run): ?(.*)$/.exec(comment ?? '');
  if (!m) return null;
  const reason = (m[2] as string)
    .split('(', 1)[0]
    ?.replaceAll(/\b(user|group|project) \S+'s\b/gi, "$1's")
    .replaceAll(/\d[\d.:]*/g, 'N')
    .trim();
  return { never: m[1] === 'Can Never Run', reason: reason === undefined || reason === '' ? 'no reason given' : reason.slice(0, 80) };
}

/** Whether a job can never run: the scheduler says so, or the machine has been too small for it for long. */
export function isNeverRunning(job: Job, after: number): boolean {
  if (job.state !== 'Q' && job.state !== 'H') return false;
  const wait = waitReason(job.comment);
  if (wait === null) return false;
  return wait.never || (wait.reason.startsWith('Not enough total nodes available') && (job.eligible ?? 0) > after);
}

function neverRunning(jobs: readonly Job[], frame: JobFrame): ConditionDraft[] {
  const shown = new Map<string, number>();
  return jobs.flatMap((job) => {
    if (!isNeverRunning(job, frame.limits.neverRuns)) return [];
    const reason = waitReason(job.comment)?.reason ?? '';
    const key = `${job.queue ?? ''} ${reason}`;
    const before = shown.get(key) ?? 0;
    shown.set(key, before + 1);
    if (before >= SHOWN) return [];
    const asks = job.nodeCount === undefined ? '' : `, asks for ${job.nodeCount} nodes`;
    const waits = job.eligible === undefined ? '' : `, has waited ${formatDuration(job.eligible)}`;
    return [
      draft(
        'job_never_runs',
        job,
        frame,
        `job ${job.id}${job.queue === undefined ? '' : ` in queue ${job.queue}`} can never run: ${reason}${asks}${waits}`,
        { reason, eligibleMinutes: job.eligible === undefined ? null : Math.floor(job.eligible / 6e4) },
      ),
    ];
  });
}
