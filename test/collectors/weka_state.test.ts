import { describe, expect, it } from 'vitest';
import { wekaState } from '../../lib/collectors/weka_state/index.ts';
import { UnusableInput } from '../../lib/model/collector.ts';
import { atPointer } from '../../lib/model/json.ts';
import { collect, fixtures, input, NOW, only, type Result, shapes, status, statusFile, unreadable } from './weka-inputs.ts';

function severityOf(result: Result, index: number): string {
  const draft = result.conditions[index];
  return draft?.severity ?? wekaState.kinds.find((k) => k.kind === draft?.kind)?.severity ?? 'undeclared';
}

function loud(result: Result): string[] {
  return result.conditions.filter((_, i) => severityOf(result, i) !== 'info').map((c) => `${c.kind} ${c.subject.id}`);
}

describe('the bundled cluster', () => {
  it('has nothing at warning or above on the healthy day, whatever its look-alikes', async () => {
    const result = await collect(fixtures('healthy'));
    expect(loud(result)).toEqual([]);
    expect(result.summary['health']).toBe('ok');
    expect(result.coverage).toMatchObject({ rejected: 0, problems: [] });
    expect(result.coverage.observed).toEqual({
      cluster: 'democluster',
      drive: 'all',
      container: 'all',
      filesystem: 'all',
      object_store: 'all',
      alert: 'all',
    });
    expect(result.asOf).toBe(Date.parse('2026-11-30T08:43:41.209Z'));
  });

  it('tells the stories of the faulty day, and no other', async () => {
    const result = await collect(fixtures('faulty'));
    expect(loud(result)).toEqual([
      'container_down weka07/compute0',
      'drive_failed DiskId<18>',
      'fs_full scratch',
      'storage_degraded democluster',
    ]);
    expect(only(result, 'drive_failed')).toMatchObject({ place: { node: 'weka05' }, since: '2026-11-30T07:58:02.114Z' });
    expect(only(result, 'fs_full')).toMatchObject({ severity: 'critical', values: { used_share: 0.96 } });
    expect(only(result, 'storage_degraded').message).toContain('1.95 % of the data has 1 of 2 tolerated failures; 31 of 32 drives active');
    expect(result.conditions.find((c) => c.subject.id === 'weka07/compute0')?.place).toEqual({ node: 'weka07', failure_domain: 'DOM-006' });
    expect(result.summary['health']).toBe('degraded');
  });

  it('knows the clients that are down on it as their nodes, for what it is worth', async () => {
    const result = await collect(fixtures('faulty'));
    const clients = result.conditions.filter((c) => c.kind === 'container_down' && c.severity === 'info');
    expect(clients.map((c) => c.place?.['node'])).toEqual([
      'x1000c0s2b0n0',
      'x1001c0s4b1n0',
      'x1002c0s5b0n0',
      'x1002c0s5b0n1',
      'x1002c0s5b1n0',
      'x1002c0s5b1n1',
    ]);
    expect(result.facts?.find((f) => f.subject.id === 'login1')).toMatchObject({
      subject: { type: 'node' },
      facts: { storage: { mode: 'client' } },
    });
    expect(result.facts?.find((f) => f.subject.id === 'weka05')?.facts).toMatchObject({
      storage: { mode: 'backend', drives: 4, drivesFailed: 1 },
    });
  });

  it('cites what stands in its summary', async () => {
    const result = await collect(fixtures('faulty'));
    const cited = result.conditions.flatMap((c) => (c.evidence ?? []).flatMap((e) => e.at ?? []));
    expect(cited.length).toBeGreaterThan(2);
    expect(cited.filter((at) => atPointer(result, at) === undefined)).toEqual([]);
  });

  it('keeps no licence key, person, address or access key', async () => {
    const secrets = input('objectStoreBuckets', {
      data: [
        { id: 'ObsBucketId<0>', name: 'b', status: 'UP', obs_name: 'o', access_key_id: 'AKIA-KEPT-SECRET', secret_key: 'KEPT-SECRET' },
      ],
    });
    const loose = statusFile({
      cloud: { proxy: 'http://user:KEPT-SECRET@proxy.demo.test' },
      licensing: { mode: 'Classic', license: 'KEPT-SECRET', limits: {} },
    });
    const users = input('events.json', [
      { type: 'UserLoggedIn', timestamp: '2026-11-30T08:00:00Z', severity: 'INFO', entity: 'KEPT-SECRET (admin from 192.0.2.17)' },
    ]);
    const text = JSON.stringify(await collect([secrets, loose, users]));
    expect(text).not.toContain('KEPT-SECRET');
    expect(text).not.toContain('192.0.2.17');
  });
});

describe('the shapes of one cluster', () => {
  it('give the same summary, conditions and observed subjects: CLI and REST, JSON-RPC, releases 3 and 4', async () => {
    const results = await Promise.all(Object.values(shapes()).map((inputs) => collect(inputs)));
    const [first, ...others] = results as [Result, ...Result[]];
    expect(loud(first)).toEqual([
      'container_down weka03/default',
      'drive_failed DiskId<2>',
      'fs_full scratch',
      'process_blacklisted NodeId<4>',
      'storage_degraded democluster',
    ]);
    expect(first.coverage.observed).toEqual({
      cluster: 'democluster',
      drive: 'all',
      container: 'all',
      process: 'all',
      filesystem: 'all',
      object_store: 'all',
      alert: 'all',
    });
    for (const other of others) {
      expect(other.summary).toEqual(first.summary);
      expect(other.conditions.map((c) => [c.kind, c.subject, c.severity, c.place])).toEqual(
        first.conditions.map((c) => [c.kind, c.subject, c.severity, c.place]),
      );
      expect(other.coverage.observed).toEqual(first.coverage.observed);
      expect(other.series).toEqual(first.series);
    }
  });

  it('are all told apart by what they hold where neither name nor role helps', async () => {
    const named = await collect(shapes().cliV4);
    const nameless = await collect(shapes().cliV4.map((i, n) => ({ ...i, name: `dump${n}` })));
    expect(nameless.summary).toEqual(named.summary);
  });

  it('take v4 names before the v3 names that stand beside them', async () => {
    const result = await collect([
      statusFile({ hosts: { active_count: 3, total_count: 4, backends: { active: 2, total: 3 } }, nodes: { total: 12, blacklisted: 3 } }),
    ]);
    expect(result.conditions).toEqual([]);
    expect(result.summary['counters']).toMatchObject({ backends: { active: 3, total: 3 }, processes: { blacklisted: 0 } });
  });

  it('do not take drive containers for drives', async () => {
    const result = await collect([
      statusFile({ containers: { active: 4, total: 4, drives: { active: 1, total: 7 }, backends: { active: 3, total: 3 } } }),
    ]);
    expect(result.conditions).toEqual([]);
  });
});

describe('inputs', () => {
  it('fail by name where nothing of Weka is there', async () => {
    await expect(collect([input('notes.txt', 'hello')])).rejects.toThrow(UnusableInput);
    await expect(collect([input('status.json', '{"io_status": "STAR')])).rejects.toMatchObject({
      input: 'status.json',
      place: 'line 1 column 20',
    });
    await expect(collect([input('status.json', { data: 'Unauthorized' })])).rejects.toThrow('is an error answer, no data');
    await expect(collect([])).rejects.toThrow(UnusableInput);
  });

  it('fail as unread where no input could be read', async () => {
    await expect(collect([unreadable('status.json')])).rejects.toMatchObject({ name: 'ReadError', input: 'status.json' });
  });

  it('of other kinds in the folder are noted, and broken ones of ours make the source partial', async () => {
    const result = await collect([
      statusFile(),
      input('README.md', '# about'),
      input('foreign.json', [{ a: 1 }]),
      input('drives.json', '[{"disk_id":'),
      unreadable('fs.json'),
    ]);
    const effects = Object.fromEntries(result.coverage.problems.map((p) => [p.input, p.effect]));
    expect(effects).toEqual({ 'README.md': 'note', 'foreign.json': 'note', 'drives.json': 'input', 'fs.json': 'input' });
    expect(result.coverage.problems.find((p) => p.input === 'drives.json')?.place).toBe('line 1 column 13');
    expect(result.coverage.observed).toEqual({ cluster: 'democluster' });
  });

  it('without a section are whole, without a status partial, unless they were pushed', async () => {
    expect((await collect([statusFile()])).coverage.problems).toEqual([]);
    const alerts = input('alerts.json', []);
    const lone = await collect([alerts]);
    expect(lone.coverage.problems).toMatchObject([{ effect: 'input' }]);
    expect(lone.coverage.observed).toEqual({ alert: 'all' });
    expect(lone.summary).toMatchObject({ health: 'unknown', alerts: { active: 0 } });
    expect((await collect([{ ...alerts, pushed: true }])).coverage.problems).toEqual([]);
  });

  it('that contradict their configured role are not used', async () => {
    const result = await collect([statusFile(), input('x.json', [{ disk_id: 'DiskId<1>', status: 'FAILED' }], { role: 'alerts' })]);
    expect(result.conditions).toEqual([]);
    expect(result.coverage.problems).toMatchObject([
      { effect: 'input', input: 'x.json', message: expect.stringContaining('configured as alerts, but holds drives') as string },
    ]);
  });

  it('of another cluster are refused by name', async () => {
    const result = await collect([statusFile(), input('status-old.json', status({ name: 'other', time: {} }))]);
    expect(result.coverage.problems).toMatchObject([{ effect: 'input', input: 'status-old.json' }]);
    expect(result.summary['name']).toBe('demo-weka');
  });

  it('of one cluster count by the newest status', async () => {
    const older = status({ io_status: 'STOPPED', time: { cluster_time: '2026-11-30T08:00:00Z' } });
    const result = await collect([input('a-status.json', older), statusFile()]);
    expect(result.conditions).toEqual([]);
    expect(result.coverage.problems).toMatchObject([{ effect: 'note', input: 'a-status.json' }]);
  });

  it('with a page missing are not the whole', async () => {
    const page = { data: [{ id: 'FSId<1>', name: 'home', available_total: 10, used_total: 1 }], next_token: '91b5d073' };
    const result = await collect([statusFile(), input('fileSystems', page)]);
    expect(result.coverage.observed['filesystem']).toBe('home');
    expect(result.coverage.problems).toMatchObject([{ effect: 'note', input: 'fileSystems' }]);
  });

  it('fewer than the cluster counts observe only what they list, and none at all is a problem', async () => {
    const one = await collect([statusFile(), input('drives.json', [{ disk_id: 'DiskId<1>', status: 'ACTIVE' }])]);
    expect(one.coverage.observed['drive']).toBe('DiskId<1>');
    expect(one.coverage.problems).toMatchObject([{ effect: 'note' }]);
    const none = await collect([statusFile(), input('drives.json', [])]);
    expect(none.coverage.observed).not.toHaveProperty('drive');
    expect(none.coverage.problems).toMatchObject([{ effect: 'input' }]);
  });

  it('count each odd object as rejected, and keep the others', async () => {
    const drives = [
      null,
      7,
      'DiskId<3>',
      {},
      { disk_id: 'Disk\u0000Id', status: 'FAILED' },
      { disk_id: 'DiskId<2>', status: 'FAILED' },
      { disk_id: '__proto__', status: 'FAILED' },
    ];
    const result = await collect([statusFile(), input('drives.json', drives)]);
    expect(result.conditions.map((c) => c.subject.id)).toEqual(['DiskId<2>', '__proto__']);
    expect(result.coverage.rejected).toBe(5);
    expect(result.coverage.problems.filter((p) => p.effect === 'record').map((p) => p.place)).toEqual(['/0', '/1', '/2', '/3', '/4']);
    expect(result.coverage.observed['drive']).not.toBe('all');
  });

  it('list at most 20 rejected records however many there are', async () => {
    const result = await collect([
      statusFile(),
      input('drives.json', [...Array.from({ length: 5000 }, () => null), { disk_id: 'DiskId<2>', status: 'FAILED' }]),
    ]);
    expect(result.coverage.rejected).toBe(5000);
    expect(result.coverage.problems.filter((p) => p.effect === 'record').map((p) => p.place)).toEqual(
      Array.from({ length: 20 }, (_, i) => `/${i}`),
    );
  });
});

describe('the time of the data', () => {
  it("is the cluster's own, of 7 digits of fraction, and never ahead of ours", async () => {
    expect((await collect([statusFile()])).asOf).toBe(Date.parse('2026-11-30T08:44:30.123Z'));
    expect((await collect([statusFile({ time: { cluster_time: '2026-11-30T09:44:30.1234567Z' } })])).asOf).toBe(NOW);
    expect(await collect([statusFile({ time: { cluster_time: '' } })])).not.toHaveProperty('asOf');
  });

  it('without a zone is UTC, whatever the zone of the host', async () => {
    const zone = process.env['TZ'];
    process.env['TZ'] = 'America/Denver';
    try {
      expect((await collect([statusFile({ time: { cluster_time: '2026-11-30T08:44:30' } })])).asOf).toBe(
        Date.parse('2026-11-30T08:44:30Z'),
      );
    } finally {
      if (zone === undefined) delete process.env['TZ'];
      else process.env['TZ'] = zone;
    }
  });
});

describe('its endpoints', () => {
  it('are GET paths that make the cluster do no work, each in a role that can be configured', () => {
    const endpoints = wekaState.inputs.endpoints ?? [];
    expect(endpoints[0]).toEqual({ role: 'status', path: '/api/v2/cluster' });
    for (const endpoint of endpoints) {
      expect(endpoint.path).toMatch(/^\/api\/v2\/[A-Za-z/]+(\?num_results=\d+)?$/);
      expect(wekaState.inputs.roles).toContain(endpoint.role);
    }
  });
});
