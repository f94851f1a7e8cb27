import {
  type Intake,
  isRecord,
  type JsonRecord,
  type LocationTable,
  type MessageContext,
  type MessageTables,
  type SensorTable,
  type WireSensor,
} from './intake.ts';
import { isCounterName, measureOfMessage } from './quantity.ts';
import type { Exclusion, Position } from './recorder.ts';
import { LONGEST_COMMON } from './records.ts';
import { detached, readingOf, textOfField } from './values.ts';

/*
 * Cray telemetry as hms-hmcollector publishes it: Redfish `Events` whose `Oem.Sensors` hold the readings, and HPCM's flat
 * form of the same sensors, one a message (Cray-HPE/hms-hmcollector, cmd/hmcollector/rest.go; Cray-HPE/sat, sensors).
 */

/** An index within a context; −1 stands for none (hms-hmcollector 2.28.0). */
function ordinal(raw: unknown): string {
  if (raw === null || raw === undefined) return '';
  const text = textOfField(raw);
  return text === '-1' ? '' : text;
}

/** How many sensors of a location are looked through when one comes out of turn. */
const LOOKED_THROUGH = 64;

/** What the sensors of one event have in common. */
export interface SensorFrame {
  messageId: string;
  source: string;
  /** Where sensors are that do not say so, and their time. */
  location: string;
  time: unknown;
  tables: MessageTables;
}

/** Takes one sensor. @returns its series */
export function takeSensor(sensor: JsonRecord, frame: SensorFrame, intake: Intake, context: MessageContext): number | Exclusion {
  const location = textOfField(sensor['Location']) || frame.location;
  const table = frame.tables.locations.get(location);
  const known = table === undefined ? -1 : placeOf(sensor, table);
  const series = known < 0 ? defineSeries(sensor, frame, location, table, intake) : ((table as LocationTable).series[known] as number);
  intake.recorder.record(series, intake.timeOf(sensor['Timestamp'] ?? frame.time, context), readingOf(sensor['Value']));
  return series;
}

/**
 * Where a sensor stands among those that are known, −1 for nowhere; comparing fields as they stand is far cheaper than a key
 * of all.
 */
function placeOf(sensor: JsonRecord, table: SensorTable, at?: Position): number {
  const { sensors } = table;
  const from = table.next < sensors.length ? table.next : 0;
  for (let i = 0; i < sensors.length && i < LOOKED_THROUGH; i++) {
    const place = from + i < sensors.length ? from + i : from + i - sensors.length;
    const known = sensors[place] as WireSensor;
    if (
      known.physical === sensor['PhysicalContext'] &&
      known.index === sensor['Index'] &&
      known.device === sensor['DeviceSpecificContext'] &&
      known.sub === sensor['PhysicalSubContext'] &&
      known.parent === sensor['ParentalContext'] &&
      known.parentIndex === sensor['ParentalIndex'] &&
      known.subIndex === sensor['SubIndex'] &&
      (at === undefined || (known.type === at.subject.type && known.within === at.within))
    ) {
      table.next = place + 1;
      return place;
    }
  }
  return -1;
}

/** Defines the series of a sensor at a location where it was not seen yet. */
function defineSeries(
  sensor: JsonRecord,
  frame: SensorFrame,
  location: string,
  table: LocationTable | undefined,
  intake: Intake,
): number | Exclusion {
  const at = table?.at ?? intake.recorder.subjectAt(location, frame.source);
  if (at === null || frame.messageId.length > LONGEST_COMMON) return 'noName';
  const isPlain = isPlainSensor(sensor);
  const known = sensorAt(sensor, frame, at, isPlain, intake);
  if (known === null) return 'skipped';
  const series = intake.recorder.seriesOf(at.subject, known.sensor, known.mode);
  if (typeof series === 'number' && isPlain) intake.rememberSeries(frame.tables, location, at, known, series);
  return series;
}

/** The series of a sensor at a location, which whoever asks remembers. */
export function seriesOfSensor(sensor: JsonRecord, frame: SensorFrame, at: Position | null, intake: Intake): number | Exclusion {
  if (at === null || frame.messageId.length > LONGEST_COMMON) return 'noName';
  const known = sensorAt(sensor, frame, at, true, intake);
  return known === null ? 'skipped' : intake.recorder.seriesOf(at.subject, known.sensor, known.mode);
}

/** What Avro's JSON encoding wraps is another object each time, and never found again. */
function isPlainSensor(sensor: JsonRecord): boolean {
  return !Object.values(sensor).some((value) => value !== null && typeof value === 'object');
}

/** The sensor that all locations of a type share. Null where the site wants none of its quantity. */
function sensorAt(
  sensor: JsonRecord,
  { messageId, tables }: SensorFrame,
  at: Position,
  isPlain: boolean,
  intake: Intake,
): WireSensor | null {
  const place = placeOf(sensor, tables.all, at);
  if (place >= 0) return tables.all.sensors[place] as WireSensor;
  const known = defineSensor(sensor, messageId, at, intake);
  if (known !== null && isPlain) intake.rememberSensor(tables, known);
  return known;
}

/**
 * Defines a sensor: the fields by which `sat sensors` tells sensors apart are its identity, but for the topic. Null where the
 * site wants none of its quantity.
 */
function defineSensor(sensor: JsonRecord, messageId: string, at: Position, intake: Intake): WireSensor | null {
  const parent = textOfField(sensor['ParentalContext']);
  const parentIndex = ordinal(sensor['ParentalIndex']);
  const physical = textOfField(sensor['PhysicalContext']);
  const index = ordinal(sensor['Index']);
  const sub = textOfField(sensor['PhysicalSubContext']);
  const device = textOfField(sensor['DeviceSpecificContext']);
  const subIndex = ordinal(sensor['SubIndex']);
  const { type } = at.subject;
  const measure = measureOfMessage(messageId, type === 'pdu');
  const unnamed = measure.quantity === 'fabric' || measure.quantity === 'other' ? messageId.slice(messageId.lastIndexOf('.') + 1) : '';
  const what = physical === '' || physical === 'INVALID' ? 'unknown' : physical;
  const part = joined('/', at.within, `${parent}${parentIndex}`, `${what}${index}`, sub, device, subIndex);
  const found = intake.recorder.sensorOf(type, measure, joined(' ', unnamed, what, sub), part);
  if (found === null) return null;
  return {
    parent: own(sensor['ParentalContext']),
    parentIndex: own(sensor['ParentalIndex']),
    physical: own(sensor['PhysicalContext']),
    index: own(sensor['Index']),
    sub: own(sensor['PhysicalSubContext']),
    device: own(sensor['DeviceSpecificContext']),
    subIndex: own(sensor['SubIndex']),
    type,
    within: at.within,
    sensor: found,
    mode: isCounterName(unnamed, measure.quantity) ? 'counter' : 'gauge',
  };
}

/** A text that keeps no other in memory. */
function own(raw: unknown): unknown {
  return typeof raw === 'string' ? detached(raw) : raw;
}

function joined(separator: string, ...texts: string[]): string {
  let all = '';
  for (const text of texts) if (text !== '') all = all === '' ? text : all + separator + text;
  return all;
}

/** What the sensors of an event have in common. */
export function frameOfEvent(event: JsonRecord, oem: JsonRecord, location: string, intake: Intake): SensorFrame {
  const messageId = textOfField(event['MessageId']);
  const source = textOfField(oem['TelemetrySource']);
  return { messageId, source, location, time: event['EventTimestamp'], tables: intake.sensorTables(messageId, source) };
}

/** Whether a record is a sensor of its own: HPCM's `crayex_telemetry`. */
export function isFlat(record: JsonRecord): boolean {
  return 'Location' in record && 'Value' in record;
}

/** What a flat sensor says of itself; of the older fabric form the context names what is measured. */
export function frameOfFlat(record: JsonRecord, intake: Intake): SensorFrame {
  const messageId = textOfField(record['MessageId']) || `CrayFabricTelemetry.${textOfField(record['PhysicalContext'])}`;
  const source = textOfField(record['TelemetrySource']);
  return { messageId, source, location: '', time: undefined, tables: intake.sensorTables(messageId, source) };
}

/** Takes a message of the form `{Context, Events}`; `Events` may be a single object (Foxconn Paradise BMCs). */
export function takeEvents(message: JsonRecord, intake: Intake, context: MessageContext): void {
  intake.count('redfish');
  const location = textOfField(message['Context']);
  const raw = message['Events'];
  for (const event of Array.isArray(raw) ? (raw as unknown[]) : [raw]) {
    if (!isRecord(event)) {
      intake.recorder.exclude('malformed');
      continue;
    }
    const oem = isRecord(event['Oem']) ? event['Oem'] : undefined;
    const sensors = oem?.['Sensors'];
    const messageId = textOfField(event['MessageId']);
    if (Array.isArray(sensors)) {
      const frame = frameOfEvent(event, oem as JsonRecord, location, intake);
      for (const sensor of sensors as unknown[]) {
        if (isRecord(sensor)) takeSensor(sensor, frame, intake, context);
        else intake.recorder.exclude('malformed');
      }
    } else takeHardwareEvent(event, messageId, location, intake, context);
  }
}

function takeHardwareEvent(event: JsonRecord, messageId: string, location: string, intake: Intake, context: MessageContext): void {
  const origin = event['OriginOfCondition'];
  const time = Math.abs(intake.timeOf(event['EventTimestamp'], context));
  if (!(time > 0)) return intake.recorder.exclude('noTime');
  intake.event({
    location,
    severity: textOfField(event['Severity']) || textOfField(event['MessageSeverity']),
    messageId,
    message: textOfField(event['Message']),
    origin: isRecord(origin) ? textOfField(origin['@odata.id']) : textOfField(origin),
    time,
  });
}
