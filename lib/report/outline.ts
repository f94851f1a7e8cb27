import { fold } from '../nodeset.ts';
import type { Severity } from '../model/condition.ts';
import type { Finding } from '../model/finding.ts';
import type { Claim, Report } from '../model/report.ts';
import { formatDuration } from '../model/time.ts';

/** One line of a section: findings of one kind, severity and state, their subjects folded; or a plain statement. */
export interface Item {
  severity?: Severity;
  head: string;
  /** Messages of single findings, with their ids; a few of many, then how many more. */
  details: string[];
  hint?: string;
}

export interface Section {
  title: string;
  items: Item[];
}

/** A report in the order in which people read it: the same facts for every human format, unescaped. */
export interface Outline {
  verdict: Report['verdict'];
  headline: string;
  because: string[];
  sections: Section[];
  proof: { columns: string[]; rows: string[][] };
  footer: string[];
}

const DETAILS = 4;

export function outline(report: Report): Outline {
  const now = Date.parse(report.generatedAt);
  const inState = (state: Finding['state'], critical?: boolean): Finding[] =>
    report.findings.filter((f) => f.state === state && !f.flapping && (critical === undefined || (f.severity === 'critical') === critical));
  const { assessment } = report;
  const sections: Section[] = [
    { title: 'New criticals', items: fold1(inState('new', true), now, report) },
    { title: 'Assessment by the model', items: headlineItems(report) },
    { title: 'New', items: fold1(inState('new', false), now, report) },
    { title: 'Resolved', items: fold1(inState('resolved'), now, report) },
    { title: 'Ongoing', items: fold1(inState('ongoing'), now, report) },
    {
      title: 'Flapping',
      items: fold1(
        report.findings.filter((f) => f.flapping),
        now,
        report,
      ),
    },
    {
      title: 'Suppressed',
      items: report.suppressed.map((s) => ({
        head: `${s.reason}: ${s.subjects} (${s.findings.length} findings; ${s.owner}; until ${s.until.slice(0, 10)})`,
        details: [s.entry],
      })),
    },
    { title: 'Stale', items: fold1(inState('stale'), now, report) },
    { title: 'Candidates', items: fold1(inState('candidate'), now, report) },
    { title: 'Assessment in full', items: assessmentItems(report) },
  ];
  return {
    verdict: report.verdict,
    headline: headlineOf(report),
    because: report.because,
    sections: sections.filter((s) => s.items.length > 0),
    proof: proofOf(report),
    footer: [
      `tick ${report.tick} of cluster ${report.cluster}, ${report.generatedAt}, hpc-observer ${report.provenance.version}`,
      ...(report.provenance.unfinishedTick ? [`tick ${report.provenance.unfinishedTick} began and never ended`] : []),
      `before it: ${report.provenance.previousTick ?? 'none'}; configuration ${report.provenance.configuration.slice(0, 12)}; audit ${report.provenance.auditHead.slice(0, 12)}`,
      `assessment: ${assessment.status} (${assessment.reason})${assessment.model ? `; ${assessment.model}, ${assessment.usage.turns} turns, ${assessment.usage.toolCalls} calls, ${assessment.counts.verified} of ${assessment.counts.claims} claims verified` : ''}`,
      ...report.sinks.map((s) => `sink ${s.sink}: ${s.status} (${s.reason}); ${s.sent} sent${s.cut ? `, ${s.cut} cut` : ''}`),
    ],
  };
}

/** `CRITICAL · 2 new critical · 14 ongoing · 3 resolved · sources 6/7 fresh · not seen: oneview_alerts` */
function headlineOf(report: Report): string {
  const count = (test: (f: Finding) => boolean): number => report.findings.filter(test).length;
  const configured = report.sources.filter((s) => s.status !== 'skipped');
  const seen = configured.filter((s) => s.fresh && s.status !== 'failed');
  const unseen = configured.filter((s) => !seen.includes(s)).map((s) => s.source);
  const parts: [number, string][] = [
    [count((f) => f.state === 'new' && f.severity === 'critical'), 'new critical'],
    [count((f) => f.state === 'new' && f.severity !== 'critical'), 'new'],
    [count((f) => f.state === 'ongoing'), 'ongoing'],
    [count((f) => f.state === 'stale'), 'stale'],
    [count((f) => f.state === 'resolved'), 'resolved'],
  ];
  return [
    report.verdict.toUpperCase(),
    ...parts.filter(([n]) => n > 0).map(([n, what]) => `${n} ${what}`),
    `sources ${seen.length}/${configured.length} fresh`,
    ...(unseen.length > 0 ? [`not seen: ${unseen.join(', ')}`] : []),
  ].join(' · ');
}

/** Findings of one kind and severity as one item, their subjects folded; those of a group under the group's message. */
function fold1(findings: readonly Finding[], now: number, report: Report): Item[] {
  const grouped = new Map(report.groups.flatMap((g) => g.findings.map((id) => [id, g] as const)));
  const bundles = new Map<string, Finding[]>();
  for (const f of findings) {
    const key = grouped.get(f.id)?.id ?? `${f.severity}:${f.kind}`;
    bundles.set(key, [...(bundles.get(key) ?? []), f]);
  }
  return [...bundles.values()].map((some) => {
    const first = some[0] as Finding;
    const group = grouped.get(first.id);
    const subjects = fold(new Set(some.map((f) => f.subject.id)));
    const many = some.length > 1 ? ` (${some.length})` : '';
    const ages = some.map((f) => Date.parse(f.resolvedAt ?? f.firstSeen));
    const age =
      first.state === 'resolved'
        ? `, lasted ${formatDuration(Date.parse(first.resolvedAt ?? first.lastSeen) - Date.parse(first.firstSeen))}`
        : first.state === 'new'
          ? ''
          : `, for ${formatDuration(now - ages.reduce((a, b) => Math.min(a, b)))}`;
    const details = some
      .slice(0, DETAILS)
      .map(
        (f) =>
          `${f.conditions[0]?.message ?? f.title}${f.state === 'stale' || f.state === 'resolved' ? ` — ${f.reason}` : ''} [${f.id.slice(0, 12)}]`,
      );
    if (some.length > DETAILS) details.push(`and ${some.length - DETAILS} more`);
    return {
      severity: first.severity,
      head: group ? `${first.title}: ${group.message}${age}` : `${first.title}: ${subjects}${many}${age}`,
      details: [...details, ...(group?.counterEvidence ?? []).map((c) => `but: ${c}`)],
      ...(first.state !== 'resolved' && { hint: first.hint }),
    };
  });
}

function headlineItems({ assessment }: Report): Item[] {
  return assessment.headline.slice(0, 5).map((line) => ({ head: line, details: [] }));
}

function assessmentItems({ assessment }: Report): Item[] {
  const mark = (claim: Claim): string =>
    claim.verified ? claim.text : `${claim.text} [unverified${claim.unverified.length > 0 ? `: ${claim.unverified.join(', ')}` : ''}]`;
  return [
    ...assessment.stories.map((s) => ({
      head: `${s.priority}. ${mark(s.hypothesis)} (confidence ${s.confidence})`,
      details: [
        ...s.counterEvidence.map((c) => `against: ${mark(c)}`),
        ...s.nextChecks.map((c) => `next: ${c}`),
        `findings: ${s.findings.map((id) => id.slice(0, 12)).join(', ')}`,
      ],
    })),
    ...assessment.observations.map((o) => ({ head: mark(o), details: [] })),
  ];
}

function proofOf(report: Report): Outline['proof'] {
  return {
    columns: ['source', 'status', 'age', 'inputs', 'records', 'rejected', 'notes'],
    rows: report.sources.map((s) => [
      s.source,
      s.status === 'skipped' ? 'skipped' : `${s.status}${s.fresh ? '' : ', not fresh'}`,
      s.age === null ? '—' : formatDuration(s.age),
      String(s.inputs),
      String(s.records),
      String(s.rejected),
      [...(s.problem ? [s.problem.detail] : []), ...s.notes].join('; '),
    ]),
  };
}
