import type { Severity } from './condition.ts';

/**
 * What ends a condition of a kind:
 * `absence`: its subject was observed without it; `line`, `boot`, `quiet`: its collector says so (a recovery line, a
 * completed boot, a stretch of observed silence); `expiry`: it is an event, and `after` its last sight it is over.
 */
export type Clears = { by: 'absence' } | { by: 'line' } | { by: 'boot' } | { by: 'quiet'; after: string } | { by: 'expiry'; after: string };

/** The definition of a kind of condition: everything about it that is not in the data. */
export interface Kind {
  kind: string;
  /** A few words for people: `kernel panic`. */
  title: string;
  severity: Severity;
  /** The types of subject that it speaks of. */
  subjects: readonly string[];
  /** What tells several of this kind on one subject apart (`device`, `sensor`); absent where there is at most one. */
  part?: string;
  clears: Clears;
  /** `n` sights among the last `m` observations before it is reported; absent = at once. Criticals never wait. */
  confirm?: { n: number; m: number };
  /** How many good observations in a row resolve it. Default 1. */
  resolveAfter?: 1 | 2 | 3;
  /** What to look at, which read-only check is next, when to call the vendor. One or two sentences, ours. */
  hint: string;
  /** Where the hint and the severity come from: a vendor's document, kernel source, our own judgement. */
  provenance: string;
}
