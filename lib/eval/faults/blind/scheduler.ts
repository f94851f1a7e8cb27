import type { Fault } from '../../effects.ts';
import { ill, liquid } from './laying.ts';

export const schedulingPaused: Fault = {
  kind: 'scheduling_paused',
  author: 'blind',
  class: 'scheduler',
  title: 'the scheduler is told to start no jobs, and forgotten',
  where: 'the scheduler',
  places: () => ['all'],
  effects: () => ({ schedulingPaused: true, shows: [ill('server', 'pbs01.hsn.cm.demo.test')] }),
};

export const jobStuck: Fault = {
  kind: 'job_stuck',
  author: 'blind',
  class: 'scheduler',
  title: 'a job has ended and never leaves its node',
  where: 'a node',
  places: liquid,
  effects: ({ where }) => ({ nodes: new Map([[where, { jobStuck: true }]]) }),
};

export const offlinedByHook: Fault = {
  kind: 'offlined_by_hook',
  author: 'blind',
  class: 'scheduler',
  title: 'a check at the start of a job takes a node out of service',
  where: 'a node',
  places: liquid,
  effects: ({ where }) => ({
    nodes: new Map([
      [where, { offline: { comment: "offlined by hook 'node_check' due to hook error: only 15/16 dimms online (job 1233)" } }],
    ]),
    shows: [ill('node', where)],
  }),
};
