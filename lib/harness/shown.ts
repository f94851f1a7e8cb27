import type { Json, JsonObject } from '../model/json.ts';

const REF = /^[a-z][a-z0-9_]{0,40}(?:@\d{8}t\d{6}\.\d{3}z)?#\//;
const ID = /^[0-9a-f]{8,32}$/;
/** What `get_condition` adds to a finding. */
const ASIDES = ['neighbours', 'same_subject', 'near_in_time', 'groups'] as const;

/** What the model was shown in this tick: the evidence ids in it, and the texts, so that a repeated quote is known as one. */
export class Shown {
  readonly #ids = new Set<string>();
  readonly #texts: string[] = [];
  readonly #asides = new Map<string, Json[]>();

  /** Notes an answer of a tool, or the briefing. */
  add(value: Json): void {
    this.#walk(value);
  }

  /** Whether evidence of this id was in anything that was shown; the ids of findings may be shortened. */
  has(id: string): boolean {
    // Whoever saw a part of a snapshot saw what is in it.
    for (let ref = withoutSnapshot(id); ref.includes('#/'); ref = ref.slice(0, ref.lastIndexOf('/'))) if (this.#ids.has(ref)) return true;
    return ID.test(id) && [...this.#ids].some((known) => ID.test(known) && (known.startsWith(id) || id.startsWith(known)));
  }

  /** What code told beside a finding when it showed it whole: its neighbours, what began near it. */
  aside(id: string): Json[] {
    return [...this.#asides].filter(([known]) => id.startsWith(known)).flatMap(([, told]) => told);
  }

  /** Whether a text stands in what was shown. */
  quotes(text: string): boolean {
    return text.length > 0 && this.#texts.some((shown) => shown.includes(text));
  }

  #walk(value: Json): void {
    if (typeof value === 'string') {
      this.#texts.push(value);
      if (ID.test(value)) this.#ids.add(value);
      else if (REF.test(value)) this.#ids.add(withoutSnapshot(value));
    } else if (value !== null && typeof value === 'object') {
      if (!Array.isArray(value)) this.#keepAside(value);
      for (const inner of Object.values(value)) this.#walk(inner);
    }
  }

  #keepAside(item: JsonObject): void {
    const { id } = item;
    if (typeof id !== 'string' || !ID.test(id)) return;
    const told = ASIDES.flatMap((key) => item[key] ?? []);
    if (told.length > 0) this.#asides.set(id, told);
  }
}

/** A ref without the snapshot's id: a view is pinned to one snapshot of each source. */
function withoutSnapshot(ref: string): string {
  return ref.replace(/^([a-z][a-z0-9_]*)@[^#]*#/, '$1#');
}
