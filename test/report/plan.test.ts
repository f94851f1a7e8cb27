import { describe, expect, it } from 'vitest';
import type { Finding, Group } from '../../lib/model/finding.ts';
import type { Report } from '../../lib/model/report.ts';
import type { Notified } from '../../lib/report/notified.ts';
import { type Notice, planNotices } from '../../lib/report/plan.ts';
import { finding, HOUR, MINUTE, NOW, report, source } from './build.ts';

const DAY = 24 * HOUR;
const told = (notices: readonly Notice[]): string[] =>
  notices.map((n) => `${n.reason} ${n.severity} ${n.matters.map((m) => m.subject).join('+')}`);

/** A webhook over ticks: what each report has it told, and what is forgotten when sending fails. */
class Webhook {
  log: Notified | null = null;
  at = NOW;
  /** @param isSent false: the message was lost, and the log with it */
  tick(over: Partial<Report>, { after = 5 * MINUTE, isSent = true } = {}): string[] {
    this.at += after;
    const { notices, log } = planNotices(report({ at: this.at, ...over }), this.log, DAY);
    if (isSent) this.log = log;
    return told(notices);
  }
}

/** A webhook that was told before, so that this is no first sight. */
function known(...findings: Finding[]): Webhook {
  const webhook = new Webhook();
  webhook.tick({ findings });
  return webhook;
}

const panic = (over: Partial<Finding> = {}): Finding => finding({ node: 'n1', ...over });

describe('at first sight', () => {
  it('everything open is one digest, whatever it is, and nothing of it comes again', () => {
    const findings = [
      panic(),
      finding({ node: 'n2', kind: 'fan', severity: 'warning', state: 'ongoing' }),
      finding({ node: 'n3', kind: 'oom', severity: 'info' }),
      finding({ node: 'n4', state: 'resolved', resolvedAt: report().generatedAt }),
      finding({ node: 'n5', state: 'candidate' }),
      finding({ node: 'n6', state: 'stale' }),
    ];
    const webhook = new Webhook();
    expect(webhook.tick({ findings })).toEqual(['digest critical n1+n6', 'digest warning n2']);
    expect(webhook.tick({ findings })).toEqual([]);
  });

  it('of a well cluster says nothing', () => {
    const webhook = new Webhook();
    expect(webhook.tick({ verdict: 'ok' })).toEqual([]);
    expect(webhook.tick({ findings: [panic()] })).toEqual(['first critical n1']);
  });

  it('says it again when the digest was lost', () => {
    const webhook = new Webhook();
    expect(webhook.tick({ findings: [panic()] }, { isSent: false })).toEqual(['digest critical n1']);
    expect(webhook.tick({ findings: [panic({ state: 'ongoing' })] })).toEqual(['digest critical n1']);
  });
});

describe('a finding is told', () => {
  it('when it is new, when it is over, and when it is back', () => {
    const webhook = known();
    expect(webhook.tick({ findings: [panic()] })).toEqual(['first critical n1']);
    expect(webhook.tick({ findings: [panic({ state: 'ongoing' })] })).toEqual([]);
    const over = panic({ state: 'resolved', resolvedAt: report().generatedAt });
    expect(webhook.tick({ findings: [over] })).toEqual(['resolved critical n1']);
    expect(webhook.tick({ findings: [over] })).toEqual([]);
    expect(webhook.tick({ findings: [panic({ episode: 2 })] })).toEqual(['first critical n1']);
  });

  it('with the next tick when a crash or a broken receiver kept it', () => {
    const webhook = known();
    expect(webhook.tick({ findings: [panic()] }, { isSent: false })).toEqual(['first critical n1']);
    expect(webhook.tick({ findings: [panic({ state: 'ongoing' })] })).toEqual(['first critical n1']);
    const over = panic({ state: 'resolved', resolvedAt: report().generatedAt });
    expect(webhook.tick({ findings: [over] }, { isSent: false })).toEqual(['resolved critical n1']);
    expect(webhook.tick({ findings: [over] })).toEqual(['resolved critical n1']);
  });

  it('not at all when it came and went before anybody was told', () => {
    const webhook = known();
    webhook.tick({ findings: [panic()] }, { isSent: false });
    expect(webhook.tick({ findings: [panic({ state: 'resolved', resolvedAt: report().generatedAt })] })).toEqual([]);
  });

  it('when it gets worse, but not when it gets better and as bad again', () => {
    const webhook = known(panic({ severity: 'warning' }));
    expect(webhook.tick({ findings: [panic({ state: 'ongoing' })] })).toEqual(['escalated critical n1']);
    expect(webhook.tick({ findings: [panic({ state: 'ongoing', severity: 'warning' })] })).toEqual([]);
    expect(webhook.tick({ findings: [panic({ state: 'ongoing' })] })).toEqual([]);
  });

  it('when it is over, also where it was no more than information at last', () => {
    const webhook = known(panic({ severity: 'warning' }));
    expect(webhook.tick({ findings: [panic({ state: 'ongoing', severity: 'info' })] })).toEqual([]);
    expect(webhook.tick({ findings: [panic({ state: 'resolved', severity: 'info', resolvedAt: report().generatedAt })] })).toEqual([
      'resolved info n1',
    ]);
  });

  it('not when it turns stale, flaps, or is seen again', () => {
    const webhook = known(panic());
    expect(webhook.tick({ findings: [panic({ state: 'stale' })] })).toEqual([]);
    expect(webhook.tick({ findings: [panic({ state: 'ongoing', flapping: { changes: 8, since: report().generatedAt } })] })).toEqual([]);
    expect(webhook.tick({ findings: [panic({ state: 'ongoing' })] })).toEqual([]);
  });

  it('not while it is held back, and neither once it is not any more', () => {
    const webhook = known(panic());
    const { id, kind, severity, subject } = panic();
    const suppressed = [
      {
        reason: 'maintenance',
        entry: 'e',
        owner: 'o',
        until: report().generatedAt,
        subjects: 'n1',
        findings: [{ id, kind, severity, subject }],
      },
    ];
    expect(webhook.tick({ suppressed })).toEqual([]);
    expect(webhook.tick({ findings: [panic({ state: 'ongoing' })] })).toEqual([]);
  });

  it('and forgotten once no report speaks of it', () => {
    const webhook = known(panic());
    webhook.tick({});
    expect(webhook.log?.told).toEqual({});
  });
});

describe('an acknowledged finding', () => {
  const acknowledged = { by: 'ops', until: '2026-12-02T00:00:00.000Z', reason: 'part ordered' };

  it('is not told again and again, but when it is over', () => {
    const webhook = known(panic(), finding({ node: 'n2', state: 'ongoing' }));
    const findings = [panic({ state: 'ongoing', acknowledged }), finding({ node: 'n2', state: 'ongoing' })];
    expect(webhook.tick({ findings }, { after: DAY })).toEqual(['repeat critical n2']);
    expect(webhook.tick({ findings: [panic({ state: 'resolved', resolvedAt: report().generatedAt })] })).toEqual(['resolved critical n1']);
  });

  it('is not told to who comes later', () => {
    expect(known().tick({ findings: [panic({ acknowledged })] })).toEqual([]);
    expect(new Webhook().tick({ findings: [panic({ acknowledged })] })).toEqual([]);
  });
});

describe('the reminder', () => {
  it('comes after the interval, for everything that is open, and once', () => {
    const webhook = known(panic());
    const findings = [panic({ state: 'ongoing' }), finding({ node: 'n2', kind: 'fan', severity: 'warning', state: 'ongoing' })];
    expect(webhook.tick({ findings: [findings[0] as Finding] }, { after: DAY - MINUTE })).toEqual([]);
    expect(webhook.tick({ findings: [findings[0] as Finding] }, { after: MINUTE })).toEqual(['repeat critical n1']);
    expect(webhook.tick({ findings })).toEqual(['first warning n2']);
    // What becomes due soon goes along, so that there is one message a day and not one for each finding.
    expect(webhook.tick({ findings }, { after: DAY - 5 * MINUTE })).toEqual(['repeat critical n1', 'repeat warning n2']);
    expect(webhook.tick({ findings })).toEqual([]);
  });

  it('does not repeat at once what was told just before', () => {
    const webhook = known(panic());
    const late = finding({ node: 'n2' });
    webhook.tick({ findings: [panic({ state: 'ongoing' }), late] }, { after: DAY - MINUTE });
    expect(webhook.tick({ findings: [panic({ state: 'ongoing' }), { ...late, state: 'ongoing' }] }, { after: MINUTE })).toEqual([
      'repeat critical n1',
    ]);
  });
});

describe('a group', () => {
  const members = ['n1', 'n2', 'n3'].map((node) => finding({ node }));
  const group = (of: readonly Finding[]): Group => ({
    id: 'f'.repeat(32),
    kind: 'kernel_panic',
    title: 'kernel panic',
    severity: 'critical',
    state: 'new',
    place: { type: 'switch', id: 's1' },
    findings: of.map((f) => f.id),
    subjects: '',
    message: `${of.length} of 16 nodes behind switch s1`,
    counterEvidence: [],
    pValue: 0.001,
  });

  it('is told once, in one line, apart from the same elsewhere', () => {
    const webhook = known();
    const elsewhere = finding({ node: 'n9' });
    expect(webhook.tick({ findings: [...members, elsewhere], groups: [group(members)] })).toEqual([
      'first critical n1+n2+n3',
      'first critical n9',
    ]);
  });

  it('makes nothing new or over by being joined, left, formed or dissolved', () => {
    const webhook = known(...members);
    const ongoing = members.map((f) => ({ ...f, state: 'ongoing' as const }));
    expect(webhook.tick({ findings: ongoing, groups: [group(ongoing)] })).toEqual([]);
    expect(webhook.tick({ findings: ongoing, groups: [group(ongoing.slice(0, 2))] })).toEqual([]);
    expect(webhook.tick({ findings: ongoing })).toEqual([]);
    const late = finding({ node: 'n4' });
    expect(webhook.tick({ findings: [...ongoing, late], groups: [group([...ongoing, late])] })).toEqual(['first critical n4']);
  });
});

describe('blindness', () => {
  const unseen = (name: string): Report['sources'][number] => source(name, NOW, { fresh: false, age: 20 * MINUTE, status: 'failed' });
  const seen = (name: string): Report['sources'][number] => source(name, NOW);

  it('of a source is told once it is too old, once an outage, and its end too', () => {
    const webhook = known();
    expect(webhook.tick({ sources: [source('weka_state', NOW, { status: 'failed' })] })).toEqual([]);
    expect(webhook.tick({ sources: [unseen('weka_state')] })).toEqual(['blind warning weka_state']);
    expect(webhook.tick({ sources: [unseen('weka_state')] })).toEqual([]);
    expect(webhook.tick({ sources: [seen('weka_state')] })).toEqual(['resolved warning weka_state']);
    expect(webhook.tick({ sources: [seen('weka_state')] })).toEqual([]);
    expect(webhook.tick({ sources: [unseen('weka_state')] })).toEqual(['blind warning weka_state']);
    expect(webhook.log?.told['blind:weka_state']?.episode).toBe(2);
  });

  it('of everything is one critical message, and what stays unseen after it is told then', () => {
    const webhook = known();
    const all = [unseen('weka_state'), unseen('console_logs')];
    expect(webhook.tick({ verdict: 'blind', sources: all })).toEqual(['blind critical democluster']);
    expect(webhook.tick({ verdict: 'blind', sources: all })).toEqual([]);
    expect(webhook.tick({ verdict: 'degraded', sources: [unseen('weka_state'), seen('console_logs')] })).toEqual([
      'blind warning weka_state',
      'resolved critical democluster',
    ]);
  });

  it('that began with one source is not over because the others are unseen as well', () => {
    const webhook = known();
    webhook.tick({ sources: [unseen('weka_state'), seen('console_logs')] });
    expect(webhook.tick({ verdict: 'blind', sources: [unseen('weka_state'), unseen('console_logs')] })).toEqual([
      'blind critical democluster',
    ]);
    expect(webhook.tick({ sources: [unseen('weka_state'), seen('console_logs')] })).toEqual(['resolved critical democluster']);
  });

  it('of what is not configured is none', () => {
    expect(known().tick({ sources: [source('pbs_state', NOW, { status: 'skipped', fresh: false, age: null })] })).toEqual([]);
  });
});

it('tells the worst first, and what is over last', () => {
  const webhook = known(finding({ node: 'over' }), finding({ node: 'worse', severity: 'warning', kind: 'fan' }));
  const notices = webhook.tick({
    findings: [
      finding({ node: 'over', state: 'resolved', resolvedAt: report().generatedAt }),
      finding({ node: 'small', severity: 'warning', kind: 'disk' }),
      finding({ node: 'worse', kind: 'fan', state: 'ongoing' }),
      finding({ node: 'big' }),
    ],
    sources: [source('weka_state', NOW, { fresh: false })],
  });
  expect(notices).toEqual([
    'first critical big',
    'escalated critical worse',
    'blind warning weka_state',
    'first warning small',
    'resolved critical over',
  ]);
});

it('says the same twice when asked twice', () => {
  const webhook = known(panic());
  const one = report({ at: NOW + HOUR, findings: [finding({ node: 'n2' })] });
  expect(planNotices(one, webhook.log, DAY)).toEqual(planNotices(one, webhook.log, DAY));
});
