import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeWith } from './debian.ts';
import { CLI, overSocket, serve, type Server } from './server.ts';

let folder: string;
let servers: Server[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hpc-observer-server-'));
  servers = [];
  mkdirSync(join(folder, 'weka'));
  writeFileSync(join(folder, 'weka', 'status.json'), '{"name":"demo","status":"OK","io_status":"STARTED","drives":{"active":8,"total":8}}');
});
afterEach(async () => {
  for (const { child, ended } of servers) {
    child.kill('SIGKILL');
    await ended;
  }
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a server over one small source. */
async function start({
  yaml = '',
  args = ['--listen', '127.0.0.1:0'],
  command,
}: {
  yaml?: string;
  args?: string[];
  command?: string[];
} = {}) {
  const config = join(folder, 'config.yaml');
  writeFileSync(config, `cluster: c\nsources:\n  weka_state: { path: weka }\n${yaml}`);
  const roots = ['--state-root', join(folder, 'state'), '--report-root', join(folder, 'reports')];
  const server = await serve(['--config', config, ...roots, ...args], command);
  servers.push(server);
  return server;
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A model that answers when it is told to. */
async function slowModel(): Promise<{ url: string; asked: Promise<void>; answer: () => void; close: () => void }> {
  let isAsked: () => void = () => undefined;
  let isTold: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => (isAsked = resolve));
  const told = new Promise<void>((resolve) => (isTold = resolve));
  const server = createServer((_, response) => {
    isAsked();
    void told.then(() => response.writeHead(500).end('{}'));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/v1`, asked, answer: isTold, close: () => server.closeAllConnections() };
}

describe('a server that is told to stop', { timeout: 60_000 }, () => {
  it('finishes the request under way, takes no other, and ends with 0', async () => {
    const model = await slowModel();
    writeFileSync(
      join(folder, 'weka', 'status.json'),
      '{"name":"demo","status":"OK","io_status":"STOPPED","drives":{"active":8,"total":8}}',
    );
    const server = await start({ yaml: `model: { url: '${model.url}', name: m, timeout: 20s, max_turns: 1 }\n` });
    const running = fetch(`${server.url}/run`, { method: 'POST' });
    await model.asked;
    server.child.kill('SIGTERM');
    while (!server.log().includes('stopping')) await wait(20);
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow();
    model.answer();
    const response = await running;
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ report: { verdict: 'critical', assessment: { status: 'failed' } } });
    expect(await server.ended).toBe(0);
    expect(existsSync(join(folder, 'reports', 'latest.json'))).toBe(true);
    model.close();
  });

  it('does not wait for a client that never ends its request', async () => {
    const server = await start({ yaml: 'server: { stop_timeout: 1s }\n' });
    const socket = await open(server.url);
    socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow: ');
    await wait(100);
    server.child.kill('SIGTERM');
    expect(await server.ended).toBe(0);
    socket.destroy();
  });
});

describe('a server on a unix socket', { timeout: 60_000 }, () => {
  it('lets its user and group in and nobody else, and takes the place of one that was killed, not of one that lives', async () => {
    const path = join(folder, 'observer.sock');
    const first = await start({ args: ['--socket', path] });
    expect(statSync(path).mode & 0o777).toBe(0o660);
    expect(await overSocket(path, '/healthz')).toEqual({ status: 200, body: '{"status":"ok"}' });
    await expect(start({ args: ['--socket', path] })).rejects.toThrow('EADDRINUSE');
    first.child.kill('SIGKILL');
    expect(await first.ended).toBe('SIGKILL');
    expect(existsSync(path)).toBe(true);
    const second = await start({ args: ['--socket', path] });
    expect((await overSocket(path, '/run', 'POST')).status).toBe(200);
    second.child.kill('SIGTERM');
    expect(await second.ended).toBe(0);
    expect(existsSync(path)).toBe(false);
    writeFileSync(path, 'no socket');
    await expect(start({ args: ['--socket', path] })).rejects.toThrow('EADDRINUSE');
    expect(statSync(path).size).toBe(9);
  });
});

describeWith('socket activation', { 'systemd-socket-activate': 'systemd' }, (tool) => {
  it('takes over the socket that systemd has opened', { timeout: 60_000 }, async () => {
    const path = join(folder, 'activated.sock');
    const config = join(folder, 'config.yaml');
    writeFileSync(config, 'cluster: c\nsources:\n  weka_state: { path: weka }\n');
    const command = [process.execPath, CLI, 'serve', '--config', config, '--state-root', join(folder, 'state')];
    const child = spawn(tool['systemd-socket-activate'], ['-l', path, ...command], { stdio: ['ignore', 'ignore', 'pipe'] });
    let log = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    while (!existsSync(path)) await wait(20);
    expect(await overSocket(path, '/run', 'POST')).toMatchObject({ status: 200 });
    expect(log).toContain('"event":"listening"');
    expect(await overSocket(path, '/readyz')).toMatchObject({ status: 200 });
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    // The socket is systemd's: it stays for the next start.
    expect(existsSync(path)).toBe(true);
  });
});

async function open(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await new Promise((resolve) => socket.once('connect', resolve));
  return socket;
}

/** What comes back until the server closes. */
function answerOf(socket: Socket): Promise<string> {
  let text = '';
  socket.setEncoding('utf8').on('data', (data: string) => (text += data));
  return new Promise((resolve) => {
    socket.on('error', () => undefined);
    socket.once('close', () => resolve(text));
  });
}

describe('clients that are slow, broken or many', { timeout: 120_000 }, () => {
  it('are cut by the limits while others are served', async () => {
    const server = await start({ yaml: 'server: { headers_timeout: 1s, request_timeout: 2s }\n' });
    const slow = await Promise.all(
      Array.from({ length: 40 }, async (_, i) => {
        const socket = await open(server.url);
        // Half of them never end their headers, the other half their body.
        socket.write(
          i % 2 === 0
            ? 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow: '
            : 'POST /tools/list_sources HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n',
        );
        const drip = setInterval(() => socket.writable && socket.write('x'), 100);
        const answer = await Promise.race([
          answerOf(socket),
          // Meanwhile others are served at once.
          (async () => {
            for (;;) {
              const response = await fetch(`${server.url}/healthz`);
              expect(response.status).toBe(200);
              await wait(200);
            }
          })(),
        ]);
        clearInterval(drip);
        return answer;
      }),
    );
    for (const answer of slow.filter((_, i) => i % 2 === 0)) {
      expect(answer).toMatch(/^HTTP\/1\.1 408 /);
      expect(answer).toContain('application/problem+json');
    }
    for (const answer of slow) expect(answer).not.toMatch(/^HTTP\/1\.1 200/);
    expect((await fetch(`${server.url}/run`, { method: 'POST' })).status).toBe(200);
  });

  it.each([
    ['nonsense', 'NONSENSE\r\n\r\n', 400],
    ['two names of a host', 'GET / HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n', 400],
    ['a broken URL', 'GET http://[::bad/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n', 400],
    ['20 kB of headers', `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ['a broken escape', 'GET /reports/%E0%A4%A HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n', 404],
    ["somebody else's name", 'GET / HTTP/1.1\r\nHost: evil.test\r\nConnection: close\r\n\r\n', 421],
    ['a method that is none', 'BREW / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n', 400],
    ['another method', 'PUT /tick HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n', 405],
  ])('that send %s get a problem document of it', async (_, text, status) => {
    const server = await start();
    const socket = await open(server.url);
    const answer = answerOf(socket);
    socket.write(text);
    const timer = setTimeout(() => socket.end(), 2000);
    const [head = '', body = ''] = (await answer).split('\r\n\r\n');
    clearTimeout(timer);
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(head.toLowerCase()).toContain('content-type: application/problem+json');
    expect(JSON.parse(body.slice(body.indexOf('{'), body.lastIndexOf('}') + 1))).toMatchObject({ status, requestId: expect.any(String) });
  });

  it('by the thousand at once are all answered', async () => {
    const server = await start();
    expect((await fetch(`${server.url}/run`, { method: 'POST' })).status).toBe(200);
    const paths = [
      '/healthz',
      '/readyz',
      '/metrics',
      '/reports/latest.json',
      '/reports/latest.md',
      '/findings',
      '/snapshots/weka_state/latest',
      '/tools',
    ];
    const [reads, run] = await Promise.all([
      Promise.all(Array.from({ length: 1000 }, async (_, i) => (await fetch(`${server.url}${paths[i % paths.length]}`)).status)),
      fetch(`${server.url}/run`, { method: 'POST' }),
    ]);
    expect(reads.filter((s) => s !== 200)).toEqual([]);
    expect(run.status).toBe(200);
  });
});
