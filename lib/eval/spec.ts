import { parseDuration } from '../model/time.ts';

/** A fault that is laid on a fleet: what, where, and when. */
export interface FaultSpec {
  kind: string;
  /** The name of a node, PDU, drive, … as the kind wants it; absent = one that the seed chooses. */
  where?: string;
  /** Milliseconds since the epoch. */
  from: number;
  until: number;
}

/** Everything that a generated fleet follows from. */
export interface FleetSpec {
  cluster: string;
  /** Compute nodes, 64 to 40,000. */
  nodes: number;
  seed: number;
  /** Milliseconds since the epoch: the time of tick 0. */
  start: number;
  /** Milliseconds between two ticks. */
  tick: number;
  /** The zone in which console server and scheduler write times without one. */
  timezone: string;
  /** The number of the first liquid-cooled cabinet; air-cooled racks are numbered 2000 higher. */
  firstRack: number;
  /** How much of the usual background there is; 1 is a calm site's. */
  noise: number;
  faults: readonly FaultSpec[];
}

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

export const SPEC_DEFAULTS: Omit<FleetSpec, 'nodes' | 'seed'> = {
  cluster: 'evalcluster',
  start: Date.parse('2026-11-30T00:00:00Z'),
  tick: HOUR,
  timezone: 'America/Denver',
  firstRack: 1000,
  noise: 1,
  faults: [],
};

/** Fewer nodes have no racks to compare; more are no machine that exists. */
export const LEAST_NODES = 64;
export const MOST_NODES = 40_000;

/** A specification that cannot be generated. */
export class SpecError extends Error {
  override name = 'SpecError';
}

/** @throws SpecError */
export function fleetSpec(given: Pick<FleetSpec, 'nodes' | 'seed'> & Partial<FleetSpec>): FleetSpec {
  const spec = { ...SPEC_DEFAULTS, ...given };
  if (!Number.isInteger(spec.nodes) || spec.nodes < LEAST_NODES || spec.nodes > MOST_NODES)
    throw new SpecError(`a fleet has ${LEAST_NODES} to ${MOST_NODES} nodes, not ${spec.nodes}`);
  if (!Number.isInteger(spec.seed) || Math.abs(spec.seed) > 2 ** 31)
    throw new SpecError(`the seed is a whole number of 32 bits, not ${spec.seed}`);
  if (!(spec.noise > 0 && spec.noise <= 20)) throw new SpecError(`noise is a factor up to 20, not ${spec.noise}`);
  if (!(spec.tick >= 60_000 && spec.tick <= DAY)) throw new SpecError('ticks are a minute to a day apart');
  return spec;
}

const FAULT = /^([a-z_]+)(?:@([^\s=]+?))?(?:=([^\s=]+))?$/;

/**
 * Reads `KIND`, `KIND@WHERE`, `KIND=FROM..UNTIL`, `KIND@WHERE=FROM..UNTIL`. Times are ISO 8601, or durations since the
 * start (`6h`, `90m`); a fault without times begins halfway through the days and lasts.
 * @throws SpecError
 */
export function parseFault(text: string, { start, end }: { start: number; end: number }): FaultSpec {
  const m = FAULT.exec(text);
  if (!m) throw new SpecError(`--fault ${text}: expected KIND, KIND@WHERE or KIND@WHERE=FROM..UNTIL`);
  const [from, until] = (m[3] ?? '').split('..');
  const time = (written: string | undefined, otherwise: number): number => {
    if (written === undefined || written === '') return otherwise;
    const read = /^\d+[smhd]$/.test(written) ? start + parseDuration(written) : Date.parse(written);
    if (!Number.isFinite(read))
      throw new SpecError(`--fault ${text}: ${written} is no time; expected ISO 8601, or a duration since the start`);
    return read;
  };
  const fault: FaultSpec = {
    kind: m[1] as string,
    ...(m[2] !== undefined && { where: m[2] }),
    from: time(from, start + (end - start) / 2),
    until: time(until, Number.POSITIVE_INFINITY),
  };
  if (!(fault.from < fault.until)) throw new SpecError(`--fault ${text}: ends before it begins`);
  return fault;
}
