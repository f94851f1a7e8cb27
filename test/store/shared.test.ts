import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { memoryDriver } from '../../lib/store/drivers/memory.ts';
import { Store, StoreError } from '../../lib/store/store.ts';

const Value = z.object({ list: z.array(z.object({ n: z.number() })) });

describe('a shared value', () => {
  it('is the same for as long as its text is, and another as soon as that changes, whoever wrote it', async () => {
    const driver = memoryDriver();
    const [store, other] = [new Store(driver), new Store(driver)];
    await store.put('a', { list: [{ n: 1 }] });
    const first = await store.getShared('a', Value);
    expect(await store.getShared('a', Value)).toBe(first);
    await other.put('a', { list: [{ n: 2 }] });
    expect(await store.getShared('a', Value)).toEqual({ list: [{ n: 2 }] });
    await other.remove('a');
    expect(await store.getShared('a', Value)).toBeNull();
  });

  it('is frozen through and through', async () => {
    const store = new Store(memoryDriver());
    await store.put('a', { list: [{ n: 1 }] });
    const value = await store.getShared('a', Value);
    expect(() => value?.list.push({ n: 2 })).toThrow(TypeError);
    expect(() => Object.assign(value?.list[0] ?? {}, { n: 2 })).toThrow(TypeError);
  });

  it('is checked when it is damaged afterwards, and by every schema that asks', async () => {
    const store = new Store(memoryDriver());
    await store.put('a', { list: [] });
    await store.getShared('a', Value);
    await expect(store.getShared('a', z.object({ other: z.string() }))).rejects.toThrow(StoreError);
    await store.putText('a', '{"list":');
    await expect(store.getShared('a', Value)).rejects.toThrow(StoreError);
  });

  it('is forgotten when many others were asked for since', async () => {
    const store = new Store(memoryDriver());
    for (let i = 0; i < 40; i++) await store.put(`k${i}`, { list: [{ n: i }] });
    const first = await store.getShared('k0', Value);
    for (let i = 1; i < 40; i++) await store.getShared(`k${i}`, Value);
    const again = await store.getShared('k0', Value);
    expect(again).toEqual(first);
    expect(again).not.toBe(first);
  });
});
