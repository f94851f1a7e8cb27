import type { SourceView } from '../findings/judge.ts';
import { Change } from '../model/change.ts';
import type { Attempt, Snapshot } from '../model/snapshot.ts';
import { oneLine } from '../model/text.ts';
import { toIso } from '../model/time.ts';
import { getAttempt } from '../store/attempts.ts';
import { StoreError } from '../store/store.ts';
import type { TickInputs } from './compose.ts';
import { adviceFor } from './advice.ts';
import { readForecastSeries } from './forecast-series.ts';
import { readIdentities } from './identities.ts';
import { readBefore } from './lifecycle-before.ts';
import type { Observer } from './observer.ts';

export type Gathered = Pick<
  TickInputs,
  'sources' | 'before' | 'beforeTick' | 'groundTruth' | 'changes' | 'damage' | 'identities' | 'series'
>;

/** Damaged values told, each once: they cost what they held, and no tick. */
class Damages {
  readonly told: string[] = [];

  async unless<T>(reading: Promise<T | null>): Promise<T | null> {
    try {
      return await reading;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      if (!this.told.includes(error.message)) this.told.push(error.message);
      return null;
    }
  }
}

/** Pins what the tick works on, before anything is judged. */
export async function gather(
  observer: Observer,
  { lastTick, damage, now }: { lastTick: string | null; damage: string | null; now: number },
): Promise<Gathered> {
  const { store } = observer;
  const { state: before, tick: beforeTick, damage: lost } = await readBefore(store, lastTick);
  const damages = new Damages();
  damages.told.push(...[damage, lost].filter((d) => d !== null));
  const sources: SourceView[] = [];
  const changes: Change[] = [];
  for (const source of observer.config.sources.keys()) {
    const view = await viewOf(observer, source, { judged: before?.judged[source], damages, now });
    sources.push(view);
    const { since, snapshot } = view;
    const change = since.length > 0 && snapshot ? await damages.unless(store.getShared(`changes/${source}/${snapshot.id}`, Change)) : null;
    if (change) changes.push(change);
  }
  if (damages.told.length > 0) observer.log('error', 'damaged', { damage: damages.told });
  return {
    sources,
    changes,
    before,
    beforeTick,
    damage: damages.told.length > 0 ? oneLine(damages.told.join('; '), 1000) : null,
    groundTruth: await readGroundTruth(observer),
    identities: await readIdentities(observer, sources, { keep: true }),
    series: await readForecastSeries(store, sources, now),
  };
}

/** A source as the tick sees it. One of which something cannot be read is a source that failed. */
async function viewOf(
  { config, store, snapshots }: Observer,
  source: string,
  { judged, damages, now }: { judged: string | undefined; damages: Damages; now: number },
): Promise<SourceView> {
  const known = damages.told.length;
  const snapshot = await damages.unless(snapshots.latest(source));
  const attempt = await damages.unless(getAttempt(store, source));
  const [detail] = damages.told.slice(known);
  const since: Snapshot[] = [];
  const ids = snapshot && snapshot.id !== judged ? await damages.unless(snapshots.list(source)) : [];
  for (const id of ids ?? []) {
    if (judged !== undefined && id <= judged) break;
    const found = id === snapshot?.id ? snapshot : await damages.unless(snapshots.get(source, id));
    if (found) since.unshift(found);
  }
  const maxAge = config.sources.get(source)?.maxAge ?? 0;
  const failed = (why: string): Attempt => {
    const at = toIso(now);
    return { source, startedAt: at, endedAt: at, status: 'failed', problem: { code: 'store', detail: why, advice: adviceFor('store') } };
  };
  return { source, maxAge, attempt: detail === undefined ? attempt : failed(oneLine(detail, 400)), snapshot, since };
}

/** The ground truth as it stands; one that cannot be read is told as a mistake. */
async function readGroundTruth({ config, groundTruth }: Observer): Promise<TickInputs['groundTruth']> {
  try {
    return await groundTruth();
  } catch (error) {
    const code = (error as { code?: unknown } | null)?.code;
    const why = typeof code === 'string' ? code : error instanceof Error ? error.message : String(error);
    return { file: config.ground_truth ?? 'the ground truth', text: '', unreadable: oneLine(`cannot be read (${why})`, 200) };
  }
}
