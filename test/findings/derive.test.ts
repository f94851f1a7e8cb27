import { describe, expect, it } from 'vitest';
import { deriveConditions } from '../../lib/findings/derive.ts';
import { type Identity, Names } from '../../lib/findings/names.ts';
import { HOUR, inventory, MINUTE, NOON, scheduler, states, tickOf, truth, view } from './build.ts';

const FLEET = 'fleet: [{ nodes: "n[1-4]", role: compute }]\n';
const KNOWN_DOWN = `${FLEET}known_down: [{ nodes: n2, reason: bad DIMM, owner: hw-team, ticket: HW-1, expires: 2026-12-15 }]\n`;
const hpcm = (at: number, hosts: string, told = {}) => view(inventory(at, hosts, told), { maxAge: 24 * HOUR });

const derived = (yaml: string, ...sources: Parameters<typeof deriveConditions>[0]['sources']) =>
  deriveConditions({ cluster: 'test', now: NOON, sources, ...truth(yaml) });
const named = (made: ReturnType<typeof derived>): string[] => made.conditions.map((c) => `${c.kind} ${c.subject.id}`);

describe('expected nodes', () => {
  it('are missing where a complete inventory does not list them, under any of their names', () => {
    expect(named(derived(FLEET, hpcm(NOON, 'n[1-4]')))).toEqual([]);
    expect(named(derived(FLEET, hpcm(NOON, 'n[1-2],n4')))).toEqual(['node_missing n3']);
    expect(named(derived(FLEET, hpcm(NOON, 'n[1-2],n4', { aliases: 'n3' })))).toEqual([]);
  });

  it('are told of when nobody expects them, as a note', () => {
    const made = derived(FLEET, hpcm(NOON, 'n[1-5]'));
    expect(named(made)).toEqual(['node_unexpected n5']);
    expect(made.summary['unexpected']).toEqual({ count: 1, nodes: 'n5' });
  });

  it('are judged by nothing less than a fresh and complete inventory', () => {
    for (const source of [hpcm(NOON - 25 * HOUR, 'n1'), hpcm(NOON, 'n1', { complete: false }), view(null, { source: 'hpcm_inventory' })]) {
      const made = derived(FLEET, source);
      expect(named(made)).toEqual([]);
      expect(made.coverage.observed).not.toHaveProperty('node_missing:node');
      expect(made.summary['unjudged']).toHaveProperty('node_missing');
    }
  });

  it('stay missing as stale while the inventory is old or incomplete, and are back only when it lists them', () => {
    const first = tickOf({ now: NOON, yaml: FLEET, sources: [hpcm(NOON, 'n[1-2],n4')] });
    expect(states(first)).toEqual({ 'node_missing n3': 'new' });
    const partial = tickOf({
      now: NOON + HOUR,
      yaml: FLEET,
      before: first.state,
      sources: [hpcm(NOON + HOUR, 'n[1-2],n4', { complete: false })],
    });
    expect(partial.findings).toMatchObject([
      { kind: 'node_missing', state: 'stale', reason: 'the node list of hpcm_inventory is not proven complete' },
    ]);
    const old = tickOf({ now: NOON + 30 * HOUR, yaml: FLEET, before: partial.state, sources: [hpcm(NOON + HOUR, 'n[1-2],n4')] });
    expect(old.findings).toMatchObject([{ kind: 'node_missing', state: 'stale', reason: 'hpcm_inventory is 1d 5h old' }]);
    const again = tickOf({ now: NOON + 31 * HOUR, yaml: FLEET, before: old.state, sources: [hpcm(NOON + 31 * HOUR, 'n[1-4]')] });
    expect(states(again)).toEqual({ 'node_missing n3': 'resolved' });
  });

  it('are not found again by a mistake in the list of them', () => {
    const first = tickOf({ now: NOON, yaml: FLEET, sources: [hpcm(NOON, 'n[1-2],n4')] });
    const typo = tickOf({
      now: NOON + HOUR,
      yaml: 'fleet: [{ nodes: "n[1-", role: compute }]\n',
      before: first.state,
      sources: [hpcm(NOON + HOUR, 'n[1-2],n4')],
    });
    expect(typo.findings.find((f) => f.kind === 'node_missing')).toMatchObject({
      state: 'stale',
      reason: 'fleet of the ground truth has mistakes',
    });
    const lost = tickOf({ now: NOON + HOUR, yaml: 'fleet: [', before: first.state, sources: [hpcm(NOON + HOUR, 'n[1-2],n4')] });
    expect(lost.findings.find((f) => f.kind === 'node_missing')).toMatchObject({ state: 'stale' });
    expect(lost.verdict).toBe('degraded');
  });
});

describe('expected images', () => {
  const ROLES =
    'fleet: [{ nodes: "n[1-2]", role: compute }, { nodes: n3, role: compute, image: i9 }, { nodes: n4, role: login }]\nroles: { compute: { image: i2, kernel: k2 } }\n';
  const said = (records: Identity[], yaml = ROLES, source = hpcm(NOON, 'n[1-4]')) => {
    const identities = new Map([['hpcm_inventory', records]]);
    const made = deriveConditions({
      cluster: 'test',
      now: NOON,
      sources: [source],
      ...truth(yaml),
      identities,
      names: new Names(identities),
    });
    const images = made.conditions.filter((c) => c.kind === 'image_not_expected');
    return { messages: images.map((c) => c.message), observed: made.coverage.observed };
  };

  it('are those of the role, but for nodes with one of their own', () => {
    const records = ['n1', 'n2', 'n3', 'n4'].map((name) => ({ name, assigned: 'i2', kernel: 'k2' }));
    expect(said(records).messages).toEqual(['n3 (compute) has image i2 assigned; expected of its role is i9']);
    expect(said(records.map((r) => ({ ...r, assigned: r.name === 'n3' ? 'i9' : 'i1' }))).messages).toEqual([
      'n1 (compute) has image i1 assigned; expected of its role is i2',
      'n2 (compute) has image i1 assigned; expected of its role is i2',
    ]);
    expect(said([{ name: 'n1', assigned: 'i2', kernel: 'k1' }]).messages).toEqual([
      'n1 (compute) has kernel k1 assigned; expected of its role is k2',
    ]);
    expect(said([{ name: 'n1' }]).messages).toEqual([]);
  });

  it('are found under any name of the node, and by nothing less than a complete inventory', () => {
    expect(said([{ name: 'x1', aliases: ['n1'], assigned: 'i1' }]).messages).toEqual([
      'x1 (compute) has image i1 assigned; expected of its role is i2',
    ]);
    for (const { messages, observed } of [
      said([{ name: 'n1', assigned: 'i1' }], ROLES, hpcm(NOON, 'n1', { complete: false })),
      said([{ name: 'n1', assigned: 'i1' }], `${ROLES}  login: { image: 3 }\n`),
    ]) {
      expect(messages).toEqual([]);
      expect(observed).not.toHaveProperty('image_not_expected:node');
    }
  });
});

describe('known-down nodes', () => {
  const off = [hpcm(NOON, 'n[1-4]', { off: ['n2'], count: 4 }), view(scheduler(NOON, 'n[1-4]', { down: ['n2'] }))];

  it('are listed as such, and never as new problems', () => {
    const first = tickOf({ now: NOON, yaml: KNOWN_DOWN, sources: off });
    expect(first).toMatchObject({ verdict: 'ok', findings: [] });
    expect(first.suppressed).toMatchObject([
      {
        reason: 'known down',
        entry: 'bad DIMM (HW-1)',
        owner: 'hw-team',
        subjects: 'n2',
        findings: [{ kind: 'node_down' }, { kind: 'node_off' }],
      },
    ]);
    expect(first.because).toEqual(['every configured source was seen, fresh, and nothing was found, beside 2 findings that are held back']);
  });

  it('are new problems once the entry has run out, which is told', () => {
    const before = tickOf({ now: NOON, yaml: KNOWN_DOWN, sources: off });
    const later = Date.parse('2026-12-16T00:01:00Z');
    const sources = [hpcm(later, 'n[1-4]', { off: ['n2'], count: 4 }), view(scheduler(later, 'n[1-4]', { down: ['n2'] }))];
    const after = tickOf({ now: later, yaml: KNOWN_DOWN, before: before.state, sources });
    expect(states(after)).toEqual({ 'known_down_expired n2': 'new', 'node_down n2': 'new', 'node_off n2': 'new' });
    expect(after.suppressed).toEqual([]);
    expect(states(tickOf({ now: later + MINUTE, yaml: KNOWN_DOWN, before: after.state, sources }))).toMatchObject({
      'node_off n2': 'ongoing',
    });
  });

  it('are told of when they are up, by the scheduler before the power', () => {
    const up = 'known_down_but_up n2';
    expect(named(derived(KNOWN_DOWN, view(scheduler(NOON, 'n[1-4]'))))).toEqual([up]);
    expect(named(derived(KNOWN_DOWN, hpcm(NOON, 'n[1-4]', { count: 4 })))).toEqual([up]);
    expect(named(derived(KNOWN_DOWN, hpcm(NOON, 'n[1-4]', { count: 4 }), view(scheduler(NOON, 'n[1-4]', { down: ['n2'] }))))).toEqual([]);
    // Not every host was asked for its power: nobody knows.
    const unknown = derived(KNOWN_DOWN, hpcm(NOON, 'n[1-4]', { count: 3 }));
    expect(named(unknown)).toEqual([]);
    expect(unknown.summary['unjudged']).toMatchObject({ known_down_but_up: 'nothing that is fresh tells of n2' });
  });

  it('keep an entry from hiding that it is contradicted', () => {
    const { findings, suppressed } = tickOf({ now: NOON, yaml: KNOWN_DOWN, sources: [view(scheduler(NOON, 'n[1-4]'))] });
    expect(findings).toMatchObject([{ kind: 'known_down_but_up', state: 'new' }]);
    expect(suppressed).toEqual([]);
  });
});
