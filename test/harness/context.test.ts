import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newProfile } from '../../lib/harness/profile.ts';
import { calling, type Reply, status, Stub, SUBMITS } from './stub.ts';
import { viewOf } from './view.ts';

/** Every way in which a server says that its context is full, at the wire. */

const stub = new Stub();
beforeAll(() => stub.start());
afterAll(() => stub.stop());
beforeEach(() => void stub.sent.splice(0));

const view = viewOf(
  Array.from({ length: 40 }, (_, i) => ({ subject: `x1000c0s${i}b0n0`, message: `x1000c0s${i}b0n0 panicked at 08:${i + 10}` })),
);
const lists = [0, 1, 2].map((offset) => calling({ name: 'list_conditions', arguments: JSON.stringify({ offset, limit: 30 }) }));

const openai = (message: string, more: object = {}): Reply => status(400, { error: { message, type: 'invalid_request_error', ...more } });

describe('26: a context that is full', () => {
  it.each<[string, Reply, number | null]>([
    [
      'vLLM',
      openai(
        "This model's maximum context length is 8192 tokens. However, you requested 14011 tokens (12011 in the messages, 2000 in the completion). Please reduce the length of the messages or completion.",
      ),
      8192,
    ],
    [
      'vLLM, new',
      openai(
        "This model's maximum context length is 8192 tokens. However, you requested 2000 output tokens and your prompt contains at least 12011 input tokens, for a total of at least 14011 tokens. Please reduce the length of the input prompt.",
      ),
      8192,
    ],
    [
      'vLLM, max_tokens',
      openai(
        "'max_tokens' or 'max_completion_tokens' is too large: 2000. This model's maximum context length is 8192 tokens and your request has 12011 input tokens (2000 > 8192 - 12011). (parameter=max_tokens, value=2000)",
      ),
      8192,
    ],
    [
      'vLLM, the prompt alone',
      openai(
        'The prompt (total length 12011) is too long to fit into the model (context length 8192). Make sure that `max_model_len` is no smaller than the number of text tokens.',
      ),
      8192,
    ],
    ['vLLM, the wrong error', openai('max_tokens must be at least 1, got -186.'), null],
    [
      'vLLM, old form',
      status(400, {
        object: 'error',
        message:
          "This model's maximum context length is 8192 tokens. However, you requested 14011 tokens (12011 in the messages, 2000 in the completion).",
        type: 'BadRequestError',
        code: 400,
      }),
      8192,
    ],
    [
      'llama.cpp',
      status(400, {
        error: {
          code: 400,
          type: 'exceed_context_size_error',
          message: 'request (13392 tokens) exceeds the available context size (8192 tokens), try increasing it',
          n_prompt_tokens: 13392,
          n_ctx: 8192,
        },
      }),
      8192,
    ],
    [
      'llama.cpp, old',
      status(400, {
        error: { code: 400, message: 'the request exceeds the available context size, try increasing it', type: 'invalid_request_error' },
      }),
      null,
    ],
    [
      'llama.cpp, as a 500',
      status(500, {
        error: {
          code: 500,
          message: 'the request exceeds the available context size. try increasing the context size or enable context shift',
          type: 'server_error',
        },
      }),
      null,
    ],
    [
      'llama-cpp-python',
      status(400, {
        error: {
          message: 'Requested tokens (12011) exceed context window of 8192',
          type: 'invalid_request_error',
          param: null,
          code: 'context_length_exceeded',
        },
      }),
      8192,
    ],
    [
      'OpenAI',
      openai(
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 12011 tokens. Please reduce the length of the messages.",
        { code: 'context_length_exceeded' },
      ),
      8192,
    ],
    ['a code and no words', status(400, { error: { message: 'Bad request', code: 'context_length_exceeded' } }), null],
    [
      'TGI',
      status(422, {
        error:
          'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8192. Given: 12011 `inputs` tokens and 2000 `max_new_tokens`',
        error_type: 'validation',
      }),
      8192,
    ],
    ['SGLang', openai("The input (12011 tokens) is longer than the model's context length (8192 tokens)."), 8192],
    ['a gateway with 413', status(413, { detail: 'prompt is too long' }), null],
  ])('%s: the oldest results shrink, and the run goes on', async (_, full, limit) => {
    const { assessment, profile, exchanges } = await stub.run([...lists, full, SUBMITS], { view });
    expect(assessment).toMatchObject({ status: 'ok', notes: expect.arrayContaining([expect.stringContaining('the context was full')]) });
    expect(exchanges[3]?.error).toMatchObject({ code: 'context', detail: { context: { limit } } });
    const [before, after] = stub.sent
      .slice(3)
      .map((s) => s.body.messages.filter((m) => m.role === 'tool').map((m) => String(m.content).length));
    expect(before?.every((length) => length > 1000)).toBe(true);
    expect(after?.[0]).toBeLessThan(200);
    expect(stub.sent[4]?.body.messages.slice(0, 2)).toEqual(stub.sent[3]?.body.messages.slice(0, 2));
    expect(profile?.context).toBe(limit);
  });

  it('that leaves room for a shorter answer gets a shorter one, and loses nothing', async () => {
    const full = openai(
      "'max_tokens' or 'max_completion_tokens' is too large: 2000. This model's maximum context length is 8192 tokens and your request has 7000 input tokens (2000 > 8192 - 7000).",
    );
    const { assessment } = await stub.run([...lists, full, SUBMITS], { view });
    expect(assessment.status).toBe('ok');
    expect(stub.sent[4]?.body.max_tokens).toBeLessThanOrEqual(8192 - 7000 - 64);
    expect(stub.sent[4]?.body.max_tokens).toBeGreaterThan(1100);
    expect(stub.sent[4]?.body.messages).toEqual(stub.sent[3]?.body.messages);
  });

  it('that stays full ends the run after two tries', async () => {
    const { assessment } = await stub.run([...lists, openai('prompt is too long')], { view });
    expect(assessment).toMatchObject({ status: 'failed', reason: expect.stringContaining('too long') });
    expect(stub.sent).toHaveLength(3 + 3);
  });

  it('that is known from the last time is kept to from the start', async () => {
    const profile = { ...newProfile(`stub at ${new URL(stub.url).host}`), context: 9000 };
    const { assessment } = await stub.run([...lists.map((l) => ({ ...l, usage: null })), SUBMITS], { view, profile });
    expect(assessment.status).toBe('ok');
    const sizes = stub.sent.map((s) => JSON.stringify(s.body.messages).length);
    expect(Math.max(...sizes)).toBeLessThan(9000 * 3);
    expect(stub.sent.at(-1)?.body.messages.some((m) => String(m.content).includes('"shrunk":true'))).toBe(true);
  });
});
