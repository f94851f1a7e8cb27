import * as z from 'zod';
import { Condition, Evidence, Place, Severity, Subject } from './condition.ts';
import { IsoTime, TimeId } from './time.ts';

export const FindingState = z.enum(['candidate', 'new', 'ongoing', 'resolved', 'stale']);
export type FindingState = z.infer<typeof FindingState>;

/** A condition with its lifecycle: what the report lists. Its id is its condition's. */
export const Finding = z.object({
  id: z.string(),
  /** 1 for the first open-to-resolved stretch; reopening starts the next. */
  episode: z.number().int().positive(),
  state: FindingState,
  flapping: z.object({ changes: z.number().int(), since: IsoTime }).optional(),
  acknowledged: z.object({ by: z.string(), until: IsoTime, reason: z.string() }).optional(),
  severity: Severity,
  /** Present while its severity is worse than it was, by a rule or by its source: what it was, since when, and why. */
  escalated: z.object({ from: Severity, at: IsoTime, reason: z.string() }).optional(),
  kind: z.string(),
  title: z.string(),
  source: z.string(),
  subject: Subject,
  part: z.string().optional(),
  /** The name of its node in the inventory, where its source calls it otherwise. */
  knownAs: z.string().optional(),
  /** The subjects, folded: `x1000c0s[0-7]b0n0`. One name for a single finding. */
  subjects: z.string(),
  conditions: z.array(Condition),
  firstSeen: IsoTime,
  lastSeen: IsoTime,
  resolvedAt: IsoTime.optional(),
  /** When its state, severity or episode changed last. */
  changedAt: IsoTime.optional(),
  /** When this episode was in the open list for the first time: where it was held back before, later than it was seen. */
  reportedAt: IsoTime.optional(),
  /** The last looks that saw its subject, newest last: `1` with it, `0` without. */
  looks: z.string().optional(),
  count: z.number().int().nonnegative(),
  place: Place.optional(),
  evidence: z.array(Evidence),
  hint: z.string(),
  /** The site's own page for this kind, from its `rules`. */
  runbook: z.string().optional(),
  provenance: z.string(),
  /** Why it is in this state: `cleared by a boot at …`, `source weka_state failed: …`, `subject not observed`. */
  reason: z.string(),
});
export type Finding = z.infer<typeof Finding>;

/** A view over findings of one kind with a common place of cause. */
export const Group = z.object({
  id: z.string(),
  kind: z.string(),
  title: z.string(),
  severity: Severity,
  state: FindingState,
  place: Subject,
  /** Ids of the findings that it shows. */
  findings: z.array(z.string()),
  subjects: z.string(),
  /** `14 of 16 nodes behind switch …, 6 elsewhere among 10,000`. */
  message: z.string(),
  /** Healthy siblings and the like: what speaks against the common cause. */
  counterEvidence: z.array(z.string()),
  pValue: z.number(),
  changedThere: z.string().optional(),
});
export type Group = z.infer<typeof Group>;

/** What was kept out of the open list, and by what: known-down, a silence, maintenance. */
export const Suppressed = z.object({
  reason: z.string(),
  entry: z.string(),
  owner: z.string(),
  until: IsoTime,
  subjects: z.string(),
  findings: z.array(z.object({ id: z.string(), kind: z.string(), severity: Severity, subject: Subject })),
});
export type Suppressed = z.infer<typeof Suppressed>;

/** One step of a finding's history. */
export const Transition = z.object({
  tick: TimeId,
  at: IsoTime,
  episode: z.number().int(),
  from: FindingState.nullable(),
  to: FindingState,
  /** With which severity it goes on; a rise alone is a transition between equal states. */
  severity: Severity.optional(),
  reason: z.string(),
});
export type Transition = z.infer<typeof Transition>;
