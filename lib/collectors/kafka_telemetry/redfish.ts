import { type Intake, isRecord, type JsonRecord, type MessageContext } from './intake.ts';
import { isCounterName, measureOfMessage } from './quantity.ts';
import { xnameType } from '../../model/xname.ts';
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

/** Takes one sensor: the fields by which `sat sensors` tells sensors apart are its identity, but for the topic. */
export function takeSensor(
  sensor: JsonRecord,
  messageId: string,
  source: string,
  defaults: { location: string; time: unknown },
  intake: Intake,
  context: MessageContext,
): void {
  const location = textOfField(sensor['Location']) || defaults.location;
  const parent = textOfField(sensor['ParentalContext']);
  const parentIndex = ordinal(sensor['ParentalIndex']);
  const physical = textOfField(sensor['PhysicalContext']);
  const index = ordinal(sensor['Index']);
  const sub = textOfField(sensor['PhysicalSubContext']);
  const device = textOfField(sensor['DeviceSpecificContext']);
  const subIndex = ordinal(sensor['SubIndex']);
  const key = `R${messageId}\0${location}\0${source}\0${parent}\0${parentIndex}\0${physical}\0${index}\0${sub}\0${device}\0${subIndex}`;
  let series = intake.known.get(key);
  if (series === undefined) {
    const type = xnameType(location);
    const measure = measureOfMessage(messageId, type === 'pdu' || type === 'pdu_controller' || type === 'pdu_part');
    const fabric = measure.quantity === 'fabric' || measure.quantity === 'other' ? messageId.slice(messageId.lastIndexOf('.') + 1) : '';
    const what = physical === '' || physical === 'INVALID' ? 'unknown' : physical;
    series = intake.remember(
      key,
      intake.recorder.define({
        location,
        telemetrySource: source,
        measure,
        metric: [fabric, what, sub].filter((t) => t !== '').join(' '),
        part: [`${parent}${parentIndex}`, `${what}${index}`, sub, device, subIndex].filter((t) => t !== '').join('/'),
        mode: isCounterName(fabric, measure.quantity) ? 'counter' : 'gauge',
      }),
    );
  }
  intake.recorder.record(series, intake.timeOf(sensor['Timestamp'] ?? defaults.time, context), readingOf(sensor['Value']));
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
      const defaults = { location, time: event['EventTimestamp'] };
      for (const sensor of sensors as unknown[]) {
        if (isRecord(sensor)) takeSensor(sensor, messageId, source, defaults, intake, context);
        else intake.recorder.exclude('malformed');
      }
    } else takeHardwareEvent(event, messageId, location, intake, context);
  }
}

function takeHardwareEvent(event: JsonRecord, messageId: string, location: string, intake: Intake, context: MessageContext): void {
  const origin = event['OriginOfCondition'];
  const time = intake.timeOf(event['EventTimestamp'], context);
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
