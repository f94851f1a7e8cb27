import app from '../../functions/app.ts';
import { addEvalCommands } from '../../lib/cli/eval.ts';
import { addFleetCommands } from '../../lib/cli/fleet-commands.ts';
import { runProgram } from '../../lib/cli/program.ts';
import { collectors } from '../../lib/collectors/registry.ts';
import { printable } from '../../lib/report/printable.ts';
import type { TestObserver } from '../observer.ts';

export interface Ran {
  code: number;
  out: string;
  err: string;
}

export interface Asked {
  files?: Record<string, string>;
  user?: string;
  /** Whether a configuration is named; default yes. */
  isConfigured?: boolean;
  width?: number;
}

/** Runs a command line over an observer of the test's own, in-process. */
export async function cli(observer: TestObserver, argv: readonly string[], asked: Asked = {}): Promise<Ran> {
  const { files = {}, user, isConfigured = true, width = 100 } = asked;
  const ran = { code: 0, out: '', err: '' };
  const out = (text: string): void => void (ran.out += printable(text));
  const err = (text: string): void => void (ran.err += printable(text));
  const never = (): never => {
    throw new Error('not in this test');
  };
  ran.code = await runProgram(argv, {
    withSession: (_, work) =>
      work({
        request: async (path, init = {}) => app.request(path, init, { observer }),
        sources: collectors.map((c) => c.source),
        out,
        err,
        now: observer.clock,
        colour: false,
        width,
      }),
    serve: never,
    writeUnits: never,
    addEvaluation: async (command, streams) => {
      addEvalCommands(
        command,
        { evaluate: never, readResults: never, writeText: never, readText: never, processors: 1, key: undefined },
        streams,
      );
      addFleetCommands(command, { generate: never, advance: never }, streams.out);
    },
    readText: (file) => {
      const text = files[file];
      if (text === undefined) throw Object.assign(new Error('no such file'), { code: 'ENOENT' });
      return text;
    },
    isConfigured: () => isConfigured,
    user,
    now: observer.clock,
    out,
    err,
  });
  return ran;
}
