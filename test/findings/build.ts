import type { Condition, ConditionDraft } from '../../lib/model/condition.ts';
import type { JsonObject } from '../../lib/model/json.ts';
import type { Snapshot } from '../../lib/model/snapshot.ts';
import { toIso, toTimeId } from '../../lib/model/time.ts';
import { deriveConditions, type DeriveInput, OBSERVER } from '../../lib/findings/derive.ts';
import { type GroundTruth, parseGroundTruth } from '../../lib/findings/ground-truth.ts';
import { judge, type Judged, type JudgeInput, LifecycleState } from '../../lib/findings/judge.ts';
import { Names } from '../../lib/findings/names.ts';
import type { SourceView } from '../../lib/findings/observe.ts';
import { makeSnapshot } from '../../lib/steps/snapshot.ts';

export const NOON = Date.parse('2026-11-30T12:00:00Z');
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export interface Told {
  source: string;
  at: number;
  conditions?: ConditionDraft[];
  cleared?: NonNullable<Parameters<typeof makeSnapshot>[0]['collected']['cleared']>;
  observed?: Record<string, string>;
  summary?: JsonObject;
  series?: Record<string, number>;
  asOf?: number;
  status?: 'ok' | 'partial';
}

export function snapshot(told: Told): Snapshot {
  const { source, at, conditions = [], cleared = [], observed = {}, summary = {}, series = {}, asOf = at, status = 'ok' } = told;
  const collected = { summary, conditions, cleared, series, coverage: { records: 0, rejected: 0, problems: [], observed } };
  return {
    ...makeSnapshot({
      source,
      cluster: 'test',
      id: toTimeId(at),
      collectedAt: at,
      asOf,
      asOfFrom: 'data',
      status,
      coverage: { inputs: [], inputsTotal: 1, ...collected.coverage },
      collected,
      rules: {},
    }),
    previous: null,
    facts: { subjects: 0, shards: [] },
  };
}

export function view(latest: Snapshot | null, more: Partial<SourceView> = {}): SourceView {
  const source = more.source ?? latest?.source ?? 'pbs_state';
  return {
    source,
    maxAge: 15 * MINUTE,
    attempt: latest && { source, startedAt: latest.collectedAt, endedAt: latest.collectedAt, status: latest.status, snapshot: latest.id },
    snapshot: latest,
    since: latest ? [latest] : [],
    ...more,
  };
}

/** What HPCM would say: a complete list of hosts, all powered on but those named. */
export function inventory(
  at: number,
  hosts: string,
  told: { off?: string[]; aliases?: string; asOf?: number; count?: number; complete?: boolean } = {},
): Snapshot {
  const { off = [], aliases, count = 0, complete = true } = told;
  return snapshot({
    source: 'hpcm_inventory',
    at,
    ...(told.asOf !== undefined && { asOf: told.asOf }),
    observed: { node: complete ? 'all' : hosts, ...(complete && { host: hosts }), ...(aliases !== undefined && { host_alias: aliases }) },
    summary: { power: { asked: count, booted: count - off.length, on: 0, off: off.length, changing: 0, unknown: 0 } },
    conditions: off.map((id) => ({
      kind: 'node_off',
      subject: { type: 'node', id },
      message: `${id} is powered off`,
      values: { power: 'off' },
    })),
  });
}

/** What PBS would say of a set of nodes: in service but for those named. */
export function scheduler(
  at: number,
  nodes: string,
  told: { down?: string[]; offline?: Record<string, string>; maintenance?: JsonObject[]; conditions?: ConditionDraft[] } = {},
): Snapshot {
  return snapshot({
    source: 'pbs_state',
    at,
    observed: { node: nodes, job: 'all' },
    summary: { nodes: { sets: {} }, reservations: { maintenance: { top: told.maintenance ?? [] } } },
    conditions: [
      ...(told.down ?? []).map(
        (id): ConditionDraft => ({
          kind: 'node_down',
          subject: { type: 'node', id },
          message: `${id} is down`,
          values: { state: 'down', jobs: 0 },
        }),
      ),
      ...Object.entries(told.offline ?? {}).map(
        ([id, reason]): ConditionDraft => ({
          kind: 'node_offline',
          subject: { type: 'node', id },
          message: `${id} is offline`,
          values: { state: 'offline', reason, by: null, jobs: 0 },
        }),
      ),
      ...(told.conditions ?? []),
    ],
  });
}

export function truth(yaml: string, now = NOON): { groundTruth: GroundTruth | null; mistakes: readonly string[] } {
  return parseGroundTruth(yaml, { file: 'fleet.yaml', now });
}

export interface Tick {
  now: number;
  /** Where it is not the one of `now`, as after the clock was set back. */
  tick?: string;
  sources: SourceView[];
  yaml?: string | undefined;
  /** A ground truth that is parsed already, instead. */
  ground?: ReturnType<typeof truth>;
  identities?: JudgeInput['identities'];
  series?: DeriveInput['series'];
  rules?: JudgeInput['rules'];
  before?: LifecycleState | null;
}

/** One tick as compose makes it: derive, then judge; the state goes through JSON as the store would take it. */
export function tickOf(given: Tick): Judged {
  const { now, tick = toTimeId(now), sources, yaml, before = null, identities = new Map(), series = [], rules = {} } = given;
  const ground = given.ground ?? (yaml === undefined ? { groundTruth: null, mistakes: [] } : truth(yaml, now));
  const collected = deriveConditions({ cluster: 'test', now, sources, ...ground, identities, names: new Names(identities), series, rules });
  const derived = snapshot({
    source: OBSERVER,
    at: now,
    conditions: collected.conditions,
    observed: collected.coverage.observed,
    summary: collected.summary,
  });
  const judged = judge({
    cluster: 'test',
    tick,
    now,
    sources: [...sources, view(derived, { maxAge: Number.MAX_SAFE_INTEGER })],
    ...ground,
    before,
    identities,
    rules,
  });
  return { ...judged, state: LifecycleState.parse(JSON.parse(JSON.stringify(judged.state))) };
}

/** `kind subject: state` of every finding. */
export function states({ findings }: Pick<Judged, 'findings'>): Record<string, string> {
  return Object.fromEntries(findings.map((f) => [`${f.kind} ${f.subject.id}`, f.state]));
}

export function conditionOf(draft: ConditionDraft, at = NOON): Condition {
  return snapshot({ source: 'pbs_state', at, conditions: [draft] }).conditions[0] as Condition;
}

export { toIso };
