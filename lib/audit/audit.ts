import { type AuditEntry, AuditLine } from '../model/audit.ts';
import { canonicalJson, type Json } from '../model/json.ts';
import { oneLine } from '../model/text.ts';
import { toIso } from '../model/time.ts';
import { readJson, type Store, StoreError, unlessDamaged } from '../store/store.ts';
import { dayKey, GENESIS, hashLine, Head, headKey, PART_LINES, partKey } from './parts.ts';

export { verifyAudit } from './verify.ts';

/** Arguments whose JSON is longer than this are cut in the log; their hash is of the whole. */
const MAX_ARGS = 4096;

/** Where the next line goes. */
interface End {
  seq: number;
  prevHash: string;
  /** The part that the last line is in, while it is whole and can be written on. */
  part?: { key: string; text: string };
}

/**
 * The append-only log of what was asked of the tools: one JSON document a line, each with the hash of the line before,
 * in parts of at most 500 lines at `audit/{day}/{writer}/{number of the first line}`.
 *
 * A writer's name belongs to one process at a time (a step under its lease, the one server): entries of one log are
 * appended one after the other, those of two at once under the same name would overwrite each other.
 */
export class AuditLog {
  readonly #store: Store;
  readonly #writer: string;
  readonly #now: () => number;
  #head = GENESIS;
  #left: End | undefined;
  #queue: Promise<void> = Promise.resolve();

  /** @param options `writer` any name; `now` in ms since the epoch */
  constructor(store: Store, { writer, now }: { writer: string; now: () => number }) {
    this.#store = store;
    this.#writer = writer;
    this.#now = now;
  }

  /** Resolves when the entry is stored for good. */
  append(entry: AuditEntry): Promise<void> {
    const done = this.#queue.then(() => this.#append(entry));
    this.#queue = done.catch(() => undefined);
    return done;
  }

  /** The hash of the last line that this log appended; 64 zeros before the first. */
  head(): string {
    return this.#head;
  }

  async #append(entry: AuditEntry): Promise<void> {
    const at = toIso(this.#now());
    const day = at.slice(0, 10);
    const end = await this.#end(day);
    const open = { ...entry, args: boundedArgs(entry.args), seq: end.seq, at, writer: this.#writer, prevHash: end.prevHash };
    const hash = hashLine(open);
    const line = canonicalJson({ ...open, hash });
    const { part } = end;
    const fits = part !== undefined && end.seq - numberOf(part.key) < PART_LINES && part.key.startsWith(`${dayKey(day, this.#writer)}/`);
    const key = fits ? part.key : partKey(day, this.#writer, end.seq);
    const text = `${fits ? part.text : ''}${line}\n`;
    this.#left = undefined;
    await this.#store.putText(key, text);
    await this.#store.put(headKey(this.#writer), { seq: end.seq, hash, part: key } satisfies Head);
    this.#left = { seq: end.seq + 1, prevHash: hash, part: { key, text } };
    this.#head = hash;
  }

  /** Where this log itself has ended its last line, as long as the part is what it wrote; else as it is stored. */
  async #end(day: string): Promise<End> {
    const left = this.#left;
    return left?.part && (await unlessDamaged(this.#store.getText(left.part.key))) === left.part.text ? left : this.#storedEnd(day);
  }

  /** Finds the writer's last line: a kill may have left one that the head does not know of yet. */
  async #storedEnd(day: string): Promise<End> {
    const head = await this.#storedHead();
    const parts = head === null ? await this.#allParts() : [head.part, ...(await this.#store.list(dayKey(day, this.#writer)))];
    const newest = parts.sort((a, b) => numberOf(a) - numberOf(b)).at(-1);
    const told: End = head === null ? { seq: 0, prevHash: GENESIS } : { seq: head.seq + 1, prevHash: head.hash };
    if (newest === undefined) return told;
    const text = (await this.#store.getText(newest)) ?? '';
    try {
      const last = text.endsWith('\n') ? text.slice(text.lastIndexOf('\n', text.length - 2) + 1, -1) : '';
      const { seq, hash } = readJson(newest, last, AuditLine);
      if (seq + 1 < told.seq) return told;
      return { seq: seq + 1, prevHash: hash, part: { key: newest, text } };
    } catch (error) {
      // A damaged part is left as it is, for the one who verifies; the log goes on in a part of its own.
      if (error instanceof StoreError) return told.seq > numberOf(newest) ? told : { ...told, seq: numberOf(newest) + PART_LINES };
      throw error;
    }
  }

  async #storedHead(): Promise<Head | null> {
    try {
      return await this.#store.get(headKey(this.#writer), Head);
    } catch (error) {
      if (error instanceof StoreError) return null;
      throw error;
    }
  }

  async #allParts(): Promise<string[]> {
    const keys = await this.#store.list('audit');
    return keys.filter((key) => key.startsWith(`${dayKey(key.split('/')[1] ?? '', this.#writer)}/`));
  }
}

function numberOf(part: string): number {
  return Number(part.slice(part.lastIndexOf('/') + 1));
}

function boundedArgs(args: Json): Json {
  const text = canonicalJson(args);
  return text.length <= MAX_ARGS ? args : oneLine(text, MAX_ARGS);
}
