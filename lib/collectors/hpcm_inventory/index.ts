import { type Collected, type CollectContext, defineCollector, type Input, UnusableInput } from '../../model/collector.ts';
import { oneLine } from '../../model/text.ts';
import { toIso } from '../../model/time.ts';
import { fold } from '../../nodeset.ts';
import { Carry, dated, type DatedCarry, undated } from './carry.ts';
import { compareHardware, EXCHANGE_LISTED, LOSS_ACCEPTED } from './changes.ts';
import { DOCUMENT_KINDS, DOCUMENT_NAMES, type DocumentKind, type Documents, readDocuments } from './documents.ts';
import { nodesText, ruleNumber } from './drafts.ts';
import { factsOf, otherNames } from './facts.ts';
import { assemble, type Entry, type Fleet } from './fleet.ts';
import { hardwareChanged, inventoryUnreadable } from './hardware_conditions.ts';
import { imageDirty, imageDrift, imageGaps, imagePending, kernelDrift, unassigned } from './images.ts';
import { kinds } from './kinds.ts';
import { Options } from './options.ts';
import { populationsOf } from './populations.ts';
import { bootDrift, FORGOTTEN, nodesOff } from './states.ts';
import { summarise } from './summary.ts';
import { Tally } from './tally.ts';

type Context = CollectContext<Options, Carry>;

const DAY = 864e5;
/** How long a document that was read once is missed, and how long it is known at all. */
const KIND_MISSED = DAY;
const KIND_KNOWN = 7 * DAY;
/** How long a list that is half as long as before is taken for cut short. */
const SIZE_COUNTS = DAY;
/** An inventory of hardware that is older says so. */
const INVENTORY_OLD = 2 * DAY;

/**
 * HPE Performance Cluster Manager: what exists, which image each node has, what it runs, its power and its hardware.
 *
 * Inputs, each alone or together: `GET /cmu/v1/nodes` and `imagegroups`, or both in a dump of the whole database;
 * `cm inventory -e -j`; `cm power status`; the cluster definition; kernel command lines. Field names are those of HPCM's
 * OpenAPI document (Cray-HPE/cani, MIT).
 */
export const hpcmInventory = defineCollector<Options, Carry>({
  source: 'hpcm_inventory',
  title: 'HPCM inventory: nodes, images, power, hardware',
  maxAge: '24h',
  inputs: {
    shape: 'documents',
    roles: DOCUMENT_KINDS,
    endpoints: [
      { role: 'nodes', path: '/cmu/v1/nodes' },
      { role: 'images', path: '/cmu/v1/imagegroups' },
      { role: 'groups', path: '/cmu/v1/systemgroups', optional: true },
    ],
    auth: { header: 'X-Auth-Token', prefix: '' },
  },
  options: Options,
  carryVersion: 1,
  carry: Carry,
  kinds,
  collect,
});

async function collect(inputs: readonly Input[], context: Context): Promise<Collected<Carry>> {
  const { config, now, rules, cluster } = context;
  const carry = context.carry && dated(context.carry, context.carriedAt ?? now);
  const tally = new Tally();
  const documents = await readDocuments(inputs, tally, context.nodeDomains, config.dirty_attribute);
  const fleet = assemble(documents, config, tally);
  if (fleet.entries.length === 0 && documents.images.size === 0) throw unusable(tally);
  const isPushed = inputs.some((input) => input.pushed === true);
  if (!isPushed) tellMissing(documents, carry, now, tally);
  const hosts = fleet.entries.filter((e) => e.isHost);
  const isWhole = isWholeList(documents, fleet, hosts, carry, now, tally);
  const populations = populationsOf(fleet.entries, config);
  const changes = compareHardware(hosts, carry, now, isWhole);
  if (changes.rewritten > 0)
    tally.note(
      undefined,
      `serial numbers of ${changes.rewritten} nodes are others than before, all at once: taken for a change of the tool that reads them`,
    );
  const garbled = hosts.filter((e) => e.isImageGarbled).length;
  if (garbled > 0)
    tally.note(
      undefined,
      `the image of ${nodesText(garbled)} has a name that is none (control characters, or too long): taken for unknown`,
    );
  const off = nodesOff(hosts, carry?.off ?? [], now);
  const drifted = bootDrift(hosts, carry?.drifted ?? [], now);
  const asOf = dateOf(documents, now, tally);
  const dirty = documents.kinds.has('images') ? imageDirty(hosts, documents.images, config.dirty_attribute) : { drafts: [], byBoot: false };
  const drafts = [
    ...imageDrift(populations),
    ...kernelDrift(hosts),
    ...(documents.images.size > 0 ? imageGaps(hosts, documents.images) : []),
    ...dirty.drafts,
    ...imagePending(hosts, Math.min(asOf ?? now, now), rules['image_pending']),
    ...unassigned(hosts, documents.nodes),
    ...drifted.drafts,
    ...off.drafts,
    ...hardwareChanged(changes, hosts),
    ...inventoryUnreadable(changes, hosts, cluster, ruleNumber(rules['inventory_unreadable'], 'threshold', 0.05)),
  ].map((draft) => ({ ...draft, message: oneLine(draft.message, 600) }));
  const handOn: DatedCarry = {
    kinds: lastRead(documents, carry, now),
    size: isWhole ? { hosts: hosts.length, at: now } : (carry?.size ?? null),
    off: off.seen,
    drifted: drifted.seen,
    dirtyByBoot: dirty.byBoot || (carry?.dirtyByBoot === true && !documents.kinds.has('boot')),
    ...changes.carry,
  };
  const counts = (kind: string): number => drafts.filter((d) => d.kind === kind).length;
  return {
    summary: summarise({ documents, fleet, hosts, populations, drafts, changes, isWhole }),
    conditions: drafts,
    ...(asOf !== undefined && { asOf }),
    coverage: {
      records: tally.records,
      rejected: tally.rejected,
      problems: tally.problems,
      observed: observed(documents, fleet, isWhole, carry, cluster),
    },
    ...(asOf !== undefined && asOf <= now && { turns: turnsOf(handOn, documents, now) }),
    facts: fleet.entries.filter((e) => e.class !== 'alias').map(factsOf),
    series: {
      entries: fleet.entries.length,
      nodes: hosts.filter((e) => e.class === 'node').length,
      booted: hosts.filter((e) => e.power?.state === 'booted').length,
      off: counts('node_off'),
      image_drift: counts('image_drift'),
      boot_drift: counts('boot_drift'),
      image_pending: counts('image_pending'),
      hardware_unreadable: changes.unreadable.length,
      parts_lost: changes.losses.length,
    },
    carry: undated(handOn, now),
  };
}

function unusable(tally: Tally): UnusableInput {
  const [problem] = tally.problems;
  if (problem === undefined) return new UnusableInput('no input names a node or an image');
  return new UnusableInput(problem.message, {
    ...(problem.input !== undefined && { input: problem.input }),
    ...(problem.place !== undefined && { place: problem.place }),
  });
}

/** When the clock alone changes what is told: what was once seen is let go, or grows too old. */
function turnsOf(carry: DatedCarry, { dates }: Documents, now: number): number[] {
  const { size, off, drifted, losses, exchanges } = carry;
  const seen = (times: readonly number[], ...after: number[]): number[] =>
    times.filter((at) => at !== now).flatMap((at) => after.map((ms) => at + ms));
  return [
    ...seen(Object.values(carry.kinds), KIND_MISSED, KIND_KNOWN),
    ...seen(size === null ? [] : [size.at], SIZE_COUNTS),
    ...seen(
      [...off, ...drifted].map(([, at]) => at),
      FORGOTTEN,
    ),
    ...losses.map((loss) => loss.since + LOSS_ACCEPTED),
    ...exchanges.map((exchange) => exchange.at + EXCHANGE_LISTED),
    ...seen([dates.get('inventory') ?? now], INVENTORY_OLD + 1),
  ];
}

function lastRead(documents: Documents, carry: DatedCarry | undefined, now: number): Record<string, number> {
  const kept = Object.entries(carry?.kinds ?? {}).filter(([, at]) => now - at < KIND_KNOWN);
  return Object.fromEntries(
    [...kept, ...[...documents.kinds].map((kind): [string, number] => [kind, now])].sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** What an earlier run read and this one did not find makes the source partial. */
function tellMissing(documents: Documents, carry: DatedCarry | undefined, now: number, tally: Tally): void {
  for (const kind of DOCUMENT_KINDS) {
    const at = carry?.kinds[kind];
    if (at !== undefined && now - at < KIND_MISSED && !documents.kinds.has(kind)) {
      tally.lacks(undefined, `${DOCUMENT_NAMES[kind]} was read at ${toIso(at)} and is not there now; what it told stays as it was`);
    }
  }
}

/** Lists that change with every event. Hardware and definition are written down once a day or less. */
const VOLATILE: readonly DocumentKind[] = ['nodes', 'images', 'power', 'boot'];

/** The oldest of the lists that change with every event: none of them may pass for fresher than it is. */
function dateOf({ dates }: Documents, now: number, tally: Tally): number | undefined {
  const read = dates.get('inventory');
  if (read !== undefined && now - read > INVENTORY_OLD)
    tally.note(undefined, `${DOCUMENT_NAMES.inventory} is of ${toIso(read)}: hardware is not judged by anything newer`);
  const known = VOLATILE.some((kind) => dates.has(kind)) ? VOLATILE : DOCUMENT_KINDS;
  const times = known.flatMap((kind) => dates.get(kind) ?? []);
  return times.length === 0 ? undefined : Math.min(...times);
}

/**
 * Whether the node list is proven complete: read to its end without a rejected element, naming every member of every image
 * group, and not suddenly half as long as before, as the answer to a `where=` filter would be. HPCM lists nodes without
 * pages, so nothing else cuts the list short.
 */
function isWholeList(
  documents: Documents,
  fleet: Fleet,
  hosts: readonly Entry[],
  carry: DatedCarry | undefined,
  now: number,
  tally: Tally,
): boolean {
  if (!documents.kinds.has('nodes') || !documents.nodesWhole || hosts.length === 0) return false;
  const absent = new Set<string>();
  for (const image of documents.images.values()) for (const name of image.nodes) if (!fleet.isListed(name)) absent.add(name);
  if (absent.size > 0) {
    tally.note(
      undefined,
      `image groups have ${absent.size} members that the node list does not have (${fold(absent).slice(0, 120)}): the list is not taken for complete`,
    );
    return false;
  }
  const before = carry?.size;
  if (before && before.hosts >= 16 && hosts.length * 2 < before.hosts && now - before.at < SIZE_COUNTS) {
    tally.lacks(
      undefined,
      `the node list has ${hosts.length} hosts, after ${before.hosts} at ${toIso(before.at)}: taken for filtered or cut short until a day has passed`,
    );
    return false;
  }
  return true;
}

/**
 * What this run can speak of. A list that was read before and is missing now leaves its subjects unobserved. Beside the
 * word `all`, which names nobody, a complete list is spelled out: `host` has the names of all hosts, `host_alias` their
 * other names (nids, xnames), so that expected and listed nodes can be compared.
 */
function observed(
  documents: Documents,
  fleet: Fleet,
  isWhole: boolean,
  carry: DatedCarry | undefined,
  cluster: string,
): Record<string, string> {
  const wasReadBefore = (kind: DocumentKind): boolean => carry?.kinds[kind] !== undefined && !documents.kinds.has(kind);
  const out: Record<string, string> = {};
  const hosts = fleet.entries.filter((e) => e.subject === 'node');
  const areNodesKnown = !wasReadBefore('nodes') && !(wasReadBefore('cluster_conf') && !documents.kinds.has('nodes'));
  if (isWhole) {
    out['node'] = 'all';
    out['dpu'] = 'all';
    out['host'] = fold(hosts.map((e) => e.id));
    const aliases = fold(hosts.flatMap(otherNames));
    if (aliases !== '') out['host_alias'] = aliases;
  } else if (areNodesKnown) {
    for (const type of ['node', 'dpu']) {
      const names = fleet.entries.filter((e) => e.subject === type).map((e) => e.id);
      if (names.length > 0) out[type] = fold(names);
    }
  }
  const isDirtinessKnown = documents.kinds.has('boot') || carry?.dirtyByBoot !== true;
  if (documents.images.size > 0 && areNodesKnown && isDirtinessKnown) out['image'] = 'all';
  if (hosts.some((e) => e.hardware !== undefined) && !wasReadBefore('inventory')) out['cluster'] = fold([cluster]);
  return out;
}
