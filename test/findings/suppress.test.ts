import { describe, expect, it } from 'vitest';
import type { ConditionDraft, Severity } from '../../lib/model/condition.ts';
import type { Judged } from '../../lib/findings/judge.ts';
import { DAY, HOUR, MINUTE, NOON, scheduler, snapshot, states, tickOf, toIso, view } from './build.ts';

const panic = (id: string): ConditionDraft => ({ kind: 'kernel_panic', subject: { type: 'node', id }, message: `${id}: kernel panic` });
const status = (id: string, severity: Severity): ConditionDraft => ({
  kind: 'server_status',
  subject: { type: 'node', id },
  severity,
  message: `${id}: ${severity}`,
  values: { status: severity },
});
const consoles = (at: number, ...conditions: ConditionDraft[]) =>
  view(snapshot({ source: 'console_logs', at, conditions, observed: { node: 'n[1-9]' } }));
const oneview = (at: number, ...conditions: ConditionDraft[]) =>
  view(snapshot({ source: 'oneview_inventory', at, conditions, observed: { node: 'n[1-9]' } }));

const SILENCE = 'silences: [{ kind: server_status, nodes: "n[1-2]", reason: known fan bug, owner: ops, expires: 2026-12-10 }]\n';
const MAINTENANCE = 'maintenance: [{ nodes: "n[1-3]", reason: recable, owner: ops, from: 2026-11-30T13:00Z, until: 2026-11-30T15:00Z }]\n';

/** Ticks an hour apart, each with what OneView says then. */
function hours(yaml: string, ...told: ConditionDraft[][]): Judged[] {
  const ticks: Judged[] = [];
  for (const [n, conditions] of told.entries()) {
    const now = NOON + n * HOUR;
    ticks.push(tickOf({ now, yaml, before: ticks.at(-1)?.state ?? null, sources: [oneview(now, ...conditions)] }));
  }
  return ticks;
}

describe('a silence', () => {
  it('holds back what it names, counts it, and leaves the rest', () => {
    const [tick] = hours(SILENCE, [status('n1', 'warning'), status('n3', 'warning'), { ...panic('n2'), kind: 'server_off' }]) as [Judged];
    expect(states(tick)).toEqual({ 'server_status n3': 'new', 'server_off n2': 'new' });
    expect(tick.suppressed).toMatchObject([
      {
        reason: 'silence',
        entry: 'known fan bug',
        owner: 'ops',
        subjects: 'n1',
        findings: [{ kind: 'server_status', severity: 'warning' }],
      },
    ]);
  });

  it('does not hide that what it hides gets worse, and hides it again when it is as it was', () => {
    const ticks = hours(
      SILENCE,
      [status('n1', 'warning')],
      [status('n1', 'critical')],
      [status('n1', 'critical')],
      [status('n1', 'warning')],
      [],
    );
    expect(ticks.map((t) => [t.verdict, ...Object.values(states(t))])).toEqual([
      ['ok'],
      ['critical', 'new'],
      ['critical', 'ongoing'],
      ['ok'],
      ['ok', 'resolved'],
    ]);
    expect(ticks[1]?.suppressed).toEqual([]);
  });

  it('hides it where it says so, up to the severity that it names', () => {
    const worse = SILENCE.replace('reason', 'even_if_worse: true, reason');
    expect(hours(worse, [status('n1', 'warning')], [status('n1', 'critical')]).map((t) => t.findings.length)).toEqual([0, 0]);
    const ceiling = SILENCE.replace('reason', 'severity: warning, even_if_worse: true, reason');
    expect(hours(ceiling, [status('n1', 'critical')])[0]?.findings).toMatchObject([{ severity: 'critical', state: 'new' }]);
  });

  it('lets through what outlives it, as new', () => {
    const short = SILENCE.replace('2026-12-10', '2026-11-30T13:30Z');
    const ticks = hours(short, [status('n1', 'warning')], [status('n1', 'warning')], [status('n1', 'warning')], [status('n1', 'warning')]);
    expect(ticks.map((t) => t.findings.map((f) => f.state))).toEqual([[], [], ['new'], ['ongoing']]);
    expect(ticks[2]?.findings[0]?.reason).toBe(`known since ${toIso(NOON)}, and not held back any more`);
  });

  it('of a file system does not speak of a node of that name', () => {
    const yaml = 'silences: [{ nodes: n1, reason: r, owner: o, expires: 2026-12-10 }]\n';
    const full: ConditionDraft = { kind: 'fs_full', subject: { type: 'filesystem', id: 'n1' }, message: 'n1 is full' };
    const sources = [view(snapshot({ source: 'weka_state', at: NOON, conditions: [full], observed: { filesystem: 'all' } }))];
    expect(states(tickOf({ now: NOON, yaml, sources }))).toEqual({ 'fs_full n1': 'new' });
  });
});

describe('maintenance', () => {
  it('holds back everything on its nodes between its beginning and end', () => {
    const down = [panic('n1')];
    let before: Judged | null = null;
    const seen: string[][] = [];
    for (let n = 0; n < 5; n++) {
      const now = NOON + n * HOUR;
      before = tickOf({ now, yaml: MAINTENANCE, before: before?.state ?? null, sources: [consoles(now, ...(n >= 1 ? down : []))] });
      seen.push([before.verdict, ...Object.values(states(before)), ...before.suppressed.map((s) => s.reason)]);
    }
    expect(seen).toEqual([['ok'], ['ok', 'maintenance'], ['ok', 'maintenance'], ['critical', 'new'], ['critical', 'ongoing']]);
  });

  it('does not make a known problem news when it ends', () => {
    const ticks = [-1, 1, 3]
      .map((h) => NOON + h * HOUR)
      .reduce<Judged[]>(
        (done, now) => [
          ...done,
          tickOf({ now, yaml: MAINTENANCE, before: done.at(-1)?.state ?? null, sources: [consoles(now, panic('n1'))] }),
        ],
        [],
      );
    expect(ticks.map((t) => t.findings.map((f) => f.state))).toEqual([['new'], [], ['ongoing']]);
  });

  it('is read from the scheduler as well, while its reservation runs', () => {
    const maintenance = [{ id: 'M77', state: 'RESV_RUNNING', start: toIso(NOON), end: toIso(NOON + HOUR), count: 2, names: 'n[1-2]' }];
    const at = (now: number) =>
      tickOf({ now, sources: [view(scheduler(now, 'n[1-9]', { maintenance })), consoles(now, panic('n1'), panic('n3'))] });
    expect(states(at(NOON - MINUTE))).toEqual({ 'kernel_panic n1': 'new', 'kernel_panic n3': 'new' });
    const during = at(NOON + MINUTE);
    expect(states(during)).toEqual({ 'kernel_panic n3': 'new' });
    expect(during.suppressed).toMatchObject([{ reason: 'maintenance', owner: 'scheduler', subjects: 'n1', until: toIso(NOON + HOUR) }]);
    expect(states(at(NOON + HOUR))).toEqual({ 'kernel_panic n1': 'new', 'kernel_panic n3': 'new' });
  });
});

describe('a node that a person took out in the scheduler', () => {
  const off: ConditionDraft = { kind: 'server_off', subject: { type: 'node', id: 'n1' }, message: 'n1 is off' };
  const pbs = (now: number, reason: string, by: string | null = null) => {
    const made = scheduler(now, 'n[1-9]', { offline: { n1: reason } });
    return view({ ...made, conditions: made.conditions.map((c) => ({ ...c, values: { ...c.values, by } })) });
  };

  it('is told of, and what follows from it is held back', () => {
    const tick = tickOf({ now: NOON, sources: [pbs(NOON, 'HW-7 swap board'), oneview(NOON, off)] });
    expect(states(tick)).toEqual({ 'node_offline n1': 'new' });
    expect(tick.suppressed).toMatchObject([
      { reason: 'taken out in the scheduler', entry: 'HW-7 swap board', findings: [{ kind: 'server_off' }] },
    ]);
  });

  it('hides no critical, nothing about other things, and nothing that a hook found', () => {
    const worse = { ...off, severity: 'critical' as const };
    expect(states(tickOf({ now: NOON, sources: [pbs(NOON, 'HW-7'), oneview(NOON, worse), consoles(NOON, panic('n1'))] }))).toMatchObject({
      'server_off n1': 'new',
      'kernel_panic n1': 'new',
    });
    expect(
      states(tickOf({ now: NOON, sources: [pbs(NOON, "offlined by hook 'health'", 'hook health'), oneview(NOON, off)] })),
    ).toMatchObject({ 'server_off n1': 'new' });
  });

  it('counts no longer as taken out when the scheduler is not seen', () => {
    const old = pbs(NOON - 20 * MINUTE, 'HW-7');
    expect(states(tickOf({ now: NOON, sources: [old, oneview(NOON, off)] }))).toMatchObject({ 'server_off n1': 'new' });
  });
});

describe('an acknowledgement', () => {
  const id = (tick: Judged): string => tick.findings[0]?.id as string;
  const ack = (found: string, more = ''): string =>
    `acknowledgements: [{ id: ${found}, by: kim, reason: vendor called, until: 2026-12-05${more} }]\n`;

  it('marks a finding and hides nothing', () => {
    const [first] = hours('', [status('n1', 'warning')]) as [Judged];
    const next = tickOf({
      now: NOON + HOUR,
      yaml: ack(id(first)),
      before: first.state,
      sources: [oneview(NOON + HOUR, status('n1', 'warning'))],
    });
    expect(next).toMatchObject({
      verdict: 'degraded',
      findings: [{ state: 'ongoing', acknowledged: { by: 'kim', reason: 'vendor called' } }],
    });
  });

  it('does not hold for what got worse, for another episode where it names one, nor after its end', () => {
    const [first] = hours('', [status('n1', 'warning')]) as [Judged];
    const later = (yaml: string, before: Judged, now: number, severity: Severity = 'warning') =>
      tickOf({ now, yaml, before: before.state, sources: [oneview(now, status('n1', severity))] });
    const acked = later(ack(id(first)), first, NOON + HOUR);
    expect(later(ack(id(first)), acked, NOON + 2 * HOUR, 'critical').findings[0]?.acknowledged).toBeUndefined();
    expect(later(ack(id(first)), acked, NOON + 6 * DAY).findings[0]?.acknowledged).toBeUndefined();
    expect(later(ack(id(first), ', episode: 2'), first, NOON + HOUR).findings[0]?.acknowledged).toBeUndefined();
    const gone = tickOf({ now: NOON + 2 * HOUR, before: acked.state, sources: [oneview(NOON + 2 * HOUR)] });
    expect(later(ack(id(first), ', episode: 2'), gone, NOON + 3 * HOUR).findings[0]).toMatchObject({
      episode: 2,
      acknowledged: { by: 'kim' },
    });
  });
});
