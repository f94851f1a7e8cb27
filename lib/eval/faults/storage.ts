import type { Fault, Shown } from '../effects.ts';
import { driveCount, driveName, FILE_SYSTEMS } from '../storage.ts';

/*
 * Faults of the parallel file system.
 */

/** What any loss of a part does to the whole; the name of the cluster is that of the fleet. */
function degraded(cluster: string): Shown {
  return { kind: 'storage_degraded', subject: { type: 'cluster', id: cluster } };
}

export const driveFailed: Fault = {
  kind: 'drive_failed',
  class: 'storage',
  title: 'a drive of the storage fails, and its data is rebuilt',
  where: 'a drive',
  places: ({ storage }) => Array.from({ length: driveCount(storage.length) }, (_, i) => driveName(i)),
  effects: ({ where, spec }) => ({
    drives: [Number(/\d+/.exec(where)?.[0])],
    shows: [{ kind: 'drive_failed', subject: { type: 'drive', id: where } }, degraded(spec.cluster)],
  }),
};

export const containerDown: Fault = {
  kind: 'container_down',
  class: 'storage',
  title: 'a storage server loses its compute container',
  where: 'a storage server',
  places: ({ storage }) => storage.map((s) => s.name),
  effects: ({ where, spec }) => ({
    containers: [where],
    shows: [{ kind: 'container_down', subject: { type: 'container', id: `${where}/compute0` } }, degraded(spec.cluster)],
  }),
};

export const fileSystemFull: Fault = {
  kind: 'fs_full',
  class: 'storage',
  title: 'a file system is nearly full',
  where: 'a file system',
  places: () => FILE_SYSTEMS.filter((fs) => fs.bytes > 0).map((fs) => fs.name),
  effects: ({ where, spec }) => ({
    fileSystems: new Map([[where, 0.965]]),
    shows: [
      { kind: 'fs_full', subject: { type: 'filesystem', id: where } },
      { kind: 'capacity_high', subject: { type: 'cluster', id: spec.cluster }, maybe: true },
      { kind: 'capacity_forecast', subject: { type: 'filesystem', id: where }, maybe: true },
      { kind: 'capacity_forecast', subject: { type: 'cluster', id: spec.cluster }, maybe: true },
    ],
  }),
};
