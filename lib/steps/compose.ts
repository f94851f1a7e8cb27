import type { AuditLog } from '../audit/audit.ts';
import { deriveConditions, OBSERVER } from '../findings/derive.ts';
import { parseGroundTruth, type GroundTruth } from '../findings/ground-truth.ts';
import type { Series } from '../findings/forecast.ts';
import { judge, type Judged, type LifecycleState, type SourceView } from '../findings/judge.ts';
import { type Identity, Names } from '../findings/names.ts';
import { assess } from '../harness/assess.ts';
import type { ModelClient } from '../harness/client.ts';
import type { Profile } from '../harness/profile.ts';
import type { Change } from '../model/change.ts';
import { sha256Hex } from '../model/identity.ts';
import type { Recording } from '../model/recording.ts';
import type { Assessment, Report } from '../model/report.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { toIso } from '../model/time.ts';
import type { Observer } from './observer.ts';
import { makeSnapshot } from './snapshot.ts';
import { pinnedView } from './view.ts';

/** Everything that a tick is made of, pinned before anything is judged. */
export interface TickInputs {
  tick: string;
  now: number;
  sources: SourceView[];
  /** The change that the last diff made of each source that has a new snapshot. */
  changes: Change[];
  /** The lifecycle's state after the tick before. */
  before: LifecycleState | null;
  beforeTick: string | null;
  /** Why that is not the state that the last tick left; null where it is. */
  damage: string | null;
  /** The last assessment, which may still hold. */
  previous: Assessment | null;
  /** Its text, or why there is none. */
  groundTruth: { text: string; file: string; unreadable?: string } | null;
  /** What each source's facts tell of the identity of nodes. */
  identities: ReadonlyMap<string, readonly Identity[]>;
  /** Numbers over time, for forecasts. */
  series: readonly Series[];
  /** A tick that began before this one and never ended. */
  unfinished: string | null;
  /** Those before it that never ended either, oldest first. */
  alsoUnfinished: readonly string[];
  /** What fences the data in this tick's prompts. */
  nonce: string;
  /** What is known of the model's endpoint. */
  profile: Profile | null;
  /** The id that the derived conditions' snapshot gets, and that of the one before. */
  derived: { id: string; previous: string | null };
}

export interface Composed {
  report: Report;
  judged: Judged;
  recording: Omit<Recording, 'clock'>;
  derived: Snapshot;
  /** What is known of the model's endpoint now; null where none was asked. */
  profile: Profile | null;
}

/**
 * Makes the report of a tick. It writes nothing but audit entries: with the inputs, the clock readings and the model's
 * answers of a recording it gives the same bytes again.
 */
export async function compose(
  observer: Observer,
  inputs: TickInputs,
  { client, clock, audit }: { client: ModelClient | null; clock: () => number; audit: Pick<AuditLog, 'append' | 'head'> },
): Promise<Composed> {
  const { config } = observer;
  const { cluster } = config;
  const { tick, now, sources } = inputs;
  const truth = truthOf(inputs, config.node_domains);
  const names = Names.of(inputs.identities);
  const derived = derivedSnapshot(observer, inputs, { ...truth, names });
  const observerView: SourceView = {
    source: OBSERVER,
    maxAge: Number.MAX_SAFE_INTEGER,
    attempt: { source: OBSERVER, startedAt: toIso(now), endedAt: toIso(now), status: 'ok', snapshot: derived.id },
    snapshot: derived,
    since: [derived],
  };
  const { before, identities } = inputs;
  const judged = judge({
    cluster,
    tick,
    now,
    sources: [...sources, observerView],
    ...truth,
    before,
    identities,
    names,
    rules: config.rules,
  });
  const pinned = new Map([...sources, observerView].map((s) => [s.source, s.snapshot]));
  const view = pinnedView(observer, {
    tick,
    now,
    pinned,
    changes: inputs.changes,
    groundTruth: truth.groundTruth,
    names,
    judged,
    transitions: judged.transitions,
  });
  const seed = Number.parseInt(sha256Hex(tick).slice(0, 7), 16);
  const { assessment, exchanges, toolResults, profile } = await assess({
    view,
    client,
    previous: inputs.previous,
    limits: config.model ?? null,
    tick,
    seed,
    nonce: inputs.nonce,
    profile: inputs.profile,
    clock,
    audit: (entry) => audit.append(entry),
  });
  const report: Report = {
    schema: 'hpc-observer/report/1',
    tick,
    cluster,
    generatedAt: toIso(now),
    verdict: judged.verdict,
    because: judged.because,
    sources: judged.sources,
    findings: judged.findings,
    groups: judged.groups,
    suppressed: judged.suppressed,
    assessment,
    sinks: [],
    provenance: {
      version: observer.version,
      configuration: config.hash,
      previousTick: inputs.beforeTick,
      unfinishedTick: inputs.unfinished,
      ...(inputs.alsoUnfinished.length > 0 && { alsoUnfinished: [...inputs.alsoUnfinished] }),
      auditHead: audit.head(),
      took: Math.max(0, clock() - now),
    },
  };
  const recording: Omit<Recording, 'clock'> = {
    schema: 'hpc-observer/recording/1',
    tick,
    version: observer.version,
    seed,
    nonce: inputs.nonce,
    profile: inputs.profile,
    configuration: config.hash,
    groundTruth: inputs.groundTruth,
    before: inputs.beforeTick,
    damage: inputs.damage,
    unfinished: inputs.unfinished,
    alsoUnfinished: [...inputs.alsoUnfinished],
    previous: inputs.previous,
    pinned: Object.fromEntries(
      [...sources, observerView].map((s) => [
        s.source,
        { snapshot: s.snapshot?.id ?? null, since: s.since.map((x) => x.id), attempt: s.attempt },
      ]),
    ),
    series: inputs.series.map(({ source, name, points }) => ({ source, name, points: points.map(({ at, value }) => [at, value]) })),
    model: client?.label ?? null,
    exchanges,
    toolResults,
    startedAt: toIso(now),
  };
  return { report, judged, recording, derived, profile };
}

function truthOf({ groundTruth: given, now }: TickInputs, nodeDomains: readonly string[]): ReturnType<typeof parseGroundTruth> {
  if (given === null) return { groundTruth: null, mistakes: [] };
  const { text, file, unreadable } = given;
  if (unreadable !== undefined) return { groundTruth: null, mistakes: [`${file}: ${unreadable}`] };
  return parseGroundTruth(text, { file, now, nodeDomains });
}

/** What needs two sources or ground truth, as the snapshot of a source of its own. */
function derivedSnapshot(
  observer: Observer,
  { now, sources, derived, damage, identities, series }: TickInputs,
  known: { groundTruth: GroundTruth | null; mistakes: readonly string[]; names: Names },
): Snapshot {
  const { cluster, rules } = observer.config;
  const collected = deriveConditions({ cluster, now, sources, ...known, damage, identities, series, rules });
  return {
    ...makeSnapshot({
      source: OBSERVER,
      cluster,
      id: derived.id,
      collectedAt: now,
      asOf: now,
      asOfFrom: 'collected',
      status: 'ok',
      coverage: { inputs: [], inputsTotal: 0, ...collected.coverage },
      collected,
      rules,
    }),
    previous: derived.previous,
    facts: { subjects: 0, shards: [] },
  };
}
