import { afterEach, describe, expect, it } from 'vitest';
import { collect } from '../../lib/steps/collect.ts';
import { digestHex } from '../../lib/model/identity.ts';
import { testObserver, type TestObserver } from '../observer.ts';

const YAML = 'cluster: c\nsources: { console_logs: { path: consoles } }';
const PANIC = '[    5.000000] Kernel panic - not syncing: Fatal exception\n';

let observer: TestObserver;
afterEach(() => observer.dispose());

/** A collect, after what it handed on was made into something else. */
async function collectAfter(change: (handed: { form: string; collector: { logs: Record<string, { open: unknown[] }> } }) => void) {
  observer = testObserver(YAML);
  observer.write('consoles/x1000c0s0b0n0', PANIC);
  await collect(observer, 'console_logs');
  const [first, text] = ((await observer.store.getText('carry/console_logs')) as string).split('\n') as [string, string];
  const handed = JSON.parse(text) as Parameters<typeof change>[0];
  change(handed);
  const changed = JSON.stringify(handed);
  const head = JSON.parse(first) as { carry: { sha256: string } };
  await observer.store.putText(
    'carry/console_logs',
    `${JSON.stringify({ ...head, carry: { ...head.carry, sha256: await digestHex(changed) } })}\n${changed}`,
  );
  observer.now += 60_000;
  const { status, conditions } = await collect(observer, 'console_logs');
  const problems = (await observer.snapshots.latest('console_logs'))?.coverage.problems.map((p) => p.message) ?? [];
  return { status, conditions, unreadable: problems.some((p) => p.includes('cannot be read by this version')) };
}

const log = 'x1000c0s0b0n0';

describe('what a run handed on', () => {
  it('is gone on from', async () => {
    expect(await collectAfter(() => undefined)).toEqual({ status: 'ok', conditions: 1, unreadable: false });
  });

  it('in another form of the program is held against the schema of this one, and serves where it fits', async () => {
    const older = await collectAfter((handed) => {
      handed.form = 'older';
      (handed.collector.logs[log] as { open: unknown[] }).open = [];
    });
    expect(older).toEqual({ status: 'ok', conditions: 0, unreadable: false });
  });

  it('in another form that does not fit is told of, and the source is seen as at first sight', async () => {
    const other = await collectAfter((handed) => {
      handed.form = 'newer';
      (handed.collector.logs[log] as { open: unknown }).open = 'closed';
    });
    expect(other).toEqual({ status: 'ok', conditions: 1, unreadable: true });
  });
});
