import { sha256Hex } from '../model/identity.ts';

/** The store refused a key, or found something that it did not write. */
export class StoreError extends Error {
  override name = 'StoreError';
  readonly key: string | undefined;
  /** Where in the value: `line 1 column 9`, or a JSON pointer. */
  readonly place: string | undefined;
  constructor(message: string, at: { key?: string; place?: string; cause?: unknown } = {}) {
    super(message, { cause: at.cause });
    this.key = at.key;
    this.place = at.place;
  }
}

/** Below the 512 bytes that the drivers all take; segments are names of files somewhere. */
const MAX_KEY = 512;
const MAX_SEGMENT = 255;
const KEY = /^[a-z0-9][a-z0-9._-]*(?:\/[a-z0-9][a-z0-9._-]*)*$/;

/**
 * Keys hold what every driver takes alike: lower-case letters, digits, `.`, `_` and `-`, in segments parted by `/`
 * that begin with a letter or a digit.
 * @throws StoreError
 */
export function checkKey(key: string): void {
  const shown = JSON.stringify(key.slice(0, 80));
  if (key.length > MAX_KEY) throw new StoreError(`a key has at most ${MAX_KEY} bytes: ${shown}… has ${key.length}`);
  if (!KEY.test(key)) throw new StoreError(`${shown} is no key: expected segments of a-z 0-9 . _ - parted by /`);
  if (key.split('/').some((segment) => segment.length > MAX_SEGMENT))
    throw new StoreError(`a segment of ${shown}… is over ${MAX_SEGMENT} bytes`);
}

/** Whether a name that a driver lists can be one of ours. */
export function isKey(key: string): boolean {
  return key.length <= MAX_KEY && KEY.test(key);
}

/** A text whose escaped form is longer than this becomes its hash. */
const MAX_ENCODED = 120;
const PLAIN = /[a-z0-9.-]/;

/**
 * Makes one safe segment of a key from any text. What is no lower-case letter, digit, `.` or `-` becomes `_` and two
 * hex digits a byte of UTF-8 (`_u` and four for half a surrogate pair), so that texts that differ in case, form or
 * a trailing blank stay apart. `0__` goes before what would not begin with a letter or digit; `0_h` and a SHA-256
 * stand for a text too long to be a file's name.
 */
export function encodeSegment(text: string): string {
  let encoded = '';
  for (const c of text) {
    if (PLAIN.test(c)) encoded += c;
    else if (/\p{Surrogate}/u.test(c)) encoded += `_u${c.charCodeAt(0).toString(16)}`;
    else for (const byte of new TextEncoder().encode(c)) encoded += `_${byte.toString(16).padStart(2, '0')}`;
    if (encoded.length > MAX_ENCODED) return `0_h${sha256Hex(JSON.stringify(text))}`;
  }
  return /^[a-z0-9]/.test(encoded) ? encoded : `0__${encoded}`;
}

/** The text that {@link encodeSegment} was given; null for a hash, and for what it never makes. */
export function decodeSegment(segment: string): string | null {
  const body = segment.startsWith('0__') ? segment.slice(3) : segment;
  const text = body.replaceAll(/((?:_[0-9a-f]{2})+)|_u([0-9a-f]{4})/g, (_, bytes: string | undefined, half: string | undefined) =>
    bytes === undefined
      ? String.fromCharCode(Number.parseInt(half as string, 16))
      : new TextDecoder('utf-8', { fatal: false, ignoreBOM: true }).decode(
          Uint8Array.from(bytes.slice(1).split('_'), (hex) => Number.parseInt(hex, 16)),
        ),
  );
  return encodeSegment(text) === segment ? text : null;
}
