import * as z from 'zod';
import { fold } from '../nodeset.ts';
import { compareSeverity, Severity } from '../model/condition.ts';
import { type Finding, FindingState } from '../model/finding.ts';
import type { JsonObject } from '../model/json.ts';
import { compareNames } from '../model/text.ts';
import { formatDuration } from '../model/time.ts';
import { defineTool, page } from './tool.ts';
import type { ReadView } from './view.ts';

const filters = {
  kind: z.string().max(60).nullable().describe('only this kind, such as kernel_panic'),
  severity: Severity.nullable(),
  source: z.string().max(60).nullable(),
  state: FindingState.nullable(),
};
type Filters = { [K in keyof typeof filters]: z.infer<(typeof filters)[K]> };

function matching(view: ReadView, f: Filters): Finding[] {
  return view.findings.filter(
    (x) =>
      (f.kind === null || x.kind === f.kind) &&
      (f.severity === null || x.severity === f.severity) &&
      (f.source === null || x.source === f.source) &&
      (f.state === null ? x.state !== 'resolved' && x.state !== 'candidate' : x.state === f.state),
  );
}

const BY = ['kind', 'severity', 'source', 'state', 'rack', 'chassis', 'switch', 'pdu'] as const;

export const countConditions = defineTool({
  name: 'count_conditions',
  description:
    'How many findings there are by kind, severity, source, state or place, with the folded subjects of each. Start here, then list.',
  args: { by: z.enum(BY), ...filters },
  run: (view, { by, ...f }) => {
    const groups = new Map<string, Finding[]>();
    for (const x of matching(view, f)) {
      const key = by === 'kind' || by === 'severity' || by === 'source' || by === 'state' ? x[by] : (x.place?.[by] ?? 'unknown place');
      groups.set(key, [...(groups.get(key) ?? []), x]);
    }
    const rows = [...groups].map(([key, all]) => {
      const worst = all.map((x) => x.severity).reduce((a, b) => (compareSeverity(a, b) <= 0 ? a : b));
      const subjects = fold(new Set(all.map((x) => x.subject.id)));
      return { key, count: all.length, worst, subjects: subjects.length > 300 ? `${subjects.slice(0, 300)}…` : subjects };
    });
    rows.sort((a, b) => b.count - a.count || compareNames(a.key, b.key));
    return page(rows.map(({ key, ...rest }) => ({ [by]: key, ...rest })));
  },
});

export const listConditions = defineTool({
  name: 'list_conditions',
  description: 'Findings, the worst first, each with its id, state, subject and message. Open ones unless a state is given.',
  args: {
    ...filters,
    node: z.string().max(253).nullable().describe('only this subject'),
    limit: z.number().int().min(1).max(100).nullable(),
    offset: z.number().int().min(0).max(1_000_000).nullable(),
  },
  run: (view, { node, limit, offset, ...f }) =>
    page(
      matching(view, f)
        .filter((x) => node === null || x.subject.id === node)
        .map((x) => brief(x, view.now)),
      { offset, limit: limit ?? 20 },
    ),
});

export const getCondition = defineTool({
  name: 'get_condition',
  description: 'One finding whole: values, evidence with stored quotes, place, hint, and its history.',
  args: { id: z.string().max(64).describe('the id of a finding; its first 8 characters or more') },
  run: async (view, { id }) => {
    const found = id.length >= 8 ? view.findings.filter((x) => x.id.startsWith(id)) : [];
    const [x] = found;
    if (!x || found.length > 1)
      return {
        ok: false,
        error:
          found.length > 1 ? 'more than one finding begins so; give more of the id' : 'no finding has this id; list_conditions gives ids',
      };
    const history = await view.history(x.id);
    const condition = x.conditions[0];
    return page([
      {
        ...brief(x, view.now),
        title: x.title,
        values: condition?.values ?? {},
        evidence: x.evidence.map((e) => ({ ref: e.ref, ...(e.quote !== undefined && { quote: e.quote }) })),
        ...(x.place && { place: x.place }),
        hint: x.hint,
        count: x.count,
        episode: x.episode,
        history: history.slice(-8).map((t) => ({ at: t.at, to: t.to, reason: t.reason })),
      },
    ]);
  },
});

function brief(x: Finding, now: number): JsonObject {
  return {
    id: x.id,
    severity: x.severity,
    state: x.state,
    kind: x.kind,
    subject: x.subject.id,
    ...(x.part !== undefined && { part: x.part }),
    message: x.conditions[0]?.message ?? x.title,
    for: formatDuration(now - Date.parse(x.firstSeen)),
    source: x.source,
  };
}
