import type { Command } from 'commander';
import { FAULTS } from '../eval/faults/index.ts';
import type { Generated, GenerateRequest } from '../eval/generate.ts';
import { LEAST_NODES, MOST_NODES, SpecError } from '../eval/spec.ts';
import { CommandFailed, EXIT } from './session.ts';

/** What writes generated fleets; the entry hands it in, since it writes files. */
export interface FleetWriter {
  generate: (request: GenerateRequest) => Generated;
  advance: (folder: string, ticks: number) => Generated;
}

interface GenerateFlags {
  nodes: string;
  seed: string;
  days: string;
  tick: string;
  start?: string;
  fault?: string[];
  out: string;
  json?: boolean;
}

/** Adds `eval generate`, `eval advance` and `eval faults` to a command `eval`. */
export function addFleetCommands(command: Command, { generate, advance }: FleetWriter, out: (text: string) => void): void {
  command
    .command('generate')
    .description('writes a fleet as raw source files, with configuration and ground truth: run --config DIR/config.yaml works at once')
    .requiredOption('--nodes <N>', `compute nodes, ${LEAST_NODES} to ${MOST_NODES}`)
    .requiredOption('--out <DIR>', 'a new folder, or an empty one')
    .option('--seed <S>', 'everything follows from it: the same seed gives the same bytes', '1')
    .option('--days <D>', 'days of console logs; the other sources are as of their end', '1')
    .option('--tick <MINUTES>', 'minutes between two looks', '60')
    .option('--start <TIME>', 'when the days begin (ISO 8601); the default is a fixed day')
    .option(
      '--fault <FAULT...>',
      'KIND, KIND@WHERE, KIND=FROM..UNTIL or KIND@WHERE=FROM..UNTIL; times from the start (6h) or ISO 8601; see eval faults',
    )
    .option('--json', 'what was made as one JSON document', false)
    .action((flags: GenerateFlags) => {
      const request: GenerateRequest = {
        nodes: Number(flags.nodes),
        seed: Number(flags.seed),
        days: Number(flags.days),
        tickMinutes: Number(flags.tick),
        ...(flags.start !== undefined && { start: flags.start }),
        faults: flags.fault ?? [],
        out: flags.out,
      };
      out(
        told(
          orUsage(() => generate(request)),
          flags,
        ),
      );
    });
  command
    .command('advance <DIR>')
    .description('brings a generated folder some ticks on: console logs grow, the rest is written anew')
    .option('--ticks <N>', 'how many', '1')
    .option('--json', 'what was made as one JSON document', false)
    .action((folder: string, flags: { ticks: string; json?: boolean }) => {
      const ticks = Number(flags.ticks);
      if (!Number.isInteger(ticks) || ticks < 1)
        throw new CommandFailed(`--ticks ${flags.ticks}: expected a whole number of at least 1`, EXIT.usage);
      out(
        told(
          orUsage(() => advance(folder, ticks)),
          { ...flags, out: folder },
        ),
      );
    });
  command
    .command('faults')
    .description('the kinds of faults that can be laid on a fleet')
    .action(() => {
      for (const { kind, title, where } of FAULTS) out(`${kind.padEnd(18)} ${title} (on ${where})\n`);
    });
}

function orUsage(make: () => Generated): Generated {
  try {
    return make();
  } catch (error) {
    throw error instanceof SpecError ? new CommandFailed(error.message, EXIT.usage) : error;
  }
}

function told(made: Generated, { out, json }: { out: string; json?: boolean }): string {
  if (json === true) return `${JSON.stringify(made, null, 2)}\n`;
  const faults = made.faults.map(
    ({ kind, where, from, until }) => `  ${kind} on ${where}, from ${from}${until === null ? '' : ` until ${until}`}\n`,
  );
  return `${out}: tick ${made.tick}, ${Math.round(made.bytes / 1e6)} MB written; its clock is ${made.clock}\n${faults.join('')}`;
}
