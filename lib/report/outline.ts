import { compareSeverity, type Severity } from '../model/condition.ts';
import type { Finding } from '../model/finding.ts';
import { onceOfFrozen } from '../model/once.ts';
import type { Report } from '../model/report.ts';
import { formatDuration } from '../model/time.ts';
import { occasionOf } from '../findings/occasion.ts';
import { headlineItems, remainingItems } from './assessment.ts';
import { type Item, itemsOf, type Place, STALE } from './items.ts';
import { suppressedItems } from './suppressed.ts';
import { clockTime, count, line } from './words.ts';

export interface Section {
  title: string;
  /** What belongs to the title, as it is: the model's name. */
  note?: string;
  /** Findings that it stands for, exactly, however many of them are spelled out. */
  findings: number;
  items: Item[];
  /** What a reader in haste can do without: folded up where the format can do that. */
  quiet: boolean;
}

/** A report in the order in which people read it: the same bounded facts for every human format, not yet escaped. */
export interface Outline {
  verdict: Report['verdict'];
  headline: string;
  /** Where and when: `democluster, 2026-11-30 08:45:00Z`. */
  at: string;
  because: string[];
  /** That the report is old, or that a tick never ended. */
  warnings: string[];
  tallies: { label: string; value: number; severity?: Severity }[];
  sections: Section[];
  proof: { columns: string[]; rows: string[][] };
  footer: string[];
}

/** A report that is older than this when it is shown says so on top: it may be the last that an observer wrote. */
const OLD = 30 * 60_000;
/** Items of a section below critical that are spelled out. */
const MAX_ITEMS = 40;

/** @param shownAt when it is looked at (ms since the epoch), to tell an old one; absent = as it is made */
export function outline(report: Report, shownAt?: number): Outline {
  const drawn = draw(report);
  const age = (shownAt ?? 0) - Date.parse(report.generatedAt);
  if (age <= OLD) return drawn;
  return { ...drawn, warnings: [`THIS REPORT IS ${formatDuration(age).toUpperCase()} OLD: no tick has ended since`, ...drawn.warnings] };
}

const draw = onceOfFrozen((report: Report): Outline => {
  const { provenance } = report;
  return {
    verdict: report.verdict,
    headline: headlineOf(report),
    at: `${line(report.cluster, 80)}, ${report.generatedAt.slice(0, 19).replace('T', ' ')}Z`,
    because: report.because.map((reason) => line(reason)),
    warnings: [...(provenance.alsoUnfinished ?? []), ...(provenance.unfinishedTick ? [provenance.unfinishedTick] : [])].map(
      (tick) => `tick ${tick} began and never ended`,
    ),
    tallies: talliesOf(report),
    sections: sectionsOf(report).filter((s) => s.items.length > 0),
    proof: proofOf(report),
    footer: footerOf(report),
  };
});

/** `CRITICAL · 2 new critical · 14 ongoing · 3 resolved · sources 6/7 fresh · not seen: oneview_alerts` */
export function headlineOf(report: Report): string {
  const number = (test: (f: Finding) => boolean): number => report.findings.filter(test).length;
  const configured = report.sources.filter((s) => s.status !== 'skipped');
  const seen = configured.filter((s) => s.fresh && s.status !== 'failed');
  const unseen = configured.filter((s) => !seen.includes(s)).map((s) => s.source);
  const criticals = number(isNewCritical);
  const parts: [number, string][] = [
    [criticals, 'new critical'],
    [number((f) => f.state === 'new' && f.severity !== 'critical'), criticals > 0 ? 'other new' : 'new'],
    [number((f) => placeOf(f, report) === 'escalated'), 'escalated'],
    [number((f) => f.state === 'ongoing'), 'ongoing'],
    [number((f) => f.state === 'stale'), 'stale'],
    [number((f) => placeOf(f, report) === 'resolved'), 'resolved'],
    [heldBack(report), 'suppressed'],
  ];
  return [
    report.verdict.toUpperCase(),
    ...parts.filter(([n]) => n > 0).map(([n, what]) => `${n} ${what}`),
    `sources ${seen.length}/${configured.length} fresh`,
    ...(unseen.length > 0 ? [`not seen: ${unseen.join(', ')}`] : []),
  ].join(' · ');
}

function isNewCritical({ state, severity }: Finding): boolean {
  return state === 'new' && severity === 'critical';
}

/** In which part of the report a finding stands: each in exactly one. */
export function placeOf(f: Finding, { generatedAt }: Pick<Report, 'generatedAt'>): Place {
  const occasion = occasionOf(f, generatedAt);
  if (f.state === 'resolved') return occasion === 'resolved' ? 'resolved' : 'resolved earlier';
  if (f.state === 'candidate') return 'candidate';
  if (f.state === 'stale') return 'stale';
  // What comes and goes is one quiet line; a critical is told as any other.
  if (f.state === 'new' && (f.severity === 'critical' || !f.flapping)) return f.severity === 'critical' ? 'new critical' : 'new';
  if (occasion === 'escalated') return 'escalated';
  return f.flapping ? 'flapping' : 'ongoing';
}

function sectionsOf(report: Report): Section[] {
  const at = itemsOf(report, (f) => placeOf(f, report));
  const made = (place: Place, title: string, quiet = false): Section => {
    const items = at.get(place) ?? [];
    return { title, findings: findingsOf(items), items: shortened(items), quiet };
  };
  const { assessment } = report;
  const note = assessment.model === undefined ? {} : { note: `${line(assessment.model, 80)}${madeAt(report)}` };
  const suppressed = suppressedItems(report.suppressed);
  return [
    { ...made('new critical', 'New criticals'), ...criticalsNote(report, findingsOf(at.get('new critical') ?? [])) },
    { title: 'Assessment by the model', ...note, findings: 0, items: headlineItems(assessment), quiet: false },
    made('new', 'New'),
    made('escalated', 'Escalated'),
    made('resolved', 'Resolved'),
    made('ongoing', 'Ongoing'),
    made('flapping', 'Flapping'),
    { title: 'Suppressed', findings: findingsOf(suppressed), items: shortened(suppressed), quiet: true },
    reasonsOnce(made('stale', 'Stale')),
    made('candidate', 'Candidates, not confirmed yet', true),
    made('resolved earlier', 'Resolved in the last 24 hours', true),
    { title: 'Assessment in full', ...note, findings: 0, items: remainingItems(report), quiet: true },
  ];
}

/** Why things are stale is mostly one reason for all that a source showed: it is told with the first of them. */
function reasonsOnce(section: Section): Section {
  const told = new Set<string>();
  const isNews = (detail: string): boolean => !detail.startsWith(STALE) || (!told.has(detail) && Boolean(told.add(detail)));
  return { ...section, items: section.items.map((item) => ({ ...item, details: item.details.filter(isNews) })) };
}

/** A group stands among the new criticals with all its members: those that are none are told apart in the number. */
function criticalsNote({ findings }: Report, listed: number): { note?: string } {
  const criticals = findings.filter(isNewCritical).length;
  return listed > criticals ? { note: `${criticals}, and ${listed - criticals} more in their groups` } : {};
}

function madeAt({ assessment: { madeAt: at, status }, generatedAt }: Report): string {
  if (status !== 'carried' || at === undefined) return '';
  return `, of ${clockTime(at, Date.parse(generatedAt))}`;
}

/** All criticals, and as many others as people read; the rest with its number. */
function shortened(items: readonly Item[]): Item[] {
  const sorted = [...items].sort((a, b) => compareSeverity(a.severity ?? 'info', b.severity ?? 'info'));
  const others = sorted.filter((i) => i.severity !== 'critical');
  if (others.length <= MAX_ITEMS) return sorted;
  const rest = others.slice(MAX_ITEMS);
  const more: Item = {
    title: `and ${count(findingsOf(rest), 'more finding')} in ${count(rest.length, 'more line')}; the JSON report and "hpc-observer findings" have them all`,
    findings: findingsOf(rest),
    facts: [],
    details: [],
  };
  return [...sorted.filter((i) => !rest.includes(i)), more];
}

function findingsOf(items: readonly Item[]): number {
  return items.reduce((total, i) => total + i.findings, 0);
}

function heldBack({ suppressed }: Report): number {
  return suppressed.reduce((total, s) => total + s.findings.length, 0);
}

function talliesOf(report: Report): Outline['tallies'] {
  const open = report.findings.filter((f) => f.state === 'new' || f.state === 'ongoing' || f.state === 'stale');
  const bySeverity = (severity: Severity): number => open.filter((f) => f.severity === severity).length;
  return [
    { label: 'critical', value: bySeverity('critical'), severity: 'critical' },
    { label: 'warning', value: bySeverity('warning'), severity: 'warning' },
    { label: 'info', value: bySeverity('info'), severity: 'info' },
    { label: 'new', value: open.filter((f) => f.state === 'new').length },
    { label: 'stale', value: open.filter((f) => f.state === 'stale').length },
    { label: 'suppressed', value: heldBack(report) },
  ];
}

function proofOf({ sources }: Report): Outline['proof'] {
  return {
    columns: ['source', 'status', 'age', 'of at most', 'inputs', 'records', 'rejected', 'conditions', 'notes'],
    rows: sources.map((s) => [
      line(s.source, 60),
      s.status === 'skipped' ? 'skipped' : `${s.status}${s.fresh ? '' : ', not fresh'}`,
      s.age === null ? '—' : formatDuration(s.age),
      formatDuration(s.maxAge),
      String(s.inputs),
      String(s.records),
      String(s.rejected),
      String(s.conditions),
      line([...(s.problem ? [s.problem.detail, s.problem.advice].filter((x) => x !== '') : []), ...s.notes].join('; '), 600),
    ]),
  };
}

function footerOf({ tick, cluster, generatedAt, provenance, assessment, sinks, sources }: Report): string[] {
  const { usage, counts } = assessment;
  const pins = sources.flatMap((s) => (s.snapshot ? [`${line(s.source, 60)}@${s.snapshot}`] : []));
  return [
    `tick ${tick} of cluster ${line(cluster, 80)}, ${generatedAt}, took ${provenance.took} ms, hpc-observer ${line(provenance.version, 40)}`,
    `before it: ${provenance.previousTick ?? 'none'}; configuration ${line(provenance.configuration.slice(0, 12))}; audit ${line(provenance.auditHead.slice(0, 12))}`,
    ...(pins.length > 0 ? [`snapshots: ${pins.join(', ')}`] : []),
    `assessment: ${assessment.status} (${line(assessment.reason, 300)})${
      assessment.model
        ? `; ${line(assessment.model, 80)}, ${count(usage.turns, 'turn')}, ${count(usage.toolCalls, 'call')}, ${usage.refusedCalls} refused, ${usage.tokensIn} tokens in and ${usage.tokensOut} out; ${counts.verified} of ${count(counts.claims, 'claim')} verified, ${counts.dropped} dropped${counts.hijackSigns > 0 ? `, ${counts.hijackSigns} signs of a hijack` : ''}`
        : ''
    }`,
    ...sinks.map(
      (s) => `sink ${line(s.sink, 120)}: ${s.status} (${line(s.reason, 300)}); ${s.sent} sent${s.cut > 0 ? `, ${s.cut} cut` : ''}`,
    ),
  ];
}
