import { nodeSetOf } from '../nodeset.ts';
import type { Finding } from '../model/finding.ts';
import type { Assessment, Claim } from '../model/report.ts';
import { oneLine } from '../model/text.ts';
import type { ReadView } from '../tools/view.ts';
import type { Submission } from './submission.ts';

/** Texts that tools answered in this run, by the evidence ids in them: what the model may cite. */
export interface Shown {
  /** Every ref and finding id that an answer held, with the answer. */
  cite(id: string): string | null;
}

type Verified = Pick<Assessment, 'headline' | 'stories' | 'observations'> & { counts: Omit<Assessment['counts'], 'hijackSigns'> };

const MAX_HEADLINE = 5;

/** Holds what a model submitted against what it was shown. Ids that do not exist drop out; words that no evidence holds are marked. */
export function verify(submission: Submission, view: ReadView, shown: Shown): Verified {
  const counts = { claims: 0, verified: 0, dropped: 0 };
  const claim = (text: string, findings: readonly Finding[], evidence: readonly string[]): Claim => {
    const cited = evidence.flatMap((id) => shown.cite(id) ?? []);
    const source = [...findings.map((f) => JSON.stringify(f)), ...cited].join('\n');
    const unverified = ungrounded(text, source, findings);
    const known = evidence.filter((id) => shown.cite(id) !== null);
    const verified = unverified.length === 0 && (findings.length > 0 || known.length > 0);
    counts.claims++;
    if (verified) counts.verified++;
    return {
      text: oneLine(text, 600),
      findings: findings.map((f) => f.id),
      evidence: known.map((id) => oneLine(id, 200)),
      verified,
      unverified,
    };
  };
  const stories = submission.stories.flatMap((story) => {
    const findings = [...new Set(story.findings)].flatMap((id) => findingOf(view, id) ?? []);
    if (findings.length === 0) {
      counts.claims++;
      counts.dropped++;
      return [];
    }
    const hypothesis = claim(`${story.title}: ${story.hypothesis}`, findings, story.evidence);
    return [
      {
        title: oneLine(story.title, 160),
        findings: findings.map((f) => f.id),
        priority: story.priority,
        hypothesis,
        counterEvidence: story.counter_evidence.map((text) => claim(text, findings, story.evidence)),
        nextChecks: story.next_checks.map((text) => oneLine(text, 300)),
        confidence: story.confidence,
      },
    ];
  });
  stories.sort((a, b) => a.priority - b.priority);
  const observations = submission.observations.flatMap((observation) => {
    const made = claim(observation.text, [], observation.evidence);
    if (made.evidence.length > 0) return [made];
    counts.dropped++;
    return [];
  });
  const headline = stories
    .filter((s) => s.hypothesis.verified)
    .map((s) => s.hypothesis.text)
    .slice(0, MAX_HEADLINE);
  return { headline, stories, observations, counts };
}

function findingOf(view: ReadView, id: string): Finding | null {
  if (id.length < 8) return null;
  const found = view.findings.filter((f) => f.id.startsWith(id));
  return found.length === 1 ? (found[0] as Finding) : null;
}

const NAME = /\b[a-z][a-z0-9_.-]*\d[a-z0-9_.-]*\b/gi;
const NUMBER = /(?<![\w.])[-+]?\d+(?:[.,]\d+)?(?:\s?(?:%|°C|[kMGT]i?B|[mk]?W|V|A|rpm|RPM|psi|kPa|ms|s|min|h|d)\b)?/g;

/** Names and numbers (with a unit, or of 10 and more) in a text that the evidence does not hold. */
function ungrounded(text: string, evidence: string, findings: readonly Finding[]): string[] {
  const haystack = evidence.toLowerCase();
  const totals = new Set([String(findings.length)]);
  const missing = new Set<string>();
  for (const [name] of text.matchAll(NAME)) {
    if (!haystack.includes(name.toLowerCase()) && !inFoldedSet(name, findings)) missing.add(name);
  }
  for (const [raw] of text.replaceAll(NAME, ' ').matchAll(NUMBER)) {
    const digits = raw.replace(/[^\d.,-].*$/, '').trim();
    const hasUnit = digits.length < raw.trim().length;
    if (!hasUnit && Math.abs(Number(digits)) < 10) continue;
    if (totals.has(digits) || new RegExp(`(?<![\\d.])${digits.replace(/[.+]/g, '\\$&')}(?![\\d])`).test(evidence)) continue;
    missing.add(raw.trim());
  }
  return [...missing].map((m) => oneLine(m, 80)).slice(0, 10);
}

function inFoldedSet(name: string, findings: readonly Finding[]): boolean {
  return findings.some((f) => f.subjects.includes('[') && nodeSetOf(f.subjects).has(name.toLowerCase()));
}
