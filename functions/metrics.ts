import { SEVERITIES } from '../lib/model/condition.ts';
import { FindingState } from '../lib/model/finding.ts';
import { onceOfFrozen } from '../lib/model/once.ts';
import type { Report } from '../lib/model/report.ts';
import type { Observer } from '../lib/steps/observer.ts';
import { createFunction } from './function.ts';
import { readStanding, type Standing } from './standing.ts';

const app = createFunction();

type Sample = [labels: Record<string, string>, value: number];

/** Gauges in Prometheus' text format, derived from stored state alone: the same from every process and isolate. */
app.get('/', async (c) => {
  const observer = c.get('observer');
  const { sources, report, damage } = await readStanding(observer);
  const text = [...sourceLines(observer, { sources, damage }), ...(report ? reportLines(report) : [])].map((line) => `${line}\n`).join('');
  return c.body(text, 200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
});

function sourceLines({ config, clock, version }: Observer, { sources, damage }: Omit<Standing, 'report'>): string[] {
  const now = clock();
  const { lines, family } = families();
  family('info', 'Version of the observer.', [[{ version, cluster: config.cluster }, 1]]);
  family(
    'source_up',
    'Whether the last attempt to collect a source ended ok or partial.',
    sources.map((s) => [{ source: s.source }, s.attempt?.status === 'ok' || s.attempt?.status === 'partial' ? 1 : 0]),
  );
  family(
    'source_age_seconds',
    'Age of the data of the last snapshot.',
    sources.flatMap((s): Sample[] => (s.snapshot ? [[{ source: s.source }, (now - Date.parse(s.snapshot.asOf)) / 1000]] : [])),
  );
  family(
    'source_max_age_seconds',
    'Age up to which the data of a source counts as fresh.',
    sources.map((s) => [{ source: s.source }, s.maxAge / 1000]),
  );
  family(
    'source_attempt_timestamp_seconds',
    'When the last attempt ended.',
    sources.flatMap((s): Sample[] => (s.attempt ? [[{ source: s.source }, Date.parse(s.attempt.endedAt) / 1000]] : [])),
  );
  family(
    'source_attempt_duration_seconds',
    'How long the last attempt took.',
    sources.flatMap((s): Sample[] =>
      s.attempt ? [[{ source: s.source }, (Date.parse(s.attempt.endedAt) - Date.parse(s.attempt.startedAt)) / 1000]] : [],
    ),
  );
  family(
    'source_records',
    'Records in the last snapshot.',
    sources.flatMap((s): Sample[] => (s.snapshot ? [[{ source: s.source }, s.snapshot.coverage.records]] : [])),
  );
  family(
    'source_rejected_records',
    'Records of the last snapshot that were rejected.',
    sources.flatMap((s): Sample[] => (s.snapshot ? [[{ source: s.source }, s.snapshot.coverage.rejected]] : [])),
  );
  family('state_damaged', 'Whether stored values of a source, or of the last report, are damaged.', [
    ...sources.map((s): Sample => [{ of: s.source }, s.damage === undefined ? 0 : 1]),
    [{ of: 'report' }, damage === undefined ? 0 : 1],
  ]);
  return lines;
}

/** What the last report tells changes with the next one only. */
const reportLines = onceOfFrozen((report: Report): string[] => {
  const { lines, family } = families();
  const states = FindingState.options;
  family('last_tick_timestamp_seconds', 'When the last tick that ended began: the heartbeat.', [
    [{}, Date.parse(report.generatedAt) / 1000],
  ]);
  family(
    'verdict',
    'The verdict of the last tick: 1 for the one that holds.',
    (['blind', 'critical', 'degraded', 'ok'] as const).map((v) => [{ verdict: v }, report.verdict === v ? 1 : 0]),
  );
  family(
    'findings',
    'Findings of the last tick by state and severity.',
    states.flatMap((state) =>
      SEVERITIES.map(
        (severity): Sample => [{ state, severity }, report.findings.filter((f) => f.state === state && f.severity === severity).length],
      ),
    ),
  );
  family('suppressed_findings', 'Findings that the last tick kept out of the open list.', [
    [{}, report.suppressed.reduce((sum, s) => sum + s.findings.length, 0)],
  ]);
  const { usage, counts, status } = report.assessment;
  family(
    'assessment',
    'The status of the last assessment: 1 for the one that holds.',
    (['ok', 'none', 'carried', 'failed', 'discarded'] as const).map((s) => [{ status: s }, s === status ? 1 : 0]),
  );
  family('model_tokens', 'Tokens of the last assessment.', [
    [{ direction: 'in' }, usage.tokensIn],
    [{ direction: 'out' }, usage.tokensOut],
  ]);
  family('tool_calls', 'Calls of tools in the last assessment.', [
    [{ decision: 'executed' }, usage.toolCalls - usage.refusedCalls],
    [{ decision: 'refused' }, usage.refusedCalls],
  ]);
  family('claims', 'Claims of the last assessment.', [
    [{ outcome: 'verified' }, counts.verified],
    [{ outcome: 'unverified' }, counts.claims - counts.verified - counts.dropped],
    [{ outcome: 'dropped' }, counts.dropped],
  ]);
  family(
    'sink_up',
    'Whether the last notification of a sink succeeded.',
    report.sinks.filter((s) => s.status !== 'skipped').map((s) => [{ sink: s.sink }, s.status === 'ok' ? 1 : 0]),
  );
  return lines;
});

function families(): { lines: string[]; family: (name: string, help: string, samples: Sample[]) => void } {
  const lines: string[] = [];
  return {
    lines,
    family: (name, help, samples) => {
      if (samples.length === 0) return;
      lines.push(`# HELP hpc_observer_${name} ${help}`, `# TYPE hpc_observer_${name} gauge`);
      for (const [labels, value] of samples) lines.push(`hpc_observer_${name}${labelText(labels)} ${value}`);
    },
  };
}

function labelText(labels: Record<string, string>): string {
  const entries = Object.entries(labels).map(
    ([name, value]) => `${name}="${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`,
  );
  return entries.length > 0 ? `{${entries.join(',')}}` : '';
}

export default app;
