import { compareSeverity, type Severity } from '../model/condition.ts';
import type { Finding, Group } from '../model/finding.ts';
import type { Report } from '../model/report.ts';
import { compareNames } from '../model/text.ts';
import { setText } from '../findings/set-text.ts';
import { fold } from '../nodeset.ts';
import { clockTime, count, lengths, line, messageOf, nameOf, shortId } from './words.ts';

/** One line of a section with what belongs to it: a group, findings of one kind, severity and state, or a plain statement. */
export interface Item {
  severity?: Severity;
  title: string;
  /** Subjects, folded; never cut where one of them is critical. */
  where?: string;
  /** `where` is a sentence, and no set of names. */
  isSentence?: true;
  /** Findings that it stands for; 0 for a statement. */
  findings: number;
  /** Age, states, marks: a few words each. */
  facts: string[];
  /** What is said of single ones, with their ids; a few of many. */
  details: string[];
  hint?: string;
}

export type Place = 'new critical' | 'new' | 'escalated' | 'resolved' | 'ongoing' | 'flapping' | 'stale' | 'candidate' | 'resolved earlier';

/** What decides where a group stands: the first of these in which it has a member. */
const RANK: readonly Place[] = ['new critical', 'new', 'escalated', 'ongoing', 'flapping', 'stale'];

/** Statements on single findings: of a critical more than of the others. */
const DETAILS: Record<Severity, number> = { critical: 8, warning: 3, info: 2 };
/** Characters of a set of names below critical. */
const MAX_SET = 300;

/**
 * The findings of a report as lines, by where they stand: one for a group instead of its members, one for what is alike
 * in kind, severity and state.
 */
export function itemsOf(report: Report, placeOf: (f: Finding) => Place): ReadonlyMap<Place, Item[]> {
  const now = Date.parse(report.generatedAt);
  const items = new Map<Place, Item[]>();
  const add = (place: Place, item: Item): void => void items.set(place, [...(items.get(place) ?? []), item]);
  const byId = new Map(report.findings.map((f) => [f.id, f]));
  const grouped = new Set<string>();
  for (const group of report.groups) {
    const members = group.findings.flatMap((id) => (grouped.has(id) ? [] : (byId.get(id) ?? [])));
    const place = RANK.find((p) => members.some((f) => placeOf(f) === p));
    if (!place) continue;
    for (const f of members) grouped.add(f.id);
    add(place, groupItem(group, members, now));
  }
  const bundles = new Map<string, { place: Place; some: Finding[] }>();
  for (const f of report.findings) {
    if (grouped.has(f.id)) continue;
    const place = placeOf(f);
    const key = JSON.stringify([place, f.severity, f.kind, f.acknowledged, f.escalated?.reason, f.state === 'stale' ? f.reason : null]);
    const bundle = bundles.get(key);
    if (bundle) bundle.some.push(f);
    else bundles.set(key, { place, some: [f] });
  }
  for (const { place, some } of bundles.values()) add(place, bundleItem(place, some, now));
  return items;
}

function bundleItem(place: Place, some: readonly Finding[], now: number): Item {
  const [first] = some as [Finding, ...Finding[]];
  const isOver = first.state === 'resolved';
  const isBrief = place === 'resolved earlier';
  return {
    severity: first.severity,
    title: line(first.title, 120),
    where: some.length === 1 ? nameOf(first) : namesOf(some),
    findings: some.length,
    facts: [...ageOf(some, now), ...marksOf(some, now)],
    details: [...(first.state === 'stale' ? [`stale: ${line(first.reason)}`] : []), ...(isBrief ? [] : statements(some))],
    ...(!isOver && first.hint !== '' && { hint: line(first.hint) }),
  };
}

function groupItem(group: Group, members: readonly Finding[], now: number): Item {
  const sorted = [...members].sort((a, b) => compareSeverity(a.severity, b.severity));
  const [first] = sorted as [Finding, ...Finding[]];
  const states = new Set(members.map((f) => f.state)).size > 1 ? [tally(members.map((f) => f.state))] : [];
  const severities = [...new Set(sorted.map((f) => f.severity))];
  const open = members.filter((f) => f.state !== 'stale');
  const reasons = [...new Set(members.filter((f) => f.state === 'stale').map((f) => f.reason))];
  return {
    severity: first.severity,
    title: line(group.title, 120),
    where: line(group.message),
    isSentence: true,
    findings: members.length,
    facts: [...states, ...ageOf(open.length > 0 ? open : members, now), ...marksOf(members, now)],
    details: [
      ...severities.map((s) => `${s}: ${namesOf(sorted.filter((f) => f.severity === s))}`),
      ...statements(sorted),
      ...reasons.slice(0, 2).map((reason) => `stale: ${line(reason)}`),
      ...group.counterEvidence.slice(0, 5).map((c) => `but: ${line(c)}`),
      ...(group.changedThere === undefined ? [] : [`changed there: ${line(group.changedThere)}`]),
    ],
    ...(first.hint !== '' && { hint: line(first.hint) }),
  };
}

/** Every name where one of them is critical; else as many as fit. */
function namesOf(some: readonly Finding[]): string {
  const names = [...new Set(some.map((f) => f.subject.id))];
  if (some.some((f) => f.severity === 'critical')) return fold(names);
  return setText(names, MAX_SET);
}

function ageOf(some: readonly Finding[], now: number): string[] {
  const { state } = some[0] as Finding;
  const since = some.map((f) => Date.parse(f.firstSeen));
  const earliest = some.map((f) => f.firstSeen).reduce((a, b) => (a < b ? a : b));
  if (state === 'resolved')
    return [
      lengths(
        'lasted',
        some.map((f) => Date.parse(f.resolvedAt ?? f.lastSeen) - Date.parse(f.firstSeen)),
      ),
    ];
  if (state === 'new') return [`since ${clockTime(earliest, now)}`];
  if (state === 'stale')
    return [
      `last seen ${clockTime(
        some.map((f) => f.lastSeen).reduce((a, b) => (a > b ? a : b)),
        now,
      )}`,
    ];
  return [
    lengths(
      'for',
      since.map((at) => now - at),
    ),
  ];
}

function marksOf(some: readonly Finding[], now: number): string[] {
  const marks: string[] = [];
  const say = (n: number, text: string): void => void marks.push(n === some.length ? text : `${n} ${text}`);
  const escalated = some.filter((f) => f.escalated);
  const [raised] = escalated.flatMap((f) => f.escalated ?? []);
  if (raised) say(escalated.length, `escalated from ${raised.from} at ${clockTime(raised.at, now)}: ${line(raised.reason, 200)}`);
  const flapping = some.flatMap((f) => f.flapping ?? []);
  const most = flapping.reduce((worst, f) => Math.max(worst, f.changes), 0);
  if (flapping[0])
    say(flapping.length, `comes and goes since ${clockTime(flapping[0].since, now)}, ${count(most, 'change')} in its last looks`);
  const acknowledged = some.flatMap((f) => f.acknowledged ?? []);
  const [ack] = acknowledged;
  if (ack) say(acknowledged.length, `acknowledged by ${line(ack.by, 80)} until ${clockTime(ack.until, now)}: ${line(ack.reason, 200)}`);
  const again = some.filter((f) => f.episode > 1 && f.state === 'new');
  if (again.length > 0) say(again.length, again.length === 1 ? `back again, episode ${again[0]?.episode}` : 'back again');
  return marks;
}

/** What is said of single ones; the same words of several are one line, their names folded. */
function statements(some: readonly Finding[]): string[] {
  const severity = (some[0] as Finding).severity;
  const bySaying = new Map<string, { before: string; after: string | null; said: Finding[] }>();
  for (const f of some) {
    const [before, after] = parts(f);
    const key = JSON.stringify([f.severity, before, after]);
    const saying = bySaying.get(key);
    if (saying) saying.said.push(f);
    else bySaying.set(key, { before, after, said: [f] });
  }
  const all = [...bySaying.values()];
  const shown = all.slice(0, DETAILS[severity]).map(({ before, after, said }) => {
    const ids = said.slice(0, 4).map((f) => shortId(f.id));
    const reason = said.length === 1 && said[0]?.state === 'resolved' ? ` — ${line(said[0].reason, 200)}` : '';
    if (some.length === 1 && after?.startsWith(': ')) return `${line(after.slice(2))}${reason} [${ids[0]}]`;
    const who = after === null ? '' : `${before}${said.length === 1 ? (said[0] as Finding).subject.id : setText(distinct(said), MAX_SET)}`;
    return `${line(`${who}${after ?? before}${reason}`, 900)} [${ids.join(' ')}${said.length > 4 ? ` and ${said.length - 4} more` : ''}]`;
  });
  const left = all.slice(DETAILS[severity]).reduce((n, { said }) => n + said.length, 0);
  return left > 0 ? [...shown, `and ${left} more`] : shown;
}

/** A message taken apart at its subject's name, where it begins with that: what stands before the name, and after it. */
function parts(f: Finding): [before: string, after: string | null] {
  const message = messageOf(f);
  const name = f.subject.id;
  for (const before of ['', `${f.subject.type} `]) {
    if (message.startsWith(before + name) && /^[: ]/.test(message.slice(before.length + name.length)))
      return [before, message.slice(before.length + name.length)];
  }
  return [message, null];
}

function distinct(some: readonly Finding[]): string[] {
  return [...new Set(some.map((f) => f.subject.id))].sort(compareNames);
}

function tally(states: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const s of states) counts.set(s, (counts.get(s) ?? 0) + 1);
  return [...counts].map(([s, n]) => `${n} ${s}`).join(', ');
}
