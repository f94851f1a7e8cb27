import { getRequestListener } from '@hono/node-server';
import { lstatSync, unlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { CommonFlags } from '../lib/cli/session.ts';
import { ConfigError } from '../lib/config.ts';
import { toIso } from '../lib/model/time.ts';
import type { Log } from '../lib/steps/observer.ts';
import { exitAtOnce } from './exit.ts';
import { problemDocument, withFront } from './front.ts';
import { nodeObserver, SOURCES } from './node.ts';
import reads from './reads.ts';
import { StepThread, withStepThread } from './steps.ts';

// Under a test runner that reads the sources it is the built one.
const STEPS = new URL(import.meta.url.endsWith('.ts') ? '../dist/functions/steps-body.js' : '../functions/steps-body.js', import.meta.url);
const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost']);

/** Runs the server until SIGTERM or SIGINT; requests under way are finished first, for as long as `server.stop_timeout`. */
export async function serveNode(
  flags: CommonFlags & { listen?: string; socket?: string },
  env: Record<string, string | undefined>,
): Promise<number> {
  const log: Log = (level, event, fields = {}) =>
    void process.stderr.write(`${JSON.stringify({ time: toIso(Date.now()), level, event, ...fields })}\n`);
  const { observer, threads, standing, dispose } = await nodeObserver(flags, env, log);
  const limits = observer.config.server;
  const place = placeToListen(flags, limits, env);
  if ('host' in place && !LOOPBACK.has(place.host) && (await observer.tokens()).length === 0) {
    throw new ConfigError([`${place.host} is no loopback address: listening there needs server.token_file or OBSERVER_TOKEN`]);
  }
  const hosts = 'host' in place ? [...limits.hosts, place.host] : null;
  // State in memory is of one thread.
  const steps =
    observer.config.state.driver === 'memory' ? null : new StepThread(STEPS, { config: observer.config, flags, clock: standing }, log);
  const app = steps ? withStepThread(reads, steps, SOURCES) : (await import('./app.ts')).default;
  const front = withFront(app, { hosts, log, clock: observer.clock });
  const listener = getRequestListener((request) => front.fetch(request, { observer }), {
    errorHandler: (error) => problemDocument(400, 'Bad request', error instanceof Error ? error.message : String(error)),
  });
  const server = createServer(
    {
      // A client that is slow to send keeps a connection, and nothing else, for as long as this.
      headersTimeout: Math.min(limits.headers_timeout, limits.request_timeout),
      requestTimeout: limits.request_timeout,
      connectionsCheckingInterval: Math.min(5000, limits.headers_timeout / 2),
    },
    (incoming, outgoing) => void listener(incoming, outgoing),
  );
  server.on('clientError', (error, socket: Socket) => void refuse(error, socket));
  await listen(server, place);
  const address = server.address();
  log('info', 'listening', {
    address:
      typeof address === 'string'
        ? address
        : address
          ? `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`
          : 'socket',
  });
  await new Promise<void>((resolve) => {
    process.once('SIGTERM', resolve);
    process.once('SIGINT', resolve);
  });
  log('info', 'stopping');
  await close(server, limits.stop_timeout);
  const isFree = (await steps?.end()) !== false && threads.abandoned === 0;
  await dispose();
  if (!isFree) await exitAtOnce(0);
  return 0;
}

async function listen(server: Server, place: Place): Promise<void> {
  // A socket is for its user and group from its first moment on.
  const umask = process.umask('path' in place ? 0o117 : process.umask());
  const attempt = (): Promise<void> =>
    new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(place, () => {
        server.off('error', reject);
        resolve();
      });
    });
  try {
    await attempt().catch(async (error: NodeJS.ErrnoException) => {
      // A server that was killed leaves its socket behind; nobody answers there any more.
      if (error.code !== 'EADDRINUSE' || !('path' in place) || !lstatSync(place.path).isSocket() || (await answers(place.path)))
        throw error;
      unlinkSync(place.path);
      await attempt();
    });
  } catch (error) {
    throw new ConfigError([
      `cannot listen on ${JSON.stringify(place)}: ${(error as NodeJS.ErrnoException).code ?? (error as Error).message}`,
    ]);
  } finally {
    process.umask(umask);
  }
}

/** Whether somebody listens on a socket. */
function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code !== 'ECONNREFUSED'));
  });
}

/** Takes no more connections, and waits for the requests under way; who then still sends or reads is cut off. */
async function close(server: Server, patienceMs: number): Promise<void> {
  // Idle keep-alive connections would hold the close for seconds.
  const idle = setInterval(() => server.closeIdleConnections(), 50);
  const patience = setTimeout(() => server.closeAllConnections(), patienceMs);
  await new Promise<void>((resolve) => server.close(() => resolve()));
  clearInterval(idle);
  clearTimeout(patience);
}

const REFUSALS: Record<string, [number, string, string]> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Too slow', 'the request did not come in whole within the server’s limits'],
  HPE_HEADER_OVERFLOW: [431, 'Headers too large', 'the headers are over 16 KiB'],
};

/** Answers what is no request that Node could read. */
async function refuse(error: NodeJS.ErrnoException, socket: Socket): Promise<void> {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, title, detail] = REFUSALS[error.code ?? ''] ?? [400, 'Bad request', 'this is no HTTP request'];
  const body = await problemDocument(status, title, detail).text();
  socket.end(
    `HTTP/1.1 ${status} ${title}\r\ncontent-type: application/problem+json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

type Place = { host: string; port: number } | { path: string } | { fd: number };

function placeToListen(
  flags: { listen?: string; socket?: string },
  config: { listen: string; socket?: string | undefined },
  env: Record<string, string | undefined>,
): Place {
  // systemd hands an open socket over as descriptor 3, to the process that it names.
  if (env['LISTEN_FDS'] === '1' && env['LISTEN_PID'] === String(process.pid)) return { fd: 3 };
  const socket = flags.socket ?? (flags.listen === undefined ? config.socket : undefined);
  if (socket !== undefined) return { path: socket };
  const m = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(flags.listen ?? config.listen);
  if (!m || Number(m[3]) > 65535) throw new ConfigError([`${flags.listen ?? config.listen}: expected host:port to listen on`]);
  return { host: (m[1] ?? m[2]) as string, port: Number(m[3]) };
}
