import { observedKey } from '../diff/observed.ts';
import type { ConditionDraft } from '../model/condition.ts';
import type { Json } from '../model/json.ts';

/**
 * What one rule derived: its conditions, and for each kind of which subjects it could speak. A kind that it says nothing
 * of stays as it was, with the reason.
 */
export class Derivation {
  readonly conditions: ConditionDraft[] = [];
  readonly observed: Record<string, string> = {};
  readonly unjudged: Record<string, string> = {};
  readonly told: Record<string, Json> = {};

  /** The kind was judged for these subjects: a folded set, or `all`. */
  judged(kind: string, type: string, names: string): void {
    if (names !== '') this.observed[observedKey(kind, type)] = names;
  }

  /** The kind could not be judged at all, or not for everything. */
  leave(kind: string, why: string): void {
    this.unjudged[kind] = why;
  }

  /** A number or a folded set for the summary. */
  tell(name: string, value: Json): void {
    this.told[name] = value;
  }

  add(other: Derivation): void {
    this.conditions.push(...other.conditions);
    Object.assign(this.observed, other.observed);
    Object.assign(this.unjudged, other.unjudged);
    Object.assign(this.told, other.told);
  }
}

/** Why the kind could not be judged, as the snapshot of derived conditions keeps it. */
export const UNJUDGED = 'unjudged';
