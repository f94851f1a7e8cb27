import { type Intake, isRecord, type JsonRecord, type KnownSensor, type MessageContext, type SensorTable } from './intake.ts';
import { isCounterName, measureOfMessage } from './quantity.ts';
import type { Exclusion } from './recorder.ts';
import { LONGEST_COMMON } from './records.ts';
import { readingOf, textOfField } from './values.ts';

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
  tables: Map<string, SensorTable>;
}

/** Takes one sensor. */
export function takeSensor(sensor: JsonRecord, frame: SensorFrame, intake: Intake, context: MessageContext): void {
  const location = textOfField(sensor['Location']) || frame.location;
  const table = frame.tables.get(location);
  const series = (table === undefined ? undefined : knownSeries(sensor, table)) ?? defineSensor(sensor, frame, location, table, intake);
  intake.recorder.record(series, intake.timeOf(sensor['Timestamp'] ?? frame.time, context), readingOf(sensor['Value']));
}

/** The series of a sensor that was seen at its location; comparing fields as they stand is far cheaper than a key of all. */
function knownSeries(sensor: JsonRecord, table: SensorTable): number | undefined {
  const { sensors } = table;
  const from = table.next < sensors.length ? table.next : 0;
  for (let i = 0; i < sensors.length && i < LOOKED_THROUGH; i++) {
    const at = from + i < sensors.length ? from + i : from + i - sensors.length;
    const known = sensors[at] as KnownSensor;
    if (
      known.physical === sensor['PhysicalContext'] &&
      known.index === sensor['Index'] &&
      known.device === sensor['DeviceSpecificContext'] &&
      known.sub === sensor['PhysicalSubContext'] &&
      known.parent === sensor['ParentalContext'] &&
      known.parentIndex === sensor['ParentalIndex'] &&
      known.subIndex === sensor['SubIndex']
    ) {
      table.next = at + 1;
      return known.series;
    }
  }
  return undefined;
}

/** Defines a sensor: the fields by which `sat sensors` tells sensors apart are its identity, but for the topic. */
function defineSensor(
  sensor: JsonRecord,
  { messageId, source, tables }: SensorFrame,
  location: string,
  table: SensorTable | undefined,
  intake: Intake,
): number | Exclusion {
  const parent = textOfField(sensor['ParentalContext']);
  const parentIndex = ordinal(sensor['ParentalIndex']);
  const physical = textOfField(sensor['PhysicalContext']);
  const index = ordinal(sensor['Index']);
  const sub = textOfField(sensor['PhysicalSubContext']);
  const device = textOfField(sensor['DeviceSpecificContext']);
  const subIndex = ordinal(sensor['SubIndex']);
  const at = table?.at ?? intake.recorder.subjectAt(location, source);
  if (at === null || messageId.length > LONGEST_COMMON) return 'noName';
  const measure = measureOfMessage(messageId, at.subject.type === 'pdu');
  const unnamed = measure.quantity === 'fabric' || measure.quantity === 'other' ? messageId.slice(messageId.lastIndexOf('.') + 1) : '';
  const what = physical === '' || physical === 'INVALID' ? 'unknown' : physical;
  const series = intake.recorder.define({
    at,
    measure,
    metric: joined(' ', unnamed, what, sub),
    part: joined('/', `${parent}${parentIndex}`, `${what}${index}`, sub, device, subIndex),
    mode: isCounterName(unnamed, measure.quantity) ? 'counter' : 'gauge',
  });
  if (typeof series === 'string') return series;
  intake.rememberSensor(tables, location, at, {
    parent: sensor['ParentalContext'],
    parentIndex: sensor['ParentalIndex'],
    physical: sensor['PhysicalContext'],
    index: sensor['Index'],
    sub: sensor['PhysicalSubContext'],
    device: sensor['DeviceSpecificContext'],
    subIndex: sensor['SubIndex'],
    series,
  });
  return series;
}

function joined(separator: string, ...texts: string[]): string {
  let all = '';
  for (const text of texts) if (text !== '') all = all === '' ? text : all + separator + text;
  return all;
}

/** Takes a message of the form `{Context, Events}`; `Events` may be a single object (Foxconn Paradise BMCs). */
export function takeEvents(message: JsonRecord, intake: Intake, context: MessageContext): void {
  intake.count('redfish');
  const location = textOfField(message['Context']);
  const raw = message['Events'];
  for (const event of Array.isArray(raw) ? (raw as unknown[]) : [raw]) {
    if (!isRecord(event)) continue;
    const oem = isRecord(event['Oem']) ? event['Oem'] : undefined;
    const sensors = oem?.['Sensors'];
    const messageId = textOfField(event['MessageId']);
    if (Array.isArray(sensors)) {
      const source = textOfField(oem?.['TelemetrySource']);
      const frame = { messageId, source, location, time: event['EventTimestamp'], tables: intake.sensorTables(messageId, source) };
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
