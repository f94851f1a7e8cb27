import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeObserver } from '../../functions/node.ts';
import { collectors } from '../../lib/collectors/registry.ts';
import { readFiles } from '../../lib/readers/files.ts';
import { render } from '../../lib/report/render.ts';
import { collect } from '../../lib/steps/collect.ts';
import { diffSources } from '../../lib/steps/diff.ts';
import { digest } from '../../lib/steps/digest.ts';
import { run } from '../../lib/steps/run.ts';
import { tick } from '../../lib/steps/tick.ts';
import { atomicFsDriver } from '../../lib/store/drivers/atomic-fs.ts';
import { Fleet } from '../../lib/eval/fleet.ts';
import { FolderSink } from '../../lib/eval/folder.ts';
import { evalObserver } from '../../lib/eval/observer.ts';
import { fleetSpec, HOUR, SPEC_DEFAULTS } from '../../lib/eval/spec.ts';
import { badDay } from './fleets.ts';
import { type Aside, type Measured, type Part, type Stage, Stopwatch } from './part.ts';

const FIRST = SPEC_DEFAULTS.start + 24 * HOUR;
const NEXT = FIRST + HOUR;
const FIVE_MINUTES = 300_000;

/**
 * A run over a whole fleet on a bad day. Stage by stage in one thread: at first sight with a day of console logs, and an
 * hour later, which is what a run costs from then on. Then alone, as the command does it, with its threads.
 */
export const fullRun: Part = {
  name: 'run',
  title: 'a run over all sources',
  clock: 'processor',
  prepare: (size, folder) => look(size, folder, FIRST),
  async measure(size, folder) {
    const watch = new Stopwatch('processor');
    const baseline = await readAndParse(folder, watch);
    const observer = evalObserver(folder, {
      now: FIRST,
      driver: atomicFsDriver(join(folder, 'state-by-stages')),
      digest: (request) => watch.time(`digest ${request.source}`, () => digest(request, { path: readFiles })),
    });
    const byStages = async (prefix: string): Promise<Stage[]> => {
      for (const { source } of collectors) {
        await watch.time(`digest and store ${source}`, () => collect(observer, source));
        const { ms } = watch.take(`digest and store ${source}`);
        const store = watch.stages.get('store snapshots') ?? { name: 'store snapshots', ms: 0 };
        watch.stages.set(store.name, { ...store, ms: store.ms + ms - (watch.stages.get(`digest ${source}`)?.ms ?? 0) });
      }
      await watch.time('diff', () => diffSources(observer));
      await watch.time('tick', () => tick(observer));
      const stages = [...watch.stages.values()].sort((a, b) => b.ms - a.ms);
      watch.stages.clear();
      const all = { name: 'all', ms: stages.reduce((sum, s) => sum + s.ms, 0) };
      return [all, ...stages].map((stage) => ({ ...stage, name: `${prefix}: ${stage.name}` }));
    };
    const first = await byStages('first');
    look(size, folder, NEXT, FIRST);
    observer.now = NEXT;
    return { baseline, stages: [...first, ...(await byStages('next'))], whole: 'first: all' };
  },
  alone: {
    'first sight, alone': (_, folder) => runAlone(folder, NEXT, 'at first sight'),
    // From the second look on what is handed on is what it was, and inputs that are as before are not digested again.
    'nothing changed, second look, alone': (_, folder) => runAlone(folder, NEXT + FIVE_MINUTES, 'at a second look'),
    'nothing changed, alone': (_, folder) => runAlone(folder, NEXT + 2 * FIVE_MINUTES, 'where nothing changed'),
  },
};

/** Writes the fleet as it is looked at; `last` is the look before. */
function look(size: number, folder: string, at: number, last: number | null = null): void {
  const fleet = new Fleet(fleetSpec({ nodes: size, seed: 1, faults: badDay(size) }), last);
  fleet.write(at, new FolderSink(folder));
  writeFileSync(join(folder, 'config.yaml'), fleet.configuration(at));
  writeFileSync(join(folder, 'fleet.yaml'), fleet.groundTruth());
}

/** A run as the command does it: sources in threads, state and reports on disk. */
async function runAlone(folder: string, at: number, when: string): Promise<Aside> {
  const began = performance.now();
  const flags = { config: join(folder, 'config.yaml'), clock: new Date(at).toISOString(), model: false, notify: false };
  const { observer, dispose } = await nodeObserver(flags, {}, () => undefined);
  const { report } = await run(observer);
  await dispose();
  const ms = performance.now() - began;
  const unwell = report.sources.filter((s) => s.status !== 'ok').map((s) => s.source);
  if (unwell.length > 0) throw new Error(`not all was seen: ${unwell.join(', ')}`);
  return {
    ms,
    note: `${report.findings.length} findings`,
    amounts: (['json', 'txt', 'html'] as const).map((format) => ({
      name: `report ${when}, ${format}`,
      bytes: Buffer.byteLength(render(report, format)),
    })),
  };
}

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
