import * as z from 'zod';
import type { ChatAnswer, ModelClient } from './client.ts';
import { type Seen, seenIn } from './mocks/seen.ts';
import { SUBMIT, type Submission } from './submission.ts';

const Row = z.looseObject({
  id: z.string(),
  severity: z.string(),
  kind: z.string(),
  subject: z.string(),
  message: z.string(),
  state: z.string(),
});
type Row = z.infer<typeof Row>;
const Neighbour = z.looseObject({ id: z.string(), kind: z.string(), severity: z.string() });

const PAGES = 3;

/**
 * A mock model that needs no GPU and no canned answers: it calls the tools, reads what they return, and links findings
 * by subject. It sees nothing but the messages, as a real model would.
 */
export const reasoner: ModelClient = {
  label: 'mock reasoner',
  async complete(request) {
    const seen = seenIn(request.messages);
    const lists = seen.filter((s) => s.name === 'list_conditions');
    const offered = new Set(request.tools.map((t) => t.name));
    const rows = lists.flatMap((l) => l.data.flatMap((d) => Row.safeParse(d).data ?? []));
    const next = lists.at(-1)?.next ?? null;
    if (!offered.has('list_conditions')) return call(SUBMIT.name, report(rows, seen));
    if (seen.length === 0) return calls(['list_sources', {}], ['get_changes', {}], ['count_conditions', { by: 'kind' }]);
    if (lists.length === 0) return call('list_conditions', { limit: 40 });
    if (next !== null && lists.length < PAGES) return call('list_conditions', { limit: 40, offset: next });
    const nodes = [...new Set(rows.filter((r) => r.severity === 'critical').map((r) => r.subject))].slice(0, 4);
    const looked = new Set(seen.filter((s) => s.name === 'get_node').map((s) => s.args['node']));
    const open = nodes.filter((n) => !looked.has(n));
    if (open.length > 0) return calls(...open.map((node) => ['get_node', { node }] as const));
    return call(SUBMIT.name, report(rows, seen));
  },
};

/** One story for each subject that has several findings, or a critical one; the worst first. */
function report(rows: readonly Row[], seen: readonly Seen[]): Submission {
  const bySubject = new Map<string, Row[]>();
  for (const row of rows) bySubject.set(row.subject, [...(bySubject.get(row.subject) ?? []), row]);
  const stories = [...bySubject]
    .filter(([, own]) => own.length > 1 || own.some((r) => r.severity === 'critical'))
    .sort(([, a], [, b]) => rank(a) - rank(b) || b.length - a.length)
    .slice(0, 10);
  return {
    stories: stories.map(([subject, own], index) => {
      const worst = own.find((r) => r.severity === 'critical') ?? own[0];
      if (!worst) throw new TypeError('a story without findings');
      const others = own.filter((r) => r !== worst);
      const siblings = seen
        .filter((s) => s.name === 'get_node' && s.args['node'] === subject)
        .flatMap((s) => s.data.flatMap((d) => Neighbour.safeParse(d).data ?? []));
      return {
        title: `${worst.kind.replaceAll('_', ' ')} on ${subject}`,
        findings: own.map((r) => r.id),
        priority: index + 1,
        hypothesis:
          others.length > 0
            ? `${worst.kind} may be what also shows as ${[...new Set(others.map((r) => r.kind))].join(', ')}`
            : worst.message,
        counter_evidence: siblings.length <= own.length ? [] : ['other findings on this subject may have a cause of their own'],
        next_checks: [`explain ${worst.id.slice(0, 12)}`],
        confidence: others.length > 0 ? ('medium' as const) : ('low' as const),
        evidence: own.map((r) => r.id),
      };
    }),
    observations: [],
  };
}

function rank(rows: readonly Row[]): number {
  return rows.some((r) => r.severity === 'critical') ? 0 : rows.some((r) => r.severity === 'warning') ? 1 : 2;
}

function call(name: string, args: object): ChatAnswer {
  return calls([name, args]);
}

function calls(...made: (readonly [string, object])[]): ChatAnswer {
  return {
    content: '',
    reasoning: '',
    calls: made.map(([name, args]) => ({ name, arguments: JSON.stringify(args) })),
    finishReason: 'tool_calls',
    tokensIn: null,
    tokensOut: null,
  };
}
