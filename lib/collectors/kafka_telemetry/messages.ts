import { parseInfluxLine } from './influx.ts';
import { type Intake, isRecord, type JsonRecord, type MessageContext } from './intake.ts';
import { parseObject, splitJson, SpreadJson } from './json-text.ts';
import { takeOtlp } from './otlp.ts';
import { PrometheusText } from './prometheus-text.ts';
import { definePrometheus, isWideRecord, takeAdapted, takeFields, takeNamedReading, takeTelegraf, takeWideRecord } from './records.ts';
import type { Exclusion } from './recorder.ts';
import { frameOfFlat, isFlat, takeEvents, takeSensor } from './redfish.ts';
import { Shapes } from './shapes.ts';
import { epochToMs, readingOf, textOfField } from './values.ts';

/** Arrays and envelopes in one another that are opened. */
const MAX_NESTING = 4;
/** Topics whose texts are read on, so that series of the one before are known. */
const MAX_TOPICS = 1000;
/** How often lines are read once more, on average, in search of documents within those that broke off. */
const MOST_READ_AGAIN = 2;
/** A few in any text. */
const FREE_READ_AGAIN = 1000;

/** Takes messages in any of the formats: each goes by its own form. */
export class MessageReader {
  readonly #intake: Intake;
  readonly #byTopic = new Map<string, LineReader>();
  readonly #shapes: Shapes;

  constructor(intake: Intake) {
    this.#intake = intake;
    this.#shapes = new Shapes(intake, intake.maxKnown);
  }

  /** Takes the whole text of one message. */
  text(text: string, context: MessageContext, depth = 0): void {
    if (text.charCodeAt(0) === 0) {
      return this.#intake.reject(context, 'avro_no_schema', 'an Avro message as text: capture it in binary form, or as JSON');
    }
    const first = text.charCodeAt(0);
    if (first === 123 || first === 91) {
      if (this.object(text, context, depth)) return;
    }
    const open = text.trimEnd().endsWith('# EOF');
    const lines = this.#linesOf(`${context.topic}\0${open ? 'o' : 'p'}`, open);
    lines.begin(context, depth);
    for (const line of text.split('\n')) lines.line(line);
    lines.end();
  }

  #linesOf(key: string, openmetrics: boolean): LineReader {
    const known = this.#byTopic.get(key);
    if (known !== undefined && !known.busy) return known;
    const lines = new LineReader(this.#intake, this, openmetrics);
    if (this.#byTopic.size < MAX_TOPICS) this.#byTopic.set(key, lines);
    return lines;
  }

  /** Takes a flat sensor whose series is known. */
  flat(series: number, time: number, value: number, context: MessageContext): void {
    this.#intake.count('hpcm_flat');
    this.#intake.recorder.record(series, this.#intake.timeOf(time, context), readingOf(value));
  }

  /** Takes a text that may be one JSON object or array. @returns false where it is none */
  object(text: string, context: MessageContext, depth: number): boolean {
    if (this.#shapes.take(text, context)) return true;
    const value = parseObject(text);
    if (value === undefined) return false;
    this.json(value, context, depth);
    this.#shapes.learn(text, value);
    return true;
  }

  /** Ends the intake: lets go of what was learnt of messages. */
  close(): void {
    this.#shapes.clear();
    this.#byTopic.clear();
  }

  /** A reader of a stream of messages, a line or several each. */
  lines(context: MessageContext): LineReader {
    const lines = new LineReader(this.#intake, this, false);
    lines.begin(context, 0);
    return lines;
  }

  /**
   * Takes a parsed JSON value by its form.
   * @returns the series, where the value is one flat sensor
   */
  json(value: unknown, context: MessageContext, depth = 0): number | Exclusion | void {
    const intake = this.#intake;
    if (Array.isArray(value) && depth < MAX_NESTING) {
      if (value.length === 0) intake.count('empty');
      return this.#each(value, context, depth);
    }
    if (!isRecord(value)) return intake.reject(context, 'unknown_json', 'JSON, but no record');
    if ('Events' in value) return takeEvents(value, intake, context);
    if (isRecord(value['metrics']) && Array.isArray(value['metrics']['messages']) && depth < MAX_NESTING) {
      return this.#each(value['metrics']['messages'], context, depth);
    }
    if (Array.isArray(value['resourceMetrics']) || Array.isArray(value['resource_metrics'])) return takeOtlp(value, intake, context);
    if (typeof value['topic'] === 'string' && depth < MAX_NESTING) {
      if ('payload' in value) return this.#capture(value, context, depth);
      if (isRecord(value['value'])) return this.json(value['value'], { ...context, topic: value['topic'] }, depth + 1);
    }
    if (Array.isArray(value['metrics']) && depth < MAX_NESTING) return this.#each(value['metrics'], context, depth);
    return takeRecord(value, intake, context);
  }

  #each(values: readonly unknown[], context: MessageContext, depth: number): void {
    for (const value of values) this.json(value, context, depth + 1);
  }

  /** What `kcat -J` writes: the message's payload as a text, beside topic, offset and the record's time. */
  #capture(value: JsonRecord, context: MessageContext, depth: number): void {
    this.#intake.count('kcat');
    const time = typeof value['ts'] === 'number' ? Math.floor(epochToMs(value['ts'])) : Number.NaN;
    const place = context.line === 0 ? context.place : `line ${context.line}`;
    const inner = { ...context, topic: textOfField(value['topic']), place, line: 0, ...(time > 0 && { time, recorded: true }) };
    const { payload } = value;
    if (payload === null || payload === undefined || payload === '') this.#intake.count('empty');
    else if (typeof payload === 'string') this.text(payload, inner, depth + 1);
    else this.json(payload, inner, depth + 1);
  }
}

function takeRecord(value: JsonRecord, intake: Intake, context: MessageContext): number | Exclusion | void {
  const { fields } = value;
  if (isRecord(fields)) {
    if (isFlat(fields)) return void takeFlat(fields, intake, context);
    return takeTelegraf(value, intake, context);
  }
  if (isRecord(value['labels']) && 'value' in value) return takeAdapted(value, intake, context);
  if (isFlat(value)) return takeFlat(value, intake, context);
  if ('value' in value && typeof value['name'] === 'string') return takeNamedReading(value, intake, context);
  if (isWideRecord(value)) return takeWideRecord(value, intake, context);
  intake.reject(context, 'unknown_json', 'JSON of no known form');
}

function takeFlat(value: JsonRecord, intake: Intake, context: MessageContext): number | Exclusion {
  intake.count('hpcm_flat');
  return takeSensor(value, frameOfFlat(value, intake), intake, context);
}

/**
 * Reads messages line by line: JSON on a line, concatenated, or spread over lines; Prometheus text; line protocol.
 */
export class LineReader {
  readonly #intake: Intake;
  readonly #messages: MessageReader;
  readonly #openmetrics: boolean;
  #context: MessageContext = { topic: '', input: '', place: '', line: 0, time: Number.NaN, recorded: false };
  #depth = 0;
  #spread: SpreadJson | null = null;
  #spreadFrom = 0;
  readonly #prometheus: PrometheusText<number | Exclusion>;
  #fault = '';
  /** Lines that came, and those of documents that broke off, which were read once more. */
  #came = 0;
  #readAgain = 0;
  #mayBegin = true;
  /** Lines of the scrape at hand, which turns out to be OpenMetrics at its end. */
  #scraped = 0;
  /** Whether a text is being read: a message within it needs a reader of its own. */
  busy = false;

  constructor(intake: Intake, messages: MessageReader, openmetrics: boolean) {
    this.#intake = intake;
    this.#messages = messages;
    this.#openmetrics = openmetrics;
    this.#prometheus = new PrometheusText(
      {
        define: (name, labels, family) => definePrometheus({ name, labels, ...family }, intake),
        sample: (series, value, timestamp) => {
          const time = intake.timeOf(timestamp, this.#context);
          intake.recorder.record(series, time, Number.isFinite(value) ? value : 'nonFinite');
        },
        fault: (_, fault) => {
          this.#fault = fault;
        },
      },
      { dialect: openmetrics ? 'openmetrics' : 'prometheus', concatenated: true },
    );
  }

  /** Begins a text. */
  begin(context: MessageContext, depth: number): void {
    this.#context = { ...context, line: 0 };
    this.#depth = depth;
    this.busy = true;
  }

  /** Takes one line, without its line feed. */
  line(text: string): void {
    this.#came++;
    this.#read(text);
  }

  #read(text: string): void {
    this.#context.line++;
    const line = text.charCodeAt(text.length - 1) === 13 ? text.slice(0, -1) : text;
    if (this.#spread === null) this.#take(line);
    else this.#goOn(line);
  }

  end(): void {
    // What is given up is read again line by line, and may begin another document that never ends.
    for (let spread = this.#spread; spread !== null; spread = this.#spread) {
      this.#spread = null;
      this.#giveUp(spread);
    }
    this.busy = false;
  }

  #take(line: string): void {
    const first = line.charCodeAt(0);
    if (first === 123 || first === 91) return this.#takeJson(line);
    if (first === 32 || first === 9 || first === 0xfeff || first === 30) {
      const text = line.replace(/^[\s\ufeff\u001e]+/, '');
      const code = text.charCodeAt(0);
      if (code === 123 || code === 91) this.#takeJson(text);
      else if (text !== '') this.#takePlain(text);
    } else if (line !== '') this.#takePlain(line);
  }

  #takeJson(text: string): void {
    if (!this.#messages.object(text, this.#context, this.#depth)) this.#takeBroken(text);
  }

  /** A line that opens a bracket and is no JSON: a quoted metric name, several values, or the first of many lines. */
  #takeBroken(text: string): void {
    if (/^\{\s*(?:"(?:[^"\\]|\\.)*"\s*[,}]|[a-zA-Z_]\w*\s*=)/.test(text) && this.#takePrometheus(text)) return;
    const rest = splitJson(text, (value) => {
      if (value === undefined) this.#malformed('malformed JSON');
      else this.#messages.json(value, this.#context, this.#depth);
    });
    if (rest === '') return;
    const json = rest.startsWith('{') || rest.startsWith('[');
    this.#spread = json && this.#mayBegin ? SpreadJson.begin(rest) : null;
    this.#spreadFrom = this.#context.line;
    if (this.#spread === null) this.#malformed(json ? 'JSON that breaks off' : 'text behind JSON');
  }

  #goOn(line: string): void {
    const spread = this.#spread as SpreadJson;
    const result = spread.add(line);
    if (result === 'open') return;
    this.#spread = null;
    if (result !== 'broken') {
      this.#messages.json(result.value, this.#context, this.#depth);
      if (result.rest.trim() !== '') this.#take(result.rest.trim());
      return;
    }
    spread.lines.push(line);
    this.#giveUp(spread);
  }

  /** The first line was malformed; those behind it may be messages of their own. */
  #giveUp(spread: SpreadJson): void {
    const [, ...rest] = spread.lines;
    this.#context.line = this.#spreadFrom;
    this.#malformed('JSON that breaks off');
    this.#readAgain += rest.length;
    // Each of many lines may open another one that never ends: not all of them are followed.
    const follow = this.#readAgain <= FREE_READ_AGAIN + MOST_READ_AGAIN * this.#came;
    for (const [i, line] of rest.entries()) {
      this.#mayBegin = follow || i === rest.length - 1;
      this.#read(line);
    }
    this.#mayBegin = true;
  }

  #takePlain(line: string): void {
    if (this.#takePrometheus(line)) return;
    const influx = line.includes('=') ? parseInfluxLine(line) : null;
    if (influx === null) {
      if (line.charCodeAt(0) === 0) return this.#malformed('binary');
      return this.#malformed(() => `neither JSON nor line protocol; as Prometheus text its ${this.#fault.replaceAll('_', ' ')} is wrong`);
    }
    this.#intake.count('influx');
    const time = this.#intake.timeOf(influx.timestamp === '' ? undefined : influx.timestamp, this.#context);
    takeFields(influx.name, influx.tags, influx.fields, time, this.#intake);
  }

  /** @returns false where the line is no Prometheus text */
  #takePrometheus(line: string): boolean {
    this.#fault = '';
    this.#prometheus.line(line);
    if (this.#fault !== '') return false;
    if (line.charCodeAt(0) !== 35) {
      this.#scraped++;
      this.#intake.count(this.#openmetrics ? 'openmetrics' : 'prometheus');
    } else if (line === '# EOF' && !this.#openmetrics) {
      this.#intake.count('prometheus', -this.#scraped);
      this.#intake.count('openmetrics', this.#scraped);
      this.#scraped = 0;
    }
    return true;
  }

  #malformed(message: string | (() => string)): void {
    this.#intake.reject(this.#context, 'malformed', message);
  }
}
