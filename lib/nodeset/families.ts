import { escapeName, isPlain, MAX_DIGITS } from './escape.ts';

/** Names that differ in nothing but their numbers: `x1c0` and `x2c7` are the family `x[c[`. */
export interface Family {
  /** What stands before, between and behind the numbers, escaped. */
  literals: string[];
  first: string;
  count: number;
  /** Per number of a name one column, with the value that each member has there, and with its digits. */
  values: number[][];
  lengths: number[][];
  /** Per column the lengths of the numbers that have zeros in front. */
  padded: Set<number>[];
}

/** Nearly all names of a fleet are of a few families, and are seen to be without a look at their escaped form. */
const MAX_TRIED = 16;

/** Parts names into families; each name counts once. */
export function familiesOf(names: Iterable<string>): Iterable<Family> {
  const families = new Map<string, Family>();
  const tried: Family[] = [];
  const numbers: Numbers = { count: 0, values: [], lengths: [], isPadded: [] };
  for (const name of new Set(names)) {
    let family: Family | undefined;
    for (let i = 0; i < tried.length && family === undefined; i++) if (fits(tried[i] as Family, name, numbers)) family = tried[i];
    if (family === undefined) {
      const key = escapeName(name, true);
      family = families.get(key);
      if (family === undefined) {
        family = newFamily(key.split('['), name);
        families.set(key, family);
        if (tried.length < MAX_TRIED && family.values.length > 0 && isPlain(name)) tried.push(family);
      }
      readNumbers(name, numbers);
    }
    take(family, numbers);
  }
  return families.values();
}

function newFamily(literals: string[], first: string): Family {
  const dims = literals.slice(1);
  return {
    literals,
    first,
    count: 0,
    values: dims.map(() => []),
    lengths: dims.map(() => []),
    padded: dims.map(() => new Set<number>()),
  };
}

/** The numbers of one name. One object serves all of them in turn. */
interface Numbers {
  count: number;
  values: number[];
  lengths: number[];
  isPadded: boolean[];
}

/** Reads the number that begins at a place. @returns where it ends */
function readNumber(name: string, start: number, numbers: Numbers): number {
  let value = 0;
  let at = start;
  for (; isDigit(name, at); at++) value = value * 10 + name.charCodeAt(at) - 48;
  const length = at - start;
  if (length === 0 || length > MAX_DIGITS) return at;
  numbers.values[numbers.count] = value;
  numbers.lengths[numbers.count] = length;
  numbers.isPadded[numbers.count] = length > 1 && name.charCodeAt(start) === 48;
  numbers.count++;
  return at;
}

function readNumbers(name: string, numbers: Numbers): void {
  numbers.count = 0;
  for (let at = 0; at < name.length; at++) at = readNumber(name, at, numbers);
}

/** Whether a name is of a family whose literals need no escape; its numbers are read on the way. */
function fits({ literals }: Family, name: string, numbers: Numbers): boolean {
  numbers.count = 0;
  let at = 0;
  for (let k = 0; k < literals.length; k++) {
    if (k > 0) at = readNumber(name, at, numbers);
    const literal = literals[k] as string;
    if (numbers.count < k || !name.startsWith(literal, at)) return false;
    at += literal.length;
  }
  return at === name.length;
}

function take(family: Family, { values, lengths, isPadded }: Numbers): void {
  family.count++;
  for (let k = 0; k < family.values.length; k++) {
    (family.values[k] as number[]).push(values[k] as number);
    (family.lengths[k] as number[]).push(lengths[k] as number);
    if (isPadded[k]) (family.padded[k] as Set<number>).add(lengths[k] as number);
  }
}

export function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
}

/** The members of a family whose numbers have one width of padding each (0 = none): one column for each number. */
export interface Members {
  pads: number[];
  values: number[][];
}

/**
 * The numbers of a family, by padding. A number without zeros in front counts as padded where another of its length has
 * them: 08, 09, 10.
 */
export function byPadding({ literals, count, values, lengths, padded }: Family): Iterable<Members> {
  // ClusterShell takes digits before a bracket (of an escape: %20) for the beginning of the numbers in it, and then reads
  // [9-10] as 209-2010: numbers there are folded by length.
  const tight = literals.map((literal) => isDigit(literal, literal.length - 1));
  if (padded.every((found, k) => found.size === 0 && !tight[k])) return [{ pads: values.map(() => 0), values }];
  const firsts = lengths.map((column) => column[0] as number);
  if (lengths.every((column, k) => column.every((length) => length === firsts[k])))
    return [{ pads: firsts.map((length, k) => (tight[k] || padded[k]?.has(length) ? length : 0)), values }];
  const parts = new Map<string, Members>();
  for (let row = 0; row < count; row++) {
    const pads = lengths.map((column, k) => (tight[k] || padded[k]?.has(column[row] as number) ? (column[row] as number) : 0));
    const key = pads.join();
    let part = parts.get(key);
    if (!part) {
      part = { pads, values: values.map(() => []) };
      parts.set(key, part);
    }
    for (const [k, column] of part.values.entries()) column.push(values[k]?.[row] as number);
  }
  return parts.values();
}
