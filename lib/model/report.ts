import * as z from 'zod';
import { Finding, Group, Suppressed } from './finding.ts';
import { Problem, SourceName, Status } from './snapshot.ts';
import { IsoTime, TimeId } from './time.ts';

/** The first that holds: no configured source seen; an open or stale critical; an open warning or a source not well; ok. */
export const Verdict = z.enum(['blind', 'critical', 'degraded', 'ok']);
export type Verdict = z.infer<typeof Verdict>;

export const SourceReport = z.object({
  source: SourceName,
  status: Status,
  /** The snapshot that this tick was pinned to. */
  snapshot: TimeId.nullable(),
  asOf: IsoTime.nullable(),
  /** Milliseconds between asOf and the tick. */
  age: z.number().nullable(),
  maxAge: z.number(),
  fresh: z.boolean(),
  inputs: z.number().int(),
  records: z.number().int(),
  rejected: z.number().int(),
  conditions: z.number().int(),
  problem: Problem.optional(),
  /** What else its coverage says: unreadable files, gaps, repairs. */
  notes: z.array(z.string()),
});
export type SourceReport = z.infer<typeof SourceReport>;

/** One statement of the model, with what code made of it. */
export const Claim = z.object({
  text: z.string(),
  findings: z.array(z.string()),
  evidence: z.array(z.string()),
  verified: z.boolean(),
  /** Names and numbers that the cited evidence does not hold. */
  unverified: z.array(z.string()),
});
export type Claim = z.infer<typeof Claim>;

/** What the model saw that no finding has. Its identity comes from the evidence that it cites, its severity is a warning at most. */
export const Observation = Claim.extend({ id: z.string(), severity: z.enum(['warning', 'info']) });
export type Observation = z.infer<typeof Observation>;

/** The model's contribution: always labelled, always verified, never the source of a finding's severity or state. */
export const Assessment = z.object({
  /** `none` = no model configured or asked for; `carried` = an earlier one that still holds; `failed` says why. */
  status: z.enum(['ok', 'none', 'carried', 'failed', 'discarded']),
  reason: z.string(),
  model: z.string().optional(),
  madeAt: IsoTime.optional(),
  /** At most five lines that stand near the top of the report; all verified. */
  headline: z.array(z.string()),
  stories: z.array(
    z.object({
      title: z.string(),
      findings: z.array(z.string()),
      priority: z.number().int(),
      hypothesis: Claim,
      counterEvidence: z.array(Claim),
      nextChecks: z.array(z.string()),
      confidence: z.enum(['low', 'medium', 'high']),
    }),
  ),
  observations: z.array(Observation),
  counts: z.object({ claims: z.number().int(), verified: z.number().int(), dropped: z.number().int(), hijackSigns: z.number().int() }),
  usage: z.object({
    turns: z.number().int(),
    toolCalls: z.number().int(),
    refusedCalls: z.number().int(),
    tokensIn: z.number().int(),
    tokensOut: z.number().int(),
    ms: z.number(),
  }),
  /** What had to be worked around with this model, in a few words each. */
  notes: z.array(z.string()).optional(),
  /** Texts that speak to the model instead of about the cluster, and what the model did that it should not have; at most 20. */
  signs: z.array(z.object({ what: z.string(), where: z.string() })).optional(),
});
export type Assessment = z.infer<typeof Assessment>;

export const SinkResult = z.object({
  sink: z.string(),
  status: z.enum(['ok', 'failed', 'skipped']),
  reason: z.string(),
  sent: z.number().int(),
  cut: z.number().int(),
});
export type SinkResult = z.infer<typeof SinkResult>;

/** What a tick says. */
export const Report = z.object({
  schema: z.literal('hpc-observer/report/1'),
  tick: TimeId,
  cluster: z.string(),
  generatedAt: IsoTime,
  verdict: Verdict,
  /** Why the verdict is what it is, in a few words each. */
  because: z.array(z.string()),
  sources: z.array(SourceReport),
  findings: z.array(Finding),
  groups: z.array(Group),
  suppressed: z.array(Suppressed),
  assessment: Assessment,
  sinks: z.array(SinkResult),
  provenance: z.object({
    version: z.string(),
    configuration: z.string(),
    previousTick: TimeId.nullable(),
    /** A tick that began and never ended, if the last one did not. */
    unfinishedTick: TimeId.nullable(),
    /** Those before it that never ended either, with no report in between, oldest first; the last 20. */
    alsoUnfinished: z.array(TimeId).optional(),
    auditHead: z.string(),
    /** Milliseconds by the injected clock. */
    took: z.number(),
  }),
});
export type Report = z.infer<typeof Report>;
