import type { Exclusion } from './recorder.ts';
import { detached } from './values.ts';

/**
 * The series of texts on the wire that were seen before, in a tree: what the samples of one message have in common is looked
 * up once for all of them, and no key of all its parts is made for every sample.
 */
export class KnownSeries {
  readonly root = new Branch();
  readonly #most: number;
  #size = 0;

  /** @param most texts that are remembered; with ever new ones the rest is worked out each time */
  constructor(most: number) {
    this.#most = most;
  }

  /** Remembers a series below a branch; texts of no series are not kept, so that hostile names fill no memory. */
  remember(branch: Branch, text: string, index: number | Exclusion): number | Exclusion {
    if (typeof index !== 'number' || this.#size >= this.#most) return index;
    branch.attach();
    this.#size++;
    branch.series.set(detached(text), index);
    return index;
  }

  clear(): void {
    this.root.branches.clear();
    this.root.series.clear();
    this.#size = 0;
  }
}

/** What is known below a text; it joins the tree with the first series in it. */
export class Branch {
  readonly branches = new Map<string, Branch>();
  readonly series = new Map<string, number | Exclusion>();
  #parent: Branch | null = null;
  #text = '';

  /** The branch of a text below this one. */
  at(text: string): Branch {
    const known = this.branches.get(text);
    if (known !== undefined) return known;
    const branch = new Branch();
    branch.#parent = this;
    branch.#text = text;
    return branch;
  }

  attach(): void {
    if (this.#parent === null) return;
    this.#parent.attach();
    this.#parent.branches.set(detached(this.#text), this);
    this.#parent = null;
    this.#text = '';
  }
}
