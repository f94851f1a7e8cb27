import type { CoverageInput } from '../../model/snapshot.ts';
import { type PartitionWindow, planStretches, type Stretch } from './partitions.ts';

/** A topic, the window of each of its partitions, and its line of coverage. */
export interface Topic {
  name: string;
  partitions: PartitionWindow[];
  coverage: CoverageInput;
}

/** Offsets in the windows of topics: the most messages that they can hold. */
export function lengthOf(topics: Iterable<Topic>): number {
  let length = 0;
  for (const { partitions } of topics) for (const p of partitions) length += p.length;
  return length;
}

/** An answer is taken whole, so that all partitions have their share, unless it goes this far over the budget, bytes. */
const MOST_OVER = 256 * 1024 * 1024;

/** The reading of one topic within its share of the budgets. */
export class TopicRun {
  readonly topic: Topic;
  readonly rounds: Map<PartitionWindow, Stretch>[];
  readonly skipped = new Map<string, number>();
  readonly bytes: number;
  readonly #until: number;

  constructor(topic: Topic, { share, bytes, until }: { share: number; bytes: number; until: number }) {
    this.topic = topic;
    this.rounds = planStretches(
      topic.partitions.filter((p) => p.failure === undefined),
      share,
    );
    this.bytes = bytes;
    this.#until = until;
  }

  get bytesLeft(): number {
    return this.bytes - this.topic.coverage.bytes;
  }

  /** Whether even the answer at hand is too much: it may unpack to a thousand times its size. */
  get overrun(): boolean {
    return this.bytesLeft < -MOST_OVER || performance.now() >= this.#until;
  }

  /** The budget that is used up, if one is. */
  get spent(): 'bytes' | 'time' | undefined {
    if (this.bytesLeft <= 0) return 'bytes';
    return performance.now() >= this.#until ? 'time' : undefined;
  }
}
