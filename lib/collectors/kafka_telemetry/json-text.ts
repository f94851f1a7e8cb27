/** Where a scan of JSON text stands: the open brackets, and whether it is inside of a string. */
class Scan {
  readonly open: number[] = [];
  inString = false;
  /** The last character that is not white space, outside of strings; a string counts as its closing quote. */
  last = 0;
  #escaped = false;

  /**
   * Goes on over a text.
   * @returns the offset behind the bracket that closed the outermost value; -1 where it is still open
   */
  feed(text: string, from = 0): number {
    for (let at = from; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (this.inString) {
        if (this.#escaped) this.#escaped = false;
        else if (code === 92) this.#escaped = true;
        else if (code === 34) {
          this.inString = false;
          this.last = 34;
        }
        continue;
      }
      if (code === 32 || (code >= 9 && code <= 13)) continue;
      this.last = code;
      if (code === 34) this.inString = true;
      else if (code === 123 || code === 91) this.open.push(code);
      else if (code === 125 || code === 93) {
        this.open.pop();
        if (this.open.length === 0) return at + 1;
      }
    }
    return -1;
  }
}

/** A text with more pieces than this that are no JSON is none of ours: what follows is left. */
const MAX_BAD_PIECES = 1000;

/** A text as a JSON object or array; undefined where it is none. */
export function parseObject(text: string): unknown {
  // A parser that throws is dear, and what is spread over lines mostly shows it at its end.
  let end = text.length - 1;
  while (end > 0 && text.charCodeAt(end) <= 32) end--;
  const last = text.charCodeAt(end);
  if (last !== 125 && last !== 93) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return value === null || typeof value !== 'object' ? undefined : value;
  } catch {
    return undefined;
  }
}

/**
 * Takes apart values that stand one behind the other in one text: `{…}{…}`, `{…} [ … ]`.
 * @param take is called with each value; with undefined for a piece that closed, and yet is no JSON
 * @returns what is left behind the last piece, where that never closed or is no bracket; empty where nothing is left
 */
export function splitJson(text: string, take: (value: unknown) => void): string {
  let at = 0;
  for (let bad = 0; bad < MAX_BAD_PIECES; ) {
    while (at < text.length && /[\s,\u001e]/.test(text.charAt(at))) at++;
    if (at >= text.length) return '';
    const code = text.charCodeAt(at);
    const end = code === 123 || code === 91 ? new Scan().feed(text, at) : -1;
    if (end < 0) return text.slice(at);
    const value = parseObject(text.slice(at, end));
    if (value === undefined) bad++;
    take(value);
    at = end;
  }
  return text.slice(at);
}

/** A document over this size that is spread over lines is not put together. */
const MAX_DOCUMENT = 8 * 1024 * 1024;
const MAX_DEPTH = 32;

/** Puts a document together again that is spread over lines. */
export class SpreadJson {
  readonly lines: string[] = [];
  readonly #scan = new Scan();
  #size = 0;

  /**
   * Begins with a first line that opens a bracket and does not close it; null where no document could go on from there,
   * since the line breaks off inside of a string or of a value.
   */
  static begin(line: string): SpreadJson | null {
    const spread = new SpreadJson();
    if (spread.#scan.feed(line) >= 0 || spread.#scan.inString || spread.#scan.open.length > MAX_DEPTH) return null;
    if (!'{[,:'.includes(String.fromCharCode(spread.#scan.last))) return null;
    spread.lines.push(line);
    spread.#size = line.length;
    return spread;
  }

  /**
   * Goes on with the next line. `broken`: it cannot belong to the document, which therefore never was one.
   */
  add(line: string): 'open' | 'broken' | { value: unknown; rest: string } {
    if (!this.#mayFollow(line)) return 'broken';
    const end = this.#scan.feed(line);
    this.#size += line.length + 1;
    if (this.#scan.inString || this.#size > MAX_DOCUMENT || this.#scan.open.length > MAX_DEPTH) return 'broken';
    if (end < 0) {
      this.lines.push(line);
      return 'open';
    }
    try {
      return { value: JSON.parse([...this.lines, line.slice(0, end)].join('\n')), rest: line.slice(end) };
    } catch {
      return 'broken';
    }
  }

  /** An object cannot begin where a member's name, a comma or a closing bracket is due. */
  #mayFollow(line: string): boolean {
    const first = line.trimStart().charCodeAt(0);
    if (first !== 123 && first !== 91) return true;
    const { last, open } = this.#scan;
    if (last === 58 || last === 91) return true;
    return last === 44 && open.at(-1) === 91;
  }
}
