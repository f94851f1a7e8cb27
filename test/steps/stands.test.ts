import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { collectors } from '../../lib/collectors/registry.ts';
import { Fleet } from '../../lib/eval/fleet.ts';
import { FolderSink } from '../../lib/eval/folder.ts';
import { fleetSpec, HOUR } from '../../lib/eval/spec.ts';
import { parseDuration, toIso } from '../../lib/model/time.ts';
import { collect } from '../../lib/steps/collect.ts';
import { snapshotKey } from '../../lib/store/snapshots.ts';
import { badDay } from '../bench/fleets.ts';
import { testObserver, type TestObserver } from '../observer.ts';

const FIXTURES = fileURLToPath(new URL('../../fixtures/democluster', import.meta.url));
const SOURCES = collectors.map((c) => c.source);
/** Logs are read from where the last run stopped, and judged by the clock. */
const STANDING = SOURCES.filter((source) => source !== 'console_logs');
const BEGIN = Date.parse('2026-11-30T08:45:00Z');
const GENERATED = fleetSpec({ nodes: 64, seed: 5, start: BEGIN - 2 * HOUR, faults: badDay(64) });

/** The bytes of a bundled or generated day, which all runs see. */
interface Day {
  config: string;
  lay(folder: string): void;
  /** What becomes of them after ten minutes. */
  change(folder: string): void;
  /** When looks at them begin. */
  begins: readonly string[];
}

function bundled(name: string): Day {
  const folder = join(FIXTURES, name);
  return {
    config: readFileSync(join(folder, 'config.yaml'), 'utf8'),
    begins: ['10m', '19h', '24h', '44h', '167h', '719h'],
    lay: (to) => cpSync(folder, to, { recursive: true }),
    change: (at) => {
      // A module of memory was exchanged, another is lost, and lists that were read are gone.
      const inventory = join(at, 'hpcm/cm-inventory.json');
      const text = readFileSync(inventory, 'utf8').replace('D0000110', 'D9999910');
      writeFileSync(inventory, text.replace('"dimm.DIMM B.Size": "128 GB", "dimm.DIMM B.Serial Number": "D0000011", ', ''));
      for (const gone of ['hpcm/cm-power-status.txt', 'hpcm/proc-cmdline.txt', 'weka/obs.json']) rmSync(join(at, gone));
    },
  };
}

const generated: Day = {
  config: new Fleet(GENERATED).configuration(BEGIN),
  begins: ['10m', '23h'],
  lay: (to) => new Fleet(GENERATED).write(BEGIN, new FolderSink(to)),
  change: (at) => new Fleet(GENERATED, BEGIN).write(BEGIN + HOUR, new FolderSink(at)),
};

const DAYS: Record<string, Day> = { faulty: bundled('faulty'), generated };

const made: TestObserver[] = [];
afterEach(() => {
  for (const observer of made.splice(0)) observer.dispose();
});

interface Looking extends TestObserver {
  /** Sources whose inputs were as before, in the order of their looks. */
  asBefore: string[];
}

/** @param mode `anew`: nothing is known to stand */
function look(day: Day, mode: 'kept' | 'anew' = 'kept'): Looking {
  const observer = testObserver(day.config);
  made.push(observer);
  day.lay(observer.folder);
  observer.now = BEGIN;
  Object.defineProperty(observer, 'mtime', { value: new Date(BEGIN - 60_000).toISOString() });
  const asBefore: string[] = [];
  const { digest } = observer;
  observer.digest = async (request, deadline) => {
    const { handed } = request;
    const reply = await digest(
      { ...request, handed: handed.state === 'ok' && mode === 'anew' ? { state: 'ok', text: handed.text, at: handed.at } : handed },
      deadline,
    );
    if (reply === 'as before') asBefore.push(request.source);
    return reply;
  };
  return Object.assign(observer, { asBefore });
}

/** Everything that the latest collect left, but how long it stands. */
async function left({ store, snapshots }: TestObserver, source: string): Promise<string[]> {
  const head = ((await store.getText(`carry/${source}`)) ?? '').replace(/,"stands":\{[^}]*\}/, '');
  const { id } = (await snapshots.latest(source)) as { id: string };
  const keys = [snapshotKey(source, id), ...(await store.list(`facts/${source}/${id}`)), ...(await store.list(`series/${source}`))];
  return [head, ...(await Promise.all(keys.map(async (key) => `${key} ${await store.getText(key)}`)))];
}

async function standsUntil({ store }: TestObserver, source: string): Promise<number | undefined> {
  const head = JSON.parse(((await store.getText(`carry/${source}`)) ?? '{}').split('\n')[0] as string) as { stands?: { until: number } };
  return head.stands?.until;
}

/** The first two texts that are not the same. */
function parting(some: readonly string[], others: readonly string[]): [string, string] | null {
  const i = Array.from({ length: Math.max(some.length, others.length) }).findIndex((_, n) => some[n] !== others[n]);
  return i < 0 ? null : [some[i] ?? 'nothing', others[i] ?? 'nothing'];
}

const PBS = '{"nodes":{"x1000c0s0b0n0":{"state":"down"}},"timestamp":1764492240,"pbs_version":"2024.1.1","pbs_server":"pbs"}';

/** Twice: from the second look on the carry is what it led to. */
async function settled(observer: Looking): Promise<Looking> {
  for (let i = 0; i < 2; i++) {
    await collect(observer, 'pbs_state');
    observer.now += 60_000;
  }
  return observer;
}

function pbs(): Looking {
  return look({ config: 'cluster: c\nsources: { pbs_state: { path: pbs } }', begins: [], lay: () => undefined, change: () => undefined });
}

describe('inputs that are as before', () => {
  it.each(Object.keys(DAYS))('come to what digesting them again comes to, on the %s day', async (name) => {
    const day = DAYS[name] as Day;
    const [kept, anew] = [look(day), look(day, 'anew')];
    // Both read the same files.
    anew.config = kept.config;
    const seeAlike = async (source: string, at: number): Promise<void> => {
      for (const observer of [kept, anew]) {
        observer.now = at;
        await collect(observer, source);
      }
      expect(parting(await left(kept, source), await left(anew, source)), `${source} at ${toIso(at)}`).toBeNull();
    };
    for (const source of STANDING) {
      for (const after of ['0s', '5m']) await seeAlike(source, BEGIN + parseDuration(after));
    }
    day.change(kept.folder);
    for (const source of STANDING) {
      // What stands is looked at right before it does no more: had it changed before, that would show here.
      for (const begin of day.begins) {
        let at = BEGIN + parseDuration(begin);
        for (let i = 0; i < 2; i++) {
          await seeAlike(source, at);
          await seeAlike(source, at + 60_000);
          const until = await standsUntil(kept, source);
          if (until === undefined) break;
          await seeAlike(source, until - 1);
          at = until;
        }
      }
    }
    expect(anew.asBefore).toEqual([]);
    expect(new Set(kept.asBefore)).toEqual(new Set(STANDING));
  });

  it('are not digested again from the third look on, and give a snapshot of their own all the same', async () => {
    const observer = pbs();
    observer.write('pbs/pbsnodes.json', PBS);
    await settled(observer);
    const { snapshot } = await collect(observer, 'pbs_state');
    expect(observer.asBefore).toEqual(['pbs_state']);
    const latest = await observer.snapshots.latest('pbs_state');
    expect(latest).toMatchObject({ id: snapshot, collectedAt: new Date(observer.now).toISOString() });
    expect(latest?.conditions.flatMap((c) => c.evidence.map((e) => e.ref))).toEqual([`pbs_state@${snapshot}#/conditions/0/values`]);
  });

  it.each<[string, (observer: Looking) => void]>([
    ['other bytes of the same length', (o) => o.write('pbs/pbsnodes.json', PBS.replace('down', 'free'))],
    ['another file', (o) => o.write('pbs/qstat-Qf.json', '{"Queue":{},"timestamp":1764492240}')],
    ['another rule', (o) => (o.config = { ...o.config, rules: { node_down: { severity: 'info' } } })],
    ['another zone', (o) => (o.config = { ...o.config, timezone: 'Asia/Tokyo' })],
    ['a clock that was set back', (o) => (o.now -= 3_600_000)],
    ['six hours later', (o) => (o.now += parseDuration('6h'))],
  ])('are digested again after %s', async (_, change) => {
    const observer = pbs();
    observer.write('pbs/pbsnodes.json', PBS);
    await settled(observer);
    change(observer);
    await collect(observer, 'pbs_state');
    expect(observer.asBefore).toEqual([]);
  });

  it('are digested again where the snapshot that they came to is damaged', async () => {
    const observer = pbs();
    observer.write('pbs/pbsnodes.json', PBS);
    await settled(observer);
    const { id } = (await observer.snapshots.latest('pbs_state')) as { id: string };
    await observer.store.putText(snapshotKey('pbs_state', id), '{');
    expect(await collect(observer, 'pbs_state')).toMatchObject({ status: 'ok', conditions: 1 });
    expect(observer.asBefore).toEqual(['pbs_state']);
    expect((await observer.snapshots.latest('pbs_state'))?.conditions).toHaveLength(1);
  });

  it('are digested again while one that was read before is missing', async () => {
    const observer = pbs();
    observer.write('pbs/pbsnodes.json', PBS);
    observer.write('pbs/qstat-Qf.json', '{"Queue":{"q":{"enabled":"True","started":"True"}},"timestamp":1764492240}');
    await settled(observer);
    writeFileSync(join(observer.folder, 'pbs/qstat-Qf.json'), '');
    const statuses = new Set<string>();
    for (let i = 0; i < 4; i++) {
      observer.now += 60_000;
      statuses.add((await collect(observer, 'pbs_state')).status);
    }
    expect([...statuses]).toEqual(['partial']);
  });
});
