import { createAdaptorServer } from '@hono/node-server';
import type { CommonFlags } from '../lib/cli/session.ts';
import { ConfigError } from '../lib/config.ts';
import { toIso } from '../lib/model/time.ts';
import type { Log } from '../lib/steps/observer.ts';
import app from './app.ts';
import { exitAtOnce } from './exit.ts';
import { withFront } from './front.ts';
import { nodeObserver } from './node.ts';

const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost']);

/** Runs the server until SIGTERM or SIGINT; requests under way are finished first. */
export async function serveNode(
  flags: CommonFlags & { listen?: string; socket?: string },
  env: Record<string, string | undefined>,
): Promise<number> {
  const log: Log = (level, event, fields = {}) =>
    void process.stderr.write(`${JSON.stringify({ time: toIso(Date.now()), level, event, ...fields })}\n`);
  const { observer, threads, dispose } = await nodeObserver(flags, env, log);
  const place = placeToListen(flags, observer.config.server, env);
  const hosts = 'host' in place ? [...observer.config.server.hosts, place.host] : null;
  const front = withFront(app, { hosts, log, clock: observer.clock });
  const server = createAdaptorServer({
    fetch: (request: Request) => front.fetch(request, { observer }),
    // A client that is slow to send keeps a connection, and nothing else, for as long as this.
    serverOptions: { headersTimeout: 10_000, requestTimeout: 60_000, connectionsCheckingInterval: 5000 },
  });
  if ('host' in place && !LOOPBACK.has(place.host) && (await observer.tokens()).length === 0) {
    throw new ConfigError([`${place.host} is no loopback address: listening there needs server.token_file or OBSERVER_TOKEN`]);
  }
  // A socket is for its user and group from its first moment on.
  const umask = process.umask('path' in place ? 0o117 : process.umask());
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(new ConfigError([`cannot listen on ${JSON.stringify(place)}: ${error.code ?? error.message}`])),
    );
    server.listen(place, resolve);
  });
  process.umask(umask);
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
  // Idle keep-alive connections would hold the close for seconds.
  const idle = setInterval(() => 'closeIdleConnections' in server && server.closeIdleConnections(), 50);
  await new Promise<void>((resolve) => server.close(() => resolve()));
  clearInterval(idle);
  await dispose();
  if (threads.abandoned > 0) await exitAtOnce(0);
  return 0;
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
