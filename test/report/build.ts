import type { Condition, Severity } from '../../lib/model/condition.ts';
import type { Finding } from '../../lib/model/finding.ts';
import { sha256Hex } from '../../lib/model/identity.ts';
import type { Assessment, Report } from '../../lib/model/report.ts';
import { toIso, toTimeId } from '../../lib/model/time.ts';

export const NOW = Date.parse('2026-11-30T08:45:00.000Z');
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const ago = (ms: number, now = NOW): string => toIso(now - ms);

/** A finding of a node, new since ten minutes, unless told otherwise. */
export function finding(over: Partial<Finding> & { node?: string; message?: string; at?: number } = {}): Finding {
  const { node = 'n1', message, at = NOW, ...rest } = over;
  const kind = rest.kind ?? 'kernel_panic';
  const subject = rest.subject ?? { type: 'node', id: node };
  const severity: Severity = rest.severity ?? 'critical';
  const id = rest.id ?? sha256Hex(JSON.stringify([kind, subject, rest.part])).slice(0, 32);
  const condition: Condition = {
    id,
    kind,
    subject,
    severity,
    message: message ?? `${subject.id}: ${kind} happened`,
    values: {},
    since: ago(10 * MINUTE, at),
    lastSeen: ago(MINUTE, at),
    count: 1,
    evidence: [{ ref: 'console_logs@20261130t084400.000z#/conditions/0/values' }],
    hint: 'Look at its console.',
  };
  return {
    id,
    episode: 1,
    state: 'new',
    severity,
    kind,
    title: kind.replaceAll('_', ' '),
    source: 'console_logs',
    subject,
    subjects: subject.id,
    conditions: [condition],
    firstSeen: condition.since,
    lastSeen: condition.lastSeen,
    count: 1,
    evidence: condition.evidence,
    hint: condition.hint,
    provenance: 'own judgement',
    reason: 'seen for the first time',
    ...rest,
  };
}

export const NO_ASSESSMENT: Assessment = {
  status: 'none',
  reason: 'no model is configured',
  headline: [],
  stories: [],
  observations: [],
  counts: { claims: 0, verified: 0, dropped: 0, hijackSigns: 0 },
  usage: { turns: 0, toolCalls: 0, refusedCalls: 0, tokensIn: 0, tokensOut: 0, ms: 0 },
};

export function report(over: Partial<Report> & { at?: number } = {}): Report {
  const { at = NOW, ...rest } = over;
  return {
    schema: 'hpc-observer/report/1',
    tick: toTimeId(at),
    cluster: 'democluster',
    generatedAt: toIso(at),
    verdict: 'critical',
    because: ['1 critical'],
    sources: [source('console_logs', at)],
    findings: [],
    groups: [],
    suppressed: [],
    assessment: NO_ASSESSMENT,
    sinks: [],
    provenance: {
      version: '0.1.0',
      configuration: 'c'.repeat(64),
      previousTick: null,
      unfinishedTick: null,
      auditHead: 'a'.repeat(64),
      took: 12,
    },
    ...rest,
  };
}

export function source(name: string, at = NOW, over: Partial<Report['sources'][number]> = {}): Report['sources'][number] {
  return {
    source: name,
    status: 'ok',
    snapshot: toTimeId(at - MINUTE),
    asOf: toIso(at - MINUTE),
    age: MINUTE,
    maxAge: 15 * MINUTE,
    fresh: true,
    inputs: 1,
    records: 72,
    rejected: 0,
    conditions: 1,
    notes: [],
    ...over,
  };
}
