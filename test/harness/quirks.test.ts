import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_DIALECT } from '../../lib/harness/dialect.ts';
import { newProfile } from '../../lib/harness/profile.ts';
import { tools } from '../../lib/tools/registry.ts';
import { calling, completion, reportOn, type Reply, status, Stub, SUBMITS, type WireCall } from './stub.ts';
import { viewOf } from './view.ts';

/** Rows of the quirk table: what servers do, as they put it on the wire, and what the harness makes of it. */

const stub = new Stub();
beforeAll(() => stub.start());
afterAll(() => stub.stop());
beforeEach(() => void stub.sent.splice(0));

const report = reportOn(viewOf([{}]));
const submit = { name: 'submit_report', arguments: report };
const look = { name: 'list_sources', arguments: '{}' };

/** The tool results of the last request, as the model read them. */
function results(): unknown[] {
  return (stub.sent.at(-1)?.body.messages ?? [])
    .filter((m) => m.role === 'tool')
    .map((m) => JSON.parse((m.content as string).split('\n')[1] as string));
}

function lastCalls(): { id: string; name: string; arguments: string }[] {
  return (stub.sent.at(-1)?.body.messages ?? []).flatMap((m) => (m.tool_calls ?? []).map((c) => ({ id: c.id, ...c.function })));
}

describe('only the message counts', () => {
  it.each<[string, object]>([
    [
      '1: finish_reason stop with calls',
      completion({ content: '', tool_calls: [{ id: 'a', type: 'function', function: submit }] }, { finish: 'stop' }),
    ],
    [
      '1: finish_reason null with calls',
      completion({ content: null, tool_calls: [{ id: 'a', type: 'function', function: submit }] }, { finish: null }),
    ],
    ['1: an unknown finish_reason', completion({ tool_calls: [{ id: 'a', type: 'function', function: submit }] }, { finish: 'eos_token' })],
    ['10: arguments as an object', calling({ name: 'submit_report', arguments: JSON.parse(report) })],
    ['11: arguments encoded twice', calling({ name: 'submit_report', arguments: JSON.stringify(report) })],
    ['11: lists and numbers as texts in the arguments', calling({ name: 'submit_report', arguments: quoted() })],
    ['8: a comma too many', calling({ name: 'submit_report', arguments: report.replace(/\}$/, ',}') })],
    ['8: the last brackets missing', calling({ name: 'submit_report', arguments: report.slice(0, -1) })],
    ['8: a code fence about the arguments', calling({ name: 'submit_report', arguments: `\`\`\`json\n${report}\n\`\`\`` })],
    ['14: a namespace before the name', calling({ name: 'functions.submit_report', arguments: report })],
    ['14: blanks around the name', calling({ name: ' submit_report\n', arguments: report })],
    ['15: no id', calling({ ...submit, id: undefined })],
    ['15: an empty id', calling({ ...submit, id: '' })],
    [
      '18: content in parts',
      completion({
        content: [
          { type: 'text', text: `{"name":"submit_report",` },
          { type: 'text', text: `"arguments":${report}}` },
        ],
      }),
    ],
    [
      '34: unknown members everywhere',
      { ...completion({ tool_calls: [{ index: 0, function: { ...submit, x: 1 } }], refusal: null, audio: null }), service_tier: null },
    ],
    ['37: no usage', completion({ tool_calls: [{ function: submit }] }, { usage: null })],
    [
      '37: usage without numbers',
      completion({ tool_calls: [{ function: submit }] }, { usage: { prompt_tokens: null, total_tokens: 'many' } }),
    ],
    ['a call of before tools', completion({ content: null, function_call: submit })],
  ])('%s', async (_, answer) => {
    const { assessment } = await stub.run([answer]);
    expect(assessment).toMatchObject({ status: 'ok', usage: { turns: 1 }, counts: { claims: 1, verified: 1 } });
    expect(stub.sent).toHaveLength(1);
  });

  function quoted(): string {
    const { stories, observations } = JSON.parse(report) as { stories: object[]; observations: object[] };
    return JSON.stringify({
      stories: JSON.stringify(stories.map((s) => ({ ...s, priority: '1' }))),
      observations: JSON.stringify(observations),
    });
  }

  it('37: counts by itself where the server does not, and says so', async () => {
    const { assessment } = await stub.run([
      completion({ tool_calls: [{ function: submit }] }, { usage: { prompt_tokens: 0, completion_tokens: null } }),
    ]);
    expect(assessment.usage.tokensIn).toBeGreaterThan(300);
    expect(assessment.usage.tokensOut).toBeGreaterThan(20);
    expect(assessment.notes).toEqual([expect.stringContaining('estimated')]);
  });

  it('2: finish_reason tool_calls without a call is an empty answer: one nudge, and on it goes', async () => {
    const { assessment } = await stub.run([completion({ content: '', tool_calls: [] }, { finish: 'tool_calls' }), SUBMITS]);
    expect(assessment.status).toBe('ok');
    expect(stub.sent[1]?.body.messages.at(-1)).toMatchObject({ role: 'user', content: expect.stringContaining('empty') });
  });

  it('39: an answer that is empty twice ends the run', async () => {
    const { assessment } = await stub.run([completion({ content: '' }), completion({ content: null })]);
    expect(assessment).toMatchObject({ status: 'failed', reason: 'answered nothing, twice', usage: { turns: 2 } });
  });

  it('23: a model that answers in words is nudged, and the run ends at the third time', async () => {
    const { assessment } = await stub.run([completion({ content: 'All is well with the cluster.' })]);
    expect(assessment).toMatchObject({ status: 'failed', reason: expect.stringContaining('text instead of calling'), usage: { turns: 3 } });
    expect(stub.sent[1]?.body.messages.slice(-2).map((m) => m.role)).toEqual(['assistant', 'user']);
  });
});

describe('arguments that cannot be read', () => {
  it.each<[string, WireCall, RegExp]>([
    ['8: broken beyond repair', { name: 'get_node', arguments: "{'node': x}" }, /no JSON.*\{'node': x\}/],
    ['8: an unfinished text', { name: 'get_node', arguments: '{"node": "x10' }, /no JSON/],
    ['12: none, though some are required', { name: 'get_node', arguments: '' }, /node/],
    ['13: {} for what is required', { name: 'get_node', arguments: '{}' }, /node/],
    ['a list', { name: 'get_node', arguments: '[1]' }, /no object/],
    [
      'a text within a text within a text',
      { name: 'get_node', arguments: JSON.stringify(JSON.stringify(JSON.stringify({ node: 'n' }))) },
      /text within/,
    ],
    ['43: a number without end', { name: 'list_conditions', arguments: '{"limit":1e309}' }, /too large/],
    ['43: a negative limit', { name: 'list_conditions', arguments: '{"limit":-1}' }, /limit/],
    ['47: far too long', { name: 'get_node', arguments: `{"node":"${'x'.repeat(60_000)}"}` }, /over 49152/],
    [
      '39: __proto__ among them',
      { name: 'get_node', arguments: '{"node":"x1000c0s0b0n0","__proto__":{"admin":true}}' },
      /__proto__|nrecognized/,
    ],
    ['deep nesting', { name: 'get_node', arguments: `${'['.repeat(5000)}${']'.repeat(5000)}` }, /no JSON/],
  ])('%s: is never run, told to the model, and replayed as canonical JSON', async (_, bad, told) => {
    const { assessment, audited, toolResults } = await stub.run([calling(bad), SUBMITS]);
    expect(assessment).toMatchObject({ status: 'ok', usage: { toolCalls: 1, refusedCalls: 1 } });
    expect(results()).toEqual([{ ok: false, error: expect.stringMatching(told) }]);
    expect(toolResults.map((t) => t.decision)).not.toContain('executed');
    expect(audited[0]?.decision).toMatchObject({ refused: expect.stringMatching(told) });
    expect(JSON.stringify(audited).length).toBeLessThan(5000);
    for (const call of lastCalls()) expect(JSON.stringify(JSON.parse(call.arguments))).toBe(call.arguments);
  });

  it('9, 15, 16, 17: the history holds canonical arguments, ids of nine letters and digits of our own, and never content null', async () => {
    const twice = calling({ ...look, id: 'same' }, { name: 'get_changes', arguments: '{ "source" : null }', id: 'same' });
    await stub.run([twice, calling({ name: 'get_node', arguments: '{"no' }), SUBMITS]);
    const calls = lastCalls();
    expect(calls.map((c) => c.arguments)).toEqual(['{}', '{"source":null}', '{}']);
    expect(calls.every((c) => /^[a-zA-Z0-9]{9}$/.test(c.id))).toBe(true);
    expect(new Set(calls.map((c) => c.id)).size).toBe(3);
    const { messages } = stub.sent.at(-1)?.body ?? { messages: [] };
    expect(messages.every((m) => typeof m.content === 'string')).toBe(true);
    expect(messages.filter((m) => m.role === 'tool').map((m) => m.tool_call_id)).toEqual(calls.map((c) => c.id));
  });

  it('12: no arguments are {} for a tool that needs none', async () => {
    await stub.run([calling({ name: 'list_sources', arguments: '' }, { name: 'get_changes', arguments: null }), SUBMITS]);
    expect(results()).toMatchObject([{ ok: true }, { ok: true }]);
  });

  it('3: a call that the budget cut gets a larger one, once; the cut call is not mended', async () => {
    const cut = completion(
      { content: null, tool_calls: [{ id: 'a', function: { name: 'submit_report', arguments: '{"stories":[],"observations":[' } }] },
      { finish: 'tool_calls', usage: { prompt_tokens: 1200, completion_tokens: 2000 } },
    );
    const { assessment } = await stub.run([cut, SUBMITS]);
    expect(assessment).toMatchObject({ status: 'ok', notes: [expect.stringContaining('cut by its budget')] });
    expect(stub.sent.map((s) => s.body.max_tokens)).toEqual([2000, 4000]);
    expect(results()).toEqual([{ ok: false, error: expect.stringContaining('cut off') }]);
  });

  it('3, 31: a model that never comes to an end is stopped', async () => {
    const endless = completion({ content: 'so so so so ' }, { finish: 'length', usage: { prompt_tokens: 1200, completion_tokens: 4000 } });
    const { assessment } = await stub.run([endless]);
    expect(assessment.status).toBe('failed');
    expect(stub.sent.length).toBeLessThanOrEqual(4);
  });
});

describe('calls written as text', () => {
  const args = '{"by":"kind"}';
  it.each<[string, string]>([
    ['Hermes', `<tool_call>\n{"name": "count_conditions", "arguments": ${args}}\n</tool_call>`],
    ['Hermes without its end', `<tool_call>{"name": "count_conditions", "arguments": ${args}}`],
    ['Qwen-coder', '<tool_call>\n<function=count_conditions>\n<parameter=by>\nkind\n</parameter>\n</function>\n</tool_call>'],
    ['Llama tags', `<function=count_conditions>${args}</function>`],
    ['bare JSON', `{"name": "count_conditions", "arguments": ${args}}`],
    ['bare JSON, parameters', `{"type": "function", "name": "count_conditions", "parameters": ${args}}`],
    ['the wire form', `{"id": "1", "type": "function", "function": {"name": "count_conditions", "arguments": "{\\"by\\":\\"kind\\"}"}}`],
    ['Mistral', `[TOOL_CALLS][{"name": "count_conditions", "arguments": ${args}}]`],
    ['Mistral, new', `[TOOL_CALLS]count_conditions[ARGS]${args}`],
    ['Llama python tag', `<|python_tag|>{"name": "count_conditions", "parameters": ${args}}<|eom_id|>`],
    ['Python', '[count_conditions(by="kind", severity=None)]'],
    ['Python without brackets', "count_conditions(by='kind')"],
    ['a fence', `\`\`\`json\n{"name": "count_conditions", "arguments": ${args}}\n\`\`\``],
    ['a fence of Gemma', '```tool_code\ncount_conditions(by="kind")\n```'],
    ['after thinking', `<think>Let me count.</think>\n{"name": "count_conditions", "arguments": ${args}}`],
  ])('4: %s', async (_, content) => {
    const { assessment, toolResults } = await stub.run([completion({ content, tool_calls: [] }), SUBMITS]);
    expect(toolResults).toMatchObject([{ name: 'count_conditions', decision: 'executed', arguments: { by: 'kind' } }]);
    expect(assessment).toMatchObject({ status: 'ok', notes: expect.arrayContaining(['a call was written as text']) });
    expect(lastCalls()).toMatchObject([{ name: 'count_conditions' }]);
  });

  it.each<[string, string]>([
    ['words before it', `I will call {"name": "count_conditions", "arguments": ${args}}`],
    ['words after it', `{"name": "count_conditions", "arguments": ${args}} and then submit`],
    ['a name that is not offered', '{"name": "reboot_node", "arguments": {"node": "x1"}}'],
    ['an object that is more than a call', `{"name": "count_conditions", "arguments": ${args}, "result": "ok"}`],
    ['a list that is more than calls', '[{"name": "count_conditions", "arguments": {}}, 1]'],
  ])('4: is no call with %s', async (_, content) => {
    const { toolResults, assessment } = await stub.run([completion({ content }), SUBMITS]);
    expect(toolResults).toEqual([]);
    expect(assessment.status).toBe('ok');
  });

  it('4: never out of data that the model repeats', async () => {
    const quote = '{"name": "submit_report", "arguments": {"stories": [], "observations": []}}';
    const view = viewOf([{ quote, message: quote }]);
    const { assessment, toolResults } = await stub.run(
      [
        calling({ name: 'list_conditions', arguments: '{}' }),
        completion({ content: quote }),
        completion({ content: quote }),
        completion({ content: quote }),
      ],
      { view },
    );
    expect(toolResults.map((t) => t.name)).toEqual(['list_conditions']);
    expect(assessment.status).toBe('failed');
  });

  it.each<[string, Record<string, unknown>]>([
    ['5: reasoning', { content: '', reasoning: `<tool_call>{"name": "list_sources", "arguments": {}}</tool_call>` }],
    ['5, 6: reasoning_content', { content: null, reasoning_content: '{"name": "list_sources", "arguments": {}}' }],
    ['5: thinking', { content: '<think><tool_call>{"name": "list_sources", "arguments": {}}</tool_call></think>' }],
  ])('%s is looked at when there is nothing else', async (_, message) => {
    const { toolResults } = await stub.run([completion(message), SUBMITS]);
    expect(toolResults).toMatchObject([{ name: 'list_sources', decision: 'executed' }]);
  });
});

describe('thinking', () => {
  it('6: both names of the reasoning field are read, and neither is sent back', async () => {
    const tool_calls = [{ id: 'a', function: look }];
    await stub.run([
      completion({ content: null, reasoning: 'hm', tool_calls }),
      completion({ content: null, reasoning_content: 'hm', tool_calls: [{ id: 'a', function: { name: 'get_changes', arguments: '{}' } }] }),
      SUBMITS,
    ]);
    expect(JSON.stringify(stub.sent.at(-1)?.body.messages)).not.toContain('hm');
  });

  it.each([
    ['<think>I should look.</think>Here goes', 'Here goes'],
    ['I should look.</think>Here goes', 'Here goes'],
    ['<think>I should look.\n\n<think>deeper</think>', ''],
    ['[THINK]I should look.[/THINK]Here goes', 'Here goes'],
  ])('7: %s leaves %s in the history', async (content, kept) => {
    await stub.run([completion({ content, tool_calls: [{ id: 'a', function: look }] }), SUBMITS]);
    expect(stub.sent.at(-1)?.body.messages.find((m) => m.role === 'assistant')?.content).toBe(kept);
  });

  it('7: an answer that stands in the reasoning field is read as one', async () => {
    const { assessment } = await stub.run([completion({ content: null, reasoning: 'The cluster is in trouble.' }), SUBMITS]);
    expect(assessment).toMatchObject({ status: 'ok', notes: expect.arrayContaining(['the answer stood in the reasoning field']) });
  });
});

describe('names and loops', () => {
  it.each(['constructor', '__proto__', 'toString', 'List_Sources', 'reboot', 'get_nodes', '', 'list_sources; rm -rf /', 'x'.repeat(5000)])(
    '14: there is no tool %s',
    async (name) => {
      const { assessment, audited } = await stub.run([calling({ name, arguments: '{}' }), SUBMITS]);
      expect(results()).toEqual([{ ok: false, error: expect.stringContaining('list_sources, get_changes') }]);
      expect(audited).toMatchObject([{ decision: { refused: expect.any(String) } }]);
      expect(lastCalls()[0]?.name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      expect(assessment).toMatchObject({ status: 'ok', usage: { refusedCalls: 1 } });
    },
  );

  it('14: the third call of a tool that is not there ends the run', async () => {
    const { assessment } = await stub.run([calling({ name: 'get_nodes', arguments: '{}' })]);
    expect(assessment).toMatchObject({ status: 'failed', usage: { turns: 3, refusedCalls: 3 } });
  });

  it('42: the same call is refused the second time, and ends the run at the third', async () => {
    const { assessment, toolResults } = await stub.run([calling(look)]);
    expect(toolResults.map((t) => t.decision.slice(0, 13))).toEqual(['executed', 'the same call', 'the same call']);
    expect(assessment).toMatchObject({ status: 'failed', reason: expect.stringContaining('same call 3 times') });
  });

  it('24, 45: of a hundred calls in a turn eight are run, in their order, and the model is told', async () => {
    const many = Array.from({ length: 100 }, (_, i) => ({ name: 'list_conditions', arguments: JSON.stringify({ offset: i }) }));
    const { assessment, toolResults } = await stub.run([calling(...many), SUBMITS]);
    expect(toolResults.map((t) => (t.arguments as { offset: number }).offset)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(assessment.usage).toMatchObject({ toolCalls: 8, refusedCalls: 92 });
    expect(stub.sent[1]?.body.messages.at(-1)).toMatchObject({ role: 'user', content: expect.stringContaining('92 were not') });
  });
});

describe('what is asked', () => {
  it('19, 21, 29, 38: no response format, no stream, every sampling parameter, and schemas of the common subset', async () => {
    await stub.run([calling(look), SUBMITS]);
    for (const { body } of stub.sent) {
      expect(body).toMatchObject({
        stream: false,
        temperature: 0,
        top_p: 1,
        seed: 7,
        frequency_penalty: 0,
        presence_penalty: 0,
        max_tokens: 2000,
      });
      expect(body).not.toHaveProperty('response_format');
      expect(body).not.toHaveProperty('parallel_tool_calls');
      expect(body.tools?.every((t) => t.function.strict === true)).toBe(true);
      expect(body.tools?.flatMap((t) => oddities(t.function.parameters, t.function.name))).toEqual([]);
    }
  });

  /** What in a schema is not of the subset that every grammar engine takes. */
  function oddities(schema: Record<string, unknown>, at = ''): string[] {
    const allowed = ['type', 'properties', 'required', 'enum', 'items', 'additionalProperties', 'description'];
    const properties = (schema['properties'] ?? {}) as Record<string, Record<string, unknown>>;
    const open = schema['type'] === 'object' && schema['additionalProperties'] !== false;
    const optional = Object.keys(properties).filter((key) => !(schema['required'] as string[]).includes(key));
    return [
      ...Object.keys(schema)
        .filter((k) => !allowed.includes(k))
        .map((k) => `${at}: ${k}`),
      ...(open ? [`${at}: open`] : []),
      ...optional.map((key) => `${at}/${key}: optional`),
      ...Object.entries(properties).flatMap(([key, inner]) => oddities(inner, `${at}/${key}`)),
      ...(schema['items'] ? oddities(schema['items'] as Record<string, unknown>, `${at}[]`) : []),
    ];
  }

  it('40: at most 12 tools, described in few words', async () => {
    await stub.run([SUBMITS]);
    const offered = stub.sent[0]?.body.tools ?? [];
    expect(offered).toHaveLength(12);
    expect(tools.length).toBe(10);
    expect(JSON.stringify(offered).length).toBeLessThan(8500);
    expect(offered.filter((t) => t.function.description.length > 260).map((t) => t.function.name)).toEqual([]);
  });

  it('25: near the end only the terminal call is offered, by name; there are always tools, and never tool_choice none', async () => {
    const { assessment } = await stub.run(
      [1, 2, 3, 4].map((i) => calling({ name: 'list_conditions', arguments: `{"offset":${i}}` })),
      { limits: { max_turns: 4 } },
    );
    expect(assessment).toMatchObject({ status: 'failed', reason: expect.stringContaining('4 turns') });
    expect(stub.sent.map((s) => s.body.tools?.length)).toEqual([12, 12, 1, 1]);
    expect(stub.sent.map((s) => s.body.tool_choice)).toEqual(['auto', 'auto', FORCED, FORCED]);
  });

  const FORCED = { type: 'function', function: { name: 'submit_report' } };

  it.each<[string, Reply, (sent: Stub['sent']) => unknown, unknown[]]>([
    [
      '22: strict',
      status(400, { error: { message: 'Unrecognized request argument supplied: tools[0].function.strict' } }),
      (s) => s.map((x) => x.body.tools?.[0]?.function.strict),
      [true, undefined],
    ],
    [
      '22: strict, as FastAPI says it',
      status(422, {
        detail: [{ loc: ['body', 'tools', 0, 'function', 'strict'], msg: 'Extra inputs are not permitted', type: 'extra_forbidden' }],
      }),
      (s) => s.map((x) => x.body.tools?.[0]?.function.strict),
      [true, undefined],
    ],
    [
      '20, 35: 500 for a schema',
      status(500, { error: { code: 500, message: 'Failed to parse grammar', type: 'server_error' } }),
      (s) => s.map((x) => x.body.tools?.[0]?.function.strict),
      [true, undefined],
    ],
    [
      '23: tool_choice',
      status(400, {
        object: 'error',
        message: '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
        type: 'BadRequestError',
        code: 400,
      }),
      (s) => s.map((x) => x.body.tool_choice),
      ['auto', 'auto', 'auto', undefined],
    ],
    [
      '28: max_tokens',
      status(400, {
        error: {
          message: "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
          param: 'max_tokens',
        },
      }),
      (s) => s.map((x) => [x.body.max_tokens, x.body.max_completion_tokens]),
      [
        [2000, undefined],
        [undefined, 2000],
      ],
    ],
    [
      '29: sampling',
      status(400, { error: { message: "Unsupported value: 'temperature' does not support 0 with this model.", param: 'temperature' } }),
      (s) => s.map((x) => [x.body.temperature, x.body.seed]),
      [
        [0, 7],
        [undefined, undefined],
      ],
    ],
    [
      '36: the system role',
      status(400, { error: { message: 'System role not supported', type: 'BadRequestError' } }),
      (s) => s.map((x) => x.body.messages.map((m) => m.role)),
      [['system', 'user'], ['user']],
    ],
    [
      '36: roles must alternate',
      status(500, { error: { message: 'Jinja Exception: Conversation roles must alternate user/assistant/user/assistant/...' } }),
      (s) => s.map((x) => x.body.messages.map((m) => m.role)),
      [['system', 'user'], ['user']],
    ],
    [
      'tools at all',
      status(400, { error: 'registry.ollama.ai/library/gemma3:latest does not support tools' }),
      (s) => s.map((x) => x.body.tools?.length),
      [12, undefined],
    ],
  ])('%s refused: is left out, remembered, and asked again', async (_, refusal, seen, expected) => {
    const { assessment, profile, exchanges } = await stub.run([...Array.from({ length: expected.length - 1 }, () => refusal), SUBMITS]);
    expect(seen(stub.sent)).toEqual(expected);
    expect(assessment).toMatchObject({ status: 'ok', usage: { turns: 1 } });
    expect(profile?.dialect).not.toEqual(DEFAULT_DIALECT);
    expect(exchanges).toHaveLength(expected.length);
    expect(exchanges[0]?.error).toMatchObject({ code: expect.any(String), status: expect.any(Number) });
    stub.sent.splice(0);
    await stub.run([SUBMITS], { profile });
    expect(seen(stub.sent)).toEqual(expected.slice(-1));
  });

  it('36: consecutive turns of one role are merged where roles must alternate', async () => {
    const profile = {
      ...newProfile(`stub at ${new URL(stub.url).host}`),
      dialect: { ...DEFAULT_DIALECT, systemRole: false, calls: 'text' as const },
    };
    const many = Array.from({ length: 2 }, (_, i) => ({ name: 'list_conditions', arguments: { offset: i } }));
    await stub.run(
      [
        completion({ content: JSON.stringify(many) }),
        completion({ content: 'hm' }),
        completion({ content: `{"name":"submit_report","arguments":${report}}` }),
      ],
      { profile },
    );
    const { messages, tools: offered } = stub.sent.at(-1)?.body ?? { messages: [] };
    expect(messages.map((m) => m.role)).toEqual(['user', 'assistant', 'user', 'assistant', 'user']);
    expect(messages[0]?.content).toContain('- submit_report: Ends the run.');
    expect(offered).toBeUndefined();
  });

  it('27: a prompt of which the server counts far too little is told', async () => {
    const view = viewOf(Array.from({ length: 60 }, (_, i) => ({ subject: `x1000c0s${i}b0n0`, kind: `kind_${i}` })));
    const { assessment } = await stub.run(
      [calling({ name: 'list_conditions', arguments: '{"limit":100}' }), SUBMITS].map((a) => ({
        ...a,
        usage: { prompt_tokens: 700, completion_tokens: 5 },
      })),
      { view },
    );
    expect(assessment.notes).toEqual([expect.stringContaining('cuts prompts unseen')]);
  });
});
