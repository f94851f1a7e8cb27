import type { CoverageProblem } from '../../model/snapshot.ts';
import { oneLine } from '../../model/text.ts';

/** Of a hostile document with a million bad records the first few are enough. */
const SAMPLE = 20;

/**
 * What went wrong while reading: counted in full, the first of each effect kept. Messages say what is wrong and never
 * quote a value, which may be a secret.
 */
export class Problems {
  rejected = 0;
  readonly #inputs: CoverageProblem[] = [];
  readonly #records: CoverageProblem[] = [];
  readonly #notes: CoverageProblem[] = [];

  /** An input, or what was expected of it, cannot be used: the source is partial. */
  input(message: string, input?: string, place?: string): void {
    keep(this.#inputs, 'input', message, input, place);
  }

  /** One record that cannot be used. */
  reject(message: string, input: string, place: string): void {
    this.rejected++;
    keep(this.#records, 'record', message, input, place);
  }

  /** Worth saying, without effect. */
  note(message: string, input?: string, place?: string): void {
    keep(this.#notes, 'note', message, input, place);
  }

  list(): CoverageProblem[] {
    return [...this.#inputs, ...this.#records, ...this.#notes];
  }
}

function keep(kept: CoverageProblem[], effect: CoverageProblem['effect'], message: string, input?: string, place?: string): void {
  if (kept.length >= SAMPLE) return;
  kept.push({
    effect,
    ...(input !== undefined && { input: oneLine(input, 253) }),
    ...(place !== undefined && { place: oneLine(place, 120) }),
    message: oneLine(message, 300),
  });
}
