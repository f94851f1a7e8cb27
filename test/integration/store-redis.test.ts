import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import app from '../../functions/app.ts';
import { conditionalRedisDriver } from '../../lib/store/drivers/redis.ts';
import { CONTRACT_CONFIG, CONTRACT_TOKEN, httpContract } from '../functions/contract.ts';
import { testObserver, type TestObserver } from '../observer.ts';
import { conformance } from '../store/conformance.ts';
import { describeWith } from './debian.ts';

describeWith('over a real Redis', { 'redis-server': 'redis-server' }, (tool) => {
  const folder = mkdtempSync(join(tmpdir(), 'hpc-observer-redis-'));
  let server: ChildProcess;
  const opened: Awaited<ReturnType<typeof conditionalRedisDriver>>[] = [];
  const open = async (base: string) => {
    const driver = await conditionalRedisDriver(url, base);
    opened.push(driver);
    return driver;
  };

  afterAll(async () => {
    for (const driver of opened) await driver.dispose?.();
    // It writes until it has ended.
    const ended = new Promise((resolve) => server.once('exit', resolve));
    server.kill('SIGTERM');
    await ended;
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

  conformance('redis', async () => ({ driver: await open('conformance') }));

  httpContract('redis', () => {
    const connect = async (): Promise<TestObserver> => {
      const made = testObserver(CONTRACT_CONFIG, {
        state: await open('state'),
        reports: await open('reports'),
      });
      made.validTokens = [CONTRACT_TOKEN];
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
