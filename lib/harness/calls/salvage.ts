import { type Json, parseJson } from '../../model/json.ts';
import { unfence } from './unfence.ts';

export interface WrittenCall {
  name: string;
  arguments: unknown;
}

const MAX_CALLS = 8;
const MAX_TEXT = 32 * 1024;

/**
 * Calls that a model wrote as text, in one of the forms that templates teach. Only where the whole text is calls and
 * nothing else: a call that is talked about, or quoted from data, is none.
 * @returns empty where it is anything else
 */
export function readWrittenCalls(text: string): WrittenCall[] {
  if (text.length > MAX_TEXT) return [];
  const whole = unfence(text) ?? text.trim();
  for (const form of FORMS) {
    const calls = form(whole);
    if (calls && calls.length > 0 && calls.length <= MAX_CALLS) return calls;
  }
  return [];
}

type Form = (text: string) => WrittenCall[] | null;

/** Hermes, Qwen: `<tool_call>{…}</tool_call>`, one or several; the last end may be missing. */
const tagged: Form = (text) => {
  if (!text.startsWith('<tool_call>')) return null;
  const inner = text.slice('<tool_call>'.length).split(/<\/tool_call>\s*<tool_call>/);
  const last = inner.length - 1;
  inner[last] = (inner[last] ?? '').replace(/<\/tool_call>$/, '');
  const calls = inner.map((one) => fromJson(one)?.[0] ?? tags(one.trim())?.[0]);
  return calls.every((c) => c !== undefined) ? calls : null;
};

/** Qwen-coder: `<function=NAME><parameter=P>value</parameter></function>`; Llama: `<function=NAME>{…}</function>`. */
const tags: Form = (text) => {
  const m = /^<function=([\w.-]{1,80})>([^]*?)(?:<\/function>)?$/.exec(text);
  if (!m) return null;
  const [name, body] = [m[1] as string, (m[2] as string).trim()];
  if (body.includes('<function=')) return null;
  if (body === '' || body.startsWith('{')) return [{ name, arguments: body }];
  const args: [string, string][] = [];
  const rest = body.replaceAll(/<parameter=([\w.-]{1,80})>\n?([^]*?)\n?<\/parameter>/g, (_, key: string, value: string) => {
    args.push([key, value]);
    return '';
  });
  return rest.trim() === '' ? [{ name, arguments: Object.fromEntries(args) }] : null;
};

/** Mistral: `[TOOL_CALLS][{…}, {…}]`, or `[TOOL_CALLS]NAME[ARGS]{…}`. */
const mistral: Form = (text) => {
  const body = /^\[TOOL_CALLS\]\s*([^]+)$/.exec(text)?.[1];
  if (body === undefined) return null;
  const named = /^([\w.-]{1,80})\s*(?:\[ARGS\])?\s*(\{[^]*\})$/.exec(body);
  return named ? [{ name: named[1] as string, arguments: named[2] }] : fromJson(body);
};

/** Llama: `<|python_tag|>` before JSON or before a call of Python's form. */
const llama: Form = (text) => {
  const body = /^<\|python_tag\|>([^]+?)(?:<\|eom_id\|>|<\|eot_id\|>)?$/.exec(text)?.[1]?.trim();
  return body === undefined ? null : (fromJson(body) ?? pythonic(body));
};

/** A call of Python's form, alone or in a list: `[f(a=1, b="x")]`. */
const pythonic: Form = (text) => {
  const body = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  const calls: WrittenCall[] = [];
  for (const one of splitOutside(body)) {
    const m = /^([\w.]{1,80})\(([^]*)\)$/.exec(one.trim());
    if (!m) return null;
    const args = keywords(m[2] as string);
    if (!args) return null;
    calls.push({ name: m[1] as string, arguments: args });
  }
  return calls;
};

function keywords(text: string): Record<string, Json> | null {
  const args: [string, Json][] = [];
  for (const part of splitOutside(text)) {
    if (part.trim() === '') continue;
    const at = part.indexOf('=');
    const key = part.slice(0, Math.max(at, 0)).trim();
    const value = literal(part.slice(at + 1).trim());
    if (!/^[\w.-]{1,80}$/.test(key) || value === undefined) return null;
    args.push([key, value]);
  }
  return Object.fromEntries(args);
}

const LITERALS: ReadonlyMap<string, Json> = new Map<string, Json>([
  ['None', null],
  ['True', true],
  ['False', false],
]);

function literal(text: string): Json | undefined {
  const known = LITERALS.get(text);
  if (known !== undefined) return known;
  const single = /^'([^'\\]*)'$/.exec(text)?.[1];
  return parsed(single === undefined ? text : JSON.stringify(single));
}

/** The pieces between commas that stand in no bracket and no string. */
function splitOutside(text: string): string[] {
  const pieces: string[] = [];
  let depth = 0;
  let quote = '';
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const c = text.charAt(at);
    if (quote !== '') {
      if (c === '\\') at++;
      else if (c === quote) quote = '';
    } else if (c === '"' || c === "'") quote = c;
    else if ('([{'.includes(c)) depth++;
    else if (')]}'.includes(c)) depth--;
    else if (c === ',' && depth === 0) {
      pieces.push(text.slice(from, at));
      from = at + 1;
    }
  }
  return [...pieces, text.slice(from)];
}

/** `{"name", "arguments" | "parameters"}`, in a list or alone, with nothing else in it but an id and a type. */
function fromJson(text: string): WrittenCall[] | null {
  const value = parsed(text.trim());
  if (value === undefined || value === null || typeof value !== 'object') return null;
  const calls = (Array.isArray(value) ? value : [value]).map(callOf);
  return calls.every((c) => c !== null) ? calls : null;
}

const KEYS: ReadonlySet<string> = new Set(['name', 'arguments', 'parameters', 'id', 'type', 'function']);

function callOf(value: Json): WrittenCall | null {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return null;
  if (!Object.keys(value).every((key) => KEYS.has(key))) return null;
  const inner = value['function'];
  if (inner !== undefined && typeof inner === 'object') return callOf(inner);
  const name = value['name'] ?? inner;
  if (typeof name !== 'string' || !('arguments' in value || 'parameters' in value)) return null;
  return { name, arguments: value['arguments'] ?? value['parameters'] };
}

function parsed(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

const FORMS: readonly Form[] = [tagged, tags, mistral, llama, fromJson, pythonic];
