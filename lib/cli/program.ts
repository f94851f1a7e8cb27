import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { ConfigError } from '../config.ts';
import { VERSION } from '../version.ts';
import { CommandFailed, type CommonFlags, EXIT, type Session, type WithSession } from './session.ts';
import type { Streams } from './eval.ts';
import { explainCommand } from './explain.ts';
import { ackCommand, type AckFlags, lintAlone, lintCommand, silenceCommand, type SilenceFlags } from './ground-truth.ts';
import { historyCommand, type HistoryFlags } from './history.ts';
import { auditCommand, kindsCommand, replayCommand } from './checks.ts';
import { doctorCommand } from './doctor.ts';
import { collectCommand, diffCommand, runCommand, tickCommand } from './steps.ts';
import { findingsCommand, reportCommand, snapshotCommand, toolsCommand } from './stored.ts';

/** What a site may say about its units; everything has a default but where they go. */
export interface UnitFlags {
  out: string;
  user?: string;
  group?: string;
  config?: string;
  stateRoot?: string;
  reportRoot?: string;
  readGroup?: string[];
  address?: string[];
  headerFile?: string;
  curl?: string;
  logger?: string;
}

export interface Entries {
  withSession: WithSession;
  /** Runs the server until it is told to stop. */
  serve: (flags: CommonFlags & { listen?: string; socket?: string }) => Promise<number>;
  /** Writes the systemd units; answers the files. */
  writeUnits: (flags: UnitFlags) => Promise<string[]>;
  /** Adds the commands below `eval`. */
  addEvaluation: (command: Command, streams: Streams) => Promise<void>;
  /** A file of the person who asks. */
  readText: (file: string) => string;
  /** Whether flags or environment name a configuration. */
  isConfigured: (flags: CommonFlags) => boolean;
  /** Who asks; undefined where nobody knows. */
  user: string | undefined;
  now: () => number;
  out: (text: string) => void;
  err: (text: string) => void;
}

type Work = (session: Session) => Promise<number>;

/**
 * Parses the command line and runs the command that it names.
 * @returns the exit status: 0 done, 1 a source failed or no report could be stored, 2 usage or configuration
 */
export async function runProgram(argv: readonly string[], entries: Entries): Promise<number> {
  let status: number = EXIT.done;
  try {
    const program = await buildProgram(argv, entries, (s) => {
      status = s;
    });
    await program.parseAsync([...argv], { from: 'user' });
    return status;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    if (error instanceof CommandFailed) {
      entries.err(`${error.message}\n`);
      return error.status;
    }
    if (error instanceof ConfigError) {
      entries.err(`${error.mistakes.join('\n')}\n`);
      return EXIT.usage;
    }
    entries.err(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    return EXIT.failed;
  }
}

async function buildProgram(argv: readonly string[], entries: Entries, finish: (status: number) => void): Promise<Command> {
  const program = new Command('hpc-observer')
    .description('Read-only observability agent for HPC clusters.')
    .version(VERSION)
    .exitOverride()
    .configureOutput({ writeOut: entries.out, writeErr: entries.err });

  const command = (usage: string, description: string): Command =>
    program
      .command(usage)
      .description(description)
      .option('--config <FILE>', 'configuration (YAML); also OBSERVER_CONFIG')
      .addOption(
        new Option('--demo [day]', 'the bundled cluster instead of a configuration')
          .choices(['faulty', 'healthy'])
          .preset('faulty')
          .conflicts('config'),
      )
      .option('--state-root <DIR>', 'where state is kept; also OBSERVER_STATE_ROOT')
      .option('--report-root <DIR>', 'where reports are written; also OBSERVER_REPORT_ROOT')
      .option('--clock <TIME>', 'a clock that stands at this time (ISO 8601), for generated and recorded data')
      .option('--json', 'the result as one JSON document on stdout', false);
  const withModel = (c: Command): Command =>
    c
      .option('--model-url <URL>', 'an OpenAI-compatible endpoint, such as http://127.0.0.1:8000/v1')
      .option('--model-name <NAME>', 'the model to ask for there')
      .addOption(new Option('--mock <NAME>', 'a built-in mock instead of a model').conflicts(['modelUrl', 'modelName']))
      .option('--no-model', 'the deterministic report alone')
      .option('--no-notify', 'send nothing to any sink');
  const run = async (flags: CommonFlags, work: Work): Promise<void> => finish(await entries.withSession(flags, work));

  withModel(command('self-test', 'the whole loop on the bundled cluster with the built-in mock model'))
    .addOption(new Option('--day <day>', 'which day of the bundled cluster').choices(['faulty', 'healthy']).default('faulty'))
    .action(async (flags: CommonFlags & { day: 'faulty' | 'healthy' }) => {
      const usesModel = flags.modelUrl !== undefined || flags.mock !== undefined || flags.model === false;
      await run({ ...flags, demo: flags.day, ...(!usesModel && { mock: 'reasoner' }) }, (s) => runCommand(s, flags.json === true));
    });
  command('collect [SOURCE...]', 'the sense half: collectors → snapshots').action(async (sources: string[], flags: CommonFlags) =>
    run(flags, (s) => collectCommand(s, sources, flags.json === true)),
  );
  command('diff', 'what changed since the last diff').action(async (flags: CommonFlags) =>
    run(flags, (s) => diffCommand(s, flags.json === true)),
  );
  withModel(command('tick', 'one run of the agent over what is stored: findings, assessment, report')).action(async (flags: CommonFlags) =>
    run(flags, (s) => tickCommand(s, flags.json === true)),
  );
  withModel(command('run', 'collect, diff, tick')).action(async (flags: CommonFlags) =>
    run(flags, (s) => runCommand(s, flags.json === true)),
  );
  withModel(command('serve', 'HTTP server, 127.0.0.1:8787 by default'))
    .option('--listen <ADDRESS>', 'host:port')
    .option('--socket <PATH>', 'a unix socket instead of a port')
    .action(async (flags: CommonFlags & { listen?: string; socket?: string }) => finish(await entries.serve(flags)));
  command('snapshot <SOURCE> [WHICH]', 'a stored snapshot as JSON: latest (default), previous, or its timestamp').action(
    async (source: string, which: string | undefined, flags: CommonFlags) =>
      run(flags, (s) => snapshotCommand(s, source, which ?? 'latest')),
  );
  command('report [TICK]', 'a stored report: latest (default), or that of a tick')
    .option('--format <FORMAT>', 'text, md, html or json', 'text')
    .action(async (tick: string | undefined, flags: CommonFlags & { format: string }) =>
      run(flags, (s) => reportCommand(s, tick ?? 'latest', flags.json ? 'json' : flags.format)),
    );
  command('findings', 'the findings of the last tick')
    .option('--state <STATE>', 'only those in this state')
    .option('--check', 'exit as a monitoring plugin: 0 nothing, 1 warning, 2 critical, 3 blind', false)
    .action(async (flags: CommonFlags & { state?: string; check: boolean }) =>
      run(flags, (s) => findingsCommand(s, { ...flags, json: flags.json === true })),
    );
  command('explain <ID>', 'the whole story of a finding').action(async (id: string, flags: CommonFlags) =>
    run(flags, (s) => explainCommand(s, id, flags.json === true)),
  );
  command('history', 'the last ticks, what moved in them, and numbers over time')
    .option('--ticks <N>', 'how many ticks (default 24)')
    .option('--days <N>', 'how many days of numbers (default 7)')
    .option('--source <SOURCE>', 'all numbers of this source')
    .action(async (flags: CommonFlags & HistoryFlags) => run(flags, (s) => historyCommand(s, flags)));
  command('lint [FILE]', 'what is wrong with the ground truth: the configured one, or a file before it is put in place').action(
    async (file: string | undefined, flags: CommonFlags) => {
      const given = file === undefined ? undefined : { file, text: readGiven(entries, file) };
      const json = flags.json === true;
      if (given && !entries.isConfigured(flags)) finish(lintAlone(entries.out, given, { now: entries.now(), json }));
      else await run(flags, (s) => lintCommand(s, given, json));
    },
  );
  command('silence [ID]', 'prints a silence for the ground truth: of a finding, or of a kind on some nodes')
    .option('--kind <KIND>', 'findings of this kind')
    .option('--nodes <SET>', 'findings on these nodes, such as x1000c0s[0-7]b0n0')
    .addOption(new Option('--severity <SEVERITY>', 'the worst severity that it hides').choices(['critical', 'warning', 'info']))
    .option('--even-if-worse', 'also hides what gets worse than it is now', false)
    .requiredOption('--until <TIME>', 'when it ends: 7d from now, a day, or an ISO 8601 time with zone')
    .requiredOption('--reason <TEXT>', 'why')
    .option('--owner <WHO>', 'whose it is (default: you)')
    .option('--ticket <ID>', 'where it is dealt with')
    .action(async (id: string | undefined, flags: CommonFlags & SilenceFlags) =>
      run(flags, (s) => silenceCommand(s, id, { owner: entries.user, ...flags })),
    );
  command('ack <ID>', 'prints an acknowledgement of a finding for the ground truth')
    .requiredOption('--until <TIME>', 'when it ends: 7d from now, a day, or an ISO 8601 time with zone')
    .requiredOption('--reason <TEXT>', 'why')
    .option('--by <WHO>', 'who has taken it up (default: you)')
    .option('--any-episode', 'also when it is over and comes back', false)
    .action(async (id: string, flags: CommonFlags & AckFlags) => run(flags, (s) => ackCommand(s, id, { by: entries.user, ...flags })));
  const tools = command('tools [ACTION] [NAME] [ARGUMENTS]', "the model's read-only menu; `tools call NAME JSON` calls one by hand");
  tools.action(async (action: string | undefined, name: string | undefined, args: string | undefined, flags: CommonFlags) => {
    if (action !== undefined && (action !== 'call' || name === undefined))
      throw new InvalidArgumentError('expected: tools, or tools call NAME JSON');
    await run(flags, (s) => toolsCommand(s, name === undefined ? undefined : { name, args: args ?? '{}' }));
  });
  command('node <NODE>', 'everything known of a node').action(async (node: string, flags: CommonFlags) =>
    run(flags, (s) => toolsCommand(s, { name: 'get_node', args: JSON.stringify({ node }) })),
  );
  withModel(command('replay <TICK>', 'runs a tick again from its recording; with another model, shows both assessments')).action(
    async (tick: string, flags: CommonFlags) =>
      run(flags, (s) =>
        replayCommand(s, tick, { json: flags.json === true, otherModel: flags.modelUrl !== undefined || flags.mock !== undefined }),
      ),
  );
  withModel(command('doctor', "permissions, clock, each source read once, the model's endpoint, one seeded fault end to end")).action(
    async (flags: CommonFlags) => run(flags, (s) => doctorCommand(s, flags.json === true)),
  );
  command('audit [ACTION]', 'audit verify: walks the hash chains of the audit log').action(
    async (action: string | undefined, flags: CommonFlags) => {
      if (action !== 'verify') throw new InvalidArgumentError('expected: audit verify');
      await run(flags, (s) => auditCommand(s, flags.json === true));
    },
  );
  command('kinds', 'every kind of condition that can occur').action((flags: CommonFlags) =>
    finish(kindsCommand(entries.out, flags.json === true)),
  );
  const evaluation = program.command('eval').description('evaluation: what is found of faults that are laid on generated fleets');
  if (argv.includes('eval')) await entries.addEvaluation(evaluation, { out: entries.out, err: entries.err, finish });
  program
    .command('systemd')
    .description('writes the systemd units, filled in for this installation')
    .requiredOption('--out <DIR>', 'where the units go, such as /etc/systemd/system')
    .option('--user <USER>', 'the unprivileged user that everything runs as')
    .option('--group <GROUP>', 'its group, which may use the socket')
    .option('--read-group <GROUP...>', 'further groups whose files it may read, such as the one that owns console logs')
    .option('--config <FILE>', 'configuration')
    .option('--state-root <DIR>', 'where state is kept')
    .option('--report-root <DIR>', 'where reports are written')
    .option('--header-file <FILE>', 'file with an Authorization header line, where the server wants a token')
    .option('--address <ADDRESS...>', 'addresses beside loopback that the service may talk to')
    .option('--curl <FILE>', 'path of curl')
    .option('--logger <FILE>', 'path of logger')
    .action(async (flags: UnitFlags) => {
      for (const file of await entries.writeUnits(flags)) entries.out(`${file}\n`);
      finish(EXIT.done);
    });
  return program;
}

function readGiven({ readText }: Entries, file: string): string {
  try {
    return readText(file);
  } catch (error) {
    throw new CommandFailed(`${file}: cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`, EXIT.usage);
  }
}
