import * as z from 'zod';
import { Condition, Severity } from '../model/condition.ts';
import { FindingState } from '../model/finding.ts';
import { IsoTime, TimeId } from '../model/time.ts';

/** One condition followed over ticks. */
export const Tracked = z.object({
  state: FindingState,
  episode: z.number().int().nonnegative(),
  newIn: TimeId.nullable(),
  good: z.number().int().nonnegative(),
  looks: z.string(),
  reason: z.string(),
  source: z.string(),
  condition: Condition,
  firstSeen: IsoTime,
  lastSeen: IsoTime,
  resolvedAt: IsoTime.optional(),
  /** How far this episode got into the open list: not at all, as stale alone, or as new. */
  shown: z.enum(['never', 'stale', 'open']),
  /** The cover that speaks of it, and how severe it was when that began. */
  held: z.object({ key: z.string(), severity: Severity }).optional(),
});
export type Tracked = z.infer<typeof Tracked>;

/** What the lifecycle hands from tick to tick. */
export const LifecycleState = z.object({
  schema: z.literal('hpc-observer/lifecycle/1'),
  /** The last snapshot of each source that was judged. */
  judged: z.record(z.string(), TimeId),
  tracked: z.array(Tracked),
});
export type LifecycleState = z.infer<typeof LifecycleState>;

export function isOpen({ state }: Pick<Tracked, 'state'>): boolean {
  return state === 'new' || state === 'ongoing' || state === 'stale';
}
