import * as z from 'zod';
import { Transition } from '../model/finding.ts';
import { sha256Hex } from '../model/identity.ts';
import { parseDuration } from '../model/time.ts';
import { atOnce } from '../store/at-once.ts';
import { type Store, unlessDamaged } from '../store/store.ts';

/** Steps that are kept of one finding. */
const KEPT = 200;
const Shard = z.record(z.string(), z.array(Transition));
const Recent = z.array(z.object({ findingId: z.string(), ...Transition.shape }));
type Step = z.infer<typeof Recent>[number];

/** How long a step of a finding that is still followed is kept, and how long the steps of one that nobody follows any more. */
const FOLLOWED_FOR = parseDuration('365d');
const FORGOTTEN_AFTER = parseDuration('30d');
/** Shards that one tick looks through. */
const SWEPT = 8;

/** Steps that wait for their shards: so many, and for so long, that a shard is seldom written for a single step. */
const MOST_RECENT = 4096;
const RECENT_FOR = parseDuration('1d');
/** Shards that one tick writes, unless so many steps wait that they would be a burden to each tick. */
const WRITTEN = 16;
const MOST_WAITING = 4 * MOST_RECENT;

/**
 * Appends to the history of each finding that changed state. Steps are written together, in one value; when that has
 * many, or old ones, some go to the shards, each by its finding: of these there are 256, and a tick writes few of them,
 * so that neither a first sight of thousands nor the next tick is a flood of files.
 * @param unfinished ticks that never ended: what they told of findings did not come to pass
 */
export async function appendHistory(store: Store, transitions: readonly Step[], unfinished: readonly string[] = []): Promise<void> {
  if (transitions.length === 0) return;
  const now = new Set(transitions.map(placeOf));
  const ticks = new Set(transitions.map(({ tick }) => tick));
  const isKept = (step: Step): boolean => !(ticks.has(step.tick) && now.has(placeOf(step))) && !unfinished.includes(step.tick);
  const recent = [...(await readRecent(store)).filter(isKept), ...transitions];
  const due = unfinished.length > 0 ? byShard(recent) : dueOf(recent);
  // The shards go first: what is in both is told once.
  await toShards(store, due, unfinished);
  await store.putShared(RECENT, due.size === 0 ? recent : recent.filter((step) => !due.has(shardOf(step.findingId))), Recent);
}

/** The steps that are to go to their shards now: the oldest where they have waited long, else the most at once. */
function dueOf(recent: readonly Step[]): Map<string, Step[]> {
  const oldestOf = (some: readonly Step[]): string => some.map(({ at }) => at).reduce((a, b) => (a < b ? a : b));
  const newest = recent.map(({ at }) => at).reduce((a, b) => (a > b ? a : b));
  const isOld = Date.parse(newest) - Date.parse(oldestOf(recent)) > RECENT_FOR;
  if (!isOld && recent.length <= MOST_RECENT) return new Map();
  const shards = [...byShard(recent)].map(([key, some]) => ({ key, some, oldest: isOld ? oldestOf(some) : '' }));
  shards.sort((a, b) => (a.oldest < b.oldest ? -1 : a.oldest > b.oldest ? 1 : b.some.length - a.some.length || (a.key < b.key ? -1 : 1)));
  const due = new Map<string, Step[]>();
  let left = recent.length;
  for (const { key, some } of shards) {
    if (due.size >= WRITTEN && left <= MOST_WAITING) break;
    due.set(key, some);
    left -= some.length;
  }
  return due;
}

function byShard(steps: readonly Step[]): Map<string, Step[]> {
  const shards = new Map<string, Step[]>();
  for (const step of steps) {
    const key = shardOf(step.findingId);
    const some = shards.get(key);
    if (some) some.push(step);
    else shards.set(key, [step]);
  }
  return shards;
}

async function toShards(store: Store, due: ReadonlyMap<string, readonly Step[]>, unfinished: readonly string[]): Promise<void> {
  await atOnce(due, async ([key, steps]) => {
    const added = new Map<string, Transition[]>();
    for (const { findingId, ...transition } of steps) added.set(findingId, [...(added.get(findingId) ?? []), transition]);
    const shard = new Map(Object.entries(await readShard(store, key)));
    for (const [findingId, fresh] of added) {
      const earlier = (shard.get(findingId) ?? []).filter((t) => !unfinished.includes(t.tick));
      shard.set(findingId, joined(earlier, fresh));
    }
    await store.put(key, Object.fromEntries(shard));
  });
}

/** A finding takes one step in a tick at most; a later tick has a later id. */
function joined(earlier: readonly Transition[], fresh: readonly Transition[]): Transition[] {
  const ticks = new Set(fresh.map((t) => t.tick));
  const all = [...earlier.filter((t) => !ticks.has(t.tick)), ...fresh];
  return all.sort((a, b) => (a.tick < b.tick ? -1 : 1)).slice(-KEPT);
}

function placeOf({ tick, findingId }: Step): string {
  return `${tick} ${findingId}`;
}

/** A finding's transitions, oldest first. */
export async function readHistory(store: Store, findingId: string): Promise<Transition[]> {
  const fresh = (await readRecent(store)).flatMap(({ findingId: of, ...transition }) => (of === findingId ? [transition] : []));
  return joined((await readShard(store, shardOf(findingId)))[findingId] ?? [], fresh);
}

/**
 * Takes out of some shards what is too old: each tick of others, so that all are seen within a few hundred ticks.
 * @param of.time what retention takes for now, in ms since the epoch
 * @param of.followed ids of findings whose episodes are still known
 */
export async function sweepHistory(store: Store, of: { tick: string; time: number; followed: ReadonlySet<string> }): Promise<void> {
  const { tick, time, followed } = of;
  const drawn = sha256Hex(tick).match(/../g) ?? [];
  const recent = new Set((await readRecent(store)).map((step) => step.findingId));
  for (const name of new Set(drawn.slice(0, SWEPT))) {
    const key = `${FOLDER}/${name}`;
    const shard = await readShard(store, key);
    let isOlder = false;
    const kept = Object.entries(shard).flatMap(([id, all]) => {
      const age = (t: Transition): number => time - Date.parse(t.at);
      // The last step of what is followed is how it stands.
      const young = followed.has(id)
        ? all.filter((t, i) => age(t) <= FOLLOWED_FOR || i === all.length - 1)
        : all.filter(() => recent.has(id) || age(all.at(-1) as Transition) <= FORGOTTEN_AFTER);
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

/** Damaged, it costs the newest steps of findings, and no tick. */
async function readRecent(store: Store): Promise<readonly Step[]> {
  return (await unlessDamaged(store.getShared(RECENT, Recent))) ?? [];
}

const FOLDER = 'findings/history';
const RECENT = 'findings/recent';

function shardOf(findingId: string): string {
  return `${FOLDER}/${findingId.slice(0, 2)}`;
}
