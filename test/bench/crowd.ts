import { kinds } from '../../lib/findings/kinds.ts';
import type { ConditionDraft } from '../../lib/model/condition.ts';
import { toIso, toTimeId } from '../../lib/model/time.ts';
import { fold } from '../../lib/nodeset.ts';
import { makeSnapshot } from '../../lib/steps/snapshot.ts';
import { putAttempt } from '../../lib/store/attempts.ts';
import { packFacts, type SubjectFacts } from '../../lib/store/shards.ts';
import type { EvalObserver } from '../../lib/eval/observer.ts';

/*
 * A fleet where much is wrong: what its sources would have collected, made without them, so that a tick alone can be measured.
 */

/** What is wrong, by source: kinds of all severities. */
const KINDS = {
  hpcm_inventory: ['node_off', 'node_unassigned'],
  console_logs: ['kernel_panic', 'oom', 'hung_task', 'soft_lockup'],
  kafka_telemetry: ['temperature_high', 'power_high'],
  pbs_state: ['node_down', 'node_offline'],
} as const;
type Source = keyof typeof KINDS;
const SOURCES = Object.keys(KINDS) as Source[];

/** One condition for so many nodes: 2,000 at 12,000. */
const NODES_A_CONDITION = 6;

export function nodeNames(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `x${1000 + (i >> 8)}c${(i >> 5) & 7}s${(i >> 2) & 7}b${(i >> 1) & 1}n${i & 1}`);
}

/** The site's files of such a fleet. */
export function filesOf(nodes: readonly string[]): { config: string; groundTruth: string } {
  const sources = SOURCES.map((source) => `  ${source}: { path: ${source} }`);
  const switches = new Map<string, string[]>();
  for (const node of nodes) {
    const at = `${node.slice(0, node.indexOf('s'))}r1`;
    switches.set(at, [...(switches.get(at) ?? []), node]);
  }
  return {
    config: ['cluster: crowd', 'ground_truth: fleet.yaml', 'sources:', ...sources, ''].join('\n'),
    groundTruth: [
      'fleet:',
      `  - { nodes: "${fold(nodes)}", role: compute }`,
      'roles: { compute: { image: cos-2026.11 } }',
      'topology:',
      '  switch:',
      ...[...switches].map(([name, behind]) => `    ${name}: "${fold(behind)}"`),
      '',
    ].join('\n'),
  };
}

/** Commits what every source shows at the observer's time; of the conditions, `moved` have another subject than at first. */
export async function commitCrowd(observer: EvalObserver, nodes: readonly string[], moved: number): Promise<void> {
  const { now, config, snapshots, store } = observer;
  const drafts = draftsOf(nodes, moved, now);
  for (const source of SOURCES) {
    const id = toTimeId(now);
    const snapshot = makeSnapshot({
      source,
      cluster: config.cluster,
      id,
      collectedAt: now,
      asOf: now,
      asOfFrom: 'data',
      status: 'ok',
      coverage: { inputs: [], inputsTotal: 1, records: nodes.length, rejected: 0, problems: [], observed: { node: 'all' } },
      collected: {
        summary: { nodes: nodes.length, top: Array.from({ length: 20 }, (_, i) => ({ name: `entry ${i}`, count: i })) },
        conditions: drafts.get(source) ?? [],
        coverage: { records: nodes.length, rejected: 0, problems: [], observed: { node: 'all' } },
        series: { nodes: nodes.length, conditions: drafts.get(source)?.length ?? 0 },
      },
      rules: {},
    });
    await snapshots.commit({ snapshot, facts: await packFacts(source === 'hpcm_inventory' ? nodes.map(factsOf) : []) });
    await putAttempt(store, { source, startedAt: toIso(now), endedAt: toIso(now), status: 'ok', snapshot: id });
  }
}

function draftsOf(nodes: readonly string[], moved: number, now: number): Map<Source, ConditionDraft[]> {
  const all = SOURCES.flatMap((source) => KINDS[source].map((kind) => ({ source, kind })));
  const drafts = new Map<Source, ConditionDraft[]>();
  const count = Math.ceil(nodes.length / NODES_A_CONDITION);
  for (let i = 0; i < count; i++) {
    const { source, kind } = all[i % all.length] as (typeof all)[number];
    const node = nodes[(i * NODES_A_CONDITION + (i < moved ? 1 : 0)) % nodes.length] as string;
    const draft: ConditionDraft = {
      kind,
      subject: { type: 'node', id: node },
      ...(kinds.get(kind)?.part !== undefined && { part: 'whole' }),
      message: `${node}: ${kind.replaceAll('_', ' ')}, seen ${i % 50} times since the morning, against a limit of 3`,
      values: { seen: i % 50, limit: 3, share: 0.96 },
      since: toIso(now - 3_600_000),
      ...(source === 'console_logs' && {
        evidence: [{ quote: `[173600.${i}] ${kind}: RIP: 0010:some_function+0x${i.toString(16)}/0x400 [module]` }],
      }),
    };
    const some = drafts.get(source);
    if (some) some.push(draft);
    else drafts.set(source, [draft]);
  }
  return drafts;
}

function factsOf(node: string, index: number): SubjectFacts {
  return {
    subject: { type: 'node', id: node },
    facts: {
      aliases: [`nid${String(index + 1).padStart(6, '0')}`],
      serial: `DMO${index}`,
      bmc: node.replace(/n\d+$/, ''),
      image: 'cos-2026.11',
      bootedImage: 'cos-2026.11',
      kernel: '5.14.21-150500.55.83_13.0.62-cray_shasta_c',
      power: 'booted',
    },
  };
}
