import { collectorOf } from '../collectors/registry.ts';
import type { SourceConfig } from '../config.ts';
import type { Attempt, CollectResult, Coverage, Problem, Snapshot } from '../model/snapshot.ts';
import { oneLine } from '../model/text.ts';
import { toIso } from '../model/time.ts';
import type { PushedPart } from '../readers/body.ts';
import { putAttempt } from '../store/attempts.ts';
import { type Lease, LeaseLost } from '../store/leases.ts';
import { appendSeries } from '../store/series.ts';
import type { Commit } from '../store/snapshots.ts';
import { StoreUnavailable, unlessDamaged } from '../store/store.ts';
import type { Digest, DigestReply, DigestRequest } from './digest.ts';
import { adviceFor } from './advice.ts';
import { alone, type Observer, StepError, storeProblem } from './observer.ts';
import { makeSnapshot, seenAgain, type SnapshotParts } from './snapshot.ts';

export interface CollectOptions {
  /** `?asOf=`: ms since the epoch. */
  asOf?: number;
  /** A pushed body instead of the configured inputs. */
  parts?: PushedPart[];
  /** Told when the digest is asked for. */
  begun?: () => void;
}

/**
 * Collects one source: digest → snapshot, facts and carry in one commit → attempt. Where the inputs are those of the last
 * snapshot and nothing else would lead elsewhere, that is what they come to again. Whatever happens, an attempt is
 * written; a failed one leaves the last snapshot as it was. A source that others push is skipped where there is no body,
 * and its last attempt stands.
 * @throws StepError `busy` when the same source is being collected already
 */
export async function collect(observer: Observer, source: string, options: CollectOptions = {}): Promise<CollectResult> {
  const config = observer.config.sources.get(source);
  if (!config) {
    const now = toIso(observer.clock());
    await putAttempt(observer.store, { source, startedAt: now, endedAt: now, status: 'skipped' });
    return { source, status: 'skipped', snapshot: null, conditions: 0, coverage: null };
  }
  if (!options.parts && isOnlyPushed(config)) return { source, status: 'skipped', snapshot: null, conditions: 0, coverage: null };
  return alone(observer, `collect-${source}`, (lease) => collectAlone(observer, config, options, lease));
}

function isOnlyPushed({ location }: SourceConfig): boolean {
  return !location.path && !location.url && !location.brokers && Object.keys(location.roles).length === 0;
}

async function collectAlone(observer: Observer, config: SourceConfig, options: CollectOptions, lease: Lease): Promise<CollectResult> {
  const { source } = config;
  const startedAt = observer.clock();
  const finish = async (
    status: Attempt['status'],
    rest: { problem?: Problem; snapshot?: string; conditions?: number; coverage: Coverage | null },
  ): Promise<CollectResult> => {
    const { problem, snapshot, conditions = 0, coverage } = rest;
    const attempt: Attempt = {
      source,
      startedAt: toIso(startedAt),
      endedAt: toIso(observer.clock()),
      status,
      ...(problem && { problem }),
      ...(snapshot && { snapshot }),
    };
    await putAttempt(observer.store, attempt);
    observer.log(status === 'failed' ? 'error' : 'info', 'collect', {
      source,
      status,
      conditions,
      ...(problem && { problem: problem.detail }),
    });
    return { source, status, snapshot: snapshot ?? null, conditions, coverage, ...(problem && { problem }) };
  };
  const collector = collectorOf(source);
  const handed = collector ? await observer.snapshots.carry(source, collector.carryVersion) : { state: 'none' as const };
  const request: DigestRequest = {
    source,
    location: config.location,
    options: config.options,
    cluster: observer.config.cluster,
    now: startedAt,
    ...(options.asOf !== undefined && { asOf: options.asOf }),
    handed,
    timezone: observer.config.timezone,
    nodeDomains: observer.config.node_domains,
    rules: observer.config.rules,
    ...(observer.mtime && { mtime: observer.mtime }),
    ...(options.parts && { parts: options.parts }),
  };
  const digesting = digestOrFindBefore(observer, request, config.deadline);
  options.begun?.();
  const reply = await digesting;
  if ('problem' in reply) return finish('failed', { problem: reply.problem, coverage: reply.coverage });
  const { coverage } = 'before' in reply ? reply.before : reply.digest;
  try {
    const id = await observer.snapshots.nextId(source, startedAt);
    const { text, stands, ...parts } =
      'before' in reply ? partsAsBefore(reply, id, startedAt) : partsOf(observer, reply.digest, { source, id, collectedAt: startedAt });
    const snapshot = await observer.snapshots.commit({
      ...parts,
      carry: { version: collector?.carryVersion ?? 0, text },
      ...(stands && { stands }),
      lease,
    });
    await appendSeries(observer.store, source, { at: snapshot.asOf, values: snapshot.series });
    return finish(snapshot.status, { snapshot: snapshot.id, conditions: snapshot.conditions.length, coverage: snapshot.coverage });
  } catch (error) {
    if (error instanceof LeaseLost) throw error;
    if (error instanceof StoreUnavailable) return finish('failed', { problem: storeProblem(error), coverage });
    const problem: Problem = {
      code: 'internal',
      detail: oneLine(`the snapshot could not be stored: ${error instanceof Error ? error.message : String(error)}`),
      advice: adviceFor('internal'),
    };
    return finish('failed', { problem, coverage });
  }
}

type Handed = Extract<DigestRequest['handed'], { state: 'ok' }>;

/** The latest snapshot, and what was handed on with it. */
interface Before {
  before: Snapshot;
  handed: Handed;
}

/** What is committed of a digest. */
type Parts = Pick<Commit, 'snapshot' | 'facts' | 'stands'> & { text: string };

/** Digests, or finds that the latest snapshot is what it would come to. */
async function digestOrFindBefore(
  observer: Observer,
  request: DigestRequest,
  deadline: number,
): Promise<Exclude<DigestReply, 'as before'> | Before> {
  const reply = await observer.digest(request, deadline);
  if (reply !== 'as before') return reply;
  const handed = request.handed as Handed;
  const before = await unlessDamaged(observer.snapshots.latest(request.source));
  if (before) return { before, handed };
  const { stands: _, ...anew } = handed;
  return digestOrFindBefore(observer, { ...request, handed: anew }, deadline);
}

function partsOf(observer: Observer, digest: Digest, of: Pick<SnapshotParts, 'source' | 'id' | 'collectedAt'>): Parts {
  const { cluster, rules } = observer.config;
  const { asOf, asOfFrom, status, coverage, collected, facts, handOn, stands } = digest;
  const snapshot = makeSnapshot({ ...of, cluster, asOf, asOfFrom, status, coverage, collected, rules });
  return { snapshot, facts, text: handOn, ...(stands && { stands }) };
}

function partsAsBefore({ before, handed: { text, stands } }: Before, id: string, collectedAt: number): Parts {
  return { snapshot: seenAgain(before, id, collectedAt), facts: 'as before', text, ...(stands && { stands }) };
}

/**
 * Collects several sources at once; one that fails never keeps the others. A busy one is a failed result here. Logs take
 * longest: where few sources are digested at once, theirs begin first, so that none of them is left for the end.
 */
export async function collectAll(observer: Observer, sources: readonly string[]): Promise<CollectResult[]> {
  const results = new Map<string, Promise<CollectResult>>();
  const begin = (source: string): Promise<unknown> =>
    new Promise((begun) => {
      const result = collectOrTell(observer, source, begun as () => void);
      results.set(source, result);
      void result.then(begun);
    });
  const isLogs = (source: string): boolean => collectorOf(source)?.inputs.shape === 'logs';
  await Promise.all(sources.filter(isLogs).map(begin));
  for (const source of sources) if (!isLogs(source)) void begin(source);
  return Promise.all(sources.map((source) => results.get(source) as Promise<CollectResult>));
}

async function collectOrTell(observer: Observer, source: string, begun: () => void): Promise<CollectResult> {
  try {
    return await collect(observer, source, { begun });
  } catch (error) {
    const problem: Problem =
      error instanceof StepError
        ? error.problem
        : error instanceof StoreUnavailable
          ? storeProblem(error)
          : { code: 'internal', detail: oneLine(String(error)), advice: adviceFor('internal') };
    return { source, status: 'failed', snapshot: null, conditions: 0, coverage: null, problem };
  }
}
