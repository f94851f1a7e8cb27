import { type GroundTruth, parseGroundTruth } from '../findings/ground-truth.ts';
import { Names } from '../findings/names.ts';
import { Change } from '../model/change.ts';
import { Recording } from '../model/recording.ts';
import type { Report } from '../model/report.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { readReport } from '../report/publish.ts';
import { readSeries } from '../store/series.ts';
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
}

/** The read view of a tick: nothing that was stored after it can be seen through it. */
export function pinnedView({ config, snapshots, store }: Pick<Observer, 'config' | 'snapshots' | 'store'>, at: Pinned): ReadView {
  const { verdict, sources, findings, groups, suppressed } = at.judged;
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
        const facts = snapshot && (await snapshots.facts(source, snapshot, subject));
        if (facts) known.push({ source, asOf: snapshot.asOf, ref: `${source}@${snapshot.id}#/facts`, facts });
      }
      return known;
    },
    history: async (id) => (await readHistory(store, id)).filter((t) => t.tick <= at.tick),
    trend: (source, name, { from, to }) => readSeries(store, source, name, { from, to: Math.min(to, at.now) }),
  };
}

/** The read view of the last tick that ended, from what is stored; null before the first. */
export async function storedView(observer: Observer): Promise<ReadView | null> {
  const report = await readReport(observer.reports, 'latest');
  const recording = report && (await observer.store.get(`ticks/${report.tick}/recording`, Recording));
  if (!report || !recording) return null;
  const pinned = new Map<string, Snapshot | null>();
  const changes: Change[] = [];
  for (const [source, { snapshot, since }] of Object.entries(recording.pinned)) {
    pinned.set(source, snapshot === null ? null : await observer.snapshots.get(source, snapshot));
    const change = since.length > 0 && snapshot !== null ? await observer.store.get(`changes/${source}/${snapshot}`, Change) : null;
    if (change) changes.push(change);
  }
  const now = Date.parse(report.generatedAt);
  const nodeDomains = observer.config.node_domains;
  const truth =
    recording.groundTruth && parseGroundTruth(recording.groundTruth.text, { file: recording.groundTruth.file, now, nodeDomains });
  const names = new Names(
    await readIdentities(
      observer,
      [...pinned].map(([source, snapshot]) => ({ source, snapshot })),
      { keep: false },
    ),
  );
  return pinnedView(observer, { tick: report.tick, now, pinned, changes, groundTruth: truth?.groundTruth ?? null, names, judged: report });
}
