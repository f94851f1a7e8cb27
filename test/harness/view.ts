import type { Condition } from '../../lib/model/condition.ts';
import type { Finding } from '../../lib/model/finding.ts';
import { conditionId } from '../../lib/model/identity.ts';
import type { JsonObject } from '../../lib/model/json.ts';
import type { Snapshot } from '../../lib/model/snapshot.ts';
import type { ReadView } from '../../lib/tools/view.ts';

export const NOW = Date.parse('2026-11-30T08:45:00.000Z');
export const AT = '20261130t084500.000z';
const ISO = '2026-11-30T08:45:00.000Z';

export interface Told {
  source?: string;
  kind?: string;
  type?: string;
  subject?: string;
  severity?: Condition['severity'];
  message?: string;
  values?: Condition['values'];
  quote?: string;
  since?: string;
  state?: Finding['state'];
  place?: Record<string, string>;
}

/** A view over conditions that are told in a few words each, as a tick would pin it. */
export function viewOf(
  told: readonly Told[],
  {
    facts = {},
    summary = {},
    ...more
  }: Partial<Omit<ReadView, 'facts' | 'snapshot'>> & { facts?: Record<string, JsonObject>; summary?: JsonObject } = {},
): ReadView & { snapshots: Map<string, Snapshot> } {
  const bySource = new Map<string, Condition[]>([['console_logs', []]]);
  const findings = told.map((t): Finding => {
    const { source = 'console_logs', kind = 'kernel_panic', type = 'node', subject = 'x1000c0s0b0n0', severity = 'critical' } = t;
    const since = t.since ?? '2026-11-30T08:31:00.000Z';
    const conditions = bySource.get(source) ?? [];
    bySource.set(source, conditions);
    const id = conditionId({ cluster: 'test', kind, subject: { type, id: subject } });
    const ref = `${source}@${AT}#/conditions/${conditions.length}/values`;
    const condition: Condition = {
      id,
      kind,
      subject: { type, id: subject },
      severity,
      message: t.message ?? `${subject}: ${kind} at 08:31`,
      values: t.values ?? { count: 12 },
      since,
      lastSeen: ISO,
      count: 1,
      evidence: [{ ref, ...(t.quote !== undefined && { quote: t.quote }) }],
      ...(t.place && { place: t.place }),
      hint: 'Look at the console.',
    };
    conditions.push(condition);
    return {
      id,
      episode: 1,
      state: t.state ?? 'new',
      severity,
      kind,
      title: kind.replaceAll('_', ' '),
      source,
      subject: condition.subject,
      subjects: subject,
      conditions: [condition],
      firstSeen: since,
      lastSeen: ISO,
      changedAt: ISO,
      ...(t.state === 'resolved' && { resolvedAt: ISO }),
      count: 1,
      evidence: condition.evidence,
      ...(t.place && { place: t.place }),
      hint: condition.hint,
      provenance: 'test',
      reason: 'seen for the first time',
    };
  });
  const snapshots = new Map([...bySource].map(([source, conditions]) => [source, snapshotOf(source, conditions, summary)]));
  return {
    cluster: 'test',
    now: NOW,
    verdict: 'critical',
    sources: [...snapshots.values()].map((s) => ({
      source: s.source,
      status: 'ok',
      snapshot: AT,
      asOf: ISO,
      age: 0,
      maxAge: 900_000,
      fresh: true,
      inputs: 1,
      records: 1,
      rejected: 0,
      conditions: s.conditions.length,
      notes: [],
    })),
    changes: [],
    findings,
    groups: [],
    suppressed: [],
    groundTruth: null,
    namesOf: (name) => [name],
    history: async () => [],
    trend: async () => [],
    ...more,
    snapshots,
    snapshot: async (source) => snapshots.get(source) ?? null,
    facts: async ({ type, id }) => {
      const known = facts[`${type}:${id}`];
      return known ? [{ source: 'console_logs', asOf: ISO, facts: known }] : [];
    },
  };
}

function snapshotOf(source: string, conditions: Condition[], summary: JsonObject): Snapshot {
  return {
    schema: 'hpc-observer/snapshot/1',
    source,
    cluster: 'test',
    id: AT,
    previous: null,
    collectedAt: ISO,
    asOf: ISO,
    asOfFrom: 'data',
    status: 'ok',
    coverage: { inputs: [], inputsTotal: 1, records: 1, rejected: 0, problems: [], observed: {} },
    summary,
    conditions,
    cleared: [],
    series: {},
    facts: { subjects: 0, shards: [] },
  };
}
