import type { ChatAnswer, ModelClient } from '../harness/client.ts';
import { findingsIn, type Seen, seenIn } from '../harness/mocks/seen.ts';
import { SUBMIT } from '../harness/submission.ts';
import type { Story } from './scenario.ts';

/** Rows that fit into one answer of a tool, and how far the list is read. */
const PAGE = 100;
const PAGES = 7;
const MOST_LOOKED_AT = 4;

/**
 * The model that a scenario could wish for: it knows the causes beforehand, and has to find the evidence for them with the
 * tools like any other. What it cannot show by evidence, nobody can.
 */
export function oracle(stories: readonly Story[]): ModelClient {
  const subjects = [...new Set(stories.flatMap((s) => s.cause))].slice(0, MOST_LOOKED_AT);
  return {
    label: 'mock perfect',
    async complete({ messages, tools }) {
      const seen = seenIn(messages);
      const submit = calls([[SUBMIT.name, report(stories, seen)]]);
      if (!tools.some((t) => t.name === 'list_conditions')) return submit;
      const turn = messages.filter((m) => m.role === 'assistant').length;
      if (turn === 0)
        return calls(
          subjects.flatMap((subject) => [
            ['get_node', { node: subject, type: typeOf(subject) }] as const,
            ['get_telemetry', { subject, type: null }] as const,
          ]),
        );
      const lists = seen.filter((s) => s.name === 'list_conditions');
      const end = lists.length === 0 ? 0 : (lists.at(-1)?.next ?? null);
      if (end !== null && lists.length < PAGES) return calls([['list_conditions', { limit: PAGE, offset: end }]]);
      const first = findingsIn(seen).find((row) => stories.some((s) => s.links.includes(String(row['subject']))));
      // What runs on a node is known to the node.
      if (first !== undefined && !seen.some((s) => s.name === 'get_condition'))
        return calls([
          ['get_node', { node: String(first['subject']), type: null }],
          ['get_condition', { id: first['id'] }],
        ]);
      return submit;
    },
  };
}

function typeOf(subject: string): string | null {
  if (subject.startsWith('DiskId')) return 'drive';
  return /^[a-z]+$/.test(subject) ? 'filesystem' : null;
}

function calls(...lists: (readonly (readonly [string, object])[])[]): ChatAnswer {
  const all = lists.flat().map(([name, args]) => ({ name, arguments: JSON.stringify(args) }));
  return { content: '', reasoning: '', calls: all, finishReason: 'tool_calls', tokensIn: null, tokensOut: null };
}

function report(stories: readonly Story[], seen: readonly Seen[]): object {
  const rows = findingsIn(seen);
  const refs = seen.flatMap((s) =>
    s.data.filter((d) => typeof d['ref'] === 'string').map((d) => ({ ref: d['ref'] as string, text: JSON.stringify(d) })),
  );
  const made = stories.map(({ cause, links, apart }) => {
    const findings = rows.filter((row) => isOf(row, [...links, ...cause]) && !isOf(row, apart));
    const name =
      cause.find((c) => [...findings.map((f) => JSON.stringify(f)), ...refs.map((r) => r.text)].some((text) => text.includes(c))) ??
      cause[0] ??
      '';
    const evidence = refs.filter((r) => r.text.includes(name) || r.ref.includes(name)).map((r) => r.ref);
    return { name, findings: findings.map((f) => f['id']), evidence };
  });
  return {
    stories: made
      .filter((m) => m.findings.length > 0)
      .map(({ name, findings, evidence }, i) => ({
        title: 'Common cause',
        findings,
        priority: i + 1,
        hypothesis: `${name} is the likely common cause`,
        counter_evidence: [],
        next_checks: [],
        confidence: 'high',
        evidence: evidence.slice(0, 8),
      })),
    observations: made
      .filter((m) => m.findings.length === 0 && m.evidence.length > 0)
      .map(({ name, evidence }) => ({ text: `${name} moves towards its limit`, severity: 'warning', evidence: evidence.slice(0, 8) })),
  };
}

function isOf(row: Record<string, unknown>, names: readonly string[]): boolean {
  return names.includes(String(row['subject'])) || names.includes(String(row['node']));
}
