import * as z from 'zod';
import { fold } from '../../nodeset.ts';
import { type Collected, type CollectContext, defineCollector, type Input, UnusableInput } from '../../model/collector.ts';
import type { ConditionDraft, Place, Subject } from '../../model/condition.ts';
import type { JsonObject } from '../../model/json.ts';
import type { CoverageProblem } from '../../model/snapshot.ts';
import { compareNames } from '../../model/text.ts';
import { Duration, parseDuration } from '../../model/time.ts';
import { hardwareText } from '../../model/facts.ts';
import { text } from '../oneview/fields.ts';
import { gather, type Gathered, listProblems, readingTime } from '../oneview/gather.ts';
import { AUTH, VERSION } from '../oneview/request.ts';
import type { Resource } from '../oneview/resource.ts';
import { serverConditions } from './conditions.ts';
import { type Frames, placeOf, serverFacts } from './facts.ts';
import { firmwareConditions, groupFirmware, groupKey } from './firmware.ts';
import { type Enclosure, enclosureConditions, rackOf, readEnclosure } from './frames.ts';
import { kinds } from './kinds.ts';
import { readServer, type Server } from './server.ts';
import { serialConditions, sharedSerials } from './serials.ts';
import { summarise } from './summary.ts';

const Options = z.object({});
type Options = z.infer<typeof Options>;

/** What the last whole inventory held servers to, for runs that see only a part of it. */
const Carry = z.object({
  expected: z.array(z.tuple([z.string(), z.string()])),
  shared: z.array(z.object({ key: z.string(), names: z.array(z.string()) })),
});
type Carry = z.infer<typeof Carry>;

const MAX_CARRIED = 200;
const DEFAULT_SHARE = 0.75;

const WANTED = {
  main: 'server-hardware',
  beside: ['enclosures', 'racks', 'server-profiles'],
  nothing: 'no server of OneView is in the input',
} as const;

/**
 * HPE OneView's server hardware: pages of `GET /rest/server-hardware` as one file or a folder of them, `{members}`
 * envelopes, bare arrays, single resources, messages of the bus; beside them enclosures, racks and server profiles,
 * which give places, redundancy and names. Formats: HPE OneView REST API and HPE's published mock-ups.
 */
export const oneviewInventory = defineCollector<Options, Carry>({
  source: 'oneview_inventory',
  title: 'HPE OneView: servers, their hardware state, power, firmware and identity',
  maxAge: '24h',
  inputs: {
    shape: 'documents',
    endpoints: [
      { role: 'servers', path: '/rest/server-hardware?start=0&count=100&sort=name:asc', paging: 'oneview' },
      { role: 'enclosures', path: '/rest/enclosures?start=0&count=50', paging: 'oneview', optional: true },
      { role: 'racks', path: '/rest/racks?start=0&count=50', paging: 'oneview', optional: true },
    ],
    auth: AUTH,
    version: VERSION,
  },
  options: Options,
  carryVersion: 1,
  carry: Carry,
  kinds,
  collect,
});

async function collect(inputs: readonly Input[], context: CollectContext<Options, Carry>): Promise<Collected<Carry>> {
  const gathered = await gather(inputs, WANTED);
  const rejected = [...gathered.rejected];
  const servers = readAll(gathered, 'server-hardware', rejected, (r) => readServer(r, context.nodeDomains));
  const enclosures = readAll(gathered, 'enclosures', rejected, (r) => readEnclosure(r, context.nodeDomains));
  const racks = gathered.resources.get('racks') ?? [];
  if (servers.length === 0 && enclosures.length === 0 && racks.length === 0) throw noServers(rejected, gathered);

  const frames: Frames = {
    enclosures: new Map(enclosures.flatMap((e) => (e.uri === null ? [] : [[e.uri, e.subject.id] as const]))),
    racks: rackOf(racks),
  };
  const places = new Map(servers.map((server) => [server, placeOf(server, frames)]));
  const whereIs = (server: Server): Place | undefined => places.get(server);
  const before = isWhole(gathered) ? undefined : context.carry;
  const groups = groupFirmware(servers, shareOf(context), new Map(before?.expected));
  const shared = sharedSerials(servers, before?.shared ?? []);
  const { at, byClock } = readingTime(inputs, context, gathered.newestEvent);
  const limits = { at, refreshAfter: refreshLimit(context) };
  const conditions: ConditionDraft[] = [
    ...servers.flatMap((server) => serverConditions(server, whereIs(server), limits)),
    ...firmwareConditions(groups, whereIs),
    ...serialConditions(servers, shared, whereIs),
    ...enclosures.flatMap((enclosure) => enclosureConditions(enclosure, rackPlace(enclosure, frames))),
  ];
  const now: Carry = {
    expected: groups
      .flatMap((g) => (g.expected === null ? [] : [[groupKey(g.component, g.model), g.expected] as [string, string]]))
      .slice(0, MAX_CARRIED),
    shared: shared.slice(0, MAX_CARRIED).map(({ key, names }) => ({ key, names: names.slice(0, 16) })),
  };
  return {
    summary: summarise({ servers, enclosures, racks: racks.length, groups, shared, conditions, completeness: gathered.completeness }),
    conditions,
    coverage: {
      records: gathered.records,
      rejected: rejected.length,
      problems: listProblems([...gathered.problems, ...namesakes(servers), ...notes(gathered)], rejected),
      observed: observedOf(servers, enclosures),
    },
    ...(gathered.newestEvent !== null && { asOf: gathered.newestEvent }),
    facts: factsOf(servers, whereIs, profileNames(gathered.resources.get('server-profiles') ?? [])),
    series: seriesOf(servers, conditions),
    ...(!byClock && { turns: [] }),
    // A part of an inventory must not redefine what its servers are held to.
    carry: before ?? now,
  };
}

function readAll<T>(gathered: Gathered, category: string, rejected: CoverageProblem[], read: (resource: Resource) => T | string): T[] {
  return (gathered.resources.get(category) ?? []).flatMap((resource) => {
    const result = read(resource);
    if (typeof result !== 'string') return [result];
    rejected.push({ effect: 'record', input: resource.input, ...(resource.place !== '' && { place: resource.place }), message: result });
    return [];
  });
}

/**
 * Whether servers can be compared with each other: nothing that was to be there is known to be missing. Messages of the
 * bus and pushed documents hold some servers of many, unless their total says otherwise.
 */
function isWhole({ completeness, problems, newestEvent, pushed }: Gathered): boolean {
  if (problems.some((p) => p.effect === 'input')) return false;
  return completeness.proven || (newestEvent === null && !pushed);
}

function noServers(rejected: readonly CoverageProblem[], gathered: Gathered): UnusableInput {
  const first = rejected[0];
  if (first)
    return new UnusableInput(first.message, {
      ...(first.input !== undefined && { input: first.input }),
      ...(first.place !== undefined && { place: first.place }),
    });
  const empty = gathered.completeness.proven
    ? 'OneView lists no server at all: the credential may see no scope that holds any'
    : WANTED.nothing;
  return new UnusableInput(empty);
}

function shareOf({ rules }: CollectContext<Options, Carry>): number {
  const threshold = rules['firmware_minority']?.['threshold'];
  return typeof threshold === 'number' && threshold > 0.5 && threshold <= 1 ? threshold : DEFAULT_SHARE;
}

function refreshLimit({ rules }: CollectContext<Options, Carry>): number {
  const after = Duration.safeParse(rules['refresh_stale']?.['after']);
  return after.success ? after.data : parseDuration('1h');
}

function rackPlace(enclosure: Enclosure, { racks }: Frames): Place | undefined {
  const rack = enclosure.uri === null ? undefined : racks.get(enclosure.uri);
  return rack === undefined ? undefined : { rack };
}

/** Names that several servers bear: what is wrong with one of them shows under a name that does not tell them apart. */
function namesakes(servers: readonly Server[]): CoverageProblem[] {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const { subject } of servers) (seen.has(subject.id) ? twice : seen).add(subject.id);
  if (twice.size === 0) return [];
  return [
    {
      effect: 'note',
      message: `${twice.size} names are borne by more than one server and cannot tell them apart: ${fold([...twice].sort(compareNames).slice(0, 10))}`,
    },
  ];
}

function notes({ deleted }: Gathered): CoverageProblem[] {
  return deleted.length === 0
    ? []
    : [{ effect: 'note', message: `${deleted.length} resources were removed from OneView, as its messages tell` }];
}

function profileNames(profiles: readonly Resource[]): Map<string, string> {
  return new Map(
    profiles.flatMap(({ fields }) => {
      const [uri, name] = [text(fields, 'uri'), hardwareText(text(fields, 'name'))];
      return uri === null || name === null ? [] : [[uri, name] as const];
    }),
  );
}

/** A server that OneView no longer lists is unobserved: never `all`, however complete the list is. */
function observedOf(servers: readonly Server[], enclosures: readonly Enclosure[]): Record<string, string> {
  return {
    ...(servers.length > 0 && { node: fold(servers.map((s) => s.subject.id)) }),
    ...(enclosures.length > 0 && { enclosure: fold(enclosures.map((e) => e.subject.id)) }),
  };
}

/** One record a subject: of servers with one name the one that changed last. */
function factsOf(
  servers: readonly Server[],
  whereIs: (server: Server) => Place | undefined,
  profiles: ReadonlyMap<string, string>,
): { subject: Subject; facts: JsonObject }[] {
  const byName = new Map<string, Server>();
  for (const server of servers) {
    const twin = byName.get(server.subject.id);
    if (!twin || (twin.modified ?? 0) <= (server.modified ?? 0)) byName.set(server.subject.id, server);
  }
  return [...byName.values()]
    .sort((a, b) => compareNames(a.subject.id, b.subject.id))
    .map((server) => ({ subject: server.subject, facts: serverFacts(server, whereIs(server), profiles) as JsonObject }));
}

function seriesOf(servers: readonly Server[], conditions: readonly ConditionDraft[]): Record<string, number> {
  const count = (kind: string): number => conditions.filter((c) => c.kind === kind).length;
  return {
    servers: servers.length,
    critical: conditions.filter((c) => c.kind === 'server_status' && c.severity === 'critical').length,
    warning: conditions.filter((c) => c.kind === 'server_status' && c.severity === 'warning').length,
    off: count('server_off'),
    unreachable: count('management_unreachable'),
    firmware_minority: count('firmware_minority'),
  };
}
