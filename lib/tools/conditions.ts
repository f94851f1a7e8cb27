import * as z from 'zod';
import { foldShared } from '../nodeset.ts';
import { compareSeverity, Severity } from '../model/condition.ts';
import { type Finding, FindingState, type Group } from '../model/finding.ts';
import type { JsonObject } from '../model/json.ts';
import { compareNames } from '../model/text.ts';
import { formatDuration } from '../model/time.ts';
import { kindMeant, nothingMatches, placeMeant, subjectsMeant } from './asked.ts';
import { shortId } from './ids.ts';
import { isOpen, PlaceBook } from './places.ts';
import { type Answer, defineTool, page, pageOf } from './tool.ts';
import type { ReadView } from './view.ts';

const filters = {
  kind: z.string().max(60).nullable().describe('only this kind, such as kernel_panic'),
  severity: Severity.nullable(),
  source: z.string().max(60).nullable().describe('only of this source, such as pbs_state'),
  state: FindingState.nullable().describe('default: all that are open'),
};
type Filters = { [K in keyof typeof filters]: z.infer<(typeof filters)[K]> };

function meant(f: Filters): Filters {
  return { ...f, kind: kindMeant(f.kind), source: f.source?.trim().toLowerCase() ?? null };
}

function matching({ findings }: Pick<ReadView, 'findings'>, f: Filters): Finding[] {
  return findings.filter(
    (x) =>
      (f.kind === null || x.kind === f.kind) &&
      (f.severity === null || x.severity === f.severity) &&
      (f.source === null || x.source === f.source) &&
      (f.state === null ? isOpen(x) : x.state === f.state),
  );
}

const OWN = ['kind', 'severity', 'source', 'state'] as const;
const BY = [...OWN, 'rack', 'chassis', 'switch', 'pdu', 'cdu', 'group'] as const;

export const countConditions = defineTool({
  name: 'count_conditions',
  description:
    'Counts findings by kind, severity, source, state or place, the most frequent first, with folded subjects and examples. By group: what code found to stand together in one place. Start here.',
  reaches: ['findings', 'groups', 'groundTruth'],
  args: {
    by: z.enum(BY).nullable().describe('default: kind'),
    ...filters,
    offset: z.number().int().min(0).max(1_000_000).nullable().describe('the "next" of the last answer'),
  },
  run: (view, { by: asked, offset, ...filtered }) => {
    const by = asked ?? 'kind';
    if (by === 'group') return countGroups(view, offset);
    const f = meant(filtered);
    const places = PlaceBook.of(view);
    const keysOf = (x: Finding): readonly string[] =>
      by === 'kind' || by === 'severity' || by === 'source' || by === 'state' ? [x[by]] : (places.whereIs(x).get(by) ?? ['unknown']);
    const counted = new Map<string, Finding[]>();
    for (const x of matching(view, f)) {
      for (const key of keysOf(x)) {
        const some = counted.get(key);
        if (some) some.push(x);
        else counted.set(key, [x]);
      }
    }
    if (counted.size === 0) return page([], { about: { note: nothingMatches(view.findings, f) } });
    const rows = [...counted].sort(([a, x], [b, y]) => y.length - x.length || compareNames(a, b));
    return pageOf(rows, ([key, all]) => ({ [by]: key, ...tally(view, all) }), { offset });
  },
});

function tally(view: Pick<ReadView, 'findings'>, all: readonly Finding[]): JsonObject {
  const worst = all.map((x) => x.severity).reduce((a, b) => (compareSeverity(a, b) <= 0 ? a : b));
  const fresh = all.filter((x) => x.state === 'new').length;
  return {
    count: all.length,
    worst,
    ...(fresh > 0 && { new: fresh }),
    subjects: cut(foldShared(new Set(all.map((x) => x.subject.id))), 200),
    ids: all.slice(0, 3).map((x) => shortId(view, x.id)),
  };
}

function countGroups({ groups }: Pick<ReadView, 'groups'>, offset: number | null): Answer {
  const rows = groups.filter((g) => g.state !== 'resolved' && g.state !== 'candidate');
  return page(rows.map(groupRow), { offset });
}

/** A group in one row. */
export function groupRow(g: Group): JsonObject {
  return {
    group: g.id.slice(0, 8),
    kind: g.kind,
    severity: g.severity,
    state: g.state,
    place: `${g.place.type} ${g.place.id}`,
    count: g.findings.length,
    subjects: cut(g.subjects, 200),
    message: cut(g.message, 200),
    against: g.counterEvidence.slice(0, 3).map((t) => cut(t, 160)),
    ...(g.changedThere !== undefined && { changed_there: cut(g.changedThere, 160) }),
  };
}

export const listConditions = defineTool({
  name: 'list_conditions',
  description: 'Lists findings, the worst first, with id, state, subject and message. Open ones unless a state is given.',
  reaches: ['findings', 'groundTruth', 'now', 'namesOf'],
  args: {
    ...filters,
    node: z.string().max(253).nullable().describe('only this subject, or a folded set of them'),
    place: z.string().max(253).nullable().describe('only in or behind this rack, chassis, slot, switch, PDU or CDU, such as x1000c0'),
    limit: z.number().int().min(1).max(100).nullable().describe('default 20'),
    offset: z.number().int().min(0).max(1_000_000).nullable().describe('the "next" of the last answer'),
  },
  run: (view, { node, place, limit, offset, ...filtered }) => {
    const f = meant(filtered);
    const names = node === null ? null : subjectsMeant(view, node);
    const spot = place === null ? null : placeMeant(place);
    const places = PlaceBook.of(view);
    const isThere = (x: Finding): boolean =>
      spot === null || [...places.whereIs(x)].some(([type, ids]) => (spot.type ?? type) === type && ids.includes(spot.id));
    const there = matching(view, f).filter((x) => (names === null || names.has(x.subject.id)) && isThere(x));
    if (there.length === 0) return page([], { about: { note: nothingMatches(view.findings, { ...f, node, place }) } });
    return pageOf(there, (x) => brief(view, x), { offset, limit: limit ?? 20 });
  },
});

/** A finding in one row. */
export function brief(view: Pick<ReadView, 'findings' | 'now'>, x: Finding): JsonObject {
  return {
    id: shortId(view, x.id),
    severity: x.severity,
    state: x.state,
    kind: x.kind,
    subject: x.subject.id,
    ...(x.knownAs !== undefined && { node: x.knownAs }),
    ...(x.part !== undefined && { part: cut(x.part, 80) }),
    message: cut(x.conditions[0]?.message ?? x.title, 240),
    for: formatDuration(view.now - Date.parse(x.firstSeen)),
    source: x.source,
  };
}

function cut(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max)}…` : text;
}
