import * as z from 'zod';
import { Condition, Severity } from '../model/condition.ts';
import { FindingState } from '../model/finding.ts';
import { IsoTime, TimeId, toIso } from '../model/time.ts';

/** One condition followed over ticks. */
export const Tracked = z.object({
  state: FindingState,
  episode: z.number().int().nonnegative(),
  newIn: TimeId.nullable(),
  good: z.number().int().nonnegative(),
  sights: z.number().int().nonnegative(),
  looks: z.string(),
  flappingSince: IsoTime.nullable(),
  reason: z.string(),
  source: z.string(),
  condition: Condition,
  firstSeen: IsoTime,
  lastSeen: IsoTime,
  /** When its state, severity or episode changed last. */
  changedAt: IsoTime,
  resolvedAt: IsoTime.optional(),
  /** What the rules make of its severity; none while they leave it as its source gives it. */
  raised: z
    .object({ from: Severity, to: Severity, by: z.enum(['source', 'persistence', 'impact']), at: IsoTime, reason: z.string() })
    .optional(),
  /** The worst severity with which this episode was in the open list. */
  peak: Severity.optional(),
  /** How severe it was when it was first acknowledged. */
  acknowledgedAs: Severity.optional(),
  /** Its subject was in a complete inventory at some time since it was first seen. */
  listed: z.boolean(),
  /** How far this episode got into the open list: not at all, as stale alone, or as new. */
  shown: z.enum(['never', 'stale', 'open']),
  /** When this episode was in an open list for the first time. */
  reportedAt: IsoTime.optional(),
  /** The cover that speaks of it, and how severe it was when that began. */
  held: z.object({ key: z.string(), severity: Severity }).optional(),
});
export type Tracked = z.infer<typeof Tracked>;

/** What is left of a finding that is over and no longer in any report: so that its return is its next episode. */
const Past = z.object({ id: z.string(), episode: z.number().int().positive(), resolvedAt: IsoTime });
export type Past = z.infer<typeof Past>;

/** What the lifecycle hands from tick to tick. */
export const LifecycleState = z.object({
  schema: z.literal('hpc-observer/lifecycle/1'),
  /** The last snapshot of each source that was judged. */
  judged: z.record(z.string(), TimeId),
  tracked: z.array(Tracked),
  past: z.array(Past),
});
export type LifecycleState = z.infer<typeof LifecycleState>;

/** Its members in the order of the schema: what is handed on is the same whether or not it was read back in between. */
export function inOrder(t: Tracked): Tracked {
  const { state, episode, newIn, good, sights, looks, flappingSince, reason, source, condition, firstSeen, lastSeen, changedAt } = t;
  const ordered = {
    state,
    episode,
    newIn,
    good,
    sights,
    looks,
    flappingSince,
    reason,
    source,
    condition,
    firstSeen,
    lastSeen,
    changedAt,
  } as Tracked;
  if (t.resolvedAt !== undefined) ordered.resolvedAt = t.resolvedAt;
  if (t.raised) ordered.raised = t.raised;
  if (t.peak) ordered.peak = t.peak;
  if (t.acknowledgedAs) ordered.acknowledgedAs = t.acknowledgedAs;
  ordered.listed = t.listed;
  ordered.shown = t.shown;
  if (t.reportedAt !== undefined) ordered.reportedAt = t.reportedAt;
  if (t.held) ordered.held = t.held;
  return ordered;
}

export function isOpen({ state }: Pick<Tracked, 'state'>): boolean {
  return state === 'new' || state === 'ongoing' || state === 'stale';
}

/** What is ended by something else than a look. */
export function ended(t: Tracked, reason: string, now: number): Tracked {
  return { ...t, state: 'resolved', newIn: null, flappingSince: null, reason, resolvedAt: toIso(now) };
}
