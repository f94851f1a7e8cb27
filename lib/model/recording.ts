import * as z from 'zod';
import { Json } from './json.ts';
import { Assessment } from './report.ts';
import { Attempt } from './snapshot.ts';
import { IsoTime, TimeId } from './time.ts';

/** One exchange with the model: what was sent, and what came back or went wrong. */
export const Exchange = z.object({
  request: Json,
  answer: Json.optional(),
  error: z.object({ code: z.string(), message: z.string(), status: z.number().optional(), detail: Json.optional() }).optional(),
});
export type Exchange = z.infer<typeof Exchange>;

/** One call of a tool within a run: what was asked, what the menu answered. */
export const ToolResult = z.object({ turn: z.number().int(), name: z.string(), arguments: Json, result: Json, decision: z.string() });
export type ToolResult = z.infer<typeof ToolResult>;

/** Everything that a tick was made of: with it, and the snapshots it pins, the tick can be run again to the byte. */
export const Recording = z.object({
  schema: z.literal('hpc-observer/recording/1'),
  tick: TimeId,
  version: z.string(),
  /** Every reading of the clock, in order, ms since the epoch. */
  clock: z.array(z.number()),
  seed: z.number().int(),
  /** What fenced the data in this tick's prompts; nobody can know it before. */
  nonce: z.string().default(''),
  /** What was known of the model's endpoint when the tick began. */
  profile: Json.nullable().default(null),
  configuration: z.string(),
  /** The ground truth as it stood, whole; or why it could not be read. */
  groundTruth: z.object({ file: z.string(), text: z.string(), unreadable: z.string().exactOptional() }).nullable(),
  /** The tick whose lifecycle state this one began with. */
  before: TimeId.nullable(),
  /** Why that is not the state that the tick before left; null where it is. */
  damage: z.string().nullable().default(null),
  unfinished: TimeId.nullable(),
  alsoUnfinished: z.array(TimeId).default([]),
  /** The assessment of the tick before, which may have been carried on. */
  previous: Assessment.nullable(),
  /** For each source the pinned snapshot, and those that were new since the last tick, oldest first. */
  pinned: z.record(z.string(), z.object({ snapshot: TimeId.nullable(), since: z.array(TimeId), attempt: Attempt.nullable() })),
  /** The numbers over time that forecasts were made of: `[at, value]`, `at` in ms since the epoch. */
  series: z.array(z.object({ source: z.string(), name: z.string(), points: z.array(z.tuple([z.number(), z.number()])) })).default([]),
  model: z.string().nullable(),
  exchanges: z.array(Exchange),
  toolResults: z.array(ToolResult),
  startedAt: IsoTime,
});
export type Recording = z.infer<typeof Recording>;
