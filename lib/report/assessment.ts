import type { Assessment, Claim, Report } from '../model/report.ts';
import type { Item } from './items.ts';
import { line, shortId } from './words.ts';

/** Lines near the top: verified, and no more than a reader takes in before the next finding. */
const MAX_HEADLINE = 5;
const MAX_STORIES = 20;

function statement(title: string, details: string[] = []): Item {
  return { title, findings: 0, facts: [], details };
}

/** The few verified lines that stand near the top; or that there is no assessment where one was asked for. */
export function headlineItems({ status, reason, headline }: Assessment): Item[] {
  if (status === 'failed' || status === 'discarded') return [statement(`none: ${status}, ${line(reason, 300)}`)];
  return headline.slice(0, MAX_HEADLINE).map((text) => statement(line(text)));
}

/** Everything that the model said, each claim with what verification made of it. */
export function remainingItems({ assessment: { stories, observations } }: Report): Item[] {
  const items = [
    ...stories.map((s) =>
      statement(`${s.priority}. ${marked(s.hypothesis)} (confidence ${s.confidence})`, [
        ...s.counterEvidence.slice(0, 5).map((c) => `against: ${marked(c)}`),
        ...s.nextChecks.slice(0, 5).map((c) => `next: ${line(c, 300)}`),
        ids('findings', s.findings),
        ...(s.hypothesis.evidence.length > 0 ? [ids('evidence', s.hypothesis.evidence, (ref) => line(ref, 200))] : []),
      ]),
    ),
    ...observations.map((o) => statement(marked(o), o.evidence.length > 0 ? [ids('evidence', o.evidence, (ref) => line(ref, 200))] : [])),
  ];
  if (items.length <= MAX_STORIES) return items;
  return [...items.slice(0, MAX_STORIES), statement(`and ${items.length - MAX_STORIES} more in the JSON report`)];
}

function marked(claim: Claim): string {
  if (claim.verified) return line(claim.text, 700);
  const missing = claim.unverified.slice(0, 5).map((u) => line(u, 80));
  return `${line(claim.text, 700)} [unverified${missing.length > 0 ? `: ${missing.join(', ')}` : ''}]`;
}

function ids(word: string, all: readonly string[], show: (id: string) => string = shortId): string {
  const shown = all.slice(0, 8).map(show);
  return `${word}: ${shown.join(', ')}${all.length > 8 ? ` and ${all.length - 8} more` : ''}`;
}
