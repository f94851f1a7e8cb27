import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { collectors } from '../../collectors/registry.ts';
import { readFiles } from '../../readers/files.ts';
import { collect } from '../../steps/collect.ts';
import { digest } from '../../steps/digest.ts';
import { tick } from '../../steps/tick.ts';
import { diffSources } from '../../steps/diff.ts';
import { atomicFsDriver } from '../../store/drivers/atomic-fs.ts';
import { Fleet } from '../fleet.ts';
import { FolderSink } from '../folder.ts';
import { evalObserver } from '../observer.ts';
import { fleetSpec, HOUR, parseFault } from '../spec.ts';
import { type Measured, type Part, Stopwatch } from './part.ts';

const FAULTS = ['kernel_panic=9h', 'switch_lost=10h', 'pdu_dead=11h', 'drive_failed=12h', 'fs_full=12h'];

/**
 * A run over a whole fleet, stage by stage in one thread: at first sight with a day of console logs, and at the next tick,
 * which is what a run costs from then on.
 */
export const fullRun: Part = {
  name: 'run',
  title: 'a run over all sources',
  clock: 'processor',
  async measure(size, folder) {
    const watch = new Stopwatch('processor');
    const start = fleetSpec({ nodes: size, seed: 1 }).start;
    const spec = fleetSpec({ nodes: size, seed: 1, faults: FAULTS.map((f) => parseFault(f, { start, end: start + 24 * HOUR })) });
    const fleet = new Fleet(spec);
    const sink = new FolderSink(folder);
    const day = start + 24 * HOUR;
    await watch.time('generate', () => fleet.write(day, sink));
    writeFileSync(join(folder, 'config.yaml'), fleet.configuration(day));
    writeFileSync(join(folder, 'fleet.yaml'), fleet.groundTruth());
    const generated = watch.take('generate');
    const baseline = await readAndParse(folder, watch);

    const observer = evalObserver(folder, {
      now: day,
      driver: atomicFsDriver(join(folder, 'state')),
      digest: (request) => watch.time(`digest ${request.source}`, () => digest(request, { path: readFiles })),
    });
    const run = async (): Promise<Measured['stages']> => {
      for (const { source } of collectors) {
        const digested = watch.stages.get(`digest ${source}`)?.ms ?? 0;
        await watch.time('store snapshots', () => collect(observer, source));
        const stage = watch.stages.get('store snapshots');
        if (stage) stage.ms -= (watch.stages.get(`digest ${source}`)?.ms ?? 0) - digested;
      }
      await watch.time('diff', () => diffSources(observer));
      await watch.time('tick', () => tick(observer));
      const stages = [...watch.stages.values()];
      watch.stages.clear();
      return stages;
    };
    const first = await run();
    fleet.write(day + HOUR, sink);
    observer.now = day + HOUR;
    const next = await run();
    const named = (prefix: string, stages: Measured['stages']): Measured['stages'] => {
      const whole = { name: `${prefix}: all`, ms: stages.reduce((sum, s) => sum + s.ms, 0) };
      return [whole, ...stages.map((s) => ({ ...s, name: `${prefix}: ${s.name}` })).sort((a, b) => b.ms - a.ms)];
    };
    return {
      baseline,
      stages: [
        { ...generated, note: `${Math.round(sink.bytes / 1e6)} MB, none of it part of a run` },
        ...named('first', first),
        ...named('next', next),
      ],
      whole: 'first: all',
    };
  },
};

/** The least that anybody must do with the sources: read every byte, and parse what is JSON. */
async function readAndParse(folder: string, watch: Stopwatch): Promise<Measured['baseline']> {
  const name = 'read the files, JSON.parse what is JSON';
  await watch.time(name, () => {
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true, encoding: 'utf8' })) {
      if (!entry.isFile() || entry.name.endsWith('.yaml')) continue;
      const text = readFileSync(join(entry.parentPath, entry.name), 'utf8');
      if (entry.name.endsWith('.json')) JSON.parse(text);
      else if (entry.name.endsWith('.ndjson')) for (const line of text.split('\n')) if (line !== '') JSON.parse(line);
    }
  });
  return watch.take(name);
}
