/*
 * What a part of the benchmark is. Machines differ and are busy with other things, so no time means anything by itself:
 * each part measures a named baseline in the same run, on the same data, and tells everything as a multiple of it.
 *
 * To add one: a file here that exports a {@link Part}, and a line in `index.ts`. `measure` is called once a size, in a
 * process of its own, with an empty folder (or with what `prepare` made there); it takes its baseline and its stages with
 * a {@link Stopwatch}. See `diff.ts` for the least that does, `full-run.ts` for all there is.
 */

/** One thing that was measured. Times are milliseconds of processor time, or of the clock where a disk is waited for. */
export interface Stage {
  name: string;
  ms: number;
  /** The most memory that its own process held, bytes; of {@link Part.alone}. */
  peak?: number;
  /** Said of it, such as a size. */
  note?: string;
}

/** Something whose size counts, such as a prompt. */
export interface Amount {
  name: string;
  bytes: number;
}

/** What a part measured at one size. */
export interface Measured {
  size: number;
  baseline: Stage;
  stages: Stage[];
  amounts?: Amount[];
  /** A stage `PREFIX: all` that the other stages `PREFIX: …` make up, where there is one: the costliest of them is named. */
  whole?: string;
  /** The most memory that the process of `measure` held, bytes. */
  peak: number;
}

export interface Part {
  name: string;
  title: string;
  /** Sizes that it is measured at where none are asked for, and what they count; by default fleets of nodes. */
  sizes?: readonly number[];
  unit?: string;
  /** Which clock counts: `processor` time of all threads, or the `wall`. */
  clock: 'processor' | 'wall';
  /** Makes what is measured, in a process of its own, so that its memory is not taken for the measurement's. */
  prepare?: (size: number, folder: string) => Promise<void> | void;
  /** @param size nodes of the fleet */
  measure: (size: number, folder: string) => Promise<Omit<Measured, 'size' | 'peak'>>;
  /**
   * Whole things by name, each in a process of its own after `measure` and one after the other in the same folder. They
   * become stages by the clock, with their peak memory, and stages of processor time, which a busy machine changes less.
   */
  alone?: Readonly<Record<string, (size: number, folder: string) => Promise<Aside | void>>>;
}

/** What something run alone tells beside its time. */
export interface Aside {
  /** Where only a part of it counts, ms by the clock and of processor time. */
  ms?: number;
  processor?: number;
  note?: string;
  amounts?: Amount[];
}

/** Processor time of all threads so far, ms. */
export function processorTime(): number {
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

  /** Takes a stage out, such as the baseline. */
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
