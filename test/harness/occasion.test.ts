import { describe, expect, it } from 'vitest';
import { assess, emptyAssessment } from '../../lib/harness/assess.ts';
import { reasonToAsk } from '../../lib/harness/occasion.ts';
import type { Change } from '../../lib/model/change.ts';
import type { Finding } from '../../lib/model/finding.ts';
import type { Assessment } from '../../lib/model/report.ts';
import { toIso } from '../../lib/model/time.ts';
import { AT, NOW, viewOf } from './view.ts';

const madeAgo = (minutes: number): Assessment => ({ ...emptyAssessment('ok', 'x'), madeAt: toIso(NOW - minutes * 60_000), model: 'm' });
const quiet = viewOf([{ state: 'ongoing' }]);
const [finding] = quiet.findings as [Finding];
const withFinding = (change: Partial<Finding>) => ({
  ...quiet,
  findings: [{ ...finding, changedAt: '2026-11-30T01:00:00.000Z', ...change }],
});
const changed = (severity: 'critical' | 'warning'): Change => {
  const stub = {
    id: finding.id,
    kind: 'oom',
    subject: { type: 'node', id: 'n1' },
    severity: 'critical' as const,
    message: 'm',
    values: { count: 2 },
  };
  return {
    source: 's',
    from: AT,
    to: AT,
    appeared: [],
    cleared: [],
    unknown: [],
    summary: [],
    summaryMore: 0,
    changed: [{ ...stub, was: { severity, values: { count: 1 } } }],
  };
};

describe('the model is asked', () => {
  it.each<[string, ReturnType<typeof withFinding>, Assessment | null, RegExp]>([
    ['the first time', withFinding({}), null, /no earlier/],
    ['when the last try failed', withFinding({}), emptyAssessment('failed', 'x'), /no earlier/],
    ['when the last report was discarded', withFinding({}), { ...emptyAssessment('discarded', 'x'), madeAt: toIso(NOW - 1) }, /no earlier/],
    ['after 6 hours', withFinding({}), madeAgo(361), /6 hours/],
    ['for what is new', withFinding({ state: 'new', reportedAt: toIso(NOW) }), madeAgo(5), /^new: kernel_panic on x1000c0s0b0n0/],
    ['for what was resolved now', withFinding({ state: 'resolved', resolvedAt: toIso(NOW) }), madeAgo(5), /^resolved/],
    ['for what got worse now', withFinding({ escalated: { from: 'warning', at: toIso(NOW), reason: 'r' } }), madeAgo(5), /^escalated/],
    ['for what turned stale now', withFinding({ state: 'stale', changedAt: toIso(NOW) }), madeAgo(5), /^stale/],
    ['for a severity that changed', { ...withFinding({}), changes: [changed('warning')] }, madeAgo(5), /^changed: oom on n1/],
  ])('%s', (_, view, previous, reason) => {
    expect(reasonToAsk(view, previous)).toMatch(reason);
  });

  it.each<[string, ReturnType<typeof withFinding>, Assessment]>([
    ['nothing happened', withFinding({}), madeAgo(5)],
    ['values drift', { ...withFinding({}), changes: [changed('critical')] }, madeAgo(359)],
    ['what was resolved is long over', withFinding({ state: 'resolved', resolvedAt: toIso(NOW - 600_000) }), madeAgo(5)],
    ['it got worse an hour ago', withFinding({ escalated: { from: 'warning', at: toIso(NOW - 3_600_000), reason: 'r' } }), madeAgo(5)],
    ['it has been stale for long', withFinding({ state: 'stale' }), madeAgo(5)],
    ['the last assessment was carried itself', withFinding({}), { ...madeAgo(300), status: 'carried' }],
  ])('not when %s: the last assessment is carried, with its time', async (_, view, previous) => {
    const client = { label: 'm', complete: () => Promise.reject(new Error('asked')) };
    const made = await assess({
      view,
      client,
      previous,
      limits: null,
      tick: AT,
      seed: 1,
      nonce: 'n',
      profile: null,
      clock: () => NOW,
      audit: async () => undefined,
    });
    expect(made).toMatchObject({ exchanges: [], profile: null, assessment: { status: 'carried', madeAt: previous.madeAt, model: 'm' } });
  });
});
