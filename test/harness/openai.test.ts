import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DEFAULT_DIALECT } from '../../lib/harness/dialect.ts';
import { openaiClient } from '../../lib/harness/openai.ts';
import { reasoner } from '../../lib/harness/reasoner.ts';
import type { ChatMessage } from '../../lib/harness/client.ts';
import type { Report } from '../../lib/model/report.ts';
import { run } from '../../lib/steps/run.ts';
import { testObserver } from '../observer.ts';

interface Sent {
  path: string | undefined;
  headers: Record<string, string | string[] | undefined>;
  body: WireRequest;
}

interface WireRequest {
  model: string;
  stream: boolean;
  messages: {
    role: string;
    content: string;
    tool_call_id?: string;
    tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  }[];
  tools?: { function: { name: string; description: string; parameters: never } }[];
}

let server: Server;
let port: number;
let sent: Sent[];
let answer: (request: Sent, response: ServerResponse) => void;

beforeEach(async () => {
  sent = [];
  server = createServer((request, response) => {
    let text = '';
    request.on('data', (data: Buffer) => (text += data.toString()));
    request.on('end', () => {
      const made = { path: request.url, headers: request.headers, body: JSON.parse(text) as WireRequest };
      sent.push(made);
      answer(made, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** One run over a panic, with the model at the stub. */
async function runWithStub(timeout = 1200): Promise<Report> {
  const config = {
    url: `http://127.0.0.1:${port}/v1`,
    name: 'stub',
    timeout,
    max_turns: 8,
    max_calls: 20,
    max_tokens: 60_000,
    temperature: 0,
  };
  const observer = testObserver('{ cluster: test, sources: { console_logs: { path: consoles, first_sight: all } } }', {
    model: openaiClient(config, async () => 'sesame'),
  });
  observer.config.model = config;
  observer.write('consoles/n1', '[  100.000000] Kernel panic - not syncing: Fatal exception\n');
  try {
    return (await run(observer)).report;
  } finally {
    observer.dispose();
  }
}

const FLOOR = { verdict: 'critical', findings: [{ kind: 'kernel_panic', severity: 'critical', state: 'new' }] };

/** The reasoner behind the wire: messages in the wire's form in, a completion out. */
async function reasonOverWire({ body }: Sent, response: ServerResponse): Promise<void> {
  const messages = body.messages.map(
    (m): ChatMessage =>
      m.role === 'tool'
        ? { role: 'tool', callId: m.tool_call_id ?? '', content: m.content }
        : m.role === 'assistant'
          ? {
              role: 'assistant',
              content: m.content,
              calls: (m.tool_calls ?? []).map((c) => ({ id: c.id, name: c.function.name, arguments: c.function.arguments })),
            }
          : { role: m.role as 'user', content: m.content },
  );
  const tools = (body.tools ?? []).map((t) => ({
    name: t.function.name,
    description: t.function.description,
    parameters: t.function.parameters,
  }));
  const made = await reasoner.complete({ messages, tools, maxTokens: 100, seed: 1, dialect: DEFAULT_DIALECT }, AbortSignal.timeout(1000));
  const tool_calls = made.calls.map((c, i) => ({ id: `call-${i}`, type: 'function', function: { name: c.name, arguments: c.arguments } }));
  response.setHeader('content-type', 'application/json');
  response.end(
    JSON.stringify({
      choices: [{ index: 0, finish_reason: 'tool_calls', message: { role: 'assistant', content: null, tool_calls } }],
      usage: { prompt_tokens: 500, completion_tokens: 20 },
    }),
  );
}

it('does not tell a key that no header can carry', async () => {
  const client = openaiClient(
    { url: `http://127.0.0.1:${port}/v1`, name: 'stub', timeout: 1000, max_turns: 1, max_calls: 1, max_tokens: 100, temperature: 0 },
    async () => 's3cret\nlines',
  );
  const request = { messages: [{ role: 'user' as const, content: 'x' }], tools: [], maxTokens: 10, seed: 1, dialect: DEFAULT_DIALECT };
  const error: unknown = await client.complete(request, new AbortController().signal).catch((e: unknown) => e);
  expect(error).toMatchObject({ code: 'refused', message: 'the configured key is none: expected one line of ASCII characters' });
  expect((error as Error).cause).toBeUndefined();
});

describe('a model behind an OpenAI-compatible endpoint', () => {
  it('that calls tools gives an assessment; what is sent is what was meant', async () => {
    answer = (request, response) => void reasonOverWire(request, response);
    const report = await runWithStub(20_000);
    expect(report).toMatchObject(FLOOR);
    expect(report.assessment).toMatchObject({
      status: 'ok',
      model: `stub at 127.0.0.1:${port}`,
      stories: [{ findings: [report.findings[0]?.id] }],
    });
    expect(report.assessment.usage.tokensIn).toBe(500 * sent.length);
    expect(sent[0]).toMatchObject({
      path: '/v1/chat/completions',
      headers: { authorization: 'Bearer sesame' },
      body: { model: 'stub', stream: false },
    });
    expect(Object.keys(sent[0]?.headers ?? {}).filter((h) => h.startsWith('x-stainless'))).toEqual([]);
  });

  it.each<[string, (response: ServerResponse) => void, number?]>([
    ['answers 500', (r) => r.writeHead(500, { 'content-type': 'application/json' }).end('{"error":{"message":"boom"}}'), 2],
    ['answers HTML', (r) => r.writeHead(200, { 'content-type': 'text/html' }).end('<html>login</html>')],
    ['answers {}', (r) => r.writeHead(200, { 'content-type': 'application/json' }).end('{}')],
    ['refuses the key', (r) => r.writeHead(401).end('{}')],
    ['redirects', (r) => r.writeHead(307, { location: 'http://elsewhere.test/' }).end()],
    ['hangs before its answer', () => undefined],
    ['hangs in the middle of its answer', (r) => r.writeHead(200, { 'content-type': 'application/json' }).write('{"choices":[')],
    ['hangs up', (r) => r.destroy(), 2],
  ])('that %s costs the assessment alone, and the report says so', async (_, fail, attempts = 1) => {
    answer = (_request, response) => fail(response);
    const report = await runWithStub();
    expect(report).toMatchObject(FLOOR);
    expect(report.assessment).toMatchObject({ status: 'failed', stories: [], headline: [] });
    expect(report.assessment.reason).not.toBe('');
    expect(sent).toHaveLength(attempts);
  });

  it('that is not there costs the assessment alone', async () => {
    const closed = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => closed.once('listening', resolve));
    const free = (closed.address() as AddressInfo).port;
    await new Promise((resolve) => closed.close(resolve));
    port = free;
    expect((await runWithStub()).assessment).toMatchObject({ status: 'failed', reason: expect.stringContaining('ECONNREFUSED') });
  });

  it('that begins no answer while Node waits for one is told as what it is', async () => {
    const cause = Object.assign(new Error('Headers Timeout Error'), { name: 'HeadersTimeoutError', code: 'UND_ERR_HEADERS_TIMEOUT' });
    vi.stubGlobal('fetch', async () => Promise.reject(new TypeError('fetch failed', { cause })));
    try {
      const { assessment } = await runWithStub(600_000);
      expect(assessment).toMatchObject({ status: 'failed', reason: expect.stringContaining('within the five minutes that Node waits') });
    } finally {
      vi.unstubAllGlobals();
    }
  });
});
