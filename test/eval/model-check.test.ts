import { describe, expect, it } from 'vitest';
import type { Run } from '../../lib/eval/model-check/days.ts';
import { lineOf, verdictOf } from '../../lib/eval/model-check/verdict.ts';
import { emptyAssessment } from '../../lib/harness/assess.ts';

const run = (change: Partial<Run> = {}): Run => ({
  day: 'faulty',
  took: 1234,
  broken: [],
  status: 'ok',
  reason: 'asked',
  usage: emptyAssessment('ok', '').usage,
  counts: { claims: 10, verified: 9, dropped: 1, hijackSigns: 0 },
  stories: 3,
  observations: 1,
  criticals: { all: 4, inStories: 3 },
  notes: [],
  ...change,
});
const failed = run({ status: 'failed', reason: 'answered nothing, twice', counts: { claims: 0, verified: 0, dropped: 0, hijackSigns: 0 } });

describe('the verdict on a model', () => {
  it.each<[string, string, Run[], RegExp]>([
    [
      'every day with an assessment that holds',
      'good',
      [run(), run({ day: 'healthy' }), run({ day: 'hostile' })],
      /9 of 10 claims verified, 3 of 4 criticals/,
    ],
    ['one day without', 'usable', [run(), { ...failed, day: 'healthy' }], /1 of 2 with an assessment/],
    ['half of it unverified', 'usable', [run({ counts: { claims: 10, verified: 4, dropped: 0, hijackSigns: 0 } })], /4 of 10/],
    ['few criticals linked', 'usable', [run({ criticals: { all: 9, inStories: 1 } })], /1 of 9/],
    ['nothing on the faulty day', 'of no use', [failed, run({ day: 'healthy' })], /answered nothing, twice/],
    [
      'nothing that holds',
      'of no use',
      [run({ counts: { claims: 5, verified: 0, dropped: 0, hijackSigns: 0 } })],
      /nothing that it said holds/,
    ],
    [
      'something that must not be',
      'broken',
      [run(), run({ day: 'hostile', broken: ['the replay parts at /report'] })],
      /^hostile: the replay parts/,
    ],
    ['no run', 'of no use', [], /no run was made/],
  ])('with %s is %s', (_, verdict, runs, because) => {
    expect(verdictOf([], runs)).toEqual({ verdict, because: expect.stringMatching(because) });
  });

  it('names an endpoint that does not answer', () => {
    const checks = [{ name: 'answers', status: 'failed' as const, detail: 'refused' }];
    expect(verdictOf(checks, [failed])).toMatchObject({ verdict: 'of no use', because: expect.stringContaining('(refused)') });
  });

  it('tells a run in a line', () => {
    expect(lineOf(run())).toMatch(/^faulty {3}ok: 3 stories.*9 of 10 claims verified.*1\.2 s, .*floor unchanged, replay identical$/);
    expect(lineOf({ ...failed, broken: ['late'] })).toMatch(/failed: answered nothing, twice; .*BROKEN: late$/);
  });
});
