import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { abortAfter, under } from '../lib/deadline.ts';
import { DEFAULT_DIALECT } from '../lib/harness/dialect.ts';
import { openaiClient } from '../lib/harness/openai.ts';
import { fetchGet } from '../lib/readers/fetch-get.ts';
import { nodeGet } from '../lib/readers/node-get.ts';
import { deliver } from '../lib/report/sinks/deliver.ts';

// Garbage is collected all the time, which nobody can rely on not to happen.
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

let server: Server;
let url: string;
let collecting: NodeJS.Timeout;
beforeEach(async () => {
  server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('{');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  collecting = setInterval(collectGarbage, 10);
});
afterEach(async () => {
  clearInterval(collecting);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

describe('an answer that begins and never ends', () => {
  it('of a model is not waited for beyond the deadline, whoever forgot that', async () => {
    const config = { url, name: 'm', timeout: 100, temperature: 0, max_turns: 1, max_calls: 1, max_tokens: 1 };
    const client = openaiClient(config, async () => undefined);
    const request = { messages: [], tools: [], maxTokens: 10, seed: 1, dialect: DEFAULT_DIALECT };
    for (let i = 0; i < 3; i++) await expect(client.complete(request, abortAfter(300))).rejects.toMatchObject({ code: 'timeout' });
  });

  it('of a source is a timeout', async () => {
    await expect(nodeGet({ url: new URL(url), headers: {}, maxBytes: 100, timeout: 100 })).rejects.toMatchObject({ code: 'timeout' });
  });

  it('of a source at the edge is a timeout too', async () => {
    await expect(fetchGet({ url: new URL(url), headers: {}, maxBytes: 100, timeout: 300 })).rejects.toMatchObject({ code: 'timeout' });
  });

  it('of a sink that failed leaves time for the next attempt', async () => {
    let asked = 0;
    const send: typeof fetch = async (_, init) => {
      asked++;
      await (await fetch(url, init ?? {})).text();
      throw new Error('answered');
    };
    const outgoing = { url, body: {}, token: null, deadline: abortAfter(60_000) };
    const patience = { attempt: 100, attempts: 2, wait: 1, total: 60_000 };
    expect(await deliver(send, outgoing, patience, Date.now)).toMatchObject({ ok: false });
    expect(asked).toBe(2);
  });
});

describe('work under another signal', () => {
  it('sees that it aborts, also where it had before', async () => {
    const other = new AbortController();
    const waiting = under(other.signal, (own) => new Promise((resolve) => own.addEventListener('abort', () => resolve(own.reason))));
    other.abort('over');
    expect(await waiting).toBe('over');
    expect(await under(other.signal, async (own) => own.aborted)).toBe(true);
  });

  it('leaves no listener on it', async () => {
    const listening = new Set<unknown>();
    const signal = {
      aborted: false,
      addEventListener: (_: string, listener: unknown) => listening.add(listener),
      removeEventListener: (_: string, listener: unknown) => listening.delete(listener),
    } as unknown as AbortSignal;
    await under(signal, async () => expect(listening.size).toBe(1));
    await expect(under(signal, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    expect(listening.size).toBe(0);
  });

  it('is waited for no longer than it may take, even if it minds no signal', async () => {
    const stubborn = (): Promise<never> => new Promise(() => undefined);
    await expect(under(abortAfter(60_000), stubborn, 10)).rejects.toMatchObject({ name: 'TimeoutError' });
    await expect(under(abortAfter(10), stubborn)).rejects.toMatchObject({ name: 'TimeoutError' });
  });
});
