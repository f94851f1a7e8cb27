import type { Redis } from 'ioredis';
import type { Driver } from 'unstorage';
import { type Conditional, KeyExists, type WriteOptions } from './conditional.ts';

/**
 * A store in Redis, by unstorage's driver; creation is `SET … NX`. It is as durable as the server's own persistence
 * (`appendonly yes`). Loaded only where it is configured, since `ioredis` is installed only there.
 * @param url `redis://host:port/db`; a password belongs in the URL that the environment gives, not in a file in git
 */
export async function conditionalRedisDriver(url: string, prefix: string): Promise<Driver<Conditional, unknown>> {
  const { default: redisDriver } = await import('unstorage/drivers/redis');
  const inner = redisDriver({ url, base: prefix, maxRetriesPerRequest: 3 });
  const client = (): Redis => inner.getInstance?.() as Redis;
  const set = async (key: string, value: string | Uint8Array, options?: WriteOptions): Promise<void> => {
    const bytes = typeof value === 'string' ? value : Buffer.from(value);
    const name = `${prefix}:${key}`;
    if (!options?.ifAbsent) await client().set(name, bytes);
    else if ((await client().set(name, bytes, 'NX')) === null) throw new KeyExists(key);
  };
  return {
    ...inner,
    name: 'redis',
    options: { conditional: true },
    getItemRaw: async (key) => client().getBuffer(`${prefix}:${key}`),
    setItem: set,
    setItemRaw: set,
    getKeys: async (base: string | undefined) => inner.getKeys((base ?? '').replace(/:$/, ''), {}),
    getMeta: async (key) =>
      (await client().exists(`${prefix}:${key}`)) === 1 ? { size: await client().strlen(`${prefix}:${key}`) } : null,
    dispose: async () => {
      if (client().status !== 'end') await client().quit();
    },
  };
}
