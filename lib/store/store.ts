import { createStorage, type Driver, type Storage } from 'unstorage';
import type * as z from 'zod';
import { conforms } from '../model/conforms.ts';
import { frozen, JsonSyntaxError, parseJson, pointerSegment } from '../model/json.ts';
import { type Conditional, KeyExists, type ReadOptions, type WriteOptions } from './drivers/conditional.ts';
import { KeptTexts } from './kept.ts';
import { checkKey, isKey, StoreError } from './keys.ts';

export { decodeSegment, encodeSegment, StoreError } from './keys.ts';

/** What the store stands on failed: a disk that is full or read-only, a server that is not there. Nothing is known of the value. */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable';
  /** The system's name of the fault, such as `ENOSPC`, where it has one. */
  readonly code: string | undefined;
  constructor(verb: 'read' | 'written', key: string, cause: unknown) {
    const code = (cause as { code?: unknown } | null)?.code;
    super(`${key === '' ? 'the store' : key} cannot be ${verb}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.code = typeof code === 'string' ? code : undefined;
  }
}

/** null for what is damaged, as for what is absent. */
export async function unlessDamaged<T>(reading: Promise<T | null>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof StoreError) return null;
    throw error;
  }
}

/**
 * Named values in whatever an unstorage driver writes to. All rules that drivers differ in are made here once: what a
 * key is, that a value is JSON of ours and is checked when it is read, and that absence is the only thing told by null.
 */
export class Store {
  readonly #storage: Storage;
  readonly #markOf: (key: string) => string | null;
  readonly #kept = new KeptTexts();

  /** @throws StoreError for a driver that does not declare `options.conditional` */
  constructor(driver: Driver) {
    const options = driver.options as Partial<Conditional> | undefined;
    if (options?.conditional !== true) {
      const name = driver.name ?? 'this';
      throw new StoreError(
        `the ${name} driver cannot promise that a key is created only where it is absent: two steps at once could lose state`,
      );
    }
    this.#markOf = options.markOf ?? (() => null);
    this.#storage = createStorage({ driver });
  }

  /**
   * The value of a key; null where there is none.
   * @throws StoreUnavailable; StoreError naming key and place where it is no JSON or not of the schema
   */
  async get<T>(key: string, schema: z.ZodType<T>): Promise<T | null> {
    const text = await this.getText(key);
    return text === null ? null : readJson(key, text, schema);
  }

  /**
   * As {@link get}, but read and checked once for as long as what is stored stays the same: for what is asked for again
   * and again. The value is the same for everybody, so it is frozen.
   */
  async getShared<T>(key: string, schema: z.ZodType<T>): Promise<T | null> {
    return this.#getKept(key, key, schema, () => this.getText(key));
  }

  /** As {@link getShared}, of a text's first line; what follows that is not read where the driver can stop. */
  async getSharedLine<T>(key: string, schema: z.ZodType<T>): Promise<T | null> {
    return this.#getKept(`${key} line`, key, schema, async () => {
      const text = await this.#read(key, { first: MAX_LINE });
      return text && (text.split('\n', 1)[0] as string);
    });
  }

  /** Writes a value whole: readers see the old one or this one. Returns its text. */
  async put(key: string, value: unknown): Promise<string> {
    const text = toJson(key, value);
    await this.#write(key, text);
    return text;
  }

  /**
   * As {@link put}, for what {@link getShared} is soon asked for: it gives this very value while what is stored is what was
   * written. The value is frozen; its members stand in the order of the schema.
   */
  async putShared<T>(key: string, value: T, schema: z.ZodType<T>): Promise<void> {
    const text = await this.put(key, value);
    this.#kept.put(key, text, [schema, frozen(value)]);
  }

  /** Writes a value where there is none; false where there is one. Of many at once exactly one gets true. */
  async create(key: string, value: unknown): Promise<boolean> {
    try {
      await this.#write(key, toJson(key, value), { ifAbsent: true });
      return true;
    } catch (error) {
      if (error instanceof KeyExists) return false;
      throw error;
    }
  }

  /** A text as {@link putText} stored it; null where there is none. @throws StoreError where it is no UTF-8 */
  async getText(key: string): Promise<string | null> {
    return this.#read(key);
  }

  async putText(key: string, text: string): Promise<void> {
    if (!text.isWellFormed()) throw new StoreError(`${key}: half a surrogate pair has no place in a stored text`, { key });
    await this.#write(key, text);
  }

  async remove(key: string): Promise<void> {
    checkKey(key);
    await this.#storage.removeItem(key).catch(unavailable('written', key));
  }

  /** The keys below a prefix of whole segments, sorted; all keys for ''. What a stranger left there is not listed. */
  async list(prefix: string): Promise<string[]> {
    if (prefix !== '') checkKey(prefix);
    const keys = (await this.#storage.getKeys(prefix).catch(unavailable('read', prefix))).map((key) => key.replaceAll(':', '/'));
    return keys.filter(isKey).sort();
  }

  async dispose(): Promise<void> {
    await this.#storage.dispose();
  }

  async #read(key: string, options: ReadOptions = {}): Promise<string | null> {
    checkKey(key);
    const raw = await this.#storage.getItemRaw<unknown>(key, options).catch(unavailable('read', key));
    if (raw === null || raw === undefined || typeof raw === 'string') return raw ?? null;
    if (!(raw instanceof Uint8Array || raw instanceof ArrayBuffer)) throw new StoreError(`${key}: the driver gave no bytes`, { key });
    try {
      // What was cut may end within a character.
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(raw, { stream: options.first !== undefined });
    } catch (cause) {
      throw new StoreError(`${key} is damaged: not UTF-8`, { key, cause });
    }
  }

  async #getKept<T>(name: string, key: string, schema: z.ZodType<T>, text: () => Promise<string | null>): Promise<T | null> {
    if (!this.#kept.has(name)) checkKey(key);
    const kept = await this.#kept.get(name, { mark: () => this.#markOf(key.replaceAll('/', ':')), text });
    if (kept === null) return null;
    if (!kept.values.has(schema)) kept.values.set(schema, frozen(readJson(key, kept.text, schema)));
    return kept.values.get(schema) as T;
  }

  async #write(key: string, text: string, options: WriteOptions = {}): Promise<void> {
    checkKey(key);
    await this.#storage.setItemRaw(key, text, options).catch((error: unknown) => {
      if (error instanceof KeyExists) throw error;
      return unavailable('written', key)(error);
    });
  }
}

/** No first line that is asked for alone is longer, in bytes. */
const MAX_LINE = 1024;

function unavailable(verb: 'read' | 'written', key: string): (cause: unknown) => never {
  return (cause) => {
    throw new StoreUnavailable(verb, key, cause);
  };
}

/** JSON → a checked value. @throws StoreError naming key and place */
export function readJson<T>(key: string, text: string, schema: z.ZodType<T>): T {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (cause) {
    const place = cause instanceof JsonSyntaxError ? `line ${cause.line} column ${cause.column}` : 'line 1';
    throw new StoreError(`${key} is damaged at ${place}: ${(cause as Error).message}`, { key, place, cause });
  }
  if (conforms(schema, value)) return value;
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const place = (issue?.path ?? []).map((step) => `/${pointerSegment(String(step))}`).join('');
  throw new StoreError(`${key} is not what this version writes, at ${place || 'its top'}: ${issue?.message}`, {
    key,
    place,
    cause: parsed.error,
  });
}

function toJson(key: string, value: unknown): string {
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined) throw new StoreError(`${key}: ${typeof value} has no JSON`, { key });
  // A replacer would be asked about every member; only where a null stands a number can have been lost.
  if (text.includes('null')) refuseNonFinite(key, '', value);
  return text;
}

/** JSON makes null of what is no finite number, and nobody would see. What the store has frozen it has read or looked at before. */
function refuseNonFinite(key: string, name: string, value: unknown): void {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new StoreError(`${key}: ${name} is ${value}, which JSON cannot hold`, { key });
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  if (Array.isArray(value)) for (const inner of value) refuseNonFinite(key, name, inner);
  else for (const member in value) refuseNonFinite(key, member, (value as Record<string, unknown>)[member]);
}
