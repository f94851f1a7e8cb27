import type { CoverageProblem } from '../../model/snapshot.ts';
import { KnownSeries } from './known-series.ts';
import type { Mode, Position, Recorder, Sensor } from './recorder.ts';
import { detached, TimeReader } from './values.ts';
import { type Measure, measureOfName } from './quantity.ts';

/** The forms in which messages come; each message is counted under the one it was recognised as. */
export const FORMATS = [
  'redfish',
  'hpcm_flat',
  'hpcm_native',
  'telegraf',
  'prometheus_adapter',
  'otlp',
  'prometheus',
  'openmetrics',
  'influx',
  'avro',
  'avro_no_schema',
  'kcat',
  'gzip',
  'empty',
  'unknown_json',
  'malformed',
] as const;
export type Format = (typeof FORMATS)[number];

/** Forms that hold no reading that could be read, or something else that is counted by its own form. */
export const UNREAD: ReadonlySet<Format> = new Set(['avro_no_schema', 'unknown_json', 'malformed', 'gzip']);

/** A hardware event as a message told it. */
export interface HardwareEvent {
  location: string;
  /** Redfish severity, as written: `Critical`, `Warning`, `OK`. */
  severity: string;
  messageId: string;
  message: string;
  origin: string;
  time: number;
}

/** What surrounds a message: where it came from, and the time that holds where it carries none itself. */
export interface MessageContext {
  topic: string;
  input: string;
  /** Where it stands, in words; empty for the whole input. */
  place: string;
  /** The line within that; 0 where lines say nothing. */
  line: number;
  /** Time of the Kafka record, else of the input; NaN where there is neither. */
  time: number;
  /** Whether that is the record's, which is as good as a time of its own. */
  recorded: boolean;
}

function placeText({ place, line }: MessageContext): string {
  if (line === 0) return place;
  return place === '' ? `line ${line}` : `${place}, line ${line} of its payload`;
}

/** A sensor of Cray messages: its fields as they stood on the wire, and what they mean for one type of subject. */
export interface WireSensor {
  parent: unknown;
  parentIndex: unknown;
  physical: unknown;
  index: unknown;
  sub: unknown;
  device: unknown;
  subIndex: unknown;
  /** The type of subject, and what of its location is left below that. */
  type: string;
  within: string;
  sensor: Sensor;
  mode: Mode;
}

/** Sensors as they first came, and which is due next: they mostly come in turn. */
export interface SensorTable {
  sensors: WireSensor[];
  next: number;
}

/** Those of one location, with its series. */
export interface LocationTable extends SensorTable {
  at: Position;
  series: number[];
}

/** What is known of a message id and source. */
export interface MessageTables {
  locations: Map<string, LocationTable>;
  /** The sensors of all locations. */
  all: SensorTable;
}

/** Events kept, of those that tell of trouble and of the others: no storm of the others hides the one that matters. */
const MAX_EVENTS = 20_000;
const TROUBLE = /^(?:critical|fatal|warning)$/i;
const MAX_PROBLEMS = 20;
/** A fleet has a few dozen message ids; what makes up ever new ones is not remembered. */
const MAX_MESSAGE_IDS = 4096;
/** Names of metrics whose meaning is remembered. */
const MAX_METRICS = 10_000;

/** All that one run takes in, whatever the format: series and samples, events, counts and problems. */
export class Intake {
  readonly recorder: Recorder;
  readonly times = new TimeReader();
  readonly formats = new Map<Format, number>();
  readonly events: HardwareEvent[] = [];
  /** Events of trouble that were too many to keep. */
  eventsDropped = 0;
  /** Samples that took their time from the record. */
  timeFromRecord = 0;
  rejected = 0;
  readonly problems: CoverageProblem[] = [];
  readonly known: KnownSeries;
  /** Sensors of Cray messages: by source and message id, then by location. */
  readonly #tables = new Map<string, Map<string, MessageTables>>();
  readonly #measures = new Map<string, Map<string, Measure>>();
  #measureCount = 0;
  #messageIds = 0;
  #sensors = 0;
  #troubles = 0;
  #lastMessageId = '\0';
  #lastSource = '';
  #lastTables = newTables();
  /** Series that are remembered by how they stand on the wire. */
  readonly maxKnown: number;

  constructor(recorder: Recorder, maxSeries: number) {
    this.recorder = recorder;
    this.maxKnown = maxSeries * 2;
    this.known = new KnownSeries(maxSeries * 2);
  }

  count(format: Format, n = 1): void {
    this.formats.set(format, (this.formats.get(format) ?? 0) + n);
  }

  /** Counts a message that cannot be read, and keeps the first few as examples. */
  reject(context: MessageContext, format: Format, message: string | (() => string)): void {
    this.count(format);
    this.rejected++;
    if (this.problems.length >= MAX_PROBLEMS) return;
    const place = placeText(context);
    this.problems.push({
      effect: 'record',
      input: context.input,
      ...(place !== '' && { place }),
      message: typeof message === 'string' ? message : message(),
    });
  }

  /** What a metric measures: its name comes again with every subject. */
  measureOf(name: string, unit: string): Measure {
    let byUnit = this.#measures.get(name);
    const known = byUnit?.get(unit);
    if (known !== undefined) return known;
    const measure = measureOfName(name, unit);
    if (this.#measureCount++ >= MAX_METRICS) return measure;
    if (byUnit === undefined) {
      byUnit = new Map();
      this.#measures.set(detached(name), byUnit);
    }
    byUnit.set(detached(unit), measure);
    return measure;
  }

  /** The sensors of a message id and source that are known, by location. */
  sensorTables(messageId: string, source: string): MessageTables {
    if (messageId === this.#lastMessageId && source === this.#lastSource) return this.#lastTables;
    let byId = this.#tables.get(source);
    let tables = byId?.get(messageId);
    if (tables === undefined) {
      tables = newTables();
      if (this.#messageIds++ < MAX_MESSAGE_IDS) {
        byId ??= new Map();
        this.#tables.set(source, byId.set(messageId, tables));
      }
    }
    this.#lastMessageId = messageId;
    this.#lastSource = source;
    this.#lastTables = tables;
    return tables;
  }

  /** Remembers a sensor's series as what comes next at its location. */
  rememberSeries(tables: MessageTables, location: string, at: Position, sensor: WireSensor, series: number): void {
    if (this.#sensors >= this.maxKnown) return;
    let table = tables.locations.get(location);
    if (table === undefined) {
      table = { at, sensors: [], series: [], next: 0 };
      tables.locations.set(detached(location), table);
    }
    this.#sensors++;
    table.sensors.push(sensor);
    table.series.push(series);
    table.next = table.sensors.length;
  }

  /** Remembers a sensor for the other locations that have it. */
  rememberSensor({ all }: MessageTables, sensor: WireSensor): void {
    if (this.#sensors >= this.maxKnown) return;
    this.#sensors++;
    all.sensors.push(sensor);
    all.next = all.sensors.length;
  }

  /** Ends the intake: what was remembered of the wire is let go. */
  close(): void {
    this.recorder.close();
    this.known.clear();
    this.#tables.clear();
    this.#measures.clear();
    this.#lastTables = newTables();
    this.#lastMessageId = '\0';
  }

  /** The time of a sample, else that of its record, else minus that of the input: see {@link Recorder.record}. */
  timeOf(raw: unknown, context: MessageContext): number {
    return this.timeGiven(this.times.read(raw), context);
  }

  /** The same, of a time that was read; NaN where there is none. */
  timeGiven(time: number, context: MessageContext): number {
    if (time > 0) return time;
    if (!context.recorded) return -context.time;
    this.timeFromRecord++;
    return context.time;
  }

  event(event: HardwareEvent): void {
    if (!this.recorder.noticeTime(event.time)) return;
    const trouble = TROUBLE.test(event.severity);
    const kept = trouble ? this.#troubles++ : this.events.length - Math.min(this.#troubles, MAX_EVENTS);
    if (kept < MAX_EVENTS) this.events.push(event);
    else if (trouble) this.eventsDropped++;
  }
}

function newTables(): MessageTables {
  return { locations: new Map(), all: { sensors: [], next: 0 } };
}

export type JsonRecord = Record<string, unknown>;

export function isRecord(value: unknown): value is JsonRecord {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
