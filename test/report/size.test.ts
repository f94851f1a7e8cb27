import { describe, expect, it } from 'vitest';
import type { Severity } from '../../lib/model/condition.ts';
import type { Finding, FindingState } from '../../lib/model/finding.ts';
import { outline } from '../../lib/report/outline.ts';
import { render } from '../../lib/report/render.ts';
import { planNotices } from '../../lib/report/plan.ts';
import { planAlerts } from '../../lib/report/sinks/alertmanager.ts';
import { slackMessage } from '../../lib/report/sinks/slack.ts';
import { notification } from '../../lib/report/sinks/webhook.ts';
import { expand } from '../../lib/nodeset.ts';
import { ago, finding, HOUR, MINUTE, NOW, report } from './build.ts';

const KIB = 1024;
const SEVERITIES: readonly Severity[] = ['critical', 'warning', 'warning', 'info', 'info'];
const STATES: readonly FindingState[] = ['new', 'ongoing', 'ongoing', 'stale', 'resolved', 'candidate'];
const nodeName = (n: number): string =>
  `x${1000 + Math.floor(n / 256)}c${Math.floor(n / 64) % 4}s${Math.floor(n / 8) % 8}b${Math.floor(n / 4) % 2}n${n % 4}`;
const hint = 'Look at its console for the time it went down, then at power and network. '.repeat(3);

/** 5,000 findings of 120 kinds over a large fleet, in every state, each with a message of its own. */
function crowd(count: number, severities = SEVERITIES): Finding[] {
  return Array.from({ length: count }, (_, n) => {
    const state = STATES[n % STATES.length] as FindingState;
    const severity = severities[(n >> 3) % severities.length] as Severity;
    const node = nodeName(n);
    return finding({
      node,
      kind: `kind_of_trouble_${n % 120}`,
      state,
      severity,
      hint,
      message: `${node}: sensor ${n % 17} reads ${(n * 37) % 1000} W, at or over the limit of ${n % 250} W since ${ago(n * 1000)}, though its neighbours are well below it`,
      firstSeen: ago(n * MINUTE),
      reason: `source number ${n % 5} failed: the connection was reset after ${n % 9} s`,
      ...(state === 'resolved' && { resolvedAt: n % 2 === 0 ? ago(0) : ago(3 * HOUR) }),
    });
  });
}

const big = report({ findings: crowd(5000) });
const o = outline(big);

describe('a report of 5,000 findings', () => {
  it.each([
    ['txt', 256 * KIB],
    ['md', 256 * KIB],
    ['html', 384 * KIB],
    ['json', 5000 * 1536],
  ] as const)('has a %s of at most %i bytes', (format, limit) => {
    const bytes = new TextEncoder().encode(render(big, format)).length;
    expect(bytes).toBeLessThan(limit);
    expect(bytes).toBeGreaterThan(10 * KIB);
  });

  it('states exact totals: every finding stands in one section', () => {
    expect(o.sections.reduce((n, s) => n + s.findings, 0)).toBe(5000);
    for (const s of o.sections) expect(s.items.reduce((n, i) => n + i.findings, 0)).toBe(s.findings);
    const count = (test: (f: Finding) => boolean): number => big.findings.filter(test).length;
    expect(o.headline).toBe(
      [
        'CRITICAL',
        `${count((f) => f.state === 'new' && f.severity === 'critical')} new critical`,
        `${count((f) => f.state === 'new' && f.severity !== 'critical')} other new`,
        `${count((f) => f.state === 'ongoing')} ongoing`,
        `${count((f) => f.state === 'stale')} stale`,
        `${count((f) => f.state === 'resolved' && f.resolvedAt === big.generatedAt)} resolved`,
        'sources 1/1 fresh',
      ].join(' · '),
    );
  });

  it('names every critical, first in its section', () => {
    const named = o.sections.flatMap((s) => s.items.filter((i) => i.severity === 'critical').flatMap((i) => expand(i.where as string)));
    const criticals = big.findings.filter((f) => f.severity === 'critical').map((f) => f.subject.id);
    expect(named.sort()).toEqual(criticals.sort());
    for (const s of o.sections) {
      const marks = s.items.map((i) => i.severity === 'critical');
      expect(marks.lastIndexOf(true)).toBeLessThan(marks.includes(false) ? marks.indexOf(false) : marks.length);
    }
  });

  it('says how many lines and findings it leaves out', () => {
    const cut = o.sections.flatMap((s) => s.items.filter((i) => i.title.startsWith('and ')));
    expect(cut.length).toBeGreaterThan(0);
    for (const item of cut) expect(item.title).toContain(`${item.findings} more findings`);
  });
});

it('5,000 criticals whose names do not fold are all named', () => {
  const letters = (n: number): string => n.toString(26).replaceAll(/./g, (d) => String.fromCharCode(97 + Number.parseInt(d, 26)));
  const names = Array.from({ length: 5000 }, (_, n) => `host-${letters(n * 7_368_787)}`);
  const text = render(report({ findings: names.map((node) => finding({ node })) }), 'txt');
  expect(text.length).toBeLessThan(256 * KIB);
  const joined = text.replaceAll(/\n +/g, '');
  expect(names.filter((n) => !joined.includes(n)).length).toBe(0);
});

describe('what sinks are sent of 5,000 findings', () => {
  const { notices } = planNotices(big, null, HOUR);
  const open = big.findings.filter((f) => ['new', 'ongoing', 'stale'].includes(f.state) && f.severity !== 'info');

  it('is counted to the last one, criticals first', () => {
    const ranks = notices.map((n) => n.severity);
    expect(ranks.lastIndexOf('critical')).toBeLessThan(ranks.indexOf('warning'));
    for (const { sent, cut } of [notification(big, notices), slackMessage(big, notices)]) {
      expect(cut).toBeGreaterThan(0);
      expect(sent + cut).toBe(open.length);
    }
  });

  it('stays small', () => {
    expect(JSON.stringify(notification(big, notices).body).length).toBeLessThan(600 * KIB);
    const { body } = slackMessage(big, notices);
    expect(body.blocks.length).toBeLessThanOrEqual(12);
    expect(body.text.length).toBeLessThanOrEqual(3500);
    for (const text of [body.text, JSON.stringify(body.blocks.at(-1))]) expect(text.includes('more findings in')).toBe(true);
  });

  it('leaves out the least of the alerts', () => {
    const { alerts, cut } = planAlerts(big, null, { now: NOW, labels: {}, heartbeat: MINUTE });
    expect(alerts).toHaveLength(1 + 2000);
    expect(cut).toBe(open.length - 2000);
    const criticals = open.filter((f) => f.severity === 'critical').length;
    expect(alerts.filter((a) => a.labels['severity'] === 'critical')).toHaveLength(Math.min(2000, criticals));
  });
});
