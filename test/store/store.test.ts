import * as fc from 'fast-check';
import { createStorage, type Driver } from 'unstorage';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { memoryDriver } from '../../lib/store/drivers/memory.ts';
import { decodeSegment, encodeSegment, Store, StoreError } from '../../lib/store/store.ts';

describe('the store', () => {
  it('refuses a driver that does not promise conditional writes, and says why', () => {
    const driver: Driver = { name: 'kv', hasItem: () => false, getItem: () => null, getKeys: () => [] };
    expect(() => new Store(driver)).toThrow(/kv driver cannot promise that a key is created only where it is absent/);
    expect(() => new Store({ ...driver, options: { conditional: 'yes' } })).toThrow(StoreError);
    expect(createStorage({ driver })).toBeDefined();
  });

  const bad = [
    '',
    '/',
    '/a',
    'a/',
    'a//b',
    'A',
    'a/B',
    '..',
    'a/..',
    'a/../b',
    '.a',
    'a/.tmp',
    '-a',
    'a b',
    'a:b',
    'a?b',
    'a\\b',
    'a$',
    'ä',
    'a\n',
    'a\0',
    '__proto__',
  ];
  it.each(bad)('refuses the key %j everywhere', async (key) => {
    const store = new Store(memoryDriver());
    const Anything = z.json();
    for (const use of [
      store.get(key, Anything),
      store.put(key, 1),
      store.create(key, 1),
      store.getText(key),
      store.putText(key, ''),
      store.remove(key),
    ]) {
      await expect(use).rejects.toThrow(StoreError);
    }
  });

  it.each(bad.filter((key) => key !== ''))('lists nothing below %j', async (prefix) => {
    await expect(new Store(memoryDriver()).list(prefix)).rejects.toThrow(StoreError);
  });

  it('bounds keys and segments', async () => {
    const store = new Store(memoryDriver());
    const segment = 'a'.repeat(255);
    await store.put(`${segment}/${segment}`, 1);
    await expect(store.put(`${segment}/${segment}/b`, 1)).rejects.toThrow(/at most 512 bytes/);
    await expect(store.put(`a${segment}`, 1)).rejects.toThrow(/over 255 bytes/);
  });

  it('takes every key of its grammar', async () => {
    const segment = fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,20}$/);
    await fc.assert(
      fc.asyncProperty(fc.array(segment, { minLength: 1, maxLength: 4 }), fc.jsonValue(), async (segments, value) => {
        const store = new Store(memoryDriver());
        const key = segments.join('/');
        await store.put(key, value);
        expect(await store.list('')).toEqual([key]);
        expect(JSON.stringify(await store.get(key, z.unknown()))).toBe(JSON.stringify(value));
      }),
    );
  });

  it('names key and place of what is damaged or of another form', async () => {
    const store = new Store(memoryDriver());
    await store.putText('d/cut', '{"a": [1,');
    await expect(store.get('d/cut', z.json())).rejects.toMatchObject({ name: 'StoreError', key: 'd/cut', place: 'line 1 column 10' });
    await store.putText('d/empty', '');
    await expect(store.get('d/empty', z.json())).rejects.toMatchObject({ key: 'd/empty', place: 'line 1 column 1' });
    await store.put('d/form', { a: [{ 'b/c': 'text' }] });
    const schema = z.object({ a: z.array(z.object({ 'b/c': z.number() })) });
    await expect(store.get('d/form', schema)).rejects.toMatchObject({
      key: 'd/form',
      place: '/a/0/b~1c',
      message: expect.stringContaining('d/form') as string,
    });
    await expect(store.get('d/form', z.string())).rejects.toThrow(/its top/);
  });

  it.each([undefined, () => 1, Symbol('x'), { a: Number.NaN }, [Number.POSITIVE_INFINITY]])(
    'refuses to write what JSON cannot hold: %s',
    async (value) => {
      const store = new Store(memoryDriver());
      await expect(store.put('a', value)).rejects.toThrow(StoreError);
      await expect(store.create('a', value)).rejects.toThrow(StoreError);
      expect(await store.list('')).toEqual([]);
    },
  );

  it('refuses a text that would not come back', async () => {
    await expect(new Store(memoryDriver()).putText('a', 'x\ud800y')).rejects.toThrow(StoreError);
  });

  it('lets failures of the driver through', async () => {
    const failing = (): never => {
      throw new Error('EIO: i/o error');
    };
    const store = new Store({ ...memoryDriver(), getItemRaw: failing, setItemRaw: failing, getKeys: failing, removeItem: failing });
    for (const use of [store.getText('a'), store.put('a', 1), store.create('a', 1), store.list('a'), store.remove('a')])
      await expect(use).rejects.toThrow('EIO');
  });
});

describe('encodeSegment', () => {
  it.each([
    ['x1000c0s0b0n0', 'x1000c0s0b0n0'],
    ['pdu-1.a', 'pdu-1.a'],
    ['Drive 1', '_44rive_201'],
    ['', '0__'],
    ['..', '0__..'],
    ['_', '0___5f'],
    ['0__', '0_5f_5f'],
    ['é', '0___c3_a9'],
    ['\ud800', '0___ud800'],
  ])('%j → %s', (text, segment) => {
    expect(encodeSegment(text)).toBe(segment.startsWith('_') ? `0__${segment}` : segment);
    expect(decodeSegment(encodeSegment(text))).toBe(text);
  });

  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.string({ maxLength: 200 }),
    fc.constantFrom('0_h', '0__', '_u0041', '_41', 'A', 'a', '__proto__'),
  );

  it('makes a key of any text, and of two texts two keys', () => {
    const store = new Store(memoryDriver());
    return fc.assert(
      fc.asyncProperty(text, text, async (a, b) => {
        const segment = encodeSegment(a);
        await store.put(`s/${segment}`, 1);
        expect(segment.length).toBeLessThanOrEqual(130);
        expect(encodeSegment(b) === segment).toBe(a === b);
      }),
    );
  });

  it('can be undone where it is no hash', () => {
    fc.assert(
      fc.property(text, (a) => {
        const segment = encodeSegment(a);
        expect(decodeSegment(segment)).toBe(segment.startsWith('0_h') ? null : a);
      }),
    );
  });

  it('keeps case, form and half pairs apart', () => {
    const texts = ['nid1', 'NID1', 'nid1 ', 'é', 'e\u0301', '\ud800', '\udc00', '\ufffd', 'x'.repeat(300), `${'x'.repeat(300)}y`];
    expect(new Set(texts.map(encodeSegment)).size).toBe(texts.length);
  });

  it('undoes nothing that it did not make', () => {
    for (const segment of ['_41', '0__a', '0_61', '0_zz', '_c3', '0__a_', `0_h${'0'.repeat(64)}`, 'A'])
      expect([segment, decodeSegment(segment)]).toEqual([segment, null]);
  });
});
