import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { conformance } from '../store/conformance.ts';
import { describeWith } from './debian.ts';

describeWith('over a real Redis', { 'redis-server': 'redis-server' }, (tool) => {
  const folder = mkdtempSync(join(tmpdir(), 'hpc-observer-redis-'));
  let server: ChildProcess;

  afterAll(() => {
    server?.kill('SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  });

  conformance('redis', async () => {
    const port = await freePort();
    server = spawn(tool['redis-server'], ['--bind', '127.0.0.1', '--port', String(port), '--dir', folder, '--appendonly', 'yes'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise<void>((resolve) =>
      server.stdout?.on('data', (data: Buffer) => data.toString().includes('Ready to accept connections') && resolve()),
    );
    const { conditionalRedisDriver } = await import('../../lib/store/drivers/redis.ts');
    return { driver: conditionalRedisDriver(`redis://127.0.0.1:${port}/0`, 'observer') };
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
