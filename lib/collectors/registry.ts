import { consoleLogs } from './console_logs/index.ts';
import { hpcmInventory } from './hpcm_inventory/index.ts';
import { kafkaTelemetry } from './kafka_telemetry/index.ts';
import { oneviewAlerts } from './oneview_alerts/index.ts';
import { oneviewInventory } from './oneview_inventory/index.ts';
import { pbsState } from './pbs_state/index.ts';
import { wekaState } from './weka_state/index.ts';
import type { Collector } from '../model/collector.ts';
import type { Kind } from '../model/kind.ts';

/** Every collector, in the order in which reports list them. Adding a source = its file and its line here. */
export const collectors: readonly Collector[] = [
  hpcmInventory,
  wekaState,
  consoleLogs,
  kafkaTelemetry,
  oneviewInventory,
  oneviewAlerts,
  pbsState,
];

const bySource = new Map(collectors.map((c) => [c.source, c]));

/** The collector of a source; undefined for a name that is none. */
export function collectorOf(source: string): Collector | undefined {
  return bySource.get(source);
}

/** What any source can show of itself, whatever it collects. */
const COMMON_KINDS: readonly Kind[] = [
  {
    kind: 'clock_skew',
    title: 'clocks disagree',
    severity: 'warning',
    subjects: ['source', 'cluster'],
    clears: { by: 'absence' },
    hint: 'Compare the clock of the observer with that of the source (chronyc tracking on both); ages and windows are wrong until they agree.',
    provenance: 'own judgement: data dated more than five minutes ahead cannot be aged',
  },
];

/** The kinds of every collector by name; a kind that two sources share is defined alike in both. */
export const collectorKinds: ReadonlyMap<string, Kind> = new Map(
  [...COMMON_KINDS, ...collectors.flatMap((c) => c.kinds)].map((kind) => [kind.kind, kind]),
);
