/*
 * The Prometheus text format 0.0.4 (https://prometheus.io/docs/instrumenting/exposition_formats/, with the quoted names of
 * Prometheus 3) and OpenMetrics 1.0 (https://github.com/prometheus/OpenMetrics, specification/OpenMetrics.md), line by
 * line: a line at fault is reported and the others are read all the same.
 */

import {
  Fault,
  faultOf,
  isBlank,
  isNumber,
  type ParsedSeries,
  parseLabels,
  parseQuoted,
  parseSeries,
  parseValue,
  type PrometheusFault,
} from './prometheus-series.ts';
import { detached } from './values.ts';

export type { PrometheusFault };
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
  dialect: PrometheusDialect;
  /** The text may be several scrapes in a row: metadata may come again, and a new one may begin after `# EOF`. */
  concatenated?: boolean;
}

const TYPES = new Set(['counter', 'gauge', 'histogram', 'summary', 'untyped']);
const OPEN_TYPES = new Set(['counter', 'gauge', 'histogram', 'gaugehistogram', 'summary', 'info', 'stateset', 'unknown']);
const SUFFIXES = ['_total', '_created', '_bucket', '_count', '_sum', '_info', '_gcount', '_gsum'];
const METRIC_NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
/** Texts of series that are remembered; a hostile stream of ever new ones must not fill the memory. */
const MAX_SEEN = 400_000;

interface Seen<Series> {
  series: Series;
  /** Never negative. */
  positive: boolean;
  /** Never NaN. */
  number: boolean;
  exemplar: boolean;
  /** An info is 1; a state is 0 or 1. */
  flag: boolean;
}

/** What stands behind a series in its line. */
interface Behind {
  value: number;
  /** NaN: none. */
  timestamp: number;
  /** Where an exemplar begins; -1: none. */
  exemplar: number;
}

/** A reader of one text, fed line by line. */
export class PrometheusText<Series> {
  readonly #sink: PrometheusSink<Series>;
  readonly #concatenated: boolean;
  readonly #open: boolean;
  #line = 0;
  #ended = false;
  #types = new Map<string, string>();
  #units = new Map<string, string>();
  #helped = new Set<string>();
  #sampled = new Set<string>();
  readonly #seen = new Map<string, Seen<Series>>();
  /** Filled anew with every line. */
  readonly #last: Behind = { value: Number.NaN, timestamp: Number.NaN, exemplar: -1 };

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
      if (!this.#concatenated) throw faultOf('after_end');
      this.#begin();
    }
    const first = text.charCodeAt(0);
    if (first === 35) return this.#comment(text);
    // The text up to the labels' end is the series; one that was seen before needs no parsing.
    const brace = text.lastIndexOf('}');
    const end = brace < 0 ? text.indexOf(' ') : brace + 1;
    const known = end > 0 ? this.#seen.get(text.slice(0, end)) : undefined;
    if (known !== undefined) return this.#judge(known, text, this.#behind(text, end));
    if (isBlank(first) || Number.isNaN(first)) {
      if (this.#open) throw faultOf('white_space');
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
    const { name, labels, end } = parseSeries(text, this.#open);
    const key = text.slice(0, end);
    const known = this.#seen.get(key);
    // Only what has a value is a series: in any other text each line begins with a name.
    const behind = this.#behind(text, end);
    const seen = known ?? this.#define(name, labels);
    if (known === undefined && this.#seen.size < MAX_SEEN) this.#seen.set(detached(key), seen);
    this.#judge(seen, text, behind);
  }

  #define(name: string, labels: [string, string][]): Seen<Series> {
    const family = this.#familyOf(name);
    const type = this.#types.get(family) ?? '';
    const suffix = name.slice(family.length);
    checkLabels(type, family, suffix, labels, this.#open);
    this.#sampled.add(family);
    const series = this.#sink.define(name, labels, { type, unit: this.#units.get(family) ?? '' });
    const isTotal = type === 'counter' && suffix === '_total';
    const isBucket = type.endsWith('histogram') && suffix === '_bucket';
    const isCount = (type === 'histogram' || type === 'summary') && suffix === '_count';
    const isSum = (type === 'summary' && suffix === '_sum') || (type.endsWith('histogram') && (suffix === '_sum' || suffix === '_gsum'));
    const open = this.#open;
    return {
      series,
      positive:
        (type === 'histogram' && (isBucket || isCount)) ||
        (open && (isTotal || isBucket || isCount || suffix === '_gcount' || type === 'summary')),
      number: open && (isTotal || isBucket || isCount || isSum || suffix === '_gcount'),
      exemplar: open && (isTotal || isBucket || type === ''),
      flag: open && (type === 'info' || type === 'stateset'),
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

  /** Reads what stands behind the labels: value, timestamp, and where an exemplar begins. */
  #behind(text: string, end: number): Behind {
    const { length } = text;
    const behind = this.#last;
    behind.timestamp = Number.NaN;
    behind.exemplar = -1;
    let at = this.#skip(text, end, text.charCodeAt(end - 1) === 125 && !this.#open);
    let stop = at;
    while (stop < length && !isBlank(text.charCodeAt(stop))) stop++;
    const value = parseValue(text.slice(at, stop));
    if (value === undefined) throw faultOf('value');
    behind.value = value;
    if (stop === length) return behind;
    at = this.#skip(text, stop, false);
    if (at < length && text.charCodeAt(at) !== 35) {
      stop = at;
      while (stop < length && !isBlank(text.charCodeAt(stop))) stop++;
      behind.timestamp = this.#timestamp(text.slice(at, stop));
      if (stop === length) return behind;
      at = this.#skip(text, stop, false);
      if (at < length && text.charCodeAt(at) !== 35) throw faultOf('trailing');
    }
    if (at < length) behind.exemplar = at;
    else if (this.#open) throw faultOf('white_space');
    return behind;
  }

  /** Hands a sample on, if it is one that its series may have. */
  #judge(seen: Seen<Series>, text: string, { value, timestamp, exemplar }: Behind): void {
    if (exemplar >= 0) this.#exemplar(seen, text, exemplar);
    if (seen.positive && value < 0) throw faultOf('negative');
    if (seen.number && Number.isNaN(value)) throw faultOf('not_a_number');
    if (seen.flag && value !== 1 && value !== 0) throw faultOf('value');
    this.#sink.sample(seen.series, value, timestamp);
  }

  /** Where the next token begins: exactly one blank on in OpenMetrics, any number of blanks and tabs in the old format. */
  #skip(text: string, from: number, mayTouch: boolean): number {
    let at = from;
    if (this.#open) {
      if (text.charCodeAt(at) !== 32) throw faultOf('white_space');
      if (isBlank(text.charCodeAt(at + 1))) throw faultOf('white_space');
      return at + 1;
    }
    while (isBlank(text.charCodeAt(at))) at++;
    if (at === from && !mayTouch) throw faultOf(from >= text.length ? 'value' : 'name');
    return at;
  }

  #timestamp(text: string): number {
    if (/^[+-]?\d+$/.test(text)) return Number(text);
    const value = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text) ? Number(text) : Number.NaN;
    if (Number.isNaN(value)) throw faultOf('timestamp');
    // A fraction can only be OpenMetrics' seconds. In the old format it is a fault, unless it is a time of our days: the
    // end of a stream, which would tell the formats apart, has not come yet.
    if (!this.#open && !(value > 1e9 && value < 1e11)) throw faultOf('timestamp');
    return value;
  }

  #exemplar(seen: Seen<Series>, text: string, hash: number): void {
    if (!this.#open && !this.#concatenated) throw faultOf('trailing');
    if (this.#open && !seen.exemplar) throw faultOf('exemplar');
    if (text.charCodeAt(hash + 1) !== 32 || text.charCodeAt(hash + 2) !== 123) throw faultOf('exemplar');
    let parsed: ParsedSeries;
    try {
      parsed = parseLabels(text, hash + 2, '', this.#open);
    } catch (error) {
      throw error instanceof Fault ? faultOf('exemplar') : error;
    }
    const size = parsed.labels.reduce((n, [key, value]) => n + Array.from(key).length + Array.from(value).length, 0);
    const rest = text.slice(parsed.end);
    if (size > 128 || parsed.name !== '' || !/^ \S+(?: [+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)?$/.test(rest)) throw faultOf('exemplar');
    if (parseValue(rest.split(' ')[1] ?? '') === undefined) throw faultOf('exemplar');
  }

  // ---- comments

  #comment(text: string): void {
    const m = this.#open ? /^# (HELP|TYPE|UNIT|EOF)(?: |$)/.exec(text) : /^#[ \t]*(HELP|TYPE|UNIT|EOF)(?:[ \t]+|$)/.exec(text);
    if (m === null) {
      if (this.#open) throw faultOf('comment');
      return;
    }
    const keyword = m[1] as string;
    const rest = text.slice(m[0].length);
    if (keyword === 'EOF') {
      if (text === '# EOF') this.#ended = this.#open || this.#concatenated;
      else if (this.#open) throw faultOf('comment');
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
      const { value, end } = parseQuoted(text, 0, this.#open);
      return { name: value, rest: text.slice(end).trim() };
    }
    const stop = this.#open ? text.indexOf(' ') : text.search(/[ \t]/);
    const name = stop < 0 ? text : text.slice(0, stop);
    if (!spaced || !METRIC_NAME.test(name)) throw faultOf('comment');
    return { name, rest: stop < 0 ? null : text.slice(stop + 1) };
  }

  #help(name: string, body: string | null): void {
    if (body === null) {
      if (this.#open) throw faultOf('comment');
      return;
    }
    if (this.#concatenated) return;
    if (this.#open && this.#sampled.has(name)) throw faultOf('late_metadata');
    if (this.#helped.has(name) && (this.#open || body !== '')) throw faultOf('repeated_metadata');
    this.#helped.add(name);
  }

  #type(name: string, written: string): void {
    const type = written === 'gauge_histogram' ? 'gaugehistogram' : written;
    if (!(TYPES.has(type) && !(this.#open && type === 'untyped')) && !OPEN_TYPES.has(type)) throw faultOf('type');
    const before = this.#types.get(name);
    if (!this.#concatenated) {
      if (before !== undefined) throw faultOf('repeated_metadata');
      if (this.#sampled.has(name)) throw faultOf('late_metadata');
    }
    if (before === type) return;
    if (this.#types.size >= MAX_SEEN) return;
    this.#types.set(name, type);
    // What was said of this family's samples may no longer hold.
    if (before !== undefined || this.#sampled.has(name)) this.#seen.clear();
  }

  #unit(name: string, body: string | null): void {
    if (body === null) throw faultOf('unit');
    const unit = body;
    if (!this.#concatenated) {
      if (this.#units.has(name)) throw faultOf('repeated_metadata');
      if (this.#sampled.has(name)) throw faultOf('late_metadata');
      if (unit !== '' && !name.endsWith(`_${unit}`)) throw faultOf('unit');
      if (unit !== '' && ['info', 'stateset'].includes(this.#types.get(name) ?? '')) throw faultOf('unit');
    }
    if (this.#units.size < MAX_SEEN) this.#units.set(name, unit.trim());
  }
}

/** The labels that samples of a type must have: `le` of a bucket, `quantile` of a summary, its own name of a state. */
function checkLabels(type: string, family: string, suffix: string, labels: readonly (readonly [string, string])[], open: boolean): void {
  const valueOf = (key: string): string | undefined => labels.find(([name]) => name === key)?.[1];
  if (type.endsWith('histogram') && suffix === '_bucket') {
    const le = valueOf('le');
    if (le === undefined ? open : !isNumber(le)) throw faultOf('bucket');
  } else if (type === 'summary' && suffix === '') {
    const quantile = valueOf('quantile');
    const share = quantile === undefined ? undefined : parseValue(quantile);
    if (quantile === undefined ? open : share === undefined || (open && !(share >= 0 && share <= 1))) throw faultOf('bucket');
  } else if (open && type === 'stateset' && valueOf(family) === undefined) throw faultOf('label');
}
