const ESC = 0x1b;
const CARET = 0x5e;
const BRACKET = 0x5b;
const TAB = 0x09;
const MAX_PARAMETERS = 30;
const CR = 0x0d;

/** No console text says more in one breath; what is longer is cut before any rule looks at it. */
export const MAX_TEXT = 4096;

const decoder = new TextDecoder('utf-8');

/**
 * Makes clean texts of one raw console line: terminal control (real, or spelled `^[` by conman's `sanitize`), NUL padding
 * and erased characters are taken out; a bare carriage return, a cursor jump and a run of NULs part two texts.
 */
export function cleanTexts(bytes: Uint8Array, from: number, to: number): string[] {
  return cleanText(decoder.decode(bytes.subarray(from, to)))
    .split('\n')
    .filter((text) => text.trim() !== '')
    .map((text) => text.slice(0, MAX_TEXT));
}

/** Whether a line holds nothing that {@link cleanText} would take out, but for the carriage returns at its end. */
export function isPlain(bytes: Uint8Array, from: number, to: number): boolean {
  const end = endOfText(bytes, from, to);
  for (let i = from; i < end; i++) {
    const c = bytes[i] as number;
    if (c < 0x20 ? c !== TAB : c === 0x7f || (c === CARET && bytes[i + 1] === BRACKET)) return false;
  }
  return true;
}

/**
 * Copies a line without its colours, which is all the terminal control that most lines have.
 * @param out takes the bytes from index 1 on; it is at least one byte longer than the line
 * @returns where they end; -1 for a line with any other control in it, for which {@link cleanTexts} is
 */
export function copyWithoutColours(bytes: Uint8Array, from: number, to: number, out: Uint8Array): number {
  const end = endOfText(bytes, from, to);
  let n = 1;
  for (let i = from; i < end; i++) {
    const c = bytes[i] as number;
    if (c === ESC) {
      if (bytes[i + 1] !== BRACKET) return -1;
      let j = i + 2;
      while (j < end && isParameter(bytes[j] as number)) j++;
      // Colours end with `m`, `K` clears the rest of the line; both leave the text where it is.
      if (j >= end || j - i > MAX_PARAMETERS || (bytes[j] !== 0x6d && bytes[j] !== 0x4b)) return -1;
      i = j;
    } else if (c < 0x20 ? c !== TAB : c === 0x7f || (c === CARET && bytes[i + 1] === BRACKET)) return -1;
    else out[n++] = c;
  }
  return n;
}

function isParameter(c: number): boolean {
  return (c >= 0x30 && c <= 0x39) || c === 0x3b;
}

/** The text of a line that {@link isPlain}. */
export function plainText(bytes: Uint8Array, from: number, to: number): string {
  return decoder.decode(bytes.subarray(from, Math.min(endOfText(bytes, from, to), from + MAX_TEXT)));
}

function endOfText(bytes: Uint8Array, from: number, to: number): number {
  let end = to;
  while (end > from && bytes[end - 1] === CR) end--;
  return end;
}

/** What moves the cursor elsewhere: the texts before and after it are two. */
const JUMP = /(?:\u001b|\^\[)\[\d{0,4}(?:;\d{0,4})?[HfABEFGJd]|\r+|\0{8,}|\n/g;
/** CSI sequences, OSC strings and the two-character escapes. */
const TERMINAL =
  /(?:\u001b|\^\[)\[[0-?]{0,32}[ -/]{0,4}[@-~]|\u001b\][^\u0007\u001b]{0,256}(?:\u0007|\u001b\\)?|\u001b[()*+#%][0-9A-Za-z@]|\u001b[=>78cDEHMNOZ]/g;
const REST = /[\u0000-\u0007\u000b-\u001f\u007f]/g;

/** Text without terminal control, with `\n` between what stood in different places of the screen. */
export function cleanText(text: string): string {
  let clean = text.replace(JUMP, '\n').replace(TERMINAL, '');
  if (clean.includes('\b')) clean = erase(clean);
  return clean.replace(REST, '');
}

/** Applies backspaces. */
function erase(text: string): string {
  const kept: string[] = [];
  for (const c of text) {
    if (c !== '\b') kept.push(c);
    else if (kept.at(-1) !== '\n') kept.pop();
  }
  return kept.join('');
}

/** Where a line of `bytes` that starts at `from` wants the slow way: the next escape at or after it. */
export function nextEscape(bytes: Uint8Array, from: number, to: number): number {
  const at = bytes.indexOf(ESC, from);
  return at < 0 || at >= to ? to : at;
}
