import { AuditLog } from '../audit/audit.ts';
import { collectorOf } from '../collectors/registry.ts';
import { type Config, type SourceConfig, tokenFilesOf } from '../config.ts';
import { abortAfter } from '../deadline.ts';
import { lintGroundTruth } from '../findings/lint.ts';
import { probeEndpoint } from '../harness/probe.ts';
import type { Profile } from '../harness/profile.ts';
import { reasoner } from '../harness/reasoner.ts';
import type { Check } from '../model/check.ts';
import { oneLine } from '../model/text.ts';
import { formatDuration, fromTimeId, parseDuration, toIso } from '../model/time.ts';
import { memoryDriver } from '../store/drivers/memory.ts';
import { Leases } from '../store/leases.ts';
import { Snapshots } from '../store/snapshots.ts';
import { Store } from '../store/store.ts';
import { collect } from './collect.ts';
import { digest } from './digest.ts';
import type { Observer } from './observer.ts';
import { writeProfile } from './profiles.ts';
import { tick } from './tick.ts';

/** What `doctor` looked at, by area; healthy = nothing failed. */
export interface Diagnosis {
  healthy: boolean;
  areas: { area: string; checks: Check[] }[];
  /** What is known of the model's endpoint now. */
  profile: Profile | null;
}

/**
 * Looks at everything that a tick depends on, without one: permissions, clock, ground truth, each source read and thrown away,
 * the model's endpoint, and a fault that is seeded, found and reported end to end. What it learns of the endpoint is kept.
 */
export async function doctor(observer: Observer): Promise<Diagnosis> {
  const permissions = [...(await storesWork(observer)), ...((await observer.permissions?.()) ?? []), ...(await secretsCanBeRead(observer))];
  const sources = await drySources(observer);
  const { checks, profile } = await model(observer);
  const areas = [
    { area: 'permissions', checks: permissions },
    { area: 'clock', checks: await clock(observer, sources) },
    { area: 'ground truth', checks: await groundTruth(observer) },
    { area: 'sources', checks: sources.map((s) => s.check) },
    { area: 'model', checks },
    { area: 'end to end', checks: [await seededFault(observer)] },
  ];
  return { healthy: areas.every((a) => a.checks.every((c) => c.status !== 'failed')), areas, profile };
}

const failed = (name: string, error: unknown, advice: string): Check => ({
  name,
  status: 'failed',
  detail: oneLine(error instanceof Error ? error.message : String(error), 400),
  advice,
});

/** Writes, reads and removes a key in each root. */
async function storesWork({ store, reports }: Observer): Promise<Check[]> {
  const works = async (name: string, root: Store): Promise<Check> => {
    const key = `doctor/${crypto.randomUUID()}`;
    try {
      await root.putText(key, 'written by doctor');
      const text = await root.getText(key);
      await root.remove(key);
      if (text !== 'written by doctor') throw new Error('what was written is not what is read');
      return { name, status: 'ok', detail: 'can be written, read and removed' };
    } catch (error) {
      return failed(name, error, 'Give the user that runs the observer a directory of its own there, on a local disk.');
    }
  };
  return [await works('state', store), await works('reports', reports)];
}

/** Every token is read, and not shown. */
async function secretsCanBeRead({ config, secret }: Observer): Promise<Check[]> {
  return Promise.all(
    tokenFilesOf(config).map(async (file): Promise<Check> => {
      const name = `token ${file}`;
      try {
        if ((await secret(file)).trim() === '') throw new Error('holds nothing');
        return { name, status: 'ok', detail: 'can be read' };
      } catch (error) {
        return failed(name, error, 'Let the observer read it, and nobody else.');
      }
    }),
  );
}

interface Dry {
  check: Check;
  /** How far the data is dated ahead of the clock, ms. */
  ahead: number;
}

/** Reads each source as a collect would, and throws away what it gives. */
async function drySources(observer: Observer): Promise<Dry[]> {
  return Promise.all([...observer.config.sources.values()].map((config) => drySource(observer, config)));
}

async function drySource(observer: Observer, config: SourceConfig): Promise<Dry> {
  const { source, location, options, deadline } = config;
  const { cluster, timezone, node_domains: nodeDomains, rules } = observer.config;
  const now = observer.clock();
  if (!location.path && !location.url && !location.brokers && Object.keys(location.roles).length === 0) {
    return { check: { name: source, status: 'skipped', detail: 'is pushed: nothing to read from here' }, ahead: 0 };
  }
  const reply = await observer
    .digest(
      {
        source,
        location,
        options,
        cluster,
        now,
        timezone,
        nodeDomains,
        rules,
        handed: { state: 'none' },
        ...(observer.mtime && { mtime: observer.mtime }),
      },
      deadline,
    )
    .catch((error: unknown) => ({ problem: { detail: String(error), advice: '' } }));
  if (reply === 'as before') throw new TypeError(`${source} was digested without anything before`);
  if ('problem' in reply) return { check: failed(source, reply.problem.detail, reply.problem.advice), ahead: 0 };
  const { status, coverage, asOf, collected } = reply.digest;
  const age = now - asOf;
  const flaws = coverage.problems.filter((p) => p.effect === 'input');
  const seen = `${coverage.records} records from ${coverage.inputsTotal} inputs, of ${formatDuration(Math.max(0, age))} ago; ${collected.conditions.length} conditions`;
  const ahead = collected.conditions
    .filter((c) => c.kind === 'clock_skew' && c.subject.type === 'source')
    .map((c) => Number(c.values?.['ahead_ms'] ?? 0))[0];
  const check = ((): Check => {
    if (status === 'partial') {
      const detail = `${seen}; ${flaws.map((p) => [p.input, p.message].filter(Boolean).join(': ')).join('; ')}`;
      return {
        name: source,
        status: 'warning',
        detail: oneLine(detail, 600),
        advice: 'What is named is missing, unreadable, cut or over its budget.',
      };
    }
    if (age > config.maxAge)
      return {
        name: source,
        status: 'warning',
        detail: `${seen}: older than its max_age of ${formatDuration(config.maxAge)}`,
        advice: 'Look at the job that writes it.',
      };
    return { name: source, status: 'ok', detail: `${seen}${coverage.rejected > 0 ? `; ${coverage.rejected} records rejected` : ''}` };
  })();
  return { check, ahead: ahead ?? 0 };
}

/** A clock before this is one that was never set. */
const BUILT = Date.parse('2026-01-01T00:00:00Z');

async function clock(observer: Observer, sources: readonly Dry[]): Promise<Check[]> {
  const now = observer.clock();
  const advice = 'Synchronise the clocks: ages, and what is new or resolved, go by them.';
  const checks: Check[] = [];
  if (now < BUILT) checks.push({ name: 'clock', status: 'failed', detail: `it is ${toIso(now)} here: the clock was never set`, advice });
  for (const { check, ahead } of sources)
    if (ahead > 0)
      checks.push({
        name: check.name,
        status: 'warning',
        detail: `its data is dated ${formatDuration(ahead)} ahead of this clock`,
        advice,
      });
  const ticks = await observer.store.list('findings/states').catch(() => []);
  const last = ticks.at(-1)?.split('/').at(-1);
  if (last !== undefined && fromTimeId(last) > now + parseDuration('1m')) {
    checks.push({
      name: 'last tick',
      status: 'warning',
      detail: `it is of ${toIso(fromTimeId(last))}, after now: the clock was set back`,
      advice,
    });
  }
  return checks.length > 0 ? checks : [{ name: 'clock', status: 'ok', detail: `${toIso(now)}; no source and no tick is ahead of it` }];
}

async function groundTruth(observer: Observer): Promise<Check[]> {
  const name = 'ground truth';
  try {
    const written = await observer.groundTruth();
    if (!written) return [{ name, status: 'skipped', detail: 'none is configured: no node is missed, and nothing is known to be down' }];
    const mistakes = lintGroundTruth(written.text, {
      file: written.file,
      now: observer.clock(),
      nodeDomains: observer.config.node_domains,
    });
    if (mistakes.length === 0) return [{ name, status: 'ok', detail: `${written.file} says nothing that is wrong` }];
    const detail = oneLine(mistakes.slice(0, 5).join('; '), 600);
    return [
      {
        name,
        status: 'warning',
        detail: mistakes.length > 5 ? `${detail}; and ${mistakes.length - 5} more` : detail,
        advice: 'See hpc-observer lint.',
      },
    ];
  } catch (error) {
    return [failed(name, error, 'Let the observer read the file that ground_truth names.')];
  }
}

async function model(observer: Observer): Promise<{ checks: Check[]; profile: Profile | null }> {
  const { model: client, config, store } = observer;
  if (!client)
    return { checks: [{ name: 'model', status: 'skipped', detail: 'none is configured: the deterministic report alone' }], profile: null };
  if (client.label.startsWith('mock '))
    return { checks: [{ name: 'model', status: 'skipped', detail: `${client.label}: there is no endpoint to ask` }], profile: null };
  const { checks, profile } = await probeEndpoint({
    client,
    clock: Date.now,
    context: config.model?.context ?? null,
    signal: abortAfter(config.model?.timeout ?? parseDuration('2m')),
  });
  try {
    if (profile) await writeProfile(store, profile);
  } catch (error) {
    checks.push(failed('profile', error, 'It is kept in the state root.'));
  }
  return { checks, profile };
}

const SOURCE = 'pbs_state';

/** One node that is down beside one that is well, taken the whole way, in memory: from the scheduler's document to the report. */
async function seededFault(observer: Observer): Promise<Check> {
  const name = 'seeded fault';
  const advice = 'This is a fault of the program or of its installation.';
  try {
    const own = apart(observer);
    const collected = await collect(own, SOURCE, {
      parts: [{ name: 'pbsnodes.json', bytes: new TextEncoder().encode(seeded(own.clock())) }],
    });
    if (collected.problem) throw new Error(collected.problem.detail);
    const { findings, verdict, assessment } = await tick(own);
    const down = findings.find((f) => f.subject.id === 'doctor-2' && f.severity !== 'info');
    const well = findings.filter((f) => f.subject.id === 'doctor-1');
    if (!down || well.length > 0)
      throw new Error(
        `of a node that is down and one that is well, the report holds ${findings.map((f) => `${f.kind} on ${f.subject.id}`).join(', ') || 'nothing'}`,
      );
    if (assessment.status !== 'ok') throw new Error(`the mock model's assessment is ${assessment.status}: ${assessment.reason}`);
    return {
      name,
      status: 'ok',
      detail: `${down.kind} on ${down.subject.id} was collected, judged, assessed by the mock model and reported: ${verdict}`,
    };
  } catch (error) {
    return failed(name, error, advice);
  }
}

function seeded(now: number): string {
  const node = (name: string, state: string): object => ({
    Mom: name,
    ntype: 'PBS',
    state,
    resources_available: { host: name, vnode: name, ncpus: 8 },
    last_state_change_time: Math.floor(now / 1000) - 60,
  });
  return JSON.stringify({
    timestamp: Math.floor(now / 1000),
    pbs_version: '2022.1.7',
    pbs_server: 'doctor',
    nodes: { 'doctor-1': node('doctor-1', 'free'), 'doctor-2': node('doctor-2', 'down') },
  });
}

/** An observer of one pushed source, over memory, that tells nobody and asks the mock model. */
function apart(observer: Observer): Observer {
  const store = new Store(memoryDriver());
  const now = observer.clock();
  const still = (): number => now;
  const { model: _, ground_truth: __, ...rest } = observer.config;
  const collector = collectorOf(SOURCE);
  const source: SourceConfig = {
    source: SOURCE,
    location: { tls: false, budget: { messages: 1, bytes: 1, time: 1 }, max_input: 1_000_000, roles: {} },
    push: true,
    maxAge: parseDuration('15m'),
    deadline: 60_000,
    options: collector?.options.parse({}),
  };
  const config: Config = { ...rest, cluster: 'doctor', notify: [], rules: {}, sources: new Map([[SOURCE, source]]) };
  return {
    ...observer,
    config,
    store,
    reports: new Store(memoryDriver()),
    snapshots: new Snapshots(store),
    leases: new Leases(store, { now: still, owner: 'doctor' }),
    clock: still,
    audit: new AuditLog(store, { writer: 'doctor', now: still }),
    digest: (request) => digest(request, {}),
    groundTruth: async () => null,
    model: reasoner,
    send: null,
  };
}
