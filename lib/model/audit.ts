import * as z from 'zod';
import { Json } from './json.ts';
import { IsoTime } from './time.ts';

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'expected a SHA-256 in hex');

/** One call of a tool, as the menu accounts for it: whoever called appends it to the log. */
export const AuditEntry = z.object({
  /** The tick or request that the call belongs to. */
  run: z.string().optional(),
  turn: z.number().int().nonnegative().optional(),
  callId: z.string().optional(),
  tool: z.string(),
  /** As they came; long ones are cut in the log, `argsHash` is over the whole. */
  args: Json,
  /** SHA-256 over the canonical JSON of the arguments. */
  argsHash: Sha256,
  /** SHA-256 over the canonical JSON of the result. */
  resultHash: Sha256,
  /** Of the result, as it was answered. */
  bytes: z.number().int().nonnegative(),
  ms: z.number().nonnegative(),
  decision: z.union([z.literal('executed'), z.object({ refused: z.string() })]),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

/** An entry in its place in the log: each line holds the hash of the one before it. */
export const AuditLine = AuditEntry.extend({
  /** Counts the lines of a writer, from 0. */
  seq: z.number().int().nonnegative(),
  at: IsoTime,
  writer: z.string(),
  /** `hash` of the writer's line before; 64 zeros for its first. */
  prevHash: Sha256,
  /** SHA-256 over the canonical JSON of this line without `hash`. */
  hash: Sha256,
});
export type AuditLine = z.infer<typeof AuditLine>;
