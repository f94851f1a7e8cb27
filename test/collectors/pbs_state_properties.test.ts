import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UnusableInput } from '../../lib/model/collector.ts';
import { compareSeverity } from '../../lib/model/condition.ts';
import { pbsState } from '../../lib/collectors/pbs_state/index.ts';
import { collect, input, jobsFile, nodesFile, queuesFile, reading, serverFile } from './pbs-inputs.ts';

const name = fc.oneof(
  fc.stringMatching(/^n[0-9]{1,3}(\[[0-2]\])?$/),
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.constant('__proto__'),
);
const state = fc.constantFrom(
  'free',
  'down',
  'Stale',
  'offline',
  'down,offline',
  'job-exclusive',
  'state-unknown',
  'sleep',
  'new-one',
  '',
  '<various>',
);
const junk = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.integer(),
  fc.constant(null),
  fc.constant([]),
  fc.constant({}),
  fc.boolean(),
);
const loose = (shape: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<unknown> =>
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record(Object.fromEntries(Object.entries(shape).map(([k, v]) => [k, fc.oneof({ weight: 6, arbitrary: v }, junk)])), {
        requiredKeys: [],
      }),
    },
    junk,
  );
const node = loose({
  state,
  comment: junk,
  jobs: fc.array(name, { maxLength: 3 }),
  last_state_change_time: fc.integer({ min: 1_790_000_000, max: 1_797_000_000 }),
  resources_available: fc.dictionary(name, junk, { maxKeys: 3 }),
  resv: name,
  Mom: name,
});
const job = loose({
  job_state: fc.constantFrom('R', 'Q', 'H', 'E', 'B', 'F', 'S'),
  substate: fc.constantFrom(10, 20, 41, 42, 51, 71),
  queue: name,
  comment: fc.constantFrom('Can Never Run: x (1)', 'Not Running: y', 'job held, too many failed attempts to run'),
  exec_vnode: fc.array(name, { maxLength: 3 }).map((names) => names.map((n) => `(${n}:ncpus=1)`).join('+')),
  mtime: fc.integer({ min: 0, max: 864e5 }).map(reading),
  run_count: fc.nat(30),
  Hold_Types: fc.constantFrom('s', 'u', 'n'),
});
const queue = loose({
  started: fc.constantFrom('True', 'False'),
  enabled: fc.constantFrom('True', 'False'),
  state_count: fc.constantFrom('Queued:3 ', 'Queued:-1 Running:2 ', ''),
});
const records = (of: fc.Arbitrary<unknown>): fc.Arbitrary<[string, unknown][]> =>
  fc.uniqueArray(fc.tuple(name, of), { maxLength: 12, selector: ([key]) => key.trim().toLowerCase().normalize('NFC') });

describe('any records', () => {
  it('give the same output in any order, with subjects and severities that are declared', { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(records(node), records(job), records(queue), fc.infiniteStream(fc.nat()), async (nodes, jobs, queues, random) => {
        const shuffled = <T>(list: readonly T[]): T[] =>
          list
            .map((item) => [random.next().value as number, item] as const)
            .sort(([a], [b]) => a - b)
            .map(([, item]) => item);
        const files = (order: <T>(list: readonly T[]) => readonly T[]) =>
          order([
            nodesFile(Object.fromEntries(order(nodes))),
            jobsFile(Object.fromEntries(order(jobs))),
            queuesFile(Object.fromEntries(order(queues))),
            serverFile({ scheduling: 'False' }),
          ]);
        const one = await collect(files((list) => list));
        const two = await collect(files(shuffled));
        const { problems, ...coverage } = one.coverage;
        const { problems: others, ...coverageToo } = two.coverage;
        expect({ ...two, coverage: coverageToo }).toEqual({ ...one, coverage });
        expect(others).toHaveLength(problems.length);
        for (const condition of one.conditions) {
          const kind = pbsState.kinds.find((k) => k.kind === condition.kind);
          expect(kind?.subjects).toContain(condition.subject.type);
          expect(condition.subject.id).not.toBe('');
          expect(condition.message).not.toMatch(/[\u0000-\u001f\u007f]/);
          expect(compareSeverity(condition.severity ?? 'info', 'info')).toBeLessThanOrEqual(0);
        }
        const keys = one.conditions.map((c) => JSON.stringify([c.kind, c.subject]));
        expect(new Set(keys).size).toBe(keys.length);
        expect(structuredClone(one)).toEqual(one);
        expect(pbsState.carry.safeParse(JSON.parse(JSON.stringify(one.carry))).error).toBeUndefined();
      }),
      { numRuns: 100 },
    );
  });
});

describe('any bytes', () => {
  it('throw nothing but UnusableInput', { timeout: 60_000 }, async () => {
    const names = fc.constantFrom('pbsnodes.json', 'qstat-f.json', 'qstat-Bf.json', 'qstat-Qf.json', 'pbs_rstat.txt', 'other');
    const lines = fc.array(
      fc.constantFrom(
        'Resv ID: ',
        'Resv ID: M1.p',
        'reserve_start = x',
        'resv_nodes = (a:b)+((',
        ' = ',
        '__proto__ = 1',
        '{"pbs_server":"p",',
        '"Jobs":{"1.p":{"job_state":',
        '"E"',
        '}}}',
        '"nodes":[',
      ),
      { maxLength: 8 },
    );
    const content = fc.oneof(
      fc.uint8Array({ maxLength: 60 }),
      lines.map((l) => new TextEncoder().encode(l.join('\n'))),
      fc.json().map((j) => new TextEncoder().encode(`{"pbs_server":"p","nodes":${j},"Jobs":${j},"Server":${j}}`)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(names, content), { maxLength: 4 }), async (files) => {
        const inputs = files.map(([file, bytes]) => input(file, bytes));
        const problems = await collect(inputs).then(
          (result) => result.coverage.problems,
          (error: unknown) => {
            if (error instanceof UnusableInput) return [];
            throw error;
          },
        );
        expect(problems.filter((p) => p.effect === 'record').length).toBeLessThanOrEqual(20);
      }),
      { numRuns: 500 },
    );
  });
});

describe('a machine of 12,000 nodes and 20,000 jobs', () => {
  it('has a summary under 6 kB and no list that grows with it', { timeout: 60_000 }, async () => {
    const states = ['free', 'job-exclusive', 'down', 'offline', 'down,offline', 'resv-exclusive', 'state-unknown', 'sleep', 'provisioning'];
    // As scattered as it gets: neighbours never share a state.
    const nodes = Object.fromEntries(
      Array.from({ length: 12_000 }, (_, i) => [
        `x${1000 + Math.floor(i / 256)}c${Math.floor(i / 32) % 8}s${Math.floor(i / 4) % 8}b${Math.floor(i / 2) % 2}n${i % 2}`,
        {
          state: states[(i * 7 + (i >> 3)) % states.length],
          comment: `reason ${String.fromCharCode(97 + (i % 26))} of nobody in particular`,
          resv: `M${i % 40}.p`,
        },
      ]),
    );
    const jobs = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, i) => [
        `${i}.pbs01`,
        { job_state: 'QHRE'[i % 4], queue: `q${i % 300}`, comment: `Not Running: reason ${String.fromCharCode(97 + (i % 26))} (${i})` },
      ]),
    );
    const queues = Object.fromEntries(
      Array.from({ length: 300 }, (_, i) => [
        `queue${i * 3}`,
        { started: 'False', enabled: 'True', resources_default: { hpcm_image: `image${i}` } },
      ]),
    );
    const result = await collect([nodesFile(nodes), jobsFile(jobs), queuesFile(queues), serverFile({ scheduling: 'True' })]);
    expect(result.coverage).toMatchObject({ records: 32_301, rejected: 0 });
    expect(JSON.stringify(result.summary).length).toBeLessThan(6000);
    expect(Object.keys(result.series ?? {}).length).toBeLessThanOrEqual(50);
    for (const { message } of result.conditions) expect(message.length).toBeLessThan(700);
  });
});
