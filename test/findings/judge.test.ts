import { describe, expect, it } from 'vitest';
import { judge, type Judged } from '../../lib/findings/judge.ts';
import type { Condition, ConditionDraft } from '../../lib/model/condition.ts';
import { conditionId } from '../../lib/model/identity.ts';
import type { Snapshot } from '../../lib/model/snapshot.ts';
import { toTimeId } from '../../lib/model/time.ts';
import { DAY, HOUR, inventory, MINUTE, NOON, scheduler, snapshot, states, tickOf, view } from './build.ts';

const failed = (last: Snapshot | null, now: number, source = last?.source ?? 'pbs_state') => ({
  ...view(last),
  source,
  since: [],
  attempt: {
    source,
    startedAt: new Date(now).toISOString(),
    endedAt: new Date(now).toISOString(),
    status: 'failed' as const,
    problem: { code: 'unreadable' as const, detail: 'pbsnodes.json cannot be read', advice: 'look' },
  },
});
const panic: ConditionDraft = { kind: 'kernel_panic', subject: { type: 'node', id: 'n1' }, message: 'n1: kernel panic' };
const consoles = (at: number, more: Partial<Parameters<typeof snapshot>[0]> = {}) =>
  snapshot({ source: 'console_logs', at, observed: { node: 'n[1-3]' }, ...more });

describe('absence', () => {
  it('is recovery only where the subject was seen, fresh, by a source that is well', () => {
    const first = tickOf({ now: NOON, sources: [view(scheduler(NOON, 'n[1-2]', { down: ['n1'] }))] });
    const later = NOON + 5 * MINUTE;
    const after = (source: Parameters<typeof tickOf>[0]['sources'][number], now = later) =>
      tickOf({ now, before: first.state, sources: [source] }).findings[0];
    expect(after(view(scheduler(later, 'n[1-2]')))).toMatchObject({ state: 'resolved' });
    expect(after(view(scheduler(later, 'n2')))).toMatchObject({ state: 'stale', reason: 'pbs_state did not see n1' });
    expect(after(view({ ...scheduler(later, 'n[1-2]'), asOf: scheduler(NOON - HOUR, 'n1').asOf }))).toMatchObject({
      state: 'stale',
      reason: 'pbs_state is 1h 5m old',
    });
    expect(after(failed(scheduler(NOON, 'n[1-2]', { down: ['n1'] }), later))).toMatchObject({
      state: 'stale',
      reason: 'pbs_state failed: pbsnodes.json cannot be read',
    });
    expect(after({ ...view(null), source: 'weka_state' })).toMatchObject({ state: 'stale', reason: 'pbs_state is no longer configured' });
  });

  it('proves nothing for a kind that another word ends', () => {
    const first = tickOf({ now: NOON, sources: [view(consoles(NOON, { conditions: [panic] }))] });
    const later = NOON + 5 * MINUTE;
    const quiet = tickOf({ now: later, before: first.state, sources: [view(consoles(later))] });
    expect(quiet.findings).toMatchObject([{ state: 'stale', reason: 'console_logs no longer shows it, and nothing said that it ended' }]);
    const cleared = [{ kind: 'kernel_panic', subject: panic.subject, by: 'boot' as const, at: new Date(later).toISOString() }];
    const booted = tickOf({ now: later, before: first.state, sources: [view(consoles(later, { cleared }))] });
    expect(booted.findings).toMatchObject([{ state: 'resolved', reason: 'cleared by boot at 2026-11-30T12:05:00.000Z' }]);
  });

  it('is not proven by data that is dated after the clock, as when that was set back', () => {
    const first = tickOf({ now: NOON, sources: [view(scheduler(NOON, 'n1', { down: ['n1'] }))] });
    const back = tickOf({ now: NOON - DAY, before: first.state, sources: [view(scheduler(NOON + MINUTE, 'n1'))] });
    expect(back.findings).toMatchObject([{ state: 'stale', reason: 'pbs_state is dated 1d ahead of the clock' }]);
  });
});

describe('an event', () => {
  const oom = (lastSeen: number): ConditionDraft => ({
    kind: 'oom',
    subject: { type: 'node', id: 'n1' },
    part: 'global',
    message: 'oom',
    lastSeen: new Date(lastSeen).toISOString(),
  });
  const said = (at: number): Snapshot => consoles(at, { conditions: [oom(NOON)] });

  it('is over a day after it was last seen, whatever its source does', () => {
    const first = tickOf({ now: NOON, sources: [view(said(NOON))] });
    const at = (now: number, more = {}) =>
      tickOf({ now, before: first.state, sources: [{ ...view(said(now)), ...more }] }).findings[0]?.state;
    expect(at(NOON + 24 * HOUR)).toBe('ongoing');
    expect(at(NOON + 24 * HOUR + 1)).toBe('resolved');
    expect(at(NOON + 25 * HOUR, failed(said(NOON), NOON + 25 * HOUR))).toBe('resolved');
    expect(tickOf({ now: NOON + 25 * HOUR, sources: [view(said(NOON + 25 * HOUR))] }).findings).toEqual([]);
  });
});

describe('looks between two ticks', () => {
  const first = tickOf({ now: NOON, sources: [view(scheduler(NOON, 'n1', { down: ['n1'] }))] });
  const after = (now: number, ...since: Snapshot[]) =>
    tickOf({ now, before: first.state, sources: [{ ...view(since.at(-1) ?? null), since }] }).findings.map((f) => [
      f.state,
      f.episode,
      f.reason,
    ]);
  const old = (s: Snapshot, age: number): Snapshot => ({ ...s, asOf: new Date(Date.parse(s.asOf) - age).toISOString() });

  it('count as they were when they were made, not as old as they are now', () => {
    const [good, broken] = [scheduler(NOON + 5 * MINUTE, 'n1'), scheduler(NOON + 10 * MINUTE, 'n1', { down: ['n1'] })];
    expect(after(NOON + 10 * MINUTE, good, broken)).toEqual([['new', 2, 'back again, episode 2']]);
    expect(after(NOON + HOUR, good, broken)).toEqual([['stale', 2, 'pbs_state is 50m old']]);
    expect(after(NOON + 10 * MINUTE, old(good, HOUR), broken)).toEqual([['ongoing', 1, 'seen again']]);
  });

  it('that came and went are told as that, but for candidates that were taken back', () => {
    const seen = (at: number, kind: string, part?: string): Snapshot =>
      snapshot({
        source: 'pbs_state',
        at,
        observed: { node: 'n1' },
        conditions: [{ kind, part, subject: { type: 'node', id: 'n1' }, message: kind }],
      });
    const none = (at: number): Snapshot => snapshot({ source: 'pbs_state', at, observed: { node: 'n1' } });
    const fresh = (now: number, before: Judged | null, ...since: Snapshot[]): Judged =>
      tickOf({ now, before: before?.state ?? null, sources: [{ ...view(since.at(-1) ?? null), since }] });
    const passed = fresh(NOON + MINUTE, null, seen(NOON, 'node_down'), none(NOON + MINUTE));
    expect(passed.findings).toMatchObject([
      { state: 'resolved', episode: 1, reason: expect.stringMatching(/^came and went since the last tick; seen without it/) },
    ]);

    const twice = fresh(NOON + MINUTE, null, seen(NOON, 'power_contradiction', 'a'), seen(NOON + MINUTE, 'power_contradiction', 'a'));
    const over = fresh(NOON + 2 * MINUTE, twice, none(NOON + 2 * MINUTE));
    const later = NOON + 2 * DAY;
    const again = fresh(later, fresh(later - MINUTE, over, none(later - MINUTE)), seen(later, 'power_contradiction', 'a'));
    expect(again.findings).toMatchObject([{ state: 'candidate', episode: 2 }]);
    const back = fresh(later + 3 * MINUTE, again, ...[1, 2, 3].map((n) => none(later + n * MINUTE)));
    expect(back.findings).toEqual([]);
  });

  it('are counted once, however many ticks there are', () => {
    const oom: ConditionDraft = { kind: 'oom', subject: { type: 'node', id: 'n1' }, part: 'global', message: 'oom' };
    const said = consoles(NOON, { conditions: [oom] });
    const looks = [0, 25, 26, 27].reduce<Judged[]>((done, h) => {
      const since = h === 0 ? [said] : [];
      return [
        ...done,
        tickOf({ now: NOON + h * HOUR, before: done.at(-1)?.state ?? null, sources: [{ ...view(said), maxAge: 10 * DAY, since }] }),
      ];
    }, []);
    expect(looks.map((t) => t.state.tracked[0]?.looks)).toEqual(['1', '10', '10', '10']);
  });
});

describe('what is known only from an old look', () => {
  it('begins stale and is new when it is seen', () => {
    const old = { ...consoles(NOON, { conditions: [panic] }), asOf: consoles(NOON - HOUR).asOf };
    const first = tickOf({ now: NOON, sources: [view(old)] });
    expect(first).toMatchObject({ verdict: 'critical', findings: [{ state: 'stale' }] });
    const later = NOON + MINUTE;
    expect(tickOf({ now: later, before: first.state, sources: [view(consoles(later, { conditions: [panic] }))] }).findings).toMatchObject([
      { state: 'new', episode: 1 },
    ]);
  });
});

describe('a subject that is removed', () => {
  const FLEET = 'fleet: [{ nodes: "n[1-3]", role: compute }]\n';
  const hpcm = (at: number, hosts: string, told = {}) => view(inventory(at, hosts, told), { maxAge: DAY });
  const first = tickOf({ now: NOON, yaml: FLEET, sources: [view(consoles(NOON, { conditions: [panic] })), hpcm(NOON, 'n[1-3]')] });
  const later = NOON + HOUR;
  const gone = view(consoles(later, { observed: { node: 'n[2-3]' } }));
  const state = (yaml: string | undefined, ...sources: Parameters<typeof tickOf>[0]['sources']) =>
    tickOf({ now: later, yaml, before: first.state, sources }).findings.find((f) => f.kind === 'kernel_panic');

  it('ends when neither the complete inventory nor ground truth has it', () => {
    expect(state('fleet: [{ nodes: "n[2-3]", role: compute }]\n', gone, hpcm(later, 'n[2-3]'))).toMatchObject({
      state: 'resolved',
      reason: 'subject removed: n1 is in neither the complete inventory nor the list of expected nodes',
    });
    expect(state(undefined, gone, hpcm(later, 'n[2-3]'))).toMatchObject({ state: 'resolved' });
  });

  it.each([
    ['ground truth still expects it', FLEET, hpcm(later, 'n[2-3]')],
    ['ground truth cannot be read', 'fleet: [', hpcm(later, 'n[2-3]')],
    ['ground truth has a mistake in its fleet', 'fleet: [{ nodes: "n[2-3]" }]', hpcm(later, 'n[2-3]')],
    ['the inventory is not complete', 'fleet: []', hpcm(later, 'n[2-3]', { complete: false })],
    ['the inventory is old', 'fleet: []', view(inventory(later, 'n[2-3]', { asOf: later - 2 * DAY }), { maxAge: DAY })],
    ['the inventory has it under another name', 'fleet: []', hpcm(later, 'n[2-3]', { aliases: 'n1' })],
  ])('stays while %s', (_, yaml, source) => {
    expect(state(yaml, gone, source)).toMatchObject({ state: 'stale' });
  });

  it('stays while its own source shows it, and where no inventory ever had it', () => {
    expect(state('fleet: []', view(consoles(later, { conditions: [panic] })), hpcm(later, 'n[2-3]'))).toMatchObject({ state: 'ongoing' });
    const never = tickOf({ now: NOON, sources: [view(consoles(NOON, { conditions: [panic] })), hpcm(NOON, 'n[2-3]')] });
    expect(tickOf({ now: later, before: never.state, sources: [gone, hpcm(later, 'n[2-3]')] }).findings).toMatchObject([
      { state: 'stale' },
    ]);
  });
});

describe('a kind that this version does not know', () => {
  const unknown = (c: Condition): Condition => ({
    ...c,
    kind: 'flux_capacitor',
    id: conditionId({ cluster: 'test', kind: 'flux_capacitor', subject: c.subject }),
  });
  const strange = (at: number): Snapshot => {
    const known = consoles(at, { conditions: [panic] });
    return { ...known, conditions: known.conditions.map(unknown) };
  };

  it('is reported as its snapshot has it, and breaks no tick', () => {
    const first = tickOf({ now: NOON, sources: [view(strange(NOON))] });
    expect(first).toMatchObject({
      verdict: 'critical',
      findings: [{ kind: 'flux_capacitor', title: 'flux_capacitor', severity: 'critical', state: 'new' }],
    });
    const blind = tickOf({ now: NOON + HOUR, before: first.state, sources: [failed(strange(NOON), NOON + HOUR)] });
    expect(blind.findings).toMatchObject([{ state: 'stale' }]);
  });

  it('ends with a reason when its source no longer shows it', () => {
    const first = tickOf({ now: NOON, sources: [view(strange(NOON))] });
    const later = tickOf({ now: NOON + MINUTE, before: first.state, sources: [view(consoles(NOON + MINUTE))] });
    expect(later.findings).toMatchObject([
      { state: 'resolved', reason: 'kind flux_capacitor is not known to this version, and console_logs does not show it' },
    ]);
  });
});

describe('killing every source in turn', () => {
  const live = (now: number) => [
    view(scheduler(now, 'n[1-3]', { down: ['n2'] })),
    view(consoles(now, { conditions: [panic] })),
    view(snapshot({ source: 'weka_state', at: now, observed: { cluster: 'test' } })),
  ];
  const first = tickOf({ now: NOON, sources: live(NOON) });
  const later = NOON + 5 * MINUTE;
  const killed = (...dead: string[]) =>
    tickOf({
      now: later,
      before: first.state,
      sources: live(later).map((v, i) => (dead.includes(v.source) ? failed(live(NOON)[i]?.snapshot ?? null, later) : v)),
    });

  it('makes its findings stale, leaves those of the others, and never lets the verdict be ok', () => {
    expect(killed('pbs_state')).toMatchObject({
      verdict: 'critical',
      findings: [
        { kind: 'kernel_panic', state: 'ongoing' },
        { kind: 'node_down', state: 'stale' },
      ],
    });
    expect(killed('console_logs')).toMatchObject({
      verdict: 'critical',
      findings: [
        { kind: 'kernel_panic', state: 'stale' },
        { kind: 'node_down', state: 'ongoing' },
      ],
    });
    const quiet = tickOf({ now: NOON, sources: [view(scheduler(NOON, 'n1')), failed(null, NOON, 'weka_state')] });
    expect(quiet).toMatchObject({ verdict: 'degraded', because: ['weka_state failed'] });
  });

  it('is blindness when all are dead, with everything known still there', () => {
    const all = killed('pbs_state', 'console_logs', 'weka_state');
    expect(all.verdict).toBe('blind');
    expect(states(all)).toEqual({ 'kernel_panic n1': 'stale', 'node_down n2': 'stale' });
  });
});

describe('a source that is taken out of the configuration', () => {
  const first = tickOf({ now: NOON, sources: [view(consoles(NOON, { conditions: [panic] }))] });

  it('leaves what it showed stale for a month, and no longer', () => {
    const week = tickOf({ now: NOON + 7 * DAY, before: first.state, sources: [] });
    expect(week.findings).toMatchObject([{ state: 'stale', reason: 'console_logs is no longer configured' }]);
    const month = tickOf({ now: NOON + 31 * DAY, before: week.state, sources: [] });
    expect(month.findings).toMatchObject([{ state: 'resolved', reason: expect.stringContaining('nobody has looked for over 30d') }]);
  });

  it('and put back is looked at again, as if it had never been away', () => {
    const without = tickOf({ now: NOON + HOUR, before: first.state, sources: [] });
    const back = NOON + 2 * HOUR;
    const again = tickOf({ now: back, before: without.state, sources: [view(consoles(back, { conditions: [panic] }))] });
    expect(again.findings).toMatchObject([{ state: 'ongoing', episode: 1 }]);
  });
});

describe('judge', () => {
  it('changes nothing that it is given, and gives the same for the same', () => {
    const freeze = <T>(value: T): T => {
      if (value !== null && typeof value === 'object') Object.values(value).forEach(freeze);
      return Object.freeze(value);
    };
    const sources = freeze([view(scheduler(NOON, 'n[1-9]', { down: ['n1', 'n2', 'n3'] }))]);
    const before = freeze(tickOf({ now: NOON - MINUTE, sources: [view(consoles(NOON - MINUTE, { conditions: [panic] }))] }).state);
    const input = { cluster: 'test', tick: toTimeId(NOON), now: NOON, sources, groundTruth: null, mistakes: [], before };
    expect(judge(input)).toEqual(judge(input));
  });

  it('knows for a month that a finding was there before, and not for longer', () => {
    const n1 = (now: number, down: string[], before: Judged | null = null) =>
      tickOf({ now, before: before?.state ?? null, sources: [view(scheduler(now, 'n1', { down }))] });
    const up = n1(NOON + HOUR, [], n1(NOON, ['n1']));
    const later = NOON + HOUR + 29 * DAY;
    const idle = n1(later, [], up);
    expect(idle.state).toMatchObject({ tracked: [], past: [{ episode: 1 }] });
    const back = n1(later + HOUR, ['n1'], idle);
    expect(back.findings).toMatchObject([{ state: 'new', episode: 2, reason: 'back again, episode 2' }]);
    expect(back.transitions).toMatchObject([{ from: 'resolved', to: 'new', episode: 2 }]);
    expect(back.state.past).toEqual([]);
    expect(n1(NOON + HOUR + 31 * DAY, [], idle).state.past).toEqual([]);
  });
});
