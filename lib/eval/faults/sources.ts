import type { Fault, Shown } from '../effects.ts';
import type { Topology } from '../topology.ts';

/*
 * Faults of the sources themselves: nothing is wrong with the cluster, and less of it is seen.
 */

/** A source, and the folder that it is written to. */
export const SOURCE_FOLDERS: ReadonlyMap<string, string> = new Map([
  ['hpcm_inventory', 'hpcm/'],
  ['weka_state', 'weka/'],
  ['console_logs', 'consoles/'],
  ['kafka_telemetry', 'telemetry/'],
  ['oneview_inventory', 'oneview/server-hardware/'],
  ['oneview_alerts', 'oneview/alerts/'],
  ['pbs_state', 'pbs/'],
]);

function sourceFault(kind: string, title: string, what: 'late' | 'partial' | 'missing', sources: readonly string[]): Fault {
  return {
    kind,
    class: 'source',
    title,
    where: 'a source',
    places: () => sources,
    effects: ({ where, spec, topology }) => ({ sources: new Map([[where, what]]), shows: showsOf(where, what, spec.cluster, topology) }),
  };
}

/** What is a finding of its own. */
function showsOf(source: string, what: 'late' | 'partial' | 'missing', cluster: string, { nodes }: Topology): Shown[] {
  if (source === 'console_logs' && what === 'late')
    return nodes.map((n) => ({ kind: 'console_silent', subject: { type: 'node', id: n.name }, maybe: true }));
  if (source === 'hpcm_inventory' && what === 'partial')
    return [{ kind: 'inventory_unreadable', subject: { type: 'cluster', id: cluster }, maybe: true }];
  return [];
}

const ALL = [...SOURCE_FOLDERS.keys()];
/** Logs are read from where one stopped: a part of one is no partial source. */
const DOCUMENTS = ALL.filter((source) => source !== 'console_logs' && source !== 'kafka_telemetry');

export const sourceLate = sourceFault('source_late', 'the job that writes a source stops', 'late', ALL);
export const sourcePartial = sourceFault('source_partial', 'the documents of a source are cut short', 'partial', DOCUMENTS);
export const sourceMissing = sourceFault('source_missing', 'the files of a source are gone', 'missing', DOCUMENTS);
