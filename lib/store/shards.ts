import * as z from 'zod';
import { Subject, subjectKey } from '../model/condition.ts';
import { digestHex } from '../model/identity.ts';
import { canonicalJson, JsonObject } from '../model/json.ts';

/** What is known of one subject. */
export interface SubjectFacts {
  subject: Subject;
  facts: JsonObject;
}

/** A shard as it lies in the store: its subjects in the order of their keys. */
export const Shard = z.array(z.object({ subject: Subject, facts: JsonObject }));

interface ShardText {
  text: string;
  sha256: string;
}

/** Facts as they are stored: plain texts, which cross from a thread to another at little cost. */
export interface PackedFacts {
  subjects: number;
  shards: ShardText[];
}

export const NO_FACTS: PackedFacts = { subjects: 0, shards: [] };

const MAX_SUBJECTS = 256;
/** Where names collide on purpose, doubling the shards parts them no further. */
const MIN_MEAN = 16;

/** Which of `count` shards (a power of two) a subject's facts are in. */
export function shardOf(subject: Subject, count: number): number {
  return hashOf(subjectKey(subject)) & (count - 1);
}

/** Where a shard lies that was written with snapshot `at`. */
export function shardKey(source: string, at: string, index: number): string {
  return `facts/${source}/${at}/${String(index).padStart(4, '0')}`;
}

/**
 * Parts facts by the hash of their subject into the smallest power of two of shards that hold at most 256 each, so that
 * one subject is read without the others and a change rewrites only its own shard. The same facts in any order give the
 * same bytes; of one subject given twice the later facts stay.
 */
export async function packFacts(facts: readonly SubjectFacts[]): Promise<PackedFacts> {
  const bySubject = new Map<string, SubjectFacts>();
  for (const entry of facts) bySubject.set(subjectKey(entry.subject), entry);
  const keys = [...bySubject.keys()].sort();
  const hashes = Uint32Array.from(keys, hashOf);
  const count = shardsFor(hashes);
  const shards: object[][] = Array.from({ length: count }, () => []);
  for (const [i, key] of keys.entries()) {
    const { facts: known, subject } = bySubject.get(key) as SubjectFacts;
    // In the order of canonical JSON, which is dear to make.
    shards[(hashes[i] as number) & (count - 1)]?.push({ facts: known, subject: { id: subject.id, type: subject.type } });
  }
  const texts = shards.map(canonicalJson);
  return { subjects: keys.length, shards: await Promise.all(texts.map(async (text) => ({ text, sha256: await digestHex(text) }))) };
}

/** The smallest power of two of shards that parts subjects with these hashes into at most {@link MAX_SUBJECTS} each. */
function shardsFor(hashes: Uint32Array): number {
  if (hashes.length === 0) return 0;
  for (let count = 1; ; count *= 2) {
    const sizes = new Uint32Array(count);
    for (const hash of hashes) (sizes[hash & (count - 1)] as number)++;
    if (count * MIN_MEAN >= hashes.length || sizes.every((size) => size <= MAX_SUBJECTS)) return count;
  }
}

/** 32 bits of a subject's key (FNV-1a, its bits mixed once more): it only spreads subjects over shards. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}
