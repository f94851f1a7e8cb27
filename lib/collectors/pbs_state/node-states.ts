import { oneLine } from '../../model/text.ts';

/**
 * What a node's states come to. In the order in which the worst one of a host's vnodes counts:
 * `down_offline` broken and taken out of service; `down` broken; `unknown` the server has not heard of it, or says a word
 * that we do not know; `mixed` the host's vnodes differ and PBS says no more; `offline` taken out of service; `changing` starting or being provisioned;
 * `asleep` powered off to save energy; `reserved` kept for a reservation; `busy`; `free`.
 */
export const BUCKETS = ['down_offline', 'down', 'unknown', 'mixed', 'offline', 'changing', 'asleep', 'busy', 'reserved', 'free'] as const;
export type Bucket = (typeof BUCKETS)[number];

/** Nothing can run there, though nobody has taken it out. */
const DOWN = new Set(['down', 'stale', 'unresolvable', 'deleted']);
/** The server has not heard of it, as after its own restart. */
const UNHEARD = 'state-unknown';
const OFFLINE = new Set(['offline', 'offline_by_mom', 'maintenance']);
const CHANGING = new Set(['initializing', 'provisioning', 'wait-provisioning', 'wait-provision']);
const ASLEEP = new Set(['sleep', 'powered-off', 'powering-down', 'powering-on']);
const BUSY = new Set(['job-busy', 'job-exclusive', 'busy']);
const RESERVED = new Set(['resv-exclusive']);

/** What `pbsnodes` prints for a host whose vnodes differ (openpbs#1408). */
const VARIOUS = '<various>';

const KNOWN = new Set([...DOWN, ...OFFLINE, ...CHANGING, ...ASLEEP, ...BUSY, ...RESERVED, 'free', UNHEARD, VARIOUS]);

/**
 * The states of a vnode: `down,job-exclusive` → both, in lower case (PBS writes `Stale`), sorted, each once.
 * Names: openpbs, src/include/pbs_internal.h; `powered-…` from Altair's releases since 2024.
 */
export function stateTokens(printed: string): string[] {
  const tokens = printed
    .slice(0, 2000)
    .split(',')
    .map((token) => oneLine(token.toLowerCase(), 60))
    .filter((token) => token !== '');
  return [...new Set(tokens)].sort();
}

/** The states that this program knows no meaning of. */
export function unknownTokens(states: readonly string[]): string[] {
  return states.filter((state) => !KNOWN.has(state));
}

export function bucketOf(states: readonly string[]): Bucket {
  const any = (set: ReadonlySet<string>): boolean => states.some((state) => set.has(state));
  if (any(DOWN)) return any(OFFLINE) ? 'down_offline' : 'down';
  if (any(OFFLINE)) return 'offline';
  if (states.includes(UNHEARD)) return 'unknown';
  if (any(ASLEEP)) return 'asleep';
  if (any(CHANGING)) return 'changing';
  if (any(BUSY)) return 'busy';
  if (any(RESERVED)) return 'reserved';
  if (states.includes(VARIOUS)) return 'mixed';
  return states.includes('free') ? 'free' : 'unknown';
}

/** Whether jobs on the node cannot go on. */
export function isBroken(bucket: Bucket): boolean {
  return bucket === 'down' || bucket === 'down_offline';
}

/** Whether somebody, or something, has taken the node out of service. */
export function isOffline(bucket: Bucket): boolean {
  return bucket === 'offline' || bucket === 'down_offline';
}
