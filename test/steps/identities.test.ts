import { beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { JsonObject } from '../../lib/model/json.ts';
import type { Snapshot } from '../../lib/model/snapshot.ts';
import { readIdentities } from '../../lib/steps/identities.ts';
import { memoryDriver } from '../../lib/store/drivers/memory.ts';
import { packFacts } from '../../lib/store/shards.ts';
import { Snapshots } from '../../lib/store/snapshots.ts';
import { Store } from '../../lib/store/store.ts';
import { NOON, snapshot } from '../findings/build.ts';

let store: Store;
let snapshots: Snapshots;
let warnings: string[];
let read: string[];

let driver: ReturnType<typeof memoryDriver>;

beforeEach(() => {
  driver = memoryDriver();
  store = new Store(driver);
  warnings = [];
  read = [];
  snapshots = watched(new Snapshots(store));
});

function watched(of: Snapshots): Snapshots {
  const shard = of.shard.bind(of);
  of.shard = (source, snapshotOf, index) => {
    read.push(snapshotOf.facts.shards[index]?.sha256 ?? '');
    return shard(source, snapshotOf, index);
  };
  return of;
}

const facts = (id: string, more: JsonObject = {}, type = 'node') => ({
  subject: { type, id },
  facts: { class: 'node', aliases: [`alias-${id}`], ...more },
});
const commit = async (n: number, some: ReturnType<typeof facts>[], source = 'hpcm_inventory'): Promise<Snapshot> => {
  const { facts: _, previous: __, ...made } = snapshot({ source, at: NOON + n });
  return snapshots.commit({ snapshot: made, facts: await packFacts(some) });
};
const identities = (latest: Snapshot, keep = true) =>
  readIdentities({ store, snapshots, log: (_, event) => void warnings.push(event) }, [{ source: latest.source, snapshot: latest }], {
    keep,
  });

describe('identities', () => {
  it('are what the facts of nodes tell, and of nothing else', async () => {
    const latest = await commit(1, [
      facts('n1', {
        serial: 'CZ1',
        bmc: '10.0.0.1',
        bmcMac: '02:00:00:00:00:01',
        macs: ['02:00:00:00:01:01'],
        image: 'i1',
        bootedImage: 'i2',
        parts: { a: 'b' },
      }),
      facts('sw1', {}, 'switch'),
    ]);
    expect(await identities(latest)).toEqual(
      new Map([
        [
          'hpcm_inventory',
          [
            {
              name: 'n1',
              aliases: ['alias-n1'],
              serial: 'CZ1',
              bmc: '10.0.0.1',
              bmcMac: '02:00:00:00:00:01',
              macs: ['02:00:00:00:01:01'],
              image: 'i2',
              assigned: 'i1',
            },
          ],
        ],
      ]),
    );
    expect(await identities(await commit(1, [facts('n1')], 'pbs_state'))).toEqual(new Map());
  });

  it('are read again only where facts changed, whatever a replay does', async () => {
    const first = await identities(await commit(1, [facts('n1')]));
    expect(read).toHaveLength(1);
    const same = await commit(2, [facts('n1')]);
    expect(await identities(same)).toEqual(first);
    expect(read).toHaveLength(1);
    const changed = await commit(3, [facts('n2')]);
    expect((await identities(changed, false)).get('hpcm_inventory')).toMatchObject([{ name: 'n2' }]);
    await identities(changed, false);
    expect(read).toHaveLength(2);
    await identities(changed);
    expect(read).toHaveLength(2);
    // Another process finds what was kept.
    store = new Store(driver);
    snapshots = watched(new Snapshots(store));
    await identities(changed);
    expect(read).toHaveLength(2);
  });

  it('are the same where facts changed that are no part of them, and are not written again for a few shards', async () => {
    const fleet = (power: (n: number) => string) => Array.from({ length: 3000 }, (_, n) => facts(`n${n}`, { power: power(n) }));
    const first = await identities(
      await commit(
        1,
        fleet(() => 'on'),
      ),
    );
    const written = await store.getText('findings/identities/hpcm_inventory');
    read.length = 0;
    const one = await commit(
      2,
      fleet((n) => (n === 7 ? 'off' : 'on')),
    );
    expect(await identities(one)).toBe(first);
    expect(read).toHaveLength(1);
    expect(await store.getText('findings/identities/hpcm_inventory')).toBe(written);
    const all = await commit(
      3,
      fleet(() => 'off'),
    );
    expect(await identities(all)).toBe(first);
    expect(read).toHaveLength(1 + all.facts.shards.length);
    expect(await store.getText('findings/identities/hpcm_inventory')).not.toBe(written);
    expect(await identities(await commit(4, [...fleet(() => 'off'), facts('n3000')]))).not.toBe(first);
  });

  it('that cannot be read join nothing, and break no tick', async () => {
    const latest = await commit(1, [facts('n1')]);
    for (const key of await store.list('facts')) await store.remove(key);
    expect(await identities(latest)).toEqual(new Map([['hpcm_inventory', []]]));
    expect(warnings).toEqual(['identities']);
    await store.putText('findings/identities/hpcm_inventory', '{"shards":');
    expect(await identities(latest)).toEqual(new Map([['hpcm_inventory', []]]));
  });

  it('are the same as before where no shard has changed, and kept where they were only looked at', async () => {
    const first = await commit(1, [facts('n1')]);
    const seen = await identities(first, false);
    const second = await commit(2, [facts('n1')]);
    expect(await identities(second)).toEqual(seen);
    expect(await store.get('findings/identities/hpcm_inventory', z.unknown())).not.toBeNull();
    read.length = 0;
    const third = await identities(await commit(3, [facts('n1')]));
    expect(third).toBe(await identities(second));
    expect(read).toEqual([]);
    expect(await identities(await commit(4, [facts('n2')]))).not.toEqual(third);
  });
});
