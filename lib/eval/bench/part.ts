/*
 * What a part of the benchmark is. Machines differ and are busy with other things, so no time means anything by itself:
 * each part measures a named baseline in the same run, on the same data, and tells everything as a multiple of it.
 */

/** One thing that was measured. Times are milliseconds of processor time, or of the clock where a disk is waited for. */
export interface Stage {
  name: string;
  ms: number;
  /** Said of it, such as a size. */
  note?: string;
}

/** What a part measured at one size. */
export interface Measured {
  size: number;
  baseline: Stage;
  stages: Stage[];
  /** Stages that the whole consists of, where these do. */
  whole?: string;
  /** The most memory that the process had held by then, bytes: sizes are measured in ascending order. */
  peak: number;
}

export interface Part {
  name: string;
  title: string;
  /** Which clock counts: `processor` time of all threads, or the `wall`. */
  clock: 'processor' | 'wall';
  measure: (size: number, folder: string) => Promise<Omit<Measured, 'size' | 'peak'>>;
}

/** Processor time so far, ms. */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

export class Stopwatch {
  readonly #now: () => number;
  readonly stages = new Map<string, Stage>();

  constructor(clock: Part['clock']) {
    this.#now = clock === 'wall' ? () => performance.now() : processorTime;
  }

  /** Runs something and adds what it took to a stage. */
  async time<T>(name: string, work: () => T | Promise<T>): Promise<T> {
    const began = this.#now();
    try {
      return await work();
    } finally {
      const stage = this.stages.get(name) ?? { name, ms: 0 };
      stage.ms += this.#now() - began;
      this.stages.set(name, stage);
    }
  }

  /** The quickest of several tries: what is left is the work, not what came in its way. */
  async best(name: string, tries: number, work: (i: number) => unknown): Promise<void> {
    let least = Number.POSITIVE_INFINITY;
    for (let i = 0; i < tries; i++) {
      const began = this.#now();
      await work(i);
      least = Math.min(least, this.#now() - began);
    }
    this.stages.set(name, { name, ms: least });
  }

  take(name: string): Stage {
    const stage = this.stages.get(name) as Stage;
    this.stages.delete(name);
    return stage;
  }
}

/** How often something is tried, by size: small things are over before the clock has ticked. */
export function triesAt(size: number): number {
  return size <= 1000 ? 5 : 2;
}
