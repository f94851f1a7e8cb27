/** What stands escaped wherever it occurs in a name. */
const RESERVED = /[[\],%!&^@*?#]|\p{White_Space}|\p{Cc}|\p{DI}|\p{Cs}|(?!\d)\p{Nd}/gu;

/** Most names: nothing to escape, seen at a glance. */
const PLAIN = /^(?!-)[\w.:/+=~-]+$/;

/** Numbers of more digits are text: this many are exact as JavaScript numbers. */
export const MAX_DIGITS = 15;
const LONG_RUN = /\d{16}/;

/** ClusterShell refuses numbers over 1e100, so longer runs of digits are broken by an escaped digit. */
const MAX_RUN = 90;

/** A name as it stands in a set; with `[`, which is never part of an escaped name, for its numbers where that is asked. */
export function escapeName(name: string, numbersOut: boolean): string {
  if (isPlain(name)) return numbersOut ? name.replace(/\d+/g, '[') : name;
  if (name === '') return '%';
  if (name === 'all') return '%61ll';
  const dash = name.startsWith('-');
  const escaped = name
    .slice(dash ? 1 : 0)
    .split(/(\d+)/)
    .map((part, i) => {
      if (i % 2 === 0) return part.replace(RESERVED, escapeCharacter);
      if (part.length > MAX_DIGITS) return breakRun(part);
      return numbersOut ? '[' : part;
    })
    .join('');
  return dash ? `%2D${escaped}` : escaped;
}

/** Whether a name stands in a set as it is. */
export function isPlain(name: string): boolean {
  return PLAIN.test(name) && !LONG_RUN.test(name) && name !== 'all';
}

export function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) as number;
  // A lone surrogate has no UTF-8; it is written as the three bytes that it would have.
  const bytes =
    code >= 0xd800 && code <= 0xdfff
      ? [0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63)]
      : new TextEncoder().encode(character);
  return Array.from(bytes, (b) => `%${b.toString(16).toUpperCase().padStart(2, '0')}`).join('');
}

function breakRun(digits: string): string {
  let text = digits.slice(0, MAX_RUN);
  for (let at = MAX_RUN; at < digits.length; at += MAX_RUN) text += `%3${digits.slice(at, at + MAX_RUN)}`;
  return text;
}
