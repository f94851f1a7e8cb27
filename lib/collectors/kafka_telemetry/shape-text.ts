/** A value in a JSON text that may differ from message to message. */
export interface Gap {
  /** Where it stands in the document: `Events/0/Oem/Sensors/2/Value`. */
  path: string;
  from: number;
  to: number;
  /** A text, without its quotes; else a number. */
  quoted: boolean;
}

const KEYS: ReadonlySet<string> = new Set(['Context', 'EventTimestamp', 'Timestamp', 'Location', 'Value']);
const MAX_DEPTH = 12;
const MAX_GAPS = 4096;

/**
 * Finds the times, places and values in the text of a JSON document, in the order in which they stand.
 * @param text valid JSON
 * @returns null where something is escaped, given twice or nested too deep
 */
export function gapsIn(text: string): Gap[] | null {
  const gaps: Gap[] = [];
  const paths = new Set<string>();
  let at = 0;

  const skipBlanks = (): void => {
    while (text.charCodeAt(at) <= 32) at++;
  };
  /** Passes a text, and returns what stands in its quotes; null where that is escaped. */
  const passText = (): string | null => {
    const from = at + 1;
    let escaped = false;
    for (at = from; text.charCodeAt(at) !== 34; at++) {
      if (at >= text.length) return null;
      if (text.charCodeAt(at) !== 92) continue;
      escaped = true;
      at++;
    }
    const inner = text.slice(from, at);
    at++;
    return escaped ? null : inner;
  };
  const passValue = (path: string, key: string, depth: number): boolean => {
    skipBlanks();
    const first = text.charCodeAt(at);
    if (first === 123 || first === 91) return depth < MAX_DEPTH && passMembers(path, first === 91, depth + 1);
    const begin = at;
    const quoted = first === 34;
    let plain = true;
    if (quoted) plain = passText() !== null;
    else while (at < text.length && !/[\s,}\]]/.test(text.charAt(at))) at++;
    if (!KEYS.has(key)) return true;
    if (!plain || paths.has(path) || gaps.length >= MAX_GAPS) return false;
    paths.add(path);
    // `null`, `true` and the like stay as they are.
    if (quoted) gaps.push({ path, from: begin + 1, to: at - 1, quoted });
    else if (first === 45 || (first >= 48 && first <= 57)) gaps.push({ path, from: begin, to: at, quoted });
    return true;
  };
  const passMembers = (path: string, list: boolean, depth: number): boolean => {
    at++;
    for (let n = 0; ; n++) {
      skipBlanks();
      const code = text.charCodeAt(at);
      if (Number.isNaN(code)) return false;
      if (code === 125 || code === 93) break;
      if (code === 44) at++;
      skipBlanks();
      let key = String(n);
      if (!list) {
        const name = passText();
        if (name === null) return false;
        key = name;
        skipBlanks();
        at++;
      }
      if (!passValue(path === '' ? key : `${path}/${key}`, list ? '' : key, depth)) return false;
    }
    at++;
    return true;
  };

  return passValue('', '', 0) ? gaps : null;
}
