import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lintGroundTruth } from '../../lib/findings/lint.ts';
import { parseGroundTruth } from '../../lib/findings/ground-truth.ts';
import { appendHistory } from '../../lib/steps/history.ts';
import { NO_FACTS } from '../../lib/store/shards.ts';
import { publishReport } from '../../lib/report/publish.ts';
import { testObserver, type TestObserver } from '../observer.ts';
import { inventory } from '../findings/build.ts';
import { ATTACKS } from '../report/attacks.ts';
import { ago, finding, HOUR, NOW, report } from '../report/build.ts';
import { cli } from './run.ts';

const UNTIL = ['--until', '7d', '--reason', 'fan on its way (HW-7): "soon"'];
const fan = finding({ node: 'login2', kind: 'hw_fan', severity: 'warning' });
const panic = finding({ node: 'n1', state: 'ongoing', episode: 3 });
const over = finding({ node: 'n2', state: 'resolved', resolvedAt: ago(0) });

let observer: TestObserver;
beforeEach(() => {
  observer = testObserver('cluster: democluster\nsources:\n  hpcm_inventory: { nodes: nodes.json }\n');
  observer.now = NOW;
});
afterEach(() => observer.dispose());

const read = (yaml: string) => parseGroundTruth(yaml, { file: 'fleet.yaml', now: NOW });

describe('lint', () => {
  const WRONG = 'fleet: [{ nodes: "n[1-4]", role: compute }]\nsilences:\n  - { nodes: n9, reason: x, owner: o, expires: 2026-11-01 }\n';

  it('names everything that is to be mended, with its line, and ends with 1', async () => {
    observer.truth = WRONG;
    const { code, out } = await cli(observer, ['lint']);
    expect(code).toBe(1);
    expect(out.split('\n')).toEqual([
      expect.stringMatching(/^fleet\.yaml:3: silences\.0: has run out .* ago/),
      expect.stringMatching(/^fleet\.yaml:3: silences\.0: names n9, which fleet does not have/),
      'fleet.yaml: 2 things to mend (not checked against the inventory: hpcm_inventory was not collected)',
      '',
    ]);
  });

  it('asks an inventory that is fresh and complete what nodes there are', async () => {
    const snapshot = inventory(NOW, 'n[1-3]');
    await observer.snapshots.commit({ snapshot, facts: NO_FACTS });
    await observer.store.put('attempts/hpcm_inventory/latest', {
      source: 'hpcm_inventory',
      startedAt: ago(0),
      endedAt: ago(0),
      status: 'ok',
      snapshot: snapshot.id,
    });
    observer.truth = 'fleet: [{ nodes: "n[1-4]", role: compute }]\n';
    const { out } = await cli(observer, ['lint']);
    expect(out).toContain('fleet.yaml:1: fleet.0: expects n4, which the inventory does not have');
    expect(out).toContain('(checked against the inventory)');
  });

  it('checks a file before it is put in place, with and without a configuration', async () => {
    observer.truth = 'fleet: []\n';
    for (const isConfigured of [true, false]) {
      const bad = await cli(observer, ['lint', 'new.yaml'], { files: { 'new.yaml': WRONG }, isConfigured });
      expect(bad).toMatchObject({ code: 1, out: expect.stringContaining('new.yaml:3: ') });
      const good = await cli(observer, ['lint', 'new.yaml'], { files: { 'new.yaml': 'fleet: []\n' }, isConfigured });
      expect(good).toMatchObject({ code: 0, out: expect.stringContaining('nothing to mend') });
    }
    expect(await cli(observer, ['lint', 'nowhere'])).toMatchObject({ code: 2, err: 'nowhere: cannot be read (ENOENT)\n' });
  });

  it('says that there is none, and answers JSON', async () => {
    expect(await cli(observer, ['lint'])).toMatchObject({ code: 1, err: expect.stringContaining('No ground truth') });
    observer.truth = WRONG;
    expect(JSON.parse((await cli(observer, ['lint', '--json'])).out)).toMatchObject({ file: 'fleet.yaml', mistakes: [{}, {}] });
  });

  it('prints what a hostile file says as lines of its own', async () => {
    for (const attack of Object.values(ATTACKS)) {
      observer.truth = `silences: [{ kind: ${JSON.stringify(attack)}, reason: r, owner: o, expires: 2026-12-01, ${JSON.stringify(attack)}: 1 }]`;
      const { out } = await cli(observer, ['lint']);
      for (const line of out.trimEnd().split('\n')) expect(line).toMatch(/^fleet\.yaml:/);
    }
  });
});

describe('silence', () => {
  beforeEach(() => publishReport(observer, report({ findings: [fan, panic, over] })));

  it('prints an entry that the ground truth takes as it is, and says what it hides now', async () => {
    const { code, out, err } = await cli(observer, ['silence', fan.id.slice(0, 8), ...UNTIL, '--ticket', 'HW-7'], { user: 'ops' });
    expect(code).toBe(0);
    expect(err).toBe('it hides 1 of 2 open findings now: login2\n');
    expect(lintGroundTruth(out, { file: 'x', now: NOW })).toEqual([]);
    expect(read(out).groundTruth?.silences).toMatchObject([
      {
        kind: 'hw_fan',
        subject: { type: 'node', id: 'login2' },
        reason: 'fan on its way (HW-7): "soon"',
        owner: 'ops',
        ticket: 'HW-7',
        expires: NOW + 7 * 24 * HOUR,
      },
    ]);
  });

  it('takes a kind, nodes, a worst severity', async () => {
    const { out, err } = await cli(observer, ['silence', '--nodes', 'n[1-2],login2', '--severity', 'warning', ...UNTIL, '--owner', 'me']);
    expect(err).toBe('it hides 1 of 2 open findings now: login2\n');
    expect(read(out).groundTruth?.silences).toMatchObject([{ nodes: 'n[1-2],login2', severity: 'warning', owner: 'me' }]);
    expect((await cli(observer, ['silence', '--kind', 'oom', ...UNTIL, '--owner', 'me'])).err).toBe(
      'it hides nothing that is open now (2 findings)\n',
    );
  });

  it.each([
    ['one that matches everything', [...UNTIL, '--owner', 'me'], 'matches everything'],
    ['one that never ends', ['--kind', 'hw_fan', '--until', '800d', '--reason', 'r', '--owner', 'me'], 'never ends'],
    ['one that is over', ['--kind', 'hw_fan', '--until', '2026-11-01', '--reason', 'r', '--owner', 'me'], 'has run out'],
    ['an end that is none', ['--kind', 'hw_fan', '--until', 'soon', '--reason', 'r', '--owner', 'me'], 'expires: expected a day'],
    ['a kind that is none', ['--kind', 'hw_fann', ...UNTIL, '--owner', 'me'], 'no kind of finding is called hw_fann'],
    ['nodes that are no set', ['--nodes', 'n[1-', ...UNTIL, '--owner', 'me'], 'nodes: '],
    ['no reason', ['--kind', 'hw_fan', '--until', '7d', '--reason', ' ', '--owner', 'me'], 'reason: '],
    ['no owner', ['--kind', 'hw_fan', ...UNTIL], 'who?'],
    ['no end', ['--kind', 'hw_fan', '--reason', 'r'], '--until'],
  ])('refuses %s', async (_, flags, why) => {
    expect(await cli(observer, ['silence', ...flags])).toMatchObject({ code: 2, out: '', err: expect.stringContaining(why) });
  });
});

describe('ack', () => {
  beforeEach(() => publishReport(observer, report({ findings: [fan, panic, over] })));

  it('prints an acknowledgement of the present episode', async () => {
    const { code, out } = await cli(observer, ['ack', panic.id.slice(0, 12), ...UNTIL, '--by', 'me']);
    expect(code).toBe(0);
    expect(out).toContain('# critical kernel panic: n1\n');
    expect(read(out)).toMatchObject({ mistakes: [], groundTruth: { acknowledgements: [{ id: panic.id, episode: 3, by: 'me' }] } });
    const any = await cli(observer, ['ack', panic.id, ...UNTIL, '--any-episode'], { user: 'ops' });
    expect(read(any.out).groundTruth?.acknowledgements).toMatchObject([{ by: 'ops' }]);
    expect(any.out).not.toContain('episode');
  });

  it('refuses what is not open, what is unknown, and an end that is over', async () => {
    expect(await cli(observer, ['ack', over.id, ...UNTIL, '--by', 'me'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('is resolved'),
    });
    expect(await cli(observer, ['ack', 'f'.repeat(32), ...UNTIL, '--by', 'me'])).toMatchObject({ code: 1 });
    const past = ['--until', '2026-11-01', '--reason', 'r', '--by', 'me'];
    expect(await cli(observer, ['ack', panic.id, ...past])).toMatchObject({ code: 2, err: expect.stringContaining('has run out') });
  });
});

describe('explain', () => {
  const step = (findingId: string, tick: string, from: 'new' | null, to: 'new' | 'ongoing') => ({
    findingId,
    tick,
    at: NOW_ISO,
    episode: 1,
    from,
    to,
    severity: 'critical' as const,
    reason: 'seen again',
  });
  const NOW_ISO = ago(0);

  it('tells the whole story: what, since when, why, where, evidence, group, history', async () => {
    const told = finding({
      node: 'n1',
      state: 'ongoing',
      looks: '0101',
      place: { rack: 'x1' },
      escalated: { from: 'warning', at: ago(HOUR), reason: 'it has lasted for over 24h' },
      acknowledged: { by: 'ops', until: ago(-HOUR), reason: 'part ordered' },
      evidence: [{ ref: 'console_logs@20261130t084400.000z#/conditions/0', quote: 'Kernel panic - not syncing' }],
    });
    const group = {
      id: 'f'.repeat(32),
      kind: told.kind,
      title: told.title,
      severity: 'critical' as const,
      state: 'ongoing' as const,
      place: { type: 'rack', id: 'x1' },
      findings: [told.id],
      subjects: 'n1',
      message: '3 of 4 nodes in rack x1, none elsewhere among 96',
      counterEvidence: ['1 of 4 nodes there do not show it: n4'],
      pValue: 1e-6,
      changedThere: 'power lost on pdu p1',
    };
    await publishReport(observer, report({ findings: [told], groups: [group] }));
    await appendHistory(observer.store, [step(told.id, '20261130t084000.000z', null, 'new')]);
    await appendHistory(observer.store, [step(told.id, '20261130t084500.000z', 'new', 'ongoing')]);
    const { code, out } = await cli(observer, ['explain', told.id.slice(0, 8)], { width: 80 });
    expect(code).toBe(0);
    for (const part of [
      'CRITICAL · kernel panic: n1\n',
      `id         ${told.id}\n`,
      'state      ongoing: seen for the first time',
      'seen       first 08:35Z, last 08:44Z; for 10m',
      '▁█▁█',
      'from warning at 07:45Z: it has lasted for over 24h',
      'by ops until 09:45Z: part ordered',
      'place      rack x1',
      'look at    Look at its console.',
      '“Kernel panic - not syncing”',
      '3 of 4 nodes in rack x1',
      'but: 1 of 4 nodes there do not show it: n4',
      'changed there: power lost on pdu p1',
      'episode 1: new, critical',
      'episode 1: ongoing, critical',
    ])
      expect(out).toContain(part);
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  it('tells what holds a finding back, and of one that is long over what is left', async () => {
    const held = {
      reason: 'known down',
      entry: 'bad DIMM',
      owner: 'hw-team',
      until: '2026-12-15T00:00:00.000Z',
      subjects: 'n1',
      findings: [{ id: panic.id, kind: 'kernel_panic', severity: 'critical' as const, subject: panic.subject }],
    };
    await publishReport(observer, report({ suppressed: [held] }));
    await appendHistory(observer.store, [step('e'.repeat(32), '20261130t084000.000z', null, 'new')]);
    const { out } = await cli(observer, ['explain', panic.id]);
    expect(out).toContain('CRITICAL · kernel_panic: n1 (held back)');
    expect(out).toContain('held back  known down: bad DIMM, by hw-team until 2026-12-15 00:00Z');
    expect((await cli(observer, ['explain', 'e'.repeat(32)])).out).toContain('is not in the last report');
    expect(await cli(observer, ['explain', 'd'.repeat(32)])).toMatchObject({ code: 1, err: expect.stringContaining('No such finding') });
  });

  it('shows hostile texts as lines of its own', async () => {
    for (const attack of Object.values(ATTACKS)) {
      const hostile = finding({
        node: 'n1',
        title: attack,
        message: attack,
        hint: attack,
        provenance: attack,
        reason: attack,
        place: { rack: attack },
        evidence: [{ ref: attack, quote: attack }],
      });
      await observer.reports.put('latest.json', report({ findings: [hostile] }));
      const { out } = await cli(observer, ['explain', hostile.id]);
      const beginnings = out.split('\n').filter((line) => line !== '' && !line.startsWith(' '));
      for (const line of beginnings) expect(line).toMatch(/^(CRITICAL ·|id |state |seen |place |values |look at |rule |EVIDENCE$)/);
      expect(out).not.toMatch(/[\u001b\u009b\r\u202e]/);
    }
  });
});
