import { placeOfXname } from '../model/xname.ts';
import { oneLine } from '../model/text.ts';
import { expand, NodeSetError } from '../nodeset.ts';

const CHUNK = /[\p{L}\p{N}_.[\],-]+/gu;
const RANGE = /\[[\d,-]{1,200}\]/;
const TIME = /\d{4}-\d{2}-\d{2}(?:T[\d:.]+Z?)?|(?<![\p{N}:])\d{1,2}:\d{2}(?::\d{2})?(?:\.\d+)?/gu;
const WORD = /[\p{L}\p{N}_][\p{L}\p{N}_.-]*/gu;
const UNIT =
  '%|°[CF]|[kKMGTPE]i?B(?:/s)?|[kMGT]?bit/s|[kMGT]bps|B|bytes?|[mkM]?W|watts?|[mk]?V|volts?|[mk]?A|rpm|RPM|psi|k?Pa|bar|[kMG]?Hz|[mµun]s|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|weeks?|C|degrees?|l/min|lpm|percent';
const NUMBER = /[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?|[-+]?\d+(?:\.\d+)?/g;
const WITH_UNIT = new RegExp(`^\\s?(${UNIT})(?![\\p{L}\\p{N}_])`, 'u');
const NUMBER_AND_UNIT = new RegExp(`^\\d+(?:\\.\\d+)?(?:${UNIT})$`);
const MAX_EXPANDED = 20_000;
const MAX_LISTED = 10;

/** What a piece of evidence holds that a text may name. */
export interface Ground {
  /** In lower case. */
  text: string;
  /** In lower case. */
  names: ReadonlySet<string>;
  numbers: readonly number[];
}

/** Takes names and numbers out of evidence. Sets are expanded; whatever contains a named component is named with it. */
export function groundOf(evidence: string): Ground {
  const text = evidence.normalize('NFKC');
  const names = new Set<string>();
  const { sets, words, rest } = take(text);
  for (const set of sets) for (const name of expandOr(set) ?? []) addName(names, name);
  for (const word of words) addName(names, word);
  const numbers = [...rest.matchAll(NUMBER)].map(([number]) => Math.abs(Number(number.replaceAll(',', ''))));
  return { text: text.toLowerCase(), names, numbers };
}

function addName(names: Set<string>, name: string): void {
  const lower = name.toLowerCase();
  if (names.has(lower)) return;
  names.add(lower);
  for (const container of Object.values(placeOfXname(lower) ?? {})) names.add(container);
}

/**
 * Names, and numbers with a unit or of 10 and more, that no piece of the evidence holds; at most 10.
 * A name is whatever mixes letters and digits, and each member of a folded set.
 * @param totals what the evidence adds up to
 */
export function ungrounded(raw: string, grounds: readonly Ground[], totals: readonly number[]): string[] {
  const text = raw.normalize('NFKC');
  const missing = new Set<string>();
  const { sets, times, words, rest } = take(text);
  const isNamed = (name: string): boolean => grounds.some(({ names }) => names.has(name.toLowerCase()));
  for (const set of sets) if (!(expandOr(set) ?? ['']).every(isNamed)) missing.add(set);
  for (const time of times) if (!grounds.some((g) => g.text.includes(time.toLowerCase()))) missing.add(time);
  for (const word of words) if (!isNamed(word) && !grounds.some((g) => isShortId(word.toLowerCase(), g))) missing.add(word);
  for (const match of rest.matchAll(NUMBER)) {
    const number = match[0].replaceAll(',', '');
    const unit = WITH_UNIT.exec(rest.slice(match.index + match[0].length))?.[1];
    if (unit === undefined && Math.abs(Number(number)) < 10) continue;
    if (![totals, ...grounds.map((g) => g.numbers)].some((numbers) => isCounted(number, unit, numbers)))
      missing.add(`${match[0]}${unit ?? ''}`);
  }
  return [...missing].slice(0, MAX_LISTED).map((m) => oneLine(m, 80));
}

/** Ids of findings are cut short by people and models alike. */
function isShortId(word: string, { text }: Ground): boolean {
  return /^[0-9a-f]{8,31}$/.test(word) && text.includes(`"id":"${word}`);
}

function isCounted(claimed: string, unit: string | undefined, numbers: readonly number[]): boolean {
  const value = Math.abs(Number(claimed));
  const decimals = claimed.split('.')[1]?.length ?? 0;
  const rounds = (n: number): boolean =>
    n === value || (!Number.isInteger(n * 10 ** decimals) && Math.abs(n - value) <= 0.5 / 10 ** decimals);
  const isShare = unit === '%' || unit === 'percent';
  return numbers.some((n) => rounds(n) || (isShare && n <= 2 && rounds(Number((n * 100).toPrecision(12)))));
}

/** A text taken apart, each kind out of what the one before left. */
function take(text: string): { sets: string[]; times: string[]; words: string[]; rest: string } {
  const sets: string[] = [];
  const times: string[] = [];
  const words: string[] = [];
  const rest = text
    .replaceAll(CHUNK, (chunk) => (RANGE.test(chunk) && /\p{L}/u.test(chunk) ? keep(sets, trimmed(chunk)) : chunk))
    .replaceAll(TIME, (time) => keep(times, time))
    .replaceAll(WORD, (word) => {
      const plain = trimmed(word);
      const mixes = /\p{N}/u.test(plain) && /\p{L}/u.test(plain);
      return mixes && !NUMBER_AND_UNIT.test(plain) ? keep(words, plain) : word;
    });
  return { sets, times, words, rest };
}

function keep(into: string[], found: string): string {
  into.push(found);
  return ' ';
}

/** Without the punctuation of a sentence behind it. */
function trimmed(word: string): string {
  let end = word.length;
  while (end > 0 && '.,_-'.includes(word.charAt(end - 1))) end--;
  return word.slice(0, end);
}

function expandOr(set: string): string[] | null {
  try {
    return expand(set, { limit: MAX_EXPANDED });
  } catch (error) {
    if (error instanceof NodeSetError) return null;
    throw error;
  }
}
