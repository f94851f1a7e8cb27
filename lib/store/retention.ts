import * as z from 'zod';
import { Snapshot } from '../model/snapshot.ts';
import { fromTimeId } from '../model/time.ts';
import { sweepLeases } from './leases.ts';
import { shardKey } from './shards.ts';
import { snapshotKey, Snapshots } from './snapshots.ts';
import { type Store, unlessDamaged } from './store.ts';

/** How long what is kept; ages in milliseconds. Beyond `daily` nothing stays that no recording pins. */
export interface RetentionPolicy {
  /** Everything. */
  all: number;
  /** The last of every hour. */
  hourly: number;
  /** The last of every day. */
  daily: number;
}

const HOUR = 3_600_000;
export const DEFAULT_RETENTION: RetentionPolicy = { all: 48 * HOUR, hourly: 30 * 24 * HOUR, daily: 365 * 24 * HOUR };

/** What one call did. */
export interface Swept {
  removed: number;
  /** The call's share of work is used up: the next call goes on. */
  more: boolean;
}

/** So far the time that retention goes by moves from one call to the next. */
const PACE = HOUR;
const TIME = 'retention/time';
/** Of what a clock dated ahead of its time, nobody knows the age: so many of the newest stay. */
const UNDATED_KEPT = 3000;

/**
 * The time to thin by: the clock's, but at most an hour on from that of the call before. A clock that jumps ahead for a
 * while takes no history away; after a long pause the rows catch up within some days.
 * @returns ms since the epoch
 */
export async function retentionTime(store: Store, now: number): Promise<number> {
  const before = await unlessDamaged(store.get(TIME, z.number()));
  const time = before === null ? now : Math.min(now, before + PACE);
  if (time !== before) await store.put(TIME, time);
  return time;
}

const SWEPT = 'retention/swept';

/**
 * Thins state and reports once an hour: to see what may go costs a look at all that is kept. As long as more is left than
 * one call removes, the next call goes on at once.
 * @param time as {@link retentionTime} gives it
 */
export async function sweepHourly(store: Store, reports: Store, time: number): Promise<void> {
  const hour = Math.floor(time / HOUR);
  if ((await unlessDamaged(store.get(SWEPT, z.number()))) === hour) return;
  const swept = [await sweep(store, time), await sweepReports(reports, time)];
  if (swept.every(({ more }) => !more)) await store.put(SWEPT, hour);
}

/** How many keys one call removes, and how many recordings it looks into; a clock that jumps ahead costs no more either. */
const MAX_WORK = 2000;

class Work {
  left: number;
  removed = 0;
  constructor(limit: number) {
    this.left = limit;
  }
  async remove(store: Store, keys: readonly string[]): Promise<void> {
    for (const key of keys) await store.remove(key);
    this.left -= keys.length;
    this.removed += keys.length;
  }
}

/**
 * Thins what the state keeps by time: ticks, and with them the snapshots that they pin; changes and lifecycle states;
 * series by day; leases that were taken over. The audit log, attempts, histories and heads are left alone, and so is
 * the newest of everything. Killed at any point, it leaves nothing broken that was to be kept, and goes on the next time.
 */
export async function sweep(
  store: Store,
  now: number,
  policy: RetentionPolicy = DEFAULT_RETENTION,
  limit: number = MAX_WORK,
): Promise<Swept> {
  const work = new Work(limit);
  const ticks = await thin(store, 'ticks', now, policy, work);
  const pinned = await pinnedBy(store, ticks, limit);
  // Without all pins known nobody can say what may go.
  if (pinned === null) return { removed: work.removed, more: true };
  for (const key of await store.list('carry')) await thinSnapshots(store, key.slice('carry/'.length), now, policy, pinned, work);
  await thin(store, 'changes', now, policy, work, (scope, id) => pinned.has(`${scope.slice('changes/'.length)}${id}`));
  await thin(store, 'findings/states', now, policy, work, (scope, id) => pinned.has(`${scope}${id}`) || ticks.has(id));
  await thinSeries(store, now, policy, work);
  if (work.left > 0) work.removed += await sweepLeases(store, work.left);
  return { removed: work.removed, more: work.left <= 0 };
}

/** Thins stored reports, which lie in a store of their own: those of a tick carry its id in their names. */
export async function sweepReports(
  reports: Store,
  now: number,
  policy: RetentionPolicy = DEFAULT_RETENTION,
  limit: number = MAX_WORK,
): Promise<Swept> {
  const work = new Work(limit);
  await thin(reports, '', now, policy, work);
  return { removed: work.removed, more: work.left <= 0 };
}

/**
 * Which of a row of ids the policy keeps: all young ones, then the last of each hour, then of each day; the newest
 * always. It makes no difference how often it was asked on the way.
 * @param ids in ascending order
 */
export function keepers(ids: readonly string[], now: number, policy: RetentionPolicy): Set<string> {
  const kept = new Set<string>(ids.slice(-1));
  for (const [i, id] of ids.entries()) {
    const age = now - fromTimeId(id);
    if (age < 0 && i < ids.length - UNDATED_KEPT) continue;
    const next = ids[i + 1] ?? '';
    const lastOf = (length: number): boolean => next.slice(0, length) !== id.slice(0, length);
    if (age < policy.all || (age < policy.hourly && lastOf('20261130t08'.length)) || (age < policy.daily && lastOf('20261130'.length)))
      kept.add(id);
  }
  return kept;
}

const DATED = /^(.*\/|)(\d{8}t\d{6}\.\d{3}z)(?=[./]|$)/;

/** Thins the keys below a prefix that hold an id, each scope (what stands before the id) for itself. Returns the ids that stay. */
async function thin(
  store: Store,
  prefix: string,
  now: number,
  policy: RetentionPolicy,
  work: Work,
  isPinned: (scope: string, id: string) => boolean = () => false,
): Promise<Set<string>> {
  const scopes = new Map<string, Map<string, string[]>>();
  for (const key of await store.list(prefix)) {
    const [, scope, id] = DATED.exec(key) ?? [];
    if (scope === undefined || id === undefined) continue;
    const ids = scopes.get(scope) ?? new Map<string, string[]>();
    scopes.set(scope, ids.set(id, [...(ids.get(id) ?? []), key]));
  }
  const staying = new Set<string>();
  for (const [scope, ids] of scopes) {
    const kept = keepers([...ids.keys()], now, policy);
    for (const [id, keys] of ids) {
      if (kept.has(id) || isPinned(scope, id) || work.left <= 0) staying.add(id);
      // A recording goes before its pins, so that none is left whose snapshots are not held.
      else await work.remove(store, keys.toReversed());
    }
  }
  return staying;
}

const Pins = z.array(z.string());
const PinIndex = z.record(z.string(), Pins);
const PIN_INDEX = 'retention/pins';

/**
 * What the recordings of ticks pin: `source/id` for a snapshot, else a whole key. Pins are written once, so they are
 * gathered in an index, and each is read once only. Null where more are unread than one call may read.
 */
async function pinnedBy(store: Store, ticks: ReadonlySet<string>, limit: number): Promise<Set<string> | null> {
  const before = new Map(Object.entries((await unlessDamaged(store.get(PIN_INDEX, PinIndex))) ?? {}));
  const index = new Map<string, string[]>();
  const unread: string[] = [];
  for (const tick of ticks) {
    const known = before.get(tick);
    if (known === undefined) unread.push(tick);
    else index.set(tick, known);
  }
  const forgotten = index.size < before.size;
  for (const tick of unread.slice(0, limit)) {
    const pins = await unlessDamaged(store.get(`ticks/${tick}/pins`, Pins));
    if (pins !== null) index.set(tick, pins);
  }
  if (forgotten || unread.some((tick) => index.has(tick))) await store.put(PIN_INDEX, Object.fromEntries(index));
  return unread.length > limit ? null : new Set([...index.values()].flat());
}

async function thinSnapshots(
  store: Store,
  source: string,
  now: number,
  policy: RetentionPolicy,
  pinned: ReadonlySet<string>,
  work: Work,
): Promise<void> {
  // Where the head is damaged nobody knows what is committed, until the source's next commit writes a new one.
  const committed = await unlessDamaged(new Snapshots(store).list(source));
  const ids = (committed ?? []).toReversed();
  const read = (id: string): Promise<Snapshot | null> => unlessDamaged(store.get(snapshotKey(source, id), Snapshot));
  const kept = keepers(ids, now, policy);
  for (const id of ids.slice(-2)) kept.add(id);
  let before: string | null = null;
  for (const [i, id] of ids.entries()) {
    if (kept.has(id) || pinned.has(`${source}/${id}`) || work.left <= 0) {
      before = id;
      continue;
    }
    const next = await read(ids[i + 1] as string);
    // What cannot be read may refer to anything.
    if (next === null) {
      before = id;
      continue;
    }
    const own = await read(id);
    await work.remove(store, [...(await shardsToGo(store, source, id, own, before, next)), snapshotKey(source, id)]);
  }
}

/**
 * The shards that nobody refers to when a snapshot is gone. A shard is handed on from each snapshot to the next until it
 * is rewritten, and never comes back: so it is needed only by the next one that is kept, if that refers to it, and by
 * the one before, if that is not older than the shard.
 */
async function shardsToGo(
  store: Store,
  source: string,
  id: string,
  own: Snapshot | null,
  before: string | null,
  next: Snapshot,
): Promise<string[]> {
  const needed = new Set(next.facts.shards.map(({ at }, i) => shardKey(source, at, i)));
  if (own === null) return (await store.list(`facts/${source}/${id}`)).filter((key) => !needed.has(key));
  return own.facts.shards.flatMap(({ at }, i) => {
    const key = shardKey(source, at, i);
    return needed.has(key) || (before !== null && before >= at) ? [] : [key];
  });
}

async function thinSeries(store: Store, now: number, policy: RetentionPolicy, work: Work): Promise<void> {
  const oldest = new Date(now - policy.daily).toISOString().slice(0, 10);
  const days = (await store.list('series')).filter((key) => /\/\d{4}-\d{2}-\d{2}$/.test(key) && key.slice(-10) < oldest);
  await work.remove(store, days.slice(0, Math.max(0, work.left)));
}
