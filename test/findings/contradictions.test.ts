import { describe, expect, it } from 'vitest';
import { deriveConditions } from '../../lib/findings/derive.ts';
import type { SourceView } from '../../lib/findings/observe.ts';
import type { ConditionDraft } from '../../lib/model/condition.ts';
import { HOUR, inventory, MINUTE, NOON, scheduler, snapshot, states, tickOf, view } from './build.ts';

const hpcm = (told = {}, at = NOON): SourceView => view(inventory(at, 'n[1-4]', { count: 4, ...told }), { maxAge: 24 * HOUR });
const pbs = (told = {}, at = NOON): SourceView => view(scheduler(at, 'n[1-4]', told));
const servers = (conditions: ConditionDraft[] = [], at = NOON): SourceView =>
  view(snapshot({ source: 'oneview_inventory', at, observed: { node: 'n[1-4]' }, conditions }), { maxAge: 24 * HOUR });
const alerts = (conditions: ConditionDraft[] = [], node = 'all'): SourceView =>
  view(snapshot({ source: 'oneview_alerts', at: NOON, observed: { node }, conditions }));

const off = (id: string): ConditionDraft => ({
  kind: 'server_off',
  subject: { type: 'node', id },
  message: 'off',
  values: { power: 'Off' },
});
const unwell = (id: string): ConditionDraft => ({
  kind: 'server_status',
  subject: { type: 'node', id },
  message: 'Warning',
  values: { status: 'Warning' },
});
const alert = (id: string): ConditionDraft => ({ kind: 'hw_power', subject: { type: 'node', id }, part: 'PSU 1', message: 'lost input' });

const derived = (...sources: SourceView[]) => deriveConditions({ cluster: 'test', now: NOON, sources, groundTruth: null, mistakes: [] });
const said = (...sources: SourceView[]): string[] => derived(...sources).conditions.map((c) => c.message);

describe('contradictions on power', () => {
  it('are told where HPCM holds a node for off, and PBS gives it work', () => {
    expect(said(hpcm({ off: ['n1'] }), pbs())).toEqual(['n1 is powered off by HPCM, and PBS gives it work']);
    expect(said(hpcm({ off: ['n1'] }), pbs({ down: ['n1'] }))).toEqual([]);
    expect(said(hpcm({ off: ['n1'] }), pbs({ offline: { n1: 'swap' } }))).toEqual([]);
  });

  it('are told where OneView holds a server for off, and PBS or HPCM for on', () => {
    expect(said(servers([off('n2')]), pbs())).toEqual(['n2 is powered off by OneView, and PBS gives it work']);
    expect(said(servers([off('n2')]), hpcm())).toEqual(['n2 is powered off by OneView, and on by HPCM']);
    expect(said(servers([off('n2')]), hpcm({ off: ['n2'] }))).toEqual([]);
  });

  it('are no contradiction where OneView cannot see the server', () => {
    const lost: ConditionDraft = { kind: 'management_unreachable', subject: { type: 'node', id: 'n2' }, message: 'lost' };
    expect(said(servers([off('n2'), lost]), pbs())).toEqual([]);
  });

  it('are not looked for where the sources looked more than half an hour apart', () => {
    const made = derived(hpcm({ off: ['n1'] }, NOON - 40 * MINUTE), pbs());
    expect(made.conditions).toEqual([]);
    expect(made.summary['unjudged']).toMatchObject({ power_contradiction: 'the two sources looked 40m apart' });
    expect(made.coverage.observed).not.toHaveProperty('power_contradiction:node');
  });

  it('are reported when seen twice, since the sources look at different moments', () => {
    const tick = (n: number, before: ReturnType<typeof tickOf> | null, told = {}) => {
      const now = NOON + n * 5 * MINUTE;
      return tickOf({
        now,
        before: before?.state ?? null,
        sources: [view(inventory(now, 'n[1-4]', { count: 4, ...told }), { maxAge: 24 * HOUR }), view(scheduler(now, 'n[1-4]'))],
      });
    };
    const once = tick(0, null, { off: ['n1'] });
    expect(states(once)).toMatchObject({ 'power_contradiction n1': 'candidate' });
    expect(states(tick(1, once, { off: ['n1'] }))).toMatchObject({ 'power_contradiction n1': 'new' });
    expect(states(tick(1, once))).toEqual({ 'node_off n1': 'resolved', 'power_contradiction n1': 'candidate' });
  });
});

describe('a node that is down', () => {
  it('is unexplained where its hardware is on and has no open alert', () => {
    expect(said(pbs({ down: ['n1'] }), servers(), alerts())).toEqual([
      'n1 is down in PBS, powered on in OneView, and no open alert says why',
    ]);
    expect(said(pbs({ down: ['n1'] }), servers(), alerts([alert('n1')]))).toEqual([]);
    expect(said(pbs({ down: ['n1'], offline: { n1: 'swap' } }), servers(), alerts())).toEqual([]);
    expect(said(pbs({ down: ['n1'] }), servers([off('n1')]), alerts())).toEqual([]);
  });

  it('is not called so where the list of alerts proves nothing', () => {
    const made = derived(pbs({ down: ['n1'] }), servers(), alerts([], 'n[1-2]'));
    expect(made.conditions).toEqual([]);
    expect(made.summary['unjudged']).toMatchObject({ node_down_unexplained: 'oneview_alerts does not prove that it has every open alert' });
  });
});

describe('a status that is not OK', () => {
  it('is told where no open alert says why', () => {
    expect(said(servers([unwell('n1'), unwell('n2')]), alerts([alert('n1')]))).toEqual([
      'n2 has status Warning in OneView, and no open alert says why',
    ]);
  });
});
