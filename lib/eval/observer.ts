import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Driver } from 'unstorage';
import { AuditLog } from '../audit/audit.ts';
import { collectors } from '../collectors/registry.ts';
import { type Config, parseConfig } from '../config.ts';
import { readFiles } from '../readers/files.ts';
import type { Readers } from '../readers/reader.ts';
import { digest } from '../steps/digest.ts';
import type { Observer } from '../steps/observer.ts';
import { memoryDriver } from '../store/drivers/memory.ts';
import { Leases } from '../store/leases.ts';
import { Snapshots } from '../store/snapshots.ts';
import { Store } from '../store/store.ts';
import { VERSION } from '../version.ts';
import type { MemoryFolder } from './memory.ts';

/** An observer whose clock is set by hand. */
export interface EvalObserver extends Observer {
  now: number;
}

interface EvalOptions {
  now: number;
  /** Where state is kept; the default is memory. */
  driver?: Driver;
  /** Where digests are made; the default is here, one after the other. */
  digest?: Observer['digest'];
}

/** The observer of a generated folder, for stepping through its ticks in-process: no model, no sinks. */
export function evalObserver(folder: string, options: EvalOptions): EvalObserver {
  const file = join(folder, 'config.yaml');
  const config = parseConfig(readFileSync(file, 'utf8'), { file, collectors, resolvePath: (path) => resolve(folder, path) });
  const truth = config.ground_truth;
  return observerWith(
    config,
    { path: readFiles },
    async () => (truth ? { file: truth, text: await readFile(truth, 'utf8') } : null),
    options,
  );
}

/** The observer of a fleet that lies in memory. */
export function memoryObserver(folder: MemoryFolder, texts: { config: string; groundTruth: string }, options: EvalOptions): EvalObserver {
  const config = parseConfig(texts.config, { file: 'config.yaml', collectors, resolvePath: (path) => path });
  return observerWith(config, { path: folder.reader }, async () => ({ file: 'fleet.yaml', text: texts.groundTruth }), options);
}

function observerWith(
  config: Config,
  readers: Readers,
  groundTruth: Observer['groundTruth'],
  { now, driver, digest: digestElsewhere }: EvalOptions,
): EvalObserver {
  const store = new Store(driver ?? memoryDriver());
  const clock = (): number => observer.now;
  const observer: EvalObserver = {
    now,
    version: VERSION,
    config,
    store,
    reports: new Store(memoryDriver()),
    snapshots: new Snapshots(store),
    leases: new Leases(store, { now: clock, owner: 'eval' }),
    clock,
    log: () => undefined,
    audit: new AuditLog(store, { writer: 'eval', now: clock }),
    digest: digestElsewhere ?? ((request) => digest(request, readers)),
    groundTruth,
    model: null,
    send: null,
    secret: () => Promise.reject(new Error('no secrets here')),
    tokens: async () => [],
  };
  return observer;
}
