import type { R2Bucket } from '@cloudflare/workers-types';
import { AuditLog } from '../lib/audit/audit.ts';
import { collectors } from '../lib/collectors/registry.ts';
import { ConfigError, parseConfig } from '../lib/config.ts';
import { openaiClient } from '../lib/harness/openai.ts';
import { toIso } from '../lib/model/time.ts';
import { fetchGet } from '../lib/readers/fetch-get.ts';
import { httpReader } from '../lib/readers/http.ts';
import { digest } from '../lib/steps/digest.ts';
import type { Log, Observer } from '../lib/steps/observer.ts';
import { r2Driver } from '../lib/store/drivers/r2.ts';
import { Leases } from '../lib/store/leases.ts';
import { Snapshots } from '../lib/store/snapshots.ts';
import { Store } from '../lib/store/store.ts';
import { VERSION } from '../lib/version.ts';

/** What an edge deployment binds: the configuration as text, a bucket each for state and reports, secrets. */
export interface EdgeBindings {
  OBSERVER_CONFIG?: string;
  OBSERVER_FLEET?: string;
  OBSERVER_TOKEN?: string;
  OBSERVER_MODEL_URL?: string;
  OBSERVER_MODEL_NAME?: string;
  OBSERVER_MODEL_KEY?: string;
  STATE?: R2Bucket;
  REPORTS?: R2Bucket;
}

/** At the edge, `token_file` names the binding that holds the token. */
function secretOf(env: EdgeBindings, binding: string): string {
  const value = Object.hasOwn(env, binding) ? (env as Record<string, unknown>)[binding] : undefined;
  if (typeof value !== 'string') throw new Error(`no binding ${binding}`);
  return value;
}

const log: Log = (level, event, fields = {}) => console.log(JSON.stringify({ time: toIso(Date.now()), level, event, ...fields }));

/**
 * The observer of an edge runtime: sources are pushed or read over HTTP, collects run inline, state lies in R2.
 * @throws ConfigError where a binding is missing or the configuration is wrong
 */
export function edgeObserver(env: EdgeBindings): Observer {
  const { STATE, REPORTS, OBSERVER_CONFIG } = env;
  const tokens = (env.OBSERVER_TOKEN ?? '').split(/\s+/).filter((t) => t !== '');
  // The whole internet is a client here: without a token nothing may be set off.
  const missing = Object.entries({ OBSERVER_CONFIG, OBSERVER_TOKEN: tokens[0], STATE, REPORTS }).flatMap(([name, value]) =>
    value ? [] : [`binding ${name} is missing`],
  );
  if (!STATE || !REPORTS || !OBSERVER_CONFIG) throw new ConfigError(missing);
  const config = parseConfig(OBSERVER_CONFIG, { file: 'OBSERVER_CONFIG', collectors });
  const store = new Store(r2Driver(STATE));
  const owner = `edge/${crypto.randomUUID()}`;
  const url = env.OBSERVER_MODEL_URL ?? config.model?.url;
  const name = env.OBSERVER_MODEL_NAME ?? config.model?.name;
  const model = config.model && url && name ? openaiClient({ ...config.model, url, name }, async () => env.OBSERVER_MODEL_KEY) : null;
  return {
    version: VERSION,
    config,
    store,
    reports: new Store(r2Driver(REPORTS)),
    snapshots: new Snapshots(store),
    leases: new Leases(store, { now: Date.now, owner }),
    clock: Date.now,
    log,
    audit: new AuditLog(store, { writer: `by-hand-${owner}`, now: Date.now }),
    digest: (request) => digest(request, { url: httpReader(fetchGet, (binding) => secretOf(env, binding)) }),
    groundTruth: async () => (env.OBSERVER_FLEET ? { file: 'OBSERVER_FLEET', text: env.OBSERVER_FLEET } : null),
    model,
    send: (input, init) => fetch(input, init),
    secret: async (binding) => secretOf(env, binding),
    tokens: async () => tokens,
  };
}
