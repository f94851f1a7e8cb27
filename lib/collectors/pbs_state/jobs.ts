import type { Json } from '../../model/json.ts';
import { cleanName, compareNames, oneLine } from '../../model/text.ts';
import { type Document, lose } from './documents.ts';
import { chunkNames, count, duration, flag, member, reading, stateCounts, text } from './fields.ts';
import type { Tally } from './tally.ts';

/**
 * What is kept of a job. Owner, groups, environment, paths, mail addresses, arguments and the job's own name are not: they
 * end where the record was parsed.
 */
export interface Job {
  id: string;
  /** Q H W T R E S U B X F M, and C in Torque. */
  state: string;
  substate: number | undefined;
  queue: string | undefined;
  /** An array's parent: it runs nowhere itself. */
  isParent: boolean;
  /** Subjobs of an array that run or exit, which `qstat -f` does not list. */
  subjobs: number;
  /** Vnodes or hosts that it has. */
  nodes: string[];
  nodeCount: number | undefined;
  holds: string;
  comment: string | undefined;
  runCount: number;
  exitStatus: number | undefined;
  /** Requested and used, in ms. */
  walltime: number | undefined;
  walltimeUsed: number | undefined;
  /** MoM has reported something of it. */
  hasUsage: boolean;
  /** How long it could have run by its owner's and queue's limits, in ms. */
  eligible: number | undefined;
  /** Wall clock readings without zone, see `reading`: when it entered its state, as far as told. */
  entered: number | undefined;
}

export interface Jobs {
  jobs: Job[];
  /** The newest reading of any of them: about when the command ran, by its own clock. */
  newest: number | undefined;
}

const HISTORY = new Set(['F', 'M', 'X']);

/** Reads the jobs of `qstat -f -F json`; finished and moved ones (`-x`) are counted and left out. */
export function readJobs(documents: readonly Document[], tally: Tally): Jobs {
  const jobs = new Map<string, Job>();
  let newest: number | undefined;
  for (const document of documents) {
    // A reading ahead of the document's own time by more than any zone is a fault of that job, not the time.
    const limit = document.time === undefined ? Infinity : document.time + 15 * 36e5;
    for (const [key, value] of document.records) {
      const id = cleanName(key);
      const state = text(member(value, 'job_state'))?.trim().toUpperCase();
      if (id === null || state === undefined || !/^[A-Z]$/.test(state)) {
        tally.reject(document.input, `/Jobs/${oneLine(key, 200)}`, id === null ? 'its name is none' : 'has no job_state of one letter');
        lose(document, key);
        continue;
      }
      tally.records++;
      for (const at of ['mtime', 'stime', 'qtime', 'ctime', 'obittime']) {
        const read = reading(member(value, at));
        if (read !== undefined && read <= limit) newest = Math.max(newest ?? 0, read);
      }
      if (!HISTORY.has(state)) jobs.set(id, jobOf(id, state, value));
    }
  }
  return { jobs: [...jobs.values()].sort((a, b) => compareNames(a.id, b.id)), newest };
}

function jobOf(id: string, state: string, value: Json): Job {
  const comment = text(member(value, 'comment'));
  const requested = member(value, 'Resource_List');
  const used = member(value, 'resources_used');
  const vnodes = chunkNames(member(value, 'exec_vnode'));
  const subjobs = stateCounts(member(value, 'array_state_count'));
  return {
    id,
    state,
    substate: count(member(value, 'substate')),
    queue: cleanName(text(member(value, 'queue'))) ?? undefined,
    isParent: flag(member(value, 'array')) === true || /\[\](?:\.|$)/.test(id),
    subjobs: Math.max(0, subjobs.get('running') ?? 0) + Math.max(0, subjobs.get('exiting') ?? 0),
    nodes: vnodes.length > 0 ? vnodes : chunkNames(member(value, 'exec_host')),
    nodeCount: count(member(requested, 'nodect')),
    holds: oneLine(text(member(value, 'Hold_Types')) ?? '', 20),
    comment: comment === undefined ? undefined : oneLine(comment, 300),
    runCount: count(member(value, 'run_count')) ?? 0,
    exitStatus: count(member(value, 'Exit_status')) ?? negative(member(value, 'Exit_status')),
    walltime: duration(member(requested, 'walltime')),
    walltimeUsed: duration(member(used, 'walltime')),
    hasUsage: used !== undefined,
    eligible: duration(member(value, 'eligible_time')),
    entered: enteredOf(state, value),
  };
}

function negative(value: Json | undefined): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined;
}

/** A running job's stime does not change; otherwise the last change of the job is the closest that is told. */
function enteredOf(state: string, value: Json): number | undefined {
  const names = state === 'E' ? ['obittime', 'mtime'] : state === 'R' ? ['stime', 'mtime'] : ['mtime', 'etime', 'qtime'];
  for (const name of names) {
    const read = reading(member(value, name));
    if (read !== undefined) return read;
  }
  return undefined;
}
