import * as z from 'zod';
import { Severity, Subject, Values } from './condition.ts';
import { Json } from './json.ts';
import { SourceName } from './snapshot.ts';
import { TimeId } from './time.ts';

const Stub = z.object({
  id: z.string(),
  kind: z.string(),
  subject: Subject,
  part: z.string().optional(),
  severity: Severity,
  message: z.string(),
});

/** The curated difference along a source's snapshots since the last diff. */
export const Change = z.object({
  source: SourceName,
  /** The last snapshot that was diffed; null the first time ever. */
  from: TimeId.nullable(),
  to: TimeId,
  /** `first sight` when there was nothing to compare with. */
  reason: z.string().optional(),
  appeared: z.array(Stub),
  cleared: z.array(Stub.extend({ by: z.string() })),
  changed: z.array(Stub.extend({ was: z.object({ severity: Severity, values: Values }), values: Values })),
  /** Gone from `conditions`, but their subject was not observed. */
  unknown: z.array(Stub),
  /** Values of the summary that differ, by JSON pointer; at most 50, the rest counted in `summaryMore`. */
  summary: z.array(z.object({ path: z.string(), from: Json, to: Json })),
  summaryMore: z.number().int().nonnegative(),
});
export type Change = z.infer<typeof Change>;
