import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../lib/model/json.ts';
import { collect, DAY, input, kinds, NO_LIMIT, MINUTE, NOW, only, rebuild, type Result, status, statusFile } from './weka-inputs.ts';

const later = (ms: number): JsonObject => ({
  cluster_time: new Date(Date.parse('2026-11-30T08:44:30.000Z') + ms).toISOString(),
  allowed_clock_skew_secs: 60,
});

describe('health', () => {
  it('is ok where io_status, protection and counters are, and says why not otherwise', async () => {
    const result = await collect([statusFile()]);
    expect(result.conditions).toEqual([]);
    expect(result.summary).toMatchObject({ health: 'ok', reasons: [], io: { status: 'STARTED' } });
  });

  it.each([
    ['drives', { drives: { active: 5, total: 6 } }, '5 of 6 drives active'],
    ['IO processes', { io_nodes: { active: 5, total: 6 } }, '5 of 6 IO processes active'],
    ['buckets', { buckets: { active: 29, total: 30 } }, '29 of 30 buckets active'],
    ['backends', { containers: { active: 3, total: 4, backends: { active: 2, total: 3 } } }, '2 of 3 backend containers active'],
    [
      'requests that hang again',
      {
        hanging_ios: {
          last_emitted_backend_event: '2026-11-30T08:30:00Z',
          last_emitted_backend_no_longer_detected_event: '2026-11-29T08:30:00Z',
        },
      },
      'requests hang since 2026-11-30T08:30:00.000Z',
    ],
    [
      'v3 backends',
      { containers: null, hosts: { active_count: 3, total_count: 4, backends: { active: 2, total: 3 } } },
      '2 of 3 backend containers active',
    ],
    ['protection', { rebuild: rebuild({ 1: 0.004 }) }, 'under 0.01 % of the data has 1 of 2 tolerated failures'],
    ['blacklisted processes', { processes: { total: 12, blacklisted: 2 } }, '2 processes blacklisted'],
    ['too much provisioned', { capacity: { total_bytes: 1e14, unprovisioned_bytes: -(2 ** 40) } }, '1 TiB more provisioned than there is'],
    ['unavailable capacity', { capacity: { total_bytes: 1e14, unavailable_bytes: 2 ** 41 } }, '2 TiB of the capacity unavailable'],
    ['its own word', { status: 'PARTIALLY_PROTECTED' }, 'Weka calls itself PARTIALLY_PROTECTED'],
    ['a word nobody knows', { status: 'SPLINES' }, 'Weka calls itself SPLINES'],
    [
      'requests that hang',
      { hanging_ios: { last_emitted_backend_event: '2026-11-30T08:30:00.1Z' } },
      'requests hang since 2026-11-30T08:30:00.100Z',
    ],
  ])('is degraded by %s although the status says OK', async (_, over, reason) => {
    const result = await collect([statusFile(over)]);
    expect(kinds(result)).toEqual(['storage_degraded']);
    expect(only(result, 'storage_degraded').message).toBe(`Weka cluster demo-weka is degraded: ${reason}`);
    expect(result.summary['health']).toBe('degraded');
  });

  it.each([
    ['redistribution', { status: 'REDISTRIBUTING' }],
    [
      'hanging requests that ended',
      {
        hanging_ios: {
          last_emitted_backend_event: '2026-11-30T08:30:00Z',
          last_emitted_backend_no_longer_detected_event: '2026-11-30T08:31:00Z',
        },
      },
    ],
    ['hanging requests of last week', { hanging_ios: { last_emitted_nfs_frontend_event: '2026-11-22T08:30:00Z' } }],
    ['all capacity provisioned', { capacity: { total_bytes: 1e14, unprovisioned_bytes: 0, unavailable_bytes: 0 } }],
    ['an entry of failures that no data are in', { rebuild: rebuild({ 1: 0, 2: 0 }) }],
    ['more active than counted', { drives: { active: 7, total: 6 } }],
    ['an alert counter', { active_alerts_count: 40 }],
  ])('is not degraded by %s', async (_, over) => {
    expect((await collect([statusFile(over)])).conditions).toEqual([]);
  });

  it('is stopped by any io_status but STARTED, since it changed, whatever the status says', async () => {
    for (const io of ['STOPPED', 'STOPPING', 'STARTING', 'UNINITIALIZED', 'started?']) {
      const result = await collect([statusFile({ io_status: io, last_init_failure: 'Not enough\ndrives' })]);
      const stopped = only(result, 'storage_stopped');
      expect(stopped.message).toBe(
        `Weka cluster demo-weka: IO is ${io.toUpperCase()}, no client can read or write; last start failed: Not enough\\ndrives`,
      );
      expect(stopped.since).toBe('2026-08-04T10:20:15.017Z');
      expect(result.summary['health']).toBe('stopped');
    }
  });

  it('is unavailable with any unavailable data, or without an active bucket', async () => {
    const share = await collect([statusFile({ rebuild: rebuild({ 2: 3 }, { unavailablePercent: 0.5, unavailableMiB: 2048 }) })]);
    expect(only(share, 'storage_unavailable').message).toBe('Weka cluster demo-weka: 0.5 % of the data (2 GiB) cannot be read');
    expect(share.summary['health']).toBe('unavailable');
    const little = await collect([statusFile({ rebuild: rebuild({}, { unavailableMiB: 3 }) })]);
    expect(only(little, 'storage_unavailable').message).toBe('Weka cluster demo-weka: 0 % of the data (3 MiB) cannot be read');
    const idle = await collect([statusFile({ buckets: { active: 0, total: 30 } })]);
    expect(only(idle, 'storage_unavailable').message).toBe('Weka cluster demo-weka: none of 30 buckets is active');
  });

  it('is at risk once the failures of some data reach the protection, not before', async () => {
    const before = await collect([statusFile({ rebuild: rebuild({ 1: 40 }) })]);
    expect(kinds(before)).toEqual(['storage_degraded']);
    const at = await collect([statusFile({ rebuild: rebuild({ 1: 3, 2: 1.05 }) })]);
    expect(only(at, 'storage_at_risk').message).toBe(
      'Weka cluster demo-weka: 1.05 % of the data (1.025 GiB) has no redundancy left, 2 of 2 tolerated failures used; one more loses data',
    );
    expect(at.summary['health']).toBe('at_risk');
    const unsized = await collect([statusFile({ rebuild: { protectionState: [{ numFailures: '2', percent: '50' }] } })]);
    expect(only(unsized, 'storage_at_risk').message).toContain(': 50 % of the data has no redundancy left');
    // 4 protection drives: two failures are not the last.
    const four = await collect([statusFile({ stripe_protection_drives: 4, rebuild: rebuild({ 2: 1.05 }) })]);
    expect(kinds(four)).toEqual(['storage_degraded']);
  });

  it('knows how many failures are tolerated from the protection state where no field says it', async () => {
    const result = await collect([statusFile({ stripe_protection_drives: null, rebuild: rebuild({ 2: 1 }) })]);
    expect(only(result, 'storage_at_risk').values).toMatchObject({ tolerated_failures: 2 });
  });

  it('hides nothing behind the worst: a stopped cluster keeps its other conditions', async () => {
    const result = await collect([
      statusFile({ io_status: 'STOPPED', drives: { active: 4, total: 6 }, rebuild: rebuild({ 2: 1 }, { unavailablePercent: 100 }) }),
    ]);
    expect(kinds(result)).toEqual(['storage_at_risk', 'storage_degraded', 'storage_stopped', 'storage_unavailable']);
  });

  it.each([
    ['io_status', { io_status: null }],
    ['rebuild.protectionState', { rebuild: {} }],
    ['rebuild.protectionState', { rebuild: { protectionState: [] } }],
    [
      'rebuild.protectionState',
      {
        rebuild: {
          protectionState: [
            { numFailures: 0, percent: 100, MiB: 5 },
            { numFailures: -1, percent: 3 },
          ],
        },
      },
    ],
  ])('is unknown, and the cluster unobserved, without a usable %s', async (field, over) => {
    const result = await collect([statusFile(over)]);
    expect(result.summary['health']).toBe('unknown');
    expect(result.coverage.observed).toEqual({});
    expect(result.coverage.problems).toMatchObject([
      { effect: 'input', message: `status: ${field} missing or unusable: the state of the cluster cannot be told` },
    ]);
  });

  it('is as bad as what can be read of the protection state says, though an entry cannot', async () => {
    const odd = { protectionState: [{ numFailures: null, percent: 0 }, { numFailures: 2, percent: 5 }, 7] };
    const result = await collect([statusFile({ rebuild: rebuild({}, odd) })]);
    expect(kinds(result)).toEqual(['storage_at_risk', 'storage_degraded']);
    expect(result.coverage.observed).toEqual({});
    expect(result.series).not.toHaveProperty('unprotected_percent');
    // How many failures are tolerated cannot be told from half of it.
    const untold = await collect([statusFile({ stripe_protection_drives: null, rebuild: rebuild({}, odd) })]);
    expect(kinds(untold)).toEqual(['storage_degraded']);
    expect(untold.summary['protection']).toMatchObject({ full: false });
  });

  it.each([
    ['rebuild.unavailablePercent', { rebuild: rebuild({}, { unavailablePercent: 'NaN' }) }],
    ['rebuild.unavailableMiB', { rebuild: rebuild({}, { unavailableMiB: -1 }) }],
    ['drives', { drives: { active: '?', total: 6 } }],
    ['io_nodes', { io_nodes: 6 }],
    ['buckets', { buckets: [30, 30] }],
  ])('is not told to be good by a %s that cannot be read', async (field, over) => {
    const result = await collect([statusFile(over)]);
    expect(result.summary['health']).toBe('unknown');
    expect(result.coverage.observed).toEqual({});
    expect(result.coverage.problems).toMatchObject([{ effect: 'input', message: expect.stringContaining(`status: ${field} `) }]);
  });

  it('takes no counter from what is none', async () => {
    const odd = {
      drives: { active: -3, total: 6 },
      io_nodes: { active: 'many', total: 6 },
      buckets: [],
      containers: 7,
      nodes: null,
      capacity: { total_bytes: -1 },
    };
    const result = await collect([statusFile(odd)]);
    expect(result.conditions).toEqual([]);
    expect(result.summary['counters']).toEqual({ processes: { total: 12, blacklisted: 0 } });
  });
});

describe('a rebuild', () => {
  const run = (at: number, carry: unknown, over: JsonObject = {}, rules = {}): Promise<Result> =>
    collect([statusFile({ rebuild: rebuild({ 1: 2 }, { progressPercent: 40, totalCopiesDoneMiB: 500, ...over }), time: later(at) })], {
      now: NOW + at,
      carry,
      rules,
    });

  it('is stalled once it has not moved for longer than the limit, and no more when it moves', async () => {
    const first = await run(0, undefined);
    expect(kinds(first)).toEqual(['storage_degraded']);
    const soon = await run(29 * MINUTE, first.carry);
    expect(kinds(soon)).toEqual(['storage_degraded']);
    const stalled = await run(31 * MINUTE, soon.carry);
    expect(only(stalled, 'rebuild_stalled')).toMatchObject({ since: '2026-11-30T08:44:30.000Z', values: { stood_ms: 31 * MINUTE } });
    expect(only(stalled, 'rebuild_stalled').message).toContain(
      'stands at 40 % with 2 % of the data not fully protected; no progress for 31m (limit 30m)',
    );
    const moved = await run(36 * MINUTE, stalled.carry, { totalCopiesDoneMiB: 501 });
    expect(kinds(moved)).toEqual(['storage_degraded']);
  });

  it('that a new failure throws back is moving', async () => {
    const first = await run(0, undefined);
    expect(kinds(await run(40 * MINUTE, first.carry, { progressPercent: 12 }))).toEqual(['storage_degraded']);
  });

  it('does not stall because one dump is read again and again', async () => {
    const first = await run(0, undefined);
    const again = await collect(
      [statusFile({ rebuild: rebuild({ 1: 2 }, { progressPercent: 40, totalCopiesDoneMiB: 500 }), time: later(0) })],
      { now: NOW + 90 * MINUTE, carry: first.carry },
    );
    expect(kinds(again)).toEqual(['storage_degraded']);
  });

  it('starts its time again where the clock of the cluster went back', async () => {
    const ahead = await run(60 * MINUTE, undefined);
    const back = await run(0, ahead.carry);
    expect(kinds(await run(31 * MINUTE, back.carry))).toContain('rebuild_stalled');
  });

  it('has the limit that the site sets', async () => {
    const rules = { rebuild_stalled: { threshold: '2h' } };
    const first = await run(0, undefined, {}, rules);
    expect(kinds(await run(119 * MINUTE, first.carry, {}, rules))).toEqual(['storage_degraded']);
    expect(kinds(await run(120 * MINUTE, first.carry, {}, rules))).toContain('rebuild_stalled');
  });

  it('that cannot go on for lack of failure domains is stalled at once', async () => {
    const result = await run(0, undefined, { enoughActiveFDs: false, numActiveFDs: 2 });
    expect(only(result, 'rebuild_stalled').message).toContain('only 2 failure domains are active, it needs 3');
  });

  it('is followed over a run that could not read the status', async () => {
    const first = await run(0, undefined);
    const blind = await collect([input('alerts.json', [])], { now: NOW + 10 * MINUTE, carry: first.carry });
    expect(kinds(await run(31 * MINUTE, blind.carry))).toContain('rebuild_stalled');
  });

  it('that is over is forgotten', async () => {
    const first = await run(0, undefined);
    const done = await collect([statusFile({ time: later(10 * MINUTE) })], { now: NOW + 10 * MINUTE, carry: first.carry });
    expect(done.carry).toMatchObject({ rebuild: null });
  });
});

describe('the licence', () => {
  const licensed = (days: number | null, over: JsonObject = {}) =>
    statusFile({
      licensing: {
        mode: 'Classic',
        error: '',
        limits: { usable_capacity_gb: NO_LIMIT, expires_at: days === null ? '' : new Date(NOW + days * DAY).toISOString() },
        ...over,
      },
    });

  it.each([
    [31, undefined],
    [29, 'warning'],
    [6, 'critical'],
    [-1, 'critical'],
    [null, undefined],
  ])('with %s days left is %s', async (days, severity) => {
    const found = (await collect([licensed(days)])).conditions;
    expect(found.map((c) => c.severity ?? 'warning')).toEqual(severity === undefined ? [] : [severity]);
  });

  it('says when, and how long that is', async () => {
    expect(only(await collect([licensed(6)]), 'licence_expiring').message).toBe('Weka licence (Classic): expires in 6d, on 2026-12-06');
    expect(only(await collect([licensed(-2)]), 'licence_expiring').message).toBe('Weka licence (Classic): expired 1d 23h ago');
  });

  it('that Weka finds fault with is told', async () => {
    const result = await collect([licensed(100, { error: 'Capacity exceeded', io_start_eligibility: false })]);
    expect(only(result, 'licence_expiring').message).toBe(
      'Weka licence (Classic): Weka reports: Capacity exceeded; IO could not be started again with it',
    );
  });

  it('comes from its own document as well, and holds the limits that the site sets', async () => {
    const own = input('license', {
      data: { mode: 'PAYG', license: 'secret', limits: { expires_at: new Date(NOW + 50 * DAY).toISOString() }, usage: {} },
    });
    const rules = { licence_expiring: { threshold: '60d', critical: '10d' } };
    const result = await collect([statusFile({ licensing: null }), own], { rules });
    expect(only(result, 'licence_expiring')).toMatchObject({ values: { mode: 'PAYG' } });
    // Without that document the cluster has not been observed: nothing says that the licence is fine.
    const blind = await collect([statusFile({ licensing: null })], { rules, carry: result.carry });
    expect(blind.coverage.observed).toEqual({});
    expect((await collect([statusFile()], { rules, carry: blind.carry })).coverage.observed).toEqual({ cluster: 'democluster' });
  });
});

describe('the clocks', () => {
  const at = (ms: number, extra = {}) =>
    input('status.json', status({ time: { cluster_time: new Date(NOW + ms).toISOString(), allowed_clock_skew_secs: 60 } }), extra);
  const fetched = (ms: number) => ({ ...at(ms), name: 'https://weka.demo.test:14000/api/v2/cluster' });
  const written = (ms: number): { mtime: string } => ({ mtime: new Date(NOW + ms).toISOString() });

  it('disagree where the cluster is ahead of us by more than it allows', async () => {
    expect((await collect([at(59_000)])).conditions).toEqual([]);
    expect(only(await collect([at(3 * MINUTE)]), 'clock_skew')).toMatchObject({
      subject: { type: 'cluster', id: 'democluster' },
      message: "the clock of Weka cluster demo-weka is 3m ahead of the observer's; the cluster allows 1m",
      values: { skew_ms: 3 * MINUTE, allowed_ms: MINUTE },
    });
  });

  it('disagree where data that are new are behind, but old data are only old', async () => {
    expect(only(await collect([fetched(-3 * MINUTE)]), 'clock_skew').values).toMatchObject({ skew_ms: -3 * MINUTE });
    expect((await collect([fetched(-30_000)])).conditions).toEqual([]);
    expect((await collect([at(-3 * MINUTE)])).conditions).toEqual([]);
    expect((await collect([at(-3 * MINUTE, { pushed: true })])).conditions).toEqual([]);
    expect((await collect([at(-60 * MINUTE, written(-59 * MINUTE))])).conditions).toEqual([]);
    expect((await collect([at(-60 * MINUTE, written(-20 * MINUTE))])).conditions).toEqual([]);
    expect(kinds(await collect([at(-60 * MINUTE, written(-2 * MINUTE))]))).toEqual(['clock_skew']);
  });

  it('may differ by what the site says', async () => {
    expect((await collect([at(3 * MINUTE)], { rules: { clock_skew: { threshold: '5m' } } })).conditions).toEqual([]);
  });
});

describe('thresholds that are none', () => {
  it('are said, and the default holds', async () => {
    const rules: Record<string, JsonObject> = {
      rebuild_stalled: { threshold: 'soon' },
      fs_full: { threshold: -1 },
      capacity_high: { critical: 'x' },
    };
    const result = await collect([statusFile()], { rules });
    expect(result.coverage.problems.map((p) => [p.effect, p.message])).toEqual([
      ['note', 'rules.capacity_high.critical is not usable; 95 % holds'],
      ['note', 'rules.fs_full.threshold is not usable; 85 % holds'],
      ['note', 'rules.rebuild_stalled.threshold is not usable; 30m holds'],
    ]);
  });
});
