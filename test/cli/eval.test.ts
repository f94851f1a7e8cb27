import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { addFleetCommands, type FleetWriter } from '../../lib/cli/fleet-commands.ts';
import { CommandFailed } from '../../lib/cli/session.ts';
import type { GenerateRequest } from '../../lib/eval/generate.ts';
import { SpecError } from '../../lib/eval/spec.ts';

/** Runs `eval …` with a writer that only says what it was asked for. */
async function evalCommand(argv: string[], writer: Partial<FleetWriter> = {}): Promise<{ out: string; asked: unknown[] }> {
  const asked: unknown[] = [];
  let out = '';
  const made = {
    clock: '2026-12-01T00:00:00.000Z',
    tick: 24,
    bytes: 2_000_000,
    faults: [{ kind: 'leak', where: 'd0', from: 'A', until: 'B' }],
  };
  const program = new Command().exitOverride();
  addFleetCommands(
    program.command('eval'),
    {
      generate: (request: GenerateRequest) => {
        asked.push(request);
        return made;
      },
      advance: (folder, ticks) => {
        asked.push([folder, ticks]);
        return { ...made, faults: [] };
      },
      ...writer,
    },
    (text) => {
      out += text;
    },
  );
  await program.parseAsync(['eval', ...argv], { from: 'user' });
  return { out, asked };
}

describe('eval on the command line', () => {
  it('generate hands on what was asked for, and tells what was made', async () => {
    const { out, asked } = await evalCommand(
      ['generate', '--nodes', '64', '--out', 'F', '--seed', '7', '--days', '2', '--tick', '30'].concat([
        '--fault',
        'leak@d0=1h..2h',
        'oom',
      ]),
    );
    expect(asked).toEqual([{ nodes: 64, seed: 7, days: 2, tickMinutes: 30, faults: ['leak@d0=1h..2h', 'oom'], out: 'F' }]);
    expect(out).toBe('F: tick 24, 2 MB written; its clock is 2026-12-01T00:00:00.000Z\n  leak on d0, from A until B\n');
  });

  it('tells it as JSON where that is asked for', async () => {
    const { out } = await evalCommand(['generate', '--nodes', '64', '--out', 'F', '--json']);
    expect(JSON.parse(out)).toMatchObject({ tick: 24, faults: [{ kind: 'leak', where: 'd0' }] });
  });

  it('advance takes a folder and a number of ticks', async () => {
    expect((await evalCommand(['advance', 'F', '--ticks', '3'])).asked).toEqual([['F', 3]]);
    await expect(evalCommand(['advance', 'F', '--ticks', '0'])).rejects.toThrow(/at least 1/);
  });

  it('what cannot be generated is a mistake of usage, anything else is none', async () => {
    const generate = (error: Error) => ({
      generate: () => {
        throw error;
      },
    });
    const argv = ['generate', '--nodes', '10', '--out', 'F'];
    await expect(evalCommand(argv, generate(new SpecError('too few')))).rejects.toMatchObject({
      name: 'CommandFailed',
      status: 2,
      message: 'too few',
    });
    await expect(evalCommand(argv, generate(new Error('no space left')))).rejects.not.toBeInstanceOf(CommandFailed);
  });

  it('faults lists every kind with what it is laid on', async () => {
    const lines = (await evalCommand(['faults'])).out.trimEnd().split('\n');
    expect(lines.length).toBeGreaterThan(20);
    expect(lines[0]).toMatch(/^kernel_panic +.+ \(on a node\)$/);
  });
});
