// Controls but the line feed, separators, what is made to be invisible, lone surrogates.
const UNSAFE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\ufff9-\ufffb]|\p{Default_Ignorable_Code_Point}|\p{Surrogate}/gu;
/** What may hold some of it: reports are large, and nearly all of them is printable ASCII. */
const NOT_PLAIN = /[^\n -~]+/g;
const COLOURS = /\u001b\[[\d;]*m/g;

/**
 * Output for a terminal, with everything that it may act on or not show told by escapes. These are JSON's own, so that a
 * JSON document stays the same value.
 * @param options.colour leaves colours as they are: for output that sets its own
 */
export function printable(text: string, { colour = false }: { colour?: boolean } = {}): string {
  if (!colour) return text.replaceAll(NOT_PLAIN, (run) => run.replaceAll(UNSAFE, escapeUnits));
  const between = text.split(COLOURS).map((part) => printable(part));
  const colours = text.match(COLOURS) ?? [];
  return between.map((part, i) => part + (colours[i] ?? '')).join('');
}

function escapeUnits(c: string): string {
  return [...Array(c.length).keys()].map((i) => `\\u${c.charCodeAt(i).toString(16).padStart(4, '0')}`).join('');
}
