import type { JsonObject } from '../../model/json.ts';
import type { ChatAnswer, ToolOffer } from '../client.ts';
import { MAX_ARGUMENTS, readArguments } from './arguments.ts';
import { readWrittenCalls } from './salvage.ts';
import { stripThinking } from './think.ts';

/** A call as it can be run, or why it cannot. */
export type MeantCall =
  | { name: string; args: JsonObject; error?: undefined }
  /** `unknown`: there is no such tool; `unreadable`: its arguments are none; `raw` is a bounded piece of them. */
  | { name: string; args?: undefined; error: string; fault: 'unknown' | 'unreadable'; raw: string };

export interface Meant {
  /** What was said beside the calls, without thinking. */
  text: string;
  calls: MeantCall[];
  /** Calls past those that are run in one turn. */
  surplus: number;
  /** Whether the answer was cut by its budget, so that what is unreadable in it may only be unfinished. */
  cut: boolean;
  /** What had to be done to make sense of it. */
  notes: string[];
}

const MAX_CALLS = 8;

/**
 * Makes sense of an answer. Only the message counts, never what the server says of why it ended.
 * @param isQuoted whether a text stands in data that the model was shown: what it merely repeats is no call
 */
export function interpret(
  answer: ChatAnswer,
  { offers, maxTokens, isQuoted }: { offers: readonly ToolOffer[]; maxTokens: number; isQuoted: (text: string) => boolean },
): Meant {
  const notes: string[] = [];
  const { content, thought } = stripThinking(answer.content);
  if (thought !== '') notes.push('thinking stood in the answer');
  let made = answer.calls;
  let text = content;
  if (made.length === 0) {
    const written = callsInText(content, thought, answer.reasoning, offers, isQuoted);
    made = written.calls;
    if (made.length > 0) {
      text = '';
      notes.push(written.note);
    } else if (content === '' && answer.reasoning.trim() !== '') {
      text = answer.reasoning.trim();
      notes.push('the answer stood in the reasoning field');
    }
  }
  const cut = answer.finishReason === 'length' || (answer.tokensOut !== null && answer.tokensOut >= maxTokens - 1);
  const calls = made.slice(0, MAX_CALLS).map((call) => meantBy(call, offers, cut, notes));
  return { text, calls, surplus: made.length - calls.length, cut, notes: [...new Set(notes)] };
}

function callsInText(
  content: string,
  thought: string,
  reasoning: string,
  offers: readonly ToolOffer[],
  isQuoted: (text: string) => boolean,
): { calls: ChatAnswer['calls']; note: string } {
  const places: [string, string][] = [[content, 'a call was written as text']];
  if (content === '') places.push([reasoning, 'a call stood in the reasoning field'], [thought, 'a call stood in the thinking']);
  for (const [text, note] of places) {
    const calls = readWrittenCalls(text);
    if (calls.length > 0 && calls.every((c) => resolveName(c.name, offers) !== null) && !isQuoted(text.trim())) return { calls, note };
  }
  return { calls: [], note: '' };
}

function meantBy(call: ChatAnswer['calls'][number], offers: readonly ToolOffer[], cut: boolean, notes: string[]): MeantCall {
  const offer = resolveName(call.name, offers);
  const raw = rawOf(call.arguments);
  if (!offer) {
    const error = `there is no tool of this name; there are: ${offers.map((o) => o.name).join(', ')}`;
    return { name: call.name, error, fault: 'unknown', raw };
  }
  if (offer.name !== call.name) notes.push('a name was mended');
  const read = readArguments(call.arguments, offer.parameters);
  if (!read.ok) return { name: offer.name, error: read.error, fault: 'unreadable', raw };
  // Brackets that the budget cut off are no slip: what would have stood in them is missing.
  if (cut && read.mended.includes('brackets or commas'))
    return { name: offer.name, error: 'the arguments end in the middle', fault: 'unreadable', raw };
  notes.push(...read.mended.map((m) => `arguments mended: ${m}`));
  return { name: offer.name, args: read.args };
}

const PREFIX = /^(?:functions?|tools?|default_api)[.:]/;

/** The tool that a name means: the name itself, without blanks around it or a namespace before it. */
function resolveName(name: string, offers: readonly ToolOffer[]): ToolOffer | null {
  const plain = name.trim().replace(PREFIX, '');
  return offers.find((o) => o.name === plain) ?? null;
}

function rawOf(value: unknown): string {
  return (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).slice(0, MAX_ARGUMENTS);
}
