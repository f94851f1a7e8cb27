import type { LocalClock } from './local-clock.ts';
import { type NodeState, type Plan, stateOf } from './plan.ts';
import type { Node } from './topology.ts';

/** One look at the cluster: what all sources are written from. */
export interface Tick {
  plan: Plan;
  clock: LocalClock;
  /** Milliseconds since the epoch. */
  at: number;
  /** The look before; null at the first. */
  before: number | null;
}

/** One file of a source. */
export interface SourceFile {
  /** Below the fleet's folder. */
  path: string;
  text: Iterable<string>;
  /** When its writer was done, ms. */
  mtime: number;
  /** It goes on where the last look ended; others are written anew. */
  append?: true;
}

/** How long before the look each source's own one was. */
export const LOOKED_BEFORE = { hpcm: 240_000, oneview: 150_000, pbs: 90_000, weka: 60_000, telemetry: 20_000 } as const;

/** How a node is in the eyes of a source. */
export function seenBy({ plan, at }: Tick, source: keyof typeof LOOKED_BEFORE, node: Node): NodeState {
  return stateOf(plan, node, at - LOOKED_BEFORE[source]);
}

/** The text of a JSON list or of the members of an object, one item a line. */
export function* joined(open: string, items: Iterable<string>, close: string): Iterable<string> {
  yield open;
  let separator = '\n';
  for (const item of items) {
    yield separator + item;
    separator = ',\n';
  }
  yield `\n${close}\n`;
}

/** Effects of the faults that hold at a moment. */
export function holding(plan: Plan, at: number): Plan['faults'] {
  return plan.faults.filter((f) => f.from <= at && at < f.until);
}
