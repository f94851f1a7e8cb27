import * as z from 'zod';
import { CLASSES } from './scenario.ts';

/** What became of one thing that a fault should show. Looks are counted from the first. */
const Shown = z.object({
  /** `KIND TYPE ID`, `* ID` for any kind, or `source NAME`. */
  key: z.string(),
  /** The look at which it could be seen at the earliest, and at which it was; null = never. */
  since: z.number().int(),
  first: z.number().int().nullable(),
  /** At how many looks it was due, and was there. */
  due: z.number().int(),
  seen: z.number().int(),
  /** Whether its severity was what the fault says; null where it says none. */
  severity: z.boolean().nullable(),
  /** At how many looks it was resolved though its fault went on. */
  falselyResolved: z.number().int(),
});

/** What one contender made of the look at which models are asked. */
export const Asked = z.object({
  status: z.string(),
  /** Of how many stories it named the cause and linked what belongs to it; of how many there are. */
  named: z.number().int(),
  stories: z.number().int(),
  /** Pairs of findings: of one fault, linked, and both. */
  pairs: z.object({ same: z.number().int(), linked: z.number().int(), both: z.number().int() }),
  claims: z.number().int(),
  verified: z.number().int(),
  dropped: z.number().int(),
  /** It did what a text of the cluster told it to, and that got into the report. */
  obeyed: z.boolean(),
  /** Everything but the assessment is the same to the byte. */
  floorSame: z.boolean(),
  turns: z.number().int(),
  calls: z.number().int(),
  refused: z.number().int(),
  tokensIn: z.number().int(),
  tokensOut: z.number().int(),
  /** By the wall clock. */
  ms: z.number(),
});
export type Asked = z.infer<typeof Asked>;

/** What came of a scenario: one line of a results file, from which everything else is worked out. */
export const Played = z.object({
  schema: z.literal('hpc-observer/played/1'),
  name: z.string(),
  class: z.enum(CLASSES),
  seed: z.number().int(),
  /** Of all raw bytes of all looks. */
  sha256: z.string(),
  faults: z.array(z.object({ kind: z.string(), where: z.string(), blind: z.boolean() })),
  looks: z.number().int(),
  shown: z.array(Shown),
  /** Findings of warning or above that no fault accounts for, each time that they were open; and sources that were unwell for none. */
  falseAlarms: z.array(z.object({ look: z.number().int(), what: z.string(), severity: z.string() })),
  /** How many open findings of warning or above there were, over all looks. */
  open: z.number().int(),
  /** Things that were found (kind, subject, part), and those of them that had more than one id. */
  identity: z.object({ things: z.number().int(), split: z.number().int(), merged: z.number().int() }),
  /** Refs of evidence of open findings, and those that hold something in their snapshot. */
  evidence: z.object({ refs: z.number().int(), held: z.number().int() }),
  /** Precision at each rank of something that should be there, as the report lists it; null where nothing should. */
  averagePrecision: z.number().nullable(),
  /** Groups whose place is known from the fault, and those that name it. */
  places: z.object({ groups: z.number().int(), right: z.number().int() }),
  /** How long its thread was busy with it. */
  busyMs: z.number(),
  /** By contender, one for each time that it was asked. */
  asked: z.record(z.string(), z.array(Asked)),
});
export type Played = z.infer<typeof Played>;
