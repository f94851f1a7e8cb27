import { describe, expect, it } from 'vitest';
import type { Report } from '../../lib/model/report.ts';
import type { Notified } from '../../lib/report/notified.ts';
import { type Alert, planAlerts } from '../../lib/report/sinks/alertmanager.ts';
import { canonicalJson } from '../../lib/model/json.ts';
import { toIso } from '../../lib/model/time.ts';
import { finding, HOUR, MINUTE, NOW, report, source } from './build.ts';

/** An Alertmanager as its interface promises: one alert for each set of labels, firing until its end. */
class Alertmanager {
  log: Notified | null = null;
  at = NOW;
  held = new Map<string, Alert>();
  tick(over: Partial<Report>, { isSent = true, labels = {} } = {}): string[] {
    this.at += 5 * MINUTE;
    const plan = planAlerts(report({ at: this.at, ...over }), this.log, { now: this.at, labels, heartbeat: 20 * MINUTE });
    if (!isSent) return this.firing();
    for (const alert of plan.alerts) {
      // It refuses such an alert, and answers 400 to the request.
      if (alert.startsAt > alert.endsAt) throw new Error('start time must be before end time');
      this.held.set(canonicalJson(alert.labels), alert);
    }
    this.log = plan.log;
    return this.firing();
  }
  firing(at = this.at): string[] {
    return [...this.held.values()]
      .filter((a) => a.endsAt > toIso(at))
      .map(({ labels }) => [labels['alertname'], labels['severity'], labels['subject']].filter((x) => x !== undefined).join(' '))
      .sort();
  }
}

const BEAT = 'observer_heartbeat none';

describe('Alertmanager', () => {
  it('gets labels that stay the same for all of an episode, and the rest as annotations', () => {
    const alertmanager = new Alertmanager();
    const one = finding({ node: 'n1' });
    alertmanager.tick({ findings: [one] }, { labels: { team: 'hpc', severity: 'nonsense' } });
    const alert = [...alertmanager.held.values()].find((a) => a.labels['alertname'] === 'kernel_panic');
    expect(alert).toEqual({
      labels: { team: 'hpc', alertname: 'kernel_panic', severity: 'critical', cluster: 'democluster', subject: 'n1', finding: one.id },
      annotations: {
        summary: 'kernel panic: n1',
        description: 'n1: kernel_panic happened',
        hint: 'Look at its console.',
        state: 'new: seen for the first time',
        key: `${one.id}#1`,
        evidence: 'console_logs@20261130t084400.000z#/conditions/0/values',
      },
      startsAt: one.firstSeen,
      endsAt: toIso(alertmanager.at + 24 * HOUR),
    });
  });

  it('holds what is open, whatever its state, and nothing below a warning', () => {
    const alertmanager = new Alertmanager();
    const findings = [
      finding({ node: 'new' }),
      finding({ node: 'ongoing', state: 'ongoing' }),
      finding({ node: 'stale', state: 'stale', severity: 'warning' }),
      finding({ node: 'info', severity: 'info' }),
      finding({ node: 'candidate', state: 'candidate' }),
      finding({ node: 'resolved', state: 'resolved', resolvedAt: report().generatedAt }),
    ];
    const firing = ['kernel_panic critical new', 'kernel_panic critical ongoing', 'kernel_panic warning stale', BEAT];
    expect(alertmanager.tick({ findings })).toEqual(firing);
    expect(alertmanager.tick({ findings })).toEqual(firing);
    expect(alertmanager.held.size).toBe(4);
  });

  it('is told that something is over, also after a tick that did not reach it', () => {
    const alertmanager = new Alertmanager();
    alertmanager.tick({ findings: [finding()] });
    const over = finding({ state: 'resolved', resolvedAt: report().generatedAt });
    expect(alertmanager.tick({ findings: [over] }, { isSent: false })).toContain('kernel_panic critical n1');
    expect(alertmanager.tick({ findings: [over] })).toEqual([BEAT]);
    expect(alertmanager.tick({ findings: [finding({ episode: 2 })] })).toEqual(['kernel_panic critical n1', BEAT]);
  });

  it('holds one alert of a finding that gets worse', () => {
    const alertmanager = new Alertmanager();
    alertmanager.tick({ findings: [finding({ severity: 'warning' })] });
    expect(alertmanager.tick({ findings: [finding({ state: 'ongoing' })] })).toEqual(['kernel_panic critical n1', BEAT]);
    expect(alertmanager.tick({ findings: [finding({ state: 'ongoing', severity: 'warning' })] })).toEqual([
      'kernel_panic warning n1',
      BEAT,
    ]);
  });

  it('gets no new alert by a group that forms or dissolves', () => {
    const alertmanager = new Alertmanager();
    const findings = [finding()];
    alertmanager.tick({ findings });
    const group = {
      id: 'f'.repeat(32),
      kind: 'kernel_panic',
      title: 'kernel panic',
      severity: 'critical',
      state: 'new',
      place: { type: 'switch', id: 's1' },
      findings: findings.map((f) => f.id),
      subjects: 'n1',
      message: '3 of 16 nodes behind switch s1',
      counterEvidence: [],
      pValue: 0.01,
    } as const;
    alertmanager.tick({ findings, groups: [{ ...group, findings: [...group.findings], counterEvidence: [] }] });
    expect(alertmanager.held.size).toBe(2);
    expect([...alertmanager.held.values()].some((a) => a.annotations['group'] === '3 of 16 nodes behind switch s1')).toBe(true);
  });

  it('does not go on with what is held back or no longer followed, and does not call it resolved', () => {
    const alertmanager = new Alertmanager();
    const one = finding();
    alertmanager.tick({ findings: [one] });
    const suppressed = [
      {
        reason: 'maintenance',
        entry: 'e',
        owner: 'o',
        until: one.lastSeen,
        subjects: 'n1',
        findings: [{ id: one.id, kind: one.kind, severity: one.severity, subject: one.subject }],
      },
    ];
    expect(alertmanager.tick({ suppressed })).toEqual([BEAT]);
    expect([...alertmanager.held.values()].find((a) => a.labels['finding'] === one.id)?.annotations['state']).toContain(
      'not known to be over',
    );
    expect(alertmanager.tick({ findings: [{ ...one, state: 'ongoing' }] })).toEqual(['kernel_panic critical n1', BEAT]);
  });

  it('keeps its alerts for a day when the observer dies, while the heartbeat lapses', () => {
    const alertmanager = new Alertmanager();
    alertmanager.tick({ findings: [finding()] });
    expect(alertmanager.firing(alertmanager.at + 19 * MINUTE)).toEqual(['kernel_panic critical n1', BEAT]);
    expect(alertmanager.firing(alertmanager.at + 21 * MINUTE)).toEqual(['kernel_panic critical n1']);
    expect(alertmanager.firing(alertmanager.at + 25 * HOUR)).toEqual([]);
  });

  it('hears of blindness, whole or of a source, and of its end', () => {
    const alertmanager = new Alertmanager();
    const weka = source('weka_state', NOW, { fresh: false, age: HOUR });
    expect(alertmanager.tick({ sources: [weka] })).toEqual([BEAT, 'source_blind warning weka_state']);
    expect(alertmanager.tick({ sources: [weka], verdict: 'blind' })).toEqual([
      'observer_blind critical democluster',
      BEAT,
      'source_blind warning weka_state',
    ]);
    expect(alertmanager.tick({ sources: [source('weka_state')] })).toEqual([BEAT]);
  });

  it('tells the next outage from the one before', () => {
    const alertmanager = new Alertmanager();
    const weka = source('weka_state', NOW, { fresh: false, age: HOUR });
    for (const sources of [[weka], [source('weka_state')], [source('weka_state')], [weka]]) alertmanager.tick({ sources });
    expect([...alertmanager.held.values()].map((a) => a.annotations['key'])).toContain('blind:weka_state#2');
  });

  it('never gets an alert that begins after it ends, whatever clocks say', () => {
    const alertmanager = new Alertmanager();
    const ahead = finding({ firstSeen: toIso(NOW + 48 * HOUR) });
    alertmanager.tick({ findings: [ahead] });
    alertmanager.tick({ findings: [{ ...ahead, state: 'resolved', resolvedAt: report().generatedAt }] });
    expect(alertmanager.firing()).toEqual([BEAT]);
  });
});
