import type { Command } from 'commander';
import { boardOf } from '../eval/board.ts';
import { type Entry, ladder, realModel } from '../eval/contenders.ts';
import type { Evaluation } from '../eval/evaluate.ts';
import { brokenGates } from '../eval/gates.ts';
import { scenarioOf } from '../eval/library.ts';
import { pictureOf } from '../eval/picture.ts';
import type { Played } from '../eval/played.ts';
import { CLASSES, Scenario, type ScenarioClass, sha256Of } from '../eval/scenario.ts';
import { scoresOf } from '../eval/score.ts';
import { MOCK_NAMES } from '../harness/mocks.ts';
import { CommandFailed, EXIT } from './session.ts';

/** What plays scenarios, in threads, and what reads and writes files: the entry hands it in. */
export interface Evaluator {
  evaluate: (asked: Evaluation, say: (line: string) => void) => Promise<Played[]>;
  readResults: (file: string) => Played[];
  writeText: (file: string, text: string) => void;
  readText: (file: string) => string;
  processors: number;
  /** The key of a model's endpoint, where the environment has one. */
  key: string | undefined;
}

interface RunFlags {
  seed: string;
  faults: string;
  days: string;
  perClass?: string;
  class?: string[];
  mock?: string[];
  times: string;
  modelUrl?: string;
  modelName?: string;
  jobs?: string;
  out: string;
  board: string;
  fresh?: boolean;
  json?: boolean;
}

export interface Streams {
  out: (text: string) => void;
  err: (text: string) => void;
  finish: (status: number) => void;
}

/** Adds `eval run`, `eval board`, `eval scenario` and `eval replay` to a command `eval`. */
export function addEvalCommands(command: Command, evaluator: Evaluator, streams: Streams): void {
  command
    .command('run')
    .description('plays scenarios, asks models about them, and prints the board; goes on where an earlier run was stopped')
    .option('--seed <S>', 'everything follows from it', '1')
    .option('--faults <N>', 'scenarios with faults, outside the judgment class', '100')
    .option('--days <N>', 'healthy days of 24 looks', '60')
    .option('--per-class <N>', 'so many scenarios of each class instead')
    .option('--class <CLASS...>', `only these: ${CLASSES.join(', ')}`)
    .option('--mock <NAME...>', `mock models (${MOCK_NAMES.join(', ')}), or none; the default is all of them`)
    .option('--model-url <URL>', 'a real endpoint, beside the mocks that are named')
    .option('--model-name <NAME>', 'the name of its model')
    .option('--times <K>', 'how often each model is asked about a scenario', '1')
    .option('--jobs <N>', 'scenarios played at the same time; the default is one for each processor')
    .option('--out <FILE>', 'one line of JSON for each scenario played', 'eval-results.jsonl')
    .option('--board <NAME>', 'where the board goes: NAME.md, NAME.json, NAME.svg', 'eval-board')
    .option('--fresh', 'forgets what the results file holds', false)
    .option('--json', 'prints the board as JSON', false)
    .action(async (flags: RunFlags) => {
      const played = await evaluator.evaluate(evaluationOf(flags, evaluator), (line) => streams.err(`${line}\n`));
      showBoard(played, flags, evaluator, streams);
      const broken = brokenGates(played);
      for (const gate of broken) streams.err(`does not hold: ${gate}\n`);
      streams.finish(broken.length > 0 ? EXIT.failed : EXIT.done);
    });
  command
    .command('board [FILE]')
    .description('the board of what was played')
    .option('--board <NAME>', 'where it goes: NAME.md, NAME.json, NAME.svg', 'eval-board')
    .option('--json', 'prints it as JSON', false)
    .action((file: string | undefined, flags: Pick<RunFlags, 'board' | 'json'>) => {
      const played = evaluator.readResults(file ?? 'eval-results.jsonl');
      if (played.length === 0) throw new CommandFailed(`${file ?? 'eval-results.jsonl'} holds no results`, EXIT.usage);
      showBoard(played, flags, evaluator, streams);
    });
  command
    .command('scenario <CLASS/NUMBER>')
    .description('prints a scenario as a file, with the hash of all raw bytes that follow from it')
    .option('--seed <S>', 'of the evaluation', '1')
    .action((name: string, flags: { seed: string }) => {
      const [of, number] = name.split('/');
      const scenario = scenarioOf(classOf(of ?? ''), whole(number ?? '', 'CLASS/NUMBER', 0), whole(flags.seed, '--seed'));
      streams.out(`${JSON.stringify({ ...scenario, sha256: sha256Of(scenario) }, null, 1)}\n`);
    });
  command
    .command('replay <FILE>')
    .description('makes the raw bytes of a scenario file again, and says whether they are the same')
    .action((file: string) => {
      const { scenario, sha256 } = readScenario(evaluator, file);
      const made = sha256Of(scenario);
      streams.out(
        `${scenario.name}: ${made} ${made === sha256 ? 'as in the file' : `and not ${sha256 ?? 'a hash, which the file lacks'}`}\n`,
      );
      streams.finish(made === sha256 ? EXIT.done : EXIT.failed);
    });
}

function readScenario({ readText }: Evaluator, file: string): { scenario: Scenario; sha256: string | undefined } {
  try {
    const json = JSON.parse(readText(file)) as { sha256?: unknown };
    return { scenario: Scenario.parse(json), sha256: typeof json.sha256 === 'string' ? json.sha256 : undefined };
  } catch (error) {
    throw new CommandFailed(`${file}: no scenario (${error instanceof Error ? error.message : String(error)})`, EXIT.usage);
  }
}

function showBoard(played: readonly Played[], flags: Pick<RunFlags, 'board' | 'json'>, { writeText }: Evaluator, { out }: Streams): void {
  const scores = scoresOf(played);
  const board = boardOf(scores);
  const json = `${JSON.stringify(scores, null, 1)}\n`;
  writeText(`${flags.board}.md`, board);
  writeText(`${flags.board}.json`, json);
  writeText(`${flags.board}.svg`, pictureOf(scores));
  out(flags.json === true ? json : board);
}

function evaluationOf(flags: RunFlags, { processors, key }: Evaluator): Evaluation {
  const times = whole(flags.times, '--times');
  const mocks = ladder(times);
  const named = flags.mock?.filter((name) => name !== 'none');
  for (const name of named ?? [])
    if (!MOCK_NAMES.includes(name)) throw new CommandFailed(`--mock ${name}: expected one of ${MOCK_NAMES.join(', ')}`, EXIT.usage);
  const entries: Entry[] = mocks.filter(({ name }) => named?.includes(name) ?? flags.modelUrl === undefined);
  if (flags.modelUrl !== undefined) {
    if (flags.modelName === undefined) throw new CommandFailed('--model-url wants --model-name', EXIT.usage);
    entries.push(realModel({ url: flags.modelUrl, name: flags.modelName, times, key }));
  }
  return {
    seed: whole(flags.seed, '--seed'),
    faults: whole(flags.faults, '--faults', 0),
    days: whole(flags.days, '--days', 0),
    ...(flags.perClass !== undefined && { perClass: whole(flags.perClass, '--per-class') }),
    ...(flags.class && { classes: flags.class.map(classOf) }),
    entries,
    jobs: flags.jobs === undefined ? processors : whole(flags.jobs, '--jobs'),
    out: flags.out,
    fresh: flags.fresh === true,
  };
}

function classOf(name: string): ScenarioClass {
  const found = CLASSES.find((c) => c === name);
  if (found === undefined) throw new CommandFailed(`${name} is no class of scenarios; there are ${CLASSES.join(', ')}`, EXIT.usage);
  return found;
}

function whole(text: string, flag: string, least = 1): number {
  const n = Number(text);
  if (text === '' || !Number.isInteger(n) || n < least)
    throw new CommandFailed(`${flag} ${text}: expected a whole number of at least ${least}`, EXIT.usage);
  return n;
}
