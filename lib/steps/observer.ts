import type { Config } from '../config.ts';
import type { Check } from '../model/check.ts';
import type { Problem } from '../model/snapshot.ts';
import { oneLine } from '../model/text.ts';
import type { AuditLog } from '../audit/audit.ts';
import { type Lease, LeaseLost, type Leases } from '../store/leases.ts';
import type { Snapshots } from '../store/snapshots.ts';
import type { Store, StoreUnavailable } from '../store/store.ts';
import type { ModelClient } from '../harness/client.ts';
import type { DigestReply, DigestRequest } from './digest.ts';
import { adviceFor } from './advice.ts';

export type Log = (level: 'debug' | 'info' | 'warn' | 'error', event: string, fields?: Record<string, unknown>) => void;

/** Everything that a step works with. The entries (server, worker, command line) make it; nothing below reaches around it. */
export interface Observer {
  version: string;
  config: Config;
  store: Store;
  snapshots: Snapshots;
  leases: Leases;
  /** Where reports are written for people: its own root, its own driver. */
  reports: Store;
  /** Milliseconds since the epoch. */
  clock: () => number;
  log: Log;
  /** Where calls of tools by hand are accounted for; ticks have a log of their own. */
  audit: AuditLog;
  /** Digests one source, wherever the platform does that. */
  digest: (request: DigestRequest, deadlineMs: number) => Promise<DigestReply>;
  /** Takes the place of modification times, for the bundled days. */
  mtime?: string;
  /** The text of the ground truth file, read anew at every tick; null = none configured. */
  groundTruth: () => Promise<{ text: string; file: string } | null>;
  /** The model's endpoint; null = the deterministic report alone. */
  model: ModelClient | null;
  /** What sinks send through; null = nothing is sent (`--no-notify`). */
  send: typeof fetch | null;
  /** The text of a token's file, or of a binding where there are no files, read anew each time. @throws where there is none */
  secret: (path: string) => Promise<string>;
  /** The bearer tokens that are valid now (several during a rotation); empty = none is configured. */
  tokens: () => Promise<readonly string[]>;
  /** What users of this machine may do that they need not, where the platform can tell. */
  permissions?: () => Promise<Check[]>;
}

/** A step could not be done; becomes a problem document, an exit status, or a line in the report. */
export class StepError extends Error {
  override name = 'StepError';
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

/** A store that fails, as a problem: what cannot be stored or read, why, and what to do. */
export function storeProblem(error: StoreUnavailable): Problem {
  return { code: 'store', detail: oneLine(error.message, 600), advice: adviceFor('store') };
}

/** Long enough for any step between two renewals, short enough that a lost machine blocks little. */
const LEASE_TTL = 60_000;
const RENEW_EVERY = 15_000;

/**
 * Runs a step alone: whoever comes second is told so.
 * @throws StepError `busy`
 */
export async function alone<T>(observer: Observer, name: string, step: (lease: Lease) => Promise<T>): Promise<T> {
  const lease = await observer.leases.acquire(name, LEASE_TTL);
  if ('busy' in lease) {
    throw new StepError({
      code: 'busy',
      detail: `${name} has been running since ${lease.busy.since} (${lease.busy.owner})`,
      advice: adviceFor('busy'),
    });
  }
  const renewal = setInterval(() => {
    // A renewal that fails is found by the check before the commit; until then the work may as well go on.
    lease.renew().catch((error: unknown) => observer.log('warn', 'lease', { name, error: String(error) }));
  }, RENEW_EVERY);
  try {
    return await step(patient(lease));
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error;
    throw new StepError({ code: 'busy', detail: `${error.message} while it worked: it committed nothing`, advice: adviceFor('busy') });
  } finally {
    clearInterval(renewal);
    await lease.release().catch((error: unknown) => observer.log('warn', 'lease', { name, error: String(error) }));
  }
}

/** A lease whose term may run out while nobody else wants it: a clock that jumps ahead throws no work away. */
function patient(lease: Lease): Lease {
  return {
    name: lease.name,
    generation: lease.generation,
    renew: () => lease.renew(),
    release: () => lease.release(),
    check: () =>
      lease.check().catch((error: unknown) => {
        if (!(error instanceof LeaseLost)) throw error;
        return lease.renew();
      }),
  };
}
