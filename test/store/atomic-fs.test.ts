import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { atomicFsDriver } from '../../lib/store/drivers/atomic-fs.ts';
import { Store } from '../../lib/store/store.ts';
import { temporaryFolder } from './temporary.ts';

const base = temporaryFolder();
let count = 0;
async function fresh(): Promise<{ root: string; store: Store }> {
  const root = join(base, String(count++), 'state');
  return { root, store: new Store(atomicFsDriver(root)) };
}

describe('the atomic file store', () => {
  it('never shows a reader half a value', { timeout: 30_000 }, async () => {
    const { root, store } = await fresh();
    const values = ['a', 'b'].map((c) => c.repeat(2_000_000));
    await store.putText('s/value', values[0] as string);
    // The reader opens the file as anybody could, without the driver.
    const reader = new Worker(
      `const { parentPort, workerData } = require('node:worker_threads');
       const { readFileSync } = require('node:fs');
       let reads = 0, torn = 0, seen = new Set(), stop = false;
       parentPort.on('message', () => { stop = true; });
       (function spin() {
         const text = readFileSync(workerData, 'latin1');
         reads++;
         if (text.length !== 2000000 || text[0] !== text.at(-1)) torn++;
         seen.add(text[0]);
         if (stop) return parentPort.postMessage({ reads, torn, seen: [...seen].sort() });
         if (reads === 1) parentPort.postMessage('reading');
         setImmediate(spin);
       })();`,
      { eval: true, workerData: join(root, 's', 'value') },
    );
    const next = (): Promise<unknown> => new Promise((resolve, reject) => reader.once('message', resolve).once('error', reject));
    await next();
    for (let i = 1; i <= 60; i++) await store.putText('s/value', values[i % 2] as string);
    const told = next();
    reader.postMessage('stop', []);
    expect(await told).toMatchObject({ torn: 0, seen: ['a', 'b'] });
    await reader.terminate();
  });

  it('leaves no temporary file behind, and no empty folder', async () => {
    const { root, store } = await fresh();
    await store.put('a/b/c', 1);
    await store.create('a/b/d', 1);
    await store.create('a/b/d', 1);
    expect(await fs.readdir(join(root, '.tmp'))).toEqual([]);
    await store.remove('a/b/c');
    await store.remove('a/b/d');
    expect(await fs.readdir(root)).toEqual(['.tmp']);
  });

  it('sweeps old temporary files when it opens, and leaves young ones to their writers', async () => {
    const { root, store } = await fresh();
    await fs.mkdir(join(root, '.tmp'), { recursive: true });
    for (const name of ['old', 'young']) await fs.writeFile(join(root, '.tmp', name), 'x');
    await fs.utimes(join(root, '.tmp', 'old'), 0, Date.now() / 1000 - 7200);
    await store.put('a', 1);
    expect(await fs.readdir(join(root, '.tmp'))).toEqual(['young']);
  });

  it('keeps files from others', async () => {
    const { root, store } = await fresh();
    await store.put('a/b', 1);
    const mode = async (path: string): Promise<number> => (await fs.stat(path)).mode & 0o777;
    expect((await mode(join(root, 'a', 'b'))) & ~0o640).toBe(0);
    expect((await mode(join(root, 'a'))) & ~0o750).toBe(0);
  });

  it('throws what is not absence', async () => {
    const { root, store } = await fresh();
    await store.put('a', 1);
    await expect(store.getText('a/b')).rejects.toThrow(/ENOTDIR/);
    await expect(store.put('a/b', 1)).rejects.toThrow(/ENOTDIR|EEXIST/);
    await fs.mkdir(join(root, 'folder'));
    await expect(store.getText('folder')).rejects.toThrow(/EISDIR/);
    await expect(store.list('a/b')).rejects.toThrow(/ENOTDIR/);
    await fs.rm(root, { recursive: true });
    await fs.writeFile(root, 'not a folder any more');
    await expect(store.getText('a')).rejects.toThrow(/ENOTDIR/);
  });

  it('begins anew where its root was taken away under it', async () => {
    const { root, store } = await fresh();
    const Anything = z.json();
    const uses = [
      async () => expect(await store.get('a/b', Anything)).toBeNull(),
      async () => expect(await store.list('')).toEqual([]),
      async () => store.remove('a/b'),
      async () => store.put('a/b', 2),
      async () => expect(await store.create('a/b', 2)).toBe(true),
    ];
    for (const use of uses) {
      await store.put('a/b', 1);
      await fs.rm(root, { recursive: true });
      await use();
      await store.put('a/c', 3);
      expect(await store.get('a/c', Anything)).toBe(3);
    }
    await store.put('a/b', 1);
    await fs.rm(join(root, '.tmp'), { recursive: true });
    await store.put('a/b', 2);
    expect(await store.get('a/b', Anything)).toBe(2);
  });

  it('does not follow links out of its root', async () => {
    const { root, store } = await fresh();
    const outside = join(root, '..', 'outside');
    await store.put('a/b', 1);
    await fs.mkdir(outside);
    await fs.writeFile(join(outside, 'secret'), '1');
    await fs.symlink(outside, join(root, 'link'));
    await fs.symlink(join(outside, 'secret'), join(root, 'a', 'secret'));
    await expect(store.getText('link/secret')).rejects.toThrow(/leads out/);
    await expect(store.getText('a/secret')).rejects.toThrow(/ELOOP/);
    await expect(store.put('link/new', 1)).rejects.toThrow(/leads out/);
    await expect(store.put('link/deep/new', 1)).rejects.toThrow(/leads out/);
    await expect(store.remove('link/secret')).rejects.toThrow(/leads out/);
    await expect(store.list('link')).rejects.toThrow(/leads out/);
    expect(await store.list('')).toEqual(['a/b']);
    await store.put('a/secret', 2);
    expect(await fs.readdir(outside)).toEqual(['secret']);
    expect(await fs.readFile(join(outside, 'secret'), 'utf8')).toBe('1');
  });

  it('takes a root that is itself a link', async () => {
    const { root, store } = await fresh();
    await fs.mkdir(join(root, '..', 'real'), { recursive: true });
    await fs.symlink(join(root, '..', 'real'), root);
    await store.put('a/b', 1);
    expect(await store.list('')).toEqual(['a/b']);
  });

  it('walks only what is asked for', async () => {
    const { root, store } = await fresh();
    await store.put('a/b', 1);
    // What cannot be read elsewhere would fail a walk over everything.
    await fs.mkdir(join(root, 'z'));
    await fs.symlink('nowhere', join(root, 'z', 'dangling'));
    await fs.writeFile(join(root, 'a', 'Stranger~'), '');
    expect(await store.list('a')).toEqual(['a/b']);
  });

  it('refuses keys that are paths, also without the store on top', async () => {
    const { root } = await fresh();
    const driver = atomicFsDriver(root);
    for (const key of ['..:x', 'a:..:..:x', '.tmp:x', 'a/../../x', 'a\0b', '', ':']) {
      await expect(async () => driver.getItem(key)).rejects.toThrow(/is no key/);
      await expect(async () => driver.setItemRaw?.(key, 'x', {})).rejects.toThrow(/is no key/);
    }
  });

  it('survives removes that sweep a folder away under a write', async () => {
    const { store } = await fresh();
    await Promise.all(
      ['a', 'b', 'c', 'd'].map(async (name) => {
        for (let i = 0; i < 60; i++) {
          await store.put(`f/g/${name}`, i);
          await store.remove(`f/g/${name}`);
        }
      }),
    );
    expect(await store.list('')).toEqual([]);
  });
});
