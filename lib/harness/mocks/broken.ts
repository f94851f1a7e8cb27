import { SUBMIT } from '../submission.ts';
import { calling, completion, type Mock } from './wire.ts';

/** A model that says nothing, in the three ways of saying it. */
export const silent: Mock = (asked) =>
  completion(asked, [{ content: '' }, { content: null, tool_calls: [] }, {}][asked.turn % 3] ?? {}, {
    finish: asked.turn % 2 === 0 ? 'stop' : 'tool_calls',
  });

/** A model that finds all well without a look. */
export const lazy: Mock = (asked) =>
  calling(asked, [
    { name: SUBMIT.name, arguments: { stories: [], observations: [{ text: 'All systems are healthy.', severity: 'info', evidence: [] }] } },
  ]);

/** A model that asks the same for ever. */
export const looper: Mock = (asked) =>
  calling(asked, [{ name: asked.offered.has('list_sources') ? 'list_sources' : SUBMIT.name, arguments: {} }]);

/** Malformed arguments, each form once: what can be mended first, then what cannot. */
const BABBLE: readonly [string, string][] = [
  ['list_conditions', '{"limit": 5,}'],
  ['list_conditions', '{"limit": 6'],
  ['list_conditions', '```json\n{"limit": 7}\n```'],
  ['list_conditions', JSON.stringify('{"limit": 8}')],
  ['list_conditions', '{"limit": "9"}'],
  ['get_node', "{'node': 'x1000c0s0b0n0'}"],
  ['get_node', '{node: x1000c0s0b0n0}'],
  ['get_node', '{"node": "x1000c0s0b0n0'],
  ['get_node', '{"node": NaN}'],
  ['get_node', '{"node": "a"} {"node": "b"}'],
];

export const babbler: Mock = (asked) => {
  const [name, args] = BABBLE[Math.min(asked.turn, BABBLE.length - 1)] as [string, string];
  return calling(asked, [{ name, arguments: args }]);
};

/** A model whose every call is cut by the budget, and whose server says that it ended well. */
export const truncator: Mock = (asked) => {
  const cut = `{"stories":[{"title":"A panic","findings":["${'0'.repeat(8)}`;
  return calling(asked, [{ name: SUBMIT.name, arguments: cut }], {
    usage: { prompt_tokens: asked.tokens, completion_tokens: asked.maxTokens },
  });
};

const WRONG = ['functions.list_sources', 'List_Sources', 'constructor', '__proto__', 'get_nodes', 'hasOwnProperty'];

/** A model that never gets a name right but the first time. */
export const wrongname: Mock = (asked) => calling(asked, [{ name: WRONG[asked.turn % WRONG.length] as string, arguments: {} }]);

const MEGA = 1024 * 1024;

/** A model without measure: a hundred calls, a content of a megabyte, arguments of five. */
export const huge: Mock = (asked) => {
  switch (asked.turn) {
    case 0:
      return calling(
        asked,
        Array.from({ length: 100 }, (_, i) => ({ name: 'list_conditions', arguments: { offset: i } })),
      );
    case 1:
      return completion(asked, {
        content: 'word '.repeat(MEGA / 5),
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'list_sources', arguments: '{}' } }],
      });
    case 2:
      return calling(asked, [{ name: 'get_node', arguments: { node: 'x'.repeat(MEGA) } }]);
    default:
      return calling(asked, [{ name: SUBMIT.name, arguments: { stories: 'x'.repeat(5 * MEGA), observations: [] } }]);
  }
};
