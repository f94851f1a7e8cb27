import type { ModelClient } from './client.ts';
import { LADDER } from './mocks/ladder.ts';
import { reasoner } from './reasoner.ts';

/** The names that `--mock` takes. */
export const MOCK_NAMES: readonly string[] = [...LADDER.keys()];

/** The mock that needs no server, so that a self-test connects to nobody; null for the others, which speak over the wire. */
export function mockClient(name: string): ModelClient | null {
  return name === 'reasoner' ? reasoner : null;
}
