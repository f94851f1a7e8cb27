import { getEventListeners } from 'node:events';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_DIALECT } from '../../lib/harness/dialect.ts';
import { openaiClient } from '../../lib/harness/openai.ts';
import { calling, type Reply, status, Stub, SUBMITS } from './stub.ts';

/** Servers that load, queue, fail, redirect, or serve another model, at the wire; numbers are rows of the quirk table. */

const stub = new Stub();
beforeAll(() => stub.start());
afterAll(() => stub.stop());
beforeEach(() => void stub.sent.splice(0));

const look = { name: 'list_sources', arguments: '{}' };

describe('servers that are not ready', () => {
  it.each<[string, Reply]>([
    [
      '32: llama.cpp loads',
      status(503, { error: { code: 503, message: 'Loading model', type: 'unavailable_error' } }, { 'retry-after-ms': '5' }),
    ],
    ['32: an empty 503', status(503, '', { 'retry-after-ms': '5' })],
    ['32: a queue that is full', status(429, { error: { message: 'too many requests' } }, { 'retry-after': '0' })],
  ])('%s: is waited for', async (_, notReady) => {
    const { assessment, exchanges } = await stub.run([notReady, notReady, SUBMITS]);
    expect(assessment).toMatchObject({ status: 'ok', notes: [expect.stringMatching(/loading|busy/)] });
    expect(exchanges.map((e) => e.error?.code ?? 'answer')).toEqual([expect.stringMatching(/loading|busy/), expect.any(String), 'answer']);
  });

  it('32: one that loads for ever costs the time budget and no more', async () => {
    const { assessment } = await stub.run([status(503, { error: { message: 'Loading model' } }, { 'retry-after-ms': '40' })], {
      limits: { timeout: 400 },
    });
    expect(assessment).toMatchObject({ status: 'failed', reason: expect.stringMatching(/Loading model|in time/) });
  });

  it('35: the same 500 twice is no passing fault', async () => {
    const { assessment } = await stub.run([status(500, { error: { message: 'boom' } })]);
    expect(assessment).toMatchObject({ status: 'failed', reason: 'status 500: boom' });
    expect(stub.sent).toHaveLength(2);
  });

  it('33: another id of the only model there is', async () => {
    stub.gets.set('/v1/models', { data: [{ id: 'org/stub-8b', max_model_len: 8192 }] });
    const { assessment, profile } = await stub.run([
      status(404, { error: { message: 'The model `stub` does not exist.', type: 'NotFoundError', param: 'model', code: 404 } }),
      SUBMITS,
    ]);
    expect(stub.sent.map((s) => s.body.model)).toEqual(['stub', 'org/stub-8b']);
    expect(assessment).toMatchObject({ status: 'ok', notes: expect.arrayContaining([expect.stringContaining('org/stub-8b')]) });
    expect(profile?.dialect.model).toBe('org/stub-8b');
  });

  it('33: of several models none is guessed, and the reason names them', async () => {
    stub.gets.set('/v1/models', { data: [{ id: 'a' }, { id: 'b' }] });
    const { assessment } = await stub.run([status(404, { error: 'model "stub" not found, try pulling it first' })]);
    expect(assessment).toMatchObject({ status: 'failed', reason: 'no model stub; there: a, b' });
    expect(stub.sent).toHaveLength(1);
  });

  it('43: a redirect is refused, and nobody else gets the key', async () => {
    const other = await new Stub().start();
    const { assessment } = await stub.run([(response) => response.writeHead(307, { location: `${other.url}/chat/completions` }).end()]);
    expect(assessment.status).toBe('failed');
    expect(other.sent).toEqual([]);
    await other.stop();
  });

  it('41: a first answer that is long in coming is waited for, and asked for once', async () => {
    const slow: Reply = (response) =>
      void setTimeout(() => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(calling(look))), 400);
    const { assessment } = await stub.run([slow, SUBMITS], { limits: { timeout: 10_000 } });
    expect(assessment).toMatchObject({ status: 'ok', usage: { turns: 2, toolCalls: 1 } });
    expect(stub.sent).toHaveLength(2);
  });

  it('30: temperature 0 promises nothing: what was answered is recorded, answer by answer', async () => {
    const { exchanges } = await stub.run([calling(look), SUBMITS]);
    expect(exchanges.map((e) => (e.answer as { calls: { name: string }[] }).calls[0]?.name)).toEqual(['list_sources', 'submit_report']);
  });
});

it('many requests under one deadline leave no listener on it', async () => {
  stub.replies = [SUBMITS];
  const config = { url: stub.url, name: 'stub', temperature: 0, timeout: 20_000, max_turns: 1, max_calls: 1, max_tokens: 1 };
  const client = openaiClient(config, async () => undefined);
  const { signal } = new AbortController();
  const request = { messages: [{ role: 'user' as const, content: 'x' }], tools: [], maxTokens: 1, seed: 1, dialect: DEFAULT_DIALECT };
  for (let i = 0; i < 12; i++) await client.complete(request, signal);
  await client.pause?.(1, signal);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

describe('34: what an error says is found in any shape', () => {
  it.each<[string, unknown, string]>([
    ['OpenAI', { error: { message: 'no', code: 'x', type: 'y' } }, 'status 400: no'],
    ['Ollama', { error: 'no such thing' }, 'status 400: no such thing'],
    ['old vLLM', { object: 'error', message: 'bad', type: 'BadRequestError', code: 400 }, 'status 400: bad'],
    ['a gateway', { detail: 'upstream says no' }, 'status 400: upstream says no'],
    ['FastAPI', { detail: [{ loc: ['body'], msg: 'field required' }] }, 'field required'],
    ['HTML', '<html><h1>Bad Request</h1></html>', 'Bad Request'],
    ['nothing', '', 'status 400'],
    ['a bare text', '"no"', 'status 400: no'],
    ['10 kB of it', { error: { message: 'n'.repeat(10_000) } }, 'status 400: nnn'],
    ['hostile', { error: { message: '\u001b]52;c;evil\u0007\nline' } }, 'status 400: \\x1b]52;c;evil\\x07 line'],
  ])('%s', async (_, body, told) => {
    const { assessment } = await stub.run([status(400, body)]);
    expect(assessment).toMatchObject({ status: 'failed', reason: expect.stringContaining(told) });
    expect(assessment.reason.length).toBeLessThan(420);
  });
});
