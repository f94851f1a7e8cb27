import type { JsonObject } from '../../model/json.ts';
import { Duration, formatDuration } from '../../model/time.ts';
import { member, number, percentText } from './fields.ts';
import type { Problems } from './problems.ts';

/** From where on a condition is there, and from where on it is critical. */
interface Levels {
  warning: number;
  critical: number;
}

/** Shares are between 0 and 1, times are milliseconds. */
export interface Thresholds {
  capacityHigh: Levels;
  fsFull: Levels;
  driveWear: number;
  licence: Levels;
  rebuildStalled: number;
  /** Null: what the cluster itself allows. */
  clockSkew: number | null;
}

/**
 * The site's thresholds from `rules`, with our defaults where it says nothing: `capacity_high`, `fs_full` (`threshold`
 * 0.85, `critical` 0.95), `drive_wear` (0.9), `licence_expiring` (`30d`, `7d`), `rebuild_stalled` (`30m`), `clock_skew`
 * (the cluster's own `allowed_clock_skew_secs`). Shares may be written as `0.9` or `90`. A value that is none is a note,
 * and the default holds.
 */
export function readThresholds(rules: Readonly<Record<string, JsonObject>>, problems: Problems): Thresholds {
  const read = <T>(
    kind: string,
    key: string,
    fallback: T,
    parse: (raw: unknown) => number | null,
    says: (value: T) => string,
  ): number | T => {
    const raw = member(member(rules, kind), key);
    if (raw === undefined) return fallback;
    const value = parse(raw);
    if (value === null) problems.note(`rules.${kind}.${key} is not usable; ${says(fallback)} holds`);
    return value ?? fallback;
  };
  const shareOf = (kind: string, key: string, fallback: number) => read(kind, key, fallback, share, (f) => percentText(f * 100));
  const timeOf = (kind: string, key: string, fallback: number) => read(kind, key, fallback, duration, formatDuration);
  const levels = (kind: string): Levels => {
    const warning = shareOf(kind, 'threshold', 0.85);
    return { warning, critical: Math.max(warning, shareOf(kind, 'critical', 0.95)) };
  };
  const expiring = timeOf('licence_expiring', 'threshold', 30 * DAY);
  return {
    capacityHigh: levels('capacity_high'),
    fsFull: levels('fs_full'),
    driveWear: shareOf('drive_wear', 'threshold', 0.9),
    licence: { warning: expiring, critical: Math.min(expiring, timeOf('licence_expiring', 'critical', 7 * DAY)) },
    rebuildStalled: timeOf('rebuild_stalled', 'threshold', 30 * MINUTE),
    clockSkew: read('clock_skew', 'threshold', null, duration, () => 'what the cluster allows'),
  };
}

export const MINUTE = 60_000;
export const DAY = 86_400_000;

function share(raw: unknown): number | null {
  const n = number(raw);
  if (n === null || n <= 0 || n > 200) return null;
  return n > 2 ? n / 100 : n;
}

function duration(raw: unknown): number | null {
  const parsed = Duration.safeParse(raw);
  return parsed.success && parsed.data > 0 ? parsed.data : null;
}
