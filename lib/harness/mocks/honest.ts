import { DEFAULT_DIALECT } from '../dialect.ts';
import { reasoner } from '../reasoner.ts';
import { SUBMIT } from '../submission.ts';
import { findingsIn, type Seen, seenIn } from './seen.ts';
import { type Asked, calling, completion, type Mock, type WireCall } from './wire.ts';

/** What the reasoner would call now. */
export async function reasoned(asked: Asked): Promise<WireCall[]> {
  const tools = [...asked.offered].map((name) => ({ name, description: '', parameters: {} }));
  const request = { messages: asked.messages, tools, maxTokens: asked.maxTokens, seed: 0, dialect: DEFAULT_DIALECT };
  return (await reasoner.complete(request, new AbortController().signal)).calls;
}

/** The reasoner behind the wire. */
export const overWire: Mock = async (asked) => calling(asked, await reasoned(asked));

/** A model that looks at everything once and says only what it saw, each time with its evidence. */
export const perfect: Mock = (asked) => {
  const seen = seenIn(asked.messages);
  const count = (name: string): number => seen.filter((s) => s.name === name).length;
  if (!asked.offered.has('list_conditions')) return calling(asked, [reportOn(seen)]);
  if (seen.length === 0)
    return calling(asked, [
      { name: 'list_sources', arguments: {} },
      { name: 'get_changes', arguments: {} },
      { name: 'count_conditions', arguments: { by: 'kind' } },
      { name: 'count_conditions', arguments: { by: 'group' } },
    ]);
  if (count('list_conditions') === 0)
    return calling(asked, [
      { name: 'list_conditions', arguments: { severity: 'critical', limit: 12 } },
      { name: 'list_conditions', arguments: { severity: 'warning', limit: 8 } },
    ]);
  const sources = (seen.find((s) => s.name === 'list_sources')?.data ?? []).slice(0, 3);
  if (count('get_trend') === 0)
    return calling(
      asked,
      sources.map((s) => ({ name: 'get_trend', arguments: { source: s['source'] } })),
    );
  const ids = [...new Map(findingsIn(seen).map((row) => [row['kind'], row['id']])).values()].slice(0, 6);
  if (ids.length > 0 && count('get_condition') === 0)
    return calling(
      asked,
      ids.map((id) => ({ name: 'get_condition', arguments: { id } })),
    );
  return calling(asked, [reportOn(seen)]);
};

function reportOn(seen: readonly Seen[]): WireCall {
  const whole = seen.filter((s) => s.name === 'get_condition').flatMap((s) => s.data);
  const rows = whole.length > 0 ? whole : findingsIn(seen).slice(0, 6);
  const stories = rows.map((row, i) => {
    const near = ((row['near_in_time'] ?? []) as Record<string, unknown>[])[0];
    const there = ((row['neighbours'] ?? []) as Record<string, unknown>[]).filter((n) => Number(n['without_any_finding']) > 0);
    return {
      title: `${String(row['kind'])} on ${String(row['subject'])}`,
      findings: [row['id'], ...(near ? [near['id']] : [])],
      priority: i + 1,
      hypothesis: `${String(row['message']).replace(/…$/, '')}${near ? `; ${String(near['kind'])} on ${String(near['subject'])} began ${String(near['when'])}` : ''}`,
      counter_evidence: there
        .slice(0, 1)
        .map((n) => `of ${String(n['nodes_there'])} nodes in ${String(n['place'])}, ${String(n['without_any_finding'])} have no finding`),
      next_checks: [`look at ${String(row['subject'])} in ${String(row['source'])}`],
      confidence: near ? 'medium' : 'low',
      evidence: [row['id']],
    };
  });
  const observations = seen
    .filter((s) => s.name === 'get_trend')
    .flatMap((s) =>
      s.data.slice(0, 2).map((d) => ({
        text: `${String(d['name'])} of ${String(s.args['source'])} is ${String(d['last'])}`,
        severity: 'info',
        evidence: [d['ref']],
      })),
    );
  return { name: SUBMIT.name, arguments: { stories, observations } };
}

type Form = (name: string, args: string) => string;

const FORMS: readonly Form[] = [
  (name, args) => `<tool_call>\n{"name": "${name}", "arguments": ${args}}\n</tool_call>`,
  (name, args) => `{"name": "${name}", "parameters": ${args}}`,
  (name, args) => `\`\`\`json\n{"name": "${name}", "arguments": ${args}}\n\`\`\``,
  (name, args) => `[TOOL_CALLS][{"name": "${name}", "arguments": ${args}}]`,
  (name, args) => `<function=${name}>${args}</function>`,
  (name, args) => `<|python_tag|>{"name": "${name}", "parameters": ${args}}`,
  (name, args) =>
    `[${name}(${Object.entries(JSON.parse(args) as object)
      .map(([k, v]) => `${k}=${JSON.stringify(v)}`)
      .join(', ')})]`,
];

/** A model whose server has no parser for its calls: they arrive as text, in every form that templates teach. */
export const textcaller: Mock = (asked) => {
  const plan: WireCall[] = [
    { name: 'list_sources', arguments: {} },
    ...['kind', 'severity', 'rack'].map((by) => ({ name: 'count_conditions', arguments: { by } })),
    { name: 'get_changes', arguments: {} },
    { name: 'count_conditions', arguments: { by: 'source' } },
    { name: 'list_conditions', arguments: { severity: 'critical', limit: 10 } },
  ];
  const next = asked.offered.has('list_conditions') ? plan[asked.turn] : undefined;
  const { name, arguments: args } = next ?? reportOn(seenIn(asked.messages));
  const form = next ? FORMS[asked.turn % FORMS.length] : FORMS[0];
  return completion(asked, { content: form?.(name, JSON.stringify(args)) });
};

/** A model that thinks aloud: in the content, before an end that never began, in either reasoning field. */
export const thinker: Mock = async (asked) => {
  const calls = await reasoned(asked);
  const [first] = calls;
  const thought = 'Let me think. The panic came first, or did it? {"name": "get_node"} might help.';
  const tool_calls = calls.map((call, i) => ({ id: `t${i}`, type: 'function', function: call }));
  switch (asked.turn % 4) {
    case 0:
      return completion(asked, { content: `<think>${thought}</think>\n\n`, tool_calls }, { finish: 'tool_calls' });
    case 1:
      return completion(asked, { content: `${thought}\n</think>\n`, reasoning: null, tool_calls }, { finish: 'tool_calls' });
    case 2:
      return completion(asked, { content: null, reasoning_content: thought, tool_calls }, { finish: 'tool_calls' });
    default:
      return completion(asked, {
        content: '',
        reasoning: `<tool_call>{"name": "${first?.name}", "arguments": ${String(first?.arguments)}}</tool_call>`,
      });
  }
};
