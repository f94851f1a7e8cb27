import * as z from 'zod';
import { Transition } from '../model/finding.ts';
import type { Store } from '../store/store.ts';

const KEPT = 200;
const Shard = z.record(z.string(), z.array(Transition));

/**
 * Appends to the history of each finding that changed state; 256 shards, so that a first sight of thousands is no flood of files.
 * @param unfinished ticks that never ended: what they told of these findings did not come to pass
 */
export async function appendHistory(
  store: Store,
  transitions: readonly (Transition & { findingId: string })[],
  unfinished: readonly string[] = [],
): Promise<void> {
  const byShard = new Map<string, (Transition & { findingId: string })[]>();
  for (const transition of transitions) {
    const key = shardOf(transition.findingId);
    byShard.set(key, [...(byShard.get(key) ?? []), transition]);
  }
  for (const [key, added] of byShard) {
    const shard = new Map(Object.entries((await store.get(key, Shard)) ?? {}));
    for (const { findingId, ...transition } of added) {
      const earlier = (shard.get(findingId) ?? []).filter((t) => t.tick !== transition.tick && !unfinished.includes(t.tick));
      shard.set(findingId, [...earlier, transition].slice(-KEPT));
    }
    await store.put(key, Object.fromEntries(shard));
  }
}

/** A finding's transitions, oldest first. */
export async function readHistory(store: Store, findingId: string): Promise<Transition[]> {
  return (await store.get(shardOf(findingId), Shard))?.[findingId] ?? [];
}

function shardOf(findingId: string): string {
  return `findings/history/${findingId.slice(0, 2)}`;
}
