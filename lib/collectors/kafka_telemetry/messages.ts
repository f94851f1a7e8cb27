import { splitJson, SpreadJson } from './json-text.ts';
import { parseInfluxLine } from './influx.ts';
import { type Intake, isRecord, type JsonRecord, type MessageContext } from './intake.ts';
import { takeOtlp } from './otlp.ts';
import { PrometheusText } from './prometheus-text.ts';
import { definePrometheus, isWideRecord, takeAdapted, takeFields, takeNamedReading, takeTelegraf, takeWideRecord } from './records.ts';
import type { Exclusion } from './recorder.ts';
import { takeEvents, takeSensor } from './redfish.ts';
import { epochToMs, textOfField } from './values.ts';

/** Turns a message in Avro's binary encoding into a record; absent where no schema can be had. */
export interface AvroDecoder {
  /** The record, or undefined where the schema is not known. */
  decode(schemaId: number, body: Uint8Array): unknown;
}

const MAX_NESTING = 4;

/** Takes a parsed JSON value by its form. */
export function takeJson(value: unknown, intake: Intake, context: MessageContext, depth = 0): void {
  if (Array.isArray(value) && depth < MAX_NESTING) {
    if (value.length === 0) intake.count('empty');
    for (const element of value as unknown[]) takeJson(element, intake, context, depth + 1);
    return;
  }
  if (!isRecord(value)) return intake.reject(context, 'unknown_json', 'JSON, but no record');
  if ('Events' in value) return takeEvents(value, intake, context);
  if (isRecord(value['metrics']) && Array.isArray(value['metrics']['messages']) && depth < MAX_NESTING) {
    for (const message of value['metrics']['messages'] as unknown[]) takeJson(message, intake, context, depth + 1);
    return;
  }
  if (Array.isArray(value['resourceMetrics']) || Array.isArray(value['resource_metrics'])) return takeOtlp(value, intake, context);
  if (typeof value['topic'] === 'string' && depth < MAX_NESTING) {
    if ('payload' in value) return takeCapture(value, intake, context, depth);
    if (isRecord(value['value'])) return takeJson(value['value'], intake, { ...context, topic: value['topic'] }, depth + 1);
  }
  if (Array.isArray(value['metrics']) && depth < MAX_NESTING) {
    for (const metric of value['metrics'] as unknown[]) takeJson(metric, intake, context, depth + 1);
    return;
  }
  takeRecord(value, intake, context);
}

function takeRecord(value: JsonRecord, intake: Intake, context: MessageContext): void {
  const { fields } = value;
  if (isRecord(fields)) {
    if ('Location' in fields && 'Value' in fields) return takeFlat(fields, intake, context);
    return takeTelegraf(value, intake, context);
  }
  if (isRecord(value['labels']) && 'value' in value) return takeAdapted(value, intake, context);
  if ('Location' in value && 'Value' in value) return takeFlat(value, intake, context);
  if ('value' in value && typeof value['name'] === 'string') return takeNamedReading(value, intake, context);
  if (isWideRecord(value)) return takeWideRecord(value, intake, context);
  intake.reject(context, 'unknown_json', 'JSON of no known form');
}

/** HPCM's `crayex_telemetry`, one sensor a message; of the older fabric form the context names what is measured. */
function takeFlat(value: JsonRecord, intake: Intake, context: MessageContext): void {
  intake.count('hpcm_flat');
  const messageId = textOfField(value['MessageId']) || `CrayFabricTelemetry.${textOfField(value['PhysicalContext'])}`;
  const source = textOfField(value['TelemetrySource']);
  takeSensor(value, { messageId, source, location: '', time: undefined, tables: intake.sensorTables(messageId, source) }, intake, context);
}

/** What `kcat -J` writes: the message's payload as a text, beside topic, offset and the record's time. */
function takeCapture(value: JsonRecord, intake: Intake, context: MessageContext, depth: number): void {
  intake.count('kcat');
  const time = typeof value['ts'] === 'number' ? Math.floor(epochToMs(value['ts'])) : Number.NaN;
  const inner = { ...context, topic: textOfField(value['topic']), ...(time > 0 && { time, recorded: true }) };
  const { payload } = value;
  if (typeof payload === 'string') takeText(payload, intake, inner, depth + 1);
  else if (payload === null || payload === undefined) intake.count('empty');
  else takeJson(payload, intake, inner, depth + 1);
}

/** Takes the whole text of one message. */
export function takeText(text: string, intake: Intake, context: MessageContext, depth = 0): void {
  if (text.charCodeAt(0) === 0)
    return intake.reject(context, 'avro_no_schema', 'an Avro message as text: capture it in binary form, or as JSON');
  const open = text.trimEnd().endsWith('# EOF');
  const lines = new LineReader(intake, context, { openmetrics: open, whole: true, depth });
  if (!lines.takeJsonLine(text)) for (const line of text.split('\n')) lines.line(line);
  lines.end();
}

export interface LineOptions {
  /** The text is known to be OpenMetrics. */
  openmetrics?: boolean;
  /** The text is one message and not a stream of them. */
  whole?: boolean;
  depth?: number;
}

/**
 * Reads a stream of messages line by line, each by its own form: JSON on a line, concatenated, or spread over lines;
 * Prometheus text; line protocol.
 */
export class LineReader {
  readonly #intake: Intake;
  readonly #context: MessageContext;
  readonly #depth: number;
  readonly #place: string;
  #line = 0;
  #spread: SpreadJson | null = null;
  #spreadFrom = 0;
  readonly #prometheus: PrometheusText<number | Exclusion>;
  #fault = '';

  constructor(intake: Intake, context: MessageContext, options: LineOptions = {}) {
    this.#intake = intake;
    this.#context = { ...context };
    this.#depth = options.depth ?? 0;
    this.#place = context.place;
    this.#prometheus = new PrometheusText(
      {
        define: (name, labels, family) => definePrometheus({ name, labels, ...family }, intake),
        sample: (series, value, timestamp) => {
          const time = intake.timeOf(Number.isNaN(timestamp) ? undefined : timestamp, this.#context);
          intake.recorder.record(series, time, Number.isFinite(value) ? value : 'nonFinite');
        },
        fault: (_, fault) => {
          this.#fault = fault;
        },
      },
      { dialect: options.openmetrics === true ? 'openmetrics' : 'prometheus', concatenated: true },
    );
  }

  /** Takes one line, without its line feed. */
  line(text: string): void {
    this.#line++;
    const { place } = this.#context;
    this.#context.place = this.#place === '' ? `line ${this.#line}` : `${this.#place}, line ${this.#line} of its payload`;
    if (this.#spread === null) this.#take(text);
    else this.#goOn(text);
    this.#context.place = place;
  }

  end(): void {
    const spread = this.#spread;
    if (spread === null) return;
    this.#spread = null;
    this.#giveUp(spread);
  }

  #take(line: string): void {
    const first = line.charCodeAt(0);
    if (first === 123 || first === 91 || first === 32 || first === 9 || first === 0xfeff || first === 30) {
      const text = first === 123 || first === 91 ? line : line.replace(/^[\s\ufeff\u001e]+/, '');
      const code = text.charCodeAt(0);
      if (code === 123 || code === 91) {
        if (!this.takeJsonLine(text)) this.#takeBroken(text);
        return;
      }
      if (text === '') return;
      return this.#takePlain(text);
    }
    if (line === '' || line === '\r') return;
    this.#takePlain(line);
  }

  /** Takes a line that is one JSON value. @returns false where it is none */
  takeJsonLine(text: string): boolean {
    let value: unknown;
    try {
      value = JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
    } catch {
      return false;
    }
    if (value === null || typeof value !== 'object') return false;
    takeJson(value, this.#intake, this.#context, this.#depth);
    return true;
  }

  /** A line that opens a bracket and is no JSON: a quoted metric name, several values, or the first of many lines. */
  #takeBroken(text: string): void {
    if (/^\{\s*(?:"(?:[^"\\]|\\.)*"\s*[,}]|[a-zA-Z_]\w*\s*=)/.test(text) && this.#takePrometheus(text)) return;
    const { values, broken, rest } = splitJson(text);
    for (const value of values) takeJson(value, this.#intake, this.#context, this.#depth);
    for (let i = 0; i < broken; i++) this.#malformed('malformed JSON');
    if (rest === '') return;
    const spread = rest.startsWith('{') || rest.startsWith('[') ? SpreadJson.begin(rest) : null;
    if (spread === null) return this.#malformed(rest.startsWith('{') || rest.startsWith('[') ? 'JSON that breaks off' : 'text behind JSON');
    this.#spread = spread;
    this.#spreadFrom = this.#line;
  }

  #goOn(line: string): void {
    const spread = this.#spread as SpreadJson;
    const result = spread.add(line);
    if (result === 'open') return;
    this.#spread = null;
    if (result !== 'broken') {
      takeJson(result.value, this.#intake, this.#context, this.#depth);
      if (result.rest.trim() !== '') this.#take(result.rest.trim());
      return;
    }
    spread.lines.push(line);
    this.#giveUp(spread);
  }

  /** The first line was malformed; those behind it may be messages of their own. */
  #giveUp(spread: SpreadJson): void {
    const [, ...rest] = spread.lines;
    const resume = this.#line;
    this.#line = this.#spreadFrom;
    this.#malformed('JSON that breaks off', `line ${this.#line}`);
    for (const line of rest) this.line(line);
    this.#line = Math.max(resume, this.#line);
  }

  #takePlain(line: string): void {
    if (this.#takePrometheus(line)) return;
    const influx = line.includes('=') ? parseInfluxLine(line) : null;
    if (influx === null) {
      this.#malformed(
        line.charCodeAt(0) === 0
          ? 'binary'
          : `neither JSON nor line protocol; as Prometheus text its ${this.#fault.replaceAll('_', ' ')} is wrong`,
      );
      return;
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
    if (line.charCodeAt(0) !== 35) this.#intake.count('prometheus');
    return true;
  }

  #malformed(message: string, place = this.#context.place): void {
    this.#intake.reject({ ...this.#context, place }, 'malformed', message);
  }
}
