import type { Driver } from 'unstorage';
import { type Conditional, KeyExists, type WriteOptions } from './conditional.ts';

/** A store that lives as long as the process: for tests, and for an observer that need not remember. */
export function memoryDriver(): Driver<Conditional, Map<string, string | Uint8Array>> {
  const values = new Map<string, string | Uint8Array>();
  const set = (key: string, value: string | Uint8Array, options?: WriteOptions): void => {
    if (options?.ifAbsent && values.has(key)) throw new KeyExists(key);
    values.set(key, typeof value === 'string' ? value : value.slice());
  };
  const get = (key: string): string | Uint8Array | null => {
    const value = values.get(key) ?? null;
    return value === null || typeof value === 'string' ? value : value.slice();
  };
  return {
    name: 'memory',
    options: { conditional: true },
    getInstance: () => values,
    hasItem: (key) => values.has(key),
    getItem: get,
    getItemRaw: get,
    setItem: set,
    setItemRaw: set,
    removeItem: (key) => {
      values.delete(key);
    },
    getKeys: (base?: string) => [...values.keys()].filter((key) => key.startsWith(base ?? '')),
    getMeta: (key) => {
      const value = values.get(key);
      if (value === undefined) return null;
      return { size: typeof value === 'string' ? new TextEncoder().encode(value).length : value.length };
    },
    dispose: () => values.clear(),
  };
}
