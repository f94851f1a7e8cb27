import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import app from '../../functions/app.ts';
import { atomicFsDriver } from '../../lib/store/drivers/atomic-fs.ts';
import { memoryDriver } from '../../lib/store/drivers/memory.ts';
import { testObserver } from '../observer.ts';
import { CONTRACT_CONFIG, CONTRACT_TOKEN, httpContract } from './contract.ts';

const folder = mkdtempSync(join(tmpdir(), 'hpc-observer-contract-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

for (const [name, driver] of [
  ['memory', memoryDriver],
  ['files', (part: string) => atomicFsDriver(join(folder, part))],
] as const) {
  httpContract(name, () => {
    const observer = testObserver(CONTRACT_CONFIG, { state: driver('state'), reports: driver('reports') });
    observer.validTokens = [CONTRACT_TOKEN];
    // Each call a moment later, as on a real clock.
    return async (path, init) => {
      observer.now += 1000;
      return app.request(path, init, { observer });
    };
  });
}
