import { afterEach, beforeEach, expect, it } from 'vitest';
import { verifyAudit } from '../../lib/audit/audit.ts';
import { reasoner } from '../../lib/harness/reasoner.ts';
import { replay } from '../../lib/steps/replay.ts';
import { run } from '../../lib/steps/run.ts';
import { testObserver, type TestObserver } from '../observer.ts';

let observer: TestObserver;

beforeEach(() => {
  observer = testObserver('{ cluster: test, sources: { console_logs: { path: consoles, first_sight: all } } }', { model: reasoner });
  observer.write('consoles/n1', '[  100.000000] Kernel panic - not syncing: Fatal exception\n');
});
afterEach(() => observer.dispose());

it('plays a tick back to the byte, however much was stored since, and writes nothing', async () => {
  const first = (await run(observer)).report;
  observer.truth = 'fleet: [{ nodes: n1, role: compute }]';
  observer.write('consoles/n1', 'a quiet line\n');
  observer.now += 300_000;
  const second = (await run(observer)).report;
  const keys = await observer.store.list('');
  for (const { tick } of [first, second]) expect(await replay(observer, tick)).toMatchObject({ tick, identical: true, parts: null });
  expect(await observer.store.list('')).toEqual(keys);
  expect(await verifyAudit(observer.store)).toMatchObject({ faults: [] });
});

it('says where a recording that was tampered with parts from its report', async () => {
  const { report } = await run(observer).then((r) => r);
  const key = `ticks/${report.tick}/recording`;
  const text = (await observer.store.getText(key)) as string;
  await observer.store.putText(key, text.replaceAll('kernel panic on n1', 'nothing at all on n1'));
  const replayed = await replay(observer, report.tick);
  expect(replayed.identical).toBe(false);
  expect(replayed.parts).toMatchObject({
    at: expect.stringMatching(/^\/report\/assessment/),
    replayed: expect.stringContaining('nothing at all'),
  });
});

it('shows what another model would have said, beside what was said', async () => {
  const { report } = await run(observer);
  const answers = await replay(observer, report.tick, { label: 'silent', complete: () => Promise.reject(new Error('silent')) });
  expect(answers.assessments.recorded.status).toBe('ok');
  expect(answers.assessments.replayed.status).toBe('failed');
});

it('refuses a tick that has no recording', async () => {
  await expect(replay(observer, '20260101t000000.000z')).rejects.toMatchObject({ problem: { code: 'missing' } });
});
