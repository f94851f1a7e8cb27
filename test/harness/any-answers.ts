import * as fc from 'fast-check';
import { expect } from 'vitest';
import { Submission } from '../../lib/harness/submission.ts';
import { verify } from '../../lib/harness/verify.ts';
import { Assessment } from '../../lib/model/report.ts';
import { hasUnsafe } from '../../lib/model/text.ts';
import { AT, viewOf } from './view.ts';

export const NONCE = 'abcdefghijklmnop';
/** What is spoken about: a panic, a full file system, an OOM that is over. */
export const ANSWERED = viewOf(
  [
    {
      subject: 'x1000c0s2b0n0',
      message: 'x1000c0s2b0n0: kernel panic in weka_submit_io after 3600 s',
      values: { count: 12, share: 0.9612, watts: 412.5 },
      quote: '[  100.000000] RIP: 0010:weka_submit_io+0x1f',
    },
    {
      kind: 'fs_full',
      type: 'filesystem',
      subject: 'scratch',
      source: 'weka_state',
      message: 'scratch is 96 % full: 69.85 TiB of 72.76 TiB',
    },
    { kind: 'oom', subject: 'x1000c0s3b1n1', state: 'resolved', severity: 'warning' },
  ],
  { summary: { drives: { total: 33, failed: 1, names: 'weka[01-08]' } }, facts: { 'node:x1000c0s2b0n0': { model: 'EX425', dimms: 16 } } },
);
export const [PANIC, FULL] = ANSWERED.findings.map((f) => f.id) as [string, string];

/** What was shown: all that can be. */
export const SHOWN_ALL = { has: () => true, aside: () => [] };

/** Whatever is submitted: the view stays as it is, and an assessment of the right shape comes of it, without a byte that may not stand. */
export async function verifyAnyAnswers(numRuns: number): Promise<void> {
  const ids = fc.constantFrom(PANIC, FULL, PANIC.slice(0, 8), 'weka_state#/summary/drives', 'deadbeef', '', '__proto__', `x@${AT}#/`);
  const words = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 80 }),
    fc.constantFrom(
      'x1000c0s2b0n0',
      '412.5 W',
      '96 %',
      'n[1-5]',
      'n[0-999999999]',
      '[[[[',
      '08:31',
      NONCE,
      'http://evil.test/',
      '\u001b[2J',
      '1e309',
      '-'.repeat(300),
    ),
  );
  const text = fc.array(words, { maxLength: 4 }).map((w) => w.join(' '));
  const list = <T>(of: fc.Arbitrary<T>, maxLength = 2) => fc.array(of, { maxLength });
  const answer = fc.record({
    stories: list(
      fc.record({
        title: text,
        findings: list(ids),
        priority: fc.oneof(fc.double(), fc.integer()),
        hypothesis: text,
        counter_evidence: list(text, 1),
        next_checks: list(text, 1),
        confidence: fc.constantFrom('low', 'high', 'x'),
        evidence: list(ids),
      }),
    ),
    observations: list(fc.record({ text, severity: fc.constantFrom('info', 'critical'), evidence: list(ids) })),
  });
  const before = JSON.stringify(ANSWERED);
  const Made = Assessment.pick({ headline: true, stories: true, observations: true });
  await fc.assert(
    fc.asyncProperty(fc.oneof({ weight: 9, arbitrary: answer }, { weight: 1, arbitrary: fc.jsonValue() }), async (submitted) => {
      const read = Submission.safeParse(submitted);
      if (!read.success) return;
      const made = await verify(read.data, ANSWERED, SHOWN_ALL, NONCE);
      Made.parse(made);
      const out = JSON.stringify(made);
      expect(out).not.toContain(NONCE);
      expect(out).not.toMatch(/https?:\/\//);
      expect(textsIn(made).filter(hasUnsafe)).toEqual([]);
      for (const line of made.headline) expect(made.stories.find((s) => s.hypothesis.text === line)?.hypothesis.verified).toBe(true);
      expect(made.counts.verified).toBeLessThanOrEqual(made.counts.claims);
    }),
    { numRuns },
  );
  expect(JSON.stringify(ANSWERED)).toBe(before);
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(textsIn) : [];
}
