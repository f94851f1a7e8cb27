import type { Finding } from '../model/finding.ts';
import type { Report } from '../model/report.ts';
import type { Story } from './scenario.ts';

/** Something that a report says about a cause: in words or by a name, with the subjects that it links to it. */
export interface Answer {
  text: string;
  subjects: ReadonlySet<string>;
  /** Refs that it cites. */
  evidence: readonly string[];
}

const OPEN: ReadonlySet<string> = new Set(['new', 'ongoing', 'stale']);

export function isOpen({ state }: Pick<Finding, 'state'>): boolean {
  return OPEN.has(state);
}

/** What the deterministic report says by itself: each open finding of its subject, each group of its place. */
export function floorAnswers({ findings, groups }: Pick<Report, 'findings' | 'groups'>): Answer[] {
  const byId = new Map(findings.map((f) => [f.id, f]));
  return [
    ...findings
      .filter((f) => isOpen(f) && f.severity !== 'info')
      .map((f) => ({ text: namesOf(f).join(' '), subjects: new Set(namesOf(f)), evidence: [] })),
    ...groups.map((g) => ({
      text: g.place.id,
      subjects: new Set([g.place.id, ...g.findings.flatMap((id) => byId.get(id) ?? []).flatMap(namesOf)]),
      evidence: [],
    })),
  ];
}

/** What a model says, as far as code has found it to hold: stories, and observations of its own. */
export function modelAnswers({ findings, assessment }: Pick<Report, 'findings' | 'assessment'>): Answer[] {
  const byId = new Map(findings.map((f) => [f.id, f]));
  return [
    ...assessment.stories
      .filter((s) => s.hypothesis.verified)
      .map((s) => ({
        text: s.hypothesis.text,
        subjects: new Set(s.findings.flatMap((id) => byId.get(id) ?? []).flatMap(namesOf)),
        evidence: s.hypothesis.evidence,
      })),
    ...assessment.observations.filter((o) => o.verified).map((o) => ({ text: o.text, subjects: new Set<string>(), evidence: o.evidence })),
  ];
}

function namesOf({ subject, knownAs }: Finding): string[] {
  return knownAs === undefined ? [subject.id] : [subject.id, knownAs];
}

/** Whether one answer names the cause of a story, links at least half of what belongs to it (two things at least), and nothing that does not. */
export function isTold({ cause, links, apart, cites }: Story, answers: readonly Answer[]): boolean {
  return answers.some(
    ({ text, subjects, evidence }) =>
      (cites === undefined || evidence.some((ref) => ref.startsWith(`${cites}@`))) &&
      cause.some((name) => says(text, name)) &&
      links.filter((l) => subjects.has(l)).length >= Math.min(links.length, Math.max(2, links.length / 2)) &&
      !apart.some((a) => subjects.has(a)),
  );
}

/** Whether a text has a name as a whole: `x1000c0s1b0n1` is not said by `x1000c0s1b0n10`. */
export function says(text: string, name: string): boolean {
  if (name === '') return false;
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const [before, after] = [text.charAt(at - 1), text.charAt(at + name.length)];
    if (!/[\p{L}\p{N}]/u.test(before) && !/[\p{L}\p{N}]/u.test(after)) return true;
  }
  return false;
}

/** Pairs of findings that have the same owner, that an answer links, and both. */
export function pairsOf(
  owners: ReadonlyMap<string, string>,
  linked: Iterable<readonly string[]>,
): { same: number; linked: number; both: number } {
  const ids = [...owners.keys()].sort();
  const together = new Set<string>();
  for (const members of linked) {
    const known = [...new Set(members)].filter((id) => owners.has(id)).sort();
    for (const [i, a] of known.entries()) for (const b of known.slice(i + 1)) together.add(`${a} ${b}`);
  }
  let same = 0;
  let both = 0;
  for (const [i, a] of ids.entries()) {
    for (const b of ids.slice(i + 1)) {
      if (owners.get(a) !== owners.get(b)) continue;
      same++;
      if (together.has(`${a} ${b}`)) both++;
    }
  }
  return { same, linked: together.size, both };
}
