import * as z from 'zod';
import { LifecycleState } from '../findings/judge.ts';
import { Assessment } from '../model/report.ts';
import { TimeId } from '../model/time.ts';
import { type Store, StoreError } from '../store/store.ts';

/** States that are tried before everything is seen as for the first time. */
const TRIED = 12;

const STATES = 'findings/states';

/** The last tick that ended: where the next one takes up. Writing it is a tick's commit point. */
const Head = z.object({ tick: TimeId, assessment: Assessment });
export type Head = z.infer<typeof Head>;

/** What the last tick left; where that is damaged, the newest state that there is, and no assessment. */
export async function readHead(store: Store): Promise<{ tick: string; assessment: Assessment | null; damage: string | null } | null> {
  try {
    const head = await store.get('findings/head', Head);
    return head && { ...head, damage: null };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const newest = (await store.list(STATES)).at(-1)?.slice(STATES.length + 1);
    return newest === undefined ? null : { tick: newest, assessment: null, damage: `${error.message}; taken up from tick ${newest}` };
  }
}

export interface Before {
  state: LifecycleState | null;
  /** The tick that left it. */
  tick: string | null;
  /** Why it is not the one that the last tick left; null where it is. */
  damage: string | null;
}

/**
 * The lifecycle's state to go on from. Where the one that the last tick left is damaged or gone, an older one is as good:
 * the snapshots since then are judged once more.
 */
export async function readBefore(store: Store, lastTick: string | null): Promise<Before> {
  if (lastTick === null) return { state: null, tick: null, damage: null };
  const first = await readState(store, lastTick);
  if (typeof first !== 'string') return { state: first, tick: lastTick, damage: null };
  const older = (await store.list(STATES)).map((key) => key.slice(STATES.length + 1)).filter((tick) => tick < lastTick);
  for (const tick of older.toReversed().slice(0, TRIED)) {
    const state = await readState(store, tick);
    if (typeof state !== 'string') return { state, tick, damage: `${first}; taken up from tick ${tick}` };
  }
  return { state: null, tick: null, damage: `${first}, and no older one is there: everything is seen as for the first time` };
}

/** A state, or what is wrong with it. */
async function readState(store: Store, tick: string): Promise<LifecycleState | string> {
  const key = `${STATES}/${tick}`;
  try {
    return (await store.getShared(key, LifecycleState)) ?? `${key} is gone`;
  } catch (error) {
    if (error instanceof StoreError) return error.message;
    throw error;
  }
}
