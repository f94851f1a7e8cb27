import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { addEvalCommands, type Evaluator } from '../../lib/cli/eval.ts';
import type { Evaluation } from '../../lib/eval/evaluate.ts';
import type { Played } from '../../lib/eval/played.ts';

const PLAYED: Played = {
  schema: 'hpc-observer/played/1',
  name: 'gpu/0',
  class: 'gpu',
  seed: 1,
  sha256: '',
  faults: [],
  looks: 11,
  shown: [{ key: 'gpu_xid node n', since: 2, first: 3, due: 5, seen: 5, severity: null, falselyResolved: 0 }],
  falseAlarms: [],
  open: 5,
  identity: { things: 1, split: 0, merged: 0 },
  evidence: { refs: 1, held: 1 },
  averagePrecision: 1,
  places: { groups: 0, right: 0 },
  busyMs: 0,
  asked: {},
};

async function evaluation(argv: string[], more: Partial<Evaluator> = {}) {
  const files = new Map<string, string>();
  const asked: Evaluation[] = [];
  const ran = { out: '', err: '', status: 0 };
  const program = new Command().exitOverride();
  addEvalCommands(
    program.command('eval'),
    {
      evaluate: async (wanted, say) => {
        asked.push(wanted);
        say('1 of 1 played');
        return [PLAYED];
      },
      readResults: () => [],
      readText: (file) => files.get(file) ?? '',
      writeText: (file, text) => void files.set(file, text),
      processors: 2,
      key: 'secret',
      ...more,
    },
    { out: (text) => void (ran.out += text), err: (text) => void (ran.err += text), finish: (status) => void (ran.status = status) },
  );
  await program.parseAsync(['eval', ...argv], { from: 'user' });
  return { ...ran, asked, files };
}

describe('eval run', () => {
  it('plays the default evaluation, with the whole ladder, and leaves the board in three forms', async () => {
    const { asked, files, out, err, status } = await evaluation(['run']);
    expect(asked).toMatchObject([{ seed: 1, faults: 100, days: 60, jobs: 2, out: 'eval-results.jsonl', fresh: false }]);
    expect(asked[0]?.entries.length).toBeGreaterThan(15);
    expect([...files.keys()]).toEqual(['eval-board.md', 'eval-board.json', 'eval-board.svg']);
    expect(out).toBe(files.get('eval-board.md'));
    expect([err, status]).toEqual(['1 of 1 played\n', 0]);
  });

  it('asks a real model, and no mock that is not named', async () => {
    const flags = ['--model-url', 'http://127.0.0.1:1/v1', '--model-name', 'm', '--times', '3', '--class', 'judgment', 'healthy'];
    const { asked } = await evaluation(['run', ...flags, '--mock', 'perfect']);
    expect(asked[0]).toMatchObject({ classes: ['judgment', 'healthy'] });
    expect(asked[0]?.entries).toMatchObject([
      { name: 'perfect', times: 3 },
      { name: 'm', times: 3, key: 'secret', model: { url: 'http://127.0.0.1:1/v1', name: 'm' } },
    ]);
    expect((await evaluation(['run', '--mock', 'none'])).asked[0]?.entries).toEqual([]);
  });

  it('fails when a gate does not hold, and says which', async () => {
    const missed = { ...PLAYED, shown: PLAYED.shown.map((s) => ({ ...s, seen: 4 })) };
    const { status, err } = await evaluation(['run'], { evaluate: async () => [missed] });
    expect(status).toBe(1);
    expect(err).toBe('does not hold: not everything was seen in 1 of 1 scenarios: gpu/0\n');
  });

  it('refuses what it does not know', async () => {
    for (const flags of [
      ['--class', 'weather'],
      ['--mock', 'genius'],
      ['--days', '-1'],
      ['--model-url', 'http://127.0.0.1/v1'],
    ])
      await expect(evaluation(['run', ...flags])).rejects.toThrow(/weather|genius|--days|--model-name/);
    await expect(evaluation(['board'])).rejects.toThrow('holds no results');
  });
});

it('a scenario file gives the same bytes again, and another seed does not', async () => {
  const printed = (await evaluation(['scenario', 'judgment/9'])).out;
  const readText = (file: string): string => (file === 'same' ? printed : printed.replace(/"seed": \d+/, '"seed": 3'));
  expect(await evaluation(['replay', 'same'], { readText })).toMatchObject({ status: 0, out: expect.stringContaining('as in the file') });
  expect(await evaluation(['replay', 'other'], { readText })).toMatchObject({ status: 1, out: expect.stringContaining('and not') });
}, 60_000);
