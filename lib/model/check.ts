import * as z from 'zod';

/** One thing that was looked at, and how it stands. */
export const Check = z.object({
  name: z.string(),
  /** `skipped`: there is nothing to look at. */
  status: z.enum(['ok', 'warning', 'failed', 'skipped']),
  detail: z.string(),
  /** What to do about it. */
  advice: z.string().exactOptional(),
});
export type Check = z.infer<typeof Check>;
