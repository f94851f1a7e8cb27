import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { reasoner } from '../../lib/harness/reasoner.ts';
import { estimateTokens } from '../../lib/harness/tokens.ts';
import { tick } from '../../lib/steps/tick.ts';
import { atomicFsDriver } from '../../lib/store/drivers/atomic-fs.ts';
import { type EvalObserver, evalObserver } from '../../lib/eval/observer.ts';
import { SPEC_DEFAULTS } from '../../lib/eval/spec.ts';
import { commitCrowd, filesOf, nodeNames } from './crowd.ts';
import { type Part, processorTime, Stopwatch } from './part.ts';

const STEP = 5 * 60_000;

/** Conditions that move where one in a hundred does: at least one of each kind, so that the news is of the same kinds in any fleet. */
function moved(size: number, times: number): number {
  return Math.max(size / 600, 10) * times;
}

/**
 * A tick alone, over sources that were collected already, its reads and writes included; what the mock model itself
 * takes is left out. In one process as in a server, and in a process that has done nothing before. By the clock, since a
 * tick waits for its disk; processor time beside it is what a machine that is busy with other things changes less.
 */
export const tickPart: Part = {
  name: 'tick',
  title: 'a tick, with one open condition for every six nodes',
  clock: 'wall',
  async measure(size, folder) {
    const watch = new Stopwatch('wall');
    const nodes = nodeNames(size);
    const files = filesOf(nodes);
    writeFileSync(join(folder, 'config.yaml'), files.config);
    writeFileSync(join(folder, 'fleet.yaml'), files.groundTruth);
    const observer = observerOf(folder, SPEC_DEFAULTS.start);
    const step = async (name: string, some: number): Promise<void> => {
      observer.now += STEP;
      await commitCrowd(observer, nodes, some);
      // What made the sources leaves its garbage to nobody.
      globalThis.gc?.();
      const { ms, processor, note } = await measuredTick(observer);
      watch.stages.set(name, { name, ms, note: `${Math.round(processor)} ms of processor time, ${note}` });
    };
    await step('first sight', 0);
    await step('nothing new', 0);
    for (let times = 1; times <= WARM; times++) await step(`one in a hundred, ${times}.`, moved(size, times));
    await commitCrowd(Object.assign(observer, { now: nextProcess() }), nodes, moved(size, WARM + 1));
    const states = (await observer.store.list('findings/states')).sort();
    const state = (await observer.store.getText(states.at(-1) ?? '')) ?? 'null';
    const parsed = "JSON.parse and stringify of the tick's state, five times";
    await watch.best(parsed, 3, () => {
      for (let i = 0; i < 5; i++) JSON.stringify(JSON.parse(state));
    });
    const baseline = watch.take(parsed);
    return { baseline, stages: [...watch.stages.values()] };
  },
  alone: {
    'one in a hundred, in a fresh process': (_, folder) => measuredTick(observerOf(folder, nextProcess())),
  },
};

/** Ticks by which a server has warmed up. */
const WARM = 4;

function nextProcess(): number {
  return SPEC_DEFAULTS.start + (WARM + 3) * STEP;
}

function observerOf(folder: string, now: number): EvalObserver {
  return evalObserver(folder, { now, driver: atomicFsDriver(join(folder, 'state')) });
}

/** One tick with the mock model, by the clock and in processor time, without the model's own. */
async function measuredTick(observer: EvalObserver): Promise<{ ms: number; processor: number; note: string }> {
  const model = { ms: 0, processor: 0 };
  let prompt = 0;
  observer.model = {
    label: reasoner.label,
    complete: async (request, signal) => {
      // To count the prompt is the measurement's own work, as the answer is the model's.
      const [began, used] = [performance.now(), processorTime()];
      prompt ||= estimateTokens(JSON.stringify([request.messages, request.tools]));
      const answer = await reasoner.complete(request, signal);
      model.ms += performance.now() - began;
      model.processor += processorTime() - used;
      return answer;
    },
  };
  const [began, used] = [performance.now(), processorTime()];
  await tick(observer);
  return {
    ms: performance.now() - began - model.ms,
    processor: processorTime() - used - model.processor,
    note: prompt === 0 ? 'no model is asked' : `prompt: ${prompt} tokens`,
  };
}
