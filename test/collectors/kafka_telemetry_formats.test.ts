import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type Collected, ReadError, UnusableInput } from '../../lib/model/collector.ts';
import type { JsonObject } from '../../lib/model/json.ts';
import { collect, inputOf, readingsOf } from './telemetry-inputs.ts';

const T0 = Date.parse('2026-05-01T00:00:00Z');

function sensor(changes: JsonObject = {}): JsonObject {
  return {
    Timestamp: T0,
    Location: 'x1000c0s0b0n0',
    TelemetrySource: 'nC',
    MessageId: 'CrayTelemetry.Temperature',
    ParentalContext: 'Chassis',
    ParentalIndex: 0,
    PhysicalContext: 'GPU',
    Index: 3,
    PhysicalSubContext: null,
    DeviceSpecificContext: 'GPU 3 Temp',
    Value: 61.25,
    ...changes,
  };
}

/** A good sample of another node, so that a window holds something though the case itself does not count. */
const BESIDE = JSON.stringify(sensor({ Location: 'x1000c0s7b0n0', Value: 50 }));

function takes(text: string, now = T0 + 60_000): Promise<Collected<unknown>> {
  return collect([text, BESIDE], { now });
}

function only(collected: Collected<unknown>) {
  return readingsOf(collected).get('node:x1000c0s0b0n0');
}

describe('values and times', () => {
  it.each([
    ['a number in a text', { Value: '61.25' }],
    ['seconds', { Timestamp: T0 / 1000 }],
    ['microseconds', { Timestamp: T0 * 1000 }],
    ['nanoseconds, past what a double holds', { Timestamp: 1777593600000000000 }],
    ['an ISO time without a zone, as UTC', { Timestamp: '2026-05-01T00:00:00' }],
    ['an ISO time with another zone', { Timestamp: '2026-05-01T02:00:00+02:00' }],
    ['epoch milliseconds in a text', { Timestamp: String(T0) }],
    [
      "Avro's unions",
      {
        ParentalContext: { string: 'Chassis' },
        Index: { int: '3' },
        DeviceSpecificContext: { string: 'GPU 3 Temp' },
        Value: { double: 61.25 },
      },
    ],
  ])('takes %s', async (_, changes) => {
    const collected = await takes(JSON.stringify(sensor(changes)));
    expect(only(collected)).toEqual([
      { kind: 'temperature', metric: 'GPU', part: 'Chassis0/GPU3/GPU 3 Temp', unit: '°C', last: 61.25, at: '2026-05-01T00:00:00.000Z' },
    ]);
    expect(collected.summary['excluded']).toEqual({});
  });

  it.each(['Value', 'Timestamp', 'Location'])('takes no union within a union, however deep, for a %s', async (field) => {
    const deep = `${'{"string":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
    const text = JSON.stringify(sensor({ [field]: 'HERE' })).replace('"HERE"', deep);
    const collected = await takes(text);
    expect(readingsOf(collected).get('node:x1000c0s7b0n0')).toMatchObject([{ last: 50 }]);
    expect(only(collected)?.[0]?.last).toBe(field === 'Timestamp' ? 61.25 : undefined);
  });

  it('keeps whole milliseconds of a time in nanoseconds', async () => {
    const collected = await takes(JSON.stringify(sensor({ Timestamp: '2026-05-01T00:00:00.123456789Z' })));
    expect(only(collected)?.[0]?.at).toBe('2026-05-01T00:00:00.123Z');
  });

  it('says how many times had no zone', async () => {
    const { summary } = await takes(JSON.stringify(sensor({ Timestamp: '2026-05-01T00:00:00' })));
    expect(summary['notes']).toEqual({ assumed_utc: 1 });
  });

  it.each([
    ['an empty text', { Value: '' }, 'missing'],
    ['null', { Value: null }, 'missing'],
    ['NaN', { Value: 'NaN' }, 'nonFinite'],
    ['minus infinity', { Value: '-Inf' }, 'nonFinite'],
    ['a number past all doubles', { Value: '1e999' }, 'nonFinite'],
    ['a hexadecimal number', { Value: '0x1F' }, 'malformed'],
    ['a boolean', { Value: true }, 'malformed'],
    ['a number with blanks', { Value: ' 12 ' }, 'malformed'],
    ['a list', { Value: [] }, 'malformed'],
    ['a time a day ahead', { Timestamp: T0 + 864e5 }, 'future'],
    ['a sentinel', { Value: 255 }, 'sentinel'],
    ['what no sensor can show', { Value: 4000 }, 'implausible'],
    ['a name with control characters', { Location: 'x1000c0\u0007' }, 'noName'],
  ])('counts %s once and rolls it not up', async (_, changes, why) => {
    const collected = await takes(JSON.stringify(sensor(changes)));
    expect(only(collected)).toBeUndefined();
    expect(collected.summary['excluded']).toEqual({ [why]: 1 });
    expect(collected.summary['samples']).toBe(1);
    expect(collected.coverage.rejected).toBe(0);
  });

  it('names the subjects whose clocks are ahead', async () => {
    const { summary } = await takes(JSON.stringify(sensor({ Timestamp: T0 + 864e5 })));
    expect(summary['notes']).toEqual({ clocks_ahead: 'x1000c0s0b0n0' });
  });

  it('takes an index of -1 for none', async () => {
    const collected = await takes(JSON.stringify(sensor({ Index: -1, ParentalIndex: -1, SubIndex: -1 })));
    expect(only(collected)?.[0]?.part).toBe('Chassis/GPU/GPU 3 Temp');
  });
});

describe('framing', () => {
  const one = JSON.stringify(sensor());
  const two = JSON.stringify(sensor({ Index: 4 }));

  it.each([
    ['an array on a line', `[${one},${two}]`],
    ['two objects on a line', `${one}${two}`],
    ['two objects and a blank', `${one} ${two}`],
    ['a document over many lines', JSON.stringify([sensor(), sensor({ Index: 4 })], null, 2)],
    ['a document over many lines with tabs', JSON.stringify([sensor(), sensor({ Index: 4 })], null, '\t')],
    ['an array with an element a line', `[\n${one},\n${two}\n]`],
    ['Windows line ends', `${one}\r\n${two}\r`],
    ['JSON text sequences', `\u001e${one}\n\u001e${two}`],
    ['a byte order mark', `\ufeff${one}\n${two}`],
    ['a BOM and a pretty document', `\ufeff${JSON.stringify([sensor(), sensor({ Index: 4 })], null, 1)}`],
  ])('reads %s', async (_, text) => {
    const collected = await takes(text);
    expect(only(collected)).toHaveLength(2);
    expect(collected.coverage.rejected).toBe(0);
  });

  it.each([
    ["Python's spelling of a record", "{'Timestamp': 1777593600000, 'Value': 1}"],
    ['JSON that breaks off', '{"Timestamp":1777593600000,"Val'],
    ['JSON that breaks off behind a comma', '{"Timestamp":1777593600000,'],
    ['JSON that breaks off behind a bracket', '{"Events":['],
    ['text', 'Traceback (most recent call last):'],
    ['a lone bracket', '['],
    ['a number', '17'],
    ['JSON of another kind', '{"hello":"world"}'],
  ])('counts %s as one rejected message and goes on behind it', async (_, text) => {
    const { coverage, summary } = await collect([text, BESIDE, one], { now: T0 + 60_000 });
    expect(coverage.rejected).toBe(1);
    expect(coverage.problems).toMatchObject([{ effect: 'record', input: 'window.ndjson', place: 'line 1' }]);
    expect(summary['samples']).toBe(2);
  });

  it('lists at most twenty rejected messages and counts all', async () => {
    const { coverage } = await collect([...Array.from({ length: 300 }, () => '{"a":'), BESIDE], { now: T0 });
    expect(coverage.rejected).toBe(300);
    expect(coverage.problems).toHaveLength(20);
  });

  it('skips a line that is longer than any message', async () => {
    const { coverage, summary } = await collect(['x'.repeat(9 * 1024 * 1024), BESIDE], { now: T0 });
    expect(coverage.rejected).toBe(1);
    expect(summary['samples']).toBe(1);
  });

  it('reads bytes that are cut anywhere', async () => {
    const bytes = new TextEncoder().encode(`${JSON.stringify(sensor({ DeviceSpecificContext: 'Wärme 3 °C' }))}\n${BESIDE}\n`);
    const whole = await collect([inputOf('a', bytes)], { now: T0 });
    for (const size of [1, 2, 3, 7, 64]) {
      const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size));
      expect(await collect([{ ...inputOf('a', bytes), bytes: () => parts }], { now: T0 })).toEqual(whole);
    }
    expect(only(whole)?.[0]?.part).toContain('Wärme 3 °C');
  });

  it('reads gzip, and says where it breaks off', async () => {
    const text = Array.from({ length: 500 }, (_, i) => JSON.stringify(sensor({ Timestamp: T0 + i * 10, Value: 50 + (i % 7) }))).join('\n');
    const packed = new Uint8Array(gzipSync(text));
    const whole = await collect([inputOf('w.ndjson.gz', packed)], { now: T0 + 60_000 });
    expect(whole.summary).toMatchObject({ samples: 500, formats: { gzip: 1, hpcm_flat: 500 } });
    const cut = await collect([inputOf('w.ndjson.gz', packed.subarray(0, packed.length - 40)), inputOf('x', BESIDE)], { now: T0 + 60_000 });
    expect(cut.coverage.problems).toMatchObject([
      { effect: 'input', input: 'w.ndjson.gz', message: expect.stringContaining('breaks off') },
      { effect: 'record', input: 'w.ndjson.gz', message: 'JSON that breaks off' },
    ]);
    expect(cut.summary['samples']).toBeGreaterThan(400);
    const early = await collect([inputOf('w.ndjson.gz', packed.subarray(0, 150)), inputOf('x', BESIDE)], { now: T0 + 60_000 });
    expect(early.coverage.problems[0]).toMatchObject({ effect: 'input', message: expect.stringContaining('breaks off') });
  });

  it('counts a file of bytes that are longer than any message, and keeps none of them', async () => {
    let given = 0;
    const zeros = inputOf('core', '', {
      *bytes() {
        for (; given < 1000; given++) yield new Uint8Array(1024 * 1024);
      },
    });
    const { coverage, summary } = await collect([zeros, inputOf('b', BESIDE)], { now: T0 });
    expect(coverage.problems).toEqual([
      { effect: 'note', input: 'core', message: expect.stringContaining('a binary message of more than 8388608 bytes') },
    ]);
    expect(given).toBeLessThan(10);
    expect(summary['samples']).toBe(1);
  });

  it('goes on with the other inputs where one cannot be read', async () => {
    const broken = inputOf('a', '', {
      // oxlint-disable-next-line require-yield
      *bytes() {
        throw new ReadError('unreadable', 'a', 'lies on a stale mount');
      },
    });
    const { coverage, summary } = await collect([broken, inputOf('b', BESIDE)], { now: T0 });
    expect(coverage.problems).toEqual([{ effect: 'input', input: 'a', message: 'lies on a stale mount' }]);
    expect(summary['samples']).toBe(1);
  });

  it('takes a packed file of another kind for no fault either', async () => {
    const packed = new Uint8Array(gzipSync('How these windows\nare captured.\n'));
    const { coverage, summary } = await collect([inputOf('README.gz', packed), inputOf('b', BESIDE)], { now: T0 });
    expect(coverage).toMatchObject({ rejected: 0, problems: [{ effect: 'note', input: 'README.gz' }] });
    expect(summary['formats']).toEqual({ hpcm_flat: 1 });
  });

  it('takes a file of another kind for no fault', async () => {
    const { coverage, summary } = await collect([inputOf('README', 'How these windows\nare captured.\n'), inputOf('b', BESIDE)], {
      now: T0,
    });
    expect(coverage).toMatchObject({ rejected: 0, problems: [{ effect: 'note', input: 'README', place: 'line 1' }] });
    expect(summary['formats']).toEqual({ hpcm_flat: 1 });
  });

  it('fails where nothing can be used, and says what there was', async () => {
    await expect(collect([inputOf('a', '')])).rejects.toThrow(UnusableInput);
    await expect(collect([])).rejects.toThrow('no usable sample in 0 inputs');
    await expect(collect(['{"hello":1}'])).rejects.toThrow('no telemetry in it: JSON of no known form');
    await expect(collect([JSON.stringify(sensor({ Value: null }))])).rejects.toThrow('1 hpcm_flat, 1 missing');
  });
});

describe('Cray and Redfish messages', () => {
  const event = (sensors: unknown, more: JsonObject = {}): JsonObject => ({
    EventTimestamp: '2026-05-01T00:00:05Z',
    MessageId: 'CrayTelemetry.Power',
    Oem: { Sensors: sensors as never, TelemetrySource: 'nC' },
    ...more,
  });
  const watts = { Location: 'x1000c0s0b0n0', PhysicalContext: 'VoltageRegulator', PhysicalSubContext: 'Input', Index: 0, Value: '1830.5' };
  const expected = [
    {
      kind: 'power',
      metric: 'VoltageRegulator Input',
      part: 'VoltageRegulator0/Input',
      unit: 'W',
      last: 1830.5,
      at: '2026-05-01T00:00:05.000Z',
    },
  ];

  it.each([
    ['events', { Context: 'x1000c0s0b0', Events: [event([watts])] }],
    ['one event as an object', { Context: 'x1000c0s0b0', Events: event([watts]) }],
    ['the envelope of the telemetry API', { metrics: { messages: [{ Context: 'x1000c0s0b0', Events: [event([watts])] }] } }],
    ['a sensor without a location, from the context', { Context: 'x1000c0s0b0n0', Events: [event([{ ...watts, Location: undefined }])] }],
  ])('reads %s', async (_, message) => {
    expect(only(await takes(JSON.stringify(message)))).toEqual(expected);
  });

  it('reads several message ids of one message, and the same context twice', async () => {
    const hot = { Timestamp: '2026-05-01T00:00:06Z', Location: 'x1000c0s0b0n0', PhysicalContext: 'CPU', Index: 0, Value: '55' };
    const message = {
      Context: 'x1000c0s0b0',
      Events: [event([watts]), event([hot, { ...hot, Value: '56' }], { MessageId: 'CrayTelemetry.Temperature' })],
    };
    const collected = await takes(JSON.stringify(message));
    expect(only(collected)?.map(({ kind, last }) => [kind, last])).toEqual([
      ['temperature', 56],
      ['power', 1830.5],
    ]);
    expect(collected.summary).toMatchObject({ excluded: { duplicate: 1 }, notes: { conflicting_duplicates: 1 } });
  });

  it('keeps the energy of PDUs in joules, though they count kilowatt-hours', async () => {
    const energy = (location: string, value: string) =>
      JSON.stringify({
        Context: location,
        Events: [event([{ Location: location, PhysicalContext: 'PDU', Value: value }], { MessageId: 'CrayTelemetry.Energy' })],
      });
    const readings = readingsOf(await collect([energy('x3000m0p0', '2'), energy('x1000c0s0b0n0', '2'), BESIDE], { now: T0 + 60_000 }));
    expect(readings.get('pdu:x3000m0')).toMatchObject([{ last: 7.2e6, unit: 'J', part: 'p0/PDU' }]);
    expect(readings.get('node:x1000c0s0b0n0')).toMatchObject([{ last: 2, unit: 'J' }]);
  });

  it('puts sensors at what carries them', async () => {
    const at = (location: string, source: string) =>
      JSON.stringify(
        sensor({
          Location: location,
          TelemetrySource: source,
          PhysicalContext: 'ASIC',
          DeviceSpecificContext: null,
          ParentalContext: null,
          ParentalIndex: null,
        }),
      );
    const readings = readingsOf(
      await collect(
        [
          at('x3000c0r42b0', 'sC'),
          at('ros-0040a683cda1', 'sC'),
          at('x1000c0', 'cC'),
          at('X1000C0S00B0N1.hsn.cm.demo.test', 'nC'),
          at('d0', ''),
          at('x3000', ''),
        ],
        { now: T0 },
      ),
    );
    expect([...readings].map(([key, [reading]]) => [key, reading?.part])).toEqual([
      ['cdu:d0', 'ASIC3'],
      ['chassis:x1000c0', 'ASIC3'],
      ['node:x1000c0s00b0n1', 'ASIC3'],
      ['rack:x3000', 'ASIC3'],
      ['switch:ros-0040a683cda1', 'ASIC3'],
      ['switch:x3000c0r42', 'b0/ASIC3'],
    ]);
  });
});

describe('other formats', () => {
  const at = '2026-05-01T00:00:00.000Z';

  it.each<[string, string, JsonObject[]]>([
    [
      'HPCM named readings',
      `{"topic":"sensors_node","value":{"timestamp":${T0},"location":"x1000c0s0b0n0","name":"Inlet 2 Temp","units":"C","value":24}}`,
      [{ kind: 'temperature', metric: 'Inlet Temp', part: 'Inlet 2 Temp', unit: '°C', last: 24, at }],
    ],
    [
      'HPCM readings in other units',
      `{"timestamp":${T0},"location":"x1000c0s0b0n0","name":"Board","units":"degF","value":"86"}`,
      [{ kind: 'temperature', metric: 'Board', part: 'Board', unit: '°C', last: 30, at }],
    ],
    [
      'HPCM wide records',
      `{"topic":"pcm-monitoring","value":{"timestamp":${T0 / 1000},"host":"x1000c0s0b0n0","cpu_frequency":2450,"Inlet_Temperature":"23.5","note":"fine"}}`,
      [
        { kind: 'temperature', metric: 'Inlet_Temperature', part: 'Inlet_Temperature', unit: '°C', last: 23.5, at },
        { kind: 'frequency', metric: 'cpu_frequency', part: 'cpu_frequency', unit: 'Hz', last: 2.45e9, at },
      ],
    ],
    [
      'Telegraf, one metric',
      `{"fields":{"temp_input":61.25,"fan1_input":9840,"status":"ok","up":true},"name":"sensors","tags":{"host":"x1000c0s0b0n0","chip":"amdgpu"},"timestamp":${T0 / 1000}}`,
      [
        { kind: 'temperature', metric: 'sensors.temp_input', part: 'sensors.temp_input{chip=amdgpu}', unit: '°C', last: 61.25, at },
        { kind: 'fan', metric: 'sensors.fan1_input', part: 'sensors.fan1_input{chip=amdgpu}', unit: 'rpm', last: 9840, at },
      ],
    ],
    [
      'Telegraf batches',
      `{"metrics":[{"fields":{"usage_idle":92.4},"name":"cpu","tags":{"cpu":"cpu0","host":"x1000c0s0b0n0"},"timestamp":${T0 / 1000}}]}`,
      [{ kind: 'other', metric: 'cpu.usage_idle', part: 'cpu.usage_idle{cpu=cpu0}', unit: '', last: 92.4, at }],
    ],
    [
      'prometheus-kafka-adapter',
      '{"timestamp":"2026-05-01T00:00:00Z","value":"61.25","name":"node_hwmon_temp_celsius","labels":{"__name__":"node_hwmon_temp_celsius","instance":"x1000c0s0b0n0:9100","job":"node","sensor":"temp1"}}',
      [
        {
          kind: 'temperature',
          metric: 'node_hwmon_temp_celsius',
          part: 'node_hwmon_temp_celsius{sensor=temp1}',
          unit: '°C',
          last: 61.25,
          at,
        },
      ],
    ],
    [
      'OTLP',
      '{"resourceMetrics":[{"resource":{"attributes":[{"key":"host.name","value":{"stringValue":"x1000c0s0b0n0"}}]},"scopeMetrics":[{"metrics":[{"name":"hw.temperature","unit":"Cel","gauge":{"dataPoints":[{"attributes":[{"key":"hw.id","value":{"stringValue":"gpu3"}}],"timeUnixNano":"1777593600000000000","asDouble":61.25}]}},{"name":"hw.energy","unit":"J","sum":{"aggregationTemporality":2,"isMonotonic":true,"dataPoints":[{"timeUnixNano":"1777593600000000000","asInt":"9182736455"}]}}]}]}]}',
      [
        { kind: 'temperature', metric: 'hw.temperature', part: 'hw.temperature{hw.id=gpu3}', unit: '°C', last: 61.25, at },
        { kind: 'energy', metric: 'hw.energy', part: 'hw.energy', unit: 'J', last: 9182740000, at },
      ],
    ],
    [
      'line protocol',
      `ipmi,host=x1000c0s0b0n0,name=inlet\\ a temp=24.5,fan_rpm=9840i,state="ok",up=true ${T0}000000`,
      [
        { kind: 'temperature', metric: 'ipmi.temp', part: 'ipmi.temp{name=inlet a}', unit: '°C', last: 24.5, at },
        { kind: 'fan', metric: 'ipmi.fan_rpm', part: 'ipmi.fan_rpm{name=inlet a}', unit: 'rpm', last: 9840, at },
      ],
    ],
    [
      'Prometheus text',
      `# TYPE node_hwmon_temp_celsius gauge\nnode_hwmon_temp_celsius{chip="amdgpu",xname="x1000c0s0b0n0"} 61.25 ${T0}`,
      [
        {
          kind: 'temperature',
          metric: 'node_hwmon_temp_celsius',
          part: 'node_hwmon_temp_celsius{chip=amdgpu}',
          unit: '°C',
          last: 61.25,
          at,
        },
      ],
    ],
    [
      'quoted names of Prometheus 3',
      `{"hw.temperature.celsius", "hw.id"="gpu3", xname="x1000c0s0b0n0"} 61.25 ${T0}`,
      [{ kind: 'temperature', metric: 'hw.temperature.celsius', part: 'hw.temperature.celsius{hw.id=gpu3}', unit: '°C', last: 61.25, at }],
    ],
    [
      'OpenMetrics',
      `# TYPE rx counter\n# UNIT rx \nrx_total{xname="x1000c0s0b0n0"} 17.0 1777593600.0 # {trace_id="a"} 1.0 1777593599.5\nrx_created{xname="x1000c0s0b0n0"} 1777500000.0\n# EOF`,
      [{ kind: 'other', metric: 'rx_total', part: 'rx_total', unit: '', last: 17, at }],
    ],
    [
      'kcat captures of JSON',
      `{"topic":"pdu_power","partition":0,"offset":7,"tstype":"create","ts":${T0},"broker":1,"key":null,"payload":"{\\"location\\":\\"x1000c0s0b0n0\\",\\"power\\":4210,\\"timestamp\\":${T0}}"}`,
      [{ kind: 'power', metric: 'power', part: 'power', unit: 'W', last: 4210, at }],
    ],
    [
      'kcat captures of Prometheus text, by the time of the record',
      `{"topic":"metrics","partition":0,"offset":7,"tstype":"create","ts":${T0},"key":null,"payload":"# TYPE power_watts gauge\\npower_watts{xname=\\"x1000c0s0b0n0\\"} 4210\\n"}`,
      [{ kind: 'power', metric: 'power_watts', part: 'power_watts', unit: 'W', last: 4210, at }],
    ],
  ])('reads %s', async (_, text, readings) => {
    const collected = await takes(text);
    expect(only(collected)).toEqual(readings);
    expect(collected.coverage.rejected).toBe(0);
  });

  it('puts switch ports at their switch', async () => {
    const perf = `{"name":"Congestion","fields":{"txBW_local":18234567890},"tags":{"Switch":"x1000c0r1","Location":"x1000c0r1j100p0","Index":"0","SubIndex":"12"},"timestamp":${T0 / 1000}}`;
    const older =
      '{"fields":{"PhysicalContext":"Congestion.rxBW","Location":"x1000c0r1j100p0","Value":1234567,"Timestamp":"2026-05-01T00:00:00.580Z"}}';
    const counter = `{"name":"rfc3635","fields":{"IfHCInOctets":"18446744073709"},"tags":{"Switch":"x1000c0r1","Location":"x1000c0r1j100p0"},"timestamp":${T0 / 1000}}`;
    const readings = readingsOf(await collect([perf, older, counter], { now: T0 + 60_000 })).get('switch:x1000c0r1');
    expect(readings?.map(({ kind, part, last }) => [kind, part, last])).toEqual([
      ['fabric', 'j100p0/Congestion.rxBW', 1234570],
      ['fabric', 'j100p0/Congestion.txBW_local{Index=0,SubIndex=12,Switch=x1000c0r1}', 18234600000],
      ['fabric', 'j100p0/rfc3635.IfHCInOctets{Switch=x1000c0r1}', 18446700000000],
    ]);
  });

  it('leaves out what is no reading', async () => {
    const text = [
      '# TYPE d histogram',
      `d_bucket{le="0.1",xname="x1000c0s0b0n0"} 3 ${T0}`,
      `d_count{xname="x1000c0s0b0n0"} 3 ${T0}`,
      '# TYPE build info',
      `build_info{xname="x1000c0s0b0n0",version="1"} 1 ${T0}`,
    ].join('\n');
    const collected = await takes(text);
    expect(only(collected)?.map(({ metric }) => metric)).toEqual(['d_count']);
    expect(collected.summary['excluded']).toEqual({ notScalar: 2 });
  });

  it('counts a point of OTLP whose series has ended, and entries that are none', async () => {
    const point = { timeUnixNano: `${T0}000000`, attributes: [{ key: 'host.name', value: { stringValue: 'x1000c0s0b0n0' } }] };
    const gauge = { dataPoints: [{ ...point, asDouble: 0.5, flags: 1 }, { ...point, asDouble: 'NaN' }, 7] };
    const exponential = { dataPoints: [{ count: '3' }, { count: '4' }] };
    const metrics = [{ name: 'hw.temperature', unit: 'Cel', gauge }, { name: 'latency', exponentialHistogram: exponential }, 7];
    const collected = await takes(JSON.stringify({ resourceMetrics: [{ scopeMetrics: [{ metrics }, 7] }, 7] }));
    expect(only(collected)).toBeUndefined();
    expect(collected.summary['excluded']).toEqual({ malformed: 4, missing: 1, nonFinite: 1, notScalar: 2 });
  });

  it('counts an event that is none', async () => {
    expect((await takes('{"Context":"x1000c0s0b0n0","Events":[7,null]}')).summary['excluded']).toEqual({ malformed: 2 });
  });

  it('counts a capture without a payload as empty', async () => {
    const captures = [null, ''].map((payload) => JSON.stringify({ topic: 't', ts: T0, key: 'k', payload }));
    expect((await takes(captures.join('\n'))).summary['formats']).toEqual({ empty: 2, hpcm_flat: 1, kcat: 2 });
  });

  it('does not take the limits of a device for its readings', async () => {
    const collected = await takes(`node_hwmon_temp_crit_celsius{xname="x1000c0s0b0n0"} 120 ${T0}`);
    expect(only(collected)).toMatchObject([{ kind: 'limit', last: 120 }]);
    expect(collected.conditions).toEqual([]);
  });

  it('takes labels by any name for labels', async () => {
    const collected = await takes(
      `{"name":"cpu","fields":{"x":1},"tags":{"__proto__":"y","host":"x1000c0s0b0n0"},"timestamp":${T0 / 1000}}`,
    );
    expect(only(collected)).toMatchObject([{ part: 'cpu.x{__proto__=y}', last: 1 }]);
    expect(({} as Record<string, unknown>)['y']).toBeUndefined();
  });

  it('puts what names no subject at the cluster', async () => {
    const { facts } = await takes(`queue_depth{queue="a"} 3 ${T0}`);
    expect(facts?.map(({ subject }) => subject)).toContainEqual({ type: 'cluster', id: 'democluster' });
  });
});
