import { parseDuration } from '../model/time.ts';
import { fold } from '../nodeset.ts';
import { isKnownDown, KNOWN_DOWN } from './background.ts';
import { type Expected, expectedAt } from './expected.ts';
import { SOURCE_FOLDERS } from './faults/sources.ts';
import { COMPUTE, SERVICE } from './images.ts';
import { LocalClock } from './local-clock.ts';
import type { Truth } from './scenario.ts';
import { type Plan, planOf } from './plan.ts';
import { consoleFiles } from './sources/consoles.ts';
import { hpcmFiles } from './sources/hpcm.ts';
import { oneviewFiles } from './sources/oneview.ts';
import { pbsFiles } from './sources/pbs.ts';
import { telemetryFiles } from './sources/telemetry.ts';
import { wekaFiles } from './sources/weka.ts';
import { DAY, type FleetSpec } from './spec.ts';
import { holding, type SourceFile, type Tick } from './tick.ts';
import type { Node } from './topology.ts';

/** Where a fleet is written to. */
export interface Sink {
  /** Writes a file whole. */
  put: (file: SourceFile) => void;
  /** Goes on with a file. */
  append: (file: SourceFile) => void;
  /** Takes every file of a folder away but these. */
  only: (folder: string, paths: ReadonlySet<string>) => void;
  /** Takes every file of a folder away. */
  clear: (folder: string) => void;
}

/**
 * A fleet that lives: one folder of raw source files, as the sites' own jobs keep it, brought from look to look. The same
 * specification and the same looks give the same bytes.
 */
export class Fleet {
  readonly plan: Plan;
  readonly #clock: LocalClock;
  /** The look that was written last, ms. */
  #last: number | null;

  /** @param last the look that the folder was left at; null for an empty folder */
  constructor(spec: FleetSpec, last: number | null = null) {
    this.plan = planOf(spec);
    this.#clock = new LocalClock(spec.timezone);
    this.#last = last;
  }

  /** The time of a tick; tick 0 is the start. */
  timeOf(tick: number): number {
    return this.plan.spec.start + tick * this.plan.spec.tick;
  }

  /** Brings the folder to a moment: logs go on, everything else is written anew. */
  write(at: number, sink: Sink): void {
    const tick: Tick = { plan: this.plan, clock: this.#clock, at, before: this.#last };
    const unwell = new Map(
      holding(this.plan, at).flatMap((f) =>
        [...(f.effects.sources ?? [])].map(([source, how]) => [source, { how, from: f.from }] as const),
      ),
    );
    const put = (source: string, filesAt: (tick: Tick) => Iterable<SourceFile>): void => {
      const trouble = unwell.get(source);
      const folder = SOURCE_FOLDERS.get(source) as string;
      if (trouble?.how === 'missing') return sink.clear(folder);
      // What stopped being written stays as it was then; a folder that never was written gets that.
      if (trouble?.how === 'late' && this.#last !== null && this.#last >= trouble.from) return;
      const seen = trouble?.how === 'late' ? { ...tick, at: trouble.from } : tick;
      const files = [...filesAt(seen)];
      // A list that has grown shorter has fewer pages.
      if (!files.some((file) => file.append)) sink.only(folder, new Set(files.map((file) => file.path)));
      for (const file of files) {
        if (file.append) sink.append(file);
        else sink.put(trouble?.how === 'partial' ? { ...file, text: cutShort(file.text) } : file);
      }
    };
    put('hpcm_inventory', hpcmFiles);
    put('weka_state', wekaFiles);
    put('console_logs', consoleFiles);
    put('kafka_telemetry', telemetryFiles);
    const oneview = (folder: string) => (seen: Tick) => oneviewFiles(seen).filter((f) => f.path.startsWith(folder));
    put('oneview_inventory', oneview(SOURCE_FOLDERS.get('oneview_inventory') as string));
    put('oneview_alerts', oneview(SOURCE_FOLDERS.get('oneview_alerts') as string));
    put('pbs_state', pbsFiles);
    this.#last = at;
  }

  /** What a report at a moment should have. */
  expected(at: number): Expected {
    return expectedAt({ plan: this.plan, clock: this.#clock, at, before: null });
  }

  /** The observer's configuration. Paths are relative to the folder; its clock stands at a moment. */
  configuration(at: number): string {
    const { cluster, timezone, nodes } = this.plan.spec;
    const room = nodes > 20_000 ? ', max_input: 256MiB' : '';
    return `# A generated cluster of ${nodes} nodes. Paths are relative to this file.
cluster: ${cluster}
timezone: ${timezone}
node_domains: [hsn.cm.demo.test]
ground_truth: fleet.yaml
clock: ${new Date(at).toISOString()}
state: { root: state }
reports: { root: reports }
sources:
  hpcm_inventory:    { path: hpcm${room} }
  weka_state:        { path: weka }
  console_logs:      { path: consoles, first_sight: all }
  kafka_telemetry:   { path: telemetry }
  oneview_inventory: { path: oneview/server-hardware }
  oneview_alerts:    { path: oneview/alerts }
  pbs_state:         { path: pbs${room} }
`;
  }

  /** What the site knows: fleet, roles, topology, and the nodes that are known to be down. */
  groundTruth(truth: Truth = {}): string {
    const { spec, topology } = this.plan;
    const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
    const set = (nodes: Iterable<{ name: string }>): string => JSON.stringify(fold([...nodes].map((n) => n.name)));
    const places = (type: string, members: ReadonlyMap<string, readonly Node[]>): string =>
      members.size === 0 ? '' : `  ${type}:\n${[...members].map(([name, nodes]) => `    ${name}: ${set(nodes)}\n`).join('')}`;
    const down = topology.nodes.filter(isKnownDown);
    const at = (since: string): string => new Date(spec.start + parseDuration(since)).toISOString();
    const others = (truth.known_down ?? []).map(
      ({ nodes, reason }) => `  - nodes: ${nodes}
    reason: ${reason}
    owner: ${KNOWN_DOWN.owner}
    created: ${day(spec.start - 10 * DAY)}
    expires: ${day(spec.start + 60 * DAY)}
`,
    );
    const maintenance = (truth.maintenance ?? []).map(
      ({ nodes, from, until }) => `  - nodes: ${nodes}
    reason: exchange of a part
    owner: ${KNOWN_DOWN.owner}
    created: ${day(spec.start - DAY)}
    from: ${at(from)}
    until: ${at(until)}
`,
    );
    return `# What the site expects of ${spec.cluster}.
fleet:
  - { nodes: ${set(topology.nodes)}, role: compute }
  - { nodes: ${set(topology.services.filter((s) => s.role !== 'storage'))}, role: service }
  - { nodes: ${set(topology.storage)}, role: storage }

roles:
  compute: { image: ${truth.image ?? COMPUTE.name} }
  service: { image: ${SERVICE.name} }
  storage: {}

${truth.no_topology ? '' : `topology:\n${places('switch', topology.switches)}${places('pdu', topology.pdus)}${places('cdu', topology.cdus)}`}
known_down:
  - nodes: ${set(down)}
    reason: ${KNOWN_DOWN.reason}
    owner: ${KNOWN_DOWN.owner}
    created: ${day(spec.start - 10 * DAY)}
    expires: ${day(spec.start + 60 * DAY)}
    ticket: ${KNOWN_DOWN.ticket}
${others.join('')}${maintenance.length > 0 ? `\nmaintenance:\n${maintenance.join('')}` : ''}`;
  }
}

/** The first half or so of a text. */
function* cutShort(text: Iterable<string>): Iterable<string> {
  const whole = [...text].join('');
  yield whole.slice(0, Math.floor(whole.length * 0.6));
}
