import type { Subject } from '../model/condition.ts';
import { nodeSetOf } from '../nodeset.ts';

/** Answers whether a subject was observed, over a coverage's folded sets; each set is expanded once, when first asked. */
export function observation(observed: Readonly<Record<string, string>>): (subject: Subject) => boolean {
  const expanded = new Map<string, ReadonlySet<string>>();
  return ({ type, id }) => {
    const folded = Object.hasOwn(observed, type) ? observed[type] : undefined;
    if (folded === undefined) return false;
    if (folded === 'all') return true;
    let names = expanded.get(type);
    if (!names) expanded.set(type, (names = nodeSetOf(folded)));
    return names.has(id);
  };
}
