import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Fleet } from '../../lib/eval/fleet.ts';
import { FolderSink } from '../../lib/eval/folder.ts';
import { COMPUTE, FORMER } from '../../lib/eval/images.ts';
import { fleetSpec, HOUR } from '../../lib/eval/spec.ts';
import { against, bestOf, digestInProcess, type Digested } from './digest-process.ts';
import { type Part, Stopwatch } from './part.ts';

const TRIES = 3;
/** Nodes that are given another image than their like, and as many again that run another than they are given. */
const DRIFTED = 40;
const NON_NODES = 0.05;

/** What is to be reached: ms, MiB, and bytes of JSON. */
const GOALS = { ms: 1500, memory: 400, summary: 6000 };

/** HPCM's inventory of a fleet with three images, some drift, and entries that are no nodes: all of its documents. */
export const inventoryPart: Part = {
  name: 'inventory',
  title: 'HPCM inventory',
  clock: 'processor',
  async measure(size, folder) {
    const watch = new Stopwatch('processor');
    const spec = fleetSpec({ nodes: size, seed: 1 });
    const now = spec.start + HOUR;
    new Fleet(spec).write(now, new FolderSink(folder));
    const hpcm = join(folder, 'hpcm');
    const drifted = layDrift(hpcm, size);
    const read = 'read the files, JSON.parse';
    await watch.best(read, TRIES, () =>
      ['nodes', 'imagegroups', 'cm-inventory'].map((name) => JSON.parse(readFileSync(join(hpcm, `${name}.json`), 'utf8')) as unknown),
    );
    const job = { source: 'hpcm_inventory', now, timezone: spec.timezone, shares: [[hpcm]] };
    const [first, next]: [Digested[], Digested[]] = [[], []];
    for (let i = 0; i < TRIES; i++) {
      first.push(await digestInProcess(job));
      next.push(await digestInProcess({ ...job, again: true }));
    }
    const { processor: ms, memory } = bestOf(first);
    const later = bestOf(next);
    const note = [
      against(ms, GOALS.ms, 'ms'),
      against(memory, GOALS.memory, 'MiB'),
      against(first[0]?.summary as number, GOALS.summary, 'bytes of summary'),
      driftFound([...first, ...next], drifted),
    ];
    return {
      baseline: watch.take(read),
      stages: [
        { name: 'first digest', ms, note: note.join(', ') },
        { name: 'next digest, with the last one known', ms: later.processor, note: `${later.memory} MiB` },
      ],
    };
  },
};

/** Nodes that drifted, by kind of condition. */
export type Drift = Record<'image_drift' | 'boot_drift', Set<string>>;

/** Gives some nodes another image, lets some run another, and leaves so many entries that are no nodes. */
function layDrift(hpcm: string, size: number): Drift {
  const drift: Drift = { image_drift: new Set(), boot_drift: new Set() };
  const count = Math.min(DRIFTED, Math.floor(size / 16));
  const file = join(hpcm, 'nodes.json');
  const entries = JSON.parse(readFileSync(file, 'utf8')) as { name: string; image: { name: string; kernel: string } | null }[];
  const nodes = entries.filter((e) => e.image?.name === COMPUTE.name);
  const services = entries.filter((e) => /^(?:admin|leader|login|gpu|weka)\d*$/.test(e.name));
  const known = new Set([...nodes, ...services]);
  const others = entries.filter((e) => !known.has(e)).slice(0, Math.ceil(nodes.length * NON_NODES));
  const step = Math.floor(nodes.length / count);
  const lines = readFileSync(join(hpcm, 'proc-cmdline.txt'), 'utf8').split('\n');
  const cmdline = new Map(lines.map((line) => [line.slice(0, line.indexOf(':')), line]));
  const oldImage = (name: string): string =>
    (cmdline.get(name) as string).replaceAll(COMPUTE.name, FORMER.name).replaceAll(COMPUTE.kernel, FORMER.kernel);
  for (let i = 0; i < count; i++) {
    const assigned = nodes[i * step];
    const booted = nodes[i * step + 1];
    if (!assigned || !booted) continue;
    assigned.image = { ...assigned.image, name: FORMER.name, kernel: FORMER.kernel };
    for (const { name } of [assigned, booted]) if (cmdline.has(name)) cmdline.set(name, oldImage(name));
    drift.image_drift.add(assigned.name);
    if (cmdline.has(booted.name)) drift.boot_drift.add(booted.name);
  }
  mkdirSync(hpcm, { recursive: true });
  writeFileSync(file, JSON.stringify([...services, ...nodes, ...others]));
  writeFileSync(join(hpcm, 'proc-cmdline.txt'), [...cmdline.values()].join('\n'));
  return drift;
}

/** Whether every digest found exactly the nodes that drifted. */
export function driftFound(digests: readonly Pick<Digested, 'conditions' | 'rejected' | 'problems'>[], drift: Drift): string {
  for (const { conditions, rejected, problems } of digests) {
    for (const kind of ['image_drift', 'boot_drift'] as const) {
      const found = new Set(conditions.filter((c) => c.kind === kind).map((c) => c.subject));
      const missed = [...drift[kind]].filter((name) => !found.has(name));
      const wrong = [...found].filter((name) => !drift[kind].has(name));
      if (missed.length + wrong.length > 0)
        return `WRONG: ${kind} misses ${missed.slice(0, 3).join(', ') || 'none'}, has ${wrong.slice(0, 3).join(', ') || 'none'} too many`;
    }
    if (rejected > 0 || problems.length > 0) return `WRONG: ${rejected} rejected; ${problems.slice(0, 3).join('; ')}`;
  }
  return `all ${drift.image_drift.size + drift.boot_drift.size} drifted nodes found, no other`;
}
