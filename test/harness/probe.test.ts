import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openaiClient } from '../../lib/harness/openai.ts';
import { probeEndpoint, type Probed } from '../../lib/harness/probe.ts';
import { Profile } from '../../lib/harness/profile.ts';
import { calling, completion, type Reply, status, Stub, type WireRequest } from './stub.ts';
import { NOW } from './view.ts';

/** What servers and models do with the probe's questions, over the wire. */

const stub = new Stub();
beforeAll(() => stub.start());
afterAll(() => stub.stop());
beforeEach(() => {
  stub.sent.splice(0);
  stub.gets.clear();
});

interface Server {
  /** Answers a call of `paint` with this colour; null where it does not call. */
  call: (colour: string, request: WireRequest) => object;
  /** Whether the grammar holds the model to the schema. */
  strict?: boolean;
  /** What it refuses before the model is asked. */
  refuses?: (request: WireRequest) => Reply | null;
  forced?: boolean;
}

const paint = (colour: string): object => calling({ name: 'paint', arguments: JSON.stringify({ colour }) });

/** A model that does as it is told, behind a server with its own ways. */
function serving({ call, strict = true, refuses, forced = true }: Server): Reply {
  return (response, { body }) => {
    const refusal = refuses?.(body) ?? null;
    if (typeof refusal === 'function') return refusal(response, { method: 'POST', path: '', headers: {}, body });
    const asked = body.messages.findLast((m) => m.role === 'user')?.content as string;
    const wanted = /purple/.test(asked) ? 'purple' : /red/.test(asked) ? 'red' : 'green';
    const isForced = typeof body.tool_choice === 'object' || body.tool_choice === 'required';
    const says = /hello/.test(asked) && !(forced && isForced);
    const made = says ? completion({ content: 'Hello.' }) : call(strict && wanted === 'purple' ? 'red' : wanted, body);
    const text = JSON.stringify(body.messages).length;
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ usage: { prompt_tokens: Math.ceil(text / 3.5), completion_tokens: 12 }, ...withoutUsage(made) }));
    return undefined;
  };
}

function withoutUsage(made: object): object {
  const { usage: _, ...rest } = made as { usage?: unknown };
  return rest;
}

async function probe(
  reply: Reply,
  { context = null, timeout = 20_000 }: { context?: number | null; timeout?: number } = {},
): Promise<Probed> {
  stub.replies = [reply];
  const config = { url: stub.url, name: 'stub', temperature: 0, timeout, max_turns: 1, max_calls: 1, max_tokens: 1000 };
  const probed = await probeEndpoint({
    client: openaiClient(config, async () => undefined),
    clock: () => NOW,
    context,
    signal: AbortSignal.timeout(timeout),
  });
  if (probed.profile) expect(Profile.parse(probed.profile)).toEqual(probed.profile);
  return probed;
}

const checks = ({ checks: all }: Probed): Record<string, string> => Object.fromEntries(all.map((c) => [c.name, c.status]));

describe('the probe', () => {
  it('finds nothing to say against a server that can do everything, and knows it', async () => {
    stub.gets.set('/v1/models', { data: [{ id: 'stub', max_model_len: 32_768 }] });
    stub.gets.set('/version', { version: '0.11.2' });
    const probed = await probe(serving({ call: paint }));
    expect(new Set(Object.values(checks(probed)))).toEqual(new Set(['ok']));
    expect(probed.profile).toMatchObject({
      context: 32_768,
      server: '0.11.2',
      probedAt: '2026-11-30T08:45:00.000Z',
      capabilities: { calls: 'native', strictSchemas: 'held', toolChoice: 'named', reasoning: 'none', usage: true, wholePrompt: true },
    });
    expect(probed.profile?.ratio).toBeGreaterThan(0.3);
    expect(stub.sent.length).toBeLessThanOrEqual(7);
  });

  it('learns what is refused, and what a schema does not hold', async () => {
    const refuses = ({ tools, tool_choice }: WireRequest): Reply | null => {
      if (tools?.[0]?.function.strict) return status(400, { error: { message: 'Unknown field: strict' } });
      return typeof tool_choice === 'object' ? status(400, { error: { message: 'tool_choice must be a text' } }) : null;
    };
    const probed = await probe(serving({ call: paint, strict: false, refuses }));
    expect(probed.profile).toMatchObject({
      dialect: { strict: false, toolChoice: 'required' },
      context: null,
      capabilities: { strictSchemas: 'refused', toolChoice: 'required' },
    });
    expect(checks(probed)['calls tools']).toBe('ok');
    expect((await probe(serving({ call: paint, strict: false }))).profile?.capabilities['strictSchemas']).toBe('not held');
    expect((await probe(serving({ call: paint, forced: false }))).profile?.capabilities['toolChoice']).toBe('ignored');
  });

  it('reads calls that arrive as text, and keeps to words where the menu is not taken', async () => {
    const written = (colour: string): object => completion({ content: `{"name":"paint","arguments":{"colour":"${colour}"}}` });
    const salvaged = await probe(serving({ call: written }));
    expect(salvaged.profile).toMatchObject({ dialect: { calls: 'native' }, capabilities: { calls: 'text' } });
    expect(checks(salvaged)['calls tools']).toBe('warning');
    const inWords = await probe(serving({ call: (colour, body) => (body.tools ? completion({ content: 'I cannot.' }) : written(colour)) }));
    expect(inWords.profile).toMatchObject({ dialect: { calls: 'text' }, capabilities: { calls: 'text' } });
    const refuses = ({ tools }: WireRequest): Reply | null => (tools ? status(400, { error: 'gemma3 does not support tools' }) : null);
    expect((await probe(serving({ call: written, refuses }))).profile?.dialect.calls).toBe('text');
  });

  it('says of a model that calls nothing what it said instead', async () => {
    const probed = await probe(serving({ call: () => completion({ content: 'Green is a nice colour.' }) }));
    expect(checks(probed)).toMatchObject({ 'calls tools': 'failed', context: 'ok' });
    expect(probed.checks.find((c) => c.status === 'failed')).toMatchObject({
      detail: expect.stringContaining('nice colour'),
      advice: expect.stringMatching(/./),
    });
    expect(probed.profile).toMatchObject({ dialect: { calls: 'native' }, capabilities: { calls: 'none' } });
  });

  it.each([
    ['reasoning', 'field'],
    ['reasoning_content', 'field'],
    ['content', 'in the answer'],
  ])('switches thinking off that arrives in %s, where it can be', async (field, where) => {
    const thinks = (colour: string, body: WireRequest): object => {
      const off = (body.chat_template_kwargs as { enable_thinking?: boolean } | undefined)?.enable_thinking === false;
      const made = calling({ name: 'paint', arguments: JSON.stringify({ colour }) }) as { choices: { message: object }[] };
      const thought = field === 'content' ? '<think>Green, then.</think>' : 'Green, then.';
      return { ...made, choices: made.choices.map((c) => ({ ...c, message: { ...c.message, ...(!off && { [field]: thought }) } })) };
    };
    const probed = await probe(serving({ call: thinks }));
    expect(probed.profile).toMatchObject({ dialect: { thinkingOff: true }, capabilities: { reasoning: where, thinkingOff: true } });
    const stubborn = await probe(serving({ call: (colour) => thinks(colour, {} as WireRequest) }));
    expect(stubborn.profile).toMatchObject({ dialect: { thinkingOff: false }, capabilities: { reasoning: where, thinkingOff: false } });
    expect(checks(stubborn)['thinking']).toBe('warning');
  });

  it('sees a context that is too small, by what is told, learned or counted', async () => {
    stub.gets.set('/props', { default_generation_settings: { n_ctx: 2048 } });
    expect(checks(await probe(serving({ call: paint })))['context']).toBe('warning');
    stub.gets.clear();
    const cutting: Reply = (response, request) =>
      (serving({ call: paint }) as (r: unknown, s: unknown) => void)(
        Object.assign(response, { end: endCounting(response.end.bind(response), 900) }),
        request,
      );
    const probed = await probe(cutting);
    expect(probed.checks.find((c) => c.name === 'context')).toMatchObject({
      status: 'warning',
      detail: expect.stringContaining('cut prompts unseen'),
    });
    expect((await probe(serving({ call: paint }), { context: 60_000 })).profile?.context).toBe(60_000);
  });

  /** What a server does that keeps the last tokens of a prompt only. */
  function endCounting(end: (text: string) => unknown, most: number) {
    return (text: string): unknown => {
      const body = JSON.parse(text) as { usage: { prompt_tokens: number } };
      body.usage.prompt_tokens = Math.min(body.usage.prompt_tokens, most);
      return end(JSON.stringify(body));
    };
  }

  it.each<[string, Reply, RegExp, RegExp]>([
    [
      'no such model',
      status(404, { error: { message: 'The model `stub` does not exist.', code: 'model_not_found' } }),
      /no model stub/,
      /model\.name/,
    ],
    ['nothing but errors', status(500, 'oops'), /status 500/, /log/],
    ['no API at all', status(404, '<html>nginx</html>'), /status 404/, /./],
    ['no JSON', (response) => void response.writeHead(200).end('OK'), /no JSON/, /./],
    ['a connection that breaks', (response) => void response.destroy(), /./, /runs/],
  ])('of %s is told with what to do, and leaves no profile', async (_, reply, detail, advice) => {
    const probed = await probe(reply);
    expect(probed.profile).toBeNull();
    expect(probed.checks.at(-1)).toMatchObject({
      status: 'failed',
      detail: expect.stringMatching(detail),
      advice: expect.stringMatching(advice),
    });
  });

  it('of a server that never answers ends in time', async () => {
    const probed = await probe(() => undefined, { timeout: 150 });
    expect(probed.checks.at(-1)).toMatchObject({ status: 'failed', detail: expect.stringContaining('in time') });
  });
});
