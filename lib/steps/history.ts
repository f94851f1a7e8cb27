import * as z from 'zod';
import { Transition } from '../model/finding.ts';
import { sha256Hex } from '../model/identity.ts';
import { parseDuration } from '../model/time.ts';
import { atOnce } from '../store/at-once.ts';
import { type Store, unlessDamaged } from '../store/store.ts';

/** Steps that are kept of one finding. */
const KEPT = 200;
const Shard = z.record(z.string(), z.array(Transition));

/** How long a step of a finding that is still followed is kept, and how long the steps of one that nobody follows any more. */
const FOLLOWED_FOR = parseDuration('365d');
const FORGOTTEN_AFTER = parseDuration('30d');
/** Shards that one tick looks through. */
const SWEPT = 8;

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
  await atOnce(byShard, async ([key, added]) => {
    const shard = new Map(Object.entries(await readShard(store, key)));
    for (const { findingId, ...transition } of added) {
      const earlier = (shard.get(findingId) ?? []).filter((t) => t.tick !== transition.tick && !unfinished.includes(t.tick));
      shard.set(findingId, [...earlier, transition].slice(-KEPT));
    }
    await store.put(key, Object.fromEntries(shard));
  });
}

/** A finding's transitions, oldest first. */
export async function readHistory(store: Store, findingId: string): Promise<Transition[]> {
  return (await readShard(store, shardOf(findingId)))[findingId] ?? [];
}

/**
 * Takes out of some shards what is too old: each tick of others, so that all are seen within a few hundred ticks.
 * @param of.time what retention takes for now, in ms since the epoch
 * @param of.followed ids of findings whose episodes are still known
 */
export async function sweepHistory(store: Store, of: { tick: string; time: number; followed: ReadonlySet<string> }): Promise<void> {
  const { tick, time, followed } = of;
  const drawn = sha256Hex(tick).match(/../g) ?? [];
  for (const name of new Set(drawn.slice(0, SWEPT))) {
    const key = `${FOLDER}/${name}`;
    const shard = await readShard(store, key);
    let isOlder = false;
    const kept = Object.entries(shard).flatMap(([id, all]) => {
      const age = (t: Transition): number => time - Date.parse(t.at);
      // The last step of what is followed is how it stands.
      const young = followed.has(id)
        ? all.filter((t, i) => age(t) <= FOLLOWED_FOR || i === all.length - 1)
        : all.filter(() => age(all.at(-1) as Transition) <= FORGOTTEN_AFTER);
      isOlder ||= young.length < all.length;
      return young.length > 0 ? [[id, young] as const] : [];
    });
    if (isOlder) await store.put(key, Object.fromEntries(kept));
  }
}

/** A damaged shard costs the past of its findings, and no tick. */
async function readShard(store: Store, key: string): Promise<z.infer<typeof Shard>> {
  return (await unlessDamaged(store.get(key, Shard))) ?? {};
}

const FOLDER = 'findings/history';

function shardOf(findingId: string): string {
  return `${FOLDER}/${findingId.slice(0, 2)}`;
}
