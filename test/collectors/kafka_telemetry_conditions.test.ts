import { describe, expect, it } from 'vitest';
import { kafkaTelemetry } from '../../lib/collectors/kafka_telemetry/index.ts';
import type { JsonObject } from '../../lib/model/json.ts';
import { ago, collect, flat, inputOf, inRow, kinds, kindsOf, NODE, NOW } from './telemetry-inputs.ts';

const GPU = { PhysicalContext: 'GPU', DeviceSpecificContext: 'GPU 0 Temp' };

describe('limits', () => {
  it('tell what, where, how much and against which limit', async () => {
    const { conditions } = await collect(inRow(NODE, 'Temperature', [60, 86, 91, 88], GPU));
    expect(conditions).toEqual([
      {
        kind: 'temperature_high',
        subject: { type: 'node', id: NODE },
        part: 'GPU0/GPU 0 Temp',
        severity: 'warning',
        message: `node ${NODE}: temperature of GPU0/GPU 0 Temp is 88 °C, at or over the warning limit of 85 °C since ${ago(20)}, highest 91 °C`,
        values: { value: 88, unit: '°C', limit: 85, peak: 91, samples: 3, sensor: 'GPU' },
        since: ago(20),
        lastSeen: ago(0),
        count: 3,
        place: { rack: 'x1000', chassis: 'x1000c0', slot: 'x1000c0s0', board: 'x1000c0s0b0' },
      },
    ]);
  });

  it('hold for a sensor that is read less often than windows are', async () => {
    const other = (time: number) => flat('x1000c0s7b0n0', 'Current', 1, time);
    let carry: unknown;
    const told: string[][] = [];
    for (const [step, value] of [60, undefined, 96, undefined, 97].entries()) {
      const now = NOW + step * 300_000;
      const lines = [other(now), ...(value === undefined ? [] : [flat(NODE, 'Temperature', value, now, GPU)])];
      const made = await collect(lines, { now, options: { stale_after: '1h' }, ...(carry !== undefined && { carry }) });
      carry = made.carry;
      told.push(kindsOf(made));
    }
    expect(told).toEqual([[], [], [], [], [`temperature_high ${NODE} critical`]]);
  });

  it.each<[string, string[], string[]]>([
    ['a critical one', inRow(NODE, 'Temperature', [96, 97], GPU), [`temperature_high ${NODE} critical`]],
    ['the only reading there is', inRow(NODE, 'Temperature', [96], GPU), [`temperature_high ${NODE} critical`]],
    ['a single spike', inRow(NODE, 'Temperature', [60, 99, 60], GPU), []],
    ['a last reading that is yet to be confirmed', inRow(NODE, 'Temperature', [60, 60, 99], GPU), []],
    [
      'a value between the limit and its hysteresis',
      inRow(NODE, 'Temperature', [86, 86, 83, 83], GPU),
      [`temperature_high ${NODE} warning`],
    ],
    ['a value that came back', inRow(NODE, 'Temperature', [96, 96, 81, 81], GPU), []],
    [
      'a value that came back from critical to warning',
      inRow(NODE, 'Temperature', [96, 96, 91, 91], GPU),
      [`temperature_high ${NODE} warning`],
    ],
    [
      'a coolant supply',
      inRow('x1000c0', 'Temperature', [33, 33], { PhysicalContext: 'LiquidInlet' }),
      ['temperature_high x1000c0 warning'],
    ],
    ['a processor that may be as warm', inRow(NODE, 'Temperature', [60, 60]), []],
    ['the power of a node', inRow(NODE, 'Power', [2700, 2700]), [`power_high ${NODE} warning`]],
    ['the power of a cabinet', inRow('x1000', 'Power', [401e3, 401e3]), ['power_high x1000 critical']],
    ['dry air', inRow('x1000c0', 'Humidity', [15, 15]), ['humidity_off x1000c0 warning']],
    ['wet air', inRow('x1000c0', 'Humidity', [95, 95]), ['humidity_off x1000c0 critical']],
    [
      'a value in another unit, once converted',
      [`{"timestamp":${NOW},"location":"${NODE}","name":"GPU Temp","units":"F","value":140}`],
      [],
    ],
  ])('judge %s', async (_, lines, expected) => {
    expect(await kinds(lines)).toEqual(expected);
  });

  it('hold on from window to window, and let go with two good readings', async () => {
    const at = (value: number, minutes: number) => flat(NODE, 'Temperature', value, NOW + minutes * 60_000, GPU);
    const run = (lines: string[], minutes: number, carry: unknown) => collect(lines, { carry, now: NOW + minutes * 60_000 });
    const first = await collect(inRow(NODE, 'Temperature', [96, 96], GPU));
    const held = await run([at(90, 5)], 5, first.carry);
    expect(held.conditions).toMatchObject([{ severity: 'critical', since: ago(10), count: 3, values: { value: 90, peak: 96 } }]);
    const one = await run([at(70, 10)], 10, held.carry);
    expect(kindsOf(one)).toEqual([`temperature_high ${NODE} warning`]);
    const two = await run([at(70, 15)], 15, one.carry);
    expect(kindsOf(two)).toEqual([]);
    // One bad reading a window confirms the one before.
    const again = await run([at(96, 20)], 20, two.carry);
    expect(kindsOf(again)).toEqual([]);
    const confirmed = await run([at(97, 25)], 25, again.carry);
    expect(confirmed.conditions).toMatchObject([{ severity: 'critical', since: new Date(NOW + 20 * 60_000).toISOString(), count: 2 }]);
  });

  it('stand while their sensor is silent, and say so', async () => {
    const first = await collect(inRow(NODE, 'Temperature', [96, 96], GPU));
    const later = NOW + 3_000_000;
    const { conditions } = await collect([flat(NODE, 'Power', 900, later), flat(NODE, 'Power', 900, later - 1000)], {
      carry: first.carry,
      now: later,
    });
    expect(conditions.map(({ kind }) => kind)).toEqual(['sensor_stale', 'temperature_high']);
    expect(conditions[1]).toMatchObject({
      severity: 'critical',
      lastSeen: ago(0),
      message: expect.stringContaining(`no reading since ${ago(0)}`),
    });
  });

  it("are a site's own where it gives some", async () => {
    const lines = inRow(NODE, 'Temperature', [80, 80], GPU);
    const limits = (rows: JsonObject[]) => ({ rules: { temperature_high: { limits: rows } } });
    expect(await kinds(lines, limits([{ match: ['gpu'], unit: '°C', high: { warning: 75, critical: 90 }, hysteresis: 2 }]))).toEqual([
      `temperature_high ${NODE} warning`,
    ]);
    expect(await kinds(lines, limits([{ match: ['gpu'], subjects: ['switch'], high: { warning: 75 } }]))).toEqual([]);
    expect(await kinds(inRow(NODE, 'Temperature', [99, 99], GPU), limits([{ match: ['gpu'] }]))).toEqual([]);
    expect(await kinds(inRow(NODE, 'Temperature', [99, 99], GPU), limits([{ except: ['gpu'], high: { warning: 200 } }]))).toEqual([
      `temperature_high ${NODE} critical`,
    ]);
  });

  it('are ours where a site gives what is none, which is said', async () => {
    const { conditions, coverage } = await collect(inRow(NODE, 'Temperature', [99, 99], GPU), {
      rules: { temperature_high: { limits: [{ high: 'hot' }] } },
    });
    expect(conditions).toHaveLength(1);
    expect(coverage.problems).toEqual([{ effect: 'note', message: expect.stringContaining('rules.temperature_high.limits: 0.high') }]);
  });
});

describe('shares of what others show', () => {
  const fan = (i: number, rpm: number, location = NODE) => inRow(location, 'Rotational', [rpm, rpm], { PhysicalContext: 'Fan', Index: i });

  it('find a fan that is far slower than the others of its subject', async () => {
    const { conditions } = await collect([...fan(0, 9000), ...fan(1, 9100), ...fan(2, 1200), ...fan(3, 9200)]);
    expect(conditions).toMatchObject([
      { kind: 'fan_low', part: 'Fan2', severity: 'warning', values: { value: 1200, limit: 1820, reference: 9100 } },
    ]);
    expect(conditions[0]?.message).toContain('at or under the warning limit of 20 % of the 9100 rpm that its siblings show');
  });

  it('leave fans alone that all stand, or that have no siblings', async () => {
    expect(await kinds([...fan(0, 0), ...fan(1, 0), ...fan(2, 0)])).toEqual([]);
    expect(await kinds([...fan(0, 9000), ...fan(1, 0)])).toEqual([]);
  });

  const rail = (node: number, volts: number[]) => inRow(`x1000c0s${node}b0n0`, 'Voltage', volts, { PhysicalContext: 'PowerSupply' });

  it('find a rail off the same rail of its peers, but none that is switched off or set by load', async () => {
    const good = [0, 1, 2, 3].flatMap((i) => rail(i, [12, 12.1]));
    expect(await kinds([...good, ...rail(4, [10.6, 10.6])])).toEqual(['voltage_off x1000c0s4b0n0 warning']);
    expect(await kinds([...good, ...rail(4, [14.6, 14.6])])).toEqual(['voltage_off x1000c0s4b0n0 critical']);
    expect(await kinds([...good, ...rail(4, [0.1, 0.1])])).toEqual([]);
    const core = [0, 1, 2, 3].flatMap((i) => rail(i, [0.9, 0.9]));
    expect(await kinds([...core, ...rail(4, [0.6, 0.6])])).toEqual([]);
  });

  it('find flow and pressure that fall below what they usually are', async () => {
    const flow = (values: number[], end = 0) => inRow('x1000c0', 'LiquidFlow', values, { PhysicalContext: 'CoolingSubsystem' }, end);
    const falls = await collect(flow([310, 311, 309, 310, 310, 240, 240]));
    expect(falls.conditions).toMatchObject([{ kind: 'flow_low', severity: 'warning', values: { reference: 310, limit: 248 } }]);
    const first = await collect(flow([310, 311, 309, 310], 600), { now: NOW - 600_000 });
    const second = await collect(flow([140, 141]), { carry: first.carry });
    expect(kindsOf(second)).toEqual(['flow_low x1000c0 critical']);
    // What it shows while it is low does not become what it usually shows.
    const third = await collect([flat('x1000c0', 'LiquidFlow', 140, NOW + 60_000, { PhysicalContext: 'CoolingSubsystem' })], {
      carry: second.carry,
      now: NOW + 60_000,
    });
    expect(third.conditions).toMatchObject([{ values: { reference: 310 } }]);
    const pressure = inRow('d0', 'Pressure', [4, 4, 4, 4, 4, 5.2, 5.2], { PhysicalContext: 'CoolingSubsystem' });
    expect(await kinds(pressure)).toEqual(['pressure_off d0 warning']);
  });
});

describe('supplies', () => {
  const pdu = (name: string, values: number[], end = 0, part = 'PDU') => inRow(name, 'Power', values, { PhysicalContext: part }, end);

  it('that lose their load within the window are found, with the time', async () => {
    const { conditions } = await collect([...pdu('x1002m0', [4200, 4210, 0, 0]), ...pdu('x1002m1', [4200, 4100, 7000, 7000])]);
    expect(conditions).toEqual([
      {
        kind: 'power_lost',
        subject: { type: 'pdu', id: 'x1002m0' },
        part: 'PDU0',
        message: `pdu x1002m0: PDU0 shows 0 W since ${ago(10)}; it carried 4210 W before`,
        values: { value: 0, unit: 'W', had: 4210 },
        since: ago(10),
        lastSeen: ago(0),
        place: { rack: 'x1002', pdu: 'x1002m0' },
      },
    ]);
  });

  it('are found at first sight by their twin in the rack', async () => {
    const { conditions } = await collect([...pdu('x1002m0', [0, 0]), ...pdu('x1002m1', [7000, 7000])]);
    expect(conditions).toMatchObject([{ kind: 'power_lost', subject: { id: 'x1002m0' }, values: { twin: 'x1002m1' } }]);
    expect(conditions[0]?.message).toContain('x1002m1 carries 7000 W');
    expect(await kinds([...pdu('x1002m0', [0, 0]), ...pdu('x1001m1', [7000, 7000])])).toEqual([]);
  });

  it('that had a load in an earlier run stay lost', async () => {
    const first = await collect(pdu('x1002m0', [4000, 4100, 4200, 4100], 600), { now: NOW - 600_000 });
    const second = await collect(pdu('x1002m0', [0, 0]), { carry: first.carry });
    expect(kindsOf(second)).toEqual(['power_lost x1002m0']);
    const third = await collect([flat('x1002m0', 'Power', 0, NOW + 300_000, { PhysicalContext: 'PDU' })], {
      carry: second.carry,
      now: NOW + 300_000,
    });
    expect(kindsOf(third)).toEqual(['power_lost x1002m0']);
    const back = await collect([flat('x1002m0', 'Power', 4100, NOW + 400_000, { PhysicalContext: 'PDU' })], {
      carry: third.carry,
      now: NOW + 400_000,
    });
    expect(kindsOf(back)).toEqual([]);
  });

  it('that are sampled seldom are known by their second window', async () => {
    const windows = [1800, 1200, 600].map((before, i) => ({ now: NOW - before * 1000, values: i === 2 ? [0, 0] : [4000, 4100], before }));
    let carry: unknown;
    let last: string[] = [];
    for (const { now, values, before } of windows) {
      const made = await collect(pdu('x1002m0', values, before), { now, ...(carry !== undefined && { carry }) });
      carry = made.carry;
      last = kindsOf(made);
    }
    expect(last).toEqual(['power_lost x1002m0']);
  });

  it('that were seen in a single window, a day ago, are known by it', async () => {
    const first = await collect(pdu('x1002m0', [4000, 4100], 86_400), { now: NOW - 86_400_000 });
    const second = await collect(pdu('x1002m0', [0, 0]), { carry: first.carry });
    expect(kindsOf(second)).toEqual(['power_lost x1002m0']);
  });

  it('are not told of one zero, of outlets, or of nodes that are off', async () => {
    expect(await kinds(pdu('x1002m0', [4200, 4200, 0]))).toEqual([]);
    const once = await collect(pdu('x1002m0', [4200, 4200, 0]));
    expect(await kinds(pdu('x1002m0', [4200, 4200, 0]), { carry: once.carry })).toEqual([]);
    expect(await kinds(pdu('x1002m0p0j3', [200, 200, 0, 0], 0, 'Outlet'))).toEqual([]);
    expect(await kinds(inRow(NODE, 'Power', [1500, 1500, 0, 0]))).toEqual([]);
  });
});

describe('siblings', () => {
  const inlet = (slot: number, value: number, chassis = 'x1000c0') =>
    inRow(`${chassis}s${slot}b0`, 'Temperature', [value, value], { PhysicalContext: 'Intake' });

  it('show a sensor that is far off, within its chassis', async () => {
    const lines = [0, 1, 2, 3, 4].flatMap((slot) => [...inlet(slot, slot === 3 ? 12 : 24), ...inlet(slot, 12, 'x1000c1')]);
    const { conditions } = await collect(lines);
    expect(conditions).toMatchObject([
      {
        kind: 'sensor_outlier',
        subject: { type: 'bmc', id: 'x1000c0s3b0' },
        part: 'temperature Intake0',
        message:
          'bmc x1000c0s3b0: temperature of Intake0 is 12 °C on average, 12 °C under the median 24 °C of 4 siblings in chassis x1000c0 (allowed 10 °C)',
        values: { mean: 12, median: 24, off: -12, siblings: 4 },
      },
    ]);
  });

  it('are compared under like load only', async () => {
    const node = (i: number, celsius: number, watts: number) => [
      ...inRow(`x1000c0s${i}b0n0`, 'Temperature', [celsius, celsius]),
      ...inRow(`x1000c0s${i}b0n0`, 'Power', [watts, watts], { PhysicalContext: 'VoltageRegulator' }),
    ];
    const idle = [0, 1, 2, 3].flatMap((i) => node(i, 35, 400));
    expect(await kinds([...idle, ...node(4, 70, 1800)])).toEqual([]);
    expect(await kinds([...idle, ...node(4, 70, 405)])).toEqual(['sensor_outlier x1000c0s4b0n0']);
  });

  it('are too few to tell', async () => {
    expect(await kinds([0, 1, 2].flatMap((slot) => inlet(slot, slot === 2 ? 12 : 24)))).toEqual([]);
  });

  it('do not repeat what a limit tells', async () => {
    expect(await kinds([0, 1, 2, 3, 4].flatMap((slot) => inlet(slot, slot === 3 ? 34 : 22)))).toEqual([
      'temperature_high x1000c0s3b0 warning',
    ]);
  });
});

describe('events', () => {
  const event = (seconds: number, more: JsonObject = {}, context = 'x1000c0s1b0') =>
    JSON.stringify({
      Context: context,
      Events: [
        {
          EventTimestamp: ago(seconds),
          Severity: 'Critical',
          Message: 'Power supply 2 failed',
          MessageId: 'CrayAlerts.1.0.PowerSupplyFailed',
          OriginOfCondition: { '@odata.id': '/redfish/v1/Chassis/Enclosure/PowerSupplies/2' },
          ...more,
        },
      ],
    });

  it('stand as conditions, counted, with their words as evidence', async () => {
    const { conditions, summary } = await collect([
      event(60),
      event(120),
      event(120),
      event(30, { Severity: 'OK', MessageId: 'X.1.0.Other' }),
    ]);
    expect(conditions).toEqual([
      {
        kind: 'hardware_event',
        subject: { type: 'bmc', id: 'x1000c0s1b0' },
        part: 'PowerSupplyFailed/PowerSupplies/2',
        severity: 'critical',
        message: `bmc x1000c0s1b0: Power supply 2 failed (2 times), last at ${ago(60)}`,
        values: { message: 'Power supply 2 failed', events: 2 },
        since: ago(120),
        lastSeen: ago(60),
        count: 2,
        evidence: [{ quote: 'Power supply 2 failed' }],
        place: { rack: 'x1000', chassis: 'x1000c0', slot: 'x1000c0s1', board: 'x1000c0s1b0' },
      },
    ]);
    expect(summary).toMatchObject({ events: { Critical: 2, OK: 1 }, excluded: { duplicate: 1 } });
  });

  it('are a warning where they say so, and nothing where they say that all is well', async () => {
    expect(await kinds([event(60, { Severity: 'Warning' })])).toEqual(['hardware_event x1000c0s1b0 warning']);
    expect(await kinds([event(60, { Severity: 'OK' })])).toEqual([]);
    expect(await kinds([event(60, { Severity: '' })])).toEqual([]);
  });

  it('about leaks are critical, and end with a word that says so', async () => {
    const leak = {
      MessageId: 'CrayAlerts.1.0.LeakDetected',
      Message: 'Leak detected',
      OriginOfCondition: '/redfish/v1/Chassis/Enclosure',
      Severity: 'Warning',
    };
    const first = await collect([event(60, leak)]);
    expect(first.conditions).toMatchObject([{ kind: 'leak_detected', severity: 'critical', part: 'Chassis/Enclosure' }]);
    const cleared = await collect([event(-60, { ...leak, MessageId: 'CrayAlerts.1.0.LeakCleared', Message: 'Leak sensor dry' })], {
      carry: first.carry,
      now: NOW + 60_000,
    });
    expect(cleared.conditions).toEqual([]);
    expect(cleared.cleared).toEqual([
      {
        kind: 'leak_detected',
        subject: { type: 'bmc', id: 'x1000c0s1b0' },
        part: 'Chassis/Enclosure',
        by: 'line',
        at: new Date(NOW + 60_000).toISOString(),
      },
    ]);
  });

  it('stand for a day after they were last seen', async () => {
    const first = await collect([event(60)]);
    const beat = (hours: number) => flat(NODE, 'Power', 50, NOW + hours * 36e5);
    const second = await collect([beat(23)], { carry: first.carry, now: NOW + 23 * 36e5 });
    expect(second.conditions).toMatchObject([{ kind: 'hardware_event', lastSeen: ago(60), count: 1 }]);
    const third = await collect([beat(25)], { carry: second.carry, now: NOW + 25 * 36e5 });
    expect(third.conditions).toEqual([]);
    expect(third.cleared).toMatchObject([{ kind: 'hardware_event', by: 'expiry' }]);
  });

  it('count once though their window is read again', async () => {
    const first = await collect([event(60)]);
    const again = await collect([event(60)], { carry: first.carry, now: NOW + 300_000 });
    expect(again.conditions).toEqual(first.conditions);
  });

  it('that come late, from a topic that lags behind, are news all the same', async () => {
    const first = await collect([flat(NODE, 'Power', 50, ago(0))]);
    const second = await collect([event(60), flat(NODE, 'Power', 50, NOW + 60_000)], { carry: first.carry, now: NOW + 60_000 });
    expect(kindsOf(second)).toEqual(['hardware_event x1000c0s1b0 critical']);
    const third = await collect([event(60), flat(NODE, 'Power', 50, NOW + 120_000)], { carry: second.carry, now: NOW + 120_000 });
    expect(third.conditions).toEqual(second.conditions);
    expect(third.summary['excluded']).toEqual({ covered: 1 });
  });

  it('of trouble are not lost in a storm of others', async () => {
    const storm = Array.from({ length: 20_500 }, (_, i) =>
      event(i / 10, { Severity: 'OK', MessageId: `A.1.0.Info${i}`, Message: 'x', OriginOfCondition: '' }),
    );
    const { conditions, coverage } = await collect([...storm, event(60)]);
    expect(conditions).toMatchObject([{ kind: 'hardware_event' }]);
    expect(coverage.problems).toEqual([]);
  });

  it('that are too many to stand go by severity, the same when read again', async () => {
    const warnings = Array.from({ length: 2001 }, (_, i) => event(600 - i / 10, { Severity: 'Warning', MessageId: `A.1.0.Fault${i}` }));
    const lines = [...warnings, event(1)];
    const first = await collect(lines);
    expect(first.conditions.length).toBe(2000);
    expect(first.conditions.filter(({ severity }) => severity === 'critical').length).toBe(1);
    expect(first.coverage.problems).toMatchObject([{ effect: 'input', message: '2 hardware events were too many to keep' }]);
    const again = await collect(lines, { carry: first.carry });
    expect(again.conditions).toEqual(first.conditions);
    expect(again.carry).toEqual(first.carry);
  });

  it('come without a place, or with hostile words', async () => {
    const { conditions } = await collect([event(60, { Message: 'a\nb\u0007\u202e', OriginOfCondition: 'x\u0000y' }, '')]);
    expect(conditions).toMatchObject([
      {
        subject: { type: 'cluster', id: 'democluster' },
        part: 'PowerSupplyFailed/x\\x00y',
        message: expect.stringContaining('a\\nb\\x07\\u{202e}'),
      },
    ]);
  });
});

it('takes a leak sensor for what it is, wet and dry', async () => {
  const rope = (value: number, seconds: number) =>
    `{"timestamp":"${ago(seconds)}","location":"d0","name":"Leak Rope 1","units":"","value":${value}}`;
  const wet = await collect([rope(0, 30), rope(1, 20), rope(1, 10)]);
  expect(wet.conditions).toMatchObject([
    { kind: 'leak_detected', subject: { type: 'cdu', id: 'd0' }, part: 'Leak Rope 1', severity: 'critical', since: ago(20) },
  ]);
  const dry = await collect([rope(0, -60), rope(0, -120)], { carry: wet.carry, now: NOW + 120_000 });
  expect(dry.conditions).toEqual([]);
  expect(dry.cleared).toMatchObject([{ kind: 'leak_detected', subject: { id: 'd0' }, part: 'Leak Rope 1', by: 'line' }]);
});

it('declares each of its kinds with a part, a hint and where it comes from', () => {
  for (const { kind, part, hint, provenance } of kafkaTelemetry.kinds) {
    expect([kind, part?.length ?? 0]).not.toEqual([kind, 0]);
    expect(hint.length).toBeGreaterThan(40);
    expect(provenance).not.toBe('');
  }
});

it('names in the summary whose readings failed', async () => {
  const { summary } = await collect([
    inputOf('a', [...inRow(NODE, 'Temperature', [255, 255]), ...inRow('x1000c0s1b0n0', 'Temperature', [50, 50])].join('\n')),
  ]);
  expect(summary).toMatchObject({ excluded: { sentinel: 2 }, notes: { failed_readings: NODE } });
});
