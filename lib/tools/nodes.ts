import * as z from 'zod';
import { fold, nodeSetOf } from '../nodeset.ts';
import type { JsonObject } from '../model/json.ts';
import { subjectId } from '../model/identity.ts';
import { toIso } from '../model/time.ts';
import { defineTool, fit, page } from './tool.ts';
import type { ReadView } from './view.ts';

const Node = z.string().min(1).max(253);

export const getNode = defineTool({
  name: 'get_node',
  description:
    'Everything known of one node: its findings, what each source says of it, what the site expects of it, and findings on its neighbours.',
  args: { node: Node },
  run: async (view, { node }) => {
    const id = subjectId('node', node);
    if (id === null) return { ok: false, error: 'that is no node name' };
    const names = view.namesOf(id);
    const findings = view.findings.filter((f) => names.includes(f.subject.id) && f.state !== 'candidate');
    const known = await factsUnder(view, names);
    if (findings.length === 0 && known.length === 0 && !names.some((name) => isExpected(view, name)))
      return { ok: false, error: `nothing is known of a node of this name; names look like ${exampleName(view)}` };
    const items: JsonObject[] = [
      ...findings.map((f) => ({
        finding: f.id,
        severity: f.severity,
        state: f.state,
        kind: f.kind,
        message: f.conditions[0]?.message ?? f.title,
      })),
      ...known.map((k) => ({ source: k.source, asOf: k.asOf, ref: k.ref, facts: fit(k.facts, 1000) })),
      ...names.flatMap((name) => expectations(view, name)),
      ...neighbours(view, id, findings[0]?.place ?? {}),
    ];
    return page(items, { about: { node: names[0] ?? id, ...(names.length > 1 && { alsoKnownAs: names.slice(1, 9) }) } });
  },
});

/** What the sources know of one node, each under the name that it uses. */
async function factsUnder(view: ReadView, names: readonly string[]): Promise<Awaited<ReturnType<ReadView['facts']>>> {
  const known = [];
  for (const name of names) known.push(...(await view.facts({ type: 'node', id: name })));
  return known;
}

export const getTelemetry = defineTool({
  name: 'get_telemetry',
  description: 'The last telemetry values of one subject (node, BMC, PDU, CDU, switch), with those of its siblings for comparison.',
  args: { subject: Node, type: z.enum(['node', 'bmc', 'chassis', 'switch', 'pdu', 'cdu', 'rack', 'sensor']).nullable() },
  run: async (view, { subject, type }) => {
    const types = type === null ? (['node', 'bmc', 'chassis', 'switch', 'pdu', 'cdu', 'rack', 'sensor'] as const) : [type];
    for (const t of types) {
      const id = subjectId(t, subject);
      const facts = id === null ? undefined : (await view.facts({ type: t, id })).find((f) => f.source === 'kafka_telemetry');
      if (facts && id !== null) {
        const siblings = await telemetryOfSiblings(view, t, id);
        return page([{ subject: id, type: t, values: fit(facts.facts, 2500) }, ...siblings], {
          about: { asOf: facts.asOf, ref: facts.ref },
        });
      }
    }
    return { ok: false, error: 'no telemetry of a subject of this name' };
  },
});

/** Siblings differ in their last number alone: the other nodes of a board, the other boards of a chassis. */
async function telemetryOfSiblings(view: ReadView, type: string, id: string): Promise<JsonObject[]> {
  const m = /^(.*?)(\d+)$/.exec(id);
  if (!m) return [];
  const siblings: JsonObject[] = [];
  for (let n = 0; n < 8 && siblings.length < 3; n++) {
    const name = `${m[1]}${n}`;
    if (name === id) continue;
    const facts = (await view.facts({ type, id: name })).find((f) => f.source === 'kafka_telemetry');
    if (facts) siblings.push({ sibling: name, values: fit(facts.facts, 800) });
  }
  return siblings;
}

function isExpected({ groundTruth }: ReadView, id: string): boolean {
  return groundTruth?.fleet.some((f) => nodeSetOf(f.nodes).has(id)) ?? false;
}

function expectations({ groundTruth, now }: ReadView, id: string): JsonObject[] {
  if (!groundTruth) return [];
  return [
    ...groundTruth.fleet
      .filter((f) => nodeSetOf(f.nodes).has(id))
      .map((f) => ({ expected: f.role, image: f.image ?? groundTruth.roles[f.role]?.image ?? null })),
    ...groundTruth.known_down
      .filter((k) => nodeSetOf(k.nodes).has(id))
      .map((k) => ({ known_down: k.reason, owner: k.owner, until: toIso(k.expires), expired: k.expires < now })),
  ];
}

function neighbours(view: ReadView, id: string, place: Readonly<Record<string, string>>): JsonObject[] {
  return Object.entries(place).flatMap(([type, name]) => {
    const others = view.findings.filter(
      (f) => !view.namesOf(id).includes(f.subject.id) && f.place?.[type] === name && f.state !== 'resolved' && f.state !== 'candidate',
    );
    return others.length === 0
      ? []
      : [
          {
            place: `${type} ${name}`,
            findings_on_others: others.length,
            subjects: fit(fold(new Set(others.map((f) => f.subject.id))), 200),
          },
        ];
  });
}

function exampleName(view: ReadView): string {
  return view.findings.find((f) => f.subject.type === 'node')?.subject.id ?? 'those that list_conditions gives';
}
