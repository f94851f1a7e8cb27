import { collectorOf } from '../collectors/registry.ts';
import type { SourceConfig } from '../config.ts';
import type { Attempt, CollectResult, Coverage, Problem } from '../model/snapshot.ts';
import { oneLine } from '../model/text.ts';
import { toIso } from '../model/time.ts';
import type { PushedPart } from '../readers/body.ts';
import { putAttempt } from '../store/attempts.ts';
import { type Lease, LeaseLost } from '../store/leases.ts';
import { appendSeries } from '../store/series.ts';
import { StoreUnavailable } from '../store/store.ts';
import type { Digest, DigestRequest } from './digest.ts';
import { adviceFor } from './advice.ts';
import { alone, type Observer, StepError, storeProblem } from './observer.ts';
import { makeSnapshot } from './snapshot.ts';

export interface CollectOptions {
  /** `?asOf=`: ms since the epoch. */
  asOf?: number;
  /** A pushed body instead of the configured inputs. */
  parts?: PushedPart[];
}

/**
 * Collects one source: digest → snapshot, facts and carry in one commit → attempt. Whatever happens, an attempt is
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
  const reply = await observer.digest(
    {
      source,
      location: config.location,
      options: config.options,
      cluster: observer.config.cluster,
      now: startedAt,
      ...(options.asOf !== undefined && { asOf: options.asOf }),
      handed: collector ? await observer.snapshots.carry(source, collector.carryVersion) : { state: 'none' },
      timezone: observer.config.timezone,
      nodeDomains: observer.config.node_domains,
      rules: observer.config.rules,
      ...(observer.mtime && { mtime: observer.mtime }),
      ...(options.parts && { parts: options.parts }),
    } satisfies DigestRequest,
    config.deadline,
  );
  if ('problem' in reply) return finish('failed', { problem: reply.problem, coverage: reply.coverage });
  try {
    const { digest } = reply;
    const snapshot = await commit(observer, source, collector?.carryVersion ?? 0, digest, startedAt, lease);
    return finish(digest.status, { snapshot: snapshot.id, conditions: snapshot.conditions.length, coverage: snapshot.coverage });
  } catch (error) {
    if (error instanceof LeaseLost) throw error;
    if (error instanceof StoreUnavailable) return finish('failed', { problem: storeProblem(error), coverage: reply.digest.coverage });
    const problem: Problem = {
      code: 'internal',
      detail: oneLine(`the snapshot could not be stored: ${error instanceof Error ? error.message : String(error)}`),
      advice: adviceFor('internal'),
    };
    return finish('failed', { problem, coverage: reply.digest.coverage });
  }
}

async function commit(observer: Observer, source: string, carryVersion: number, digest: Digest, collectedAt: number, lease: Lease) {
  const { collected } = digest;
  const snapshot = makeSnapshot({
    source,
    cluster: observer.config.cluster,
    id: await observer.snapshots.nextId(source, collectedAt),
    collectedAt,
    asOf: digest.asOf,
    asOfFrom: digest.asOfFrom,
    status: digest.status,
    coverage: digest.coverage,
    collected,
    rules: observer.config.rules,
  });
  const committed = await observer.snapshots.commit({
    snapshot,
    facts: digest.facts,
    carry: { version: carryVersion, text: digest.handOn },
    lease,
  });
  await appendSeries(observer.store, source, { at: committed.asOf, values: committed.series });
  return committed;
}

/** Collects several sources at once; one that fails never keeps the others. A busy one is a failed result here. */
export async function collectAll(observer: Observer, sources: readonly string[]): Promise<CollectResult[]> {
  const isLogs = (source: string): boolean => collectorOf(source)?.inputs.shape === 'logs';
  // Logs take longest: where few sources are digested at once, none of them should be left for the end.
  const begun = new Map(
    sources.toSorted((a, b) => Number(isLogs(b)) - Number(isLogs(a))).map((source) => [source, collectOrTell(observer, source)]),
  );
  return Promise.all(sources.map((source) => begun.get(source) as Promise<CollectResult>));
}

async function collectOrTell(observer: Observer, source: string): Promise<CollectResult> {
  try {
    return await collect(observer, source);
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
