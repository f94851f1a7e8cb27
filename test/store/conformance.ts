import type { Driver } from 'unstorage';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { KeyExists } from '../../lib/store/drivers/conditional.ts';
import { Store, StoreError } from '../../lib/store/store.ts';

interface Made {
  driver: Driver;
  close?: () => Promise<void>;
}

/** What every driver must do alike. `make` is called once; the tests keep to folders of their own. */
export function conformance(name: string, make: () => Promise<Made>, { creators = 200 }: { creators?: number } = {}): void {
  describe(`the ${name} driver`, () => {
    let made: Made;
    let store: Store;
    beforeAll(async () => {
      made = await make();
      store = new Store(made.driver);
    });
    afterAll(async () => {
      await store.dispose();
      await made.close?.();
    });
    const Anything = z.json();

    it('gives back what was put, and null for what was not', async () => {
      const value = { text: 'ä\u2028\u{1f600}\n\ufeff', number: 1.5, list: [null, true], '1e5': '1e5' };
      await store.put('a/one', value);
      expect(await store.get('a/one', Anything)).toEqual(value);
      expect(await store.get('a/two', Anything)).toBeNull();
      expect(await store.getText('a/two')).toBeNull();
    });

    it.each(['', 'true', '1e5', 'null', '\ufeffx', ' 1 ', '{"a":', 'base64:AAAA'])('keeps the text %j as it is', async (text) => {
      await store.putText('texts/one', text);
      expect(await store.getText('texts/one')).toBe(text);
    });

    it('gives the beginning of a text at least, where that is asked for', async () => {
      await store.putText('texts/lines', `"${'ä'.repeat(300)}"\n\udbff\udfff${'ä'.repeat(10_000)}`);
      expect(await store.getSharedLine('texts/lines', z.string())).toBe('ä'.repeat(300));
      expect(await store.getSharedLine('texts/none', z.string())).toBeNull();
    });

    it('replaces a longer value wholly', async () => {
      await store.putText('texts/long', 'x'.repeat(100_000));
      await store.putText('texts/long', 'y');
      expect(await store.getText('texts/long')).toBe('y');
    });

    it('creates only where nothing is', async () => {
      expect(await store.create('c/one', 1)).toBe(true);
      expect(await store.create('c/one', 2)).toBe(false);
      expect(await store.get('c/one', Anything)).toBe(1);
      await store.remove('c/one');
      expect(await store.create('c/one', 3)).toBe(true);
    });

    it('throws KeyExists itself, whatever stands on top', async () => {
      await made.driver.setItemRaw?.('c:raw', 'x', { ifAbsent: true });
      await expect(async () => made.driver.setItemRaw?.('c:raw', 'y', { ifAbsent: true })).rejects.toBeInstanceOf(KeyExists);
      expect(await made.driver.getItem('c:raw')).toBe('x');
    });

    it(`lets exactly one of ${creators} creators win`, async () => {
      const won = await Promise.all(Array.from({ length: creators }, (_, i) => store.create('c/race', { i })));
      expect(won.filter(Boolean)).toHaveLength(1);
      expect(await store.get('c/race', Anything)).toEqual({ i: won.indexOf(true) });
    });

    it('lists whole segments below a prefix, sorted', async () => {
      for (const key of ['l/b', 'l/a/2', 'l/a/10', 'l2/a', 'l/a.b']) await store.put(key, 1);
      expect(await store.list('l')).toEqual(['l/a.b', 'l/a/10', 'l/a/2', 'l/b']);
      expect(await store.list('l/a')).toEqual(['l/a/10', 'l/a/2']);
      expect(await store.list('l/b')).toEqual([]);
      expect(await store.list('none')).toEqual([]);
      expect(await store.list('')).toEqual(expect.arrayContaining(['l/b', 'l2/a']));
    });

    it('removes, also what is not there', async () => {
      await store.put('r/one', 1);
      await store.remove('r/one');
      await store.remove('r/one');
      expect(await store.get('r/one', Anything)).toBeNull();
      expect(await store.list('r')).toEqual([]);
    });

    it('has items and their size', async () => {
      await store.putText('m/one', 'ä');
      expect(await made.driver.hasItem('m:one', {})).toBe(true);
      expect(await made.driver.hasItem('m:two', {})).toBe(false);
      expect(await made.driver.getMeta?.('m:one', {})).toMatchObject({ size: 2 });
      expect(await made.driver.getMeta?.('m:two', {})).toBeNull();
    });

    it('tells bytes that are no text from absence', async () => {
      await made.driver.setItemRaw?.('d:bytes', new Uint8Array([0x7b, 0xff]), {});
      await expect(store.getText('d/bytes')).rejects.toThrow(StoreError);
    });
  });
}
