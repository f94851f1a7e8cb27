import { type GroundTruth, parseGroundTruth } from '../findings/ground-truth.ts';
import { Names } from '../findings/names.ts';
import { Change } from '../model/change.ts';
import { type Subject, subjectKey } from '../model/condition.ts';
import type { JsonObject } from '../model/json.ts';
import { Recording } from '../model/recording.ts';
import type { Transition } from '../model/finding.ts';
import type { Report } from '../model/report.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { readReport } from '../report/publish.ts';
import { readSeries } from '../store/series.ts';
import { shardOf } from '../store/shards.ts';
import { StoreError } from '../store/store.ts';
import type { ReadView } from '../tools/view.ts';
import { readHistory } from './history.ts';
import { readIdentities } from './identities.ts';
import type { Observer } from './observer.ts';

export interface Pinned {
  tick: string;
  now: number;
  pinned: ReadonlyMap<string, Snapshot | null>;
  changes: readonly Change[];
  groundTruth: GroundTruth | null;
  names: Names;
  judged: Pick<Report, 'verdict' | 'sources' | 'findings' | 'groups' | 'suppressed'>;
  /** Those of this tick, while they are not stored yet. */
  transitions?: readonly (Transition & { findingId: string })[];
}

/** The read view of a tick: nothing that was stored after it can be seen through it. */
export function pinnedView({ config, snapshots, store }: Pick<Observer, 'config' | 'snapshots' | 'store'>, at: Pinned): ReadView {
  const { verdict, sources, findings, groups, suppressed } = at.judged;
  const factsOf = rememberedFacts(snapshots);
  return {
    cluster: config.cluster,
    now: at.now,
    verdict,
    sources,
    changes: at.changes,
    findings,
    groups,
    suppressed,
    groundTruth: at.groundTruth,
    namesOf: (name) => at.names.of(name),
    snapshot: async (source) => at.pinned.get(source) ?? null,
    facts: async (subject) => {
      const known = [];
      for (const [source, snapshot] of at.pinned) {
        const facts = snapshot && (await factsOf(source, snapshot, subject));
        if (facts) known.push({ source, asOf: snapshot.asOf, facts });
      }
      return known;
    },
    history: async (id) => {
      const stored = await readHistory(store, id);
      if (!at.transitions) return stored.filter((t) => t.tick <= at.tick);
      return [...stored.filter((t) => t.tick < at.tick), ...at.transitions.filter((t) => t.findingId === id)];
    },
    trend: (source, name, { from, to }) => readSeries(store, source, name, { from, to: Math.min(to, at.now) }),
  };
}

/** Shards that are kept for the next question: whoever asks of a node asks of its neighbours too. */
const SHARDS_KEPT = 24;

/** Reads facts by subject, each shard once while it is in use. One that is damaged or gone tells nothing. */
function rememberedFacts(
  snapshots: Observer['snapshots'],
): (source: string, snapshot: Snapshot, subject: Subject) => Promise<JsonObject | null> {
  const kept = new Map<string, Map<string, JsonObject>>();
  return async (source, snapshot, subject) => {
    const count = snapshot.facts.shards.length;
    if (count === 0) return null;
    const index = shardOf(subject, count);
    const key = `${source}/${index}`;
    let shard = kept.get(key);
    kept.delete(key);
    if (!shard) {
      const read = await snapshots.shard(source, snapshot, index).catch((error: unknown) => {
        if (error instanceof StoreError) return [];
        throw error;
      });
      shard = new Map(read.map((entry) => [subjectKey(entry.subject), entry.facts]));
      const [oldest] = kept.keys();
      if (kept.size >= SHARDS_KEPT && oldest !== undefined) kept.delete(oldest);
    }
    kept.set(key, shard);
    return shard.get(subjectKey(subject)) ?? null;
  };
}

/** The read view of the last tick that ended, from what is stored; null before the first. */
export async function storedView(observer: Observer): Promise<ReadView | null> {
  const report = await readReport(observer.reports, 'latest');
  const recording = report && (await observer.store.getShared(`ticks/${report.tick}/recording`, Recording));
  if (!report || !recording) return null;
  const pinned = new Map<string, Snapshot | null>();
  const changes: Change[] = [];
  for (const [source, { snapshot, since }] of Object.entries(recording.pinned)) {
    pinned.set(source, snapshot === null ? null : await observer.snapshots.get(source, snapshot));
    const change = since.length > 0 && snapshot !== null ? await observer.store.getShared(`changes/${source}/${snapshot}`, Change) : null;
    if (change) changes.push(change);
  }
  const now = Date.parse(report.generatedAt);
  const nodeDomains = observer.config.node_domains;
  const truth =
    recording.groundTruth &&
    recording.groundTruth.unreadable === undefined &&
    parseGroundTruth(recording.groundTruth.text, { file: recording.groundTruth.file, now, nodeDomains });
  const names = Names.of(
    await readIdentities(
      observer,
      [...pinned].map(([source, snapshot]) => ({ source, snapshot })),
      { keep: false },
    ),
  );
  return pinnedView(observer, {
    tick: report.tick,
    now,
    pinned,
    changes,
    groundTruth: (truth && truth.groundTruth) || null,
    names,
    judged: report,
  });
}
