import type { CoverageProblem } from '../../model/snapshot.ts';
import { oneLine } from '../../model/text.ts';

const MAX_SAMPLES = 20;

/** Counts what was read, and keeps the first of what went wrong. Nothing in it quotes a record's values. */
export class Tally {
  records = 0;
  rejected = 0;
  private readonly inputs: CoverageProblem[] = [];
  private readonly records_: CoverageProblem[] = [];
  private readonly notes: CoverageProblem[] = [];

  /** One record that cannot be used. */
  reject(input: string, place: string, message: string): void {
    this.rejected++;
    if (this.records_.length < MAX_SAMPLES) this.records_.push(problem('record', input, message, place));
  }

  /** Records of which no sample is at hand. */
  rejectMore(count: number): void {
    this.rejected += count;
  }

  /** An input, or a part that was to be expected, cannot be used: the source is partial. */
  lacks(input: string | undefined, message: string, place?: string): void {
    if (this.inputs.length < MAX_SAMPLES) this.inputs.push(problem('input', input, message, place));
  }

  /** Worth saying, without effect. */
  note(input: string | undefined, message: string, place?: string): void {
    if (this.notes.length < MAX_SAMPLES) this.notes.push(problem('note', input, message, place));
  }

  get problems(): CoverageProblem[] {
    return [...this.inputs, ...this.records_, ...this.notes];
  }
}

function problem(
  effect: CoverageProblem['effect'],
  input: string | undefined,
  message: string,
  place: string | undefined,
): CoverageProblem {
  return {
    effect,
    ...(input !== undefined && { input }),
    ...(place !== undefined && { place: oneLine(place, 300) }),
    message: oneLine(message),
  };
}
