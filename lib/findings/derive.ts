import type { Collected } from '../model/collector.ts';
import type { ConditionDraft } from '../model/condition.ts';
import type { GroundTruth } from './ground-truth.ts';
import type { SourceView } from './observe.ts';

/** The pseudo-source of derived conditions. */
export const OBSERVER = 'observer';

export interface DeriveInput {
  cluster: string;
  now: number;
  sources: readonly SourceView[];
  groundTruth: GroundTruth | null;
  mistakes: readonly string[];
}

/** Makes the conditions that need two sources or ground truth. Pure; it reads summaries, conditions and coverage alone. */
export function deriveConditions({ cluster, mistakes }: DeriveInput): Collected<null> {
  const conditions: ConditionDraft[] = [];
  if (mistakes.length > 0) {
    conditions.push({
      kind: 'ground_truth_invalid',
      subject: { type: 'cluster', id: cluster },
      message: `ground truth has ${mistakes.length} mistakes; the first: ${mistakes[0]}`,
      values: { mistakes: mistakes.length },
    });
  }
  return {
    summary: { mistakes: mistakes.length },
    conditions,
    coverage: { records: 0, rejected: 0, problems: [], observed: { cluster: 'all' } },
  };
}
