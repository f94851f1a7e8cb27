import type { Json } from '../model/json.ts';

// What templates and markup take for more than text: angle brackets (every `<|token|>`, `</tool_result>`, `<think>`), and
// Mistral's words in square brackets.
const SPECIAL = /[<>]|\[(?=\/?(?:INST|TOOL_CALLS|TOOL_RESULTS|AVAILABLE_TOOLS|SYSTEM_PROMPT|ARGS|THINK)\])/g;
// As in model/text.ts: controls and whatever is made to be invisible.
const HIDDEN = /[\u007f-\u009f\u2028\u2029\ufff9-\ufffb]|\p{Default_Ignorable_Code_Point}|\p{Surrogate}/gu;

/** JSON for a model to read: the same value, with nothing in it that a template could take for its own. */
export function quoteJson(value: unknown): string {
  return JSON.stringify(value).replace(SPECIAL, escaped).replace(HIDDEN, escaped);
}

/** A line of text for a model to read; what could be taken for more than text becomes a visible escape. */
export function quoteText(text: string): string {
  return text.replace(SPECIAL, escaped).replace(HIDDEN, escaped);
}

function escaped(character: string): string {
  return [...Array(character.length).keys()].map((i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`).join('');
}

/** Data between marks that nobody can close who does not know this tick's nonce. */
export function fence(nonce: string, quoted: string): string {
  return `<DATA ${nonce}>\n${quoted}\n</DATA ${nonce}>`;
}

/** A tool's answer as a message. */
export function quoteResult(nonce: string, result: Json): string {
  return fence(nonce, quoteJson(result));
}
