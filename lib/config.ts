import { LineCounter, isMap, isScalar, parseDocument, type Document, visit } from 'yaml';
import * as z from 'zod';
import type { Collector } from './model/collector.ts';
import { canonicalJson, type JsonObject } from './model/json.ts';
import { sha256Hex } from './model/identity.ts';
import { Severity } from './model/condition.ts';
import { Duration, parseDuration } from './model/time.ts';

/** A mistake in a configuration or ground truth file, each named with its line. */
export class ConfigError extends Error {
  override name = 'ConfigError';
  readonly mistakes: readonly string[];
  constructor(mistakes: readonly string[]) {
    super(mistakes.join('\n'));
    this.mistakes = mistakes;
  }
}

const Paths = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]).transform((p) => (typeof p === 'string' ? [p] : p));
const Bytes = z
  .union([z.number().int().positive(), z.string().regex(/^\d+\s*(kB|MB|GB|KiB|MiB|GiB)$/, 'expected bytes, or a size such as 64MiB')])
  .transform((v) => (typeof v === 'number' ? v : parseBytes(v)));

function parseBytes(text: string): number {
  const m = /^(\d+)\s*([kKMG])(i?)B$/.exec(text) as RegExpExecArray;
  const base = m[3] ? 1024 : 1000;
  return Number(m[1]) * base ** ('KMG'.indexOf((m[2] as string).toUpperCase()) + 1);
}

/** An absolute http or https URL without credentials. */
const Url = z.url({ protocol: /^https?$/ }).refine((u) => {
  const { username, password } = new URL(u);
  return username === '' && password === '';
}, 'credentials belong in a token file, not in the URL');

/** Where the inputs of one source are. */
export const Location = z.strictObject({
  path: Paths.optional(),
  url: Url.optional(),
  token_file: z.string().optional(),
  ca_file: z.string().optional(),
  brokers: z.array(z.string().min(1)).min(1).optional(),
  topics: z.array(z.string().min(1)).min(1).optional(),
  tls: z.boolean().default(false),
  sasl: z
    .strictObject({ mechanism: z.enum(['plain', 'scram-sha-256', 'scram-sha-512']), username: z.string(), password_file: z.string() })
    .optional(),
  /** How much of a window is read from brokers; of more, the newest even share. */
  budget: z
    .strictObject({
      messages: z.number().int().positive().default(4_000_000),
      /** Of the values, unpacked. */
      bytes: Bytes.default(2 * 1024 * 1024 * 1024),
      time: Duration.default(60_000),
    })
    .prefault({}),
  /** Where the schemas of Avro messages are: files that are named by their ids, and a registry for all others. */
  avro: z
    .strictObject({
      schemas: Paths.optional(),
      registry: Url.optional(),
      token_file: z.string().optional(),
      ca_file: z.string().optional(),
    })
    .refine(({ schemas, registry }) => schemas !== undefined || registry !== undefined, 'give schemas, or registry, or both')
    .optional(),
  max_input: Bytes.default(64 * 1024 * 1024),
});
export type Location = z.infer<typeof Location> & { roles: Record<string, string[]> };

const SourceBase = Location.extend({
  push: z.boolean().default(false),
  max_age: Duration.optional(),
  deadline: Duration.default(120_000),
});

/** The configuration of one source, parsed. */
export interface SourceConfig {
  source: string;
  location: Location;
  push: boolean;
  /** Milliseconds. */
  maxAge: number;
  /** Milliseconds that one collect may take. */
  deadline: number;
  /** The collector's own options. */
  options: unknown;
}

const Model = z.strictObject({
  url: Url,
  name: z.string().min(1),
  api_key_file: z.string().optional(),
  timeout: Duration.default(120_000),
  max_turns: z.number().int().min(1).max(50).default(12),
  max_calls: z.number().int().min(1).max(200).default(40),
  max_tokens: z.number().int().min(500).max(1_000_000).default(60_000),
  context: z.number().int().min(2000).optional(),
  temperature: z.number().min(0).max(2).default(0),
});
export type ModelConfig = z.infer<typeof Model>;

const Notify = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('webhook'),
    url: Url,
    format: z.enum(['json', 'slack']).default('json'),
    token_file: z.string().optional(),
    repeat: Duration.default(parseDuration('24h')),
  }),
  z.strictObject({
    type: z.literal('alertmanager'),
    url: Url,
    token_file: z.string().optional(),
    /** Added to every alert, for the site's routes; ours win. */
    labels: z.record(z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_]*$/, 'expected a label of letters, digits and _'), z.string()).default({}),
    /** How long the heartbeat stands without being sent again: well over the time between two ticks. */
    heartbeat: Duration.default(parseDuration('20m')),
  }),
]);
export type NotifyConfig = z.infer<typeof Notify>;

const Rule = z.looseObject({ severity: Severity.optional(), runbook: Url.optional() });

const Root = z.strictObject({
  cluster: z.string().regex(/^[a-zA-Z0-9][a-zA-Z0-9._-]{0,62}$/, 'expected a short name of letters, digits, dots and dashes'),
  timezone: z.string().default('UTC').refine(isTimeZone, 'expected an IANA time zone such as America/Denver'),
  node_domains: z.array(z.string().min(1)).default([]),
  state: z
    .strictObject({
      root: z.string().min(1).optional(),
      driver: z.enum(['fs', 'memory', 'redis', 'r2']).default('fs'),
      url: z.string().optional(),
    })
    .prefault({}),
  reports: z.strictObject({ root: z.string().min(1).optional() }).prefault({}),
  ground_truth: z.string().min(1).optional(),
  /** A clock that stands still, for data that were generated or recorded; without it the clock is the real one. */
  clock: z.iso.datetime({ offset: true }).optional(),
  sources: z.record(z.string(), z.unknown()),
  rules: z.record(z.string(), Rule).default({}),
  model: Model.optional(),
  notify: z.array(Notify).default([]),
  server: z
    .strictObject({
      listen: z.string().default('127.0.0.1:8787'),
      socket: z.string().optional(),
      hosts: z.array(z.string()).default([]),
      token_file: z.string().optional(),
      max_body: Bytes.default(64 * 1024 * 1024),
      /** How long a client may take to send its headers, and its whole request. */
      headers_timeout: Duration.default(10_000),
      request_timeout: Duration.default(60_000),
      /** How long a server that stops waits for requests under way. */
      stop_timeout: Duration.default(25_000),
    })
    .prefault({}),
});

/** A whole configuration, parsed and checked. */
export interface Config extends Omit<z.infer<typeof Root>, 'sources' | 'rules'> {
  sources: Map<string, SourceConfig>;
  rules: Record<string, JsonObject & { severity?: Severity; runbook?: string }>;
  /** SHA-256 of the canonical form: what a recording names. */
  hash: string;
}

export interface ParseOptions {
  /** How mistakes name the text: a file's path, or a binding's name. */
  file: string;
  collectors: readonly Collector[];
  /** Makes a path of the configuration absolute; absent = `path` inputs are refused (at the edge). */
  resolvePath?: (path: string) => string;
}

/** The files of all tokens that the configuration names. */
export function tokenFilesOf({ sources, notify, model: endpoint, server }: Config): string[] {
  const files = [
    ...[...sources.values()].map(({ location }) => location.token_file),
    ...notify.map((sink) => sink.token_file),
    endpoint?.api_key_file,
    server.token_file,
  ];
  return [...new Set(files.filter((file) => file !== undefined))];
}

function isTimeZone(zone: string): boolean {
  // The list is there at once, while the first format costs a start tens of milliseconds; it leaves out older names.
  if (zone === 'UTC' || Intl.supportedValuesOf('timeZone').includes(zone)) return true;
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone }).format(0);
    return true;
  } catch {
    return false;
  }
}

/**
 * Parses a YAML configuration.
 * @throws ConfigError that lists every mistake as `file:line: key: what was expected`.
 */
export function parseConfig(text: string, options: ParseOptions): Config {
  const yaml = readYaml(text, options.file);
  const root = Root.safeParse(yaml.value);
  const mistakes: string[] = root.success ? [] : yaml.explain(root.error.issues);
  const rawSources = isRecord(yaml.value) && isRecord(yaml.value['sources']) ? yaml.value['sources'] : {};
  const sources = new Map<string, SourceConfig>();
  for (const [name, raw] of Object.entries(rawSources)) {
    const collector = options.collectors.find((c) => c.source === name);
    if (!collector) {
      const known = options.collectors.map((c) => c.source).join(', ');
      mistakes.push(...yaml.explain([{ path: ['sources', name], message: `no such source; known: ${known}` }]));
      continue;
    }
    const parsed = parseSource(collector, raw, options);
    if ('issues' in parsed)
      mistakes.push(...yaml.explain(parsed.issues.map((i) => ({ path: ['sources', name, ...i.path], message: i.message }))));
    else sources.set(name, parsed);
  }
  if (!root.success || mistakes.length > 0) throw new ConfigError(mistakes);
  const resolve = options.resolvePath ?? ((p: string) => p);
  const data = root.data;
  const pathsMade = {
    ...data,
    state: { ...data.state, ...(data.state.root && { root: resolve(data.state.root) }) },
    reports: { ...data.reports, ...(data.reports.root && { root: resolve(data.reports.root) }) },
    ...(data.ground_truth && { ground_truth: resolve(data.ground_truth) }),
    notify: data.notify.map((sink) => ({ ...sink, ...(sink.token_file && { token_file: resolve(sink.token_file) }) })),
  };
  return { ...pathsMade, rules: data.rules as Config['rules'], sources, hash: sha256Hex(canonicalJson(yaml.value)) };
}

interface Issue {
  path: PropertyKey[];
  message: string;
}

function parseSource(collector: Collector, raw: unknown, { resolvePath }: ParseOptions): SourceConfig | { issues: Issue[] } {
  if (!isRecord(raw)) return { issues: [{ path: [], message: 'expected a mapping such as { path: /mnt/… }' }] };
  const plan = collector.inputs;
  const roleNames = plan.roles ?? [];
  const base: Record<string, unknown> = {};
  const roles: Record<string, string[]> = {};
  const own: Record<string, unknown> = {};
  const issues: Issue[] = [];
  for (const [key, value] of Object.entries(raw)) {
    if (roleNames.includes(key)) {
      const paths = Paths.safeParse(value);
      if (paths.success) roles[key] = paths.data;
      else issues.push({ path: [key], message: 'expected a path or a list of paths' });
    } else if (Object.hasOwn(SourceBase.shape, key)) base[key] = value;
    else own[key] = value;
  }
  if (collector.options instanceof z.ZodObject) {
    const known = Object.keys(collector.options.shape);
    for (const key of Object.keys(own).filter((k) => !known.includes(k))) {
      issues.push({
        path: [key],
        message: `unknown key; ${collector.source} takes ${[...Object.keys(SourceBase.shape), ...roleNames, ...known].join(', ')}`,
      });
      delete own[key];
    }
  }
  const common = SourceBase.safeParse(base);
  const options = collector.options.safeParse(own);
  if (!common.success) issues.push(...common.error.issues);
  if (!options.success) issues.push(...options.error.issues);
  if (!common.success || !options.success) return { issues };
  const { push, max_age, deadline, ...location } = common.data;
  const places = [location.path ?? Object.values(roles)[0], location.url, location.brokers].filter((p) => p !== undefined);
  if (places.length > 1) issues.push({ path: [], message: 'give one of path (or single inputs), url, brokers' });
  if (places.length === 0 && !push)
    issues.push({
      path: [],
      message: `says nowhere what to read: give path${roleNames.length ? ` or ${roleNames.join(', ')}` : ''}${plan.endpoints ? ', or url' : ''}${plan.kafka ? ', or brokers and topics' : ''}, or push: true`,
    });
  if (location.url && !plan.endpoints) issues.push({ path: ['url'], message: `${collector.source} cannot be read over HTTP` });
  if (location.brokers && !(plan.kafka && location.topics))
    issues.push({ path: ['brokers'], message: plan.kafka ? 'brokers need topics' : `${collector.source} cannot be read from Kafka` });
  if (location.brokers && location.budget.time >= deadline)
    issues.push({ path: ['budget', 'time'], message: 'expected less than the deadline of the source, which ends everything' });
  if (location.avro && !plan.kafka) issues.push({ path: ['avro'], message: `${collector.source} has no Avro messages` });
  if (!resolvePath && location.avro?.schemas)
    issues.push({ path: ['avro', 'schemas'], message: 'files cannot be read here; use registry' });
  if (!resolvePath && (location.path || Object.keys(roles).length > 0))
    issues.push({ path: ['path'], message: 'files cannot be read here; use url or push: true' });
  if (issues.length > 0) return { issues };
  const resolve = resolvePath ?? ((p: string) => p);
  return {
    source: collector.source,
    location: {
      ...location,
      ...(location.path && { path: location.path.map(resolve) }),
      ...(location.token_file && { token_file: resolve(location.token_file) }),
      ...(location.ca_file && { ca_file: resolve(location.ca_file) }),
      ...(location.avro && { avro: resolved(location.avro, resolve) }),
      ...(location.sasl && { sasl: { ...location.sasl, password_file: resolve(location.sasl.password_file) } }),
      roles: Object.fromEntries(Object.entries(roles).map(([role, paths]) => [role, paths.map(resolve)])),
    },
    push,
    maxAge: max_age ?? parseDuration(collector.maxAge),
    deadline,
    options: options.data,
  };
}

function resolved(avro: NonNullable<Location['avro']>, resolve: (path: string) => string): NonNullable<Location['avro']> {
  return {
    ...avro,
    ...(avro.schemas && { schemas: avro.schemas.map(resolve) }),
    ...(avro.token_file && { token_file: resolve(avro.token_file) }),
    ...(avro.ca_file && { ca_file: resolve(avro.ca_file) }),
  };
}

/** A YAML text as a plain value, and a way to say where in it a zod issue lies. */
export function readYaml(text: string, file: string): { value: unknown; explain: (issues: readonly Issue[]) => string[] } {
  const { doc, lines } = parseYaml(text);
  if (doc.errors.length > 0) {
    throw new ConfigError(doc.errors.map((e) => `${file}:${lines.linePos(e.pos[0]).line}: ${e.message}`));
  }
  const explain = (issues: readonly Issue[]): string[] =>
    issues.map((issue) => `${file}:${lineOf(doc, issue.path, lines)}: ${issue.path.map(String).join('.') || 'the file'}: ${issue.message}`);
  // Aliases are bounded by the library (maxAliasCount), so that a small file cannot unfold into a huge one.
  return { value: doc.toJS({ maxAliasCount: 100 }) as unknown, explain };
}

/** The library compares each key with all before it: it is asked to only where a key is there twice, for its words. */
function parseYaml(text: string): { doc: Document; lines: LineCounter } {
  const parse = (uniqueKeys: boolean): { doc: Document; lines: LineCounter } => {
    const lines = new LineCounter();
    return { doc: parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys }), lines };
  };
  const parsed = parse(false);
  return parsed.doc.errors.length > 0 || hasKeyTwice(parsed.doc) ? parse(true) : parsed;
}

function hasKeyTwice(doc: Document): boolean {
  let isTwice = false;
  visit(doc, {
    Map: (_, { items }) => {
      const keys = new Set<unknown>();
      for (const { key } of items) keys.add(isScalar(key) ? key.value : key);
      isTwice ||= keys.size < items.length;
      return isTwice ? visit.BREAK : undefined;
    },
  });
  return isTwice;
}

/** The line of the deepest node on the path that exists. */
function lineOf(doc: Document, path: readonly PropertyKey[], lines: LineCounter): number {
  for (let depth = path.length; depth >= 0; depth--) {
    const parent = depth > 0 ? doc.getIn(path.slice(0, depth - 1), true) : undefined;
    const pair = isMap(parent) ? parent.items.find((item) => isScalar(item.key) && item.key.value === path[depth - 1]) : undefined;
    const node = (pair?.key ?? doc.getIn(path.slice(0, depth), true)) as { range?: [number, number, number] | null } | undefined;
    if (node?.range) return lines.linePos(node.range[0]).line;
  }
  return 1;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
