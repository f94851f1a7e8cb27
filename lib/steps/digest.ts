import * as z from 'zod';
import { collectorOf } from '../collectors/registry.ts';
import type { Location } from '../config.ts';
import { type Collected, type Collector, ReadError, type Schemas, UnusableInput } from '../model/collector.ts';
import { digestHex } from '../model/identity.ts';
import type { JsonObject } from '../model/json.ts';
import { oncePer } from '../model/once.ts';
import type { Coverage, CoverageInput, CoverageProblem, Problem, Snapshot } from '../model/snapshot.ts';
import { compareNames, oneLine } from '../model/text.ts';
import { parseDuration, toIso } from '../model/time.ts';
import { openParts, type PushedPart } from '../readers/body.ts';
import type { Opened, Readers } from '../readers/reader.ts';
import { packFacts, type PackedFacts } from '../store/shards.ts';
import type { Stands, StoredCarry } from '../store/snapshots.ts';
import { adviceFor, type Way, wayOf } from './advice.ts';
import { inputsKey, standsFor, stillStands } from './stands.ts';

/** Everything that one collect needs, as plain data: it crosses into a thread of its own. */
export interface DigestRequest {
  source: string;
  location: Location;
  options: unknown;
  cluster: string;
  now: number;
  asOf?: number;
  /** What the last run handed on: a {@link Handed} as JSON. */
  handed: StoredCarry;
  timezone: string;
  nodeDomains: readonly string[];
  rules: Readonly<Record<string, JsonObject>>;
  /** Takes the place of modification times. */
  mtime?: string;
  /** A pushed body instead of the configured inputs. */
  parts?: PushedPart[];
}

/** What one run hands on to the next. */
interface Handed {
  /** The form that the collector's part was written in, see {@link formOf}. */
  form?: string;
  /** Names of the inputs that earlier runs read, with the time since when each is missing (null = it was there). */
  known: Record<string, string | null>;
  /** The collector's own. */
  collector: unknown;
}

/** What a digest comes to. Facts and what is handed on are packed where they were made: only texts cross from its thread. */
export interface Digest {
  status: 'ok' | 'partial';
  coverage: Coverage;
  asOf: number;
  asOfFrom: Snapshot['asOfFrom'];
  collected: Omit<Collected<unknown>, 'facts' | 'carry'>;
  facts: PackedFacts;
  /** A {@link Handed} as JSON. */
  handOn: string;
  /** How long the same inputs come to the same. */
  stands?: Stands;
}

/** `as before`: the inputs are those of the latest snapshot, and would come to it again. */
export type DigestReply = { digest: Digest } | 'as before' | { problem: Problem; coverage: Coverage | null };

const MAX_LISTED_INPUTS = 200;
const MAX_PROBLEMS = 50;
/** A vanished input is missed for as long as this; then it counts as gone for good. */
const FORGET_AFTER = parseDuration('24h');
/** Rotation renames neighbours of a log; their going is no loss. */
const ROTATED = /[.-](\d{1,3}|\d{8}(-?\d{2,6})?)(\.(gz|xz|zst|bz2))?$/;

/** Opens the inputs of one source and digests them. Never throws: what goes wrong is a problem that names the place. */
export async function digest(request: DigestRequest, readers: Readers): Promise<DigestReply> {
  const collector = collectorOf(request.source);
  if (!collector)
    return {
      problem: { code: 'internal', detail: `there is no collector ${request.source}`, advice: 'This is a fault of the program.' },
      coverage: null,
    };
  let opened: Opened;
  try {
    opened = await open(collector, request, readers);
  } catch (error) {
    return { problem: problemOf(error, wayOf(request)), coverage: null };
  }
  try {
    const stands = request.handed.state === 'ok' ? request.handed.stands : undefined;
    if (stands && (await stillStands(stands, request, opened))) return 'as before';
    return await digestOpened(collector, request, opened, readers);
  } catch (error) {
    return { problem: problemOf(error, wayOf(request)), coverage: coverageOf(opened, null) };
  } finally {
    opened.close();
  }
}

async function open(collector: Collector, request: DigestRequest, readers: Readers): Promise<Opened> {
  const { location } = request;
  if (request.parts) return openParts(request.parts, collector.inputs.roles ?? []);
  const [way, reader] = location.url
    ? (['url', readers.url] as const)
    : location.brokers
      ? (['brokers', readers.brokers] as const)
      : (['path', readers.path] as const);
  if (!reader) throw new ReadError('unreadable', request.source, `${way} cannot be read on this platform`);
  return reader({
    location,
    plan: collector.inputs,
    now: request.now,
    options: request.options,
    ...(request.mtime && { mtime: request.mtime }),
  });
}

async function digestOpened(collector: Collector, request: DigestRequest, opened: Opened, readers: Readers): Promise<DigestReply> {
  const handed = await takeHanded(collector, request.handed);
  const known = noteMissing(request, handed.known, opened);
  if (opened.inputs.length === 0) {
    const first = opened.problems[0];
    const where = first?.input ?? [...(request.location.path ?? []), ...Object.values(request.location.roles).flat()].join(', ');
    return {
      problem: {
        code: codeOfInputs(opened.coverage),
        detail: first ? `${where} ${first.message}` : `${where} holds no file`,
        input: where,
        advice: adviceFor(codeOfInputs(opened.coverage), wayOf(request)),
      },
      coverage: coverageOf(opened, null),
    };
  }
  const schemas = await schemasOf(request.location, opened, readers);
  const { facts, carry, turns, ...collected } = await collector.collect(opened.inputs, {
    cluster: request.cluster,
    now: request.now,
    ...(request.asOf !== undefined && { asOf: request.asOf }),
    config: request.options,
    ...(handed.carry !== undefined && { carry: handed.carry }),
    ...(request.handed.state === 'ok' && { carriedAt: request.handed.at }),
    ...(schemas && { schemas }),
    timezone: request.timezone,
    nodeDomains: request.nodeDomains,
    rules: request.rules,
  });
  const coverage = coverageOf(opened, collected);
  if (handed.unreadable)
    coverage.problems.push({
      effect: 'note',
      message: 'what the last run handed on cannot be read by this version: collected as at first sight',
    });
  const partial = [...opened.problems, ...collected.coverage.problems].some((p) => p.effect === 'input');
  const { asOf, asOfFrom } = dateOf(collector, request, opened, collected);
  if (asOf > request.now + parseDuration('5m')) {
    collected.conditions.push({
      kind: 'clock_skew',
      subject: { type: 'source', id: request.source },
      message: `data of ${request.source} are dated ${toIso(asOf)}, ${Math.round((asOf - request.now) / 60_000)} minutes ahead of the observer's clock`,
      values: { ahead_ms: asOf - request.now },
    });
  }
  const handOn = JSON.stringify({ form: await formOf(collector), known, collector: carry ?? null } satisfies Handed);
  const stands = await standing(request, opened, handOn, { turns, asOf, asOfFrom, known });
  return {
    digest: {
      status: partial ? 'partial' : 'ok',
      coverage,
      asOf: asOf > request.now ? request.now : asOf,
      asOfFrom,
      collected,
      facts: await packFacts(facts ?? []),
      handOn,
      ...(stands && { stands }),
    },
  };
}

/**
 * How long an outcome stands, where it does: it led to the carry that it came from, nothing is missed, and it is dated by
 * what was read.
 */
async function standing(
  request: DigestRequest,
  opened: Opened,
  handOn: string,
  { turns, asOf, asOfFrom, known }: { turns: readonly number[] | undefined } & Pick<Digest, 'asOf' | 'asOfFrom'> & Pick<Handed, 'known'>,
): Promise<Stands | undefined> {
  if (turns === undefined || request.handed.state !== 'ok' || request.handed.text !== handOn) return undefined;
  if (asOf > request.now || asOfFrom === 'collected' || Object.values(known).some((since) => since !== null)) return undefined;
  const key = await inputsKey(request, opened);
  return key === null ? undefined : standsFor(key, request.now, turns);
}

async function schemasOf(location: Location, { problems }: Opened, readers: Readers): Promise<Schemas | undefined> {
  if (!location.avro) return undefined;
  if (readers.schemas) return readers.schemas(location, (problem) => problems.push(problem));
  problems.push({ effect: 'input', message: 'avro cannot be read on this platform' });
  return undefined;
}

/** What the last run handed on, as far as this version can read it. */
async function takeHanded(
  collector: Collector,
  stored: StoredCarry,
): Promise<{ known: Handed['known']; carry?: unknown; unreadable: boolean }> {
  if (stored.state !== 'ok') return { known: {}, unreadable: stored.state === 'unreadable' };
  // The store has held it against its SHA-256: it is what we wrote.
  const { form, known, collector: value } = JSON.parse(stored.text) as Handed;
  if (value === null) return { known, unreadable: false };
  // To hold 12,000 states against their schema takes as long as to go on from them.
  if (form === (await formOf(collector))) return { known, carry: value, unreadable: false };
  const parsed = collector.carry.safeParse(value);
  return parsed.success ? { known, carry: parsed.data, unreadable: false } : { known, unreadable: true };
}

/** Names the schema of a carry by all that it asks: what was written under the same one has its form. */
const formOf = oncePer(({ carry }: Collector) => digestHex(JSON.stringify(z.toJSONSchema(carry, { unrepresentable: 'any', io: 'input' }))));

/** asOf = time in the data, else the inputs' (oldest) modification, else `?asOf=`, else now. Logs were looked at now. */
function dateOf(
  collector: Collector,
  request: DigestRequest,
  opened: Opened,
  collected: Pick<Collected<unknown>, 'asOf'>,
): { asOf: number; asOfFrom: Snapshot['asOfFrom'] } {
  if (collected.asOf !== undefined && Number.isFinite(collected.asOf)) return { asOf: collected.asOf, asOfFrom: 'data' };
  const mtimes = opened.inputs.flatMap((i) => (i.mtime === undefined ? [] : [Date.parse(i.mtime)]));
  if (collector.inputs.shape === 'documents' && mtimes.length > 0)
    return { asOf: mtimes.reduce((a, b) => Math.min(a, b)), asOfFrom: 'mtime' };
  if (request.asOf !== undefined) return { asOf: request.asOf, asOfFrom: 'given' };
  return { asOf: request.now, asOfFrom: 'collected' };
}

/** Compares with what earlier runs read: an input that is gone makes the source partial. */
function noteMissing(request: DigestRequest, before: Handed['known'], opened: Opened): Handed['known'] {
  if (request.parts) return before;
  const present = new Set(opened.coverage.map((c) => c.name));
  const known = new Map<string, string | null>(opened.inputs.map((i) => [i.name, null]));
  for (const [name, since] of Object.entries(before)) {
    if (known.has(name) || ROTATED.test(name)) continue;
    if (since !== null && request.now - Date.parse(since) > FORGET_AFTER) continue;
    known.set(name, since ?? toIso(request.now));
    if (present.has(name)) continue;
    opened.coverage.push({ name, status: 'missing', bytes: 0 });
    opened.problems.push({ effect: 'input', input: name, message: 'was read before and is gone' });
  }
  return Object.fromEntries(known);
}

function coverageOf(opened: Opened, collected: Pick<Collected<unknown>, 'coverage'> | null): Coverage {
  const inputs = opened.coverage.map((c): CoverageInput => ({ ...c, name: oneLine(c.name, 253) }));
  const flawed = inputs.filter((c) => c.status !== 'ok');
  const listed =
    inputs.length <= MAX_LISTED_INPUTS ? inputs : [...flawed, ...inputs.filter((c) => c.status === 'ok')].slice(0, MAX_LISTED_INPUTS);
  const problems = [...opened.problems, ...(collected?.coverage.problems ?? [])].map(
    (p): CoverageProblem => ({ ...p, message: oneLine(p.message), ...(p.input !== undefined && { input: oneLine(p.input, 253) }) }),
  );
  const cut = problems.length - MAX_PROBLEMS;
  return {
    inputs: listed.toSorted((a, b) => compareNames(a.name, b.name)),
    inputsTotal: inputs.length,
    records: collected?.coverage.records ?? 0,
    rejected: collected?.coverage.rejected ?? 0,
    problems: cut > 0 ? [...problems.slice(0, MAX_PROBLEMS), { effect: 'note', message: `and ${cut} more problems` }] : problems,
    observed: collected?.coverage.observed ?? {},
  };
}

function codeOfInputs(inputs: readonly CoverageInput[]): Problem['code'] {
  const status = inputs.find((c) => c.status !== 'ok')?.status;
  return status === 'too_large' ? 'too_large' : status === 'unreadable' || status === 'changing' ? 'unreadable' : 'missing';
}

function problemOf(error: unknown, way: Way): Problem {
  if (error instanceof ReadError) {
    const code = error.code === 'changing' ? 'unreadable' : error.code;
    return { code, detail: `${error.input} ${error.message}`, input: error.input, advice: adviceFor(code, way) };
  }
  if (error instanceof UnusableInput) {
    return {
      code: 'invalid',
      detail: [error.input, error.place, error.message].filter((t) => t !== undefined).join(': '),
      ...(error.input !== undefined && { input: error.input }),
      ...(error.place !== undefined && { place: error.place }),
      advice: adviceFor('invalid', way),
    };
  }
  const fault = error instanceof Error ? error : new Error(String(error));
  return {
    code: 'internal',
    detail: oneLine(`${fault.name}: ${fault.message}`),
    place: oneLine(fault.stack?.split('\n')[1] ?? ''),
    advice: adviceFor('internal', way),
  };
}
