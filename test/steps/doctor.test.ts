import { afterEach, beforeAll, afterAll, describe, expect, it } from 'vitest';
import app from '../../functions/app.ts';
import { doctorCommand } from '../../lib/cli/doctor.ts';
import type { Session } from '../../lib/cli/session.ts';
import { openaiClient } from '../../lib/harness/openai.ts';
import type { Check } from '../../lib/model/check.ts';
import { type Diagnosis, doctor } from '../../lib/steps/doctor.ts';
import { readProfile } from '../../lib/steps/profiles.ts';
import { tick } from '../../lib/steps/tick.ts';
import { memoryDriver } from '../../lib/store/drivers/memory.ts';
import { calling, completion, type Reply, Stub } from '../harness/stub.ts';
import { NOON, testObserver, type TestObserver } from '../observer.ts';

const STATUS = {
  name: 'demo',
  status: 'OK',
  io_status: 'STARTED',
  drives: { active: 8, total: 8 },
  rebuild: { protectionState: [{ numFailures: 0, percent: 100, MiB: 1 }] },
};
const made: TestObserver[] = [];
const stub = new Stub();
beforeAll(() => stub.start());
afterAll(() => stub.stop());
afterEach(() => {
  for (const observer of made.splice(0)) observer.dispose();
});

function observerOf(more = '', options: Parameters<typeof testObserver>[1] = {}): TestObserver {
  const observer = testObserver(`cluster: c\nsources:\n  weka_state: { path: weka }\n${more}`, options);
  observer.write('weka/status.json', JSON.stringify(STATUS));
  made.push(observer);
  return observer;
}

function checksOf({ areas }: Diagnosis, area: string): Check[] {
  return areas.find((a) => a.area === area)?.checks ?? [];
}

async function worst(observer: TestObserver, area: string): Promise<Check | undefined> {
  const diagnosis = await doctor(observer);
  const [found] = checksOf(diagnosis, area).filter((c) => c.status === 'failed' || c.status === 'warning');
  expect(diagnosis.healthy).toBe(diagnosis.areas.every((a) => a.checks.every((c) => c.status !== 'failed')));
  return found;
}

describe('doctor', () => {
  it('has nothing to say against what is well, and leaves nothing behind', async () => {
    const observer = observerOf();
    const diagnosis = await doctor(observer);
    expect(diagnosis.healthy).toBe(true);
    expect(diagnosis.areas.map(({ area, checks }) => [area, checks.map((c) => c.status)])).toEqual([
      ['permissions', ['ok', 'ok']],
      ['clock', ['ok']],
      ['ground truth', ['skipped']],
      ['sources', ['ok']],
      ['model', ['skipped']],
      ['end to end', ['ok']],
    ]);
    expect(checksOf(diagnosis, 'sources')[0]?.detail).toMatch(/^\d+ records from 1 inputs/);
    expect([...(await observer.store.list('')), ...(await observer.reports.list(''))]).toEqual([]);
  });

  it.each<[string, string, (observer: TestObserver) => void, Partial<Record<keyof Check, unknown>>]>([
    ['a source that is missing', 'sources', () => undefined, { status: 'failed', name: 'pbs_state' }],
    ['one that is no JSON', 'sources', (o) => o.write('weka/status.json', '{"status":'), { status: 'failed' }],
    [
      'one that is old',
      'sources',
      (o) => Object.defineProperty(o, 'mtime', { value: new Date(NOON - 7_200_000).toISOString() }),
      { status: 'warning', detail: expect.stringContaining('max_age') },
    ],
    ['a clock that was never set', 'clock', (o) => (o.now = 0), { status: 'failed' }],
    [
      'ground truth with a mistake',
      'ground truth',
      (o) => (o.truth = 'known_down:\n  - { nodes: n1, reason: r, owner: o }\n'),
      { status: 'warning', detail: expect.stringContaining('fleet.yaml:2') },
    ],
  ])('names %s, with what to do', async (what, area, change, expected) => {
    const observer = observerOf(what.includes('missing') ? '  pbs_state: { path: nowhere }\n' : '');
    change(observer);
    expect(await worst(observer, area)).toMatchObject({ advice: expect.stringMatching(/./), ...expected });
  });

  it('names a state that cannot be written, and a token that cannot be read', async () => {
    const full = { ...memoryDriver(), setItemRaw: () => Promise.reject(new Error('ENOSPC: no space left')) };
    expect(await worst(observerOf('', { state: full }), 'permissions')).toMatchObject({
      name: 'state',
      status: 'failed',
      detail: expect.stringContaining('ENOSPC'),
    });
    const observer = observerOf('notify:\n  - { type: webhook, url: http://127.0.0.1:1/, token_file: hook.token }\n');
    const found = await worst(observer, 'permissions');
    expect(found).toMatchObject({ status: 'failed', name: expect.stringContaining('hook.token') });
  });

  it('keeps what it learns of the endpoint, and the next tick speaks to it so', async () => {
    const config = { url: stub.url, name: 'stub', temperature: 0, timeout: 20_000, max_turns: 3, max_calls: 3, max_tokens: 50_000 };
    const observer = observerOf('', { model: openaiClient(config, async () => undefined) });
    const only: Reply = (response, { body }) => {
      const bad = body.tools?.[0]?.function.strict === true;
      const answer =
        body.tools?.[0]?.function.name === 'paint'
          ? calling({ name: 'paint', arguments: '{"colour":"green"}' })
          : completion({ content: 'x' });
      response
        .writeHead(bad ? 400 : 200, { 'content-type': 'application/json' })
        .end(JSON.stringify(bad ? { error: 'no strict' } : answer));
    };
    stub.replies = [only];
    const { healthy, profile } = await doctor(observer);
    expect({ healthy, profile }).toMatchObject({
      healthy: true,
      profile: { dialect: { strict: false }, capabilities: { calls: 'native' } },
    });
    expect(await readProfile(observer.store, observer.model?.label ?? '')).toEqual(profile);
    stub.sent.splice(0);
    await tick(observer);
    expect(stub.sent.length).toBeGreaterThan(0);
    expect(stub.sent.filter((s) => s.body.tools?.some((t) => t.function.strict))).toEqual([]);
    expect((await readProfile(observer.store, observer.model?.label ?? ''))?.capabilities).toEqual(profile?.capabilities);
  });
});

describe('doctor on the command line', () => {
  async function command(observer: TestObserver, json: boolean) {
    let out = '';
    const session = {
      request: async (path: string, init?: RequestInit) => app.request(path, init, { observer }),
      out: (text: string) => void (out += text),
    } as unknown as Session;
    return { code: await doctorCommand(session, json), out: () => out };
  }

  it('exits 0 when nothing failed, 1 when something did, with the whole as JSON', async () => {
    const well = await command(observerOf(), false);
    expect(well).toMatchObject({ code: 0 });
    expect(well.out()).toMatch(/^permissions\n {2}ok {7}state: /);
    expect(well.out()).toMatch(/healthy: 5 ok, 0 warnings, 0 failed, 2 skipped\n$/);
    const ill = observerOf();
    ill.write('weka/status.json', 'no');
    expect((await command(ill, false)).code).toBe(1);
    const asJson = await command(ill, true);
    expect(asJson.code).toBe(1);
    expect(JSON.parse(asJson.out())).toMatchObject({ healthy: false, areas: expect.any(Array), profile: null });
  });
});
