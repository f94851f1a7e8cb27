import type { CoverageProblem } from '../../model/snapshot.ts';
import { oneLine } from '../../model/text.ts';

const MAX_SAMPLES = 20;

/** Counts what was read, and keeps the first few of what went wrong. Texts in it never quote a record's values. */
export class Tally {
  records = 0;
  rejected = 0;
  readonly #inputs: CoverageProblem[] = [];
  readonly #records: CoverageProblem[] = [];
  readonly #notes: CoverageProblem[] = [];

  /** One record that cannot be used. */
  reject(input: string, place: string, message: string): void {
    this.rejected++;
    if (this.#records.length < MAX_SAMPLES) this.#records.push({ effect: 'record', input, place, message });
  }

  /** An input, or a part that was expected of the inputs, could not be used: the source is partial. */
  lacks(input: string | undefined, message: string, place?: string): void {
    this.#inputs.push({
      effect: 'input',
      ...(input !== undefined && { input }),
      ...(place !== undefined && { place }),
      message: oneLine(message),
    });
  }

  /** Worth saying, without effect. */
  note(input: string | undefined, message: string): void {
    if (this.#notes.length < MAX_SAMPLES)
      this.#notes.push({ effect: 'note', ...(input !== undefined && { input }), message: oneLine(message) });
  }

  get complete(): boolean {
    return this.#inputs.length === 0 && this.rejected === 0;
  }

  get problems(): CoverageProblem[] {
    return [...this.#inputs, ...this.#records, ...this.#notes];
  }
}
