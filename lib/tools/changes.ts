import * as z from 'zod';
import type { Change } from '../model/change.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { compareNames } from '../model/text.ts';
import { foldShared } from '../nodeset.ts';
import { kindMeant } from './asked.ts';
import { shortId } from './ids.ts';
import { defineTool, fit, page } from './tool.ts';
import type { ReadView } from './view.ts';

const WAYS = ['appeared', 'cleared', 'changed', 'unknown'] as const;
type Stub = Change['appeared'][number];

export const getChanges = defineTool({
  name: 'get_changes',
  description:
    'What changed since the last look, by source and kind: what appeared, cleared, changed or became unknown, and the values of summaries that moved. With a kind: each one.',
  reaches: ['changes', 'findings'],
  args: {
    source: z.string().max(60).nullable().describe('only of this source, such as pbs_state'),
    kind: z.string().max(60).nullable().describe('each change of this kind, such as kernel_panic'),
    offset: z.number().int().min(0).max(1_000_000).nullable().describe('the "next" of the last answer'),
  },
  run: (view, { source, kind: asked, offset }) => {
    const kind = kindMeant(asked);
    const changes = view.changes.filter((c) => source === null || c.source === source);
    const items = kind === null ? changes.flatMap((c) => counted(view, c)) : changes.flatMap((c) => each(view, c, kind));
    if (items.length === 0) return page([], { about: { note: nothingChanged(view.changes, kind !== null || source !== null) } });
    return page(items, { offset });
  },
});

function nothingChanged(changes: readonly Change[], isFiltered: boolean): string {
  if (changes.length === 0) return 'no source has been collected anew since the last look';
  const kinds = new Set(changes.flatMap((c) => WAYS.flatMap((way) => c[way].map((stub) => stub.kind))));
  const what = isFiltered ? 'nothing that changed matches' : 'nothing changed';
  return `${what}; collected anew: ${changes.map((c) => c.source).join(', ')}; kinds that changed: ${[...kinds].sort().slice(0, 24).join(', ') || 'none'}`;
}

function counted(view: Pick<ReadView, 'findings'>, c: Change): Json[] {
  const rows = WAYS.flatMap((way) => {
    const kinds = new Map<string, Stub[]>();
    for (const stub of c[way]) {
      const some = kinds.get(stub.kind);
      if (some) some.push(stub);
      else kinds.set(stub.kind, [stub]);
    }
    return [...kinds]
      .sort(([a, x], [b, y]) => y.length - x.length || compareNames(a, b))
      .map(([kind, all]): JsonObject => {
        return {
          source: c.source,
          change: c.reason === undefined ? way : `${way} (${c.reason})`,
          kind,
          count: all.length,
          subjects: fit(foldShared(new Set(all.map((s) => s.subject.id))), 200),
          ids: all.slice(0, 3).map((s) => shortId(view, s.id)),
        };
      });
  });
  const values = c.summary.map((x): JsonObject => {
    const ref = `${c.source}#/summary${x.path}`;
    return { source: c.source, change: 'value', ref, from: fit(x.from, 160), to: fit(x.to, 160) };
  });
  return [...rows, ...values, ...(c.summaryMore > 0 ? [{ source: c.source, change: 'value', more: c.summaryMore }] : [])];
}

function each(view: Pick<ReadView, 'findings'>, c: Change, kind: string): Json[] {
  const row = (change: string, s: Stub): JsonObject => ({
    source: c.source,
    change,
    id: shortId(view, s.id),
    severity: s.severity,
    subject: s.subject.id,
    message: fit(s.message, 240),
  });
  const moved = c.changed.map((s): JsonObject => {
    const was: JsonObject = { severity: s.was.severity, ...s.was.values };
    return { ...row('changed', s), was: fit(was, 300), now: fit(s.values, 300) };
  });
  const rows = [
    ...c.appeared.map((s) => ({ s, row: row('appeared', s) })),
    ...c.cleared.map((s) => ({ s, row: { ...row('cleared', s), by: s.by } })),
    ...c.changed.map((s, i) => ({ s, row: moved[i] as JsonObject })),
    ...c.unknown.map((s) => ({ s, row: row('unknown', s) })),
  ];
  return rows.filter(({ s }) => s.kind === kind).map(({ row: one }) => one);
}
