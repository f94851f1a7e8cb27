import type { ConditionDraft } from '../../model/condition.ts';
import type { JsonObject } from '../../model/json.ts';
import { compareNames } from '../../model/text.ts';
import { toIso } from '../../model/time.ts';
import { fold } from '../../nodeset.ts';
import type { LogState } from './state.ts';

/** At most so many kinds are listed with their nodes, and a folded set is at most so long. */
const MAX_KINDS = 16;
const MAX_SET = 160;
const FIRST_NODES = 4;

export interface Seen {
  node: string;
  state: LogState;
  bytes: number;
}

/** What the consoles show as a whole. */
export function summarise(
  seen: readonly Seen[],
  conditions: readonly ConditionDraft[],
): { summary: JsonObject; series: Record<string, number> } {
  const kinds = new Map<string, { nodes: Set<string>; events: number; severities: Record<string, number> }>();
  for (const c of conditions) {
    const kind = kinds.get(c.kind) ?? { nodes: new Set<string>(), events: 0, severities: { critical: 0, warning: 0, info: 0 } };
    kind.nodes.add(c.subject.id);
    kind.events += c.count ?? 1;
    const severity = c.severity ?? 'info';
    kind.severities[severity] = (kind.severities[severity] ?? 0) + 1;
    kinds.set(c.kind, kind);
  }
  const ranked = [...kinds].sort(
    ([a, x], [b, y]) =>
      (y.severities['critical'] ?? 0) - (x.severities['critical'] ?? 0) ||
      (y.severities['warning'] ?? 0) - (x.severities['warning'] ?? 0) ||
      (a < b ? -1 : 1),
  );
  const phases: Record<string, number> = { up: 0, boot: 0, off: 0, crash: 0, unknown: 0 };
  for (const { state } of seen) phases[state.ph ?? 'unknown'] = (phases[state.ph ?? 'unknown'] ?? 0) + 1;
  const total = (f: (s: Seen) => number) => seen.reduce((n, s) => n + f(s), 0);
  const nodesOf = (kind: string) => kinds.get(kind)?.nodes.size ?? 0;
  const count = (severity: string) => conditions.filter((c) => c.severity === severity).length;
  return {
    summary: {
      logs: seen.length,
      nodes: new Set(seen.map((s) => s.node)).size,
      phases,
      kinds: Object.fromEntries(
        ranked
          .slice(0, MAX_KINDS)
          .map(([kind, { nodes, events, severities }]) => [kind, { nodes: nodes.size, events, ...severities, ...listed(nodes) }]),
      ),
      kinds_more: Math.max(0, ranked.length - MAX_KINDS),
      gaps: total((s) => s.state.gaps ?? 0),
      messages_dropped: total((s) => s.state.drop ?? 0),
    },
    series: {
      critical: count('critical'),
      warning: count('warning'),
      nodes_panicked: nodesOf('kernel_panic'),
      nodes_link_flapping: nodesOf('hsn_link_flap'),
      nodes_out_of_memory: nodesOf('oom'),
      bytes_read: total((s) => s.bytes),
      logs_grown: seen.filter((s) => s.bytes > 0).length,
      gaps: total((s) => s.state.gaps ?? 0),
    },
  };
}

/** The nodes as a folded set; of too many only the first, and how many more there are. */
function listed(nodes: ReadonlySet<string>): JsonObject {
  const set = fold(nodes);
  if (set.length <= MAX_SET) return { set };
  const first = [...nodes].sort(compareNames).slice(0, FIRST_NODES);
  return { set: fold(first), set_more: nodes.size - first.length };
}

/** What is known of one node's console. */
export function factsOf(state: LogState, log: string, said: number | undefined): JsonObject {
  return {
    log,
    phase: state.ph ?? 'unknown',
    ...(state.kv !== undefined && { kernel: state.kv }),
    ...(state.bn !== undefined && { boots_seen: state.bn }),
    ...(state.abs && state.bt !== undefined && { last_boot: toIso(state.bt) }),
    ...(said !== undefined && { last_output_by: toIso(said) }),
    ...(state.mk !== undefined && { last_mark: toIso(state.mk) }),
    ...(state.drop !== undefined && { messages_dropped: state.drop }),
    ...(state.gaps !== undefined && { gaps: state.gaps }),
    incidents: state.open.filter((i) => !i.e).length,
  };
}
