import type { Finding } from '../model/finding.ts';
import { oneLine } from '../model/text.ts';
import { formatDuration } from '../model/time.ts';

/** The longest text of a single statement; what is longer is cut with its count. */
const MAX_LINE = 500;

/** Any text of a report as one bounded line without anything that acts. */
export function line(text: string, max = MAX_LINE): string {
  return oneLine(text, max);
}

/** A time for people, in UTC: `08:31Z` on the day of the report, else `2026-11-29 08:31Z`. */
export function clockTime(iso: string, now: number): string {
  const [day, time] = [iso.slice(0, 10), `${iso.slice(11, 16)}Z`];
  return day === new Date(now).toISOString().slice(0, 10) ? time : `${day} ${time}`;
}

const ISO = /\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z/g;

/** A text with its times as {@link clockTime} has them: the JSON report keeps them to the millisecond. */
export function withClock(text: string, now: number): string {
  // Nearly all texts have no time in them.
  return text.includes('Z') ? text.replaceAll(ISO, (iso) => clockTime(iso, now)) : text;
}

/** How long each of some findings has lasted, in words: `for 3h 12m`, `for 5m to 3h 12m`. */
export function lengths(word: string, some: readonly number[]): string {
  const least = formatDuration(some.reduce((a, b) => Math.min(a, b)));
  const most = formatDuration(some.reduce((a, b) => Math.max(a, b)));
  return `${word} ${least === most ? most : `${least} to ${most}`}`;
}

/** The subject as its source names it, and as the inventory does where that differs. */
export function nameOf({ subject, knownAs }: Pick<Finding, 'subject' | 'knownAs'>): string {
  return line(knownAs === undefined ? subject.id : `${subject.id} (${knownAs})`, 600);
}

/** What is said of a finding; its title where nothing is. */
export function messageOf({ conditions, title }: Pick<Finding, 'conditions' | 'title'>): string {
  return line(conditions[0]?.message ?? title);
}

/** What to look at, and the site's own page for it. */
export function adviceOf({ hint, runbook }: Pick<Finding, 'hint' | 'runbook'>): string {
  return runbook === undefined ? line(hint) : `${line(hint)} Runbook: ${line(runbook)}`;
}

/** The id as far as people need it; `explain` takes it so. */
export function shortId(id: string): string {
  return line(id.slice(0, 8));
}

/** `1 finding`, `12 findings`. */
export function count(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}
