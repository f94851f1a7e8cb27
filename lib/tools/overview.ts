import * as z from 'zod';
import { expand, fold, nodeSetOf } from '../nodeset.ts';
import { type Json, type JsonObject, pointerSegment } from '../model/json.ts';
import { cleanName } from '../model/text.ts';
import { formatDuration, toIso } from '../model/time.ts';
import { defineTool, fit, MAX_RESULT_BYTES, page, type Refusal } from './tool.ts';
import type { ReadView } from './view.ts';

const Source = z.string().max(60).describe('a source, as list_sources names it, such as pbs_state');
const Offset = z.number().int().min(0).max(1_000_000).nullable().describe('where to go on: the "next" of the last answer');

export const listSources = defineTool({
  name: 'list_sources',
  description:
    'Every data source with status, age and what it could not see. Look here first: what a failed or old source would show is unknown.',
  reaches: ['sources', 'verdict', 'now'],
  args: {},
  run: (view) =>
    page(
      view.sources.map((s) => ({
        source: s.source,
        status: s.status,
        fresh: s.fresh,
        age: s.age === null ? null : formatDuration(s.age),
        records: s.records,
        rejected: s.rejected,
        conditions: s.conditions,
        ...(s.problem && { problem: fit(s.problem.detail, 300) }),
        ...(s.notes.length > 0 && { notes: fit(s.notes, 300) }),
      })),
      { about: { verdict: view.verdict, at: toIso(view.now) } },
    ),
});

export const getSummary = defineTool({
  name: 'get_summary',
  description:
    "A source's digest: totals, shares, folded node sets, top lists. Without a section: the whole, shortened, and the names of its sections.",
  reaches: ['sources', 'snapshot'],
  args: { source: Source, section: z.string().max(80).nullable().describe('a top-level key of the summary') },
  run: async (view, { source, section }) => {
    const snapshot = await view.snapshot(source);
    if (!snapshot) return noSnapshot(view, source);
    const sections = Object.keys(snapshot.summary);
    if (section !== null && !Object.hasOwn(snapshot.summary, section))
      return { ok: false, error: `no section ${cleanName(section) ?? 'of that name'}; sections: ${sections.join(', ')}`.slice(0, 600) };
    const about = {
      source,
      asOf: snapshot.asOf,
      ref: `${source}#/summary${section === null ? '' : `/${pointerSegment(section)}`}`,
      ...(section === null && { sections: fit(sections, 600) }),
    };
    const value = section === null ? snapshot.summary : (snapshot.summary[section] as Json);
    return page([fit(value, MAX_RESULT_BYTES - 1200)], { about });
  },
});

function noSnapshot({ sources }: Pick<ReadView, 'sources'>, source: string): Refusal {
  return { ok: false, error: `no snapshot of ${cleanName(source) ?? 'that source'}; sources: ${sources.map((s) => s.source).join(', ')}` };
}

export const getTrend = defineTool({
  name: 'get_trend',
  description:
    'How a number of a source moved over the last hours: first, last, lowest, highest, slope per hour, and up to 24 points. Without a name: which numbers there are.',
  reaches: ['sources', 'snapshot', 'trend', 'now'],
  args: {
    source: Source,
    name: z.string().max(120).nullable().describe('a number, as this tool lists them'),
    hours: z
      .number()
      .min(0.1)
      .max(24 * 30)
      .nullable()
      .describe('how far back; default 24'),
  },
  run: async (view, { source, name, hours }) => {
    const snapshot = await view.snapshot(source);
    if (!snapshot) return noSnapshot(view, source);
    const names = Object.keys(snapshot.series);
    if (name === null)
      return page(names.map((n) => ({ name: n, last: snapshot.series[n] as number, ref: `${source}#/series/${pointerSegment(n)}` })));
    if (!names.includes(name))
      return { ok: false, error: `no number ${cleanName(name) ?? 'of that name'}; there are: ${names.join(', ')}`.slice(0, 600) };
    const span = (hours ?? 24) * 3_600_000;
    const points = await view.trend(source, name, { from: view.now - span, to: view.now });
    const [first, last] = [points[0], points.at(-1)];
    if (!first || !last) return page([]);
    const values = points.map((p) => p.value);
    const elapsed = (last.at - first.at) / 3_600_000;
    const about = {
      source,
      name,
      points: points.length,
      from: toIso(first.at),
      to: toIso(last.at),
      first: first.value,
      last: last.value,
      lowest: values.reduce((a, b) => Math.min(a, b)),
      highest: values.reduce((a, b) => Math.max(a, b)),
      per_hour: elapsed > 0 ? (last.value - first.value) / elapsed : null,
      ref: `${source}#/series/${pointerSegment(name)}`,
    };
    const stride = Math.ceil(points.length / 24);
    return page(
      points.filter((_, i) => i % stride === 0 || i === points.length - 1).map((p) => ({ at: toIso(p.at), value: p.value })),
      { about },
    );
  },
});

export const getGroundTruth = defineTool({
  name: 'get_ground_truth',
  description:
    'What the site expects: fleet by role, images, known-down nodes, maintenance, silences. With a node: only what is said of it.',
  reaches: ['groundTruth', 'now', 'namesOf'],
  args: { node: z.string().max(253).nullable(), offset: Offset },
  run: (view, { node, offset }) => {
    const truth = view.groundTruth;
    if (!truth) return page([], { about: { note: 'no ground truth is configured' } });
    const names = node === null ? [] : view.namesOf(node);
    const covers = (set: string | undefined): boolean =>
      node === null || (set !== undefined && names.some((name) => nodeSetOf(set).has(name)));
    const items: JsonObject[] = [
      ...truth.fleet
        .filter((f) => covers(f.nodes))
        .map((f) => ({
          says: 'expected',
          nodes: fold(expand(f.nodes)),
          count: expand(f.nodes).length,
          role: f.role,
          image: f.image ?? truth.roles[f.role]?.image ?? null,
        })),
      ...truth.known_down
        .filter((k) => covers(k.nodes))
        .map((k) => ({
          says: 'known down',
          nodes: k.nodes,
          reason: k.reason,
          owner: k.owner,
          expires: toIso(k.expires),
          expired: k.expires < view.now,
        })),
      ...truth.maintenance
        .filter((m) => covers(m.nodes))
        .map((m) => ({
          says: 'maintenance',
          nodes: m.nodes,
          reason: m.reason,
          owner: m.owner,
          from: toIso(m.from),
          until: toIso(m.until),
        })),
      ...truth.silences
        .filter((s) => covers(s.nodes))
        .map((s) => ({
          says: 'silence',
          kind: s.kind ?? null,
          nodes: s.nodes ?? null,
          reason: s.reason,
          owner: s.owner,
          expires: toIso(s.expires),
        })),
      ...topologyOf(view, names),
    ];
    return page(items, { offset });
  },
});

function topologyOf({ groundTruth }: Pick<ReadView, 'groundTruth'>, names: readonly string[]): JsonObject[] {
  return Object.entries(groundTruth?.topology ?? {}).flatMap(([type, places]) =>
    Object.entries(places).flatMap(([name, nodes]) => {
      const set = names.length === 0 ? null : nodeSetOf(nodes);
      return set && names.some((n) => set.has(n)) ? [{ says: 'topology', type, name, nodes }] : [];
    }),
  );
}
