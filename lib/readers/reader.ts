import type { Location } from '../config.ts';
import type { Input, InputPlan, Schemas } from '../model/collector.ts';
import type { CoverageInput, CoverageProblem } from '../model/snapshot.ts';

/** What a reader found: inputs that can be digested, and a line of coverage for each that was looked for. */
export interface Opened {
  inputs: Input[];
  coverage: CoverageInput[];
  problems: CoverageProblem[];
  /** Ends what is still open (file descriptors, sockets). */
  close(): void;
}

export interface ReadRequest {
  location: Location;
  plan: InputPlan;
  /** Kafka windows and the like: the clock, and the source's own options. */
  now: number;
  options: unknown;
  /** Takes the place of every modification time: the bundled days are older than their checkout. */
  mtime?: string;
}

/** Opens the inputs of a source. Read-only by type: nothing here writes, deletes or sends but GET and HEAD. */
export type Reader = (request: ReadRequest) => Opened | Promise<Opened>;

/** Opens the schemas of a source's binary messages; what goes wrong with them is told, and costs only those messages. */
export type SchemaReader = (location: Location, tell: (problem: CoverageProblem) => void) => Promise<Schemas>;

/** The readers of a platform, by how the inputs are reached; a missing one is refused with the reason. */
export interface Readers {
  path?: Reader;
  url?: Reader;
  brokers?: Reader;
  schemas?: SchemaReader;
}
