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
  {
    kind: 'node_missing',
    title: 'expected node not in the inventory',
    severity: 'warning',
    subjects: ['node'],
    clears: { by: 'absence' },
    hint: 'Ask whether it was taken out on purpose (then take it out of the list of expected nodes), or deleted or renamed by mistake: `cm node show` on the admin node. A node that is only down stays in the inventory.',
    provenance: 'own judgement; said only of an inventory that is fresh and proven complete',
  },
  {
    kind: 'node_unexpected',
    title: 'node that nobody expects',
    severity: 'info',
    subjects: ['node'],
    clears: { by: 'absence' },
    hint: 'A new node belongs into the list of expected nodes, with its role; an old one that came back may run an old image. Until it is listed, nobody would miss it.',
    provenance: 'own judgement',
  },
  {
    kind: 'known_down_expired',
    title: 'entry of a known-down node has run out',
    severity: 'warning',
    subjects: ['node'],
    clears: { by: 'absence' },
    hint: 'Ask its owner how the repair stands; renew the entry with a new date, or remove it. It no longer keeps findings on the node quiet.',
    provenance: 'own judgement: an exception without an end is forgotten',
  },
  {
    kind: 'known_down_but_up',
    title: 'known-down node is up',
    severity: 'info',
    subjects: ['node'],
    clears: { by: 'absence' },
    hint: 'If the repair is done, remove the entry: while it stands, everything that happens to the node is kept quiet. If it is not done, take the node out of service again.',
    provenance: 'own judgement: an exception that is not true hides what it should not; warning after three days',
  },
];
