/*
 * One line's series and values in both Prometheus text formats: names, labels, numbers. `open` is OpenMetrics, which
 * allows no white space that the old format allows, and no quoted names.
 */

/** What is wrong with a line. */
export type PrometheusFault =
  | 'name'
  | 'label'
  | 'label_value'
  | 'escape'
  | 'duplicate_label'
  | 'reserved_label'
  | 'value'
  | 'timestamp'
  | 'trailing'
  | 'white_space'
  | 'comment'
  | 'type'
  | 'unit'
  | 'repeated_metadata'
  | 'late_metadata'
  | 'negative'
  | 'not_a_number'
  | 'exemplar'
  | 'bucket'
  | 'after_end'
  | 'no_end';

/** A line at fault. */
export class Fault extends Error {
  readonly fault: PrometheusFault;
  constructor(fault: PrometheusFault) {
    super(fault);
    this.fault = fault;
  }
}

const FAULTS = new Map<PrometheusFault, Fault>();

/** The error of a kind of fault, one for all lines: a stack for each of a million bad lines would be dear. */
export function faultOf(fault: PrometheusFault): Fault {
  const known = FAULTS.get(fault) ?? new Fault(fault);
  FAULTS.set(fault, known);
  return known;
}

export interface ParsedSeries {
  name: string;
  labels: [string, string][];
  /** Where the series ends in its line. */
  end: number;
}

/** More labels than this are no series of anybody. */
const MAX_LABELS = 256;
const NON_FINITE = /^[+-]?(?:nan|inf|infinity)$/i;

export function isBlank(code: number): boolean {
  return code === 32 || code === 9;
}

function isNameStart(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95 || code === 58;
}

function isNamePart(code: number): boolean {
  return isNameStart(code) || (code >= 48 && code <= 57);
}

/** Reads the name and labels that a line begins with. @throws Fault */
export function parseSeries(text: string, open: boolean): ParsedSeries {
  let at = 0;
  while (at < text.length && (at === 0 ? isNameStart(text.charCodeAt(0)) : isNamePart(text.charCodeAt(at)))) at++;
  const name = text.slice(0, at);
  let brace = at;
  if (!open) while (isBlank(text.charCodeAt(brace))) brace++;
  if (text.charCodeAt(brace) === 123) {
    const parsed = parseLabels(text, brace, name, open);
    if (parsed.name === '') throw faultOf('name');
    return parsed;
  }
  if (name === '' || (at < text.length && !isBlank(text.charCodeAt(at)))) throw faultOf('name');
  return { name, labels: [], end: at };
}

/** Reads the labels from their opening brace on; a quoted text without a value is the metric's name. @throws Fault */
export function parseLabels(text: string, brace: number, given: string, open: boolean): ParsedSeries {
  const labels: [string, string][] = [];
  let name = given;
  let at = pad(text, brace + 1, open);
  let separated = true;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code === 125) {
      if (open && labels.length > 0 && separated) throw faultOf('label');
      return { name, labels, end: at + 1 };
    }
    if (code === 44 && !open && !(separated && labels.length > 0)) {
      // The old format's parsers allow one comma after the last label, and a lone one.
      separated = true;
      at = pad(text, at + 1, open);
      if (labels.length === 0 && name === given && text.charCodeAt(at) !== 125) throw faultOf('label');
      continue;
    }
    if (!separated) {
      if (code !== 44) throw faultOf('label');
      separated = true;
      at = pad(text, at + 1, open);
      continue;
    }
    separated = false;
    if (Number.isNaN(code)) throw faultOf('label');
    let key: string;
    if (code === 34) {
      if (open) throw faultOf('label');
      const quoted = parseQuoted(text, at, open);
      at = pad(text, quoted.end, open);
      key = quoted.value;
      if (text.charCodeAt(at) !== 61) {
        if (name !== '' || key === '') throw faultOf('name');
        name = key;
        continue;
      }
    } else {
      const start = at;
      while (isNamePart(text.charCodeAt(at)) && text.charCodeAt(at) !== 58) at++;
      key = text.slice(start, at);
      if (key === '' || /^\d/.test(key)) throw faultOf('label');
      at = pad(text, at, open);
      if (text.charCodeAt(at) !== 61) throw faultOf('label');
    }
    at = pad(text, at + 1, open);
    if (text.charCodeAt(at) !== 34) throw faultOf('label_value');
    const { value, end } = parseQuoted(text, at, open);
    if (key === '__name__') throw faultOf('reserved_label');
    if (labels.some(([other]) => other === key)) throw faultOf('duplicate_label');
    if (labels.length >= MAX_LABELS) throw faultOf('label');
    labels.push([key, value]);
    at = pad(text, end, open);
  }
}

function pad(text: string, from: number, open: boolean): number {
  if (open) return from;
  let at = from;
  while (isBlank(text.charCodeAt(at))) at++;
  return at;
}

/** Reads a quoted text from its quote on. @throws Fault */
export function parseQuoted(text: string, quote: number, open: boolean): { value: string; end: number } {
  let end = quote + 1;
  let escaped = false;
  for (; ; end++) {
    const code = text.charCodeAt(end);
    if (Number.isNaN(code)) throw faultOf('label_value');
    if (code === 34) break;
    if (code === 92) {
      escaped = true;
      end++;
    }
  }
  const raw = text.slice(quote + 1, end);
  return { value: escaped ? unescape(raw, open) : raw, end: end + 1 };
}

function unescape(raw: string, open: boolean): string {
  return raw.replaceAll(/\\(.)/gsu, (whole, c: string) => {
    if (c === 'n') return '\n';
    if (c === '"' || c === '\\') return c;
    // OpenMetrics lets any character stand behind a backslash, and keeps both.
    if (!open) throw faultOf('escape');
    return whole;
  });
}

/** Whether a text is a number by {@link parseValue}. */
export function isNumber(text: string): boolean {
  return parseValue(text) !== undefined;
}

/** A value as Go's ParseFloat takes it, without its underscores and bases; undefined for what is none. */
export function parseValue(text: string): number | undefined {
  if (text === '') return undefined;
  const value = Number(text);
  if (!Number.isNaN(value)) {
    // Number() passes over white space of any kind at both ends, and takes nothing else for 0.
    const last = text.charCodeAt(text.length - 1);
    if (text.charCodeAt(0) <= 32 || text.charCodeAt(0) > 126 || last <= 32 || last > 126) return undefined;
    const second = text.charCodeAt(1) | 32;
    // 0x, 0b, 0o: only a leading zero makes Number() read another base.
    if (text.charCodeAt(0) === 48 && (second === 120 || second === 98 || second === 111)) return undefined;
    return value;
  }
  if (!NON_FINITE.test(text)) return undefined;
  if (/nan/i.test(text)) return Number.NaN;
  return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}
