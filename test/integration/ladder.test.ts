import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MOCK_NAMES } from '../../lib/harness/mocks.ts';
import { startMock } from '../../lib/harness/mocks/server.ts';
import type { Assessment, Report } from '../../lib/model/report.ts';
import { Report as ReportSchema } from '../../lib/model/report.ts';
import { hasUnsafe } from '../../lib/model/text.ts';
import type { Observer } from '../../lib/steps/observer.ts';
import { replay } from '../../lib/steps/replay.ts';
import { tick } from '../../lib/steps/tick.ts';
import { type Collected, collectDay, type Day, DEMO, LIMITS } from '../harness/demo.ts';

const DAYS: readonly Day[] = ['faulty', 'healthy'];
const collected = new Map<Day, Collected>();
const plain = new Map<Day, Report>();

beforeAll(async () => {
  for (const day of DAYS) {
    const all = await collectDay(`${DEMO}${day}`);
    collected.set(day, all);
    plain.set(day, await tick(await all.observer(null)));
  }
}, 120_000);
afterAll(() => {
  collected.clear();
  ran.clear();
});

/** What a report says without the model, to the byte. */
function floor(report: Report): string {
  return JSON.stringify({ ...report, assessment: null, provenance: { ...report.provenance, auditHead: null } });
}

/** How a run over a mock ends, and what is told of it; `healthy` where that is otherwise on a day without findings. */
interface Outcome {
  status: Assessment['status'];
  says?: RegExp;
  note?: RegExp;
  healthy?: { status: Assessment['status']; says?: RegExp };
}

const OUTCOMES: Record<string, Outcome> = {
  reasoner: { status: 'ok' },
  perfect: { status: 'ok' },
  silent: { status: 'failed', says: /answered nothing, twice/ },
  lazy: { status: 'ok' },
  liar: { status: 'ok' },
  downgrader: { status: 'ok' },
  hijacked: { status: 'ok' },
  looper: { status: 'failed', says: /same call 3 times/ },
  babbler: { status: 'failed', says: /calls that cannot be run/, note: /arguments mended/ },
  truncator: { status: 'failed', says: /calls that cannot be run/, note: /cut by its budget/ },
  textcaller: { status: 'ok', note: /written as text/ },
  thinker: { status: 'ok', note: /thinking/ },
  wrongname: { status: 'failed', says: /calls that cannot be run/, note: /name was mended/ },
  slow: { status: 'failed', says: /in time/ },
  flaky: { status: 'ok', note: /busy|loading/ },
  overflow: { status: 'ok', note: /context was full/, healthy: { status: 'ok' } },
  huge: { status: 'failed', says: /tokens without a report/ },
  unicode: { status: 'ok' },
};

it('has an outcome for every mock of the ladder', () => {
  expect(Object.keys(OUTCOMES)).toEqual([...MOCK_NAMES]);
});

interface Ran {
  observer: Observer;
  report: Report;
  took: number;
}

const ran = new Map<string, Promise<Ran>>();

/** A mock over a day: each is run once, whoever asks. */
function runOver(name: string, day: Day): Promise<Ran> {
  const key = `${name} ${day}`;
  const run = ran.get(key) ?? newRun(name, day);
  ran.set(key, run);
  return run;
}

const patienceOf = (name: string): number => (name === 'slow' ? 500 : 30_000);

async function newRun(name: string, day: Day): Promise<Ran> {
  const limits = { timeout: patienceOf(name) };
  const mock = await startMock(name, { ...LIMITS, ...limits });
  if (!mock) throw new Error(`no mock ${name}`);
  try {
    const observer = await (collected.get(day) as Collected).observer(mock.client, limits);
    const began = Date.now();
    const report = await tick(observer);
    return { observer, report, took: Date.now() - began };
  } finally {
    await mock.close();
  }
}

// Side by side: several of them do little but wait.
describe.concurrent.each(DAYS)('on the %s day', (day) => {
  it.each(Object.entries(OUTCOMES))(
    '%s leaves the floor as it is, keeps its budgets, and is told for what it is',
    async (name, outcome) => {
      const { observer, report, took } = await runOver(name, day);
      expect(floor(report)).toBe(floor(plain.get(day) as Report));
      expect(ReportSchema.parse(report)).toEqual(report);
      const { assessment } = report;
      const expected = day === 'healthy' ? { ...outcome, note: undefined, ...outcome.healthy } : outcome;
      expect({ name, status: assessment.status, reason: assessment.reason, notes: assessment.notes }).toMatchObject({
        name,
        status: expected.status,
        reason: expect.stringMatching(expected.says ?? /./),
        notes: expected.note ? expect.arrayContaining([expect.stringMatching(expected.note)]) : assessment.notes,
      });
      expect(took).toBeLessThan(patienceOf(name) + 30_000);
      expect(assessment.usage.turns).toBeLessThanOrEqual(LIMITS.max_turns);
      expect(assessment.usage.toolCalls).toBeLessThanOrEqual(LIMITS.max_calls + 8);
      expect(assessment.usage.tokensIn).toBeLessThan(LIMITS.max_tokens);
      expect(JSON.stringify(report.assessment).length).toBeLessThan(120_000);
      expect(textsOf(assessment).filter(hasUnsafe)).toEqual([]);
      if (day === 'faulty') expect(await replay(observer, report.tick)).toMatchObject({ identical: true });
    },
    90_000,
  );
});

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(textsOf) : [];
}

const claimsOf = ({ stories, observations }: Assessment) => [
  ...stories.flatMap((s) => [s.hypothesis, ...s.counterEvidence]),
  ...observations,
];

describe('what a model says on the faulty day', () => {
  it('is verified where it is true: at least nine of ten claims of the perfect one', async () => {
    const { assessment } = (await runOver('perfect', 'faulty')).report;
    expect(assessment.counts.claims).toBeGreaterThan(10);
    expect(claimsOf(assessment).flatMap((c) => c.unverified).length).toBeLessThan(4);
    expect(assessment.counts.verified / assessment.counts.claims).toBeGreaterThanOrEqual(0.9);
    expect(assessment.headline.length).toBeGreaterThan(2);
    expect(assessment.observations.length).toBeGreaterThan(0);
  }, 60_000);

  it('is not where it is made up: none of the claims of the liar', async () => {
    const { assessment } = (await runOver('liar', 'faulty')).report;
    expect(assessment.counts.claims).toBeGreaterThan(5);
    expect(assessment.counts.verified).toBe(0);
    expect(assessment.headline).toEqual([]);
    expect(assessment.observations.map((o) => o.severity)).not.toContain('critical');
    const marks = claimsOf(assessment).flatMap((c) => c.unverified);
    for (const lie of ['x9999c3s7b1n1', '512GiB', '14321rpm', 'nid987654', 'weka[41-49]', '03:17', '9731'])
      expect(marks.map((m) => m.replace(' ', ''))).toContain(lie);
  }, 60_000);

  it('cannot talk anything down: no claim of the downgrader is believed, no check of its stands', async () => {
    const { assessment } = (await runOver('downgrader', 'faulty')).report;
    expect(assessment.counts.claims).toBeGreaterThan(5);
    expect(assessment.counts.verified).toBe(0);
    expect(assessment.headline).toEqual([]);
    expect(assessment.stories.flatMap((s) => s.nextChecks)).toEqual([]);
    expect(assessment.stories.map((s) => s.title).filter((t) => /fine/.test(t))).toEqual([]);
  }, 60_000);
});
