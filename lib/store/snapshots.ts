import * as z from 'zod';
import type { Subject } from '../model/condition.ts';
import { subjectKey } from '../model/condition.ts';
import { digestHex } from '../model/identity.ts';
import type { JsonObject } from '../model/json.ts';
import { type FactsManifest, Snapshot } from '../model/snapshot.ts';
import { fromTimeId, TimeId, toTimeId } from '../model/time.ts';
import { atOnce } from './at-once.ts';
import type { Lease } from './leases.ts';
import { type PackedFacts, Shard, shardKey, shardOf, type SubjectFacts } from './shards.ts';
import { readJson, type Store, StoreError } from './store.ts';

/** What a collector hands on must stay small beside what it reads. */
export const MAX_CARRY_BYTES = 16 * 1024 * 1024;

/** Which inputs came to the snapshot, and from when until when (ms) the same would come to it again. */
export const Stands = z.object({ key: z.string(), from: z.number(), until: z.number() });
export type Stands = z.infer<typeof Stands>;

/** The first line of `carry/{source}`; the second is the carry itself, which most readers of the head never parse. */
const Head = z.object({
  schema: z.literal('hpc-observer/carry/1'),
  snapshot: TimeId,
  carry: z.object({ version: z.number().int(), sha256: z.string() }).nullable(),
  stands: Stands.optional(),
});
type Head = z.infer<typeof Head>;

export interface Commit {
  snapshot: Omit<Snapshot, 'facts' | 'previous'>;
  /** `as before`: those of the latest snapshot. */
  facts: PackedFacts | 'as before';
  /** What is handed on, as JSON. None: the next run starts without. */
  carry?: { version: number; text: string };
  stands?: Stands;
  /** Checked before what others left is removed, and again right before the commit point. */
  lease?: Lease;
}

/** What the last commit handed on: the JSON that it was given, byte for byte, and when its run began, ms. */
export type StoredCarry = { state: 'none' | 'unreadable' } | { state: 'ok'; text: string; at: number; stands?: Stands };

/**
 * The dated outputs of all sources. A commit is one put of the head `carry/{source}`, which names the snapshot and holds
 * the carry: before it nothing has happened, after it everything has. A snapshot that is newer than the head was
 * left by a commit that never ended; it is listed nowhere, and removed by the next commit.
 */
export class Snapshots {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** An id for a snapshot begun at `now` (ms): later than every committed one, also where the clock was set back. */
  async nextId(source: string, now: number): Promise<string> {
    const last = await this.#lastId(source);
    const id = toTimeId(now);
    return last === null || id > last ? id : toTimeId(fromTimeId(last) + 1);
  }

  /**
   * Writes a snapshot, its facts and its carry as one. Shards that are as in the snapshot before are not written again.
   * @throws StoreError where the carry is over 16 MiB or the id is not later than the latest; LeaseLost
   */
  async commit({ snapshot, facts, carry, stands, lease }: Commit): Promise<Snapshot> {
    const { source, id } = snapshot;
    const carryText = carry?.text ?? '';
    refuseLongCarry(source, carryText);
    const head = await this.#head(source).catch(onlyStoreErrors);
    const last = head === undefined ? ((await this.#ids(source))[0] ?? null) : (head?.snapshot ?? null);
    if (last !== null && id <= last) throw new StoreError(`snapshot ${id} of ${source} is not later than ${last}, the latest`);
    await lease?.check();
    if (head !== undefined) await this.#removeOrphans(source, last);

    // Under a damaged head the newest snapshot may be one whose commit never ended: its shards are not relied on.
    const before = last === null || head === undefined ? null : await this.#read(source, last).catch(onlyStoreErrors);
    if (facts === 'as before' && !before) throw new StoreError(`there is no snapshot of ${source} whose facts could go on`);
    const manifest = facts === 'as before' ? (before as Snapshot).facts : manifestOf(facts, id, before?.facts);
    const { schema, source: _, cluster, id: __, ...rest } = snapshot;
    const whole: Snapshot = { schema, source, cluster, id, previous: last, ...rest, facts: manifest };
    // The snapshot goes before its shards, so that what a killed commit leaves can be found by its manifest.
    await this.#store.putShared(snapshotKey(source, id), whole, Snapshot);
    const texts = facts === 'as before' ? [] : facts.shards;
    const fresh = texts.flatMap(({ text }, i) => (manifest.shards[i]?.at === id ? [{ key: shardKey(source, id, i), text }] : []));
    await atOnce(fresh, ({ key, text }) => this.#store.putText(key, text));
    const next: Head = {
      schema: 'hpc-observer/carry/1',
      snapshot: id,
      carry: carry === undefined ? null : { version: carry.version, sha256: await digestHex(carryText) },
      ...(stands && { stands }),
    };
    await lease?.check();
    await this.#store.putText(headKey(source), `${JSON.stringify(next)}\n${carryText}`);
    return whole;
  }

  /** The snapshot that was committed last. @throws StoreError where the head or the snapshot is damaged */
  async latest(source: string): Promise<Snapshot | null> {
    const head = await this.#head(source);
    if (head === null) return null;
    const snapshot = await this.#read(source, head.snapshot);
    if (snapshot === null)
      throw new StoreError(`${snapshotKey(source, head.snapshot)} is gone, the latest of ${source}`, {
        key: snapshotKey(source, head.snapshot),
      });
    return snapshot;
  }

  /** The newest one before the latest that retention has kept. */
  async previous(source: string): Promise<Snapshot | null> {
    const id = (await this.list(source))[1];
    return id === undefined ? null : this.#read(source, id);
  }

  /** A committed snapshot by its id. */
  async get(source: string, id: string): Promise<Snapshot | null> {
    if (!TimeId.safeParse(id).success) return null;
    const snapshot = await this.#read(source, id);
    if (snapshot === null) return null;
    const last = await this.#lastId(source);
    return last !== null && id <= last ? snapshot : null;
  }

  /** The ids of all committed snapshots that retention has kept, the newest first. */
  async list(source: string): Promise<string[]> {
    const head = await this.#head(source);
    if (head === null) return [];
    return (await this.#ids(source)).filter((id) => id <= head.snapshot);
  }

  /** What the last commit handed on. One of another version, or a damaged one, is unreadable. */
  async carry(source: string, version: number): Promise<StoredCarry> {
    try {
      const text = await this.#store.getText(headKey(source));
      if (text === null) return { state: 'none' };
      const { snapshot, carry, stands } = parseHead(source, text);
      if (carry === null) return { state: 'none' };
      const value = text.slice(text.indexOf('\n') + 1);
      if (carry.version !== version || (await digestHex(value)) !== carry.sha256) return { state: 'unreadable' };
      return { state: 'ok', text: value, at: fromTimeId(snapshot), ...(stands && { stands }) };
    } catch (error) {
      onlyStoreErrors(error);
      return { state: 'unreadable' };
    }
  }

  /** What a snapshot knows of one subject: one shard is read. @throws StoreError where it is damaged or gone */
  async facts(source: string, snapshot: Snapshot, subject: Subject): Promise<JsonObject | null> {
    const count = snapshot.facts.shards.length;
    if (count === 0) return null;
    const key = subjectKey(subject);
    const shard = await this.#shard(source, snapshot, shardOf(subject, count));
    return shard.find((entry) => subjectKey(entry.subject) === key)?.facts ?? null;
  }

  /** All facts of a snapshot, a shard at a time. @throws StoreError where a shard is damaged or gone */
  async *allFacts(source: string, snapshot: Snapshot): AsyncGenerator<SubjectFacts> {
    for (const i of snapshot.facts.shards.keys()) yield* await this.#shard(source, snapshot, i);
  }

  /** The facts of one shard of a snapshot, by its place in the manifest. @throws StoreError where it is damaged or gone */
  async shard(source: string, snapshot: Snapshot, index: number): Promise<SubjectFacts[]> {
    return this.#shard(source, snapshot, index);
  }

  async #shard(source: string, snapshot: Snapshot, index: number): Promise<SubjectFacts[]> {
    const entry = snapshot.facts.shards[index];
    const key = shardKey(source, entry?.at ?? snapshot.id, index);
    const text = entry === undefined ? null : await this.#store.getText(key);
    if (text === null) throw new StoreError(`${key} is gone, which snapshot ${snapshot.id} of ${source} refers to`, { key });
    if ((await digestHex(text)) !== entry?.sha256)
      throw new StoreError(`${key} is damaged: its SHA-256 is not the one in snapshot ${snapshot.id}`, { key });
    return readJson(key, text, Shard);
  }

  async #head(source: string): Promise<Head | null> {
    return this.#store.getSharedLine(headKey(source), Head);
  }

  /** The id of the latest snapshot; where the head is damaged, of the newest there is. */
  async #lastId(source: string): Promise<string | null> {
    const head = await this.#head(source).catch(onlyStoreErrors);
    return head === undefined ? ((await this.#ids(source))[0] ?? null) : (head?.snapshot ?? null);
  }

  async #ids(source: string): Promise<string[]> {
    const prefix = `snapshots/${source}/`;
    const ids = (await this.#store.list(prefix.slice(0, -1))).map((key) => key.slice(prefix.length));
    return ids.filter((id) => TimeId.safeParse(id).success).toReversed();
  }

  async #read(source: string, id: string): Promise<Snapshot | null> {
    return this.#store.getShared(snapshotKey(source, id), Snapshot);
  }

  /** Removes what commits left that never ended: shards first, since the snapshot tells which. */
  async #removeOrphans(source: string, last: string | null): Promise<void> {
    for (const id of await this.#ids(source)) {
      if (last !== null && id <= last) break;
      const orphan = await this.#read(source, id).catch(onlyStoreErrors);
      for (const [i, { at }] of (orphan?.facts.shards ?? []).entries()) {
        if (at === id) await this.#store.remove(shardKey(source, id, i));
      }
      await this.#store.remove(snapshotKey(source, id));
    }
  }
}

/** Shards that are as in the snapshot before stay where they lie. */
function manifestOf({ subjects, shards }: PackedFacts, id: string, before: FactsManifest | undefined): FactsManifest {
  const known = before?.shards.length === shards.length ? before.shards : [];
  return {
    subjects,
    shards: shards.map(({ sha256 }, i) => {
      const old = known[i];
      return old?.sha256 === sha256 ? old : { at: id, sha256 };
    }),
  };
}

export function snapshotKey(source: string, id: string): string {
  return `snapshots/${source}/${id}`;
}

function headKey(source: string): string {
  return `carry/${source}`;
}

function parseHead(source: string, text: string): Head {
  const end = text.indexOf('\n');
  return readJson(headKey(source), end < 0 ? text : text.slice(0, end), Head);
}

function refuseLongCarry(source: string, text: string): void {
  // A character has one to three bytes of UTF-8: only a text between the two needs counting.
  const bytes = text.length * 3 <= MAX_CARRY_BYTES ? 0 : new TextEncoder().encode(text).length;
  if (bytes > MAX_CARRY_BYTES) {
    throw new StoreError(
      `the carry of ${source} has ${bytes} bytes, more than the ${MAX_CARRY_BYTES} that are kept: nothing was committed`,
    );
  }
}

/** For a damaged value that is passed over on purpose: undefined; a store that cannot be read at all still throws. */
function onlyStoreErrors(error: unknown): undefined {
  if (!(error instanceof StoreError)) throw error;
}
