import type { Amount, Effects, Fault, NodeTrouble } from '../effects.ts';
import { SPEC_DEFAULTS, HOUR } from '../spec.ts';
import { driveCount, driveName, FILE_SYSTEMS } from '../storage.ts';
import type { Topology } from '../topology.ts';
import { Workload } from '../jobs.ts';

/*
 * What stays below every limit: readings that stand just under one, or go towards one all the while. Nothing may be made of
 * them by rule; whoever looks at the numbers sees where they lead.
 */

type Quiet = Pick<Fault, 'kind' | 'title' | 'class' | 'where' | 'places'> & { effects: (where: string, topology: Topology) => Effects };

function quiet({ effects, ...told }: Quiet): Fault {
  return { ...told, effects: ({ where, topology }) => effects(where, topology) };
}

/** Over most of a scenario. */
const SLOWLY = 9 * HOUR;
const up = (to: number, from = 0): Amount => ({ from, to, over: SLOWLY });

const liquid = ({ nodes }: Topology): string[] => nodes.filter((n) => n.cooling === 'liquid').map((n) => n.name);
const boards = ({ boards: all }: Topology): string[] => [...all].filter(([, [first]]) => first?.cooling === 'liquid').map(([name]) => name);
const drives = ({ storage }: Topology): string[] => Array.from({ length: driveCount(storage.length) }, (_, i) => driveName(i));
const onNode = (where: string, trouble: NodeTrouble): Effects => ({ nodes: new Map([[where, trouble]]) });
const numberOf = (drive: string): number => Number(/\d+/.exec(drive)?.[0]);

const AT_A_BOARD = { class: 'plant', where: 'a liquid-cooled board', places: boards } as const;
const AT_A_NODE = { class: 'node', where: 'a liquid-cooled node', places: liquid } as const;
const AT_A_DRIVE = { class: 'storage', where: 'a drive', places: drives } as const;

/** Just under a limit. */
export const warmNotYet = quiet({
  ...AT_A_BOARD,
  kind: 'near_coolant',
  title: 'the coolant of a board is as warm as it may be',
  effects: (where) => ({ warmBoards: new Map([[where, 5]]) }),
});
export const hotNotYet = quiet({
  ...AT_A_NODE,
  kind: 'near_temperature',
  title: "a node's processors are as hot as they may be",
  effects: (where) => onNode(where, { heat: 18 }),
});
export const fullNotYet = quiet({
  kind: 'near_full',
  class: 'storage',
  title: 'a file system is as full as it may be, and gets no fuller',
  where: 'a file system',
  places: () => FILE_SYSTEMS.filter((fs) => fs.bytes > 0 && fs.share > 0.5).map((fs) => fs.name),
  effects: (where) => ({ fileSystems: new Map([[where, 0.842]]) }),
});
export const wornNotYet = quiet({
  ...AT_A_DRIVE,
  kind: 'near_worn',
  title: 'a drive is nearly worn out',
  effects: (where) => ({ wornDrives: new Map([[numberOf(where), 88]]) }),
});
export const flowNotYet = quiet({
  kind: 'near_flow',
  class: 'plant',
  title: 'a chassis gets somewhat less coolant',
  where: 'a liquid-cooled chassis',
  places: ({ chassis }) => [...chassis.keys()],
  effects: (where) => ({ coolantFlow: new Map([[where, 0.87]]) }),
});
/** Just over one. */
export const warmJust: Fault = {
  ...AT_A_BOARD,
  kind: 'just_warm',
  title: 'the coolant of a board is a little warmer than it may be',
  effects: ({ where }) => ({
    warmBoards: new Map([[where, 8.6]]),
    shows: [{ kind: 'temperature_high', subject: { type: 'bmc', id: where } }],
  }),
};
export const fullJust: Fault = {
  kind: 'just_full',
  class: 'storage',
  title: 'a file system is a little fuller than it may be',
  where: 'a file system',
  places: fullNotYet.places,
  effects: ({ where, spec }) => ({
    fileSystems: new Map([[where, 0.856]]),
    shows: [
      { kind: 'fs_full', subject: { type: 'filesystem', id: where } },
      ...[where, spec.cluster].map((id) => ({ kind: 'capacity_forecast', subject: { type: 'filesystem', id }, maybe: true })),
    ],
  }),
};

/** Towards a limit. */
export const coolantRises = quiet({
  ...AT_A_BOARD,
  kind: 'coolant_rises',
  title: 'the coolant of a board gets warmer by the hour',
  effects: (where) => ({ warmBoards: new Map([[where, up(5)]]) }),
});
export const supplyRises = quiet({
  kind: 'supply_rises',
  class: 'plant',
  title: 'what a CDU supplies gets warmer by the hour',
  where: 'a CDU',
  places: ({ cdus }) => [...cdus.keys()],
  effects: (where) => ({ cdus: new Map([[where, { warmer: up(5) }]]) }),
});
export const heatRises = quiet({
  ...AT_A_NODE,
  kind: 'heat_rises',
  title: "a node's processors get hotter by the hour",
  effects: (where) => onNode(where, { heat: up(18) }),
});
export const powerRises = quiet({
  ...AT_A_NODE,
  kind: 'power_rises',
  title: 'a node draws more power by the hour',
  effects: (where) => onNode(where, { watts: up(620) }),
});
export const wearRises = quiet({
  ...AT_A_DRIVE,
  kind: 'wear_rises',
  title: 'a drive wears out a hundred times as fast as the others',
  effects: (where) => ({ wornDrives: new Map([[numberOf(where), up(86, 25)]]) }),
});
export const flowSinks = quiet({
  kind: 'flow_sinks',
  class: 'plant',
  title: 'a chassis gets less coolant by the hour',
  where: 'a liquid-cooled chassis',
  places: flowNotYet.places,
  effects: (where) => ({ coolantFlow: new Map([[where, up(0.86, 1)]]) }),
});

/** A job that asks for more memory than there is runs its nodes out of it, all of them. */
export const jobEatsMemory: Fault = {
  kind: 'job_eats_memory',
  class: 'memory',
  title: 'a job takes the memory of all its nodes',
  where: 'a node with a job of several nodes',
  places: (topology) => liquid(topology),
  effects: ({ where, from, spec, topology }) => {
    const jobs = new Workload({ spec: { ...SPEC_DEFAULTS, ...spec, faults: [] }, topology, faults: [], troubles: new Map() }).at(from);
    const job = jobs.find((j) => j.end > from && j.nodes.some((n) => n.name === where));
    const nodes = job === undefined || job.end < from + 3 * HOUR ? [] : job.nodes;
    return {
      console: nodes.map((n, i) => ({
        node: n.name,
        at: from + i * 1700,
        lines: [
          'solver.x invoked oom-killer: gfp_mask=0x1100cca(GFP_HIGHUSER_MOVABLE), order=0, oom_score_adj=0',
          `oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=job,mems_allowed=0-7,global_oom,task_memcg=/pbs_jobs.service/jobid/${job?.id}.pbs01,task=solver.x,pid=${20_000 + i},uid=20031`,
          `Out of memory: Killed process ${20_000 + i} (solver.x) total-vm:264144000kB, anon-rss:251958240kB, file-rss:0kB, shmem-rss:0kB, UID:20031 pgtables:491520kB oom_score_adj:0`,
        ],
      })),
      shows: nodes.map((n) => ({ kind: 'oom', subject: { type: 'node', id: n.name } })),
      lingers: nodes.map((n) => ({ kind: 'oom', subject: { type: 'node', id: n.name } })),
      because: job === undefined ? [] : [`${job.id}.pbs01.hsn.cm.demo.test`, String(job.id)],
    };
  },
};
