import * as fc from 'fast-check';
import { join } from 'node:path';
import type { Driver } from 'unstorage';
import { describe, expect, it } from 'vitest';
import { toIso } from '../../lib/model/time.ts';
import { atomicFsDriver } from '../../lib/store/drivers/atomic-fs.ts';
import { memoryDriver } from '../../lib/store/drivers/memory.ts';
import { type Busy, type Lease, LeaseLost, Leases, sweepLeases } from '../../lib/store/leases.ts';
import { Store } from '../../lib/store/store.ts';
import { NOW, watchedDriver } from './examples.ts';
import { temporaryFolder } from './temporary.ts';

const TTL = 60_000;

function fresh(driver: Driver = memoryDriver()) {
  const store = new Store(driver);
  const clock = { now: NOW };
  const by = (owner: string, gone: string[] = []): Leases =>
    new Leases(store, { now: () => clock.now, owner, ownerIsGone: (o) => gone.includes(o) });
  return { store, clock, by };
}

function held(lease: Lease | Busy): Lease {
  if ('busy' in lease) throw new Error(`busy: ${lease.busy.owner}`);
  return lease;
}

describe('a lease', () => {
  it('is one holder’s until it is released', async () => {
    const { by, clock } = fresh();
    const lease = held(await by('one').acquire('tick', TTL));
    clock.now += 5;
    expect(await by('two').acquire('tick', TTL)).toEqual({ busy: { owner: 'one', since: toIso(NOW), expires: toIso(NOW + TTL) } });
    expect(await by('one').acquire('tick', TTL)).toHaveProperty('busy');
    held(await by('two').acquire('diff', TTL));
    await lease.release();
    const next = held(await by('two').acquire('tick', TTL));
    expect(next.generation).toBe(2);
    await next.check();
    await expect(lease.check()).rejects.toThrow(LeaseLost);
    await expect(lease.renew()).rejects.toThrow(LeaseLost);
    await lease.release();
    await next.check();
  });

  it('of a killed holder is free when it runs out, and the holder that wakes up after all is told', async () => {
    const { by, clock } = fresh();
    const lease = held(await by('one').acquire('tick', TTL));
    clock.now += TTL - 1;
    expect(await by('two').acquire('tick', TTL)).toHaveProperty('busy');
    await lease.check();
    clock.now += 1;
    await expect(lease.check()).rejects.toThrow(/ran out/);
    const next = held(await by('two').acquire('tick', TTL));
    await expect(lease.check()).rejects.toThrow(/another holder/);
    await expect(lease.renew()).rejects.toThrow(LeaseLost);
    await lease.release();
    await next.check();
    expect(await by('three').acquire('tick', TTL)).toMatchObject({ busy: { owner: 'two' } });
  });

  it('of an owner that is surely gone is free at once', async () => {
    const { by } = fresh();
    const lease = held(await by('one').acquire('tick', TTL));
    held(await by('two', ['one']).acquire('tick', TTL));
    await expect(lease.check()).rejects.toThrow(LeaseLost);
  });

  it('that is renewed runs on from then, also where it had run out and nobody came', async () => {
    const { by, clock } = fresh();
    const lease = held(await by('one').acquire('tick', TTL));
    for (let i = 0; i < 3; i++) {
      clock.now += TTL - 1;
      await lease.renew();
    }
    expect(await by('two').acquire('tick', TTL)).toMatchObject({ busy: { since: toIso(NOW), expires: toIso(clock.now + TTL) } });
    clock.now += 10 * TTL;
    await lease.renew();
    await lease.check();
  });

  it('is not revived by a renewal that was under way when it was released', async () => {
    const watched = watchedDriver();
    const { by } = fresh(watched.driver);
    const lease = held(await by('one').acquire('tick', TTL));
    let release: Promise<void> | undefined;
    watched.before.write = async () => {
      delete watched.before.write;
      release = lease.release();
      await new Promise((resolve) => setTimeout(resolve, 20));
    };
    await lease.renew();
    await release;
    expect(await by('two').acquire('tick', TTL)).toMatchObject({ generation: 2 });
  });

  it('after a jump of the clock ahead goes to who comes first, and to one only', async () => {
    const { by, clock } = fresh();
    const lease = held(await by('one').acquire('tick', TTL));
    clock.now += 86_400_000;
    const next = held(await by('two').acquire('tick', TTL));
    clock.now -= 86_400_000;
    await expect(lease.check()).rejects.toThrow(LeaseLost);
    // Of a day ahead: no holder lives there.
    const third = held(await by('three').acquire('tick', TTL));
    await expect(next.check()).rejects.toThrow(LeaseLost);
    await third.check();
  });

  it('after a jump of the clock back blocks for twice its term at most', async () => {
    const { by, clock } = fresh();
    held(await by('dead').acquire('tick', TTL));
    clock.now -= TTL;
    expect(await by('two').acquire('tick', TTL)).toHaveProperty('busy');
    clock.now += 2 * TTL;
    const lease = held(await by('two').acquire('tick', TTL));
    clock.now -= TTL + 1;
    await expect(lease.check()).rejects.toThrow(/ran out/);
    held(await by('three').acquire('tick', TTL));
  });

  it('that could not be released, for want of space, does not block its own process', async () => {
    const watched = watchedDriver();
    const { by, clock } = fresh(watched.driver);
    const mine = by('one');
    const lease = held(await mine.acquire('tick', TTL));
    watched.before.write = async () => {
      throw new Error('ENOSPC');
    };
    await expect(lease.release()).rejects.toThrow('ENOSPC');
    delete watched.before.write;
    expect(await by('two').acquire('tick', TTL)).toHaveProperty('busy');
    const next = held(await mine.acquire('tick', TTL));
    expect(await mine.acquire('tick', TTL)).toHaveProperty('busy');
    await next.check();
    clock.now += TTL;
    held(await by('two').acquire('tick', TTL));
  });

  it('that cannot be read protects nobody', async () => {
    const { by, store } = fresh();
    const lease = held(await by('one').acquire('tick', TTL));
    await store.putText('leases/tick/000000000001', '{');
    held(await by('two').acquire('tick', TTL));
    await expect(lease.check()).rejects.toThrow(LeaseLost);
  });

  it('whose records were all removed is nobody’s', async () => {
    const { by, store } = fresh();
    const lease = held(await by('one').acquire('tick', TTL));
    await store.remove('leases/tick/000000000001');
    await expect(lease.check()).rejects.toThrow(LeaseLost);
  });

  it.each(['memory', 'atomic-fs'])('goes to one of many that come as it runs out: %s', async (name) => {
    const driver = name === 'memory' ? memoryDriver() : atomicFsDriver(join(root, 'leases'));
    const { by, clock, store } = fresh(driver);
    for (let round = 0; round < 5; round++) {
      const came = await Promise.all(Array.from({ length: 40 }, (_, i) => by(`owner-${i}`).acquire('tick', TTL)));
      const winners = came.filter((lease) => !('busy' in lease));
      expect(winners).toHaveLength(1);
      await (winners[0] as Lease).check();
      expect(await store.list('leases')).toHaveLength(1);
      clock.now += TTL;
    }
  });

  it('does not fall to one who slept between looking and taking, after others came and went', async () => {
    const watched = watchedDriver();
    const { by, clock, store } = fresh(watched.driver);
    held(await by('one').acquire('tick', TTL));
    clock.now += TTL;
    let third: Lease | undefined;
    watched.before.write = async (key) => {
      if (key !== 'leases/tick/000000000002' || third) return;
      delete watched.before.write;
      // While the sleeper is about to create generation 2, two others take their turns and sweep it away.
      await held(await by('two').acquire('tick', TTL)).release();
      third = held(await by('three').acquire('tick', TTL));
    };
    const sleeper = await by('sleeper').acquire('tick', TTL);
    expect(sleeper).toMatchObject({ busy: { owner: 'three' } });
    await third?.check();
    expect(await store.list('leases/tick')).toEqual(['leases/tick/000000000003']);
  });

  it('has one holder at a time under any order of steps', async () => {
    const step = fc.record({
      owner: fc.integer({ min: 0, max: 2 }),
      does: fc.constantFrom('acquire', 'release', 'renew', 'wait', 'sweep'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const { by, clock, store } = fresh();
        const leases = new Map<number, Lease>();
        for (const { owner, does } of steps) {
          const lease = leases.get(owner);
          if (does === 'wait') clock.now += TTL / 2;
          else if (does === 'sweep') await sweepLeases(store, 100);
          else if (does === 'release') await lease?.release();
          else if (does === 'renew') await lease?.renew().catch(() => undefined);
          else {
            const got = await by(String(owner)).acquire('tick', TTL);
            if (!('busy' in got)) leases.set(owner, got);
          }
          const valid = await Promise.all(
            [...leases.values()].map((l) =>
              l.check().then(
                () => 1,
                () => 0,
              ),
            ),
          );
          expect(valid.reduce<number>((a, b) => a + b, 0)).toBeLessThanOrEqual(1);
        }
      }),
    );
  });
});

const root = temporaryFolder();

it('sweepLeases keeps the highest generation of each lease', async () => {
  const { store } = fresh();
  for (const key of ['a/000000000001', 'a/000000000002', 'ab/000000000001', 'b/c/000000000009', 'b/c/000000000010', 'a/note'])
    await store.put(`leases/${key}`, 1);
  expect(await sweepLeases(store, 1)).toBe(1);
  expect(await sweepLeases(store, 10)).toBe(1);
  expect(await store.list('leases')).toEqual([
    'leases/a/000000000002',
    'leases/a/note',
    'leases/ab/000000000001',
    'leases/b/c/000000000010',
  ]);
});
