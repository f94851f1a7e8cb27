import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ModelConfig } from '../../config.ts';
import type { ModelClient } from '../client.ts';
import { openaiClient } from '../openai.ts';
import { LADDER } from './ladder.ts';
import { readRequest, type Reply } from './wire.ts';

export interface MockServer {
  /** The base URL, `/v1` included. */
  url: string;
  /** A client of it, under a name that tells no port: reports are the same in every run. */
  client: ModelClient;
  config: ModelConfig;
  close: () => Promise<void>;
}

/** What a run over a mock may use. */
const MOCK_LIMITS: Omit<ModelConfig, 'url' | 'name'> = { timeout: 5000, max_turns: 12, max_calls: 40, max_tokens: 120_000, temperature: 0 };

/**
 * Starts a mock model as a server on a free port of the loopback, that speaks the wire's own forms. It keeps no process alive.
 * @returns null for a name that is no mock's
 */
export async function startMock(name: string, limits: Partial<ModelConfig> = {}): Promise<MockServer | null> {
  const mock = LADDER.get(name);
  if (!mock) return null;
  let nth = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.method !== 'POST' || request.url !== '/v1/chat/completions') {
        answerGet(request.url ?? '', response);
        return;
      }
      const number = nth++;
      Promise.resolve()
        .then(() => mock(readRequest(Buffer.concat(chunks).toString('utf8'), number)))
        .then((reply) => send(reply, response))
        .catch((error: unknown) => void response.writeHead(400, JSON_TYPE).end(JSON.stringify({ error: { message: String(error) } })));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const config: ModelConfig = { ...MOCK_LIMITS, ...limits, url, name: 'mock' };
  const client = openaiClient(config, async () => undefined);
  return {
    url,
    client: { ...client, label: `mock ${name}` },
    config,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const JSON_TYPE = { 'content-type': 'application/json' };

function answerGet(path: string, response: ServerResponse): void {
  if (path === '/v1/models')
    response
      .writeHead(200, JSON_TYPE)
      .end(JSON.stringify({ object: 'list', data: [{ id: 'mock', object: 'model', max_model_len: 32_768 }] }));
  else response.writeHead(404, JSON_TYPE).end('{"detail":"Not Found"}');
}

async function send({ status = 200, headers = {}, body = '', delay = 0, drip = 0, cut }: Reply, response: ServerResponse): Promise<void> {
  if (cut) return void response.destroy();
  await wait(delay, response);
  if (response.destroyed) return;
  const bytes =
    typeof body === 'string' || body instanceof Uint8Array ? Buffer.from(body as Uint8Array) : Buffer.from(JSON.stringify(body));
  response.writeHead(status, { ...JSON_TYPE, ...headers });
  if (drip > 0) {
    response.write(bytes.subarray(0, 20));
    await wait(drip, response);
    if (response.destroyed) return;
    response.end(bytes.subarray(20));
  } else response.end(bytes);
}

/** Waits, but not for a response that nobody waits for any more. */
function wait(ms: number, response: ServerResponse): Promise<void> {
  if (ms === 0) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    timer.unref();
    response.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
