import * as z from 'zod';
import { Duration } from '../../model/time.ts';
import { QUANTITIES } from './quantity.ts';

/** How long before its newest sample a window begins at most; longer ones would not fit the sample budget. */
const LONGEST_WINDOW = 7 * 864e5;

/** The source's own configuration keys. */
export const TelemetryOptions = z.strictObject({
  /** A window begins where the last one ended, and at most this long before its newest sample. */
  window: Duration.refine((ms) => ms > 0 && ms <= LONGEST_WINDOW, 'expected a window of at most 7d').prefault('1h'),
  /** How far ahead of the clock a sample may be dated. */
  skew: Duration.prefault('5m'),
  /** A sensor is silent after three of its own intervals, and never before this. */
  stale_after: Duration.prefault('5m'),
  /** A silent sensor is held to be removed after this. */
  forget_after: Duration.prefault('7d'),
  /** Samples kept in memory, at 20 bytes each; beyond, an even share of all samples is rolled up and the source is partial. */
  max_samples: z.number().int().min(1000).max(50_000_000).default(4_000_000),
  /** Series kept in memory; samples of further ones are counted, and the source is partial. */
  max_series: z.number().int().min(1000).max(2_000_000).default(200_000),
  /** Quantities that are not rolled up at all, such as the millions of `fabric` counters of a large network. */
  skip: z.array(z.enum(QUANTITIES)).default([]),
});
export type TelemetryOptions = z.infer<typeof TelemetryOptions>;
