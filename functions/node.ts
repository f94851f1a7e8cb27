import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { availableParallelism, hostname, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AuditLog } from '../lib/audit/audit.ts';
import type { Driver } from 'unstorage';
import type { CommonFlags } from '../lib/cli/session.ts';
import { collectors } from '../lib/collectors/registry.ts';
import { type Config, ConfigError, parseConfig } from '../lib/config.ts';
import type { ModelClient } from '../lib/harness/client.ts';
import type { Log, Observer } from '../lib/steps/observer.ts';
import { DigestThreads } from '../lib/steps/thread.ts';
import { atomicFsDriver } from '../lib/store/drivers/atomic-fs.ts';
import { memoryDriver } from '../lib/store/drivers/memory.ts';
import { Leases } from '../lib/store/leases.ts';
import { Snapshots } from '../lib/store/snapshots.ts';
import { Store } from '../lib/store/store.ts';
import { VERSION } from '../lib/version.ts';
import { permissionsOf } from './permissions.ts';

/** The clock of both bundled days, and how far each tick moves it. */
const DEMO_NOW = Date.parse('2026-11-30T08:45:00Z');
const DEMO_STEP = 5 * 60_000;

/** Sources in the order of the registry. */
export const SOURCES: readonly string[] = collectors.map((c) => c.source);

export interface NodeObserver {
  observer: Observer;
  threads: DigestThreads;
  /** Where its clock stands; absent = it is the system's. */
  standing?: number;
  dispose: () => Promise<void>;
}

/**
 * The observer of the Node entries: configuration from a file, state on disk, collects in threads.
 * @throws ConfigError for anything about the configuration, flags and environment
 */
export async function nodeObserver(flags: CommonFlags, env: Record<string, string | undefined>, log: Log): Promise<NodeObserver> {
  return observerOf(withFlags(loadConfig(flags, env), flags, env), flags, env, log);
}

/**
 * As {@link nodeObserver}, for a configuration that is read already.
 * @param as.clock where the clock stands; absent = as configuration and flags say
 * @param as.writer what tells its audit entries from those of other threads of the process
 */
export async function observerOf(
  config: Config,
  flags: CommonFlags,
  env: Record<string, string | undefined>,
  log: Log,
  as: { clock?: number | undefined; writer?: string } = {},
): Promise<NodeObserver> {
  const stateRoot = config.state.root;
  if (config.state.driver === 'fs' && !stateRoot)
    throw new ConfigError(['state.root is set nowhere: give it in the configuration, or --state-root']);
  const store = new Store(await stateDriver(config, stateRoot, 'state'));
  const reportRoot = config.reports.root ?? (stateRoot && join(stateRoot, 'reports'));
  const reports = new Store(reportRoot ? atomicFsDriver(reportRoot) : await stateDriver(config, undefined, 'reports'));
  const standing = as.clock ?? (flags.demo ? await demoClock(store) : standingClock(flags.clock ?? config.clock));
  const clock = standing === undefined ? Date.now : () => standing;
  // The compiled body runs beside this file; under a test runner that reads the sources, it is the built one.
  const body = new URL(
    import.meta.url.endsWith('.ts') ? '../dist/lib/steps/thread-body.js' : '../lib/steps/thread-body.js',
    import.meta.url,
  );
  const threads = new DigestThreads(body, Math.max(2, availableParallelism()));
  const truth = config.ground_truth;
  const chosen = await chooseModel(config, flags, env);
  const observer: Observer = {
    version: VERSION,
    config: chosen.model ? { ...config, model: chosen.model } : config,
    store,
    reports,
    snapshots: new Snapshots(store),
    leases: new Leases(store, { now: clock, owner: ownName(), ownerIsGone }),
    clock,
    log,
    audit: new AuditLog(store, { writer: `by-hand-${ownName()}${as.writer === undefined ? '' : `/${as.writer}`}`, now: clock }),
    digest: (request, deadline) => threads.run(request, deadline),
    ...(flags.demo && { mtime: new Date(DEMO_NOW - DEMO_STEP).toISOString() }),
    groundTruth: async () => (truth ? { file: truth, text: await readFile(truth, 'utf8') } : null),
    model: chosen.client,
    send: flags.notify === false ? null : fetch,
    secret: (path) => readFile(path, 'utf8'),
    tokens: () => readTokens(config, env),
    permissions: () => permissionsOf(config, env),
  };
  return {
    observer,
    threads,
    ...(standing !== undefined && { standing }),
    dispose: async () => {
      await chosen.close();
      await store.dispose();
      await reports.dispose();
    },
  };
}

/** The driver that the configuration names; what is not installed or not of this platform is refused with the reason. */
async function stateDriver({ cluster, state }: Config, root: string | undefined, part: 'state' | 'reports'): Promise<Driver> {
  if (state.driver === 'fs' && root !== undefined) return atomicFsDriver(root);
  if (state.driver === 'memory' || state.driver === 'fs') return memoryDriver();
  if (state.driver !== 'redis') throw new ConfigError([`state.driver ${state.driver} is of edge runtimes; use fs, redis or memory here`]);
  if (!state.url) throw new ConfigError(['state.url is missing: state.driver redis needs redis://host:port/db']);
  try {
    const { conditionalRedisDriver } = await import('../lib/store/drivers/redis.ts');
    return await conditionalRedisDriver(state.url, `hpc-observer:${cluster}:${part}`);
  } catch (error) {
    throw new ConfigError([
      `state.driver redis needs the package ioredis: npm install ioredis (${(error as Error).message.split('\n')[0]})`,
    ]);
  }
}

function loadConfig(flags: CommonFlags, env: Record<string, string | undefined>): Config {
  const file = flags.demo
    ? join(packageRoot(), 'fixtures', 'democluster', flags.demo, 'config.yaml')
    : (flags.config ?? env['OBSERVER_CONFIG']);
  if (!file) throw new ConfigError(['no configuration: give --config FILE, set OBSERVER_CONFIG, or try --demo']);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError([`${file}: cannot be read (${(error as NodeJS.ErrnoException).code})`]);
  }
  const folder = dirname(resolve(file));
  return parseConfig(text, { file, collectors, resolvePath: (path) => resolve(folder, path) });
}

/** Flags win over the environment, the environment over the file. */
function withFlags(config: Config, flags: CommonFlags, env: Record<string, string | undefined>): Config {
  const stateRoot =
    flags.stateRoot ??
    env['OBSERVER_STATE_ROOT'] ??
    config.state.root ??
    (flags.demo ? mkdtempSync(join(tmpdir(), 'hpc-observer-')) : undefined);
  const reportRoot = flags.reportRoot ?? env['OBSERVER_REPORT_ROOT'] ?? config.reports.root;
  const url = flags.modelUrl ?? env['OBSERVER_MODEL_URL'] ?? config.model?.url;
  const name = flags.modelName ?? env['OBSERVER_MODEL_NAME'] ?? config.model?.name;
  if ((url === undefined) !== (name === undefined)) throw new ConfigError(['a model needs both: --model-url and --model-name']);
  if (url !== undefined && !/^https?:\/\/[^@\s]+$/.test(url))
    throw new ConfigError([`--model-url ${url}: expected an http or https URL without credentials`]);
  const { model: _, ...rest } = config;
  return {
    ...rest,
    state: { ...config.state, ...(stateRoot !== undefined && { root: resolve(stateRoot), driver: 'fs' as const }) },
    reports: reportRoot === undefined ? {} : { root: resolve(reportRoot) },
    ...(url !== undefined && name !== undefined && { model: { ...MODEL_DEFAULTS, ...config.model, url, name } }),
  };
}

const MODEL_DEFAULTS = { timeout: 120_000, max_turns: 12, max_calls: 40, max_tokens: 60_000, temperature: 0 };

interface Chosen {
  client: ModelClient | null;
  /** Where it is another than the configured one. */
  model?: Config['model'];
  close: () => Promise<void>;
}

async function chooseModel(config: Config, flags: CommonFlags, env: Record<string, string | undefined>): Promise<Chosen> {
  const close = async (): Promise<void> => undefined;
  if (flags.model === false) return { client: null, close };
  if (flags.mock !== undefined) {
    const { MOCK_NAMES, mockClient } = await import('../lib/harness/mocks.ts');
    const inProcess = mockClient(flags.mock);
    if (inProcess) return { client: inProcess, close };
    const { startMock } = await import('../lib/harness/mocks/server.ts');
    const mock = await startMock(flags.mock);
    if (!mock) throw new ConfigError([`--mock ${flags.mock}: no such mock; there are: ${MOCK_NAMES.join(', ')}`]);
    return { client: mock.client, model: mock.config, close: mock.close };
  }
  if (!config.model) return { client: null, close };
  const keyFile = config.model.api_key_file;
  const key = async (): Promise<string | undefined> =>
    env['OBSERVER_MODEL_KEY'] ?? (keyFile ? (await readFile(keyFile, 'utf8')).trim() : undefined);
  const { openaiClient } = await import('../lib/harness/openai.ts');
  return { client: openaiClient(config.model, key), close };
}

/** One token a line, read anew each time, so that a rotation needs no restart. */
async function readTokens(config: Config, env: Record<string, string | undefined>): Promise<string[]> {
  const own = env['OBSERVER_TOKEN'];
  const file = config.server.token_file;
  if (!file) return own ? [own] : [];
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new ConfigError([`server.token_file ${file} cannot be read (${error.code})`]);
  });
  const lines = text.split('\n').map((line) => line.trim());
  const tokens = [...(own ? [own] : []), ...lines.filter((line) => line !== '' && !line.startsWith('#'))];
  // None would mean that anybody may; a file that is being rewritten must not open the door.
  if (tokens.length === 0) throw new ConfigError([`server.token_file ${file} holds no token`]);
  return tokens;
}

async function demoClock(store: Store): Promise<number> {
  return DEMO_NOW + DEMO_STEP * (await store.list('findings/states')).length;
}

/** @throws ConfigError */
function standingClock(time: string | undefined): number | undefined {
  if (time === undefined) return undefined;
  const now = Date.parse(time);
  if (!Number.isFinite(now)) throw new ConfigError([`--clock ${time}: expected a time such as 2026-11-30T08:45:00Z`]);
  return now;
}

/** The checkout's or the installed package's root: where package.json is. */
export function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return folder;
}

/** Host, process and its start time: enough to tell a holder that was killed from one that works on. */
function ownName(): string {
  return `${hostname()}/${process.pid}/${startTime(process.pid) ?? 'unknown'}`;
}

function ownerIsGone(owner: string): boolean {
  const [host, pid, started] = owner.split('/');
  if (host !== hostname() || started === 'unknown' || !existsSync('/proc/self/stat')) return false;
  return startTime(Number(pid)) !== started;
}

function startTime(pid: number): string | null {
  try {
    // The command's name stands in parentheses and may hold anything; the start time is the 20th field behind it.
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}
