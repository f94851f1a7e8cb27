import { compareNames, oneLine } from './model/text.ts';
import { type Boxes, boxings } from './nodeset/boxes.ts';
import { escapeCharacter, escapeName, MAX_DIGITS } from './nodeset/escape.ts';
import { byPadding, familiesOf, type Members } from './nodeset/families.ts';

/*
 * Node sets as ClusterShell writes them: `x[1000-1001]c0s[0-7]b0n[0-1],login1`
 * (https://clustershell.readthedocs.io/en/latest/tools/nodeset.html).
 *
 * Any text can be a member. What the syntax reserves stands percent-escaped (UTF-8, upper-case hex), and so does whatever
 * ClusterShell would otherwise read as something else: white space and invisible characters, decimal digits of other
 * scripts, a leading `-`. `all` is written `%61ll`, so that a folded set is never the bare word that coverage uses as a
 * marker, and the empty name is written `%`.
 */

/** What ClusterShell reads as an operator, a group or a wildcard: never a raw part of a name. */
const OPERATORS = '!&^@*?';

const DEFAULT_LIMIT = 100_000;

/** A set that would become more text than this is refused, whatever its number of names. */
const MAX_CHARACTERS = 2 ** 26;

/** A text that is no node set, or one with too many names. */
export class NodeSetError extends Error {
  override name = 'NodeSetError';
  /** Where in the text, counted from 0. */
  readonly offset: number;
  constructor(reason: string, set: string, offset: number) {
    const from = Math.max(0, offset - 30);
    const excerpt = oneLine(set.slice(from, from + 60), 60);
    super(`node set: ${reason}, at character ${offset + 1}: ${from > 0 ? '…' : ''}${excerpt}${from + 60 < set.length ? '…' : ''}`);
    this.offset = offset;
  }
}

// ---- fold

interface Term {
  /** The first of its names, by which terms are ordered. */
  first: string;
  text: string;
}

/**
 * Folds names of any text into the one canonical text of their set: whatever their order and repetition, the same bytes.
 * Every number in a name may become a range; numbers with zeros in front are folded with their own width only, so that
 * the text reads the same in ClusterShell of any version, where `n1`, `n01` and `n001` are three nodes.
 * @param options.dims `1` makes at most one range per term, of the last number that varies, which pdsh and Slurm can read
 * @returns the empty text for no names
 */
export function fold(names: Iterable<string>, options: { dims?: 1 } = {}): string {
  const oneDim = options.dims === 1;
  const terms: Term[] = [];
  for (const family of familiesOf(names)) {
    if (family.count === 1) {
      const text = escapeName(family.first, false);
      terms.push({ first: text, text });
      continue;
    }
    for (const members of byPadding(family)) {
      for (const term of foldMembers(family.literals, members, oneDim)) terms.push(term);
    }
  }
  return terms
    .sort((a, b) => compareNames(a.first, b.first))
    .map((term) => term.text)
    .join(',');
}

/** The folds that were asked for last, by the names as they were given. */
const folds = new Map<string, string>();
let charactersFolded = 0;
const MAX_CHARACTERS_FOLDED = 2 ** 20;

/** As {@link fold}, for a set that is told in several places: while it is among the last ones it is folded once. */
export function foldShared(names: Iterable<string>): string {
  const given = [...names];
  const key = JSON.stringify(given);
  let text = folds.get(key);
  if (text === undefined) {
    text = fold(given);
    charactersFolded += key.length + text.length;
  } else folds.delete(key);
  folds.set(key, text);
  for (const [oldest, folded] of folds) {
    if (charactersFolded <= MAX_CHARACTERS_FOLDED) break;
    folds.delete(oldest);
    charactersFolded -= oldest.length + folded.length;
  }
  return text;
}

/** Folds the members of a family whose numbers have one padding each. */
function foldMembers(literals: string[], { pads, values }: Members, oneDim: boolean): Term[] {
  const [terms, others] = boxings(values, oneDim).map((boxes) => toTerms(boxes, literals, pads)) as [Term[], Term[] | undefined];
  return others && (others.length - terms.length || textLength(others) - textLength(terms)) < 0 ? others : terms;
}

function textLength(terms: Term[]): number {
  return terms.reduce((sum, term) => sum + term.text.length, 0);
}

function toTerms({ count, ids, sets }: Boxes, literals: string[], pads: number[]): Term[] {
  const firsts = pads.map((pad, k) => sets[k]?.map((set) => padNumber(set[0] as number, pad)) as string[]);
  const texts = pads.map((pad, k) => sets[k]?.map((set) => rangesText(set, pad)) as string[]);
  return Array.from({ length: count }, (_, box) => {
    const assemble = (numbers: string[][]): string =>
      literals.reduce((before, literal, k) => before + numbers[k - 1]?.[ids[k - 1]?.[box] as number] + literal);
    return { first: assemble(firsts), text: assemble(texts) };
  });
}

function padNumber(value: number, pad: number): string {
  return String(value).padStart(pad, '0');
}

/** `7`, `[1-3,5]`. */
function rangesText(set: number[], pad: number): string {
  if (set.length === 1) return padNumber(set[0] as number, pad);
  const ranges: string[] = [];
  for (let i = 0; i < set.length; ) {
    const first = set[i] as number;
    let last = first;
    for (i++; set[i] === last + 1; i++) last++;
    ranges.push(last === first ? padNumber(first, pad) : `${padNumber(first, pad)}-${padNumber(last, pad)}`);
  }
  return `[${ranges.join()}]`;
}

// ---- expand

interface Range {
  first: number;
  step: number;
  count: number;
  pad: number;
  /** The digits of the longest number. */
  width: number;
  /** A single number, of any length. */
  digits?: string;
}

/**
 * The names of a node set, each once, in the order of compareNames. Reads what {@link fold} and ClusterShell write: commas,
 * several brackets, ranges, zero padding, steps (`n[0-6/2]`), white space around names. Groups, wildcards and set
 * operators are refused.
 * @param options.limit the most names that the set may have, repeated ones included; checked before any is made
 * @throws NodeSetError naming the place
 */
export function expand(set: string, options: { limit?: number } = {}): string[] {
  const names: string[] = [];
  let isInOrder = !set.includes('%');
  for (const { parts, offset } of parse(set, options.limit ?? DEFAULT_LIMIT)) {
    const from = names.length;
    for (const name of namesOf(parts)) names.push(name.includes('%') ? decode(name, set, offset) : name);
    const isAfter = from === 0 || compareNames(names[from - 1] as string, names[from] as string) < 0;
    isInOrder &&= isAfter && ascends(parts);
  }
  return isInOrder ? names : [...new Set(names)].sort(compareNames);
}

function namesOf(parts: ParsedTerm['parts']): string[] {
  let made = [parts[0] as string];
  for (let k = 1; k < parts.length; k += 2) {
    const literal = parts[k + 1] as string;
    const pieces = (parts[k] as Range[]).flatMap(numbersOf).map((number) => number + literal);
    made = made.flatMap((name) => pieces.map((piece) => name + piece));
  }
  return made;
}

/**
 * Whether a term's names, as they are made, stand in the order of compareNames, each once: where the numbers of every
 * bracket ascend, and no digits stand before them. Nearly all terms are so, and to sort those of a fleet is dear.
 */
function ascends(parts: ParsedTerm['parts']): boolean {
  return parts.every((part, k) => {
    // Digits beside a bracket belong to its numbers.
    if (typeof part === 'string') return k === parts.length - 1 || !/\d$/.test(part);
    let before = -1;
    return part.every(({ first, step, count, digits }) => {
      const least = digits === undefined ? first : digits.length > MAX_DIGITS ? -1 : Number(digits);
      const isAfter = least > before;
      before = digits === undefined ? first + step * (count - 1) : least;
      return isAfter;
    });
  });
}

/** The sets that were asked for last, by their texts. A text says the same whoever gives it. */
const known = new Map<string, ReadonlySet<string>>();
let namesKnown = 0;
const MAX_NAMES_KNOWN = 2 ** 18;

/** The names of a node set, each once, in the order of compareNames; the same set for the same text. As {@link expand} otherwise. */
export function nodeSetOf(set: string): ReadonlySet<string> {
  let names = known.get(set);
  if (names) known.delete(set);
  else namesKnown += (names = new Set(expand(set))).size;
  known.set(set, names);
  for (const [oldest, { size }] of known) {
    if (namesKnown <= MAX_NAMES_KNOWN || oldest === set) break;
    known.delete(oldest);
    namesKnown -= size;
  }
  return names;
}

function numbersOf({ first, step, count, pad, digits }: Range): string[] {
  return digits === undefined ? Array.from({ length: count }, (_, i) => padNumber(first + i * step, pad)) : [digits];
}

interface ParsedTerm {
  /** Text, bracket, text, …, text. */
  parts: (string | Range[])[];
  offset: number;
}

/** What has no meaning in a set, whatever stands around it. */
const PLAIN_RUN = /[\w.:/+=~%-]+/y;

function parse(set: string, limit: number): ParsedTerm[] {
  const terms: ParsedTerm[] = [];
  if (set.trim() === '') return terms;
  let at = 0;
  let names = 0;
  let characters = 0;
  do {
    while (isSpace(set, at)) at++;
    const offset = at;
    const parts: ParsedTerm['parts'] = [];
    let count = 1;
    let length = 0;
    let literal = at;
    for (; at < set.length && set[at] !== ',' && !isSpace(set, at); at++) {
      PLAIN_RUN.lastIndex = at;
      if (PLAIN_RUN.test(set)) {
        at = PLAIN_RUN.lastIndex - 1;
        continue;
      }
      const c = set[at] as string;
      if (c === ']') throw new NodeSetError('] without a [ before it', set, at);
      if (OPERATORS.includes(c)) {
        throw new NodeSetError(`operators, groups and wildcards are not read (in a name, ${c} is ${escapeCharacter(c)})`, set, at);
      }
      if (c !== '[') continue;
      parts.push(set.slice(literal, at));
      const { ranges, end } = parseBracket(set, at);
      parts.push(ranges);
      count *= ranges.reduce((sum, range) => sum + range.count, 0);
      length += at - literal + ranges.reduce((max, range) => Math.max(max, range.width), 0);
      if (set[end + 1] === '[') throw new NodeSetError('two brackets without anything between them', set, end + 1);
      at = end;
      literal = end + 1;
    }
    const end = at;
    parts.push(set.slice(literal, end));
    if (end === offset) throw new NodeSetError('a name is missing', set, at);
    while (isSpace(set, at)) at++;
    if (at < set.length && set[at] !== ',') throw new NodeSetError('white space inside a name (names are separated by commas)', set, end);
    names += count;
    // A range multiplies what stands around it.
    if (count > 1) characters += count * (length + end - literal);
    if (names > limit) throw new NodeSetError(`more than ${limit} names`, set, offset);
    if (characters > MAX_CHARACTERS) throw new NodeSetError('the names would fill too much memory', set, offset);
    terms.push({ parts, offset });
  } while (at++ < set.length);
  return terms;
}

function isSpace(set: string, at: number): boolean {
  const c = set[at];
  return c !== undefined && (c === ' ' || c.trim() === '');
}

/** Reads from a `[` to its `]`. */
function parseBracket(set: string, open: number): { ranges: Range[]; end: number } {
  const item = /\s*(\d+)\s*(?:-\s*(\d+)\s*(?:\/\s*(\d+)\s*)?)?/y;
  const ranges: Range[] = [];
  let at = open;
  do {
    at++;
    item.lastIndex = at;
    const m = item.exec(set);
    if (!m && at < set.length) throw new NodeSetError('expected a number or a range', set, at);
    if (!m) throw new NodeSetError('the bracket is not closed', set, open);
    ranges.push(toRange(m[1] as string, m[2], m[3], set, at));
    at = item.lastIndex;
  } while (set[at] === ',');
  if (at >= set.length) throw new NodeSetError('the bracket is not closed', set, open);
  if (set[at] !== ']') throw new NodeSetError('expected a comma or ]', set, at);
  return { ranges, end: at };
}

function toRange(from: string, to: string | undefined, by: string | undefined, set: string, at: number): Range {
  if (to === undefined) return { first: 0, step: 1, count: 1, pad: 0, width: from.length, digits: from };
  if ([from, to, by ?? ''].some((digits) => digits.length > MAX_DIGITS)) {
    throw new NodeSetError(`a range over numbers of more than ${MAX_DIGITS} digits`, set, at);
  }
  const zeros = [from, to].some((digits) => digits.length > 1 && digits.startsWith('0'));
  if (zeros && from.length !== to.length) throw new NodeSetError('a zero-padded range whose ends differ in length', set, at);
  const first = Number(from);
  const last = Number(to);
  const step = by === undefined ? 1 : Number(by);
  if (last < first) throw new NodeSetError('a range that ends before it begins', set, at);
  if (step === 0) throw new NodeSetError('a step of 0', set, at);
  return { first, step, count: Math.floor((last - first) / step) + 1, pad: zeros ? from.length : 0, width: to.length };
}

/** Undoes the escapes of {@link escapeName}. They are read in finished names, since ClusterShell also folds the digits of escapes. */
function decode(name: string, set: string, offset: number): string {
  if (name === '%') return '';
  if (!name.includes('%')) return name;
  try {
    return name
      .split(/(%ed%[ab][\da-f]%[89ab][\da-f])/i)
      .map((part, i) => (i % 2 === 0 ? decodeURIComponent(part) : decodeSurrogate(part)))
      .join('');
  } catch {
    throw new NodeSetError('% begins no escape of a character (two hexadecimal digits for each byte of its UTF-8)', set, offset);
  }
}

function decodeSurrogate(escapes: string): string {
  const [, high, low] = (escapes.match(/[\da-f]{2}/gi) as string[]).map((hex) => Number.parseInt(hex, 16)) as [number, number, number];
  return String.fromCharCode(0xd000 | ((high & 63) << 6) | (low & 63));
}
