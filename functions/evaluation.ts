import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import type { Command } from 'commander';
import { addEvalCommands, type Streams } from '../lib/cli/eval.ts';
import { addFleetCommands } from '../lib/cli/fleet-commands.ts';
import { evaluate, readResults } from '../lib/eval/evaluate.ts';
import { advance, generate } from '../lib/eval/generate.ts';

/** Adds the commands below `eval`, with what plays scenarios and writes fleets. */
export function addEvaluation(command: Command, streams: Streams): void {
  addEvalCommands(
    command,
    {
      evaluate: (asked, say) => evaluate(asked, new URL('../lib/eval/play-body.js', import.meta.url), say),
      readResults,
      readText: (file) => readFileSync(file, 'utf8'),
      writeText: (file, text) => writeFileSync(file, text),
      processors: availableParallelism(),
      key: process.env['OBSERVER_MODEL_KEY'],
    },
    streams,
  );
  addFleetCommands(command, { generate, advance }, streams.out);
}
