import { DAY, HOUR, look, MINUTE, NOON, type Story } from './story.ts';

/** When the commands ran. */
const RAN = NOON - MINUTE;
const seconds = (before: number): number => (RAN - before) / 1000;

/** A wall clock reading as PBS prints it, so long before the commands ran. */
function reading(before: number): string {
  const [, day, month, year, time] = /^\w{3}, (\d{2}) (\w{3}) (\d{4}) ([\d:]{8})/.exec(new Date(RAN - before).toUTCString()) ?? [];
  return `Mon ${month} ${day} ${time} ${year}`;
}

const document = (section: string, records: object): object => ({
  timestamp: RAN / 1000,
  pbs_version: '2022.1.7.20241004133957',
  pbs_server: 'pbs01.hsn.cm.demo.test',
  [section]: records,
});

const running = { job_state: 'R', substate: 42, queue: 'prod', mtime: reading(0), Resource_List: { walltime: '12:00:00', nodect: 1 } };

export const pbsStories: Story[] = [
  look(
    'pbs_state',
    {
      'pbsnodes.json': document('nodes', {
        n1: { state: 'down', comment: 'node down: communication closed', last_state_change_time: seconds(HOUR) },
        n2: { state: 'down,job-exclusive', jobs: ['1.pbs01/0'], last_state_change_time: seconds(MINUTE) },
        n3: { state: 'offline', comment: 'HW-2305 GPU exchanged, under test', last_state_change_time: seconds(DAY) },
        n4: { state: 'state-unknown', last_state_change_time: seconds(HOUR) },
        n5: { state: 'job-exclusive', jobs: ['2.pbs01/0'], last_state_change_time: seconds(HOUR) },
      }),
      'qstat-f.json': document('Jobs', {
        '1.pbs01': { ...running, exec_vnode: '(n2:ncpus=256)', resources_used: { walltime: '00:10:00' } },
        '2.pbs01': { ...running, exec_vnode: '(n5:ncpus=256)', resources_used: { walltime: '12:45:00' } },
        '3.pbs01': { job_state: 'E', substate: 51, queue: 'prod', obittime: reading(HOUR), exec_vnode: '(n5:ncpus=256)' },
        '4.pbs01': {
          job_state: 'R',
          substate: 71,
          queue: 'prod',
          stime: reading(2 * HOUR),
          mtime: reading(2 * HOUR),
          exec_vnode: '(n5:ncpus=256)',
        },
        '5.pbs01': {
          job_state: 'H',
          substate: 20,
          queue: 'prod',
          Hold_Types: 's',
          run_count: 21,
          comment: 'job held, too many failed attempts to run',
        },
        '6.pbs01': {
          job_state: 'Q',
          substate: 10,
          queue: 'gpu',
          Resource_List: { nodect: 900 },
          comment: 'Can Never Run: Insufficient amount of resource: ngpus (R: 32 A: 16 T: 16)',
        },
      }),
      'qstat-Bf.json': document('Server', {
        pbs01: {
          server_state: 'Idle',
          scheduling: 'False',
          total_jobs: 6,
          state_count: 'Transit:0 Queued:3 Held:1 Waiting:0 Running:2 Exiting:1 Begun:0 ',
        },
      }),
      'qstat-Qf.json': document('Queue', {
        debug: {
          queue_type: 'Execution',
          enabled: 'True',
          started: 'False',
          state_count: 'Transit:0 Queued:2 Held:0 Waiting:0 Running:0 Exiting:0 Begun:0 ',
        },
        prod: {
          queue_type: 'Execution',
          enabled: 'True',
          started: 'True',
          state_count: 'Transit:0 Queued:-3 Held:0 Waiting:0 Running:2 Exiting:0 Begun:0 ',
        },
      }),
    },
    { kind: 'node_down', severity: 'warning', subject: 'node n1' },
    { kind: 'node_down_with_jobs', severity: 'warning', subject: 'node n2' },
    { kind: 'node_offline', severity: 'info', subject: 'node n3' },
    { kind: 'node_state_unknown', severity: 'warning', subject: 'node n4' },
    { kind: 'job_on_broken_node', severity: 'warning', subject: 'job 1.pbs01' },
    { kind: 'job_over_walltime', severity: 'warning', subject: 'job 2.pbs01' },
    { kind: 'job_stuck_exiting', severity: 'warning', subject: 'job 3.pbs01' },
    { kind: 'job_stuck_starting', severity: 'warning', subject: 'job 4.pbs01' },
    { kind: 'job_hold_failed_starts', severity: 'warning', subject: 'job 5.pbs01' },
    { kind: 'job_never_runs', severity: 'info', subject: 'job 6.pbs01' },
    { kind: 'scheduling_paused', severity: 'critical', subject: 'scheduler pbs01' },
    { kind: 'queue_stopped', severity: 'warning', subject: 'queue debug' },
    { kind: 'server_counters_corrupt', severity: 'info', subject: 'queue prod' },
  ),
];
