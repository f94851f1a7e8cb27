/** A stored text as it was last read. */
export interface Kept {
  text: string;
  /** Stays the same for as long as the text does; null where only reading it again can tell. */
  mark: string | null;
  /** Checked values of the text, by schema. */
  values: Map<unknown, unknown>;
}

/** How a text is looked at: its mark is a small question, itself a larger one. */
export interface Look {
  mark: () => string | null;
  text: () => Promise<string | null>;
}

interface Turn {
  under: Promise<Kept | null>;
  next?: Promise<Kept | null>;
}

/** So many texts are kept, of so many characters together. */
const MAX_TEXTS = 512;
const MAX_CHARACTERS = 2 ** 24;

/** Texts that are asked for again and again, the latest asked for last. What is stored is looked at each time. */
export class KeptTexts {
  readonly #texts = new Map<string, Kept>();
  readonly #turns = new Map<string, Turn>();
  #characters = 0;

  has(name: string): boolean {
    return this.#texts.has(name);
  }

  /** The text as it is stored now; null where there is none. */
  async get(name: string, look: Look): Promise<Kept | null> {
    const known = this.#texts.get(name);
    if (known && known.mark !== null && known.mark === look.mark()) {
      this.#keep(name, known);
      return known;
    }
    return this.#read(name, look);
  }

  /** What was written just now: read again, the text is the same unless somebody else has written since. */
  put(name: string, text: string, ...values: [unknown, unknown][]): void {
    this.#keep(name, { text, mark: null, values: new Map(values) });
  }

  /**
   * Who comes while somebody reads shares the reading that begins afterwards: it sees all that was stored when it was
   * asked for.
   */
  #read(name: string, look: Look): Promise<Kept | null> {
    const turn = this.#turns.get(name);
    if (turn) return (turn.next ??= turn.under.catch(() => null).then(() => this.#begin(name, look)));
    return this.#begin(name, look);
  }

  #begin(name: string, look: Look): Promise<Kept | null> {
    const turn: Turn = { under: this.#readNow(name, look) };
    this.#turns.set(name, turn);
    const end = (): void => {
      if (turn.next === undefined) this.#turns.delete(name);
    };
    turn.under.then(end, end);
    return turn.under;
  }

  async #readNow(name: string, look: Look): Promise<Kept | null> {
    // The mark is of what stood there before the text was read: where that changes in between, it fits nothing any more.
    const mark = look.mark();
    const text = await look.text();
    const known = this.#texts.get(name);
    if (text === null) {
      this.#forget(name);
      return null;
    }
    const kept: Kept = { text, mark, values: known?.text === text ? known.values : new Map() };
    this.#keep(name, kept);
    return kept;
  }

  #keep(name: string, kept: Kept): void {
    this.#forget(name);
    this.#texts.set(name, kept);
    this.#characters += kept.text.length;
    for (const oldest of this.#texts.keys()) {
      if (this.#texts.size <= MAX_TEXTS && this.#characters <= MAX_CHARACTERS) break;
      this.#forget(oldest);
    }
  }

  #forget(name: string): void {
    this.#characters -= this.#texts.get(name)?.text.length ?? 0;
    this.#texts.delete(name);
  }
}
