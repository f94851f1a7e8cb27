import * as z from 'zod';
import { foldShared, nodeSetOf } from '../nodeset.ts';
import type { JsonObject } from '../model/json.ts';
import { subjectId } from '../model/identity.ts';
import { compareNames } from '../model/text.ts';
import { toIso } from '../model/time.ts';
import { namesInSet, onlyOneOf } from './asked.ts';
import { brief } from './conditions.ts';
import { factsPointer } from './ids.ts';
import { isOpen, PlaceBook, type Whereabouts } from './places.ts';
import { defineTool, fit, page } from './tool.ts';
import type { ReadView } from './view.ts';

const Name = z.string().min(1).max(253);
const TYPES = [
  'node',
  'service_node',
  'bmc',
  'chassis',
  'switch',
  'pdu',
  'cdu',
  'drive',
  'container',
  'filesystem',
  'queue',
  'reservation',
] as const;

export const getNode = defineTool({
  name: 'get_node',
  description:
    'Everything known of one node, under any of its names: findings, what each source says, what the site expects, where it stands and what its neighbours have. With a type also of a switch, drive, file system, queue, ….',
  reaches: ['findings', 'facts', 'groundTruth', 'now', 'namesOf'],
  args: { node: Name.describe('one name, such as x1000c0s0b0n0'), type: z.enum(TYPES).nullable().describe('default: node') },
  run: async (view, { node, type }) => {
    const set = namesInSet(node);
    const types = type === null ? typesOf(view, node) : [type];
    const id = subjectId(types[0], node);
    if (id === null) return { ok: false, error: 'that is no name' };
    const names = type === null ? view.namesOf(id) : [id];
    const findings = view.findings.filter((f) => names.includes(f.subject.id) && f.state !== 'candidate');
    const known = await factsUnder(view, types, names);
    const expected = names.flatMap((name) => expectations(view, name));
    if (findings.length === 0 && known.length === 0 && expected.length === 0) {
      const error = set ? onlyOneOf(set) : `nothing is known of a ${types[0]} of this name; names look like ${exampleName(view)}`;
      return { ok: false, error };
    }
    const places = PlaceBook.of(view);
    const where = places.where(names[0] ?? id, findings[0]?.place);
    const items: JsonObject[] = [
      ...findings.map((f) => brief(view, f)),
      ...known,
      ...expected,
      ...neighbours(view, { names, where, places }),
    ];
    const about = {
      node: names[0] ?? id,
      ...(names.length > 1 && { also_known_as: names.slice(1, 9) }),
      place: Object.fromEntries([...where].map(([t, ids]) => [t, ids.slice(0, 3).join(',')])),
    };
    return page(items, { about });
  },
});

/** A node's, unless something else is found under just this name. */
function typesOf({ findings, namesOf }: Pick<ReadView, 'findings' | 'namesOf'>, name: string): readonly [string, ...string[]] {
  const isNode = namesOf(name).length > 1;
  const other = isNode ? undefined : findings.find((f) => f.subject.id === name && f.subject.type !== 'node');
  return other ? [other.subject.type] : ['node', 'service_node'];
}

/** What the sources know of a subject, each under the name that it uses. */
async function factsUnder(view: Pick<ReadView, 'facts'>, types: readonly string[], names: readonly string[]): Promise<JsonObject[]> {
  const known: JsonObject[] = [];
  for (const type of types) {
    for (const name of names) {
      const subject = { type, id: name };
      for (const { source, asOf, facts } of await view.facts(subject))
        known.push({ source, asOf, ref: `${source}#${factsPointer(subject)}`, facts: fit(facts, 900) });
    }
  }
  return known;
}

const MEASURED = ['node', 'service_node', 'bmc', 'chassis', 'switch', 'pdu', 'cdu', 'rack', 'sensor'] as const;
const TELEMETRY = 'kafka_telemetry';

export const getTelemetry = defineTool({
  name: 'get_telemetry',
  description:
    'The last telemetry of one node, BMC, PDU, CDU, switch or chassis: lowest, mean, highest and last of each sensor; for a node that of its board too; with siblings to compare.',
  reaches: ['facts', 'namesOf'],
  args: {
    subject: Name.describe('one name, such as x1000c0s0b0n0, or the board x1000c0s0b0'),
    type: z.enum(MEASURED).nullable().describe('default: any'),
  },
  run: async (view, { subject, type }) => {
    const types = type === null ? MEASURED : [type];
    for (const t of types) {
      const id = subjectId(t, subject);
      for (const name of id === null ? [] : t === 'node' ? view.namesOf(id) : [id]) {
        const rows = await telemetryOf(view, t, name);
        if (rows.length > 0) return page([...rows, ...(await telemetryOfSiblings(view, t, name))]);
      }
    }
    const set = namesInSet(subject);
    const error = set
      ? onlyOneOf(set)
      : 'there is no telemetry of a subject of this name: give a node, its board, a PDU, CDU, switch or chassis';
    return { ok: false, error };
  },
});

/** Its own readings, and for a node those of the board that it is on. */
async function telemetryOf(view: Pick<ReadView, 'facts'>, type: string, id: string): Promise<JsonObject[]> {
  const board = type === 'node' ? /^(x\d+c\d+s\d+b\d+)n\d+$/.exec(id)?.[1] : undefined;
  const subjects = [{ type, id }, ...(board === undefined ? [] : [{ type: 'bmc', id: board }])];
  const rows: JsonObject[] = [];
  for (const subject of subjects) {
    for (const { source, asOf, facts } of await view.facts(subject)) {
      if (source !== TELEMETRY) continue;
      rows.push({ subject: subject.id, type: subject.type, asOf, ref: `${source}#${factsPointer(subject)}`, values: fit(facts, 1700) });
    }
  }
  return rows;
}

/** Siblings differ in their last number alone: the other nodes of a board, the other boards of a slot. */
async function telemetryOfSiblings(view: Pick<ReadView, 'facts'>, type: string, id: string): Promise<JsonObject[]> {
  const m = /^(.{0,240}\D)(\d{1,4})$/.exec(id);
  if (!m) return [];
  const siblings: JsonObject[] = [];
  for (let n = 0; n < 8 && siblings.length < 3; n++) {
    const name = `${m[1]}${n}`;
    if (name === id) continue;
    const subject = { type, id: name };
    const facts = (await view.facts(subject)).find((f) => f.source === TELEMETRY);
    if (facts) siblings.push({ sibling: name, ref: `${TELEMETRY}#${factsPointer(subject)}`, values: fit(facts.facts, 700) });
  }
  return siblings;
}

function expectations({ groundTruth, now }: Pick<ReadView, 'groundTruth' | 'now'>, id: string): JsonObject[] {
  if (!groundTruth) return [];
  return [
    ...groundTruth.fleet
      .filter((f) => nodeSetOf(f.nodes).has(id))
      .map((f) => ({ expected: f.role, image: f.image ?? groundTruth.roles[f.role]?.image ?? null })),
    ...groundTruth.known_down
      .filter((k) => nodeSetOf(k.nodes).has(id))
      .map((k) => ({ known_down: k.reason, owner: k.owner, until: toIso(k.expires), expired: k.expires < now })),
    ...groundTruth.maintenance
      .filter((m) => nodeSetOf(m.nodes).has(id))
      .map((m) => ({ maintenance: m.reason, owner: m.owner, from: toIso(m.from), until: toIso(m.until) })),
  ];
}

/** What others have in the places that hold or serve it, by kind. */
function neighbours(
  view: Pick<ReadView, 'findings'>,
  { names, where, places }: { names: readonly string[]; where: Whereabouts; places: PlaceBook },
): JsonObject[] {
  const others = view.findings.filter((f) => isOpen(f) && !names.includes(f.subject.id)).map((f) => ({ f, at: places.whereIs(f) }));
  return [...where].flatMap(([type, ids]) =>
    ids.flatMap((id) => {
      const there = others.filter(({ at }) => at.get(type)?.includes(id)).map(({ f }) => f);
      if (there.length === 0) return [];
      const kinds = new Map<string, number>();
      for (const f of there) kinds.set(f.kind, (kinds.get(f.kind) ?? 0) + 1);
      const top = [...kinds].sort(([a, x], [b, y]) => y - x || compareNames(a, b)).slice(0, 6);
      return [
        {
          neighbours_in: `${type} ${id}`,
          findings: there.length,
          kinds: Object.fromEntries(top),
          subjects: fit(foldShared(new Set(there.map((f) => f.subject.id))), 160),
        },
      ];
    }),
  );
}

function exampleName(view: Pick<ReadView, 'findings'>): string {
  return view.findings.find((f) => f.subject.type === 'node')?.subject.id ?? 'those that list_conditions gives';
}
