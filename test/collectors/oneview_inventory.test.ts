import { describe, expect, it } from 'vitest';
import { oneviewInventory } from '../../lib/collectors/oneview_inventory/index.ts';
import type { Collected, CollectContext, Input } from '../../lib/model/collector.ts';
import type { ConditionDraft } from '../../lib/model/condition.ts';
import { NodeFacts } from '../../lib/model/facts.ts';
import { atPointer, type JsonObject } from '../../lib/model/json.ts';
import { expand } from '../../lib/nodeset.ts';
import { brokenInput, context, fixtures, input, NOW, page, server } from './oneview-inputs.ts';

type Result = Collected<unknown>;

function collect(inputs: Input[], extra: Partial<CollectContext<unknown, unknown>> = {}): Promise<Result> {
  return oneviewInventory.collect(inputs, context(oneviewInventory.options.parse({}), extra));
}

const fleet = (count: number, over: Record<number, JsonObject> = {}): JsonObject[] =>
  Array.from({ length: count }, (_, i) => server(i + 1, over[i + 1]));

async function of(...members: JsonObject[]): Promise<Result> {
  return collect([input('p1.json', page('server-hardware', members))]);
}

function found(result: Result): string[] {
  return result.conditions
    .map(
      (c: ConditionDraft) =>
        `${c.severity ?? kindOf(c.kind)?.severity} ${c.kind} ${c.subject.id}${c.part === undefined ? '' : ` ${c.part}`}`,
    )
    .sort();
}

function kindOf(kind: string) {
  return oneviewInventory.kinds.find((k) => k.kind === kind);
}

describe('the bundled days', () => {
  it('are quiet on the healthy one', async () => {
    const result = await collect(fixtures('healthy', 'server-hardware'));
    expect(result.conditions).toEqual([]);
    expect(result.coverage).toMatchObject({ records: 30, rejected: 0, problems: [] });
    expect(expand(result.coverage.observed['node'] as string)).toHaveLength(30);
  });

  it('show the servers without power on the faulty one', async () => {
    const result = await collect(fixtures('faulty', 'server-hardware'));
    const dark = ['x1002c0s5b0n0', 'x1002c0s5b0n1', 'x1002c0s5b1n0', 'x1002c0s5b1n1'];
    expect(found(result).filter((f) => !f.startsWith('warning server_status'))).toEqual([
      ...dark.map((n) => `critical server_status ${n}`),
      ...dark.map((n) => `warning server_off ${n}`),
    ]);
    expect(result.summary).toMatchObject({
      servers: 30,
      collection: { stated: 30, missing: 0, complete: true },
      off: { count: 4, names: 'x1002c0s5b[0-1]n[0-1]' },
      warning: { count: 22, names: 'leader2,login2,x1002c0s[0-4]b[0-1]n[0-1]' },
    });
    expect(result.conditions.find((c) => c.subject.id === 'x1002c0s5b0n0')?.place).toEqual({
      rack: 'x1002',
      chassis: 'x1002c0',
      slot: 'x1002c0s5',
      board: 'x1002c0s5b0',
    });
  });

  it('give the facts that other sources join by', async () => {
    const { facts = [] } = await collect(fixtures('faulty', 'server-hardware'));
    for (const { facts: known } of facts) NodeFacts.parse(known);
    expect(facts.find((f) => f.subject.id === 'x1002c0s5b0n1')).toMatchObject({
      subject: { type: 'node', id: 'x1002c0s5b0n1' },
      facts: {
        aliases: ['nid000070'],
        nid: 70,
        xname: 'x1002c0s5b0n1',
        serial: 'DMO2N00070',
        bmc: '10.10.2.70',
        power: 'off',
        health: 'Critical',
        memoryMb: 524288,
        cores: 128,
        firmware: { bios: 'A46 v2.84 (10/27/2025)', bmc: '3.10 Oct 03 2025' },
      },
    });
  });
});

describe('conditions of one server', () => {
  it.each<[string, JsonObject, string[]]>([
    ['nothing for a healthy one', {}, []],
    ['its status', { status: 'Critical' }, ['critical server_status n1']],
    ['its status in other letters', { status: 'warning' }, ['warning server_status n1']],
    ['a status that OneView does not know itself', { status: 'Unknown' }, ['info server_status n1']],
    ['a status that OneView did not have so far', { status: 'Fatal' }, ['warning server_status n1']],
    ['nothing for a status that is absent', { status: null }, []],
    ['power off', { powerState: 'Off' }, ['warning server_off n1']],
    ['power off in maintenance, also as a text', { powerState: 'Off', maintenanceMode: 'true' }, ['info server_off n1']],
    ['nothing for power that changes', { powerState: 'PoweringOff' }, []],
    ['a state of error', { state: 'ProfileError' }, ['warning server_state n1']],
    ['nothing for a state that is new', { state: 'Hibernating' }, []],
    ['a management processor that OneView lost', { mpState: null }, ['warning management_unreachable n1']],
    ['one that is resetting', { mpState: 'Resetting' }, ['info management_unreachable n1']],
    ['one without any address', { mpHostInfo: null }, ['warning management_unreachable n1']],
    [
      'one with a link-local address only',
      { mpHostInfo: { mpIpAddresses: [{ address: 'fe80::1', type: 'LinkLocal' }] } },
      ['warning management_unreachable n1'],
    ],
    ['nothing for the flat address of old versions', { mpHostInfo: null, mpIpAddress: '10.10.2.9' }, []],
    ['nothing where the address is null on newer versions', { mpIpAddress: null, mpDnsName: null }, []],
    ['one of a server that is not managed', { mpState: null, mpHostInfo: null, state: 'Unmanaged' }, ['info management_unreachable n1']],
    ['a refresh that failed', { refreshState: 'RefreshFailed' }, ['warning refresh_stale n1']],
    ['a refresh that hangs', { refreshState: 'Refreshing', modified: '2026-11-30T07:30:00.000Z' }, ['warning refresh_stale n1']],
    ['nothing for one under way', { refreshState: 'Refreshing' }, []],
    ['no serial number', { serialNumber: null }, ['info serial_placeholder n1']],
    ['a placeholder for it', { serialNumber: 'Default string' }, ['info serial_placeholder n1']],
    ['the UUID of a swapped board', { uuid: '00000000-0000-0000-0000-000000000000' }, ['info serial_placeholder n1']],
  ])('are %s', async (_, over, expected) => {
    expect(found(await of(server(1, over)))).toEqual(expected);
  });

  it('are none where a record has no fields of a management processor', async () => {
    const { mpHostInfo: _info, mpState: _state, ...old } = server(1);
    expect(found(await of(old))).toEqual([]);
  });

  it('take a limit for refreshes from the site’s rules', async () => {
    const slow = input(
      'p1.json',
      page('server-hardware', [server(1, { refreshState: 'Refreshing', modified: '2026-11-30T07:30:00.000Z' })]),
    );
    expect(found(await collect([slow], { rules: { refresh_stale: { after: '2h' } } }))).toEqual([]);
  });
});

describe('firmware', () => {
  const old = { romVersion: 'A46 v2.10 (01/15/2025)' };

  it('of a minority is named against what the others run', async () => {
    const result = await of(...fleet(8, { 3: old }));
    expect(found(result)).toEqual(['info firmware_minority n3 bios']);
    expect(result.conditions[0]?.message).toBe(
      'n3: bios A46 v2.10 (01/15/2025), while 7 of 8 ProLiant XL225n Gen10 Plus run A46 v2.84 (10/27/2025)',
    );
    expect(atPointer(result.summary, '/firmware/shown/0/versions/1')).toEqual({ version: 'A46 v2.10 (01/15/2025)', count: 1, names: 'n3' });
  });

  it('is held against servers of the same model alone', async () => {
    expect(found(await of(...fleet(8, { 3: { ...old, model: 'ProLiant DL385 Gen11' } })))).toEqual([]);
  });

  it('has no minority in the middle of a roll-out, nor among too few', async () => {
    expect(found(await of(...fleet(4, { 1: old, 2: old })))).toEqual([]);
    expect(found(await of(...fleet(3, { 1: old })))).toEqual([]);
  });

  it('has a majority where the site’s rules say so', async () => {
    const inputs = [input('p1.json', page('server-hardware', fleet(10, { 1: old, 2: old, 3: old, 4: old })))];
    expect(found(await collect(inputs))).toEqual([]);
    expect(found(await collect(inputs, { rules: { firmware_minority: { threshold: 0.6 } } }))).toHaveLength(4);
  });
});

describe('serial numbers', () => {
  it('that two servers share are told of both, whatever zeros and letters', async () => {
    const result = await of(...fleet(3, { 1: { serialNumber: '00dmo77' }, 3: { serialNumber: 'DMO77 ' } }));
    expect(found(result)).toEqual(['warning serial_duplicate n1', 'warning serial_duplicate n3']);
    expect(result.conditions[0]?.message).toBe('n1: serial number 00dmo77 is that of 2 servers: n[1,3]');
  });

  it('that one server has in two records of the same name are not shared', async () => {
    const result = await of(server(1), server(1, { uri: '/rest/server-hardware/other' }));
    expect(found(result)).toEqual([]);
    expect(result.facts).toHaveLength(1);
    expect(result.coverage.problems).toMatchObject([
      { effect: 'note', message: expect.stringContaining('cannot tell them apart: n1') as string },
    ]);
  });
});

describe('an inventory that has gaps', () => {
  const old = { romVersion: 'A46 v2.10 (01/15/2025)' };
  const members = fleet(8, { 1: old, 8: { serialNumber: 'DMO2N00001' } });
  const first = (): Input =>
    input('p1.json', page('server-hardware', members.slice(0, 2), { total: 8, next: '/rest/server-hardware?start=2&count=6' }));
  const second = input('p2.json', page('server-hardware', members.slice(2), { total: 8, start: 2 }));

  it('observes what it lists, and is partial', async () => {
    const result = await collect([first()]);
    expect(result.coverage.observed).toEqual({ node: 'n[1-2]' });
    expect(result.coverage.problems).toMatchObject([
      { effect: 'input', input: 'p1.json', message: expect.stringContaining('2 of 8 records') as string },
    ]);
    expect(result.summary).toMatchObject({ servers: 2, collection: { stated: 8, missing: 6, complete: false } });
  });

  it('goes on holding its servers to what the last whole one knew', async () => {
    const whole = await collect([first(), second]);
    expect(found(whole)).toEqual(['info firmware_minority n1 bios', 'warning serial_duplicate n1', 'warning serial_duplicate n8']);
    const gap = await collect([first(), brokenInput('p2.json')], { carry: oneviewInventory.carry.parse(whole.carry) });
    expect(found(gap)).toEqual(['info firmware_minority n1 bios', 'warning serial_duplicate n1']);
    expect(gap.carry).toEqual(whole.carry);
  });

  it('knows it still after a run that saw next to nothing', async () => {
    const whole = await collect([first(), second]);
    const little = input('p2.json', page('server-hardware', members.slice(4, 5), { total: 8, start: 4 }));
    const { carry } = await collect([little], { carry: whole.carry });
    expect(found(await collect([first()], { carry }))).toEqual(['info firmware_minority n1 bios', 'warning serial_duplicate n1']);
  });

  it('forgets a shared serial number once the other server is seen with its own', async () => {
    const whole = await collect([first(), second]);
    const repaired = input('p2.json', page('server-hardware', [server(8)], { total: 8, start: 7 }));
    expect(found(await collect([first(), repaired], { carry: whole.carry }))).toEqual(['info firmware_minority n1 bios']);
  });

  it('never claims all nodes, however complete it is', async () => {
    expect((await of(server(1))).coverage.observed).toEqual({ node: 'n1' });
  });
});

describe('hostile and odd records', () => {
  it('cost themselves alone', async () => {
    const result = await of(
      server(1),
      { ...server(2), name: 'bad\u0007name' },
      { ...server(3), name: '' },
      { ...server(4), name: 'x'.repeat(254) },
    );
    expect(result.coverage).toMatchObject({ records: 4, rejected: 3, observed: { node: 'n1' } });
    expect(result.coverage.problems.map((p) => [p.effect, p.input, p.place])).toEqual(
      [1, 2, 3].map((i) => ['record', 'p1.json', `/members/${i}`]),
    );
  });

  it('have numbers as texts, and profiles’ serial numbers that are none of the server’s', async () => {
    const odd = {
      memoryMb: '262144',
      processorCount: '2',
      processorCoreCount: '64',
      eTag: 4_294_967_296,
      assetTag: '[Unknown]',
      position: null,
      serialNumber: '',
      virtualSerialNumber: 'VCGDEMO001',
      virtualUuid: '0a1b2c3d-0000-4000-8000-0000000000aa',
    };
    const result = await of(server(1, odd));
    expect(found(result)).toEqual(['info serial_placeholder n1']);
    expect(result.facts?.[0]?.facts).toMatchObject({ memoryMb: 262_144, sockets: 2, cores: 128 });
    expect(JSON.stringify(result)).not.toMatch(/VCGDEMO001|0a1b2c3d|\[Unknown\]/);
  });

  it('of 12,000 cost one record, and the summary stays small', async () => {
    const names = Array.from(
      { length: 12_000 },
      (_, i) => `x${1000 + Math.floor(i / 512)}c${Math.floor(i / 64) % 8}s${Math.floor(i / 8) % 8}b${Math.floor(i / 2) % 4}n${i % 2}`,
    );
    const members: unknown[] = names.map((name, i) =>
      server(i + 1, {
        name,
        status: i % 7 === 0 ? 'Critical' : i % 5 === 0 ? 'Warning' : 'OK',
        powerState: i % 11 === 0 ? 'Off' : 'On',
        romVersion: i % 300 === 0 ? `A46 v2.${i % 17}` : 'A46 v2.84 (10/27/2025)',
        serialNumber: i % 97 === 0 ? `DMO${i % 4}TWICE` : `DMO${i}`,
        mpState: i % 13 === 0 ? null : 'OK',
        model: `ProLiant with a rather long name ${i % 40}`,
      }),
    );
    members[6000] = 'cut';
    const result = await collect([input('p1.json', page('server-hardware', members))]);
    expect(result.coverage).toMatchObject({ records: 12_000, rejected: 1 });
    expect(result.facts).toHaveLength(11_999);
    expect(JSON.stringify(result.summary).length).toBeLessThan(6_000);
  }, 60_000);

  it('keep names that are keys of objects', async () => {
    const result = await collect([
      input(
        'p1.json',
        `{"category":"server-hardware","total":2,"members":[{"name":"__proto__","status":"__proto__"},{"name":"constructor","model":"__proto__"}]}`,
      ),
    ]);
    expect(result.facts?.map((f) => f.subject.id)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(result.summary['status'])).toBe(Object.prototype);
    expect(Object.hasOwn(result.summary['status'] as JsonObject, '__proto__')).toBe(true);
  });

  it('keep names with commas and spaces apart in folded sets, and find their enclosure', async () => {
    const result = await of(server(1, { name: '0000A66101, bay 3', position: 3, powerState: 'Off' }));
    expect(result.conditions[0]).toMatchObject({ subject: { id: '0000a66101, bay 3' }, place: { enclosure: '0000A66101' } });
    expect(expand(result.coverage.observed['node'] as string)).toEqual(['0000a66101, bay 3']);
  });

  it('that list no server at all are no empty inventory', async () => {
    await expect(collect([input('p1.json', page('server-hardware', [], { total: 0 }))])).rejects.toThrow(/no server at all/);
  });
});

describe('enclosures and racks', () => {
  const bay = (bayNumber: number, status: string, devicePresence = 'Present', deviceRequired = true): JsonObject => ({
    bayNumber,
    status,
    devicePresence,
    deviceRequired,
  });
  const enclosure = (over: JsonObject = {}): JsonObject => ({
    type: 'EnclosureV7',
    uri: '/rest/enclosures/E1',
    name: '0000A66101',
    status: 'OK',
    powerMode: 'RedundantPowerFeed',
    minimumPowerSupplies: 2,
    minimumPowerSuppliesForRedundantPowerFeed: 4,
    powerSupplyBays: [1, 2, 3, 4].map((n) => bay(n, 'OK')),
    fanBays: [bay(1, 'OK'), bay(2, '', 'Absent', false)],
    ...over,
  });
  const rack: JsonObject = {
    type: 'rack',
    category: 'racks',
    name: 'X1002',
    rackMounts: [{ mountUri: '/rest/enclosures/E1' }, { mountUri: '/rest/server-hardware/uuid-2' }],
  };

  async function with_(over: JsonObject): Promise<Result> {
    return collect([
      input('servers.json', page('server-hardware', fleet(2, { 1: { locationUri: '/rest/enclosures/E1' } }))),
      input('e.json', [enclosure(over)]),
      input('rack.json', rack),
    ]);
  }

  it('give servers their places', async () => {
    const result = await with_({});
    expect(found(result)).toEqual([]);
    expect(result.facts?.map((f) => f.facts['place'])).toEqual([{ rack: 'x1002', enclosure: '0000A66101' }, { rack: 'x1002' }]);
    expect(result.coverage.observed).toEqual({ node: 'n[1-2]', enclosure: '0000A66101' });
  });

  it.each<[string, JsonObject, string[]]>([
    [
      'a supply that failed',
      { powerSupplyBays: [bay(1, 'Critical'), ...[2, 3, 4, 5].map((n) => bay(n, 'OK'))] },
      ['warning redundancy_degraded 0000A66101 power'],
    ],
    [
      'too few supplies for its mode',
      { powerSupplyBays: [bay(1, 'OK'), bay(2, 'OK'), bay(3, '', 'Absent')] },
      ['warning redundancy_degraded 0000A66101 power'],
    ],
    ['too few supplies at all', { powerSupplyBays: [bay(1, 'OK'), bay(2, 'Critical')] }, ['critical redundancy_degraded 0000A66101 power']],
    ['a fan that is gone', { fanBays: [bay(1, 'OK'), bay(2, '', 'Absent')] }, ['warning redundancy_degraded 0000A66101 fan']],
    ['a status with every bay well', { status: 'Critical' }, ['critical enclosure_status 0000A66101']],
  ])('show %s', async (_, over, expected) => {
    expect(found(await with_(over))).toEqual(expected);
  });
});

it('reckons a hanging refresh from the time of the dump, not of the run', async () => {
  const members = [server(1, { refreshState: 'Refreshing', modified: '2026-11-29T20:00:00.000Z' })];
  const stale = input('p1.json', page('server-hardware', members), { mtime: '2026-11-29T20:30:00.000Z' });
  expect(found(await collect([stale], { now: NOW }))).toEqual([]);
});
