import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../lib/model/json.ts';
import { collect, fixtures, input, kinds, NO_LIMIT, NOW, only, rebuild, type Result, statusFile } from './weka-inputs.ts';

const list = (name: string, records: Json[], over: JsonObject = {}, extra = {}): Promise<Result> =>
  collect([statusFile(over), input(name, records)], extra);

describe('drives', () => {
  const drive = (over: JsonObject): Promise<Result> =>
    list('drives.json', [
      { disk_id: 'DiskId<7>', hostname: 'weka02.hsn.cm.demo.test', status: 'ACTIVE', should_be_active: true, serial_number: 'S1', ...over },
    ]);

  it.each<[JsonObject, string]>([
    [{ status: 'FAILED' }, 'has failed'],
    [{ status: 'FAILED', should_be_active: false }, 'has failed'],
    [{ status: 'INACTIVE' }, 'is INACTIVE, but should be active'],
    [{ status: 'PHASING_OUT' }, 'is PHASING_OUT, but should be active'],
    [{ status: 'INACTIVE', should_be_active: null }, 'is INACTIVE'],
    [{ writable: 'Unwritable' }, 'is active but unwritable'],
    [{ attachment: 'MISSING' }, 'is active, but its attachment is MISSING'],
  ])('with %j have failed', async (over, fault) => {
    const failed = only(await drive(over), 'drive_failed');
    expect(failed.message).toBe(`Weka drive DiskId<7> (weka02, S/N S1) ${fault}`);
    expect(failed).toMatchObject({ subject: { type: 'drive', id: 'DiskId<7>' }, place: { node: 'weka02' } });
  });

  it.each<[JsonObject]>([
    [{}],
    [{ writable: 'Writable', attachment: 'OK' }],
    [{ status: 'PHASING_IN' }],
    [{ status: 'PHASING_OUT', should_be_active: false }],
    [{ status: 'INACTIVE', should_be_active: false }],
    [{ status: 'REMOVED' }],
    [{ status: 'FAILED', removed_time: '2026-11-01T00:00:00Z' }],
    [{ status: 'PHASING_OUT', should_be_active: null }],
  ])('with %j have not', async (over) => {
    expect((await drive(over)).conditions).toEqual([]);
  });

  it('of unknown hosts, models and serial numbers are told of all the same', async () => {
    const nameless = await list('drives.json', [
      {
        disk_id: 'DiskId<7>',
        hostname: null,
        node_id: 'NodeId<INVALID>',
        status: 'FAILED',
        vendor: null,
        model: 'N/A',
        serial_number: null,
      },
    ]);
    expect(only(nameless, 'drive_failed').message).toBe('Weka drive DiskId<7> (host unknown) has failed');
  });

  it('are worn by endurance, given as a number or a text, or by spares, and not when they are on their way out', async () => {
    expect((await drive({ percentage_used: 89, spares_remaining: 10, spares_threshold: 10 })).conditions).toEqual([]);
    expect(only(await drive({ percentage_used: '103' }), 'drive_wear').message).toContain(
      'has used 103 % of its rated endurance (limit 90 %)',
    );
    expect(only(await drive({ percentage_used: 2, spares_remaining: 9, spares_threshold: 10 }), 'drive_wear').message).toContain(
      'has 9 % of its spare blocks left',
    );
    expect((await drive({ percentage_used: 99, should_be_active: false })).conditions).toEqual([]);
    expect((await drive({ percentage_used: 1e300, spares_remaining: -1, spares_threshold: 10 })).conditions).toEqual([]);
  });

  it('are worn from where the site says', async () => {
    const record = [{ disk_id: 'DiskId<7>', status: 'ACTIVE', percentage_used: 75 }];
    expect(kinds(await list('drives.json', record, {}, { rules: { drive_wear: { threshold: 0.7 } } }))).toEqual(['drive_wear']);
    expect(kinds(await list('drives.json', record, {}, { rules: { drive_wear: { threshold: 76 } } }))).toEqual([]);
    expect(kinds(await list('drives.json', record, {}, { rules: { drive_wear: { threshold: 74 } } }))).toEqual(['drive_wear']);
  });

  it('without a state have not been observed', async () => {
    const drives = [0, 1, 2, 3, 4, 5].map((n) => ({ disk_id: `DiskId<${n}>`, ...(n !== 3 && { status: 'ACTIVE' }) }));
    expect((await list('drives.json', drives)).coverage.observed['drive']).toBe('DiskId<[0-2,4-5]>');
    // Nor are they all where nothing counts them.
    expect((await list('drives.json', drives, { drives: null })).coverage.observed['drive']).toBe('DiskId<[0-2,4-5]>');
  });

  it('that two dumps show differently are what the newer one says; of unknown age both count', async () => {
    const dump = (name: string, status: string, mtime?: string) =>
      input(name, [{ disk_id: 'DiskId<7>', status }], mtime === undefined ? {} : { mtime });
    const dated = [
      statusFile(),
      dump('drives-1.json', 'FAILED', '2026-11-30T08:00:00.000Z'),
      dump('drives-2.json', 'ACTIVE', '2026-11-30T08:44:00.000Z'),
    ];
    expect((await collect(dated)).conditions).toEqual([]);
    const undated = [statusFile(), dump('drives-1.json', 'FAILED'), dump('drives-2.json', 'ACTIVE')];
    expect(kinds(await collect(undated))).toEqual(['drive_failed']);
    expect(kinds(await collect(undated.toReversed()))).toEqual(['drive_failed']);
  });
});

describe('containers', () => {
  const container = (over: JsonObject): Promise<Result> =>
    list('containers.json', [
      { host_id: 'HostId<3>', container_name: 'compute0', hostname: 'weka02', mode: 'backend', state: 'ACTIVE', status: 'UP', ...over },
    ]);

  it.each<[JsonObject, string | null]>([
    [{}, null],
    [{ status: 'DOWN' }, 'Weka backend container compute0 on weka02 (HostId<3>) is DOWN'],
    [{ status: 'DEGRADED' }, 'Weka backend container compute0 on weka02 (HostId<3>) is DEGRADED'],
    [
      { status: 'DOWN', state: null, container_name: null, hostname: null },
      'Weka backend container HostId<3> on an unknown host (HostId<3>) is DOWN',
    ],
    [
      { status: 'DOWN', last_failure: 'lost\nit', last_failure_time: '2026-11-30T08:00:00.1234567Z' },
      'Weka backend container compute0 on weka02 (HostId<3>) is DOWN; last failure: lost\\nit at 2026-11-30T08:00:00.123Z',
    ],
    [{ status: 'DRAINED (DOWN)', state: 'DRAINED' }, null],
    [{ status: 'INACTIVE', state: 'INACTIVE' }, null],
    [{ status: 'DOWN', state: 'REMOVING' }, null],
  ])('with %j', async (over, message) => {
    expect((await container(over)).conditions.map((c) => c.message)).toEqual(message === null ? [] : [message]);
  });

  it('are named by their server, so that one name is not that of many; by their id where that is not known', async () => {
    const names = async (over: JsonObject): Promise<string | undefined> =>
      (await container({ status: 'DOWN', ...over })).conditions[0]?.subject.id;
    expect(await names({ hostname: 'WEKA02.hsn.cm.demo.test' })).toBe('weka02/compute0');
    expect(await names({ container_name: null })).toBe('weka02/default');
    expect(await names({ hostname: null })).toBe('HostId<3>');
    expect(await names({ hostname: 'h'.repeat(250) })).toBe('HostId<3>');
    expect(await names({ host_id: null })).toBe('weka02/compute0');
  });

  it("of clients are their nodes' trouble", async () => {
    expect(
      only(await container({ mode: 'client', status: 'DOWN', hostname: 'X1000C0S0B0N1.hsn.cm.demo.test' }), 'container_down'),
    ).toMatchObject({
      severity: 'info',
      place: { node: 'x1000c0s0b0n1', chassis: 'x1000c0' },
    });
  });

  it('say when they run different releases', async () => {
    const mixed = await list(
      'containers.json',
      ['4.4.2', '4.4.2', '4.2.9'].map((sw_release_string, n) => ({
        host_id: `HostId<${n}>`,
        mode: 'backend',
        status: 'UP',
        sw_release_string,
      })),
    );
    expect(mixed.summary['containers']).toMatchObject({
      releases: [
        { release: '4.2.9', count: 1 },
        { release: '4.4.2', count: 2 },
      ],
    });
  });
});

describe('processes', () => {
  it('that are blacklisted are told of, with what fenced them', async () => {
    const result = await list('processes.json', [
      {
        node_id: 'NodeId<9>',
        hostname: 'weka02',
        roles: ['DRIVES', 'COMPUTE'],
        is_blacklisted: true,
        status: 'DOWN',
        last_fencing_reason: 'Hung',
        last_fencing_time: 'INVALID',
      },
      { node_id: 'NodeId<10>', is_blacklisted: false },
    ]);
    expect(only(result, 'process_blacklisted').message).toBe(
      'Weka process NodeId<9> (COMPUTE, DRIVES) on weka02 is blacklisted and cannot rejoin the cluster; last fenced for Hung',
    );
  });

  it('of lists that do not say it have not been observed', async () => {
    expect((await list('nodes.json', [{ node_id: 'NodeId<9>', roles: ['DRIVES'] }])).coverage.observed).not.toHaveProperty('process');
  });
});

describe('file systems', () => {
  const fs = (over: JsonObject): JsonObject => ({
    fs_id: 'FSId<1>',
    name: 'scratch',
    status: 'READY',
    available_total: 1000,
    used_total: 100,
    ...over,
  });

  it.each<[JsonObject, string | null]>([
    [{ used_total: 849 }, null],
    [{ used_total: 850 }, 'warning'],
    [{ used_total: 949 }, 'warning'],
    [{ used_total: 950 }, 'critical'],
    [{ used_total: 1200 }, 'critical'],
    [{ available_total: 0, used_total: 0 }, null],
    [{ available_total: 0, used_total: 10 }, null],
    [{ available_total: NO_LIMIT, used_total: 2 ** 62 }, null],
    [{ available_total: 2 ** 55, used_total: 2 ** 55 - 1 }, 'critical'],
    [{ available_total: null, total_budget: '1000', used_total: '960' }, 'critical'],
    [{ available_total: -1, used_total: 100 }, null],
    [{ available_total: 1000, used_total: -5 }, null],
    [{ used_total: 990, is_removing: true }, null],
    [{ used_total: 500, available_ssd: 100, used_ssd: 99, obs_buckets: [{ name: 'b', status: 'UP' }] }, null],
  ])('with %j are %s', async (over, severity) => {
    const full = (await list('fs.json', [fs(over)])).conditions.filter((c) => c.kind === 'fs_full');
    expect(full.map((c) => c.severity ?? 'warning')).toEqual(severity === null ? [] : [severity]);
  });

  it('say how full they are, against which limit', async () => {
    const result = await list('fs.json', [fs({ available_total: 100 * 2 ** 40, used_total: 96.4 * 2 ** 40 })]);
    expect(only(result, 'fs_full').message).toBe('Weka file system scratch is 96.4 % full: 96.4 TiB of 100 TiB, 3.6 TiB left (limit 95 %)');
    expect((await list('fs.json', [fs({ used_total: 960 })], {}, { rules: { fs_full: { threshold: 0.97 } } })).conditions).toEqual([]);
    const raised = await list('fs.json', [fs({ used_total: 975 })], {}, { rules: { fs_full: { threshold: 0.97 } } });
    expect(only(raised, 'fs_full')).toMatchObject({ severity: 'critical', values: { limit: 0.97 } });
  });

  it('whose numbers make no sense have not been observed, the others have', async () => {
    const result = await list('fs.json', [
      fs({ used_total: -5 }),
      fs({ name: 'empty', available_total: 0, used_total: 0 }),
      fs({ name: 'home' }),
      fs({ name: 'any', available_total: 2 ** 64 }),
    ]);
    expect(result.coverage.observed['filesystem']).toBe('any,empty,home');
    expect(result.summary['fileSystems']).toMatchObject({ listed: 4, empty: 1, unlimited: 1, unknown: 1 });
  });

  it('have not all been observed where one has no name, or one of their files is broken', async () => {
    expect((await list('fs.json', [fs({}), { ...fs({}), name: null, fs_id: null }])).coverage.observed['filesystem']).toBe('scratch');
    for (const name of ['a-fs.json', 'z-fs.json']) {
      const result = await collect([statusFile(), input('fs.json', [fs({})]), input(name, '[{')]);
      expect(result.coverage.observed['filesystem']).toBe('scratch');
    }
  });

  it('leave numbers behind for the forecast: the largest, under names that any name becomes', async () => {
    const many = Array.from({ length: 40 }, (_, n) => fs({ name: `fs/${n} ä`, available_total: 1000 + n, used_total: n }));
    const { series } = await list('fs.json', many);
    expect(Object.keys(series ?? {})).toHaveLength(7 + 2 * 18);
    expect(series).toMatchObject({ 'fs/fs%2F39%20%C3%A4/used_bytes': 39, 'fs/fs%2F39%20%C3%A4/total_bytes': 1039 });
    expect(series).not.toHaveProperty('fs/fs%2F21%20%C3%A4/used_bytes');
  });
});

describe('capacity', () => {
  const filled = (used: number, over: JsonObject = {}): JsonObject => ({
    fs_id: 'FSId<1>',
    name: 'scratch',
    available_total: 1e15,
    used_total: used,
    available_ssd: 1e15,
    used_ssd: used,
    ...over,
  });

  it("is high by what the file systems hold, by the RAID, or by Weka's own judgement", async () => {
    expect(only(await list('fs.json', [filled(9e13)]), 'capacity_high').message).toBe(
      'Weka cluster demo-weka: SSD capacity is short: file systems hold 90 % of it (81.85 TiB of 90.95 TiB) (limit 85 %)',
    );
    const raid = await collect([statusFile({ buckets_info: { averageFillLevelPPM: 960_000 } })]);
    expect(only(raid, 'capacity_high')).toMatchObject({ severity: 'critical', values: { raid_fill: 0.96, limit: 0.95 } });
    const judged = await collect([statusFile({ buckets_info: { averageFillLevelPPM: 10, reportedRaidFillLevelSeverity: 'Major' } })]);
    expect(only(judged, 'capacity_high').message).toContain("Weka judges the RAID's fill level Major");
  });

  it('is not high below the limit, of an unlimited or empty cluster, nor by what data reduction makes look full', async () => {
    expect(kinds(await list('fs.json', [filled(8.4e13)]))).toEqual([]);
    expect(kinds(await list('fs.json', [filled(9e13)], { capacity: { total_bytes: NO_LIMIT } }))).toEqual([]);
    expect(kinds(await list('fs.json', [filled(9e13)], { capacity: { total_bytes: 0 } }))).toEqual([]);
    expect(kinds(await list('fs.json', [filled(9e13, { data_reduction: true })]))).toEqual([]);
  });

  it('has not been judged without the file systems that made it high', async () => {
    const high = await list('fs.json', [filled(9e13)]);
    const blind = await collect([statusFile()], { carry: high.carry });
    expect(blind.coverage.observed).toEqual({});
    expect((await collect([statusFile()], { carry: blind.carry })).coverage.observed).toEqual({});
    const seen = await collect([statusFile(), input('fs.json', [filled(1e13)])], { carry: blind.carry });
    expect(seen.coverage.observed['cluster']).toBe('democluster');
    expect(kinds(seen)).toEqual([]);
  });

  it('has no spare left where spares are used up, or where none was configured and file systems are full', async () => {
    const used = await collect([statusFile({ capacity: { total_bytes: 1e14, hot_spare_bytes: 0 } })]);
    expect(only(used, 'hot_spare_exhausted').message).toContain('1 spare failure domains are configured, but no spare capacity is left');
    const ssd = (share: number): JsonObject => ({
      fs_id: 'FSId<1>',
      name: 'scratch',
      available_total: 1000,
      used_total: 10,
      available_ssd: 1000,
      used_ssd: 1000 * share,
    });
    const tight = await list('fs.json', [ssd(0.67)], { hot_spare: 0 });
    expect(only(tight, 'hot_spare_exhausted').message).toContain('1 file systems are over 66.7 % of their SSD (scratch at 67 %)');
    expect(kinds(await list('fs.json', [ssd(0.66)], { hot_spare: 0 }))).toEqual([]);
    expect(kinds(await list('fs.json', [ssd(0.67)], { hot_spare: 1 }))).toEqual([]);
  });
});

describe('object stores', () => {
  const bucket = (over: JsonObject): JsonObject => ({
    id: 'ObsBucketId<1>',
    name: 'b1',
    obs_name: 'o',
    status: 'UP',
    up_count: 10,
    down_count: 0,
    ...over,
  });
  const tiered = (status: string, state = 'ACTIVE'): JsonObject => ({
    fs_id: 'FSId<1>',
    name: 'archive',
    available_total: 1000,
    used_total: 10,
    obs_buckets: [{ name: 'b1', status, state }],
  });

  it('are down by their own state, or by what a file system or every process says', async () => {
    expect(only(await list('obs.json', [bucket({ status: 'DOWN', up_count: 2, down_count: 8 })]), 'object_store_down').message).toBe(
      'Weka object store bucket b1 is down, reached by 2 of 10 processes',
    );
    expect(only(await list('fs.json', [tiered('DOWN')]), 'object_store_down').message).toBe(
      'Weka object store bucket b1 is down; file systems archive tier to it',
    );
    expect(kinds(await list('obs.json', [bucket({ up_count: 0, down_count: 10 })]))).toEqual(['object_store_down']);
    const both = await collect([statusFile(), input('obs.json', [bucket({ status: 'DOWN' })]), input('fs.json', [tiered('DOWN')])]);
    expect(both.conditions).toHaveLength(1);
  });

  it('are not down when they are detached, when some processes do not reach them, or when only their capacity is told', async () => {
    expect(kinds(await list('fs.json', [tiered('DOWN', 'DETACHING')]))).toEqual([]);
    expect(kinds(await list('obs.json', [bucket({ down_count: 3 })]))).toEqual([]);
    const capacity = await list('capacities', [
      { obs_bucket_name: 'b1', filesystem_name: 'archive', total_consumed_bytes: 30, used_bytes: 20, reclaimable_percent: 76.09 },
    ]);
    expect(kinds(capacity)).toEqual([]);
    expect(capacity.facts).toContainEqual({
      subject: { type: 'object_store', id: 'b1' },
      facts: { file_systems: 1, used_bytes: 20, reclaimable_percent: 76.09 },
    });
  });

  it('are all observed with their own list, and without it only where there never was one', async () => {
    const fs = input('fs.json', [tiered('UP')]);
    const first = await collect([statusFile(), fs]);
    expect(first.coverage.observed['object_store']).toBe('all');
    const listed = await collect([statusFile(), fs, input('obs.json', [bucket({ name: 'b2' })])], { carry: first.carry });
    expect(listed.coverage.observed['object_store']).toBe('all');
    const lost = await collect([statusFile(), fs], { carry: listed.carry });
    expect(lost.coverage.observed['object_store']).toBe('b1');
    expect((await collect([statusFile(), fs], { carry: lost.carry })).coverage.observed['object_store']).toBe('b1');
    expect((await collect([statusFile(), fs], { carry: lost.carry, now: NOW + 2 * 86_400_000 })).coverage.observed['object_store']).toBe(
      'all',
    );
  });
});

describe('alerts', () => {
  const alert = (over: JsonObject): JsonObject => ({
    type: 'NetworkInterfaceLinkDown',
    title: 'Link down',
    muted: false,
    params: { hostname: 'weka02' },
    ...over,
  });
  const severity = async (over: JsonObject, status: JsonObject = {}): Promise<string | undefined> =>
    (await list('alerts.json', [alert(over)], status)).conditions.find((c) => c.kind === 'storage_alert')?.severity;

  it('are one condition for each type, counted, the worst of them leading', async () => {
    const result = await list('alerts.json', [
      alert({ severity: 'MINOR', count: 2 }),
      alert({ severity: 'MAJOR', params: { hostname: 'weka03' } }),
      alert({ type: 'ClockSkew', description: 'skewed' }),
    ]);
    expect(result.conditions.map((c) => [c.subject.id, c.count, c.message])).toEqual([
      ['ClockSkew', 1, 'Weka alert ClockSkew: skewed'],
      ['NetworkInterfaceLinkDown', 3, 'Weka alert NetworkInterfaceLinkDown (MAJOR), 3 times: Link down (on weka[02-03])'],
    ]);
  });

  it('that are muted are listed in the summary alone', async () => {
    const result = await list('alerts.json', [
      alert({ muted: true, severity: 'CRITICAL', count: 4 }),
      alert({ type: 'ClockSkew', muted: 'true' }),
    ]);
    expect(result.conditions).toEqual([]);
    expect(result.summary['alerts']).toEqual({
      active: 0,
      types: [],
      more: 0,
      muted: [
        { type: 'ClockSkew', count: 1 },
        { type: 'NetworkInterfaceLinkDown', count: 4 },
      ],
      mutedMore: 0,
    });
  });

  it.each<[JsonObject, string]>([
    [{ severity: 'CRITICAL' }, 'critical'],
    [{ severity: 'MAJOR' }, 'warning'],
    [{ severity: 'minor' }, 'warning'],
    [{ severity: 'WARNING' }, 'warning'],
    [{ severity: 'DEBUG' }, 'info'],
    [{ severity: 'INFO' }, 'info'],
    [{ severity: 'SPLINES' }, 'warning'],
    [{}, 'warning'],
    [{ type: 'DataIntegrity' }, 'critical'],
    [{ type: 'HangingIos', severity: 'DEBUG' }, 'warning'],
    [{ type: 'AdminDefaultPassword', severity: 'WARNING' }, 'info'],
    [{ type: 'AdminDefaultPassword' }, 'info'],
    [{ type: 'AdminDefaultPassword', severity: 'CRITICAL' }, 'critical'],
  ])('with %j are %s', async (over, expected) => {
    expect(await severity(over)).toBe(expected);
  });

  it('of protection without a severity are judged by the status', async () => {
    expect(await severity({ type: 'DataProtection' })).toBe('warning');
    expect((await collect([input('alerts.json', [alert({ type: 'DataProtection' })])])).conditions[0]?.severity).toBe('critical');
  });

  it('that a condition of ours tells already are info, unless they are of something else or critical', async () => {
    const drives = input('drives.json', [{ disk_id: 'DiskId<7>', status: 'FAILED' }]);
    const down = (id: number, over = {}): JsonObject =>
      alert({ type: 'DriveDown', severity: 'MAJOR', params: { drive_id: `DiskId<${id}>` }, ...over });
    const run = async (alerts: JsonObject[], over: JsonObject = {}) =>
      only(await collect([statusFile(over), drives, input('alerts.json', alerts)]), 'storage_alert');
    expect(await run([down(7)])).toMatchObject({ severity: 'info', values: { told_by: 'drive_failed' } });
    expect(await run([down(7), down(8)])).toMatchObject({ severity: 'warning', values: { told_by: null } });
    expect(await run([down(7, { params: {} })])).toMatchObject({ severity: 'warning' });
    expect(await run([down(7, { severity: 'CRITICAL' })])).toMatchObject({ severity: 'critical', values: { told_by: 'drive_failed' } });
    expect(await run([alert({ type: 'DataProtection', severity: 'MINOR' })], { rebuild: rebuild({ 2: 1 }) })).toMatchObject({
      severity: 'info',
      values: { told_by: 'storage_at_risk' },
    });
  });

  it('have their places filled with the parameters that they have', async () => {
    const result = await list('alerts.json', [
      alert({ fmt: 'Drive {drive_id} of {__proto__} on {hostname}\u202e', params: { drive_id: 'DiskId<7>', hostname: 'weka02\n' } }),
    ]);
    expect(only(result, 'storage_alert').message).toBe(
      'Weka alert NetworkInterfaceLinkDown: Drive DiskId<7> of {__proto__} on weka02\\n\\u{202e}',
    );
  });

  it('are quiet by the types that the site names', async () => {
    const config = { quiet_alerts: ['NetworkInterfaceLinkDown'] };
    expect(only(await list('alerts.json', [alert({ severity: 'MAJOR' })], {}, { config }), 'storage_alert').severity).toBe('info');
  });

  it('without a type are rejected, and then not all have been observed', async () => {
    const result = await list('alerts.json', [alert({}), { title: 'x', muted: false }]);
    expect(result.coverage).toMatchObject({ rejected: 1 });
    expect(result.coverage.observed).not.toHaveProperty('alert');
  });
});

describe('events', () => {
  it('are counted by severity and type, and make no condition', async () => {
    const result = await collect(fixtures('faulty'));
    expect(result.summary['events']).toMatchObject({
      listed: 7,
      bySeverity: { INFO: 3, MAJOR: 2, MINOR: 2 },
      severe: [
        { type: 'DriveDead', count: 1 },
        { type: 'DriveIoError' },
        { type: 'NodeUnreachable', count: 2, last: '2026-11-30T08:12:40.402Z' },
      ],
    });
  });
});

describe('servers', () => {
  it('are counted, numbers as text or not', async () => {
    const result = await list('servers.json', [
      { uid: 'u', name: 'weka02', deployment_mode: 'BACKEND', status: 'DEGRADED', load: '55' },
      { uid: 'v', name: 'weka03', deployment_mode: 'BACKEND', status: 'UP' },
    ]);
    expect(result.summary['servers']).toMatchObject({ listed: 2, notUp: 'weka02', byMode: { BACKEND: 2 } });
    expect(result.conditions).toEqual([]);
  });
});
