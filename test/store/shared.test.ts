import { rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { atomicFsDriver } from '../../lib/store/drivers/atomic-fs.ts';
import { memoryDriver } from '../../lib/store/drivers/memory.ts';
import { Store, StoreError } from '../../lib/store/store.ts';
import { temporaryFolder } from './temporary.ts';

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

  it('is the one that was written, until somebody else writes', async () => {
    const driver = memoryDriver();
    const [store, other] = [new Store(driver), new Store(driver)];
    const value = { list: [{ n: 1 }] };
    await store.putShared('a', value, Value);
    expect(await store.getShared('a', Value)).toBe(value);
    expect(() => value.list.push({ n: 2 })).toThrow(TypeError);
    await other.put('a', { list: [{ n: 2 }] });
    expect(await store.getShared('a', Value)).toEqual({ list: [{ n: 2 }] });
    await other.put('a', { list: [{ n: 1 }] });
    expect(await store.getShared('a', Value)).toEqual(value);
    await expect(store.putShared('a', { list: [{ n: Number.NaN }] }, Value)).rejects.toThrow(StoreError);
    expect(await store.getShared('a', Value)).toEqual(value);
  });

  it('holds what JSON can hold, also where a part of it was stored before', async () => {
    const store = new Store(memoryDriver());
    const before = { list: [{ n: 1 }] };
    await store.putShared('a', before, Value);
    const wanted = z.object({ old: Value, at: z.number().nullable() });
    await store.putShared('b', { old: before, at: null }, wanted);
    expect(await store.get('b', wanted)).toEqual({ old: before, at: null });
    await expect(store.putShared('b', { old: before, at: Number.NaN }, wanted)).rejects.toThrow(StoreError);
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
    for (let i = 0; i < 600; i++) await store.put(`k${i}`, { list: [{ n: i }] });
    const first = await store.getShared('k0', Value);
    for (let i = 1; i < 600; i++) await store.getShared(`k${i}`, Value);
    const again = await store.getShared('k0', Value);
    expect(again).toEqual(first);
    expect(again).not.toBe(first);
  });

  it('is forgotten when long ones were asked for since', async () => {
    const store = new Store(memoryDriver());
    const Text = z.tuple([z.string()]);
    for (let i = 0; i < 5; i++) await store.put(`k${i}`, ['x'.repeat(2 ** 22)]);
    const first = await store.getShared('k0', Text);
    for (let i = 1; i < 5; i++) await store.getShared(`k${i}`, Text);
    expect(await store.getShared('k0', Text)).not.toBe(first);
  });

  it('is checked as a first line, whatever follows', async () => {
    const store = new Store(memoryDriver());
    await store.putText('a', '{"list":[]}\n{"torn');
    expect(await store.getSharedLine('a', Value)).toEqual({ list: [] });
    await expect(store.getShared('a', Value)).rejects.toThrow(StoreError);
    await store.putText('a', '{"list":[');
    await expect(store.getSharedLine('a', Value)).rejects.toThrow(StoreError);
    expect(await store.getSharedLine('b', Value)).toBeNull();
  });

  it('is read once for all who ask at once, and anew for those who ask while it is read', async () => {
    const inner = memoryDriver();
    const answers: (() => void)[] = [];
    const store = new Store({
      ...inner,
      getItemRaw: async (key) => {
        const value = await inner.getItem(key, {});
        await new Promise<void>((resolve) => answers.push(resolve));
        return value;
      },
    });
    await store.put('a', { list: [{ n: 1 }] });
    const before = store.getShared('a', Value);
    await vi.waitFor(() => expect(answers).toHaveLength(1));
    await store.put('a', { list: [{ n: 2 }] });
    const after = Array.from({ length: 50 }, () => store.getShared('a', Value));
    answers[0]?.();
    expect(await before).toEqual({ list: [{ n: 1 }] });
    await vi.waitFor(() => expect(answers).toHaveLength(2));
    answers[1]?.();
    for (const value of await Promise.all(after)) expect(value).toEqual({ list: [{ n: 2 }] });
    expect(answers).toHaveLength(2);
  });

  it('that could not be read is read again', async () => {
    let isBroken = true;
    const inner = memoryDriver();
    const store = new Store({
      ...inner,
      getItemRaw: (key) => {
        if (isBroken) throw new Error('EIO');
        return inner.getItem(key, {});
      },
    });
    await store.put('a', { list: [] });
    const asked = [store.getShared('a', Value), store.getShared('a', Value)];
    for (const one of asked) await expect(one).rejects.toThrow('EIO');
    isBroken = false;
    expect(await store.getShared('a', Value)).toEqual({ list: [] });
  });
});

describe('a shared value in files', () => {
  const base = temporaryFolder();
  const old = async (file: string): Promise<void> => {
    // Its times cannot be set as they are compared, but the clock can be moved on.
    vi.setSystemTime((await stat(file)).ctimeMs + 60_000);
  };
  afterEach(() => void vi.useRealTimers());

  it('is not read again while its file is the same, and is whatever became of that', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const root = join(base, 'reads');
    const driver = atomicFsDriver(root);
    const reads: string[] = [];
    const store = new Store({
      ...driver,
      getItemRaw: (key, options) => {
        reads.push(key);
        return driver.getItemRaw?.(key, options);
      },
    });
    const file = join(root, 'a', 'b');
    await store.put('a/b', { list: [{ n: 1 }] });
    await store.getShared('a/b', Value);
    await store.getShared('a/b', Value);
    expect(reads).toHaveLength(2);
    await old(file);
    await store.getShared('a/b', Value);
    expect(reads).toHaveLength(3);
    for (let i = 0; i < 5; i++) await store.getShared('a/b', Value);
    expect(reads).toHaveLength(3);
    await new Store(atomicFsDriver(root)).put('a/b', { list: [{ n: 2 }] });
    expect(await store.getShared('a/b', Value)).toEqual({ list: [{ n: 2 }] });
    await old(file);
    await store.getShared('a/b', Value);
    await writeFile(file, '{"list":[{"n":3}]}');
    expect(await store.getShared('a/b', Value)).toEqual({ list: [{ n: 3 }] });
    await old(file);
    await store.getShared('a/b', Value);
    await rename(join(root, 'a'), join(root, 'c'));
    expect(await store.getShared('a/b', Value)).toBeNull();
    await symlink(join(root, 'c'), join(root, 'a'));
    expect(await store.getShared('a/b', Value)).toEqual({ list: [{ n: 3 }] });
    await rm(root, { recursive: true });
    expect(await store.getShared('a/b', Value)).toBeNull();
  });

  it('is never an older one than was written, however fast', async () => {
    const store = new Store(atomicFsDriver(join(base, 'fast')));
    for (let n = 0; n < 100; n++) {
      await store.put('a', { list: [{ n: n % 10 }] });
      expect(await store.getShared('a', Value)).toEqual({ list: [{ n: n % 10 }] });
    }
  });
});
