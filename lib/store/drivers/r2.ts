import type { R2Bucket, R2Objects } from '@cloudflare/workers-types';
import type { Driver } from 'unstorage';
import { type Conditional, KeyExists, segmentsOf, type WriteOptions } from './conditional.ts';

/**
 * A store in an R2 bucket, whose reads see every write that has ended and whose conditional puts are atomic.
 * Workers KV promises neither, and is therefore not offered.
 */
export function r2Driver(bucket: R2Bucket): Driver<Conditional, R2Bucket> {
  const nameOf = (key: string): string => segmentsOf(key).join('/');
  const set = async (key: string, value: string | Uint8Array, options?: WriteOptions): Promise<void> => {
    if (!options?.ifAbsent) {
      await bucket.put(nameOf(key), value);
      return;
    }
    const put = await bucket.put(nameOf(key), value, { onlyIf: { etagDoesNotMatch: '*' } });
    if (put === null) throw new KeyExists(key);
  };
  return {
    name: 'r2',
    options: { conditional: true },
    getInstance: () => bucket,
    hasItem: async (key) => (await bucket.head(nameOf(key))) !== null,
    getItem: async (key) => (await (await bucket.get(nameOf(key)))?.text()) ?? null,
    getItemRaw: async (key) => (await (await bucket.get(nameOf(key)))?.arrayBuffer()) ?? null,
    setItem: set,
    setItemRaw: set,
    removeItem: (key) => bucket.delete(nameOf(key)),
    getKeys: async (base?: string) => {
      const prefix = segmentsOf(base ?? '').join('/');
      const keys: string[] = [];
      let cursor: string | undefined;
      do {
        const page: R2Objects = await bucket.list({
          prefix: prefix === '' ? '' : `${prefix}/`,
          ...(cursor === undefined ? {} : { cursor }),
        });
        keys.push(...page.objects.map((object) => object.key.replaceAll('/', ':')));
        cursor = page.truncated ? page.cursor : undefined;
      } while (cursor !== undefined);
      return keys;
    },
    getMeta: async (key) => {
      const object = await bucket.head(nameOf(key));
      return object && { size: object.size, mtime: object.uploaded, etag: object.etag };
    },
  };
}
