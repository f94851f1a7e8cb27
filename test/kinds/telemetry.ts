import type { JsonObject } from '../../lib/model/json.ts';
import { flat } from '../collectors/telemetry-inputs.ts';
import { look, NOON, type Story } from './story.ts';

const ago = (seconds: number): string => new Date(NOON - seconds * 1000).toISOString();

/** Readings of one sensor, the newest last, ten seconds apart and the last one `end` seconds ago. */
function readings(location: string, quantity: string, values: readonly number[], more: JsonObject = {}, end = 0): string[] {
  return values.map((value, i) => flat(location, quantity, value, ago(end + 10 * (values.length - 1 - i)), more));
}

function event(context: string, messageId: string, message: string, origin: string): string {
  const told = {
    EventTimestamp: ago(60),
    Severity: 'Critical',
    Message: message,
    MessageId: messageId,
    OriginOfCondition: { '@odata.id': origin },
  };
  return JSON.stringify({ Context: context, Events: [told] });
}

const GPU = { PhysicalContext: 'GPU', DeviceSpecificContext: 'GPU 0 Temp' };
const COOLING = { PhysicalContext: 'CoolingSubsystem' };
const SLOTS = [0, 1, 2, 3, 4];

const WINDOW = [
  ...readings('x1000c0s0b0n0', 'Temperature', [86, 87], GPU),
  ...readings('x1000c0s1b0n0', 'Power', [2700, 2710], { PhysicalContext: 'VoltageRegulator' }),
  ...readings('x1002m0', 'Power', [4200, 4210, 0, 0], { PhysicalContext: 'PDU' }),
  ...[9000, 9100, 1200, 9200].flatMap((rpm, Index) =>
    readings('x1000c0s2b0n0', 'Rotational', [rpm, rpm], { PhysicalContext: 'Fan', Index }),
  ),
  ...readings('x1000c1', 'LiquidFlow', [310, 311, 309, 310, 310, 240, 240], COOLING),
  ...readings('d0', 'Pressure', [4, 4, 4, 4, 4, 5.2, 5.2], COOLING),
  ...SLOTS.flatMap((s) => readings(`x1000c2s${s}b0n0`, 'Voltage', s === 4 ? [10.6, 10.6] : [12, 12.1], { PhysicalContext: 'PowerSupply' })),
  ...readings('x1000c3', 'Humidity', [15, 15], { PhysicalContext: 'Room' }),
  event(
    'd0',
    'CrayAlerts.1.0.LeakDetected',
    'Leak detected by rope sensor 1',
    '/redfish/v1/ThermalEquipment/CDUs/1/LeakDetection/LeakDetectors/Rope1',
  ),
  event('x1000c0s1b0', 'CrayAlerts.1.0.PowerSupplyFailed', 'Power supply 2 failed', '/redfish/v1/Chassis/Enclosure/PowerSupplies/2'),
  ...SLOTS.flatMap((s) => readings(`x1000c4s${s}b0`, 'Temperature', s === 3 ? [12, 12] : [24, 24], { PhysicalContext: 'Intake' })),
  ...readings('x1000c5s0b0n0', 'Temperature', [50, 51, 50, 51], {}, 400),
  ...readings('x1000c5s0b0n0', 'Power', [500, 510, 500, 510]),
  ...readings('x1000c6s0b0n0', 'Temperature', [50, 51, 50, 51], {}, 400),
];

export const telemetryStories: Story[] = [
  look(
    'kafka_telemetry',
    { 'window.ndjson': `${WINDOW.join('\n')}\n` },
    { kind: 'temperature_high', severity: 'warning', subject: 'node x1000c0s0b0n0', part: 'GPU0/GPU 0 Temp' },
    { kind: 'power_high', severity: 'warning', subject: 'node x1000c0s1b0n0', part: 'VoltageRegulator0' },
    { kind: 'power_lost', severity: 'critical', subject: 'pdu x1002m0', part: 'PDU0' },
    { kind: 'fan_low', severity: 'warning', subject: 'node x1000c0s2b0n0', part: 'Fan2' },
    { kind: 'flow_low', severity: 'warning', subject: 'chassis x1000c1', part: 'CoolingSubsystem0' },
    { kind: 'pressure_off', severity: 'warning', subject: 'cdu d0', part: 'CoolingSubsystem0' },
    { kind: 'voltage_off', severity: 'warning', subject: 'node x1000c2s4b0n0', part: 'PowerSupply0' },
    { kind: 'humidity_off', severity: 'warning', subject: 'chassis x1000c3', part: 'Room0' },
    { kind: 'leak_detected', severity: 'critical', subject: 'cdu d0', part: 'LeakDetectors/Rope1' },
    { kind: 'hardware_event', severity: 'critical', subject: 'bmc x1000c0s1b0', part: 'PowerSupplyFailed/PowerSupplies/2' },
    { kind: 'sensor_outlier', severity: 'info', subject: 'bmc x1000c4s3b0', part: 'temperature Intake0' },
    { kind: 'sensor_stale', severity: 'info', subject: 'node x1000c5s0b0n0', part: 'temperature CPU0' },
    { kind: 'telemetry_gap', severity: 'warning', subject: 'node x1000c6s0b0n0', part: 'all sensors' },
  ),
];
