import { diff } from '../../lib/diff/diff.ts';
import type { Snapshot } from '../../lib/model/snapshot.ts';
import { SPEC_DEFAULTS } from '../../lib/eval/spec.ts';
import { type Part, Stopwatch, triesAt } from './part.ts';
import { syntheticSnapshot } from './synthetic.ts';

/** So many diffs make one measurement: one alone is over too soon. */
const ROUNDS = 20;

/** The difference of two snapshots of a bad day: every tenth node has a condition, and one in a hundred of them is new. */
export const diffPart: Part = {
  name: 'diff',
  title: 'the difference of two snapshots',
  clock: 'processor',
  async measure(size) {
    const watch = new Stopwatch('processor');
    const tries = triesAt(size);
    const conditions = Math.ceil(size / 10);
    const snapshot = (n: number, from: number): Snapshot => ({
      ...syntheticSnapshot('hpcm_inventory', SPEC_DEFAULTS.start + n * 60_000, conditions, from),
      facts: { subjects: 0, shards: [] },
      previous: null,
    });
    const moved = Math.ceil(conditions / 100);
    const [from, same, to] = [snapshot(0, 0), snapshot(1, 0), snapshot(2, moved)];
    const texts = [JSON.stringify(from), JSON.stringify(to)];
    const rounds = (work: () => unknown) => (): void => {
      for (let i = 0; i < ROUNDS; i++) work();
    };
    const parsed = 'JSON.parse of both snapshots';
    await watch.best(
      parsed,
      tries,
      rounds(() => texts.map((text) => JSON.parse(text) as unknown)),
    );
    const baseline = watch.take(parsed);
    await watch.best(
      'nothing changed',
      tries,
      rounds(() => diff(from, [same])),
    );
    await watch.best(
      'one condition in a hundred changed',
      tries,
      rounds(() => diff(from, [to])),
    );
    await watch.best(
      'first sight',
      tries,
      rounds(() => diff(null, [to])),
    );
    return { baseline, stages: [...watch.stages.values()] };
  },
};
