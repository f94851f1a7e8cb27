/*
 * The Prometheus text format 0.0.4 (https://prometheus.io/docs/instrumenting/exposition_formats/, with the quoted names of
 * Prometheus 3) and OpenMetrics 1.0 (https://github.com/prometheus/OpenMetrics, specification/OpenMetrics.md), line by
 * line: a line at fault is reported and the others are read all the same.
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

export type PrometheusDialect = 'prometheus' | 'openmetrics';

/** What a family's metadata says; empty where nothing was said. */
export interface Family {
  type: string;
  unit: string;
}

export interface PrometheusSink<Series> {
  /** Asked once for each text of a name with its labels; what it answers comes back with every sample of it. */
  define(name: string, labels: readonly (readonly [string, string])[], family: Family): Series;
  /** One sample; the timestamp is as written (NaN: none): ms by the old format, s by OpenMetrics. */
  sample(series: Series, value: number, timestamp: number): void;
  fault(line: number, fault: PrometheusFault): void;
}

export interface PrometheusOptions {
  /** `prometheus` turns into `openmetrics` where the text shows that it is such. */
  dialect: PrometheusDialect;
  /** The text may be several scrapes in a row: metadata may come again, and a new one may begin after `# EOF`. */
  concatenated?: boolean;
}

const TYPES = new Set(['counter', 'gauge', 'histogram', 'summary', 'untyped']);
const OPEN_TYPES = new Set(['counter', 'gauge', 'histogram', 'gaugehistogram', 'summary', 'info', 'stateset', 'unknown']);
const SUFFIXES = ['_total', '_created', '_bucket', '_count', '_sum', '_info', '_gcount', '_gsum'];
const METRIC_NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const NON_FINITE = /^[+-]?(?:nan|inf|infinity)$/i;
/** Texts of series that are remembered; a hostile stream of ever new ones must not fill the memory. */
const MAX_SEEN = 400_000;

interface Seen<Series> {
  series: Series;
  /** A count: neither negative nor NaN. */
  count: boolean;
  exemplar: boolean;
  /** An info is 1; a state is 0 or 1. */
  flag: boolean;
}

interface Parsed {
  name: string;
  labels: [string, string][];
  end: number;
}

class Fault extends Error {
  readonly fault: PrometheusFault;
  constructor(fault: PrometheusFault) {
    super(fault);
    this.fault = fault;
  }
}

function isBlank(code: number): boolean {
  return code === 32 || code === 9;
}

function isNameStart(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95 || code === 58;
}

function isNamePart(code: number): boolean {
  return isNameStart(code) || (code >= 48 && code <= 57);
}

/** A reader of one text, fed line by line. */
export class PrometheusText<Series> {
  readonly #sink: PrometheusSink<Series>;
  readonly #concatenated: boolean;
  #open: boolean;
  #line = 0;
  #ended = false;
  #types = new Map<string, string>();
  #units = new Map<string, string>();
  #helped = new Set<string>();
  #sampled = new Set<string>();
  readonly #seen = new Map<string, Seen<Series>>();

  constructor(sink: PrometheusSink<Series>, options: PrometheusOptions) {
    this.#sink = sink;
    this.#open = options.dialect === 'openmetrics';
    this.#concatenated = options.concatenated === true;
  }

  /** Takes one line, without its line feed. */
  line(text: string): void {
    this.#line++;
    try {
      this.#take(text.endsWith('\r') ? text.slice(0, -1) : text);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.#sink.fault(this.#line, error.fault);
    }
  }

  /** Ends the text: OpenMetrics must have ended by itself. */
  end(): void {
    if (this.#open && !this.#ended) this.#sink.fault(this.#line, 'no_end');
  }

  #take(text: string): void {
    if (this.#ended) {
      if (!this.#concatenated) throw new Fault('after_end');
      this.#begin();
    }
    const first = text.charCodeAt(0);
    if (first === 35) return this.#comment(text);
    // The text up to the labels' end is the series; one that was seen before needs no parsing.
    const brace = text.lastIndexOf('}');
    const end = brace < 0 ? text.indexOf(' ') : brace + 1;
    const known = end > 0 ? this.#seen.get(text.slice(0, end)) : undefined;
    if (known !== undefined) return this.#value(known, text, end);
    if (isBlank(first) || Number.isNaN(first)) {
      if (this.#open) throw new Fault('white_space');
      const trimmed = text.trim();
      if (trimmed === '') return;
      return trimmed.startsWith('#') ? this.#comment(trimmed) : this.#sample(trimmed);
    }
    this.#sample(text);
  }

  /** A new scrape begins in the same stream. */
  #begin(): void {
    this.#ended = false;
    this.#helped = new Set();
    this.#sampled = new Set();
  }

  // ---- samples

  #sample(text: string): void {
    const { name, labels, end } = this.#series(text);
    const key = text.slice(0, end);
    let seen = this.#seen.get(key);
    if (seen === undefined) {
      seen = this.#define(name, labels);
      // A copy: a slice would keep the whole chunk of input alive that it was cut from.
      if (this.#seen.size < MAX_SEEN) this.#seen.set(JSON.parse(JSON.stringify(key)) as string, seen);
    }
    this.#value(seen, text, end);
  }

  #define(name: string, labels: [string, string][]): Seen<Series> {
    const family = this.#familyOf(name);
    const type = this.#types.get(family) ?? '';
    const le = labels.find(([key]) => key === 'le')?.[1];
    const quantile = labels.find(([key]) => key === 'quantile')?.[1];
    if (type.endsWith('histogram') && name === `${family}_bucket` && le !== undefined && !isNumber(le)) throw new Fault('bucket');
    if (type === 'summary' && name === family && quantile !== undefined && !isNumber(quantile)) throw new Fault('bucket');
    this.#sampled.add(family);
    const suffix = name.slice(family.length);
    const series = this.#sink.define(name, labels, { type, unit: this.#units.get(family) ?? '' });
    return {
      series,
      count:
        (type === 'histogram' && suffix !== '_sum' && suffix !== '_created') ||
        (this.#open && type === 'counter' && suffix === '_total') ||
        (this.#open && type === 'summary' && suffix === '_count'),
      exemplar:
        this.#open && ((type === 'counter' && suffix === '_total') || (type.endsWith('histogram') && suffix === '_bucket') || type === ''),
      flag: this.#open && (type === 'info' || type === 'stateset'),
    };
  }

  /** The family that a sample belongs to: its own name, or what is left without a suffix, where that has metadata. */
  #familyOf(name: string): string {
    if (this.#types.has(name)) return name;
    for (const suffix of SUFFIXES) {
      if (!name.endsWith(suffix)) continue;
      const family = name.slice(0, -suffix.length);
      if (this.#types.has(family) || this.#units.has(family)) return family;
    }
    return name;
  }

  /** What stands behind the labels: value, timestamp, exemplar. */
  #value(seen: Seen<Series>, text: string, end: number): void {
    const { length } = text;
    let at = this.#skip(text, end, text.charCodeAt(end - 1) === 125 && !this.#open);
    let stop = at;
    while (stop < length && !isBlank(text.charCodeAt(stop))) stop++;
    const value = parseValue(text.slice(at, stop));
    if (value === undefined) throw new Fault('value');
    let timestamp = Number.NaN;
    if (stop < length) {
      at = this.#skip(text, stop, false);
      if (at >= length) {
        if (this.#open) throw new Fault('white_space');
      } else if (text.charCodeAt(at) === 35) this.#exemplar(seen, text, at);
      else {
        stop = at;
        while (stop < length && !isBlank(text.charCodeAt(stop))) stop++;
        timestamp = this.#timestamp(text.slice(at, stop));
        if (stop < length) {
          at = this.#skip(text, stop, false);
          if (at < length) {
            if (text.charCodeAt(at) !== 35) throw new Fault('trailing');
            this.#exemplar(seen, text, at);
          } else if (this.#open) throw new Fault('white_space');
        }
      }
    }
    if (seen.count && value < 0) throw new Fault('negative');
    if (seen.count && this.#open && Number.isNaN(value)) throw new Fault('not_a_number');
    if (seen.flag && value !== 1 && value !== 0) throw new Fault('value');
    this.#sink.sample(seen.series, value, timestamp);
  }

  /** Where the next token begins: exactly one blank on in OpenMetrics, any number of blanks and tabs in the old format. */
  #skip(text: string, from: number, mayTouch: boolean): number {
    let at = from;
    if (this.#open) {
      if (text.charCodeAt(at) !== 32) throw new Fault('white_space');
      if (isBlank(text.charCodeAt(at + 1))) throw new Fault('white_space');
      return at + 1;
    }
    while (isBlank(text.charCodeAt(at))) at++;
    if (at === from && !mayTouch) throw new Fault(from >= text.length ? 'value' : 'name');
    return at;
  }

  #timestamp(text: string): number {
    if (/^[+-]?\d+$/.test(text)) return Number(text);
    const value = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text) ? Number(text) : Number.NaN;
    if (Number.isNaN(value)) throw new Fault('timestamp');
    // A fraction can only be OpenMetrics' seconds. In the old format it is a fault, unless it is a time of our days: the
    // end of a stream, which would tell the formats apart, has not come yet.
    if (!this.#open && !(value > 1e9 && value < 1e11)) throw new Fault('timestamp');
    return value;
  }

  #exemplar(seen: Seen<Series>, text: string, hash: number): void {
    if (!this.#open && !this.#concatenated) throw new Fault('trailing');
    if (this.#open && !seen.exemplar) throw new Fault('exemplar');
    if (text.charCodeAt(hash + 1) !== 32 || text.charCodeAt(hash + 2) !== 123) throw new Fault('exemplar');
    let parsed: Parsed;
    try {
      parsed = this.#labels(text, hash + 2, '');
    } catch (error) {
      throw error instanceof Fault ? new Fault('exemplar') : error;
    }
    const size = parsed.labels.reduce((n, [key, value]) => n + Array.from(key).length + Array.from(value).length, 0);
    const rest = text.slice(parsed.end);
    if (size > 128 || parsed.name !== '' || !/^ \S+(?: [+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)?$/.test(rest))
      throw new Fault('exemplar');
    if (parseValue(rest.split(' ')[1] ?? '') === undefined) throw new Fault('exemplar');
  }

  // ---- names and labels

  #series(text: string): Parsed {
    let at = 0;
    while (at < text.length && (at === 0 ? isNameStart(text.charCodeAt(0)) : isNamePart(text.charCodeAt(at)))) at++;
    const name = text.slice(0, at);
    let brace = at;
    if (!this.#open) while (isBlank(text.charCodeAt(brace))) brace++;
    if (text.charCodeAt(brace) === 123) {
      const parsed = this.#labels(text, brace, name);
      if (parsed.name === '') throw new Fault('name');
      return parsed;
    }
    if (name === '' || (at < text.length && !isBlank(text.charCodeAt(at)))) throw new Fault('name');
    return { name, labels: [], end: at };
  }

  /** The labels from their opening brace on; a quoted text without a value is the metric's name. */
  #labels(text: string, brace: number, given: string): Parsed {
    const labels: [string, string][] = [];
    let name = given;
    let at = this.#pad(text, brace + 1);
    let separated = true;
    for (;;) {
      const code = text.charCodeAt(at);
      if (code === 125) {
        if (this.#open && labels.length > 0 && separated) throw new Fault('label');
        return { name, labels, end: at + 1 };
      }
      if (code === 44 && !this.#open && !(separated && labels.length > 0)) {
        // The old format's parsers allow one comma after the last label, and a lone one.
        separated = true;
        at = this.#pad(text, at + 1);
        if (labels.length === 0 && name === given && text.charCodeAt(at) !== 125) throw new Fault('label');
        continue;
      }
      if (!separated) {
        if (code !== 44) throw new Fault('label');
        separated = true;
        at = this.#pad(text, at + 1);
        continue;
      }
      separated = false;
      if (Number.isNaN(code)) throw new Fault('label');
      let key: string;
      if (code === 34) {
        if (this.#open) throw new Fault('label');
        const quoted = this.#quoted(text, at);
        at = this.#pad(text, quoted.end);
        key = quoted.value;
        if (text.charCodeAt(at) !== 61) {
          if (name !== '' || key === '') throw new Fault('name');
          name = key;
          continue;
        }
      } else {
        const start = at;
        while (isNamePart(text.charCodeAt(at)) && text.charCodeAt(at) !== 58) at++;
        key = text.slice(start, at);
        if (key === '' || /^\d/.test(key)) throw new Fault('label');
        at = this.#pad(text, at);
        if (text.charCodeAt(at) !== 61) throw new Fault('label');
      }
      at = this.#pad(text, at + 1);
      if (text.charCodeAt(at) !== 34) throw new Fault('label_value');
      const { value, end } = this.#quoted(text, at);
      if (key === '__name__') throw new Fault('reserved_label');
      if (labels.some(([other]) => other === key)) throw new Fault('duplicate_label');
      if (labels.length >= 256) throw new Fault('label');
      labels.push([key, value]);
      at = this.#pad(text, end);
    }
  }

  #pad(text: string, from: number): number {
    if (this.#open) return from;
    let at = from;
    while (isBlank(text.charCodeAt(at))) at++;
    return at;
  }

  #quoted(text: string, quote: number): { value: string; end: number } {
    let end = quote + 1;
    let escaped = false;
    for (; ; end++) {
      const code = text.charCodeAt(end);
      if (Number.isNaN(code)) throw new Fault('label_value');
      if (code === 34) break;
      if (code === 92) {
        escaped = true;
        end++;
      }
    }
    const raw = text.slice(quote + 1, end);
    return { value: escaped ? this.#unescape(raw) : raw, end: end + 1 };
  }

  #unescape(raw: string): string {
    return raw.replaceAll(/\\(.)/gsu, (whole, c: string) => {
      if (c === 'n') return '\n';
      if (c === '"' || c === '\\') return c;
      // OpenMetrics lets any character stand behind a backslash, and keeps both.
      if (!this.#open) throw new Fault('escape');
      return whole;
    });
  }

  // ---- comments

  #comment(text: string): void {
    const m = this.#open ? /^# (HELP|TYPE|UNIT|EOF)(?: |$)/.exec(text) : /^#[ \t]*(HELP|TYPE|UNIT|EOF)(?:[ \t]+|$)/.exec(text);
    if (m === null) {
      if (this.#open) throw new Fault('comment');
      return;
    }
    const keyword = m[1] as string;
    const rest = text.slice(m[0].length);
    if (keyword === 'EOF') {
      if (text !== '# EOF') {
        if (this.#open) throw new Fault('comment');
        return;
      }
      this.#open = true;
      this.#ended = true;
      return;
    }
    if (keyword === 'UNIT' && !this.#open && !this.#concatenated) return;
    const { name, rest: body } = this.#metadataName(rest, m[0].endsWith(' ') || m[0].endsWith('\t'));
    if (name === null) return;
    if (keyword === 'HELP') this.#help(name, body);
    else if (keyword === 'TYPE') this.#type(name, this.#open ? (body ?? '') : (body ?? '').trim());
    else this.#unit(name, body);
  }

  /** The metric that a comment speaks of, and what it says; null where the old format lets a comment say nothing. */
  #metadataName(text: string, spaced: boolean): { name: string | null; rest: string | null } {
    if (!this.#open && text.trim() === '') return { name: null, rest: null };
    if (text.startsWith('"') && !this.#open) {
      const { value, end } = this.#quoted(text, 0);
      return { name: value, rest: text.slice(end).trim() };
    }
    const stop = this.#open ? text.indexOf(' ') : text.search(/[ \t]/);
    const name = stop < 0 ? text : text.slice(0, stop);
    if (!spaced || !METRIC_NAME.test(name)) throw new Fault('comment');
    return { name, rest: stop < 0 ? null : text.slice(stop + 1) };
  }

  #help(name: string, body: string | null): void {
    if (body === null) {
      if (this.#open) throw new Fault('comment');
      return;
    }
    if (this.#concatenated) return;
    if (this.#open && this.#sampled.has(name)) throw new Fault('late_metadata');
    if (this.#helped.has(name) && (this.#open || body !== '')) throw new Fault('repeated_metadata');
    this.#helped.add(name);
  }

  #type(name: string, written: string): void {
    const type = written === 'gauge_histogram' ? 'gaugehistogram' : written;
    if (!(TYPES.has(type) && !(this.#open && type === 'untyped')) && !OPEN_TYPES.has(type)) throw new Fault('type');
    const before = this.#types.get(name);
    if (!this.#concatenated) {
      if (before !== undefined) throw new Fault('repeated_metadata');
      if (this.#sampled.has(name)) throw new Fault('late_metadata');
    }
    if (before === type) return;
    if (this.#types.size >= MAX_SEEN) return;
    this.#types.set(name, type);
    // What was said of this family's samples may no longer hold.
    if (before !== undefined || this.#sampled.has(name)) this.#seen.clear();
  }

  #unit(name: string, body: string | null): void {
    if (body === null) throw new Fault('unit');
    const unit = body;
    if (!this.#concatenated) {
      if (this.#units.has(name)) throw new Fault('repeated_metadata');
      if (this.#sampled.has(name)) throw new Fault('late_metadata');
      if (unit !== '' && !name.endsWith(`_${unit}`)) throw new Fault('unit');
      if (unit !== '' && ['info', 'stateset'].includes(this.#types.get(name) ?? '')) throw new Fault('unit');
    }
    if (this.#units.size < MAX_SEEN) this.#units.set(name, unit.trim());
  }
}

function isNumber(text: string): boolean {
  return parseValue(text) !== undefined;
}

/** A value as Go's ParseFloat takes it, without its underscores and bases; undefined for what is none. */
function parseValue(text: string): number | undefined {
  if (text === '') return undefined;
  const value = Number(text);
  if (!Number.isNaN(value)) {
    const second = text.charCodeAt(1) | 32;
    // 0x, 0b, 0o: only a leading zero makes Number() read another base.
    if (text.charCodeAt(0) === 48 && (second === 120 || second === 98 || second === 111)) return undefined;
    return value;
  }
  if (!NON_FINITE.test(text)) return undefined;
  if (/nan/i.test(text)) return Number.NaN;
  return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}
