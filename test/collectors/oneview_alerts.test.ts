import { describe, expect, it } from 'vitest';
import { oneviewAlerts } from '../../lib/collectors/oneview_alerts/index.ts';
import type { Collected, CollectContext, Input } from '../../lib/model/collector.ts';
import type { JsonObject } from '../../lib/model/json.ts';
import { conditionId } from '../../lib/model/identity.ts';
import { alert, brokenInput, context, fixtures, input, on, page } from './oneview-inputs.ts';

type Result = Collected<unknown>;

function collect(inputs: Input[], extra: Partial<CollectContext<unknown, unknown>> & { options?: JsonObject } = {}): Promise<Result> {
  const { options = {}, ...more } = extra;
  return oneviewAlerts.collect(inputs, context(oneviewAlerts.options.parse(options), more));
}

const cleared = { alertState: 'Cleared', clearedTime: '2026-11-30T08:30:00.000Z' };

function of(...members: JsonObject[]): Promise<Result> {
  return collect([input('alerts.json', page('alerts', members))]);
}

function found(result: Result): string[] {
  return result.conditions.map((c) => `${c.severity ?? 'warning'} ${c.kind} ${c.subject.type} ${c.subject.id}`).sort();
}

async function partOf(over: JsonObject): Promise<string | undefined> {
  return (await of(alert(1, over))).conditions[0]?.part;
}

describe('the bundled days', () => {
  it('have nothing open on the healthy one', async () => {
    const result = await collect(fixtures('healthy', 'alerts'));
    expect(result.conditions).toEqual([]);
    expect(result.coverage).toMatchObject({ records: 6, rejected: 0, problems: [], observed: { node: 'all' } });
  });

  it('tell the stories of the faulty one', async () => {
    const result = await collect(fixtures('faulty', 'alerts'));
    expect(result.coverage).toMatchObject({ records: 40, rejected: 0, problems: [] });
    const stories = new Map<string, number>();
    for (const c of result.conditions) {
      const story = `${c.severity} ${c.kind} ${c.part}`;
      stories.set(story, (stories.get(story) ?? 0) + 1);
    }
    expect(Object.fromEntries(stories)).toEqual({
      'critical hw_power Trap.cpqHe4FltTolPowerSupplyACpowerloss power supply 1': 4,
      'critical hw_power Trap.cpqHe4FltTolPowerSupplyACpowerloss power supply 2': 4,
      'warning hw_power Trap.cpqHe3FltTolPowerRedundancyLost': 20,
      'warning hw_fan Trap.cpqHe3FltTolFanDegraded fan 4': 1,
      'warning hw_disk Trap.cpqDa7PhyDrvStatusChange port 1i box 1 bay 2': 1,
    });
    expect(result.conditions.find((c) => c.kind === 'hw_disk')).toMatchObject({
      subject: { type: 'node', id: 'leader2' },
      message: 'leader2: The physical drive in port 1I box 1 bay 2 reports a predictive failure. [Warning, predictive, Locked]',
      since: '2026-11-29T03:10:27.332Z',
    });
    expect(result.summary).toMatchObject({
      critical: { count: 4, names: 'x1002c0s5b[0-1]n[0-1]' },
      open: { roots: 30, below: 4 },
      locked: { count: 1, over: '1d', long: { names: 'leader2' } },
      predictive: { names: 'leader2' },
    });
  });
});

describe('an alert is open', () => {
  it.each<[string, JsonObject, string[]]>([
    ['when it is Active', {}, ['warning hw_fan node n1']],
    ['when it is Locked, which counts toward health as well', { alertState: 'Locked', severity: 'Critical' }, ['critical hw_fan node n1']],
    [
      'when it is locked again after it was cleared',
      { alertState: 'Locked', clearedTime: '2026-11-29T00:00:00.000Z' },
      ['warning hw_fan node n1'],
    ],
    ['in a state that OneView did not have so far', { alertState: 'Postponed' }, ['warning hw_fan node n1']],
    ['but not when it is Cleared', cleared, []],
    ['nor in the state OK', { alertState: 'OK' }, []],
    ['but is no condition when it says that something went well', { severity: 'OK' }, []],
    ['and informs when OneView cannot rate it', { severity: 'Unknown' }, ['info hw_fan node n1']],
  ])('%s', async (_, over, expected) => {
    expect(found(await of(alert(1, over)))).toEqual(expected);
  });
});

describe('the subject of an alert', () => {
  it.each<[string, JsonObject | null, string]>([
    ['the server by its name, without domain and in lower case', on('N7.hsn.cm.demo.test'), 'node n7'],
    ['a blade', on('0000A66101, bay 3'), 'node 0000a66101, bay 3'],
    ['the server by its UUID, where it has no name', on('', '/rest/server-hardware/ABCD-1'), 'node abcd-1'],
    ['the category in the URI, where none is given', { resourceName: 'n7', resourceUri: '/rest/server-hardware/1' }, 'node n7'],
    ['an enclosure', on('0000A66101', '/rest/enclosures/1', 'enclosures'), 'enclosure 0000A66101'],
    ['a PDU', on('X1002M0', '/rest/power-devices/1', 'power-devices'), 'pdu x1002m0'],
    [
      'an interconnect',
      on('0000A66101, interconnect 3', '/rest/sas-interconnects/1', 'sas-interconnects'),
      'interconnect 0000A66101, interconnect 3',
    ],
    ['some other resource', on('net-1', '/rest/ethernet-networks/1', 'ethernet-networks'), 'resource net-1'],
    ['the appliance, where there is none', null, 'appliance oneview'],
    [
      'the appliance, where the UUID is all zeros',
      on(null, '/rest/server-hardware/00000000-0000-0000-0000-000000000000'),
      'appliance oneview',
    ],
  ])('is %s', async (_, associatedResource, expected) => {
    expect(found(await of(alert(1, { associatedResource })))).toEqual([`warning hw_fan ${expected}`]);
  });

  it('stands where its name tells', async () => {
    const result = await of(
      alert(1, { associatedResource: on('0000A66101, bay 3') }),
      alert(2, { associatedResource: on('x1002c0s5b0n0') }),
    );
    expect(result.conditions.map((c) => c.place)).toEqual([
      { enclosure: '0000A66101' },
      { rack: 'x1002', chassis: 'x1002c0', slot: 'x1002c0s5', board: 'x1002c0s5b0' },
    ]);
  });

  it('with a name that is none is a refused record', async () => {
    const result = await of(alert(1), alert(2, { associatedResource: on('bad\u0000name') }));
    expect(found(result)).toEqual(['warning hw_fan node n1']);
    expect(result.coverage).toMatchObject({
      records: 2,
      rejected: 1,
      problems: [{ effect: 'record', input: 'alerts.json', place: '/members/1' }],
    });
  });
});

describe('the kind of an alert', () => {
  const text = (description: string): [string | null, string | null, string] => [null, 'ServerBlade', description];
  it.each<[string, [string | null, string | null, string]]>([
    ['hw_power', ['Trap.cpqHe4FltTolPowerSupplyFailed', 'POWER', 'Power supply 2 has failed.']],
    ['hw_power', ['Trap.cpqHe3FltTolPowerRedundancyLost', null, '']],
    ['hw_fan', ['Trap.cpqHe3FltTolFanRedundancyLost', 'None', '']],
    ['hw_memory', ['Trap.cpqHe5CorrMemReplaceMemModule', 'ServerBlade', 'Processor 1 DIMM 4 has a high rate of corrected errors.']],
    ['hw_memory', ['Trap.cpqHeResilientMemMirroredMemoryEngaged', null, '']],
    ['hw_disk', ['Trap.cpqDa7PhyDrvStatusChange', 'None', '']],
    ['hw_disk', ['Trap.cpqDaPhyDrvSSDWearStatusChange', null, '']],
    ['hw_disk', ['Trap.cpqDa6AccelBatteryFailed', null, '']],
    ['hw_disk', ['Trap.cpqSePCIeDiskWearStatusChange', null, '']],
    ['hw_disk', [null, 'sas-interconnects', 'The interconnect is degraded.']],
    ['hw_processor', [null, 'PROCESSOR', 'The processor has failed.']],
    ['hw_power', ['Trap.cpqHe4FltTolPowerSupplyACpowerloss', null, '']],
    ['hw_fan', ['Trap.cpqHe3FltTolFanRemoved', null, '']],
    ['hw_disk', ['Trap.cpqDa6LogDrvStatusChange', null, '']],
    ['hw_thermal', ['Trap.cpqHeThermalTempDegraded', null, '']],
    ['hw_network', ['Trap.cpqNicConnectivityLost', null, '']],
    ['hw_management', ['Trap.cpqSm2UnauthorizedLoginAttempts', 'Security', '']],
    ['hw_management', ['Backup', 'backups', 'The backup has not been done.']],
    ['hw_management', text('The embedded flash device on the server has failed the iLO diagnostic self-test.')],
    ['hw_power', text('Input power has been lost.')],
    ['hw_memory', text('DIMM 4 of processor 1 is degraded.')],
    ['hw_alert', ['Trap.cpqHeSysBatteryFailed', 'BIOS', 'Something new has happened.']],
    ['hw_alert', [null, null, 'The name of {"name":"ilo-fan-power","uri":"/rest/server-hardware/1"} has changed.']],
  ])('is %s for %j', async (kind, [alertTypeID, healthCategory, description]) => {
    expect((await of(alert(1, { alertTypeID, healthCategory, description }))).conditions.map((c) => c.kind)).toEqual([kind]);
  });

  it('marks drives that will fail and processors that failed their self-test', async () => {
    const result = await of(
      alert(1, {
        alertTypeID: 'Trap.cpqDa7PhyDrvStatusChange',
        healthCategory: 'None',
        description: 'The drive in bay 4 reports predictive failure.',
      }),
      alert(2, {
        alertTypeID: null,
        healthCategory: 'ServerBlade',
        alertState: 'Locked',
        description: 'The embedded flash device has failed the iLO diagnostic self-test.',
      }),
    );
    expect(result.conditions[0]?.values).toMatchObject({ predictive: true });
    expect(result.conditions[1]?.values).toMatchObject({ self_test: true, locked: true });
    expect(result.summary).toMatchObject({ predictive: { names: 'n1' }, self_test: { names: 'n2' } });
  });
});

describe('the part of an alert', () => {
  it.each<[string, JsonObject, JsonObject]>([
    [
      'measured values',
      { description: 'Inlet temperature is 41.5C at sensor 3.' },
      { description: 'Inlet temperature is 43C at sensor 3.' },
    ],
    [
      'times and addresses',
      { description: 'No answer from 10.1.2.3 since 2026-11-30T08:12:00Z.' },
      { description: 'No answer from 10.1.2.77 since 2026-12-01T11:00:09Z.' },
    ],
    ['a share that stands where an ordinal would', { description: 'Processor 85 % busy.' }, { description: 'Processor 90 % busy.' }],
    ['links', { description: 'Lost {"name":"a 1","uri":"/rest/x/1"}.' }, { description: 'Lost {"uri":"/rest/x/2", "name":"b\\"2"}.' }],
    [
      'UUIDs',
      { description: 'Volume 0a1b2c3d-0000-4000-8000-0000000000aa is gone.' },
      { description: 'Volume ffff2c3d-0000-4000-8000-0000000000ab is gone.' },
    ],
    ['line breaks', { description: 'One.\nTwo.' }, { description: 'One. Two.' }],
  ])('ignores %s', async (_, a, b) => {
    expect(await partOf({ alertTypeID: null, ...a })).toBe(await partOf({ alertTypeID: null, ...b }));
  });

  it.each([
    ['Power supply 1 has failed.', 'Power supply 2 has failed.'],
    ['Fan 3 is at 80 %.', 'Fan 4 is at 80 %.'],
    ['The drive in port 1I box 1 bay 2 has failed.', 'The drive in port 1I box 1 bay 3 has failed.'],
    ['Drive 1I:1:4 has failed.', 'Drive 1I:1:5 has failed.'],
    ['Processor 1 DIMM 4 has failed.', 'Processor 2 DIMM 4 has failed.'],
    ['DIMM A1 has failed.', 'DIMM B1 has failed.'],
  ])('tells apart components: %s', async (a, b) => {
    for (const alertTypeID of [null, 'Trap.cpqX']) {
      expect(await partOf({ alertTypeID, description: a })).not.toBe(await partOf({ alertTypeID, description: b }));
    }
  });

  it('is the alert’s type with the component, whatever else the text says', async () => {
    expect(await partOf({ description: 'Fan 2 runs at 20 % since 08:00.' })).toBe('Trap.cpqHe3FltTolFanDegraded fan 2');
    expect(await partOf({ description: 'The fans are not redundant.' })).toBe('Trap.cpqHe3FltTolFanDegraded');
  });

  it.each<[string, JsonObject]>([
    ['no text', { alertTypeID: null, description: null }],
    ['an empty text', { alertTypeID: '', description: '' }],
    ['a very long text', { alertTypeID: null, description: 'wörter '.repeat(5000) }],
    ['controls in it', { alertTypeID: 'Trap.\u0007x', description: '\u0000' }],
    ['nothing but a prefix', { alertTypeID: 'Events-TrapStorm.', description: 'x' }],
  ])('can be made from %s', async (_, over) => {
    const [condition] = (await of(alert(1, over))).conditions;
    expect(new TextEncoder().encode(condition?.part).length).toBeLessThanOrEqual(200);
    expect(() => conditionId({ cluster: 'c', ...(condition as NonNullable<typeof condition>) })).not.toThrow();
  });

  it('keeps long texts apart', async () => {
    const long = 'Something that takes many words to tell has gone wrong here. '.repeat(6);
    expect(await partOf({ alertTypeID: null, description: `${long} One way.` })).not.toBe(
      await partOf({ alertTypeID: null, description: `${long} Another way.` }),
    );
  });
});

describe('alerts that belong together', () => {
  it('are one condition where they state one fact', async () => {
    const twice = [alert(1), alert(2, { severity: 'Critical', created: '2026-11-30T07:00:00.000Z', associatedResource: on('n1') })];
    const result = await of(...twice);
    expect(found(result)).toEqual(['critical hw_fan node n1']);
    expect(result.conditions[0]).toMatchObject({
      count: 2,
      since: '2026-11-30T07:00:00.000Z',
      message: 'n1: Fan 2 is degraded. [Critical, 2 alerts]',
    });
  });

  it('are shown by their root alone, as bad as the worst of them', async () => {
    const result = await of(
      alert(1),
      alert(2, { parentAlert: '/rest/alerts/1' }),
      alert(3, { parentAlert: '/rest/alerts/2', severity: 'Critical' }),
    );
    expect(found(result)).toEqual(['critical hw_fan node n1']);
    expect(result.conditions[0]).toMatchObject({ values: { alerts: 1, children: 2 }, count: 1 });
    expect(result.summary['open']).toMatchObject({ roots: 1, below: 2 });
  });

  it('are found by the parent’s list too', async () => {
    expect(found(await of(alert(1, { childAlerts: ['/rest/alerts/2', 7] }), alert(2)))).toEqual(['warning hw_fan node n1']);
  });

  it.each<[string, JsonObject[]]>([
    ['is not there', [alert(2, { parentAlert: '/rest/alerts/1' })]],
    ['is cleared', [alert(1, cleared), alert(2, { parentAlert: '/rest/alerts/1' })]],
    ['is the alert itself', [alert(2, { parentAlert: '/rest/alerts/2', childAlerts: ['/rest/alerts/2'] })]],
  ])('are shown by themselves when the parent %s', async (_, members) => {
    expect(found(await of(...members))).toEqual(['warning hw_fan node n2']);
  });

  it('and name each other as parents are not hidden', async () => {
    const ring = [
      alert(1, { parentAlert: '/rest/alerts/3' }),
      alert(2, { parentAlert: '/rest/alerts/1' }),
      alert(3, { parentAlert: '/rest/alerts/2' }),
      alert(4, { parentAlert: '/rest/alerts/3' }),
    ];
    const result = await of(...ring);
    expect(found(result)).toEqual(['warning hw_fan node n1']);
    expect(result.conditions[0]?.values).toMatchObject({ children: 3 });
  });
});

describe('storms', () => {
  it('that OneView filters say that counts are a floor', async () => {
    const result = await of(
      alert(1, {
        alertTypeID: 'Events-TrapStorm.cpqHe3FltTolFanDegraded',
        healthCategory: 'Appliance',
        description: 'A trap storm has been detected.',
      }),
    );
    expect(result.conditions).toMatchObject([{ kind: 'alert_storm', part: 'cpqHe3FltTolFanDegraded', subject: { id: 'n1' } }]);
    expect(result.conditions[0]?.message).toContain('OneView filters the trap cpqHe3FltTolFanDegraded, so its counts are a floor');
    expect(result.summary).toMatchObject({ suppressed: { traps: { cpqHe3FltTolFanDegraded: 1 }, resources: { count: 1, names: 'n1' } } });
  });

  const burst = (minutes: number, from = '2026-11-30T08:00:00.000Z'): JsonObject[] =>
    Array.from({ length: 6 }, (_, i) => alert(i + 1, { created: new Date(Date.parse(from) + i * minutes * 60_000).toISOString() }));
  const storms = async (members: JsonObject[]) =>
    (await collect([input('a.json', page('alerts', members))], { rules: { alert_storm: { threshold: 6 } } })).conditions.filter(
      (c) => c.kind === 'alert_storm',
    );

  it('of one fingerprint within ten minutes are one condition of the appliance', async () => {
    expect(await storms(burst(2))).toMatchObject([
      {
        subject: { type: 'appliance', id: 'oneview' },
        part: 'hw_fan Trap.cpqHe3FltTolFanDegraded fan 2',
        count: 6,
        since: '2026-11-30T08:00:00.000Z',
        values: { alerts: 6, resources: 6 },
      },
    ]);
  });

  it('are none where alerts come slowly, or came long ago, or speak of several things', async () => {
    expect(await storms(burst(3))).toEqual([]);
    expect(await storms(burst(1, '2026-11-30T06:00:00.000Z'))).toEqual([]);
    expect(await storms(burst(1).map((a, i) => ({ ...a, description: `Fan ${i} is degraded.` })))).toEqual([]);
  });
});

describe('what the absence of an alert proves', () => {
  const filtered = (state: string, members: JsonObject[], more: JsonObject = {}): JsonObject =>
    page('alerts', members, { uri: `/rest/alerts?start=0&count=9&filter=${encodeURIComponent(`"alertState='${state}'"`)}`, ...more });

  it('is that it is not open, where the set is whole', async () => {
    expect((await of()).coverage).toMatchObject({ problems: [], observed: { node: 'all', enclosure: 'all', appliance: 'all' } });
    const both = await collect([input('a.json', filtered('Active', [alert(1)])), input('l.json', filtered('Locked', []))]);
    expect(both.coverage).toMatchObject({ problems: [], observed: { node: 'all' } });
  });

  it.each<[string, Input[], string | null]>([
    ['pages are missing', [input('a.json', page('alerts', [alert(1)], { total: 31 }))], 'truncated: 1 of 31'],
    ['an input cannot be read', [input('a.json', page('alerts', [alert(1)])), brokenInput('b.json')], 'lies on a stale mount'],
    [
      'Locked alerts were not asked for',
      [input('a.json', filtered('Active', [alert(1)]))],
      'locked alerts, which are open as well, were not asked for',
    ],
  ])('is nothing where %s, and the source is partial', async (_, inputs, message) => {
    const result = await collect(inputs);
    expect(found(result)).toEqual(['warning hw_fan node n1']);
    expect(result.coverage.observed).toEqual({});
    expect(result.coverage.problems).toMatchObject([{ effect: 'input', message: expect.stringContaining(message as string) as string }]);
  });

  it.each<[string, Input[]]>([
    ['a bare list states no total', [input('a.json', [alert(1)])]],
    [
      'a filter narrowed the set',
      [
        input(
          'a.json',
          page('alerts', [alert(1)], { uri: `/rest/alerts?filter=${encodeURIComponent('"created ge \'2026-11-30T00:00:00.000Z\'"')}` }),
        ),
      ],
    ],
    [
      'the bus tells of single alerts',
      [input('a.json', { changeType: 'Created', timestamp: '2026-11-30T08:00:00.000Z', resource: alert(1) })],
    ],
    ['a member was no alert', [input('a.json', page('alerts', [alert(1), 'cut' as unknown as JsonObject]))]],
  ])('is nothing where %s', async (_, inputs) => {
    const result = await collect(inputs);
    expect(found(result)).toEqual(['warning hw_fan node n1']);
    expect(result.coverage.observed).toEqual({});
    expect(result.coverage.problems.filter((p) => p.effect === 'input')).toEqual([]);
  });

  it('is the site’s to say for bare lists', async () => {
    expect((await collect([input('a.json', [alert(1)])], { options: { whole_dumps: true } })).coverage.observed).toMatchObject({
      node: 'all',
    });
  });

  it('is nothing for what a pushed body does not hold', async () => {
    const pushed = input('body', page('alerts', [alert(1), alert(2, cleared)]), { pushed: true });
    expect((await collect([pushed])).coverage.observed).toEqual({ node: 'n[1-2]' });
  });
});

describe('cleared alerts', () => {
  const clearing = async (members: JsonObject[], clearedUntil?: string) =>
    (await collect([input('a.json', page('alerts', members))], clearedUntil === undefined ? {} : { carry: { clearedUntil } })).cleared?.map(
      (c) => `${c.kind} ${c.subject.id} ${c.part} ${c.at}`,
    );

  it('end what they were about, at the time they say', async () => {
    expect(await clearing([alert(1, cleared)])).toEqual(['hw_fan n1 Trap.cpqHe3FltTolFanDegraded fan 2 2026-11-30T08:30:00.000Z']);
  });

  it('end nothing that another open alert still states', async () => {
    expect(await clearing([alert(1, cleared), alert(2, { associatedResource: on('n1') })])).toEqual([]);
  });

  it('are handed on once', async () => {
    const first = await of(alert(1, cleared));
    expect(first.carry).toEqual({ clearedUntil: '2026-11-30T08:30:00.000Z' });
    const later = alert(2, { ...cleared, clearedTime: '2026-11-30T08:40:00.000Z' });
    expect(await clearing([alert(1, cleared), later], '2026-11-30T08:30:00.000Z')).toEqual([
      'hw_fan n2 Trap.cpqHe3FltTolFanDegraded fan 2 2026-11-30T08:40:00.000Z',
    ]);
  });

  it('of years past are history, and of the life of a server no news', async () => {
    expect(
      await clearing([alert(1, { ...cleared, clearedTime: '2024-01-01T00:00:00.000Z' }), alert(2, { ...cleared, lifeCycle: true })]),
    ).toEqual([]);
  });

  it('are those that the bus reports as deleted, too', async () => {
    const deleted = { changeType: 'Deleted', timestamp: '2026-11-30T08:41:00.000Z', resource: alert(1) };
    const result = await collect([input('scmb.json', [deleted])]);
    expect(found(result)).toEqual([]);
    expect(result.cleared).toMatchObject([{ kind: 'hw_fan', subject: { id: 'n1' }, by: 'line', at: '2026-11-30T08:41:00.000Z' }]);
    expect(result.asOf).toBe(Date.parse('2026-11-30T08:41:00.000Z'));
  });
});

describe('what is kept of an alert', () => {
  it('holds neither people nor their notes', async () => {
    const people = {
      assignedToUser: 'jdoe-secret',
      clearedByUser: 'jdoe-secret',
      changeLog: [{ username: 'jdoe-secret', notes: 'jdoe-secret' }],
      serviceEventDetails: { primaryContact: 'jdoe-secret' },
    };
    expect(JSON.stringify(await of(alert(1, people), alert(2, { ...people, ...cleared })))).not.toContain('jdoe-secret');
  });

  it('is one line for people, with the corrective action beside it', async () => {
    const result = await of(
      alert(1, { description: 'Lost {"name":"net 1","uri":"/rest/x"}.\nSee \u001b[31mred.', correctiveAction: null }),
      alert(2, { correctiveAction: 'Replace the fan.' }),
    );
    expect(result.conditions[0]?.message).toBe('n1: Lost net 1. See \\x1b[31mred. [Warning]');
    expect(result.conditions[1]?.values).toMatchObject({ action: 'Replace the fan.' });
  });

  it('does not begin in the future, where the appliance’s clock is ahead', async () => {
    expect((await of(alert(1, { created: '2026-12-24T00:00:00.000Z' }))).conditions[0]).not.toHaveProperty('since');
  });

  it('is counted for each resource, with the UUID that joins it', async () => {
    const result = await of(
      alert(1),
      alert(2, { associatedResource: on('n1'), severity: 'Critical', alertState: 'Locked', description: 'Fan 3 is degraded.' }),
    );
    expect(result.facts).toEqual([
      {
        subject: { type: 'node', id: 'n1' },
        facts: { alerts: 2, critical: 1, warning: 1, locked: 1, uuid: '31323334-3536-4d44-4f32-000000000001' },
      },
    ]);
  });
});

it('keeps the summary small for any number of alerts', async () => {
  const members = Array.from({ length: 6000 }, (_, i) =>
    alert(i, {
      severity: ['Critical', 'Warning', 'Unknown'][i % 3] as string,
      alertState: ['Active', 'Locked', `State ${i}`][i % 3] as string,
      alertTypeID: i % 2 ? `Trap.cpqSome${'Very'.repeat(20)}LongName${i % 50}` : `Events-TrapStorm.cpqTrap${i % 40}`,
      description: `Self-test of drive ${i} predictive`,
      associatedResource: on(`x${1000 + (i % 7)}c${i % 8}s${i % 5}b0n${(i * 7) % 11}-${(i * i) % 997}`),
    }),
  );
  const result = await of(...members);
  expect(JSON.stringify(result.summary).length).toBeLessThan(6_000);
}, 60_000);
