/*
 * Influx line protocol: `measurement[,tag=value…] field=value[,…] [timestamp]`
 * (https://docs.influxdata.com/influxdb/v2/reference/syntax/line-protocol/).
 */

export interface InfluxLine {
  name: string;
  tags: [string, string][];
  /** Numbers as decimal text; strings and booleans are left out. */
  fields: [string, string][];
  /** As written; empty where there is none. */
  timestamp: string;
}

/** Where an unescaped, unquoted character of `stops` stands from an offset on; the text's length where none does. */
function until(text: string, from: number, stops: string, quotes: boolean): number {
  let quoted = false;
  for (let at = from; at < text.length; at++) {
    const c = text.charAt(at);
    if (c === '\\') at++;
    else if (c === '"' && quotes) quoted = !quoted;
    else if (!quoted && stops.includes(c)) return at;
  }
  return text.length;
}

function plain(text: string): string {
  return text.includes('\\') ? text.replaceAll(/\\([,= \\"])/g, '$1') : text;
}

function pairs(text: string, quotes: boolean): [string, string][] | null {
  const found: [string, string][] = [];
  for (let at = 0; at <= text.length; ) {
    const comma = until(text, at, ',', quotes);
    const pair = text.slice(at, comma);
    const equals = until(pair, 0, '=', false);
    if (equals === 0 || equals >= pair.length - 1 || found.length >= 1000) return null;
    found.push([plain(pair.slice(0, equals)), pair.slice(equals + 1)]);
    at = comma + 1;
  }
  return found;
}

const NUMBER = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)[iu]?$/;
const NO_NUMBER = /^(?:"(?:[^"\\]|\\.)*"|t|T|true|True|TRUE|f|F|false|False|FALSE)$/s;

/** Reads one line; null for what is no line protocol. */
export function parseInfluxLine(text: string): InfluxLine | null {
  const head = until(text, 0, ' ', false);
  if (head === 0 || head >= text.length) return null;
  const nameEnd = until(text, 0, ', ', false);
  const tags = nameEnd === head ? [] : pairs(text.slice(nameEnd + 1, head), false);
  let at = head;
  while (text.charAt(at) === ' ') at++;
  const fieldsEnd = until(text, at, ' ', true);
  const written = pairs(text.slice(at, fieldsEnd), true);
  const timestamp = text.slice(fieldsEnd).trim();
  if (tags === null || written === null || !/^-?\d{0,20}$/.test(timestamp)) return null;
  const fields: [string, string][] = [];
  for (const [key, value] of written) {
    const number = NUMBER.exec(value);
    if (number) fields.push([key, number[1] as string]);
    else if (!NO_NUMBER.test(value)) return null;
  }
  return { name: plain(text.slice(0, nameEnd)), tags: tags.map(([k, v]) => [k, plain(v)]), fields, timestamp };
}
