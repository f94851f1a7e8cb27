import { expect, it } from 'vitest';
import type { JsonObject } from '../../lib/model/json.ts';
import { collect, flat, NOW } from './telemetry-inputs.ts';

const NODE = 'x1000c0s0b0n0';

/** Readings of one sensor, 10 s apart, the last of them now. */
function readings(location: string, quantity: string, values: readonly number[], more: JsonObject = {}): string[] {
  return values.map((value, i) => flat(location, quantity, value, NOW - (values.length - 1 - i) * 10_000, more));
}

const temperature = (context: string) => (value: number) => readings(NODE, 'Temperature', [value, value], { PhysicalContext: context });
const named = (location: string, name: string) => (value: number) =>
  [20_000, 0].map((ms) => JSON.stringify({ timestamp: NOW - ms, location, name, value }));
const usual = (quantity: string, before: number) => (value: number) =>
  readings('x1000c0', quantity, [before, before, before, before, before, value, value]);
/** The sensor at hand on the first of five subjects, or the first of five on one, beside others that show the same. */
const among = (quantity: string, others: number, places: (i: number) => [string, JsonObject]) => (value: number) =>
  [0, 1, 2, 3, 4].flatMap((i) => {
    const [location, more] = places(i);
    return readings(location, quantity, [i === 0 ? value : others, i === 0 ? value : others], more);
  });

// Each limit: what it takes to be raised, and what just fails to.
it.each<[string, 'info' | 'warning' | 'critical', (value: number) => string[], number, number]>([
  ['temperature_high', 'warning', temperature('HBM'), 90, 89.9],
  ['temperature_high', 'critical', temperature('HBM'), 98, 97.9],
  ['temperature_high', 'warning', temperature('GPU'), 85, 84.9],
  ['temperature_high', 'critical', temperature('GPU'), 95, 94.9],
  ['temperature_high', 'warning', temperature('VoltageRegulator'), 105, 104.9],
  ['temperature_high', 'critical', temperature('VoltageRegulator'), 115, 114.9],
  ['temperature_high', 'warning', temperature('CPU'), 85, 84.9],
  ['temperature_high', 'critical', temperature('CPU'), 95, 94.9],
  ['temperature_high', 'warning', temperature('DIMM'), 80, 79.9],
  ['temperature_high', 'critical', temperature('DIMM'), 85, 84.9],
  ['temperature_high', 'warning', temperature('LiquidInlet'), 32, 31.9],
  ['temperature_high', 'critical', temperature('LiquidInlet'), 40, 39.9],
  ['temperature_high', 'warning', temperature('Inlet'), 32, 31.9],
  ['temperature_high', 'critical', temperature('Inlet'), 35, 34.9],
  ['temperature_high', 'warning', named('d0', 'Return Temp'), 60, 59.9],
  ['temperature_high', 'critical', named('d0', 'Return Temp'), 65, 64.9],
  ['temperature_high', 'warning', temperature('Disk'), 95, 94.9],
  ['temperature_high', 'critical', temperature('Disk'), 105, 104.9],
  ['power_high', 'warning', (value) => readings(NODE, 'Power', [value, value]), 2683, 2682],
  ['power_high', 'critical', (value) => readings(NODE, 'Power', [value, value]), 3200, 3199],
  ['power_high', 'warning', (value) => readings('x1000', 'Power', [value, value]), 391_000, 390_999],
  ['power_high', 'critical', (value) => readings('x1000', 'Power', [value, value]), 400_000, 399_999],
  ['fan_low', 'warning', among('Rotational', 9000, (Index) => [NODE, { PhysicalContext: 'Fan', Index }]), 1800, 1801],
  ['flow_low', 'warning', usual('LiquidFlow', 100), 80, 80.1],
  ['flow_low', 'critical', usual('LiquidFlow', 100), 50, 50.1],
  ['pressure_off', 'warning', usual('Pressure', 100), 80, 80.1],
  ['pressure_off', 'critical', usual('Pressure', 100), 60, 60.1],
  ['pressure_off', 'warning', usual('Pressure', 100), 120, 119.9],
  ['pressure_off', 'critical', usual('Pressure', 100), 140, 139.9],
  ['voltage_off', 'warning', among('Voltage', 10, (i) => [`x1000c0s${i}b0n0`, {}]), 9, 9.01],
  ['voltage_off', 'critical', among('Voltage', 10, (i) => [`x1000c0s${i}b0n0`, {}]), 8, 8.01],
  ['voltage_off', 'warning', among('Voltage', 10, (i) => [`x1000c0s${i}b0n0`, {}]), 11, 10.99],
  ['voltage_off', 'critical', among('Voltage', 10, (i) => [`x1000c0s${i}b0n0`, {}]), 12, 11.99],
  ['humidity_off', 'warning', (value) => readings('x1000c0', 'Humidity', [value, value]), 20, 20.1],
  ['humidity_off', 'critical', (value) => readings('x1000c0', 'Humidity', [value, value]), 8, 8.1],
  ['humidity_off', 'warning', (value) => readings('x1000c0', 'Humidity', [value, value]), 80, 79.9],
  ['humidity_off', 'critical', (value) => readings('x1000c0', 'Humidity', [value, value]), 90, 89.9],
  ['leak_detected', 'critical', named('d0', 'Leak Sensor'), 1, 0.9],
  ['sensor_outlier', 'info', among('Temperature', 20, (i) => [`x1000c0s${i}b0n0`, { PhysicalContext: 'Inlet' }]), 30.1, 30],
  ['sensor_outlier', 'info', among('Temperature', 20, (i) => [`x1000c0s${i}b0n0`, { PhysicalContext: 'Inlet' }]), 9.9, 10],
  ['sensor_outlier', 'info', among('Humidity', 50, (i) => [`x1000c${i}`, {}]), 65.1, 65],
  ['sensor_outlier', 'info', among('LiquidFlow', 100, (i) => [`x1000c${i}`, {}]), 125.1, 125],
])('%s is raised as %s at its limit, and not just short of it', async (kind, severity, linesOf, at, short) => {
  const told = async (value: number): Promise<string[]> =>
    (await collect(linesOf(value))).conditions.map((c) => `${c.kind} ${c.severity ?? 'info'}`);
  expect(await told(at)).toEqual([`${kind} ${severity}`]);
  expect(await told(short)).toEqual(severity === 'critical' && kind !== 'leak_detected' ? [`${kind} warning`] : []);
});

it('the worst stand first in the summary by what their kind is, though no message says so', async () => {
  const lines = [...readings('x1002m0', 'Power', [4200, 4210, 0, 0], { PhysicalContext: 'PDU' }), ...temperature('GPU')(86)];
  const { worst } = (await collect(lines)).summary['conditions'] as { worst: JsonObject[] };
  expect(worst.map(({ kind }) => kind)).toEqual(['power_lost', 'temperature_high']);
});
