import { describe, expect, it } from 'vitest';
import { pbsState } from '../../lib/collectors/pbs_state/index.ts';
import { textOf, UnusableInput } from '../../lib/model/collector.ts';
import { NodeFacts } from '../../lib/model/facts.ts';
import {
  collect,
  collectAfter,
  DAY,
  fixtures,
  heads,
  input,
  jobsFile,
  messages,
  nodesFile,
  NOW,
  only,
  queuesFile,
  serverFile,
  STAMP,
  unreadable,
} from './pbs-inputs.ts';

describe('the bundled cluster', () => {
  it('has nothing but the known-down node on the healthy day, whatever its look-alikes', async () => {
    const result = await collect(fixtures('healthy'));
    expect(heads(result)).toEqual(['info node_offline x1000c0s4b1n1']);
    expect(only(result, 'node_offline')).toMatchObject({
      since: '2026-11-20T14:02:10.000Z',
      values: { state: 'down,offline', reason: 'HW-2291 bad DIMM, replacement ordered', by: null },
      place: { rack: 'x1000', chassis: 'x1000c0', slot: 'x1000c0s4', board: 'x1000c0s4b1' },
    });
    expect(result.coverage).toMatchObject({ records: 95, rejected: 0 });
    expect(messages(result, 'input')).toEqual([]);
    expect(result.asOf).toBe(STAMP * 1000);
  });

  it('tells the stories of the faulty day, and no other', async () => {
    const result = await collect(fixtures('faulty'));
    expect(heads(result)).toEqual([
      'warning node_down_with_jobs x1000c0s2b0n0',
      'info node_offline x1000c0s4b1n1',
      'warning node_down x1001c0s4b1n0',
      'info node_offline x1001c0s5b1n1',
      'critical node_down_with_jobs x1002c0s5b0n0',
      'critical node_down_with_jobs x1002c0s5b0n1',
      'critical node_down_with_jobs x1002c0s5b1n0',
      'critical node_down_with_jobs x1002c0s5b1n1',
      'warning job_stuck_exiting 48190.pbs01.hsn.cm.demo.test',
      'warning job_on_broken_node 48211.pbs01.hsn.cm.demo.test',
      'info job_never_runs 48231.pbs01.hsn.cm.demo.test',
      'warning queue_stopped debug',
    ]);
    expect(only(result, 'job_on_broken_node').message).toBe(
      'job 48211.pbs01.hsn.cm.demo.test in queue prod runs on 4 nodes of which 4 are down: x1002c0s5b[0-1]n[0-1], the longest for 20m 29s',
    );
    expect(only(result, 'job_stuck_exiting').message).toContain('has been exiting for 34m 19s or more (limit 15m); down: x1000c0s2b0n0');
    expect(only(result, 'queue_stopped').message).toBe('queue debug is stopped (started=False) and still takes jobs; 2 jobs wait in it');
    expect(result.coverage.observed).toEqual({
      node: 'x[1000-1002]c0s[0-5]b[0-1]n[0-1]',
      job: 'all',
      queue: 'all',
      scheduler: 'pbs01.hsn.cm.demo.test',
      reservation: 'M77,R2210',
    });
  });

  it('hands ground truth what PBS knows: who is out and why, maintenance, the image that a node runs', async () => {
    const result = await collect(fixtures('faulty'));
    const factsOf = (type: string, id: string): unknown => result.facts?.find((f) => f.subject.type === type && f.subject.id === id)?.facts;
    expect(factsOf('node', 'x1001c0s5b1n1')).toMatchObject({
      schedulerState: 'offline',
      schedulerReason: 'HW-2305 GPU exchanged, under test',
      offline: { reason: 'HW-2305 GPU exchanged, under test', by: null, since: '2026-11-29T15:20:00.000Z' },
      aliases: ['nid000048'],
      cpus: 128,
      gpus: 4,
      memoryMb: 515_322,
    });
    expect(factsOf('node', 'x1001c0s0b0n0')).toMatchObject({ bootedImage: 'cos-2026.08', jobs: 1 });
    expect(factsOf('node', 'x1001c0s5b0n0')).toMatchObject({ maintenance: 'M77', queues: ['M77'] });
    expect(factsOf('queue', 'debug')).toMatchObject({ started: false, draining: false, image: 'cos-2026.11' });
    expect(factsOf('reservation', 'M77')).toMatchObject({
      kind: 'maintenance',
      state: 'RESV_CONFIRMED',
      start: '2026-12-01T15:00:00.000Z',
      end: '2026-12-01T19:00:00.000Z',
      names: 'x1001c0s5b0n[0-1]',
    });
    const ofNodes = (result.facts ?? []).filter((f) => f.subject.type === 'node');
    expect(ofNodes.map(({ facts }) => NodeFacts.safeParse(facts).error).filter(Boolean)).toEqual([]);
    expect(result.summary).toMatchObject({ reservations: { maintenance: { top: [{ id: 'M77', count: 2, names: 'x1001c0s5b0n[0-1]' }] } } });
  });

  it('keeps nobody and no environment', async () => {
    for (const day of ['healthy', 'faulty'] as const) {
      const text = JSON.stringify(await collect(fixtures(day)));
      expect(text).not.toMatch(/user\d\d|operator|PBS_O_|scratch|login1|md_prod/);
    }
  });

  it('repairs what the captures of both days hold, and says so', async () => {
    const result = await collect(fixtures('faulty'));
    expect(result.coverage.problems).toEqual([
      {
        effect: 'note',
        input: 'qstat-f.json',
        place: expect.stringMatching(/^first at line \d+ column 26$/),
        message: 'repaired 1 × bare number',
      },
    ]);
  });

  it('does not depend on the order of files', async () => {
    const files = fixtures('faulty');
    const { coverage, ...one } = await collect(files);
    const { coverage: other, ...two } = await collect(files.toReversed());
    expect(two).toEqual(one);
    expect(other.observed).toEqual(coverage.observed);
  });
});

describe('documents', () => {
  const nodes = nodesFile({ n1: { state: 'free' }, n2: { state: 'down' } });

  it('are known by their content, whatever their names', async () => {
    const result = await collect([
      { ...nodes, name: 'a' },
      { ...jobsFile({ '1.pbs01': { job_state: 'R' } }), name: 'b' },
    ]);
    expect(result.coverage.observed).toEqual({ node: 'n[1-2]', job: 'all' });
  });

  it('without records are known by role or name: an idle cluster has no job', async () => {
    const idle = { timestamp: STAMP, pbs_version: '23.06.06', pbs_server: 'pbs01' };
    expect((await collect([input('qstat-f.json', idle)])).coverage).toMatchObject({ records: 0, rejected: 0, observed: { job: 'all' } });
    expect((await collect([input('x', idle, { role: 'jobs' })])).coverage.observed).toEqual({ job: 'all' });
    await expect(collect([input('x.json', idle)])).rejects.toThrow(UnusableInput);
  });

  it('openpbs#2675: with a listing before them lose nothing of what they hold, and are told', async () => {
    const json = await textOf(jobsFile({ '1.pbs01': { job_state: 'R' } }));
    const result = await collect([input('qstat.txt', `pbs01:\nJob ID  S\n1.pbs01 R\n${json}`)]);
    expect(result.summary).toMatchObject({ jobs: { total: 1 }, documents: [{ repairs: { text_before: 1 } }] });
  });

  it('that are none of ours are noted in a folder, and are a fault where they were given or are named as ours', async () => {
    const foreign = await collect([nodes, input('readme.txt', 'see wiki'), input('other.json', { nodes: [] }), input('empty.log', '')]);
    expect(messages(foreign, 'input')).toEqual([]);
    expect(messages(foreign, 'note')).toHaveLength(4);
    const named = await collect([
      nodes,
      input('qstat-f.json', 'qstat: cannot connect to server pbs01 (errno=111)'),
      input('q', '[]', { role: 'queues' }),
    ]);
    expect(messages(named, 'input')).toEqual([
      expect.stringContaining('no JSON'),
      'holds no nodes, jobs, server, queues or reservations of PBS; expected what `qstat -Qf -F json` prints',
    ]);
  });

  it('that are empty, unreadable or cut make the source partial, and the others go on', async () => {
    const cut = input(
      'qstat-f.json',
      JSON.stringify({ pbs_server: 'p', Jobs: { '1.p': { job_state: 'R' }, '2.p': { job_state: 'Q' } } }).slice(0, -9),
    );
    const result = await collect([nodes, input('qstat-Qf.json', ''), unreadable('qstat-Bf.json'), cut]);
    expect(messages(result, 'input')).toEqual([
      'empty: qstat -Qf -F json printed nothing, as it does where it fails or knows no record',
      'lies on a stale mount',
      'ends in the middle: the capture was cut short',
    ]);
    expect(heads(result)).toEqual(['warning node_down n2']);
    expect(result.coverage.observed).toEqual({ node: 'n[1-2]', job: '1.p' });
  });

  it('of a folder with nothing usable fail the source', async () => {
    await expect(collect([])).rejects.toThrow(UnusableInput);
    await expect(collect([input('pbsnodes.json', '')])).rejects.toMatchObject({ name: 'UnusableInput', input: 'pbsnodes.json' });
    await expect(collect([nodesFile({ n1: {}, n2: [] })])).rejects.toThrow('has no state');
  });

  it('that lag behind the newest are not used, since what they tell may be over', async () => {
    const old = queuesFile({ debug: { started: 'False', enabled: 'True' } }, { timestamp: STAMP - 3 * 86_400 });
    const result = await collect([nodes, old]);
    expect(heads(result)).toEqual(['warning node_down n2']);
    expect(messages(result, 'input')[0]).toContain('is 3d older than the newest document');
    expect(result.coverage.observed).toEqual({ node: 'n[1-2]' });
    const allowed = await collect([nodes, old], { config: pbsState.options.parse({ max_lag: '7d' }) });
    expect(heads(allowed)).toContain('warning queue_stopped debug');
    expect(allowed.asOf).toBe(STAMP * 1000 - 3 * DAY);
  });

  it('of one kind: the newest counts', async () => {
    const older = { ...nodesFile({ n1: { state: 'down' }, n2: { state: 'down' } }, { timestamp: STAMP - 60 }), name: 'pbsnodes.1.json' };
    const result = await collect([older, nodes]);
    expect(heads(result)).toEqual(['warning node_down n2']);
    expect(messages(result, 'note')).toContain('another document of nodes is newer; this one was not used');
  });

  it('that an earlier run read and that are gone make the source partial', async () => {
    const first = await collect([nodes, jobsFile({})]);
    expect(messages(first, 'input')).toEqual([]);
    expect(messages(await collectAfter(first, [nodes]), 'input')).toEqual([
      'no current document of jobs (`qstat -f -F json`), which an earlier run read',
    ]);
  });

  it('that were pushed speak of what they hold and of nothing else', async () => {
    const first = await collect([
      nodes,
      jobsFile({
        '1.pbs01': { job_state: 'E', obittime: 'Mon Nov 30 00:00:00 2026' },
        '2.pbs01': { job_state: 'R', mtime: 'Mon Nov 30 01:43:00 2026' },
      }),
    ]);
    expect(heads(first)).toContain('warning job_stuck_exiting 1.pbs01');
    const pushed = await collectAfter(first, [{ ...jobsFile({ '2.pbs01': { job_state: 'R' } }), pushed: true }]);
    expect(pushed.coverage.observed).toEqual({ job: '2.pbs01' });
    expect(messages(pushed, 'input')).toEqual([]);
    expect(pushed.carry).toEqual(first.carry);
  });

  it('openpbs#1333: of `pbsnodes -S` are refused by name', async () => {
    const summary = nodesFile({ node0017: { State: 'offline', 'Total Jobs': 8, jobs: ['30right01-ght01-thx'] } });
    await expect(collect([summary])).rejects.toThrow('openpbs#1333');
  });

  it('with bytes of another encoding are read, and told', async () => {
    const latin = new TextEncoder()
      .encode(JSON.stringify({ pbs_server: 'p', nodes: { n1: { state: 'offline', comment: 'dQfaut' } } }))
      .map((b) => (b === 81 ? 0xe9 : b));
    const result = await collect([input('pbsnodes.json', latin)]);
    expect(only(result, 'node_offline').values?.['reason']).toBe('d\ufffdfaut');
    expect(messages(result, 'note')).toContain('repaired 1 × not utf8');
  });

  it('without a time of their own are dated by their file', async () => {
    const undated = input(
      'pbsnodes.json',
      { pbs_server: 'p', nodes: { n1: { state: 'down', last_state_change_time: STAMP } } },
      { mtime: new Date(STAMP * 1000 + 90_000).toISOString() },
    );
    const result = await collect([undated]);
    expect(result.asOf).toBeUndefined();
    expect(only(result, 'node_down').message).toContain('for 1m 30s');
  });
});

describe('records that cannot be used', () => {
  it('one among 12,000 costs one: counted, named, the rest digested', { timeout: 60_000 }, async () => {
    const records = Object.fromEntries(Array.from({ length: 12_000 }, (_, i) => [`n${i}`, { state: i % 100 === 0 ? 'down' : 'free' }]));
    const text = (await textOf(nodesFile(records))).replace('"n5000":{"state":"down"}', '"n5000":{"state":"down}');
    const result = await collect([input('pbsnodes.json', text)]);
    expect(result.coverage).toMatchObject({ records: 11_999, rejected: 1 });
    expect(result.coverage.problems[0]).toMatchObject({
      effect: 'record',
      input: 'pbsnodes.json',
      place: expect.stringContaining('/nodes/n5000 line 1 column'),
    });
    expect(result.conditions).toHaveLength(119);
    expect(messages(result, 'input')).toEqual([]);
    expect(JSON.stringify(result.summary).length).toBeLessThan(6000);
  });

  it('have names that are none, or lack what makes them a record', async () => {
    const result = await collect([
      nodesFile({
        n1: { state: 'free' },
        '': { state: 'down' },
        ['x'.repeat(300)]: { state: 'down' },
        'a\u0000b': { state: 'down' },
        n2: {},
        n3: null,
        n4: { state: 7 },
      }),
      jobsFile({ '1.p': { job_state: 'R' }, '2.p': { job_state: 'running' }, '3.p': [] }),
      queuesFile({ q: {}, debug: { started: 'True' } }),
    ]);
    expect(result.coverage).toMatchObject({ records: 3, rejected: 9 });
    expect(result.coverage.observed).toEqual({ node: 'n1', job: '1.p', queue: 'debug' });
    expect(heads(result)).toEqual([]);
  });

  it('name prototypes without harm', async () => {
    const text = '{"pbs_server":"p","nodes":{"__proto__":{"state":"down"},"constructor":{"state":"offline"},"..":{"state":"down"}}}';
    const result = await collect([
      input('pbsnodes.json', text),
      input('qstat-Bf.json', '{"pbs_server":"p","Server":{"__proto__":{"scheduling":"False","state_count":"__proto__:3"}}}'),
    ]);
    expect(heads(result)).toEqual([
      'warning node_down ..',
      'warning node_down __proto__',
      'warning node_offline constructor',
      'warning scheduling_paused __proto__',
    ]);
    expect(({} as { state?: string }).state).toBeUndefined();
  });
});

describe('the server and its queues', () => {
  it('scheduling that is off is critical while jobs wait', async () => {
    const server = {
      server_state: 'Idle',
      scheduling: 'False',
      state_count: 'Transit:0 Queued:150 Held:44 Waiting:0 Running:72 Exiting:0 Begun:0 ',
    };
    const result = await collect([serverFile(server)]);
    expect(heads(result)).toEqual(['critical scheduling_paused pbs01']);
    expect(only(result, 'scheduling_paused')).toMatchObject({
      subject: { type: 'scheduler', id: 'pbs01' },
      message: 'scheduling is off on pbs01 (scheduling=False, server state Idle): no job is started; 150 jobs wait, 72 run on',
      values: { queued: 150, running: 72 },
    });
    expect(heads(await collect([serverFile({ ...server, state_count: 'Queued:0 ' })]))).toEqual(['warning scheduling_paused pbs01']);
    expect(heads(await collect([serverFile({ ...server, scheduling: 'True' })]))).toEqual([]);
    // Typed as some releases do.
    expect(heads(await collect([serverFile({ ...server, scheduling: false })]))).toEqual(['critical scheduling_paused pbs01']);
  });

  it('counters below zero are told, and stop nothing', async () => {
    const result = await collect([
      serverFile({
        scheduling: 'True',
        resources_assigned: { mem: '-12gb', ncpus: -230_256, nodect: -1107, mpiprocs: 0 },
        state_count: 'Queued:-3 Running:72 ',
      }),
      queuesFile({ prod: { started: 'True', resources_assigned: { ncpus: -4 } } }),
    ]);
    expect(heads(result)).toEqual(['info server_counters_corrupt pbs01', 'info server_counters_corrupt prod']);
    expect(result.conditions[0]).toMatchObject({
      message: 'counters of scheduler pbs01 are below zero: mem -12, ncpus -230256, nodect -1107, queued -3',
      values: { counters: 4, 'counter ncpus': -230_256 },
    });
  });

  it('stopped queues are told, but for those of reservations and retired ones; draining ones are in the summary', async () => {
    const busy = 'Transit:0 Queued:7 Held:0 Waiting:0 Running:2 Exiting:0 Begun:0 ';
    const result = await collect([
      queuesFile({
        prod: { enabled: 'True', started: 'True', state_count: busy },
        debug: { enabled: 'True', started: 'False', state_count: busy },
        closed: { enabled: 'False', started: 'False', state_count: busy },
        retired: { enabled: 'False', started: 'False', state_count: 'Queued:0 Running:0 ' },
        draining: { enabled: 'False', started: 'True', state_count: busy },
        R123: { enabled: 'True', started: 'False', state_count: busy },
        M5: { enabled: 'False', started: 'False', state_count: busy },
      }),
    ]);
    expect(heads(result)).toEqual(['warning queue_stopped closed', 'warning queue_stopped debug']);
    expect(only({ ...result, conditions: result.conditions.slice(0, 1) }, 'queue_stopped').message).toContain(
      'takes no new jobs; 7 jobs wait',
    );
    expect(result.summary['queues']).toMatchObject({
      total: 5,
      ofReservations: 2,
      draining: { top: [{ name: 'draining', queued: 7, running: 2 }] },
    });
  });
});

describe('the definition', () => {
  it('declares every kind with a hint and where it comes from', () => {
    expect(pbsState.kinds.map((k) => k.kind)).toEqual([...new Set(pbsState.kinds.map((k) => k.kind))]);
    for (const kind of pbsState.kinds) {
      expect(kind.hint.length).toBeGreaterThan(40);
      expect(kind.provenance).not.toBe('');
    }
  });

  it('takes a default for every option and refuses unknown ones', () => {
    expect(pbsState.options.parse({})).toEqual({ max_lag: 15 * 60_000, image_resource: 'hpcm_image' });
    expect(pbsState.options.safeParse({ max_lagg: '5m' }).success).toBe(false);
    expect(NOW).toBeGreaterThan(STAMP * 1000);
  });
});
