import { describe, expect, it } from 'vitest';
import { BUCKETS, bucketOf, stateTokens, unknownTokens } from '../../lib/collectors/pbs_state/node-states.ts';
import type { Input } from '../../lib/model/collector.ts';
import { atPointer } from '../../lib/model/json.ts';
import {
  before,
  collect,
  collectAfter,
  DAY,
  heads,
  HOUR,
  input,
  jobsFile,
  messages,
  MINUTE,
  nodesFile,
  only,
  serverFile,
  severityOf,
  STAMP,
} from './pbs-inputs.ts';

describe('states', () => {
  it.each([
    ['free', 'free'],
    ['job-exclusive', 'busy'],
    ['job-busy', 'busy'],
    ['busy', 'busy'],
    ['job-exclusive,resv-exclusive', 'busy'],
    ['resv-exclusive', 'reserved'],
    ['down', 'down'],
    ['Stale', 'down'],
    ['unresolvable', 'down'],
    ['state-unknown,down', 'down'],
    ['down,job-exclusive', 'down'],
    ['down,offline', 'down_offline'],
    ['Stale,maintenance', 'down_offline'],
    ['offline', 'offline'],
    ['offline_by_mom', 'offline'],
    ['offline,job-exclusive', 'offline'],
    ['maintenance', 'offline'],
    ['state-unknown', 'unknown'],
    ['state-unknown,job-exclusive', 'unknown'],
    ['initializing', 'changing'],
    ['provisioning,resv-exclusive', 'changing'],
    ['wait-provisioning', 'changing'],
    ['sleep', 'asleep'],
    ['powered-off', 'asleep'],
    ['powering-on', 'asleep'],
    ['powering-down', 'asleep'],
    ['down,resv-exclusive', 'down'],
    ['deleted', 'down'],
    ['wait-provision', 'changing'],
    ['<various>', 'mixed'],
    ['quantum', 'unknown'],
    [' Down , OFFLINE ,, ', 'down_offline'],
  ])('%s → %s', (printed, bucket) => {
    expect(bucketOf(stateTokens(printed))).toBe(bucket);
    expect(BUCKETS).toContain(bucket);
  });

  it('that are new to us are named', async () => {
    expect(unknownTokens(stateTokens('quantum,down'))).toEqual(['quantum']);
    const result = await collect([nodesFile({ n1: { state: 'quantum' }, n2: { state: 'state-unknown' } })]);
    expect(heads(result)).toEqual(['info node_state_unknown n1', 'warning node_state_unknown n2']);
    expect(result.conditions[0]?.message).toBe('PBS does not know how n1 is, state quantum: "quantum" is no state known to this program');
  });

  it('are counted by host and folded, with no long list of what is well', async () => {
    const result = await collect([
      nodesFile({
        n1: { state: 'free' },
        n2: { state: 'free' },
        n3: { state: 'job-exclusive', jobs: ['1.p'] },
        n4: { state: 'Stale' },
        n5: { state: 'sleep' },
        n6: { state: '<various>' },
      }),
    ]);
    expect(result.summary['nodes']).toEqual({
      total: 6,
      states: { down: 1, mixed: 1, asleep: 1, busy: 1, free: 2 },
      sets: { down: { count: 1, names: 'n4' }, mixed: { count: 1, names: 'n6' }, asleep: { count: 1, names: 'n5' } },
      outOfService: { top: [] },
    });
    expect(result.series).toMatchObject({ nodes: 6, nodes_free: 2, nodes_busy: 1, nodes_down: 1 });
  });
});

describe('a node that is down', () => {
  const down = (extra: object): ReturnType<typeof nodesFile> =>
    nodesFile({ 'X1000c0s0b0n1.hsn.cm.demo.test': { state: 'down,job-exclusive', ...extra } });

  it('without jobs is a warning, with its age and the comment as PBS typed it', async () => {
    const result = await collect([down({ last_state_change_time: before(14 * MINUTE), comment: 5 })]);
    expect(only(result, 'node_down')).toEqual({
      kind: 'node_down',
      subject: { type: 'node', id: 'x1000c0s0b0n1' },
      message: 'x1000c0s0b0n1 is down in PBS, state down,job-exclusive for 14m; comment: 5',
      values: { state: 'down,job-exclusive', minutes: 14, jobs: 0, comment: '5' },
      since: '2026-11-30T08:29:00.000Z',
      place: { rack: 'x1000', chassis: 'x1000c0', slot: 'x1000c0s0', board: 'x1000c0s0b0' },
    });
    expect(heads(result)).toEqual(['warning node_down x1000c0s0b0n1']);
  });

  it.each([
    [true, 'true'],
    [null, 'null'],
    [[1, 2], '[1,2]'],
    ['line\nbreak\u202e', String.raw`line\nbreak\u{202e}`],
  ])('keeps the comment %j as %j', async (comment, shown) => {
    expect(only(await collect([down({ comment })]), 'node_down').values?.['comment']).toBe(shown);
  });

  it('keeps the digits of a comment that PBS took for a number', async () => {
    const text = `{"pbs_server":"p","nodes":{"n1":{"state":"down","comment":12345678901234567890},"n2":{"state":"down","comment":0042}}}`;
    const result = await collect([input('pbsnodes.json', text)]);
    expect(result.conditions.map((c) => c.values?.['comment'])).toEqual(['12345678901234567890', '0042']);
  });

  it('with jobs counts each once, and is critical once the server should have taken them back', async () => {
    const jobs = ['1.pbs01/0', '1.pbs01/1', '2.pbs01', '1.pbs01'];
    const young = await collect([down({ jobs, last_state_change_time: before(10 * MINUTE) })]);
    expect(heads(young)).toEqual(['warning node_down_with_jobs x1000c0s0b0n1']);
    expect(only(young, 'node_down_with_jobs')).toMatchObject({
      values: { jobs: 2, minutes: 10 },
      message: expect.stringContaining('with 2 jobs [1-2].pbs01 on it'),
    });
    const late = await collect([down({ jobs, last_state_change_time: before(11 * MINUTE) })]);
    expect(heads(late)).toEqual(['critical node_down_with_jobs x1000c0s0b0n1']);
    expect(only(late, 'node_down_with_jobs').message).toContain('though PBS should have taken them back after 5m 10s');
    const patient = await collect([
      down({ jobs, last_state_change_time: before(11 * MINUTE) }),
      serverFile({ scheduling: 'True', node_fail_requeue: 3600 }),
    ]);
    expect(heads(patient)).toEqual(['warning node_down_with_jobs x1000c0s0b0n1']);
  });

  it.each([0, -1, 'yesterday', 1e12, undefined])('has no age where PBS gives %j for one', async (time) => {
    const condition = only(await collect([down({ last_state_change_time: time })]), 'node_down');
    expect(condition.since).toBeUndefined();
    expect(condition.values?.['minutes']).toBeNull();
  });

  it('whose change lies ahead has just changed', async () => {
    expect(only(await collect([down({ last_state_change_time: STAMP + 90 })]), 'node_down')).toMatchObject({
      values: { minutes: 0 },
      since: '2026-11-30T08:43:00.000Z',
    });
  });
});

describe('a node out of service', () => {
  const offline = async (extra: object, rules = {}): Promise<{ severity: string; message: string; values: unknown }> => {
    const condition = only(
      await collect([nodesFile({ n1: { state: 'offline', last_state_change_time: before(HOUR), ...extra } })], { rules }),
      'node_offline',
    );
    return { severity: severityOf(condition), message: condition.message, values: condition.values };
  };

  it('with a reason is a note', async () => {
    expect(await offline({ comment: 'INC0012345 dimm swap' })).toEqual({
      severity: 'info',
      message: 'n1 is out of service in PBS, state offline for 1h: INC0012345 dimm swap',
      values: { state: 'offline', minutes: 60, jobs: 0, reason: 'INC0012345 dimm swap', by: null },
    });
  });

  it('without a reason is a warning, once there was time to give one (torque#347)', async () => {
    expect(await offline({})).toMatchObject({ severity: 'warning', message: expect.stringMatching(/, no reason given$/) });
    expect(await offline({ last_state_change_time: before(5 * MINUTE) })).toMatchObject({ severity: 'info' });
    expect(await offline({ state: 'maintenance' })).toMatchObject({ severity: 'info' });
  });

  it('for maintenance names the reservation, which explains nothing while it lies ahead', async () => {
    expect(await offline({ state: 'maintenance,resv-exclusive', resv: 'M12.pbs01' })).toMatchObject({
      severity: 'info',
      message: 'n1 is out of service in PBS, state maintenance,resv-exclusive for 1h, for maintenance reservation M12',
    });
    expect(await offline({ resv: 'M12.pbs01' })).toMatchObject({
      severity: 'warning',
      message: expect.stringMatching(/, no reason given$/),
    });
  });

  it('whose comment is the server\u2019s own has no reason: it may tell of an older problem', async () => {
    expect(await offline({ comment: 'node down: communication closed' })).toMatchObject({
      severity: 'warning',
      message: expect.stringContaining("no reason given (the comment is the server's own: node down: communication closed)"),
      values: { reason: null },
    });
  });

  it('that a hook or failed provisioning took out is a warning, and tells which', async () => {
    expect(await offline({ comment: "offlined by hook 'gpu_check' due to hook error" })).toMatchObject({
      severity: 'warning',
      values: { by: 'hook gpu_check' },
    });
    expect(await offline({ comment: 'Vnode offlined since it failed provisioning' })).toMatchObject({
      severity: 'warning',
      values: { by: 'the server, after failed provisioning' },
    });
  });

  it('for weeks is a warning; the site says how many', async () => {
    const long = { comment: 'dimm', last_state_change_time: before(15 * DAY) };
    expect(await offline(long)).toMatchObject({ severity: 'warning', message: expect.stringContaining('for 15d') });
    expect(await offline(long, { node_offline: { after: '30d' } })).toMatchObject({ severity: 'info' });
    expect(await offline(long, { node_offline: { after: 'a month' } })).toMatchObject({ severity: 'warning' });
  });

  it('openpbs#2579: loses its mark when the server restarts, which repairs nothing: told where all marks go at once', async () => {
    const list = (state: (n: number) => string): Input =>
      nodesFile(Object.fromEntries([1, 2, 3, 4, 5].map((n) => [`n${n}`, { state: state(n), comment: 'bad DIMM' }])));
    const marked = await collect([list((n) => (n < 4 ? (n === 1 ? 'down,offline' : 'offline') : 'free'))]);
    const told = async (state: (n: number) => string): Promise<string[]> =>
      messages(await collectAfter(marked, [list(state)]), 'note').filter((note) => note.includes('offline'));
    expect(await told(() => 'free')).toEqual([
      'all 3 nodes that were offline are in service at once (n[1-3]): a server that restarts can forget the marks (openpbs#2579), and then nothing is repaired',
    ]);
    expect(await told((n) => (n === 1 ? 'down' : 'job-busy'))).toHaveLength(1);
    // One after the other is somebody's work.
    expect(await told((n) => (n === 2 ? 'offline' : 'free'))).toEqual([]);
    // What a run did not see stays known to the next one.
    const blind = await collectAfter(marked, [jobsFile({})]);
    expect(messages(await collectAfter(blind, [list(() => 'free')]), 'note').join()).toContain('openpbs#2579');
  });

  it('that is down as well is one condition, and a second one where jobs hang on it', async () => {
    expect(heads(await collect([nodesFile({ n1: { state: 'down,offline', comment: 'x' } })]))).toEqual(['info node_offline n1']);
    const withJobs = await collect([nodesFile({ n1: { state: 'down,offline', comment: 'x', jobs: ['1.p'] } })]);
    expect(heads(withJobs)).toEqual(['info node_offline n1', 'warning node_down_with_jobs n1']);
  });

  it('is listed by its reason, without numbers and names', async () => {
    const nodes = Object.fromEntries(
      [1, 2, 3, 4, 5].map((n) => [
        `n${n}`,
        { state: 'offline', comment: n < 4 ? `cxi${n} link restarts exceeded thresholds(${n}hr:5)(job 8123${n})` : 'dimm' },
      ]),
    );
    const { summary } = await collect([nodesFile(nodes)]);
    expect(atPointer(summary, '/nodes/outOfService/top')).toEqual([
      { reason: 'cxi1 link restarts exceeded thresholds(1hr:5)(job 81231)', count: 3, names: 'n[1-3]' },
      { reason: 'dimm', count: 2, names: 'n[4-5]' },
    ]);
  });
});

describe('hosts of several vnodes', () => {
  const vnode = (state: string, ncpus = 64): object => ({
    state,
    in_multivnode_host: 1,
    resources_available: { ncpus, mem: '1048576kb', ngpus: 2 },
  });

  it('are one node, and the vnode that stands for the host is no capacity', async () => {
    const result = await collect([
      nodesFile({ h1: vnode('free', 0), 'h1[0]': vnode('job-exclusive'), 'h1[1]': vnode('job-exclusive'), h2: { state: 'free' } }),
    ]);
    expect(result.summary['nodes']).toMatchObject({ total: 2, vnodes: 4, states: { busy: 1, free: 1 } });
    expect(result.facts?.[0]).toMatchObject({ subject: { id: 'h1' }, facts: { cpus: 128, memoryMb: 3072, vnodes: 3 } });
    expect(result.coverage.observed).toEqual({ node: 'h[1-2]' });
  });

  it('make one condition, that names the vnodes where not all are meant', async () => {
    const result = await collect([nodesFile({ h1: vnode('free', 0), 'h1[0]': vnode('free'), 'h1[1]': vnode('Stale') })]);
    expect(heads(result)).toEqual(['warning node_down h1']);
    expect(only(result, 'node_down')).toMatchObject({
      message: 'h1 is down in PBS, state stale (1 of 3 vnodes: h1%5B1%5D)',
      values: { vnodes: 1, vnodesOf: 3 },
    });
    const all = await collect([nodesFile({ h1: vnode('down', 0), 'h1[0]': vnode('down'), 'h1[1]': vnode('down') })]);
    expect(only(all, 'node_down').message).toBe('h1 is down in PBS, state down');
  });

  it('of which a record was lost are not spoken of', async () => {
    const result = await collect([nodesFile({ 'h1[0]': vnode('free'), 'h1[1]': {}, 'h2[0]': vnode('free') })]);
    expect(result.coverage.observed).toEqual({ node: 'h2' });
    expect(messages(result, 'record')).toEqual(['has no state']);
  });
});

describe('what else a node tells', () => {
  it('a MoM of its own name apart from domain is no alias, one of another is, one that serves many is none', async () => {
    const mom = (Mom: unknown): object => ({ state: 'free', Mom });
    const { facts } = await collect([
      nodesFile({
        n1: mom('n1.hostmgmt.cm.example.test'),
        n2: mom('NID000002.hsn.cm.demo.test'),
        n3: mom('login1'),
        n4: mom('login1'),
        n5: mom('<various>'),
        n6: mom('a, b'),
        n7: mom('10.1.2.3'),
        n8: mom(8),
      }),
    ]);
    expect(facts?.map((f) => f.facts['aliases'])).toEqual([
      undefined,
      ['nid000002'],
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('a number in a nid name, sizes in any unit, typed as PBS guesses', async () => {
    const sized = (mem: unknown): object => ({ state: 'free', resources_available: { mem, ncpus: '64', ngpus: -1 } });
    const { facts } = await collect([
      nodesFile({ nid000012: sized('2gb'), n2: sized('1048576b'), n3: sized('1TB'), n4: sized('many'), n5: sized(-4) }),
    ]);
    expect(facts?.map((f) => f.facts['memoryMb'])).toEqual([1, 1_048_576, undefined, undefined, 2048]);
    expect(facts?.at(-1)?.facts).toMatchObject({ nid: 12, cpus: 64 });
    expect(facts?.at(-1)?.facts).not.toHaveProperty('gpus');
  });
});
