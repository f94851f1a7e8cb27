import type { Finding } from '../model/finding.ts';
import { compareNames } from '../model/text.ts';
import { setText } from '../findings/set-text.ts';
import { line, messageOf, shortId, withClock } from './words.ts';

/** Characters of a set of names below critical. */
export const MAX_SET = 300;

/** As many sayings that differ in their numbers alone are told as one. */
const ALIKE = 3;

/** The same words about some findings: what stands before the name of each, and after it; null where it stands elsewhere. */
interface Saying {
  before: string;
  after: string | null;
  said: Finding[];
}

/**
 * What is said of single findings, the same words of several as one line with their names folded; each with an id.
 * @param most lines; the rest is counted
 */
export function statements(some: readonly Finding[], most: number, now: number): string[] {
  if (most === 0) return [];
  const sayings = new Map<string, Saying>();
  for (const f of some) {
    const [before, after] = parts(f, now);
    // Neither has a line break.
    const key = after === null ? `${f.severity}\n${before}` : `${f.severity}\n${before}\n${after}`;
    const saying = sayings.get(key);
    if (saying) saying.said.push(f);
    else sayings.set(key, { before, after, said: [f] });
  }
  const byWords = new Map<string, Saying[]>();
  for (const [key, saying] of sayings) {
    const words = key.replaceAll(/\d+(?:\.\d+)?/g, '0');
    const alike = byWords.get(words);
    if (alike) alike.push(saying);
    else byWords.set(words, [saying]);
  }
  const rows = [...byWords.values()].flatMap((alike) => (alike.length < ALIKE ? alike.map((one) => [one]) : [alike]));
  const shown = rows.slice(0, most).map((row) => withClock(told(row, { isAlone: some.length === 1, isOnly: rows.length === 1 }), now));
  const left = rows.slice(most).reduce((n, row) => n + row.reduce((m, { said }) => m + said.length, 0), 0);
  return left > 0 ? [...shown, `and ${left} more`] : shown;
}

function told(row: readonly Saying[], { isAlone, isOnly }: { isAlone: boolean; isOnly: boolean }): string {
  const [first, ...others] = row as [Saying, ...Saying[]];
  const said = row.flatMap((saying) => saying.said);
  const folded = others.length === 0 ? first.after : ranged(row.map((saying) => saying.after ?? ''));
  if (others.length > 0 && (first.after === null || folded === null)) {
    const rest = others.flatMap((saying) => saying.said);
    return `${told([first], { isAlone, isOnly })}, and ${rest.length} alike${isOnly ? '' : `: ${namesOf(rest)}`}`;
  }
  const [one] = said as [Finding, ...Finding[]];
  const ids = `[${shortId(one.id)}${said.length > 1 ? ` and ${said.length - 1} more` : ''}]`;
  const reason = said.length === 1 && one.state === 'resolved' ? ` — ${line(one.reason, 200)}` : '';
  if (isAlone && folded?.startsWith(': ')) return `${line(folded.slice(2))}${reason} ${ids}`;
  const text = folded === null ? first.before : `${first.before}${namesOf(said)}${folded}`;
  return `${line(`${text}${reason}`, 900)} ${ids}`;
}

/** A number that stands for itself: no part of a name, a time or an address. */
const NUMBER = /(?<![\w.:<#/-])\d+(?:\.\d+)?(?![\d.:/-])/g;

/** Texts that differ in such numbers alone as one, with the least and the greatest: `for 20m 26–29s`. Null where more differs. */
function ranged(texts: readonly string[]): string | null {
  const [words] = texts.map((text) => text.split(NUMBER)) as [string[]];
  if (texts.some((text) => text.split(NUMBER).join('\0') !== words.join('\0'))) return null;
  const numbers = texts.map((text) => text.match(NUMBER) ?? []);
  return words.reduce((text, word, i) => {
    const values = numbers.map((n) => n[i - 1] as string).sort((a, b) => Number(a) - Number(b));
    const [least, most] = [values[0] as string, values.at(-1) as string];
    return `${text}${least === most ? least : `${least}–${most}`}${word}`;
  });
}

/** A message taken apart at its subject's name, where it begins with that. */
function parts(f: Finding, now: number): [before: string, after: string | null] {
  const message = withClock(messageOf(f), now);
  const name = f.subject.id;
  for (const before of ['', `${f.subject.type} `]) {
    if (!message.startsWith(before) || !message.startsWith(name, before.length)) continue;
    const after = message.slice(before.length + name.length);
    if (after.startsWith(':') || after.startsWith(' ')) return [before, after];
  }
  return [message, null];
}

function namesOf(some: readonly Finding[]): string {
  const names = [...new Set(some.map((f) => f.subject.id))].sort(compareNames);
  return names.length === 1 ? (names[0] as string) : setText(names, MAX_SET);
}
