import * as z from 'zod';
import { diff } from '../diff/diff.ts';
import { Change } from '../model/change.ts';
import { TimeId } from '../model/time.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { atOnce } from '../store/at-once.ts';
import { type Store, StoreError, unlessDamaged } from '../store/store.ts';
import { alone, type Observer } from './observer.ts';

const Cursor = z.object({ to: TimeId });

/**
 * Diffs every source along the snapshots that no diff has seen yet; a pair that was diffed is never diffed again.
 * @returns the changes made now; sources without a new snapshot have none
 * @throws StepError `busy`
 */
export async function diffSources(observer: Observer): Promise<Change[]> {
  return alone(observer, 'diff', async () => {
    const changes = await atOnce(observer.config.sources.keys(), async (source) => {
      try {
        return await diffSource(observer, source);
      } catch (error) {
        // What is damaged is told by the tick; the other sources are diffed all the same.
        if (!(error instanceof StoreError)) throw error;
        observer.log('error', 'diff', { source, error: error.message });
        return null;
      }
    });
    return changes.filter((change) => change !== null);
  });
}

async function diffSource(observer: Observer, source: string): Promise<Change | null> {
  const { store, snapshots } = observer;
  const cursor = await readCursor(store, source);
  const latest = await snapshots.latest(source);
  if (!latest || latest.id === cursor?.to) return null;
  const later: Snapshot[] = [];
  // Ids come newest first; retention may have thinned them, and the cursor's own snapshot may be gone.
  for (const id of await snapshots.list(source)) {
    if (cursor && id <= cursor.to) break;
    const snapshot = id === latest.id ? latest : await unlessDamaged(snapshots.get(source, id));
    if (snapshot) later.unshift(snapshot);
  }
  const from = cursor ? await unlessDamaged(snapshots.get(source, cursor.to)) : null;
  const change = diff(from, later);
  await store.putShared(`changes/${source}/${change.to}`, change, Change);
  await store.put(cursorKey(source), { to: change.to });
  return change;
}

/** Up to where a source was diffed; where that is damaged, up to the last change that is stored. */
async function readCursor(store: Store, source: string): Promise<z.infer<typeof Cursor> | null> {
  try {
    return await store.get(cursorKey(source), Cursor);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const last = (await store.list(`changes/${source}`)).map((key) => key.split('/')[2]).findLast((id) => TimeId.safeParse(id).success);
    return last === undefined ? null : { to: last };
  }
}

/** The last change of each source that has one. They are frozen. */
export async function latestChanges(observer: Observer): Promise<Change[]> {
  const changes: Change[] = [];
  for (const source of observer.config.sources.keys()) {
    const cursor = await observer.store.getShared(cursorKey(source), Cursor);
    const change = cursor && (await observer.store.getShared(`changes/${source}/${cursor.to}`, Change));
    if (change) changes.push(change);
  }
  return changes;
}

function cursorKey(source: string): string {
  return `changes/${source}/cursor`;
}
