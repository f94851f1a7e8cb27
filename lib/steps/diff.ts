import * as z from 'zod';
import { diff } from '../diff/diff.ts';
import { Change } from '../model/change.ts';
import { TimeId } from '../model/time.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { alone, type Observer } from './observer.ts';

const Cursor = z.object({ to: TimeId });

/**
 * Diffs every source along the snapshots that no diff has seen yet; a pair that was diffed is never diffed again.
 * @returns the changes made now; sources without a new snapshot have none
 * @throws StepError `busy`
 */
export async function diffSources(observer: Observer): Promise<Change[]> {
  return alone(observer, 'diff', async () => {
    const changes: Change[] = [];
    for (const source of observer.config.sources.keys()) {
      const change = await diffSource(observer, source);
      if (change) changes.push(change);
    }
    return changes;
  });
}

async function diffSource(observer: Observer, source: string): Promise<Change | null> {
  const { store, snapshots } = observer;
  const cursor = await store.get(cursorKey(source), Cursor);
  const latest = await snapshots.latest(source);
  if (!latest || latest.id === cursor?.to) return null;
  const later: Snapshot[] = [];
  // Ids come newest first; retention may have thinned them, and the cursor's own snapshot may be gone.
  for (const id of await snapshots.list(source)) {
    if (cursor && id <= cursor.to) break;
    const snapshot = id === latest.id ? latest : await snapshots.get(source, id);
    if (snapshot) later.unshift(snapshot);
  }
  const from = cursor ? await snapshots.get(source, cursor.to) : null;
  const change = diff(from, later);
  await store.put(`changes/${source}/${change.to}`, change);
  await store.put(cursorKey(source), { to: change.to });
  return change;
}

/** The last change of each source that has one. */
export async function latestChanges(observer: Observer): Promise<Change[]> {
  const changes: Change[] = [];
  for (const source of observer.config.sources.keys()) {
    const cursor = await observer.store.get(cursorKey(source), Cursor);
    const change = cursor && (await observer.store.get(`changes/${source}/${cursor.to}`, Change));
    if (change) changes.push(change);
  }
  return changes;
}

function cursorKey(source: string): string {
  return `changes/${source}/cursor`;
}
