import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../lib/model/json.ts';
import type { Snapshot } from '../../lib/model/snapshot.ts';
import { toIso, toTimeId } from '../../lib/model/time.ts';
import { atomicFsDriver } from '../../lib/store/drivers/atomic-fs.ts';
import { packFacts, type SubjectFacts } from '../../lib/store/shards.ts';
import { Snapshots } from '../../lib/store/snapshots.ts';
import { Store } from '../../lib/store/store.ts';
import { SPEC_DEFAULTS } from '../../lib/eval/spec.ts';
import { type Part, Stopwatch, triesAt } from './part.ts';
import { syntheticSnapshot } from './synthetic.ts';

const SOURCE = 'hpcm_inventory';

/** Committing and reading snapshots on a file system that is told to make every write last. */
export const storePart: Part = {
  name: 'store',
  title: 'snapshots on disk',
  clock: 'wall',
  async measure(size, folder) {
    const watch = new Stopwatch('wall');
    const tries = triesAt(size);
    const facts = (changed: number): SubjectFacts[] =>
      Array.from({ length: size }, (_, i) => ({
        subject: {
          type: 'node',
          id: `x${1000 + Math.floor(i / 256)}c${Math.floor(i / 32) % 8}s${Math.floor(i / 4) % 8}b${Math.floor(i / 2) % 2}n${i % 2}`,
        },
        facts: {
          alias: `nid${i}`,
          image: i < changed ? 'cos-2026.08' : 'cos-2026.11',
          serial: `DMO${i}`,
          power: 'booted',
          kernel: '5.14.21-150500.55.83',
        } as JsonObject,
      }));
    const carry = { version: 1, value: { known: facts(0).map((f) => [f.subject.id, 1_796_000_000_000]) } };
    const whole = JSON.stringify([syntheticSnapshot(SOURCE, SPEC_DEFAULTS.start, Math.ceil(size / 20)), facts(0), carry]);
    const file = join(folder, 'baseline');
    const written = 'write the same bytes as one file, synced';
    await watch.best(written, tries, () => {
      const fd = openSync(file, 'w');
      writeSync(fd, whole);
      fsyncSync(fd);
      closeSync(fd);
    });
    const baseline = watch.take(written);
    await watch.best('read and parse that file', tries, () => void JSON.parse(readFileSync(file, 'utf8')));

    const store = new Store(atomicFsDriver(join(folder, 'state')));
    const snapshots = new Snapshots(store);
    let at = SPEC_DEFAULTS.start;
    const commit = async (changed: number): Promise<Snapshot> => {
      at += 60_000;
      return snapshots.commit({
        snapshot: { ...syntheticSnapshot(SOURCE, at, Math.ceil(size / 20)), id: toTimeId(at), collectedAt: toIso(at) },
        facts: await packFacts(facts(changed)),
        carry: { version: carry.version, text: JSON.stringify(carry.value) },
      });
    };
    await watch.best('commit, everything new', 1, () => commit(0));
    await watch.best('commit, nothing changed', tries, () => commit(0));
    let n = 0;
    await watch.best('commit, one node in a hundred changed', tries, () => commit((++n * size) / 100));
    await watch.best('latest', tries, () => snapshots.latest(SOURCE));
    const latest = (await snapshots.latest(SOURCE)) as Snapshot;
    await watch.best('carry', tries, () => snapshots.carry(SOURCE, 1));
    await watch.best('facts of one node', tries, () => snapshots.facts(SOURCE, latest, { type: 'node', id: 'x1000c0s0b0n0' }));
    await watch.best('list 48 hours', tries, () => snapshots.list(SOURCE));
    await store.dispose();
    return { baseline, stages: [...watch.stages.values()] };
  },
};
