import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromTimeId, toTimeId } from '../../lib/model/time.ts';
import { memoryDriver } from '../../lib/store/drivers/memory.ts';
import { LeaseLost, Leases } from '../../lib/store/leases.ts';
import { NO_FACTS, packFacts, shardOf } from '../../lib/store/shards.ts';
import { MAX_CARRY_BYTES, Snapshots } from '../../lib/store/snapshots.ts';
import { Store, StoreError } from '../../lib/store/store.ts';
import { commitAt, emptySnapshot, nodeFacts, NOW, SOURCE, watchedDriver } from './examples.ts';

function fresh() {
  const watched = watchedDriver();
  const store = new Store(watched.driver);
  return { store, snapshots: new Snapshots(store), written: watched.written, before: watched.before };
}

describe('snapshots', () => {
  it('of a source that was never collected are none', async () => {
    const { snapshots } = fresh();
    expect(await snapshots.latest(SOURCE)).toBeNull();
    expect(await snapshots.previous(SOURCE)).toBeNull();
    expect(await snapshots.get(SOURCE, toTimeId(NOW))).toBeNull();
    expect(await snapshots.list(SOURCE)).toEqual([]);
    expect(await snapshots.carry(SOURCE, 1)).toEqual({ state: 'none' });
  });

  it('come back as committed, the latest and the one before', async () => {
    const { snapshots } = fresh();
    const first = await commitAt(snapshots, NOW);
    const facts = nodeFacts(3, (i) => i);
    const second = await commitAt(snapshots, NOW + 1000, { facts });
    const latest = await snapshots.latest(SOURCE);
    expect(latest).toMatchObject({ ...emptySnapshot(second), previous: first, facts: { subjects: 3 } });
    expect(await snapshots.previous(SOURCE)).toMatchObject({ id: first, previous: null, facts: { subjects: 0, shards: [] } });
    expect(await snapshots.get(SOURCE, first)).toEqual(await snapshots.previous(SOURCE));
    expect(await snapshots.list(SOURCE)).toEqual([second, first]);
    expect(await snapshots.get(SOURCE, '../../etc')).toBeNull();
    expect(await snapshots.latest('pbs_state')).toBeNull();
  });

  it('get ids that only grow, whatever the clock does', async () => {
    const { snapshots } = fresh();
    const ids: string[] = [];
    for (const at of [NOW, NOW, NOW - 86_400_000, NOW + 1, NOW + 3_600_000, NOW]) ids.push(await commitAt(snapshots, at));
    expect(ids.map((id) => fromTimeId(id) - NOW)).toEqual([0, 1, 2, 3, 3_600_000, 3_600_001]);
    const stale = { snapshot: emptySnapshot(toTimeId(NOW)), facts: NO_FACTS };
    await expect(snapshots.commit(stale)).rejects.toThrow(/is not later than/);
    expect(await snapshots.list(SOURCE)).toHaveLength(6);
  });

  it('of two sources do not mix', async () => {
    const { snapshots } = fresh();
    await commitAt(snapshots, NOW, { carry: { version: 1, value: 'a' } }, 'weka_state');
    await commitAt(snapshots, NOW, { carry: { version: 1, value: 'b' } }, 'weka_state2');
    expect(await snapshots.list('weka_state')).toHaveLength(1);
    expect(await snapshots.carry('weka_state2', 1)).toEqual({ state: 'ok', text: '"b"', at: NOW });
  });
});

describe('a commit', () => {
  it('that is killed before any of its writes has not happened, and the next one clears it away', { timeout: 30_000 }, async () => {
    const facts = nodeFacts(600, (i) => i);
    // Writes in the order of a commit, and beyond its last.
    for (let killedAt = 0; killedAt <= 6; killedAt++) {
      const { store, snapshots, before, written } = fresh();
      const first = await commitAt(snapshots, NOW, { facts: nodeFacts(600), carry: { version: 1, value: 'first' } });
      const keys = await store.list('');
      let writes = 0;
      before.write = () => {
        if (writes++ === killedAt) throw new Error('killed');
      };
      written.length = 0;
      const commit = commitAt(snapshots, NOW + 1000, { facts, carry: { version: 1, value: 'second' } });
      const survived = await commit.then(
        () => true,
        () => false,
      );
      delete before.write;
      expect(survived).toBe(killedAt === 6);
      if (survived) continue;
      expect(await snapshots.list(SOURCE)).toEqual([first]);
      expect(await snapshots.latest(SOURCE)).toMatchObject({ id: first });
      expect(await snapshots.get(SOURCE, toTimeId(NOW + 1000))).toBeNull();
      expect(await snapshots.carry(SOURCE, 1)).toMatchObject({ state: 'ok', text: '"first"' });
      const third = await commitAt(snapshots, NOW + 500, { facts: nodeFacts(600), carry: { version: 1, value: 'third' } });
      expect(await snapshots.list(SOURCE)).toEqual([third, first]);
      expect(await store.list('')).toEqual([...keys, `snapshots/${SOURCE}/${third}`].sort());
    }
  });

  it('writes the head last, after everything that it names', async () => {
    const { snapshots, written } = fresh();
    await commitAt(snapshots, NOW, { facts: nodeFacts(600) });
    expect(written.at(-1)).toBe(`carry/${SOURCE}`);
    expect(written).toHaveLength(6);
  });

  it('under a lease that was lost writes no head and removes nothing', async () => {
    const { store, snapshots } = fresh();
    let now = NOW;
    const leases = new Leases(store, { now: () => now, owner: 'one' });
    const lease = await leases.acquire('collect', 1000);
    if ('busy' in lease) throw new Error('free');
    const first = await commitAt(snapshots, NOW, { lease });
    now += 2000;
    const other = await leases.acquire('collect', 1000);
    expect(other).toMatchObject({ generation: 2 });
    await store.put(`snapshots/${SOURCE}/${toTimeId(NOW + 5000)}`, 'of the other, in flight');
    await expect(commitAt(snapshots, NOW + 1000, { lease })).rejects.toThrow(LeaseLost);
    expect(await snapshots.list(SOURCE)).toEqual([first]);
    expect(await store.getText(`snapshots/${SOURCE}/${toTimeId(NOW + 5000)}`)).not.toBeNull();
  });

  it('under a lease that is lost while it writes does not happen', async () => {
    const { store, snapshots, before } = fresh();
    let now = NOW;
    const lease = await new Leases(store, { now: () => now, owner: 'one' }).acquire('collect', 1000);
    if ('busy' in lease) throw new Error('free');
    before.write = (key) => {
      if (key.startsWith('facts/')) now += 1000;
    };
    await expect(commitAt(snapshots, NOW, { lease, facts: nodeFacts(1) })).rejects.toThrow(LeaseLost);
    expect(await snapshots.latest(SOURCE)).toBeNull();
  });

  it('of 12,000 subjects of which none changed writes the snapshot and the head; of one that changed, one shard more', {
    timeout: 30_000,
  }, async () => {
    const { snapshots, written } = fresh();
    const facts = nodeFacts(12_000, (i) => i);
    const first = await commitAt(snapshots, NOW, { facts });
    expect(written.length).toBeGreaterThan(12_000 / 256);
    written.length = 0;
    const second = await commitAt(snapshots, NOW + 1000, { facts: facts.toReversed() });
    expect(written).toEqual([`snapshots/${SOURCE}/${second}`, `carry/${SOURCE}`]);
    written.length = 0;
    const changed = nodeFacts(12_000, (i) => (i === 77 ? -1 : i));
    const third = await commitAt(snapshots, NOW + 2000, { facts: changed });
    expect(written.filter((key) => key.startsWith('facts/'))).toHaveLength(1);
    const read = async (id: string): Promise<unknown> => {
      const snapshot = await snapshots.get(SOURCE, id);
      return snapshot && snapshots.facts(SOURCE, snapshot, { type: 'node', id: 'nid77' });
    };
    expect([await read(first), await read(second), await read(third)]).toEqual([{ value: 77 }, { value: 77 }, { value: -1 }]);
  });

  it('writes all shards anew where the snapshot before cannot be read', async () => {
    const { store, snapshots, written } = fresh();
    const first = await commitAt(snapshots, NOW, { facts: nodeFacts(10) });
    await store.putText(`snapshots/${SOURCE}/${first}`, '{');
    await expect(snapshots.latest(SOURCE)).rejects.toThrow(StoreError);
    written.length = 0;
    const second = await commitAt(snapshots, NOW + 1000, { facts: nodeFacts(10) });
    expect(written).toContain(`facts/${SOURCE}/${second}/0000`);
    expect(await snapshots.latest(SOURCE)).toMatchObject({ id: second, previous: first });
  });

  it('heals a damaged head, and relies on no shard that may never have been written', async () => {
    const { store, snapshots, before } = fresh();
    await commitAt(snapshots, NOW, { facts: nodeFacts(10) });
    before.write = (key) => {
      if (key.startsWith('facts/')) throw new Error('killed');
    };
    await expect(commitAt(snapshots, NOW + 1000, { facts: nodeFacts(10, () => 7) })).rejects.toThrow('killed');
    delete before.write;
    await store.putText(`carry/${SOURCE}`, 'garbage');
    await expect(snapshots.latest(SOURCE)).rejects.toMatchObject({ key: `carry/${SOURCE}` });
    expect(await snapshots.carry(SOURCE, 1)).toEqual({ state: 'unreadable' });
    const id = await commitAt(snapshots, NOW, { facts: nodeFacts(10, () => 7) });
    const latest = await snapshots.latest(SOURCE);
    expect(latest?.id).toBe(id);
    expect(latest && (await snapshots.facts(SOURCE, latest, { type: 'node', id: 'nid3' }))).toEqual({ value: 7 });
  });

  it('says which snapshot is gone that the head names', async () => {
    const { store, snapshots } = fresh();
    const id = await commitAt(snapshots, NOW);
    await store.remove(`snapshots/${SOURCE}/${id}`);
    await expect(snapshots.latest(SOURCE)).rejects.toThrow(`snapshots/${SOURCE}/${id} is gone`);
  });
});

describe('a carry', () => {
  it('goes with its snapshot, and comes back under its own version only', async () => {
    const { snapshots } = fresh();
    const value = { cursors: { 'a\nb': 1 }, open: [null] };
    await commitAt(snapshots, NOW, { carry: { version: 3, value } });
    expect(await snapshots.carry(SOURCE, 3)).toMatchObject({ state: 'ok', text: JSON.stringify(value) });
    expect(await snapshots.carry(SOURCE, 4)).toEqual({ state: 'unreadable' });
    await commitAt(snapshots, NOW);
    expect(await snapshots.carry(SOURCE, 3)).toEqual({ state: 'none' });
  });

  it('that was damaged is unreadable, while its snapshot is not', async () => {
    const { store, snapshots } = fresh();
    await commitAt(snapshots, NOW, { carry: { version: 1, value: { offset: 12 } } });
    const text = await store.getText(`carry/${SOURCE}`);
    await store.putText(`carry/${SOURCE}`, (text ?? '').replace('12', '21'));
    expect(await snapshots.carry(SOURCE, 1)).toEqual({ state: 'unreadable' });
    expect(await snapshots.latest(SOURCE)).not.toBeNull();
  });

  it('over 16 MiB is refused before anything is written', { timeout: 30_000 }, async () => {
    const { snapshots, written } = fresh();
    const value = 'é'.repeat(MAX_CARRY_BYTES / 2);
    await expect(commitAt(snapshots, NOW, { carry: { version: 1, value } })).rejects.toThrow(/carry of weka_state has 16777218 bytes/);
    expect(written).toEqual([]);
    await commitAt(snapshots, NOW, { carry: { version: 1, value: value.slice(1) } });
    expect(await snapshots.carry(SOURCE, 1)).toMatchObject({ state: 'ok', text: JSON.stringify(value.slice(1)) });
  });
});

describe('facts', () => {
  const subject = fc.record({
    type: fc.constantFrom('node', 'drive'),
    id: fc.oneof(fc.string({ minLength: 1 }), fc.constantFrom('__proto__', 'constructor', '..', 'a:b')),
  });

  it('come back for each subject, and in any order from the same bytes', { timeout: 30_000 }, async () => {
    const entries = fc.uniqueArray(subject, { selector: ({ type, id }) => `${type}:${id}`, maxLength: 50 });
    await fc.assert(
      fc.asyncProperty(entries, async (subjects) => {
        const facts = subjects.map((s, i) => ({ subject: s, facts: { i } }));
        const snapshots = new Snapshots(new Store(memoryDriver()));
        await commitAt(snapshots, NOW, { facts });
        const snapshot = await snapshots.latest(SOURCE);
        if (!snapshot) throw new Error('committed');
        expect(snapshot.facts.subjects).toBe(subjects.length);
        for (const [i, s] of subjects.entries()) expect(await snapshots.facts(SOURCE, snapshot, s)).toEqual({ i });
        expect(await snapshots.facts(SOURCE, snapshot, { type: 'node', id: 'not there' })).toBeNull();
        expect(await packFacts(facts.toReversed())).toEqual(await packFacts(facts));
      }),
    );
  });

  it('lie in the smallest power of two of shards with at most 256 subjects each', async () => {
    for (const count of [0, 1, 256, 257, 3000, 12_000]) {
      const { shards } = await packFacts(nodeFacts(count));
      const sizes = shards.map(({ text }) => (JSON.parse(text) as unknown[]).length);
      expect(sizes.reduce((a, b) => a + b, 0)).toBe(count);
      expect(sizes.every((size) => size <= 256)).toBe(true);
      // Half as many would not do: some two that would be one are over the limit together.
      const half = sizes.length / 2;
      const merged = sizes.slice(0, Math.floor(half)).map((size, i) => size + (sizes[i + half] as number));
      expect(merged.some((size) => size > 256)).toBe(count > 256);
      expect(Number.isInteger(Math.log2(sizes.length))).toBe(count > 0);
    }
  });

  it('of the later of two entries for one subject stay', async () => {
    const snapshots = new Snapshots(new Store(memoryDriver()));
    const twice = [...nodeFacts(1, () => 1), ...nodeFacts(1, () => 2)];
    await commitAt(snapshots, NOW, { facts: twice });
    const snapshot = await snapshots.latest(SOURCE);
    expect(snapshot?.facts.subjects).toBe(1);
    expect(snapshot && (await snapshots.facts(SOURCE, snapshot, { type: 'node', id: 'nid0' }))).toEqual({ value: 2 });
  });

  it('are read whole, shard by shard', async () => {
    const snapshots = new Snapshots(new Store(memoryDriver()));
    await commitAt(snapshots, NOW, { facts: nodeFacts(700, (i) => i) });
    const snapshot = await snapshots.latest(SOURCE);
    const seen = new Set<unknown>();
    if (snapshot)
      for await (const { subject: s, facts } of snapshots.allFacts(SOURCE, snapshot))
        seen.add(s.id === `nid${facts['value'] as number}` && s.id);
    expect(seen.size).toBe(700);
    expect(seen.has(false)).toBe(false);
  });

  it('that were changed or are gone are told, not passed off', async () => {
    const store = new Store(memoryDriver());
    const snapshots = new Snapshots(store);
    const id = await commitAt(snapshots, NOW, { facts: nodeFacts(2) });
    const snapshot = await snapshots.latest(SOURCE);
    if (!snapshot) throw new Error('committed');
    const key = `facts/${SOURCE}/${id}/0000`;
    const read = (): Promise<unknown> => snapshots.facts(SOURCE, snapshot, { type: 'node', id: 'nid1' });
    await store.putText(key, ((await store.getText(key)) ?? '').replace('0', '1'));
    await expect(read()).rejects.toThrow(/0000 is damaged/);
    await store.remove(key);
    await expect(read()).rejects.toThrow(/0000 is gone/);
  });

  it('find their shard by the subject alone', () => {
    fc.assert(
      fc.property(subject, fc.integer({ min: 0, max: 10 }), (s, power) => {
        const shard = shardOf(s, 2 ** power);
        expect(shard).toBeGreaterThanOrEqual(0);
        expect(shard).toBeLessThan(2 ** power);
        expect(shardOf(s, 2 ** (power + 1)) % 2 ** power).toBe(shard);
      }),
    );
  });
});
