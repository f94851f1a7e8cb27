/** A stretch of offsets: `from`, and up to but not with `to`. */
export interface Stretch {
  from: number;
  to: number;
}

/** Fewer messages than this are not worth a stretch of their own. */
const LEAST = 4096;
const MOST_SLICES = 16;

/** One partition's part of the window, and how far it was read. */
export class PartitionWindow {
  readonly topic: string;
  readonly partition: number;
  leader: number;
  readonly window: Stretch;
  /** Why it cannot be read on. */
  failure: string | undefined;
  /** Tries in a row that brought nothing. */
  vain = 0;
  /** Whether the last of them brought no answer at all. */
  leaderLost = false;
  /** Offsets that retention took while it was read. */
  expired = 0;
  /** Offsets that were passed. */
  covered = 0;
  #stretch: Stretch;

  constructor(at: { topic: string; partition: number; leader: number }, window: Stretch) {
    this.topic = at.topic;
    this.partition = at.partition;
    this.leader = at.leader;
    this.window = window;
    this.#stretch = { from: window.to, to: window.to };
  }

  get length(): number {
    return this.window.to - this.window.from;
  }

  /** Where to read on in the stretch at hand. */
  get position(): number {
    return this.#stretch.from;
  }

  get end(): number {
    return this.#stretch.to;
  }

  get pending(): boolean {
    return this.failure === undefined && this.#stretch.from < this.#stretch.to;
  }

  open(stretch: Stretch): void {
    this.#stretch = { ...stretch };
    this.vain = 0;
  }

  /** Goes on to an offset; one behind is no progress. */
  advance(to: number): void {
    const next = Math.min(to, this.#stretch.to);
    if (!(next > this.#stretch.from)) return;
    this.covered += next - this.#stretch.from;
    this.#stretch.from = next;
    this.vain = 0;
  }
}

/**
 * The stretches in which a window is read, the newest first: wherever a budget ends the reading, of every partition the
 * same share was read, and the newest.
 * @param share what of the window may be read at all, 0 to 1
 */
export function planStretches(partitions: readonly PartitionWindow[], share: number): Map<PartitionWindow, Stretch>[] {
  const longest = partitions.reduce((most, p) => Math.max(most, p.length * share), 0);
  const slices = Math.min(MOST_SLICES, Math.max(1, Math.ceil(longest / LEAST)));
  const rounds: Map<PartitionWindow, Stretch>[] = [];
  for (let slice = 0; slice < slices; slice++) {
    const round = new Map<PartitionWindow, Stretch>();
    for (const p of partitions) {
      const length = Math.floor(p.length * share);
      const to = p.window.to - Math.floor((length * slice) / slices);
      const from = p.window.to - Math.floor((length * (slice + 1)) / slices);
      if (from < to) round.set(p, { from, to });
    }
    rounds.push(round);
  }
  return rounds;
}
