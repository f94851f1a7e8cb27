import { Attempt } from '../model/snapshot.ts';
import type { Store } from './store.ts';

/** What the last collect of a source came to, whatever happened; null before the first. It is frozen. */
export function getAttempt(store: Store, source: string): Promise<Attempt | null> {
  return store.getShared(keyOf(source), Attempt);
}

export async function putAttempt(store: Store, attempt: Attempt): Promise<void> {
  await store.put(keyOf(attempt.source), attempt);
}

function keyOf(source: string): string {
  return `attempts/${source}/latest`;
}
