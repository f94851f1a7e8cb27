import { describe, expect, it } from 'vitest';
import { waitReason } from '../../lib/collectors/pbs_state/job-conditions.ts';
import {
  collect,
  collectAfter,
  heads,
  HOUR,
  input,
  jobsFile,
  messages,
  MINUTE,
  nodesFile,
  only,
  reading,
  serverFile,
  STAMP,
} from './pbs-inputs.ts';

/** Shows how late it is by the clock of the others. */
const running = { job_state: 'R', substate: 42, mtime: reading(0), resources_used: { walltime: '00:10:00' } };
const later = (minutes: number): { timestamp: number } => ({ timestamp: STAMP + minutes * 60 });

describe('a job that exits', () => {
  const exiting = (ms: number): object => ({
    job_state: 'E',
    substate: 51,
    queue: 'prod',
    obittime: reading(ms),
    exec_vnode: '(n1:ncpus=4)+(n2:ncpus=4)',
  });

  it('for longer than the limit is stuck; its age needs no time zone', async () => {
    for (const timezone of ['America/Denver', 'UTC', 'Asia/Tokyo']) {
      const result = await collect([jobsFile({ '1.p': exiting(16 * MINUTE), '2.p': exiting(15 * MINUTE), '3.p': running })], { timezone });
      expect(heads(result)).toEqual(['warning job_stuck_exiting 1.p']);
      expect(only(result, 'job_stuck_exiting')).toMatchObject({
        message: 'job 1.p in queue prod on 2 nodes (n[1-2]) has been exiting for 16m or more (limit 15m)',
        values: { state: 'E', substate: 51, minutes: 16, nodes: 2, nodesDown: 0 },
        since: '2026-11-30T08:27:00.000Z',
      });
    }
  });

  it('alone in the list is stuck once a second run has seen it for long enough', async () => {
    const first = await collect([jobsFile({ '1.p': exiting(HOUR) })]);
    expect(heads(first)).toEqual([]);
    const soon = await collectAfter(first, [jobsFile({ '1.p': exiting(HOUR) }, later(10))]);
    expect(heads(soon)).toEqual([]);
    const late = await collectAfter(soon, [jobsFile({ '1.p': exiting(HOUR) }, later(16))]);
    expect(only(late, 'job_stuck_exiting')).toMatchObject({ values: { minutes: 16 }, since: '2026-11-30T08:43:00.000Z' });
  });

  it('that ran again in between starts anew', async () => {
    const first = await collect([jobsFile({ '1.p': exiting(HOUR) })]);
    const again = await collectAfter(first, [jobsFile({ '1.p': { job_state: 'R', substate: 42 } }, later(10))]);
    expect(heads(await collectAfter(again, [jobsFile({ '1.p': exiting(HOUR) }, later(20))]))).toEqual([]);
  });

  it('is not made old by a time that lies ahead of the whole list', async () => {
    const result = await collect([jobsFile({ '1.p': exiting(MINUTE), '2.p': { job_state: 'Q', ctime: 'Mon Nov 30 01:43:00 2099' } })]);
    expect(heads(result)).toEqual([]);
  });

  it('names its nodes that are down', async () => {
    const result = await collect([
      jobsFile({ '1.p': exiting(HOUR), '3.p': running }),
      nodesFile({ n1: { state: 'down' }, n2: { state: 'free' } }),
    ]);
    expect(only(result, 'job_stuck_exiting')).toMatchObject({ message: expect.stringMatching(/; down: n1$/), values: { nodesDown: 1 } });
  });

  it('waits as long as the site says', async () => {
    const files = [jobsFile({ '1.p': exiting(16 * MINUTE), '3.p': running })];
    expect(heads(await collect(files, { rules: { job_stuck_exiting: { after: '1h' } } }))).toEqual([]);
  });
});

describe('a job on nodes that are down', () => {
  const nodes = nodesFile({
    n1: { state: 'down', last_state_change_time: STAMP - 1200 },
    n2: { state: 'job-exclusive' },
    n3: { state: 'down,offline' },
    'n4[0]': { state: 'Stale' },
    n5: { state: 'offline' },
  });
  const on = (exec_vnode: string, extra = {}): object => ({ ...running, queue: 'prod', exec_vnode, ...extra });

  it('is told with those that are', async () => {
    const result = await collect([
      nodes,
      jobsFile({ '1.p': on('(n1:ncpus=4)+(n2:ncpus=4+n3:mem=1gb)'), '2.p': on('(n2:ncpus=4)+(n5:ncpus=4)'), '3.p': on('(n4[0]:ncpus=4)') }),
    ]);
    expect(
      result.conditions
        .filter((c) => c.kind === 'job_on_broken_node')
        .map((c) => [c.subject.id, c.values?.['nodesDown'], c.values?.['nodes']]),
    ).toEqual([
      ['1.p', 2, 3],
      ['3.p', 1, 1],
    ]);
    expect(result.conditions.find((c) => c.subject.id === '1.p')).toMatchObject({
      message: 'job 1.p in queue prod runs on 3 nodes of which 2 are down: n[1,3], the longest for 20m',
      since: '2026-11-30T08:23:00.000Z',
    });
  });

  it('is found by its hosts where PBS lists no vnodes, and by names with a domain', async () => {
    const result = await collect([
      nodes,
      jobsFile({ '1.p': { ...running, exec_host: 'N1.hsn.cm.demo.test/0*208+n2/0*208' }, '2.p': on('(n1:ncpus=1)', { job_state: 'S' }) }),
    ]);
    expect(heads(result)).toContain('warning job_on_broken_node 1.p');
    expect(heads(result)).toContain('warning job_on_broken_node 2.p');
  });

  it('is not taken for well while the node list is missing', async () => {
    const job = jobsFile({ '1.p': on('(n1:ncpus=4)'), '2.p': running });
    const first = await collect([nodes, job]);
    const blind = await collectAfter(first, [job]);
    expect(blind.coverage.observed).toEqual({ job: '2.p' });
    const stillBlind = await collectAfter(blind, [job]);
    expect(stillBlind.coverage.observed).toEqual({ job: '2.p' });
    const partly = await collectAfter(stillBlind, [nodesFile({ n1: {}, n2: { state: 'free' } }), job]);
    expect(partly.coverage.observed['job']).toBe('2.p');
    const well = await collectAfter(partly, [nodesFile({ n1: { state: 'job-exclusive' } }), job]);
    expect(well.coverage.observed['job']).toBe('all');
    expect(heads(well)).toEqual([]);
  });
});

describe('a job that does not start', () => {
  it('held after failed starts needs an operator', async () => {
    const held = (extra: object): object => ({ job_state: 'H', substate: 20, queue: 'prod', Hold_Types: 's', run_count: 21, ...extra });
    const result = await collect([
      jobsFile({
        '1.p': held({ comment: 'job held, too many failed attempts to run' }),
        '2.p': held({ comment: 'job held, provisioning failed to start', run_count: 1 }),
        '3.p': held({}),
        '4.p': held({ Hold_Types: 'u', run_count: 0 }),
        '5.p': { job_state: 'Q', run_count: 5 },
        '6.p': { job_state: 'Q', run_count: 4 },
        '7.p': held({ Hold_Types: 'us', comment: 'job held, too many failed attempts to run' }),
        '8.p': { ...running, run_count: 30 },
        '9[].p': { job_state: 'Q', array: 'True', run_count: 300 },
        '10[].p': held({ array: 'True', comment: 'job held, too many failed attempts to run' }),
      }),
    ]);
    expect(heads(result)).toEqual([
      'warning job_hold_failed_starts 1.p',
      'warning job_hold_failed_starts 2.p',
      'warning job_hold_failed_starts 3.p',
      'info job_hold_failed_starts 5.p',
      'warning job_hold_failed_starts 7.p',
      'warning job_hold_failed_starts 10[].p',
    ]);
    expect(result.conditions[0]).toMatchObject({
      message: 'job 1.p in queue prod is held by PBS: too many failed attempts to run; started 21 times',
      values: { runCount: 21, holds: 's', queue: 'prod' },
    });
  });

  it('can never run where the scheduler says so, or the machine has been too small for a day', async () => {
    const waits = (comment: unknown, extra = {}): object => ({
      job_state: 'Q',
      substate: 10,
      queue: 'gpu',
      Resource_List: { nodect: 900 },
      comment,
      ...extra,
    });
    const result = await collect([
      jobsFile({
        '1.p': waits('Can Never Run: Insufficient amount of resource: ngpus (R: 32 A: 16 T: 16)', { eligible_time: '66:00:00' }),
        '2.p': waits('Not Running: Not enough total nodes available', { eligible_time: '24:00:01' }),
        '3.p': waits('Not Running: Not enough total nodes available', { eligible_time: '23:59:59' }),
        '4.p': waits('Not Running: Insufficient amount of resource: ncpus (R: 230400 A: 1024 T: 204800)', { eligible_time: '660:00:00' }),
        '5.p': waits(5),
        '6.p': { ...running, comment: 'Can Never Run: stale comment of a job that runs' },
      }),
    ]);
    expect(heads(result)).toEqual(['info job_never_runs 1.p', 'info job_never_runs 2.p']);
    expect(result.conditions[0]).toMatchObject({
      message: 'job 1.p in queue gpu can never run: Insufficient amount of resource: ngpus, asks for 900 nodes, has waited 2d 18h',
      values: { reason: 'Insufficient amount of resource: ngpus', eligibleMinutes: 3960, nodes: 900 },
    });
    expect(result.summary['jobs']).toMatchObject({
      neverRun: 2,
      waiting: {
        top: [
          { reason: 'Not enough total nodes available', count: 2 },
          { reason: 'Insufficient amount of resource: ncpus', count: 1 },
          { reason: 'Insufficient amount of resource: ngpus', count: 1 },
        ],
      },
    });
  });

  it('by the thousand is counted, and shown by the oldest of each reason', async () => {
    const jobs = Object.fromEntries(
      Array.from({ length: 3000 }, (_, i) => [
        `${i + 1}.p`,
        { job_state: 'Q', queue: 'q', comment: 'Can Never Run: Insufficient amount of resource: ncpus (R: 4)' },
      ]),
    );
    const result = await collect([jobsFile(jobs)]);
    expect(heads(result)).toEqual(Array.from({ length: 20 }, (_, i) => `info job_never_runs ${i + 1}.p`));
    expect(result.summary['jobs']).toMatchObject({ neverRun: 3000 });
  });

  it.each([
    ['Not Running: Insufficient amount of resource: ncpus (R: 4 A: 0 T: 8)', false, 'Insufficient amount of resource: ncpus'],
    ['Not Running: Node is in an ineligible state: offline', false, 'Node is in an ineligible state: offline'],
    [
      "Not Running: would exceed user jdoe's limit on resource ncpus in queue q",
      false,
      "would exceed user's limit on resource ncpus in queue q",
    ],
    ['Can Never Run: ', true, 'no reason given'],
  ])('gives the reason of %j without numbers and people', (comment, never, reason) => {
    expect(waitReason(comment)).toEqual({ never, reason });
  });

  it('starting for too long is stuck: sent to MoM, provisioned, waiting for its nodes', async () => {
    const starting = (substate: number, ms: number, extra = {}): object => ({
      job_state: 'R',
      substate,
      stime: reading(ms),
      exec_vnode: '(n1:ncpus=1)',
      ...extra,
    });
    const result = await collect([
      jobsFile({
        '1.p': starting(41, 11 * MINUTE),
        '2.p': starting(71, HOUR),
        '3.p': starting(72, HOUR),
        '4.p': starting(41, 9 * MINUTE),
        '5.p': starting(42, HOUR),
        '6.p': starting(41, HOUR, { resources_used: { walltime: '01:00:00' } }),
        '7.p': running,
      }),
    ]);
    expect(result.conditions.map((c) => c.message)).toEqual([
      'job 1.p on n1 has been starting for 11m or more (limit 10m)',
      'job 2.p on n1 has been in provisioning for 1h or more (limit 10m)',
      'job 3.p on n1 has been waiting for its nodes to join for 1h or more (limit 10m)',
    ]);
  });
});

describe('a job past its walltime', () => {
  it('by more than the grace is told; hours are not bounded', async () => {
    const ran = (walltime: unknown, used: unknown, state = 'R'): object => ({
      ...running,
      job_state: state,
      Resource_List: { walltime },
      resources_used: { walltime: used },
    });
    const result = await collect([
      jobsFile({
        '1.p': ran('392:00:00', '392:15:01'),
        '2.p': ran('01:00:00', '01:15:00'),
        '3.p': ran('01:00:00', '09:00:00', 'S'),
        '4.p': ran(undefined, '09:00:00'),
        '5.p': ran('soon', '09:00:00'),
        '6.p': ran(3600, 7200),
      }),
    ]);
    expect(heads(result)).toEqual(['warning job_over_walltime 1.p', 'warning job_over_walltime 6.p']);
    expect(result.conditions[0]?.message).toBe('job 1.p has run 16d 8h, 15m 1s past its walltime of 16d 8h');
  });
});

describe('job lists', () => {
  it('leave array parents, history and the environment alone', async () => {
    const result = await collect([
      jobsFile({
        '1[].p': {
          job_state: 'B',
          array: 'True',
          comment: 'Job Array Began',
          array_state_count: 'Queued:12 Running:2 Exiting:0 Expired:50 ',
        },
        '2.p': { job_state: 'F', Exit_status: 271, history_timestamp: STAMP },
        '3.p': { job_state: 'M' },
        '4[7].p': { job_state: 'X' },
        '5.p': {
          job_state: 'R',
          substate: 42,
          Job_Name: 'secret-project',
          Job_Owner: 'alice@login1',
          Variable_List: { TOKEN: 'hunter2' },
          Submit_arguments: '-v TOKEN=hunter2',
          Error_Path: '/home/alice',
          comment: 'Job run at Mon',
        },
      }),
    ]);
    expect(heads(result)).toEqual([]);
    expect(result.summary['jobs']).toMatchObject({ total: 2, arrays: 1, states: { B: 1, R: 1 } });
    expect(JSON.stringify(result)).not.toMatch(/secret|alice|hunter2|TOKEN/);
  });

  it('openpbs#2672: that hold fewer jobs than the server counts are not taken for whole', async () => {
    const state_count = 'Transit:0 Queued:150 Held:44 Waiting:0 Running:72 Exiting:0 Begun:0 ';
    const result = await collect([serverFile({ scheduling: 'True', total_jobs: 11_247, state_count }), jobsFile({ '10.p': running })]);
    expect(messages(result, 'input')).toEqual([
      'lists 1 jobs of the 266 that the server counts: taken for cut short (openpbs#2672); dump `qstat -f -F json` without job ids',
    ]);
    expect(result.coverage.observed['job']).toBe('10.p');
  });

  it('taken a moment apart, with arrays, are whole', async () => {
    const state_count = 'Queued:8 Running:42 Begun:1 ';
    const array = { job_state: 'B', array: 'True', array_state_count: 'Queued:9 Running:40 Exiting:0 Expired:0 ' };
    const result = await collect([serverFile({ state_count }), jobsFile({ '1[].p': array, '2.p': running })]);
    expect(messages(result, 'input')).toEqual([]);
    expect(result.coverage.observed['job']).toBe('all');
  });

  it('with a lost record speak of all jobs but that one', async () => {
    const stuck = { job_state: 'E', obittime: reading(HOUR) };
    const first = await collect([jobsFile({ '1.p': stuck, '2.p': stuck, '3.p': running })]);
    expect(heads(first)).toEqual(['warning job_stuck_exiting 1.p', 'warning job_stuck_exiting 2.p']);
    // The record of 1 can no longer be read; 2 has ended.
    const second = await collectAfter(first, [
      input('qstat-f.json', '{"timestamp":1796028240,"pbs_server":"p","Jobs":{"1.p":{"job_state":"E},"3.p":{"job_state":"R"}}}'),
    ]);
    expect(second.coverage).toMatchObject({ rejected: 1, observed: { job: '[2-3].p' } });
    const third = await collectAfter(second, [jobsFile({ '1.p': stuck, '3.p': running }, later(30))]);
    expect(third.coverage.observed['job']).toBe('all');
    expect(only(third, 'job_stuck_exiting').subject.id).toBe('1.p');
  });
});
