import * as z from 'zod';
import { CLEARED_BY, Condition } from './condition.ts';
import { JsonObject } from './json.ts';
import { IsoTime, TimeId } from './time.ts';

export const SourceName = z.string().regex(/^[a-z][a-z0-9_]{0,40}$/, 'expected a source name such as weka_state');

/**
 * `ok`; `partial` = usable, but an expected input was missing, unreadable, truncated or over budget;
 * `failed` = no usable record; `skipped` = not configured.
 */
export const Status = z.enum(['ok', 'partial', 'failed', 'skipped']);
export type Status = z.infer<typeof Status>;

/** Something that went wrong with an input or with one record in it. */
export const CoverageProblem = z.object({
  /** `input` makes the source partial; `record` is a counted rejection (a sample of them is listed); `note` is only said. */
  effect: z.enum(['input', 'record', 'note']),
  input: z.string().optional(),
  /** Where: `line 12 column 3`, `/nodes/41`, `offset 1048576`. */
  place: z.string().optional(),
  message: z.string(),
});
export type CoverageProblem = z.infer<typeof CoverageProblem>;

export const CoverageInput = z.object({
  name: z.string(),
  role: z.string().optional(),
  status: z.enum(['ok', 'missing', 'unreadable', 'empty', 'too_large', 'changing', 'invalid', 'truncated']),
  bytes: z.number().int().nonnegative(),
  mtime: IsoTime.optional(),
});
export type CoverageInput = z.infer<typeof CoverageInput>;

/** What was seen. */
export const Coverage = z.object({
  /** Every input; of more than 200 those that are not ok, and the first of the others. */
  inputs: z.array(CoverageInput),
  inputsTotal: z.number().int().nonnegative(),
  records: z.number().int().nonnegative(),
  rejected: z.number().int().nonnegative(),
  problems: z.array(CoverageProblem),
  /** Per type of subject a folded node set, or `all` where the collection was proven complete. */
  observed: z.record(z.string(), z.string()),
});
export type Coverage = z.infer<typeof Coverage>;

export const AsOfFrom = z.enum(['data', 'mtime', 'given', 'collected']);

/** Where the facts of a subject lie: shard `n` was last written with snapshot `at` and has this SHA-256. */
export const FactsManifest = z.object({
  subjects: z.number().int().nonnegative(),
  shards: z.array(z.object({ at: TimeId, sha256: z.string() })),
});
export type FactsManifest = z.infer<typeof FactsManifest>;

/** One collector's dated output. */
export const Snapshot = z.object({
  schema: z.literal('hpc-observer/snapshot/1'),
  source: SourceName,
  cluster: z.string(),
  id: TimeId,
  /** The snapshot committed before this one. */
  previous: TimeId.nullable(),
  collectedAt: IsoTime,
  asOf: IsoTime,
  asOfFrom: AsOfFrom,
  status: z.enum(['ok', 'partial']),
  coverage: Coverage,
  summary: JsonObject,
  /** What is open, in the order of severity, kind and subject. */
  conditions: z.array(Condition),
  /** What its own evidence ended since the last snapshot. */
  cleared: z.array(z.object({ id: z.string(), by: z.enum(CLEARED_BY), at: IsoTime })),
  /** At most 50 numbers that are kept as a series. */
  series: z.record(z.string(), z.number()),
  facts: FactsManifest,
});
export type Snapshot = z.infer<typeof Snapshot>;

/** Why a source or a step failed, and what to do: the members of an RFC 9457 problem that are ours. */
export const Problem = z.object({
  code: z.enum(['unreadable', 'invalid', 'timeout', 'too_large', 'missing', 'busy', 'store', 'internal']),
  detail: z.string(),
  /** The file, URL or part at fault. */
  input: z.string().optional(),
  /** Where in it. */
  place: z.string().optional(),
  advice: z.string(),
});
export type Problem = z.infer<typeof Problem>;

/** The record that every collect writes, whatever happened. */
export const Attempt = z.object({
  source: SourceName,
  startedAt: IsoTime,
  endedAt: IsoTime,
  status: Status,
  problem: Problem.optional(),
  snapshot: TimeId.optional(),
});
export type Attempt = z.infer<typeof Attempt>;

/** What `collect` prints and `POST /collect/{source}` answers; `conditions` is their number. */
export const CollectResult = z.object({
  source: SourceName,
  status: Status,
  snapshot: TimeId.nullable(),
  conditions: z.number().int().nonnegative(),
  coverage: Coverage.nullable(),
  problem: Problem.optional(),
});
export type CollectResult = z.infer<typeof CollectResult>;
