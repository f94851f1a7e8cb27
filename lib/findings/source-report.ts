import type { SourceReport } from '../model/report.ts';
import type { SourceView } from './observe.ts';

const MAX_NOTES = 5;

/** A source's line in the report: what ran, on what, how old it is, what was rejected. */
export function sourceReport({ source, attempt, snapshot, maxAge }: SourceView, now: number): SourceReport {
  const age = snapshot ? now - Date.parse(snapshot.asOf) : null;
  const coverage = snapshot?.coverage;
  const notes = (coverage?.problems ?? [])
    .filter((p) => p.effect !== 'record')
    .map((p) => [p.input, p.place, p.message].filter((x) => x !== undefined).join(': '));
  return {
    source,
    status: attempt?.status ?? 'failed',
    snapshot: snapshot?.id ?? null,
    asOf: snapshot?.asOf ?? null,
    age,
    maxAge,
    fresh: age !== null && age <= maxAge,
    inputs: coverage?.inputsTotal ?? 0,
    records: coverage?.records ?? 0,
    rejected: coverage?.rejected ?? 0,
    conditions: snapshot?.conditions.length ?? 0,
    ...(attempt?.problem && { problem: attempt.problem }),
    ...(attempt === null && {
      problem: { code: 'missing', detail: `${source} was never collected`, advice: 'Run hpc-observer collect, or look at its timer.' },
    }),
    notes: notes.length > MAX_NOTES ? [...notes.slice(0, MAX_NOTES), `and ${notes.length - MAX_NOTES} more`] : notes,
  };
}
