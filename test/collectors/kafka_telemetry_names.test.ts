import { describe, expect, it } from 'vitest';
import { isCounterName, measureOfMessage, measureOfName } from '../../lib/collectors/kafka_telemetry/quantity.ts';
import { locate } from '../../lib/collectors/kafka_telemetry/place.ts';
import { epochToMs, TimeReader } from '../../lib/collectors/kafka_telemetry/values.ts';

describe('what a name measures', () => {
  it.each([
    ['node_hwmon_temp_celsius', '', 'temperature', '°C'],
    ['DCGM_FI_DEV_GPU_TEMP', '', 'temperature', '°C'],
    ['T2_IT_Supply_Temperature', '', 'temperature', '°C'],
    ['BB Inlet Temp', 'degrees C', 'temperature', '°C'],
    ['dewPoint', 'Cel', 'temperature', '°C'],
    ['DCGM_FI_DEV_POWER_USAGE', '', 'power', 'W'],
    ['ipmi_dcmi_power_consumption_watts', '', 'power', 'W'],
    ['MCS_kWatts_of_heat_removed', '', 'power', 'W'],
    ['node_rapl_package_joules_total', '', 'energy', 'J'],
    ['energy', 'kWh', 'energy', 'J'],
    ['node_hwmon_in_volts', '', 'voltage', 'V'],
    ['P12V', 'mV', 'voltage', 'V'],
    ['ipmi_current_amperes', '', 'current', 'A'],
    ['ipmi_fan_speed_rpm', '', 'fan', 'rpm'],
    ['fanSpeed', '%', 'fan', '%'],
    ['Secondary_Flow_IO', '', 'flow', ''],
    ['flow', 'gal/min', 'flow', 'l/min'],
    ['PS4_IT_Supply_Pressure', '', 'pressure', ''],
    ['supply', 'bar', 'pressure', 'kPa'],
    ['room_humidity', '%', 'humidity', '%'],
    ['valve_percent', '', 'percent', '%'],
    ['Leak Rope 1', '', 'leak', ''],
    ['node_cpu_scaling_frequency_hertz', '', 'frequency', 'Hz'],
    // A device's own limits.
    ['node_hwmon_temp_crit_celsius', '', 'limit', '°C'],
    ['node_hwmon_fan_min_rpm', '', 'limit', 'rpm'],
    ['DCGM_FI_DEV_SLOWDOWN_TEMP', '', 'limit', '°C'],
    ['P1 Therm Margin', 'C', 'limit', '°C'],
    // Words that mean something else.
    ['node_pressure_cpu_waiting_seconds_total', '', 'other', ''],
    ['psi_some_avg10', '', 'other', ''],
    ['pg_stat_database_temp_files', '', 'other', ''],
    ['pg_stat_database_temp_bytes', '', 'other', ''],
    ['ipmi_chassis_power_state', '', 'other', ''],
    ['node_power_supply_capacity', '', 'other', ''],
    ['node_hwmon_temp_alarm', '', 'other', ''],
    ['progress_bar', '', 'other', ''],
    ['node_network_receive_bytes_total', '', 'other', ''],
    ['requests', 'By', 'other', 'By'],
  ])('%s (%s) is %s in %s', (name, unit, quantity, kept) => {
    const measure = measureOfName(name, unit);
    expect([measure.quantity, measure.unit]).toEqual([quantity, kept]);
  });

  it.each([
    ['86', 'F', 30],
    ['300', 'K', 26.85],
    ['2', 'kWh', 7.2e6],
    ['1.5', 'kW', 1500],
    ['12010', 'mV', 12.01],
    ['2', 'bar', 200],
    ['10', 'psi', 68.94757],
    ['10', 'gpm', 37.85411784],
  ])('%s %s is kept as %d', (value, unit, kept) => {
    const { scale, offset } = measureOfName('x', unit);
    expect(Number(value) * scale + offset).toBeCloseTo(kept, 6);
  });

  it.each([
    ['MCS_kWatts_of_heat_removed', 1000],
    ['pdu_power_kw', 1000],
    ['rackPower_kW', 1000],
    ['outlet_kWh', 3.6e6],
    ['supply_kPa', 1],
    ['voltage_millivolts', 0.001],
    ['total_power_watts', 1],
  ])('%s counts by the unit in its name', (name, scale) => {
    expect(measureOfName(name).scale).toBe(scale);
  });

  it.each([
    ['CrayTelemetry.Temperature', 'temperature'],
    ['CrayTelemetry.Current', 'current'],
    ['CrayTelemetry.Rotational', 'fan'],
    ['CrayTelemetry.PowerFactor', 'power_factor'],
    ['CrayFabricCritTelemetry.Errors', 'fabric'],
    ['CrayFabricCriticalTelemetry.Errors', 'fabric'],
    ['Vendor.1.0.Unheard', 'other'],
  ])('%s is %s', (messageId, quantity) => {
    expect(measureOfMessage(messageId, false).quantity).toBe(quantity);
  });

  it('knows counters, misspelt ones too', () => {
    const counters = ['IfHCInOctets', 'IfHCOutBroadcastPckts', 'IfInErrors', 'rx_total'];
    expect(counters.map((name) => isCounterName(name, 'other'))).toEqual([true, true, true, true]);
    expect([isCounterName('IfSpeed', 'other'), isCounterName('temp', 'temperature'), isCounterName('x', 'energy')]).toEqual([
      false,
      false,
      true,
    ]);
  });
});

describe('where a location is', () => {
  it.each([
    ['x1000c0s0b0n0', '', 'node', 'x1000c0s0b0n0', ''],
    ['x1000c0s0b0n0a0', '', 'node', 'x1000c0s0b0n0', 'a0'],
    ['x1000c0s0b0', 'nC', 'bmc', 'x1000c0s0b0', ''],
    ['x1000c0r1', '', 'switch', 'x1000c0r1', ''],
    ['x1000c0r1b0', 'sC', 'switch', 'x1000c0r1', 'b0'],
    ['x1000c0r1j100p0', '', 'switch', 'x1000c0r1', 'j100p0'],
    ['x1000c0', 'cC', 'chassis', 'x1000c0', ''],
    ['x1000c0t2', 'cC', 'chassis', 'x1000c0', 't2'],
    ['x1002m0', 'River', 'pdu', 'x1002m0', ''],
    ['x1002m0p0v3', 'River', 'pdu', 'x1002m0', 'p0v3'],
    ['x1000', '', 'rack', 'x1000', ''],
    ['d0', '', 'cdu', 'd0', ''],
    ['cdu0', '', 'cdu', 'cdu0', ''],
    ['nid000001:9100', '', 'node', 'nid000001', ''],
    ['x1000c0s0b0n0:9100', '', 'node', 'x1000c0s0b0n0', ''],
    ['ros-0040a683cda1', 'sC', 'switch', 'ros-0040a683cda1', ''],
    ['[2001:db8::1]:9100', '', 'node', '[2001:db8::1]:9100', ''],
    ['weka01', '', 'node', 'weka01', ''],
  ])('%s (%s) is %s %s, within it %s', (raw, source, type, name, within) => {
    expect(locate(raw, source)).toEqual({ type, name, within });
  });
});

describe('times', () => {
  const at = Date.parse('2026-05-01T00:00:00.123Z');

  it.each([
    ['2026-05-01T00:00:00.123Z', at],
    ['2026-05-01T00:00:00.123999Z', at],
    ['2026-05-01T00:00:00,123z', at],
    ['2026-05-01 00:00:00.123Z', at],
    ['2026-05-01T02:00:00.123+02:00', at],
    ['2026-04-30T18:30:00.123-0530', at],
    ['2026-05-01T00:00Z', at - 123],
    ['2026-05-01T00:00:00', at - 123],
    [at, at],
    [at / 1000, at],
    [at * 1000, at],
    [String(at), at],
    [{ long: at }, at],
  ])('%s is read', (raw, ms) => {
    expect(new TimeReader().read(raw)).toBe(ms);
  });

  it.each([
    '',
    'now',
    '2026-13-01T00:00:00Z',
    '2026-05-01T24:61:00Z',
    '2026-05-01T00:00:00.Z',
    '2026-05-01T00:00:00+2',
    '2026-05-01X00:00:00Z',
    '2026-05-01',
    0,
    -5,
    Number.NaN,
    null,
    {},
    [],
    true,
  ])('%j is none', (raw) => {
    expect(new TimeReader().read(raw)).toBeNaN();
  });

  it('tells units of epochs by their size', () => {
    expect([1.7e9, 1.7e12, 1.7e15, 1.7e18].map(epochToMs)).toEqual([1.7e12, 1.7e12, 1.7e12, 1.7e12]);
  });
});
