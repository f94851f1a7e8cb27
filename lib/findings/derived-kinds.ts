import type { Kind } from '../model/kind.ts';

/** Kinds that need two sources or ground truth. */
export const DERIVED_KINDS: readonly Kind[] = [
  {
    kind: 'ground_truth_invalid',
    title: 'ground truth has mistakes',
    severity: 'warning',
    subjects: ['cluster'],
    clears: { by: 'absence' },
    hint: 'Run hpc-observer lint on the ground truth file; entries with a mistake are left out until they are mended.',
    provenance: 'own judgement: an entry that is not understood protects nothing',
  },
];
