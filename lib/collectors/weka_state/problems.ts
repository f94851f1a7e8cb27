import type { CoverageProblem } from '../../model/snapshot.ts';
import { compareNames, oneLine } from '../../model/text.ts';

const SAMPLE = 20;

/**
 * What went wrong while reading, counted in full and kept as a sample that is the same whatever the order of the inputs.
 * Messages say what is wrong and never quote a value, which may be a secret.
 */
export class Problems {
  rejected = 0;
  #inputs: CoverageProblem[] = [];
  #records: CoverageProblem[] = [];
  #notes: CoverageProblem[] = [];

  /** An input, or what was expected of it, cannot be used: the source is partial. */
  input(message: string, input?: string, place?: string): void {
    this.#inputs = keep(this.#inputs, problem('input', message, input, place));
  }

  /** One record that cannot be used. */
  reject(message: string, input: string, place: string): void {
    this.rejected++;
    this.#records = keep(this.#records, problem('record', message, input, place));
  }

  /** Worth saying, without effect. */
  note(message: string, input?: string, place?: string): void {
    this.#notes = keep(this.#notes, problem('note', message, input, place));
  }

  list(): CoverageProblem[] {
    return [this.#inputs, this.#records, this.#notes].flatMap((kept) => kept.toSorted(order).slice(0, SAMPLE));
  }
}

function problem(effect: CoverageProblem['effect'], message: string, input?: string, place?: string): CoverageProblem {
  return {
    effect,
    ...(input !== undefined && { input: oneLine(input, 253) }),
    ...(place !== undefined && { place }),
    message: oneLine(message, 300),
  };
}

/** Appends, and thins out from time to time: a hostile document may hold a million bad records. */
function keep(kept: CoverageProblem[], added: CoverageProblem): CoverageProblem[] {
  kept.push(added);
  return kept.length < 10 * SAMPLE ? kept : kept.sort(order).slice(0, SAMPLE);
}

function order(a: CoverageProblem, b: CoverageProblem): number {
  return compareNames(a.input ?? '', b.input ?? '') || compareNames(a.place ?? '', b.place ?? '') || compareNames(a.message, b.message);
}
