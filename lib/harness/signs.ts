import { oneLine } from '../model/text.ts';

/** Something that looks like an attempt to lead the model, or like one that worked. */
export interface Sign {
  /** `addresses the model`, `forged turn`, `called the decoy`, `leaked the fence`. */
  what: string;
  /** Where it stood, and its words. */
  where: string;
}

const FORGED =
  /<\|[a-z_]{2,20}\|>|<\/?(?:start_of_turn|end_of_turn|tool_calls?|tool_results?|tool_response|function_calls?|function_results?|think|system|data)(?: [^<>]{0,40})?>|\[\/?(?:INST|TOOL_CALLS|TOOL_RESULTS|SYSTEM_PROMPT)\]|["']role["']\s{0,4}:\s{0,4}["'](?:assistant|system|tool)["']/i;

const ADDRESSES: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:previous|above|prior|earlier|all|any|your)\b.{0,30}\b(?:instructions?|prompts?|messages?|rules?|findings?|alerts?|tools?)\b/i,
  /\b(?:do not|don't|never|must not)\s+(?:report|mention|list|flag|raise|include|alert)\b/i,
  /\b(?:you are|you're|act as|as) an? (?:AI|assistant|language model|LLM|agent|observer|model)\b/i,
  /\b(?:dear|attention|note to|hey|hello)[ ,:]{1,3}(?:AI|assistant|model|agent|LLM|observer)\b/i,
  /^\s*(?:SYSTEM|ASSISTANT|DEVELOPER|INSTRUCTIONS?)\s*:/,
  /\bSYSTEM:\s/,
  /\b(?:system prompt|api[ _-]?key|environment variables?)\b.{0,60}\b(?:include|print|send|reveal|report|repeat)\b|\b(?:include|print|send|reveal|repeat|append)\b.{0,60}\b(?:system prompt|api[ _-]?key|environment variables?)\b/i,
  /\b(?:submit_report|send_webhook)\b|\bcall\b.{0,20}\b(?:tool|function)\b/i,
  /\b(?:treat|mark|report|consider|classify|downgrade)\b.{0,60}\bas (?:healthy|resolved|informational|info|expected|ok|benign|harmless)\b/i,
  /\b(?:all|everything|cluster|nodes?) (?:is|are|systems?)?\s*(?:healthy|nominal|all clear)\b.{0,40}\b(?:ignore|no need|nothing to report)\b/i,
];

/** Longer texts are looked at in part. */
const MAX_TEXT = 64 * 1024;

/** What in a text from the cluster speaks to the model instead of about the cluster; null where nothing does. */
export function signIn(text: string): string | null {
  const looked = text.length > MAX_TEXT ? text.slice(0, MAX_TEXT) : text;
  if (FORGED.test(looked)) return 'forged turn';
  return ADDRESSES.some((form) => form.test(looked)) ? 'addresses the model' : null;
}

/** Every text in a value that speaks to the model, with what it says. */
export function signsIn(value: unknown, where: string): Sign[] {
  if (typeof value === 'string') {
    const what = signIn(value);
    return what === null ? [] : [{ what, where: `${where}: ${oneLine(value, 100)}` }];
  }
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, inner]) => [...signsIn(key, where), ...signsIn(inner, where)]);
}
