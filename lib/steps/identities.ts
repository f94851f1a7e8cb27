import * as z from 'zod';
import type { Identity } from '../findings/names.ts';
import type { JsonObject } from '../model/json.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { type Store, StoreError } from '../store/store.ts';
import type { Observer } from './observer.ts';

/** Sources whose facts tell who a node is: the inventory, whose names are the nodes' own, and the hardware's management. */
const TELLING = ['hpcm_inventory', 'oneview_inventory'] as const;

const NODES: ReadonlySet<string> = new Set(['node', 'service_node']);
const MACS_KEPT = 8;

const Row = z.object({
  name: z.string(),
  aliases: z.array(z.string()).exactOptional(),
  serial: z.string().exactOptional(),
  bmc: z.string().exactOptional(),
  bmcMac: z.string().exactOptional(),
  macs: z.array(z.string()).exactOptional(),
  image: z.string().exactOptional(),
  assigned: z.string().exactOptional(),
  kernel: z.string().exactOptional(),
});
/** What was made of each shard of facts, by its SHA-256: shards that are as before are not read again. */
const Cache = z.object({ shards: z.record(z.string(), z.array(Row)) });

/** The rows of each shard of a source by its SHA-256, and the shards whose rows are stored. */
interface Rows {
  byShard: ReadonlyMap<string, Identity[]>;
  stored: ReadonlySet<string>;
}

/** What was made last of the facts in a store: for the same shards it is the same, and so is what is made of it. */
const made = new WeakMap<
  Store,
  { of: string; isKept: boolean; rows: ReadonlyMap<string, Rows>; identities: ReadonlyMap<string, readonly Identity[]> }
>();

/** Rows are written for the next process when more than this share of the shards is not among the stored ones. */
const NOT_STORED = 1 / 8;

/**
 * What the pinned snapshots' facts tell of the identity of nodes, by source. A shard that cannot be read joins nothing.
 * @param options.keep writes what was made of new shards, for the next time
 */
export async function readIdentities(
  { store, snapshots, log }: Pick<Observer, 'store' | 'snapshots' | 'log'>,
  pinned: readonly { source: string; snapshot: Snapshot | null }[],
  { keep }: { keep: boolean },
): Promise<ReadonlyMap<string, readonly Identity[]>> {
  const telling = pinned.flatMap(({ source, snapshot }) =>
    snapshot !== null && TELLING.some((t) => t === source) ? [{ source, snapshot }] : [],
  );
  const of = JSON.stringify(telling.map(({ source, snapshot }) => [source, snapshot.facts.shards.map((shard) => shard.sha256)]));
  const before = made.get(store);
  if (before?.of === of && (before.isKept || !keep)) return before.identities;
  const rows = new Map<string, Rows>();
  let isWhole = true;
  for (const { source, snapshot } of telling) {
    const known = before?.rows.get(source) ?? (await readCache(store, source));
    const byShard = new Map<string, Identity[]>();
    for (const [index, { sha256 }] of snapshot.facts.shards.entries()) {
      try {
        byShard.set(sha256, known.byShard.get(sha256) ?? (await snapshots.shard(source, snapshot, index)).flatMap(rowOf));
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        isWhole = false;
        log('warn', 'identities', { source, error: error.message });
      }
    }
    const fresh = [...byShard.keys()].filter((sha256) => !known.stored.has(sha256));
    const isDue = keep && fresh.length > byShard.size * NOT_STORED;
    if (isDue) await store.put(cacheKey(source), { shards: Object.fromEntries(byShard) });
    rows.set(source, { byShard, stored: isDue ? new Set(byShard.keys()) : known.stored });
  }
  const all = new Map([...rows].map(([source, { byShard }]) => [source, [...byShard.values()].flat()]));
  // Most of what changes in facts, as a node's power, is no part of its identity.
  const identities = before && isSame(before.identities, all) ? before.identities : all;
  if (isWhole) made.set(store, { of, isKept: keep, rows, identities });
  return identities;
}

function isSame(before: ReadonlyMap<string, readonly Identity[]>, now: ReadonlyMap<string, readonly Identity[]>): boolean {
  const isSameRow = (a: Identity | undefined, b: Identity): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);
  return (
    before.size === now.size &&
    [...now].every(([source, rows]) => {
      const were = before.get(source);
      return were?.length === rows.length && rows.every((row, i) => isSameRow(were[i], row));
    })
  );
}

async function readCache(store: Store, source: string): Promise<Rows> {
  const cache = await store.get(cacheKey(source), Cache).catch((error: unknown) => {
    if (error instanceof StoreError) return null;
    throw error;
  });
  const byShard = new Map(Object.entries(cache?.shards ?? {}));
  return { byShard, stored: new Set(byShard.keys()) };
}

function cacheKey(source: string): string {
  return `findings/identities/${source}`;
}

function rowOf({ subject, facts }: { subject: { type: string; id: string }; facts: JsonObject }): Identity[] {
  if (!NODES.has(subject.type)) return [];
  const image = facts['bootedImage'] ?? facts['image'];
  const aliases = textsOf(facts['aliases']);
  const macs = textsOf(facts['macs']).slice(0, MACS_KEPT);
  return [
    {
      name: subject.id,
      ...(aliases.length > 0 && { aliases }),
      ...(typeof facts['serial'] === 'string' && { serial: facts['serial'] }),
      ...(typeof facts['bmc'] === 'string' && { bmc: facts['bmc'] }),
      ...(typeof facts['bmcMac'] === 'string' && { bmcMac: facts['bmcMac'] }),
      ...(macs.length > 0 && { macs }),
      ...(typeof image === 'string' && { image }),
      ...(typeof facts['image'] === 'string' && { assigned: facts['image'] }),
      ...(typeof facts['kernel'] === 'string' && { kernel: facts['kernel'] }),
    },
  ];
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((v) => typeof v === 'string') : [];
}
