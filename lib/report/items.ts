import { compareSeverity, type Severity } from '../model/condition.ts';
import type { Finding, Group } from '../model/finding.ts';
import type { Report } from '../model/report.ts';
import { setText } from '../findings/set-text.ts';
import { MAX_SET, statements } from './statements.ts';
import { foldShared } from '../nodeset.ts';
import { adviceOf, clockTime, count, lengths, line, nameOf, shortId, withClock } from './words.ts';

/** One line of a section with what belongs to it: a group, findings of one kind, severity and state, or a plain statement. */
export interface Item {
  severity?: Severity;
  title: string;
  /** Subjects, folded; never cut where one of them is critical. */
  where?: string;
  /** `where` is a sentence, and no set of names. */
  isSentence?: true;
  /** It is over: how severe it was is no alarm. */
  isOver?: true;
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

/** What a line on why something is stale begins with. */
export const STALE = 'stale: ';

/** Statements on single findings: of a critical more than of the others. */
const DETAILS: Record<Severity, number> = { critical: 8, warning: 3, info: 2 };
/** Of what was told before: fewer, since nothing is new in it. */
const DETAILS_BEFORE: Record<Severity, number> = { critical: 3, warning: 1, info: 0 };
const TOLD_BEFORE: ReadonlySet<Place> = new Set(['ongoing', 'flapping', 'stale']);

/**
 * The findings of a report as lines, by where they stand: one for a group instead of its members, one for what is alike
 * in kind, severity and state.
 */
export function itemsOf(report: Report, placeOf: (f: Finding) => Place): ReadonlyMap<Place, Item[]> {
  const now = Date.parse(report.generatedAt);
  const items = new Map<Place, Item[]>();
  const add = (place: Place, item: Item): void => {
    const some = items.get(place);
    if (some) some.push(item);
    else items.set(place, [item]);
  };
  const byId = new Map(report.findings.map((f) => [f.id, f]));
  const grouped = new Set<string>();
  for (const group of report.groups) {
    const members = group.findings.flatMap((id) => (grouped.has(id) ? [] : (byId.get(id) ?? [])));
    const place = RANK.find((p) => members.some((f) => placeOf(f) === p));
    if (!place) continue;
    for (const f of members) grouped.add(f.id);
    add(place, groupItem(group, place, members, now));
  }
  const bundles = new Map<string, { place: Place; some: Finding[] }>();
  for (const f of report.findings) {
    if (grouped.has(f.id)) continue;
    const place = placeOf(f);
    const isMarked = f.acknowledged !== undefined || f.escalated !== undefined || f.state === 'stale';
    const key = isMarked
      ? JSON.stringify([place, f.severity, f.kind, f.acknowledged, f.escalated?.reason, f.state === 'stale' ? f.reason : null])
      : `${place}\n${f.severity}\n${f.kind}`;
    const bundle = bundles.get(key);
    if (bundle) bundle.some.push(f);
    else bundles.set(key, { place, some: [f] });
  }
  for (const { place, some } of bundles.values()) add(place, bundleItem(place, some, now));
  return items;
}

function bundleItem(place: Place, some: readonly Finding[], now: number): Item {
  const [first] = some as [Finding, ...Finding[]];
  const most = place === 'resolved earlier' ? 0 : detailsIn(place, first.severity);
  return {
    severity: first.severity,
    ...(first.state === 'resolved' && { isOver: true as const }),
    title: line(first.title, 120),
    where: some.length === 1 ? nameOf(first) : namesOf(some),
    findings: some.length,
    facts: [...ageOf(some, now), ...marksOf(some, now), ...(most === 0 ? [idsOf(some)] : [])],
    details: [...(first.state === 'stale' ? [`${STALE}${line(first.reason)}`] : []), ...statements(some, most, now)],
    ...hintIn(place, first),
  };
}

function detailsIn(place: Place, severity: Severity): number {
  return (TOLD_BEFORE.has(place) ? DETAILS_BEFORE : DETAILS)[severity];
}

/** What to look at: while it is new, or critical. Later `explain` has it. */
function hintIn(place: Place, finding: Finding): { hint?: string } {
  const { hint, severity } = finding;
  const isTold = hint !== '' && !place.startsWith('resolved') && (severity === 'critical' || !TOLD_BEFORE.has(place));
  return isTold ? { hint: adviceOf(finding) } : {};
}

function idsOf(some: readonly Finding[]): string {
  return `id ${shortId((some[0] as Finding).id)}${some.length > 1 ? ` and ${some.length - 1} more` : ''}`;
}

function groupItem(group: Group, place: Place, members: readonly Finding[], now: number): Item {
  const sorted = [...members].sort((a, b) => compareSeverity(a.severity, b.severity));
  const [first] = sorted as [Finding, ...Finding[]];
  const states = new Set(members.map((f) => f.state)).size > 1 ? [tally(members.map((f) => f.state))] : [];
  const severities = [...new Set(sorted.map((f) => f.severity))];
  const said = statements(sorted, detailsIn(place, first.severity), now);
  const open = members.filter((f) => f.state !== 'stale');
  const reasons = [...new Set(members.filter((f) => f.state === 'stale').map((f) => f.reason))];
  return {
    severity: first.severity,
    title: line(group.title, 120),
    where: line(group.message),
    isSentence: true,
    findings: members.length,
    facts: [
      ...states,
      ...ageOf(open.length > 0 ? open : members, now),
      ...marksOf(members, now),
      ...(said.length === 0 ? [idsOf(sorted)] : []),
    ],
    details: [
      ...(group.changedThere === undefined ? [] : [`changed there: ${withClock(line(group.changedThere), now)}`]),
      ...(severities.length === 1 && said.length === 1 && said[0]?.includes(namesOf(sorted))
        ? []
        : severities.map((s) => `${s}: ${namesOf(sorted.filter((f) => f.severity === s))}`)),
      ...said,
      ...reasons.slice(0, 2).map((reason) => `${STALE}${line(reason)}`),
      ...group.counterEvidence.slice(0, 5).map((c) => `but: ${line(c)}`),
    ],
    ...hintIn(place, first),
  };
}

/** Every name where one of them is critical; else as many as fit. */
function namesOf(some: readonly Finding[]): string {
  const names = [...new Set(some.map((f) => f.subject.id))];
  if (some.some((f) => f.severity === 'critical')) return foldShared(names);
  return setText(names, MAX_SET);
}

function ageOf(some: readonly Finding[], now: number): string[] {
  switch ((some[0] as Finding).state) {
    case 'resolved':
      return [
        lengths(
          'lasted',
          some.map((f) => Date.parse(f.resolvedAt ?? f.lastSeen) - Date.parse(f.firstSeen)),
        ),
      ];
    case 'new':
      return [
        `since ${clockTime(
          some.map((f) => f.firstSeen).reduce((a, b) => (a < b ? a : b)),
          now,
        )}`,
      ];
    case 'stale':
      return [
        `last seen ${clockTime(
          some.map((f) => f.lastSeen).reduce((a, b) => (a > b ? a : b)),
          now,
        )}`,
      ];
    default:
      return [
        lengths(
          'for',
          some.map((f) => now - Date.parse(f.firstSeen)),
        ),
      ];
  }
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

function tally(states: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const s of states) counts.set(s, (counts.get(s) ?? 0) + 1);
  return [...counts].map(([s, n]) => `${n} ${s}`).join(', ');
}
