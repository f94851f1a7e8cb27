import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import app from '../../functions/app.ts';
import { conditionalRedisDriver } from '../../lib/store/drivers/redis.ts';
import type { Store } from '../../lib/store/store.ts';
import { CONTRACT_CONFIG, CONTRACT_TOKEN, httpContract } from '../functions/contract.ts';
import { testObserver, type TestObserver } from '../observer.ts';
import { conformance } from '../store/conformance.ts';
import { describeWith } from './debian.ts';

describeWith('over a real Redis', { 'redis-server': 'redis-server' }, (tool) => {
  const folder = mkdtempSync(join(tmpdir(), 'hpc-observer-redis-'));
  let server: ChildProcess;
  const opened: Store[] = [];

  afterAll(async () => {
    for (const store of opened) await store.dispose();
    server?.kill('SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  });

  const start = async (): Promise<string> => {
    const port = await freePort();
    server = spawn(tool['redis-server'], ['--bind', '127.0.0.1', '--port', String(port), '--dir', folder, '--appendonly', 'yes'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise<void>((resolve) =>
      server.stdout?.on('data', (data: Buffer) => data.toString().includes('Ready to accept connections') && resolve()),
    );
    return `redis://127.0.0.1:${port}/0`;
  };

  let url: string;
  beforeAll(async () => {
    url = await start();
  });

  conformance('redis', async () => ({ driver: await conditionalRedisDriver(url, 'conformance') }));

  httpContract('redis', () => {
    const connect = async (): Promise<TestObserver> => {
      const made = testObserver(CONTRACT_CONFIG, {
        state: await conditionalRedisDriver(url, 'state'),
        reports: await conditionalRedisDriver(url, 'reports'),
      });
      made.validTokens = [CONTRACT_TOKEN];
      opened.push(made.store, made.reports);
      return made;
    };
    let connected: Promise<TestObserver> | undefined;
    return async (path, init) => {
      const observer = await (connected ??= connect());
      observer.now += 1000;
      return app.request(path, init, { observer });
    };
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
