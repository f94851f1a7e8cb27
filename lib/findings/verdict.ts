import type { Finding } from '../model/finding.ts';
import type { SourceReport, Verdict } from '../model/report.ts';
import { formatDuration } from '../model/time.ts';

const OPEN: ReadonlySet<string> = new Set(['new', 'ongoing', 'stale']);

/** The first that holds: blind, critical, degraded, ok; with the reasons. */
export function verdictOf(
  sources: readonly SourceReport[],
  findings: readonly Finding[],
  mistakes: readonly string[],
  held: number,
): { verdict: Verdict; because: string[] } {
  const configured = sources.filter((s) => s.status !== 'skipped');
  const unwell = configured.flatMap((s) => {
    if (s.status === 'failed') return [`${s.source} failed`];
    if (!s.fresh) return [`${s.source} is ${s.age === null ? 'not seen' : `${formatDuration(s.age)} old`}`];
    return s.status === 'partial' ? [`${s.source} is partial`] : [];
  });
  const count = (severity: string): number => findings.filter((f) => f.severity === severity && OPEN.has(f.state)).length;
  const [criticals, warnings] = [count('critical'), count('warning')];
  const because = [
    ...(criticals > 0 ? [`${criticals} critical`] : []),
    ...(warnings > 0 ? [`${warnings} warning`] : []),
    ...unwell,
    ...(mistakes.length > 0 ? [`ground truth has ${mistakes.length} mistakes`] : []),
  ];
  const seen = configured.some((s) => s.status === 'ok' || s.status === 'partial');
  if (!seen)
    return {
      verdict: 'blind',
      because: [configured.length === 0 ? 'no source is configured' : 'no configured source was seen', ...because],
    };
  if (criticals > 0) return { verdict: 'critical', because };
  return because.length > 0
    ? { verdict: 'degraded', because }
    : { verdict: 'ok', because: [`every configured source was seen, fresh, and ${nothing(findings, held)}`] };
}

function nothing(findings: readonly Finding[], held: number): string {
  const below = findings.some((f) => OPEN.has(f.state)) ? 'nothing at warning or above was found' : 'nothing was found';
  return held === 0 ? below : `${below}, beside ${held === 1 ? 'one finding that is' : `${held} findings that are`} held back`;
}
