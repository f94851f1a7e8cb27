import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { AuditLog } from '../../lib/audit/audit.ts';
import { collectors } from '../../lib/collectors/registry.ts';
import { parseConfig } from '../../lib/config.ts';
import type { ModelClient } from '../../lib/harness/client.ts';
import { readFiles } from '../../lib/readers/files.ts';
import { collectAll } from '../../lib/steps/collect.ts';
import { digest } from '../../lib/steps/digest.ts';
import type { Observer } from '../../lib/steps/observer.ts';
import { memoryDriver } from '../../lib/store/drivers/memory.ts';
import { Leases } from '../../lib/store/leases.ts';
import { Snapshots } from '../../lib/store/snapshots.ts';
import { Store } from '../../lib/store/store.ts';

export const DEMO = new URL('../../fixtures/democluster/', import.meta.url).pathname;
const DEMO_NOW = Date.parse('2026-11-30T08:45:00Z');

export type Day = 'faulty' | 'healthy';

/** An observer over a bundled day, or over a copy of one; state in memory, collects inline, the clock of the day. */
function observerOf(file: string, store: Store, model: ModelClient | null): Observer {
  const folder = dirname(file);
  const config = parseConfig(readFileSync(file, 'utf8'), { file, collectors, resolvePath: (p) => resolve(folder, p) });
  const clock = (): number => DEMO_NOW;
  const truth = config.ground_truth;
  return {
    version: '0.0.0',
    config,
    store,
    reports: new Store(memoryDriver()),
    snapshots: new Snapshots(store),
    leases: new Leases(store, { now: clock, owner: 'test' }),
    clock,
    log: () => undefined,
    audit: new AuditLog(store, { writer: 'test', now: clock }),
    digest: (request) => digest(request, { path: readFiles }),
    mtime: new Date(DEMO_NOW - 300_000).toISOString(),
    groundTruth: async () => (truth ? { file: truth, text: readFileSync(truth, 'utf8') } : null),
    model,
    secret: async (path) => Promise.reject(new Error(`no secret ${path}`)),
    send: null,
    tokens: async () => [],
  };
}

/** A day that was collected once, from which any number of observers can start. */
export interface Collected {
  observer: (model: ModelClient | null, limits?: Partial<Limits>) => Promise<Observer>;
}

export interface Limits {
  timeout: number;
  max_turns: number;
  max_calls: number;
  max_tokens: number;
}

export const LIMITS: Limits = { timeout: 20_000, max_turns: 12, max_calls: 40, max_tokens: 120_000 };

/** @param root the folder that holds the day's `config.yaml` */
export async function collectDay(root: string): Promise<Collected> {
  const file = join(root, 'config.yaml');
  const first = observerOf(file, new Store(memoryDriver()), null);
  const results = await collectAll(first, [...first.config.sources.keys()]);
  const failed = results.filter((r) => r.status === 'failed');
  if (failed.length > 0) throw new Error(failed.map((r) => `${r.source}: ${r.problem?.detail}`).join('; '));
  const kept = await Promise.all(
    (await first.store.list('')).map(async (key) => [key, (await first.store.getText(key)) as string] as const),
  );
  return {
    observer: async (model, limits = {}) => {
      const store = new Store(memoryDriver());
      for (const [key, text] of kept) await store.putText(key, text);
      const observer = observerOf(file, store, model);
      observer.config.model = { url: 'http://127.0.0.1:1/v1', name: 'mock', temperature: 0, ...LIMITS, ...limits };
      return observer;
    },
  };
}

/** A fresh folder that goes at the end. */
export function temporaryFolder(): { folder: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'hpc-observer-test-'));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
