import * as z from 'zod';
import { type Json, JsonObject } from '../model/json.ts';
import type { ReadView } from './view.ts';

/** The most that a tool's answer may hold, in bytes of JSON. */
export const MAX_RESULT_BYTES = 6000;

/** What a tool answers: a page of something, and where the next one begins. */
export interface Answer {
  ok: true;
  /** Times and the like that hold for the whole answer. */
  about?: JsonObject;
  total: number;
  returned: number;
  truncated: boolean;
  /** The offset to ask with for more; null at the end. */
  next: number | null;
  data: Json[];
}

export interface Refusal {
  ok: false;
  error: string;
}

/** One read-only tool: typed arguments in, a bounded answer out. */
export interface Tool<Args = unknown> {
  name: string;
  /** For the model: what it answers, in a sentence or two. */
  description: string;
  /** What of a view it can reach; the rest is not handed to it. */
  reaches: readonly (keyof ReadView)[];
  args: z.ZodType<Args>;
  /** JSON Schema of the arguments, made from the same zod schema. */
  parameters: JsonObject;
  run(view: ReadView, args: Args): Answer | Refusal | Promise<Answer | Refusal>;
}

/** Declares a tool; every argument that is not needed is nullable, so that closed schemas can require them all. */
export function defineTool<Shape extends z.ZodRawShape, Reach extends keyof ReadView>(tool: {
  name: string;
  description: string;
  reaches: readonly Reach[];
  args: Shape;
  run: (view: Pick<ReadView, Reach>, args: z.infer<z.ZodObject<Shape>>) => Answer | Refusal | Promise<Answer | Refusal>;
}): Tool {
  const args = z.strictObject(tool.args);
  let parameters: JsonObject | undefined;
  return {
    ...tool,
    args,
    // Made when it is asked for: most commands never do.
    get parameters() {
      return (parameters ??= wireSchema(args));
    },
    run: (view, parsed) => tool.run(narrowed(view, tool.reaches), parsed as z.infer<z.ZodObject<Shape>>),
  };
}

function narrowed<Reach extends keyof ReadView>(view: ReadView, reaches: readonly Reach[]): Pick<ReadView, Reach> {
  return Object.fromEntries(reaches.map((key) => [key, view[key]])) as Pick<ReadView, Reach>;
}

/**
 * The JSON Schema that goes over the wire: only what every server's grammar engine takes (type, properties, required,
 * enum, items, additionalProperties); bounds and patterns are checked by zod when the call comes.
 */
function wireSchema(schema: z.ZodType): JsonObject {
  return simplify(z.toJSONSchema(schema, { target: 'draft-7', io: 'input' })) as JsonObject;
}

const KEPT = ['type', 'enum', 'description', 'additionalProperties', 'required'];

function simplify(raw: unknown): Json {
  const node = JsonObject.parse(raw);
  const choices = node['anyOf'] as JsonObject[] | undefined;
  const some = choices?.find((c) => c['type'] !== 'null');
  if (choices && some) {
    const inner = simplify(some) as JsonObject;
    const values = inner['enum'] as Json[] | undefined;
    return {
      ...inner,
      ...(node['description'] !== undefined && { description: node['description'] }),
      type: [inner['type'] as Json, 'null'],
      ...(values && { enum: [...values, null] }),
    };
  }
  const out: JsonObject = Object.fromEntries(KEPT.flatMap((key) => (node[key] === undefined ? [] : [[key, node[key]]])));
  const properties = node['properties'] as JsonObject | undefined;
  if (properties) {
    out['properties'] = Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, simplify(value)]));
    out['required'] = Object.keys(properties);
  }
  if (node['items'] !== undefined) out['items'] = simplify(node['items']);
  return out;
}

/** Takes as many items as fit the budget, from an offset on; one that is too large alone is cut to fit. */
export function page(items: readonly Json[], paging: Paging = {}): Answer {
  return pageOf(items, (item) => item, paging);
}

interface Paging {
  offset?: number | null;
  limit?: number | null;
  about?: JsonObject;
}

/** As {@link page}; a row is made of a thing only where it is on the page. */
export function pageOf<T>(things: readonly T[], row: (thing: T) => Json, { offset = 0, limit = 50, about }: Paging = {}): Answer {
  const from = Math.max(0, offset ?? 0);
  const answer: Answer = {
    ok: true,
    ...(about && { about: fit(about, MAX_RESULT_BYTES / 3) as JsonObject }),
    total: things.length,
    returned: 0,
    truncated: false,
    next: null,
    data: [],
  };
  let room = MAX_RESULT_BYTES - byteLength(answer) - 40;
  for (const thing of things.slice(from, from + Math.min(limit ?? 50, 200))) {
    const item = row(thing);
    const whole = answer.data.length === 0 ? fit(item, room) : item;
    room -= byteLength(whole) + 1;
    if (room < 0) break;
    answer.data.push(whole);
  }
  answer.returned = answer.data.length;
  const reached = from + answer.returned;
  answer.truncated = reached < things.length;
  answer.next = answer.truncated && answer.returned > 0 ? reached : null;
  return answer;
}

/** Shrinks one value until it fits: long lists and texts lose their tails, each with its count. */
export function fit(value: Json, bytes: number): Json {
  for (const [items, characters] of [
    [1000, 2000],
    [50, 400],
    [20, 200],
    [10, 120],
    [5, 80],
    [3, 60],
    [1, 30],
  ] as const) {
    const smaller = cut(value, items, characters);
    if (byteLength(smaller) <= bytes) return smaller;
  }
  return { cut: 'too large to show; ask for a section of it' };
}

function cut(value: Json, items: number, characters: number): Json {
  if (typeof value === 'string') return value.length > characters ? `${value.slice(0, characters)}…(+${value.length - characters})` : value;
  if (Array.isArray(value)) {
    const kept = value.slice(0, items).map((v) => cut(v, items, characters));
    return value.length > items ? [...kept, `… and ${value.length - items} more`] : kept;
  }
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value);
  const kept = entries.slice(0, items).map(([k, v]) => [k, cut(v, items, characters)] as const);
  return Object.fromEntries(entries.length > items ? [...kept, ['…', `and ${entries.length - items} more`]] : kept);
}

export function byteLength(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}
