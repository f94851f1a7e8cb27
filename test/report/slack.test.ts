import { describe, expect, it } from 'vitest';
import type { Finding, Group } from '../../lib/model/finding.ts';
import { planNotices } from '../../lib/report/plan.ts';
import { type SlackMessage, slackMessage } from '../../lib/report/sinks/slack.ts';
import { finding, HOUR, report } from './build.ts';

const message = (findings: Finding[], groups: Group[] = []): SlackMessage => {
  const made = report({ findings, groups });
  return slackMessage(made, planNotices(made, null, HOUR).notices).body;
};
const sections = (body: SlackMessage): string[] => body.blocks.flatMap((b) => (b.type === 'section' ? b.text.text.split('\n') : []));

describe('a message to Slack', () => {
  it('is a line for each thing that is told', () => {
    const body = message([finding({ node: 'n1' }), finding({ node: 'n2' }), finding({ node: 'n3', kind: 'fan', severity: 'warning' })]);
    expect(sections(body)).toEqual(['OPEN critical: kernel panic: n[1-2] (2)', 'OPEN warning: fan: n3 — n3: fan happened']);
    expect(body.text).toBe(`democluster: CRITICAL · 2 new critical · 1 other new · sources 1/1 fresh\n${sections(body).join('\n')}`);
    expect(body.blocks[0]).toMatchObject({
      type: 'header',
      text: { text: 'democluster: CRITICAL · 2 new critical · 1 other new · sources 1/1 fresh' },
    });
    expect(body.blocks.at(-1)).toMatchObject({ elements: [{ text: 'tick 20261130t084500.000z' }] });
  });

  it.each([
    ['entities', '&'],
    ['halves of characters', '\u{1f600}'],
  ])('that is too long is not cut within %s', (_, unit) => {
    const long = unit.repeat(600);
    const one = finding({ node: 'n1', title: long, message: long });
    // Every length of what stands before has the cut fall elsewhere.
    for (let shift = 0; shift < 6; shift++) {
      const group: Group = {
        id: 'f'.repeat(32),
        kind: one.kind,
        title: long,
        severity: 'critical',
        state: 'new',
        place: { type: 'switch', id: 's1' },
        findings: [one.id],
        subjects: 'n1',
        message: `${'x'.repeat(shift)}${long}`,
        counterEvidence: [],
        pValue: 0.01,
      };
      const [text] = sections(message([one], [group]));
      expect(text?.length).toBeLessThanOrEqual(2900);
      expect(text?.replaceAll('&amp;', '')).not.toMatch(/&|\p{Surrogate}/u);
    }
  });
});
