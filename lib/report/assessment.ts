import type { Assessment, Claim, Report } from '../model/report.ts';
import type { Item } from './items.ts';
import { count, line, shortId } from './words.ts';

/** Lines near the top: verified, and no more than a reader takes in before the next finding. */
const MAX_HEADLINE = 5;
const MAX_STORIES = 20;
const MAX_SIGNS = 5;

function statement(title: string, details: string[] = []): Item {
  return { title, findings: 0, facts: [], details };
}

/** The few verified lines that stand near the top; or that there is no assessment where one was asked for. And who tried to speak to the model. */
export function headlineItems({ status, reason, headline, signs = [] }: Assessment): Item[] {
  const isMissing = status === 'failed' || status === 'discarded';
  return [
    ...(isMissing
      ? [statement(`none: ${status}, ${line(reason, 300)}`)]
      : headline.slice(0, MAX_HEADLINE).map((text) => statement(line(text)))),
    ...(signs.length > 0
      ? [
          statement(
            `${count(signs.length, 'sign')} of an attempt to steer the model`,
            signs.slice(0, MAX_SIGNS).map(({ what, where }) => `${line(what, 200)}: ${line(where, 200)}`),
          ),
        ]
      : []),
  ];
}

/** Everything that the model said, each claim with what verification made of it. */
export function remainingItems({ assessment: { stories, observations, notes = [] } }: Report): Item[] {
  const items = [
    ...stories.map((s) =>
      statement(`${s.priority}. ${marked(s.hypothesis)} (confidence ${s.confidence})`, [
        ...s.counterEvidence.slice(0, 5).map((c) => `against: ${marked(c)}`),
        ...s.nextChecks.slice(0, 5).map((c) => `next: ${line(c, 300)}`),
        ids('findings', s.findings),
        ...evidenceOf(s.hypothesis),
      ]),
    ),
    ...observations.map((o) => statement(`seen by the model alone, ${o.severity}: ${marked(o)}`, evidenceOf(o))),
  ];
  const worked =
    notes.length > 0
      ? [
          statement(
            'worked around with this model',
            notes.slice(0, 10).map((n) => line(n, 200)),
          ),
        ]
      : [];
  if (items.length <= MAX_STORIES) return [...items, ...worked];
  return [...items.slice(0, MAX_STORIES), statement(`and ${items.length - MAX_STORIES} more in the JSON report`), ...worked];
}

function evidenceOf({ evidence }: Claim): string[] {
  return evidence.length > 0 ? [ids('evidence', evidence, (ref) => line(ref, 200))] : [];
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
