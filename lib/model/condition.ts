import * as z from 'zod';
import { IsoTime } from './time.ts';

export const SEVERITIES = ['critical', 'warning', 'info'] as const;
export const Severity = z.enum(SEVERITIES);
export type Severity = z.infer<typeof Severity>;

const RANK: Readonly<Record<Severity, number>> = { critical: 0, warning: 1, info: 2 };

/** Orders by severity, the worst first. */
export function compareSeverity(a: Severity, b: Severity): number {
  return RANK[a] - RANK[b];
}

/** The worse of two severities. */
export function worse(a: Severity, b: Severity): Severity {
  return compareSeverity(a, b) <= 0 ? a : b;
}

/** Whom or what a fact is about: a type (`node`, `drive`, `cluster`, …) and the name that the source gives. */
export const Subject = z.object({ type: z.string().min(1), id: z.string().min(1) });
export type Subject = z.infer<typeof Subject>;

/** The text by which a subject is a key in maps; types hold no colon. */
export function subjectKey(subject: Subject): string {
  return `${subject.type}:${subject.id}`;
}

/** Where a subject stands, as far as it is known: rack, chassis, switch, … each with its name. */
export const Place = z.record(z.string(), z.string());
export type Place = z.infer<typeof Place>;

/** A citation: `SOURCE@SNAPSHOT#/json/pointer`, and one of the few redacted lines that the collector stored. */
export const Evidence = z.object({ ref: z.string(), quote: z.string().optional() });
export type Evidence = z.infer<typeof Evidence>;

export const Values = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));
export type Values = z.infer<typeof Values>;

/** One abnormal fact about one subject. */
export const Condition = z.object({
  id: z.string().regex(/^[0-9a-f]{32}$/),
  kind: z.string(),
  subject: Subject,
  part: z.string().optional(),
  severity: Severity,
  message: z.string(),
  values: Values,
  /** When it began, as far as the data tells; else the time of the first snapshot that shows it. */
  since: IsoTime,
  lastSeen: IsoTime,
  /** How often its event was seen since it began; 1 for a state. */
  count: z.number().int().nonnegative(),
  evidence: z.array(Evidence),
  place: Place.optional(),
  hint: z.string(),
});
export type Condition = z.infer<typeof Condition>;

/** What a collector says of a condition; the rest (id, hint, references) is filled in when the snapshot is made. */
export interface ConditionDraft {
  kind: string;
  subject: Subject;
  /** Required where the kind declares a part, refused where it does not. */
  part?: string | undefined;
  /** Only where it differs from the kind's own. */
  severity?: Severity | undefined;
  message: string;
  values?: Values;
  since?: string | undefined;
  lastSeen?: string | undefined;
  count?: number;
  place?: Place | undefined;
  /** Pointers into this snapshot (`/summary/…`); none: the condition's own values. */
  evidence?: { at?: string; quote?: string }[];
}

/** What a collector saw end: the condition's typed key parts, what ended it, and when. */
export interface ClearedDraft {
  kind: string;
  subject: Subject;
  part?: string | undefined;
  by: ClearedBy;
  at: string;
}

export const CLEARED_BY = ['line', 'boot', 'quiet', 'expiry'] as const;
export type ClearedBy = (typeof CLEARED_BY)[number];
