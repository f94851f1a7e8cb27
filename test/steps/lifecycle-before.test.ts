import { beforeEach, describe, expect, it } from 'vitest';
import { run } from '../../lib/steps/run.ts';
import { readBefore } from '../../lib/steps/lifecycle-before.ts';
import { memoryDriver } from '../../lib/store/drivers/memory.ts';
import { Store } from '../../lib/store/store.ts';
import { tickOf, NOON } from '../findings/build.ts';
import { testObserver } from '../observer.ts';

const [FIRST, SECOND, THIRD] = ['20261130t120000.000z', '20261130t120500.000z', '20261130t121000.000z'] as const;
const state = tickOf({ now: NOON, sources: [] }).state;
let store: Store;

beforeEach(async () => {
  store = new Store(memoryDriver());
  for (const tick of [FIRST, SECOND, THIRD]) await store.put(`findings/states/${tick}`, { ...state, judged: { pbs_state: tick } });
});

describe('the state that a tick goes on from', () => {
  it('is the one that the last tick left', async () => {
    expect(await readBefore(store, null)).toEqual({ state: null, tick: null, damage: null });
    expect(await readBefore(store, THIRD)).toMatchObject({ state: { judged: { pbs_state: THIRD } }, tick: THIRD, damage: null });
  });

  it('is the newest older one where that is damaged, of another form or gone, and this is told', async () => {
    await store.putText(`findings/states/${THIRD}`, '{"schema":');
    expect(await readBefore(store, THIRD)).toMatchObject({
      state: { judged: { pbs_state: SECOND } },
      tick: SECOND,
      damage: expect.stringContaining(`taken up from tick ${SECOND}`),
    });
    await store.put(`findings/states/${SECOND}`, { schema: 'hpc-observer/lifecycle/0' });
    expect(await readBefore(store, THIRD)).toMatchObject({ tick: FIRST });
    await store.remove(`findings/states/${THIRD}`);
    expect(await readBefore(store, THIRD)).toMatchObject({ tick: FIRST, damage: expect.stringContaining('is gone; taken up') });
  });

  it('is none where no state can be read, and this is told', async () => {
    for (const tick of [FIRST, SECOND, THIRD]) await store.remove(`findings/states/${tick}`);
    expect(await readBefore(store, THIRD)).toMatchObject({
      state: null,
      tick: null,
      damage: expect.stringContaining('as for the first time'),
    });
  });
});

describe('a tick after the state was damaged', () => {
  it('goes on from the one before, tells it, and finds nothing new that it knew', async () => {
    const observer = testObserver('cluster: test\nsources:\n  console_logs: { path: consoles, first_sight: all }\n');
    observer.write('consoles/n1', '[  100.000000] Kernel panic - not syncing: Fatal exception\n');
    await run(observer);
    observer.now += 60_000;
    const { report } = await run(observer);
    await observer.store.putText(`findings/states/${report.tick}`, 'torn');
    observer.now += 60_000;
    const after = (await run(observer)).report;
    expect(after.findings.map((f) => [f.kind, f.state, f.episode])).toEqual([
      ['kernel_panic', 'ongoing', 1],
      ['memory_damaged', 'new', 1],
    ]);
    observer.now += 60_000;
    expect((await run(observer)).report.findings.map((f) => [f.kind, f.state])).toEqual([
      ['kernel_panic', 'ongoing'],
      ['memory_damaged', 'resolved'],
    ]);
    observer.dispose();
  });
});
