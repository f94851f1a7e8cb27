import type { ModelClient } from './client.ts';
import { reasoner } from './reasoner.ts';

const mocks: ReadonlyMap<string, ModelClient> = new Map([['reasoner', reasoner]]);

/** The names that `--mock` takes. */
export const MOCK_NAMES: readonly string[] = [...mocks.keys()];

/** A built-in mock model by name; null for a name that is none. */
export function mockClient(name: string): ModelClient | null {
  return mocks.get(name) ?? null;
}
