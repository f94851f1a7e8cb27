import type { Subject } from '../model/condition.ts';
import { nodeSetOf } from '../nodeset.ts';

/**
 * The key of a coverage under which the subjects of one kind alone are observed: where several kinds of a snapshot rest
 * on different inputs, one of them can be judged while another cannot.
 */
export function observedKey(kind: string, type: string): string {
  return `${kind}:${type}`;
}

/**
 * Answers whether a subject was observed, over a coverage's folded sets; each set is expanded once, when first asked.
 * A set for the kind goes before the one for all kinds.
 */
export function observation(observed: Readonly<Record<string, string>>): (subject: Subject, kind?: string) => boolean {
  const expanded = new Map<string, ReadonlySet<string>>();
  return ({ type, id }, kind) => {
    const own = kind === undefined ? undefined : observedKey(kind, type);
    const key = own !== undefined && Object.hasOwn(observed, own) ? own : type;
    const folded = Object.hasOwn(observed, key) ? observed[key] : undefined;
    if (folded === undefined) return false;
    if (folded === 'all') return true;
    let names = expanded.get(key);
    if (!names) expanded.set(key, (names = nodeSetOf(folded)));
    return names.has(id);
  };
}
