import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { reasoner } from '../../lib/harness/reasoner.ts';
import { estimateTokens } from '../../lib/harness/tokens.ts';
import { tick } from '../../lib/steps/tick.ts';
import { atomicFsDriver } from '../../lib/store/drivers/atomic-fs.ts';
import { evalObserver } from '../../lib/eval/observer.ts';
import { SPEC_DEFAULTS } from '../../lib/eval/spec.ts';
import { commitCrowd, filesOf, nodeNames } from './crowd.ts';
import { type Part, Stopwatch } from './part.ts';

const STEP = 5 * 60_000;

/** A tick alone, over sources that were collected already; what the mock model itself takes is left out. */
export const tickPart: Part = {
  name: 'tick',
  title: 'a tick, with one open condition for every six nodes',
  clock: 'processor',
  async measure(size, folder) {
    const watch = new Stopwatch('processor');
    const nodes = nodeNames(size);
    const files = filesOf(nodes);
    writeFileSync(join(folder, 'config.yaml'), files.config);
    writeFileSync(join(folder, 'fleet.yaml'), files.groundTruth);
    const observer = evalObserver(folder, { now: SPEC_DEFAULTS.start, driver: atomicFsDriver(join(folder, 'state')) });
    let prompt = 0;
    observer.model = {
      label: reasoner.label,
      complete: (request, signal) => {
        prompt ||= estimateTokens(JSON.stringify([request.messages, request.tools]));
        return watch.time('model', () => reasoner.complete(request, signal));
      },
    };
    const step = async (name: string, moved: number): Promise<void> => {
      observer.now += STEP;
      await commitCrowd(observer, nodes, moved);
      prompt = 0;
      await watch.time(name, () => tick(observer));
      const [stage, model] = [watch.stages.get(name), watch.stages.get('model')];
      watch.stages.delete('model');
      if (!stage) return;
      stage.ms -= model?.ms ?? 0;
      stage.note = prompt === 0 ? 'no model is asked' : `prompt: ${prompt} tokens`;
    };
    await step('first sight', 0);
    await step('nothing new', 0);
    await step('one node in a hundred', size / 600);
    await step('another one in a hundred', size / 300);
    const states = (await observer.store.list('findings/states')).sort();
    const state = (await observer.store.getText(states.at(-1) ?? '')) ?? 'null';
    const parsed = "JSON.parse and stringify of the tick's state, five times";
    await watch.best(parsed, 3, () => {
      for (let i = 0; i < 5; i++) JSON.stringify(JSON.parse(state));
    });
    const baseline = watch.take(parsed);
    return { baseline, stages: [...watch.stages.values()] };
  },
};
