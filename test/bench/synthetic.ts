import type { Condition } from '../../lib/model/condition.ts';
import { conditionId } from '../../lib/model/identity.ts';
import type { Snapshot } from '../../lib/model/snapshot.ts';
import { toIso, toTimeId } from '../../lib/model/time.ts';

/** A snapshot with so many conditions, of the size that they have in truth. */
export function syntheticSnapshot(source: string, at: number, conditions: number, from = 0): Omit<Snapshot, 'facts' | 'previous'> {
  const id = toTimeId(at);
  return {
    schema: 'hpc-observer/snapshot/1',
    source,
    cluster: 'bench',
    id,
    collectedAt: toIso(at),
    asOf: toIso(at),
    asOfFrom: 'data',
    status: 'ok',
    coverage: { inputs: [], inputsTotal: 1, records: conditions, rejected: 0, problems: [], observed: { node: 'all' } },
    summary: { total: conditions, top: Array.from({ length: 40 }, (_, i) => ({ name: `kind ${i}`, count: i })) },
    conditions: Array.from({ length: conditions }, (_, i): Condition => {
      const subject = { type: 'node', id: `x${1000 + Math.floor((from + i) / 256)}c0s0b0n${(from + i) % 256}` };
      return {
        id: conditionId({ cluster: 'bench', kind: 'node_off', subject }),
        kind: 'node_off',
        subject,
        severity: 'warning',
        message: `${subject.id} is powered off since the morning, though nobody took it out of service`,
        values: { power: 'off', seen: i },
        since: toIso(at),
        lastSeen: toIso(at),
        count: 1,
        evidence: [{ ref: `${source}@${id}#/conditions/${i}/values` }],
        hint: 'Look at its power and at the BMC before anything else; compare with what the scheduler says.',
      };
    }),
    cleared: [],
    series: {},
  };
}
