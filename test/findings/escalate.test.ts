import { describe, expect, it } from 'vitest';
import type { ConditionDraft, Severity } from '../../lib/model/condition.ts';
import type { JsonObject } from '../../lib/model/json.ts';
import type { Finding } from '../../lib/model/finding.ts';
import type { Judged } from '../../lib/findings/judge.ts';
import { occasionOf } from '../../lib/findings/occasion.ts';
import { HOUR, MINUTE, NOON, scheduler, snapshot, tickOf, toIso, view } from './build.ts';

const degraded: ConditionDraft = { kind: 'storage_degraded', subject: { type: 'cluster', id: 'test' }, message: 'degraded' };
const weka = (at: number, ...conditions: ConditionDraft[]) =>
  view(snapshot({ source: 'weka_state', at, conditions, observed: { cluster: 'test' } }));

function run(
  times: readonly number[],
  told: (now: number) => Parameters<typeof tickOf>[0]['sources'],
  more: { yaml?: string; rules?: Record<string, JsonObject> } = {},
): Judged[] {
  return times.reduce<Judged[]>(
    (done, now) => [...done, tickOf({ now, ...more, before: done.at(-1)?.state ?? null, sources: told(now) })],
    [],
  );
}
const severities = (ticks: readonly Judged[]): (Severity | undefined)[] => ticks.map((t) => t.findings[0]?.severity);
/** What was worth telling at each of these ticks, an hour apart. */
const occasions = (ticks: readonly Judged[]): (string | null)[] =>
  ticks.map((t, n) => occasionOf(t.findings[0] as Finding, toIso(NOON + n * HOUR)));

describe('persistence', () => {
  const since = { ...degraded, since: toIso(NOON) };

  it('makes a warning critical after its time, once, with the reason', () => {
    const ticks = run([NOON, NOON + 23 * HOUR, NOON + 24 * HOUR, NOON + 25 * HOUR], (now) => [weka(now, since)]);
    expect(severities(ticks)).toEqual(['warning', 'warning', 'critical', 'critical']);
    expect(ticks[2]?.findings[0]).toMatchObject({
      state: 'ongoing',
      escalated: { from: 'warning', at: toIso(NOON + 24 * HOUR), reason: 'it has lasted for over 1d' },
    });
    expect(ticks[2]?.transitions).toMatchObject([
      { from: 'ongoing', to: 'ongoing', severity: 'critical', reason: 'warning to critical: it has lasted for over 1d' },
    ]);
    expect(ticks[3]?.findings[0]?.escalated?.at).toBe(toIso(NOON + 24 * HOUR));
    expect(ticks[3]?.transitions).toEqual([]);
    expect(ticks.map((t) => t.verdict)).toEqual(['degraded', 'degraded', 'critical', 'critical']);
  });

  it('begins anew with the next episode', () => {
    const ticks = run([NOON, NOON + 24 * HOUR, NOON + 25 * HOUR, NOON + 26 * HOUR], (now) => [
      weka(now, ...(now === NOON + 25 * HOUR ? [] : [{ ...degraded, since: toIso(now < NOON + 25 * HOUR ? NOON : now) }])),
    ]);
    expect(ticks.map((t) => [t.findings[0]?.episode, t.findings[0]?.state, t.findings[0]?.severity])).toEqual([
      [1, 'new', 'warning'],
      [1, 'ongoing', 'critical'],
      [1, 'resolved', 'critical'],
      [2, 'new', 'warning'],
    ]);
  });

  it('makes a link critical that stays down, and not one that an operator took down', () => {
    const links = (severity: Severity) =>
      run([NOON, NOON + 4 * MINUTE, NOON + 5 * MINUTE], (now) => [
        view(
          snapshot({
            source: 'console_logs',
            at: now,
            conditions: [
              { kind: 'hsn_link_down', subject: { type: 'node', id: 'n1' }, part: 'cxi0', severity, message: 'down', since: toIso(NOON) },
            ],
            observed: { node: 'n1' },
          }),
        ),
      ]);
    expect(severities(links('warning'))).toEqual(['warning', 'warning', 'critical']);
    expect(severities(links('info'))).toEqual(['info', 'info', 'info']);
  });

  it('follows the site where it has a mind of its own', () => {
    const at = (rules: Record<string, JsonObject>) => severities(run([NOON, NOON + 30 * HOUR], (now) => [weka(now, since)], { rules }));
    expect(at({ storage_degraded: { escalate: false } })).toEqual(['warning', 'warning']);
    expect(at({ storage_degraded: { severity: 'warning' } })).toEqual(['warning', 'warning']);
    expect(at({ storage_degraded: { escalate_after: '48h', escalate_to: 'critical' } })).toEqual(['warning', 'warning']);
    expect(at({ storage_degraded: { severity: 'warning', escalate_after: '1h', escalate_to: 'critical' } })).toEqual([
      'warning',
      'critical',
    ]);
  });
});

describe('a source that says worse of it', () => {
  it('escalates it once, however often it goes back and forth', () => {
    const says: Severity[] = ['warning', 'critical', 'critical', 'warning', 'critical', 'warning'];
    const ticks = run(
      says.map((_, n) => NOON + n * HOUR),
      (now) => [weka(now, { ...degraded, severity: says[(now - NOON) / HOUR] })],
    );
    expect(severities(ticks)).toEqual(says);
    expect(ticks.map((t) => t.findings[0]?.escalated?.at)).toEqual([
      undefined,
      toIso(NOON + HOUR),
      toIso(NOON + HOUR),
      undefined,
      undefined,
      undefined,
    ]);
    expect(occasions(ticks)).toEqual(['new', 'escalated', null, null, null, null]);
  });
});

describe('impact', () => {
  const FLEET = 'fleet: [{ nodes: "n[1-40]", role: compute }, { nodes: "login[1-2]", role: login }, { nodes: admin, role: admin }]\n';
  const names = (n: number): string[] => Array.from({ length: n }, (_, i) => `n${i + 1}`);
  const pbs = (now: number, down: string[], conditions: ConditionDraft[] = []) => [
    view(scheduler(now, 'n[1-40],login[1-2],admin', { down, conditions })),
  ];
  const downAs = (down: string[], yaml = FLEET): (Severity | undefined)[] => [
    ...new Set(run([NOON], (now) => pbs(now, down), { yaml })[0]?.findings.map((f) => f.severity)),
  ];

  it('is critical when a tenth of a role is lost, and three nodes at least; or half of a small one', () => {
    expect(downAs(names(3))).toEqual(['warning']);
    expect(downAs(names(4))).toEqual(['critical']);
    expect(downAs(['login1'])).toEqual(['critical']);
    expect(downAs(['admin'])).toEqual(['critical']);
    expect(downAs(names(4), '')).toEqual(['warning']);
    const two = 'fleet: [{ nodes: "n[1-10]", role: compute }]\n';
    expect(downAs(names(2), two)).toEqual(['warning']);
    expect(downAs(names(3), two)).toEqual(['critical']);
  });

  it('says how much is lost, and does not count what is known to be down', () => {
    const [tick] = run([NOON], (now) => pbs(now, names(4)), { yaml: FLEET }) as [Judged];
    expect(tick.findings[0]?.escalated).toEqual({ from: 'warning', at: toIso(NOON), reason: '4 of 40 compute nodes are lost (10 %)' });
    const known = `${FLEET}known_down: [{ nodes: n1, reason: r, owner: o, expires: 2026-12-15 }]\n`;
    expect(downAs(names(4), known)).toEqual(['warning']);
  });

  it('holds until the loss is half of what raised it, so that one node more or less is not told each time', () => {
    const lost = [4, 3, 4, 2, 1, 2];
    const ticks = run(
      lost.map((_, n) => NOON + n * HOUR),
      (now) => pbs(now, names(lost[(now - NOON) / HOUR] as number)),
      { yaml: FLEET },
    );
    expect(ticks.map((t) => t.findings.find((f) => f.subject.id === 'n1')?.severity)).toEqual([
      'critical',
      'critical',
      'critical',
      'critical',
      'warning',
      'warning',
    ]);
    expect(ticks[2]?.findings.find((f) => f.subject.id === 'n1')?.escalated?.at).toBe(toIso(NOON));
  });

  it('is critical when many running jobs are hit', () => {
    const jobs = (n: number): ConditionDraft[] =>
      Array.from({ length: n }, (_, i) => ({ kind: 'job_on_broken_node', subject: { type: 'job', id: `${i}.pbs` }, message: 'hit' }));
    const worst = (n: number) => run([NOON], (now) => pbs(now, [], jobs(n)), { yaml: FLEET })[0]?.findings[0];
    expect(worst(4)).toMatchObject({ severity: 'warning' });
    expect(worst(5)).toMatchObject({ severity: 'critical', escalated: { reason: '5 running jobs are hit' } });
  });
});
