/*
 * Flap detection as Icinga has it (ring of the last 20 changes of state, newer ones weighing more, two thresholds), over
 * looks that saw the subject: https://icinga.com/docs/icinga-2/latest/doc/08-advanced-topics/#check-flapping
 */

const SLOTS = 20;
/** Percent of change at which flapping begins, and at or below which it ends. */
const BEGINS = 30;
const ENDS = 25;

/** Looks that are kept: one more than there can be changes between them. */
export const LOOKS_KEPT = SLOTS + 1;

/** How much of the last looks (`1` seen, `0` seen without; newest last) was change, in percent. */
export function changeShare(looks: string): number {
  let weighted = 0;
  for (let i = looks.length - 1, slot = SLOTS - 1; i > 0 && slot >= 0; i--, slot--) {
    if (looks[i] !== looks[i - 1]) weighted += 0.8 + 0.02 * slot;
  }
  return (100 * weighted) / SLOTS;
}

/** How many times the last looks changed. */
export function changesIn(looks: string): number {
  let changes = 0;
  for (let i = 1; i < looks.length; i++) if (looks[i] !== looks[i - 1]) changes++;
  return changes;
}

/** Whether it flaps after these looks, given whether it did before the last of them. */
export function isFlapping(looks: string, did: boolean): boolean {
  const share = changeShare(looks);
  return did ? share > ENDS : share > BEGINS;
}
