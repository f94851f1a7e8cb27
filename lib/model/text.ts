// What may not stand raw in a text that came from the cluster: C0 and C1 controls, DEL, line and paragraph separators,
// whatever is made to be invisible (bidirectional controls, zero-width and tag characters, fillers, variation selectors,
// the byte order mark), interlinear annotation, lone surrogates.
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufff9-\ufffb]|\p{Default_Ignorable_Code_Point}|\p{Surrogate}/gu;

/** Most texts: nothing to escape, seen at a glance. */
const PLAIN_LINE = /^[ -~]*$/;

function escapeCharacter(c: string): string {
  if (c === '\n') return '\\n';
  if (c === '\r') return '\\r';
  if (c === '\t') return ' ';
  const code = c.codePointAt(0) as number;
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
}

/**
 * Makes one bounded, printable line of a text from the cluster. Line breaks, controls and invisible characters
 * become visible escapes; what passes `max` characters is cut with its count, so that nothing vanishes unseen.
 */
export function oneLine(text: string, max = 400): string {
  // A text is cut before it is escaped, so that a hostile 10 MB line costs no more than a short one.
  const cut = text.length > max ? text.slice(0, max) : text;
  const clean = (PLAIN_LINE.test(cut) ? cut : cut.replace(UNSAFE, escapeCharacter)).trim();
  return text.length > max ? `${clean}…(+${text.length - max})` : clean;
}

/** Whether {@link oneLine} would have to escape something. */
export function hasUnsafe(text: string): boolean {
  return text.search(UNSAFE) >= 0;
}

/** The longest name that is accepted, in bytes of UTF-8: that of a DNS name. */
export const MAX_NAME_BYTES = 253;

/** Printable ASCII without a space at either end: what needs no cleaning. */
const PLAIN = /^[!-~](?:[ -~]*[!-~])?$/;

/**
 * The name of a subject or part as identity takes it: NFC and trimmed.
 * @returns null for what is no name: empty, with control or invisible characters, or over {@link MAX_NAME_BYTES}.
 */
export function cleanName(raw: unknown): string | null {
  // Decomposed characters are up to four times as long; what is longer still is not worth normalising.
  if (typeof raw !== 'string' || raw.length > 4 * MAX_NAME_BYTES) return null;
  // An inventory of a large fleet has millions of names, and nearly all are plain.
  if (raw.length <= MAX_NAME_BYTES && PLAIN.test(raw)) return raw;
  const name = raw.normalize('NFC').trim();
  if (name === '' || hasUnsafe(name)) return null;
  return new TextEncoder().encode(name).length > MAX_NAME_BYTES ? null : name;
}

/** Orders names as people do: `n2` before `n10`; ties by code unit, so that the order is total and the same everywhere. */
export function compareNames(a: string, b: string): number {
  let i = 0;
  let j = 0;
  let inText = false;
  while (i < a.length && j < b.length) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(j);
    if (isDigit(x) && isDigit(y)) {
      const [endA, endB] = [numberEnd(a, i), numberEnd(b, j)];
      while (i < endA && a.charCodeAt(i) === ZERO) i++;
      while (j < endB && b.charCodeAt(j) === ZERO) j++;
      if (endA - i !== endB - j) return endA - i - (endB - j);
      for (; i < endA; i++, j++) if (a.charCodeAt(i) !== b.charCodeAt(j)) return a.charCodeAt(i) - b.charCodeAt(j);
      inText = false;
    } else if (x === y) {
      i++;
      j++;
      inText = true;
    } else if (inText && isDigit(x) !== isDigit(y)) {
      // A text that ends here stands before one that goes on: n1 before na1, whatever the letters.
      return isDigit(x) ? -1 : 1;
    } else return x - y;
  }
  return a.length - i - (b.length - j) || (a < b ? -1 : a > b ? 1 : 0);
}

/** Things in the order of {@link compareNames} by their names; of long lists several times as fast as sorting by it. */
export function sortedByName<T>(things: readonly T[], nameOf: (thing: T) => string): T[] {
  const keyed = things.map((thing) => {
    const name = nameOf(thing);
    return { thing, name, key: orderKey(name) };
  });
  keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  return keyed.map(({ thing }) => thing);
}

/** A text whose order by code units is that of {@link compareNames}; names that differ in zeros before a number share it. */
function orderKey(name: string): string {
  let key = '';
  for (let at = 0; at < name.length; ) {
    if (!isDigit(name.charCodeAt(at))) {
      const from = at;
      while (at < name.length && !isDigit(name.charCodeAt(at))) at++;
      const text = name.slice(from, at);
      // After a text a number stands before every character, so that NUL must stand behind it.
      key += text.includes('\0') ? text.replaceAll('\0', '\0\uffff') : text;
      continue;
    }
    const end = numberEnd(name, at);
    const mark = at === 0 ? '0' : '\0';
    while (at < end && name.charCodeAt(at) === ZERO) at++;
    key += mark + String.fromCharCode(end - at) + name.slice(at, end);
    at = end;
  }
  return key;
}

const ZERO = 48;

function isDigit(code: number): boolean {
  return code >= ZERO && code <= 57;
}

function numberEnd(text: string, from: number): number {
  let end = from;
  while (end < text.length && isDigit(text.charCodeAt(end))) end++;
  return end;
}

const STEPS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'] as const;

/** Bytes for people: `86.9 TiB`. */
export function bytesText(bytes: number): string {
  let size = Math.abs(bytes);
  let step = 0;
  while (size >= 1024 && step < STEPS.length - 1) {
    size /= 1024;
    step++;
  }
  return `${bytes < 0 ? '-' : ''}${step === 0 ? size : Number(size.toPrecision(4))} ${STEPS[step]}`;
}

/** A token that a header can carry, without the space around it; null for what is none: it may not become part of an error that tells it. */
export function headerToken(text: string): string | null {
  const token = text.trim();
  return /^[ -~]+$/.test(token) ? token : null;
}
