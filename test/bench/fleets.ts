import { FAULTS } from '../../lib/eval/faults/index.ts';
import { DAY, type FaultSpec, HOUR, SPEC_DEFAULTS } from '../../lib/eval/spec.ts';

/** Faults that come as often as there are nodes, per 1,000 of them; all others that are laid on the cluster come once. */
const PER_THOUSAND: Readonly<Record<string, number>> = {
  kernel_panic: 4,
  node_off: 2,
  mom_down: 4,
  node_offline: 8,
  image_drift: 6,
  gpu_xid: 3,
  oom: 4,
  temperature: 3,
  switch_lost: 0.25,
};

/** Faults that reach a whole fleet, or hundreds of nodes of any: their conditions would be most of all that there are. */
const FLEET_WIDE: ReadonlySet<string> = new Set(['storage_stopped', 'supply_warm', 'supply_rises']);

/** Kinds of faults that are laid on the cluster, not on a source of it. */
export const CLUSTER_KINDS: readonly string[] = FAULTS.map(({ kind }) => kind).filter((kind) => !kind.startsWith('source_'));
const LOCAL_KINDS = CLUSTER_KINDS.filter((kind) => !FLEET_WIDE.has(kind));

/** The faults of a bad day: with the everyday noise about 3,000 conditions are open on 12,000 nodes. */
export function badDay(size: number, kinds: readonly string[] = LOCAL_KINDS): FaultSpec[] {
  const { start } = SPEC_DEFAULTS;
  return kinds.flatMap((kind) =>
    Array.from({ length: Math.max(1, Math.round(((PER_THOUSAND[kind] ?? 0) * size) / 1000)) }, (_, i) => ({
      kind,
      // Links judged by what is so now have begun lately; the rest fell out over the day.
      from: kind === 'hsn_link_flap' ? start + 22 * HOUR : start + 6 * HOUR + ((i * 17) % 60) * 600_000,
      until: start + 30 * DAY,
    })),
  );
}
