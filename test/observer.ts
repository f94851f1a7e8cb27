import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { AuditLog } from '../lib/audit/audit.ts';
import { collectors } from '../lib/collectors/registry.ts';
import { parseConfig } from '../lib/config.ts';
import type { ModelClient } from '../lib/harness/client.ts';
import { readFiles } from '../lib/readers/files.ts';
import { digest } from '../lib/steps/digest.ts';
import type { Observer } from '../lib/steps/observer.ts';
import type { Driver } from 'unstorage';
import { memoryDriver } from '../lib/store/drivers/memory.ts';
import { Leases } from '../lib/store/leases.ts';
import { Snapshots } from '../lib/store/snapshots.ts';
import { Store } from '../lib/store/store.ts';

export const NOON = Date.parse('2026-11-30T12:00:00Z');

export interface TestObserver extends Observer {
  folder: string;
  /** Writes a file below the folder, as old as the clock says. */
  write(name: string, text: string | Uint8Array): void;
  now: number;
  validTokens: string[];
  /** Texts by path, as files or bindings would hold them. */
  secrets: Map<string, string>;
  truth: string | null;
  dispose(): void;
}

/** An observer over memory, with inline collects from a temporary folder, a clock that stands still, and no model. */
export function testObserver(
  yaml: string,
  { model = null, state = memoryDriver(), reports = memoryDriver() }: { model?: ModelClient | null; state?: Driver; reports?: Driver } = {},
): TestObserver {
  const folder = mkdtempSync(join(tmpdir(), 'hpc-observer-test-'));
  const store = new Store(state);
  const config = parseConfig(yaml, { file: 'test.yaml', collectors, resolvePath: (p) => resolve(folder, p) });
  const clock = (): number => observer.now;
  const observer: TestObserver = {
    folder,
    now: NOON,
    validTokens: [],
    secrets: new Map(),
    truth: null,
    version: '0.0.0',
    config,
    store,
    reports: new Store(reports),
    snapshots: new Snapshots(store),
    leases: new Leases(store, { now: clock, owner: 'test' }),
    clock,
    log: () => undefined,
    audit: new AuditLog(store, { writer: 'test', now: clock }),
    digest: (request) => digest(request, { path: readFiles }),
    get mtime() {
      return new Date(observer.now - 60_000).toISOString();
    },
    groundTruth: async () => (observer.truth === null ? null : { file: 'fleet.yaml', text: observer.truth }),
    model,
    send: null,
    secret: async (path) => {
      const text = observer.secrets.get(path);
      if (text === undefined) throw new Error(`no secret ${path}`);
      return text;
    },
    tokens: async () => observer.validTokens,
    write: (name, text) => {
      const file = join(folder, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    },
    dispose: () => rmSync(folder, { recursive: true, force: true }),
  };
  return observer;
}
