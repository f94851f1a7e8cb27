import * as z from 'zod';
import { toIso } from '../model/time.ts';
import { type Store, StoreError } from './store.ts';

/** The lease went to somebody else, or ran out: what was to be written under it must not be. */
export class LeaseLost extends Error {
  override name = 'LeaseLost';
}

const Holding = z.object({
  owner: z.string(),
  /** Clock readings in milliseconds since the epoch. */
  since: z.number(),
  renewed: z.number(),
  expires: z.number(),
  released: z.boolean(),
});
type Holding = z.infer<typeof Holding>;

/** Who holds a lease that could not be had; the times are ISO 8601. */
export interface Busy {
  busy: { owner: string; since: string; expires: string };
}

/** The right to do a step alone, for a time. */
export interface Lease {
  readonly name: string;
  readonly generation: number;
  /** Holds it for another term, also where it had run out and nobody came. @throws LeaseLost */
  renew(): Promise<void>;
  /** Fencing: called right before a write that only the holder may do. @throws LeaseLost */
  check(): Promise<void>;
  /** Lets others have it at once. Never throws LeaseLost: there is nothing left to release then. */
  release(): Promise<void>;
}

export interface LeaseOptions {
  now: () => number;
  /** Names this process among all that share the store. */
  owner: string;
  /** Whether an owner surely ended (a process of this host whose id is no more): its lease is free before it runs out. */
  ownerIsGone?: (owner: string) => boolean;
}

/**
 * Leases by generation: `leases/{name}/{generation}`. The highest one counts. Whoever creates the next generation, and
 * only one can, has taken the lease over; whoever held an earlier one learns it at its next check. No driver needs more
 * than create-if-absent for that, and the highest generation is never removed.
 */
export class Leases {
  readonly #store: Store;
  readonly #options: LeaseOptions;
  /** Holdings of ours that are over although the store could not take their release. */
  readonly #over = new Set<string>();

  constructor(store: Store, options: LeaseOptions) {
    this.#store = store;
    this.#options = options;
  }

  /**
   * Takes a lease that nobody holds, or whose holder ran out of time, released it, or is gone.
   * @param name segments of a key; other names through `encodeSegment`
   */
  async acquire(name: string, ttlMs: number): Promise<Lease | Busy> {
    for (;;) {
      const generations = await generationsOf(this.#store, name);
      const last = generations.at(-1) ?? 0;
      const holding = last === 0 ? null : await readHolding(this.#store, name, last);
      if (holding !== null && this.#isHeld(holding) && !this.#over.has(keyOf(name, last))) {
        return { busy: { owner: holding.owner, since: toIso(holding.since), expires: toIso(holding.expires) } };
      }
      const mine = last + 1;
      const now = this.#options.now();
      const taken: Holding = { owner: this.#options.owner, since: now, renewed: now, expires: now + ttlMs, released: false };
      if (!(await this.#store.create(keyOf(name, mine), taken))) continue;
      // Where this process slept since it looked, later generations may have come and swept this very number away.
      if ((await generationsOf(this.#store, name)).at(-1) !== mine) {
        await this.#store.remove(keyOf(name, mine));
        continue;
      }
      for (const old of generations) {
        this.#over.delete(keyOf(name, old));
        await this.#store.remove(keyOf(name, old));
      }
      return new HeldLease(this.#store, { now: this.#options.now, over: this.#over }, name, mine, ttlMs, taken);
    }
  }

  #isHeld(holding: Holding): boolean {
    return !holding.released && isCurrent(holding, this.#options.now()) && !this.#options.ownerIsGone?.(holding.owner);
  }
}

/**
 * Whether a holding counts at `now`. One that was renewed further ahead than its own term comes from a clock that has
 * been set back since: it counts no more, or a dead holder would block its successors for as long as the clock was wrong.
 */
function isCurrent(holding: Holding, now: number): boolean {
  return now < holding.expires && holding.renewed - now <= holding.expires - holding.renewed;
}

class HeldLease implements Lease {
  readonly name: string;
  readonly generation: number;
  readonly #store: Store;
  readonly #now: () => number;
  readonly #over: Set<string>;
  readonly #ttl: number;
  #holding: Holding;
  #queue: Promise<void> = Promise.resolve();

  constructor(
    store: Store,
    { now, over }: { now: () => number; over: Set<string> },
    name: string,
    generation: number,
    ttl: number,
    holding: Holding,
  ) {
    this.#store = store;
    this.#now = now;
    this.#over = over;
    this.name = name;
    this.generation = generation;
    this.#ttl = ttl;
    this.#holding = holding;
  }

  renew(): Promise<void> {
    return this.#oneByOne(async () => {
      if (this.#holding.released) throw new LeaseLost(`the lease ${this.name} was released`);
      await this.#refuseSuccessor();
      const now = this.#now();
      const renewed = { ...this.#holding, renewed: now, expires: now + this.#ttl };
      await this.#store.put(keyOf(this.name, this.generation), renewed);
      await this.#refuseSuccessor();
      this.#holding = renewed;
    });
  }

  async check(): Promise<void> {
    if (this.#holding.released) throw new LeaseLost(`the lease ${this.name} was released`);
    await this.#refuseSuccessor();
    if (!isCurrent(this.#holding, this.#now())) throw new LeaseLost(`the lease ${this.name} ran out`);
  }

  release(): Promise<void> {
    return this.#oneByOne(async () => {
      if (this.#holding.released) return;
      this.#holding = { ...this.#holding, released: true };
      const key = keyOf(this.name, this.generation);
      this.#over.add(key);
      if ((await generationsOf(this.#store, this.name)).at(-1) === this.generation) await this.#store.put(key, this.#holding);
      this.#over.delete(key);
    });
  }

  /** A renewal on a timer must not land after the release. */
  #oneByOne(work: () => Promise<void>): Promise<void> {
    const done = this.#queue.then(work);
    this.#queue = done.catch(() => undefined);
    return done;
  }

  async #refuseSuccessor(): Promise<void> {
    const last = (await generationsOf(this.#store, this.name)).at(-1);
    if (last !== this.generation) throw new LeaseLost(`the lease ${this.name} went to another holder`);
  }
}

function keyOf(name: string, generation: number): string {
  return `leases/${name}/${String(generation).padStart(12, '0')}`;
}

async function generationsOf(store: Store, name: string): Promise<number[]> {
  const prefix = `leases/${name}/`;
  const numbers = (await store.list(prefix.slice(0, -1))).map((key) => key.slice(prefix.length));
  return numbers.filter((number) => /^\d{12}$/.test(number)).map(Number);
}

/** A holding that cannot be read protects nobody: null, as if it had run out. */
async function readHolding(store: Store, name: string, generation: number): Promise<Holding | null> {
  try {
    return await store.get(keyOf(name, generation), Holding);
  } catch (error) {
    if (error instanceof StoreError) return null;
    throw error;
  }
}

/** Removes the generations that a later one has replaced. Returns how many. */
export async function sweepLeases(store: Store, limit: number): Promise<number> {
  const keys = (await store.list('leases')).filter((key) => /\/\d{12}$/.test(key));
  const replaced = keys.filter((key, i) => keys[i + 1]?.slice(0, -12) === key.slice(0, -12)).slice(0, limit);
  for (const key of replaced) await store.remove(key);
  return replaced.length;
}
