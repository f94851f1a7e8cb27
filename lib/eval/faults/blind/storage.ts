import type { Effects, Fault, Shown } from '../../effects.ts';
import { CONTAINERS_OF_SERVER, driveCount, driveName, DRIVES, FILE_SYSTEMS } from '../../storage.ts';
import type { FaultContext } from '../../effects.ts';
import { ill, perhaps } from './laying.ts';

const DAY = 86_400_000;
const servers: Fault['places'] = ({ storage }) => storage.map((s) => s.name);
const drives: Fault['places'] = ({ storage }) => Array.from({ length: driveCount(storage.length) }, (_, i) => driveName(i));
const numberOf = (drive: string): number => Number(/\d+/.exec(drive)?.[0]);

function whole({ spec }: FaultContext, severity: 'critical' | 'warning' = 'warning'): Shown {
  return ill('cluster', spec.cluster, severity);
}

export const serverDown: Fault = {
  kind: 'storage_server_down',
  author: 'blind',
  class: 'storage',
  title: 'a storage server goes down with all its containers and drives',
  where: 'a storage server',
  places: servers,
  effects: (context) => {
    const { where, topology } = context;
    const first = topology.storage.findIndex((s) => s.name === where) * DRIVES;
    return {
      storageServers: [where],
      shows: [
        whole(context),
        ...CONTAINERS_OF_SERVER.map((c) => ill('container', `${where}/${c}`)),
        ...Array.from({ length: DRIVES }, (_, i) => ill('drive', driveName(first + i))),
        perhaps('server', where),
        perhaps('node', where),
      ],
    };
  },
};

/** Of two servers: some data has no second copy to lose. */
export const twoDrives: Fault = {
  kind: 'two_drives',
  author: 'blind',
  class: 'storage',
  title: 'drives of two servers fail, and some data is one failure away from being lost',
  where: 'a storage server, and the next one',
  places: (topology) => servers(topology).slice(0, -1),
  effects: (context) => {
    const first = context.topology.storage.findIndex((s) => s.name === context.where) * DRIVES;
    const failed = [first + 1, first + DRIVES + 2];
    return { drives: failed, shows: [whole(context, 'critical'), ...failed.map((i) => ill('drive', driveName(i)))] };
  },
};

export const stopped: Fault = {
  kind: 'storage_stopped',
  author: 'blind',
  class: 'storage',
  title: 'the file system serves nobody, and tasks everywhere wait for it',
  where: 'the storage',
  places: () => ['all'],
  effects: (context): Effects => {
    const { from, topology } = context;
    // Of every board one node had something open.
    const waiting = [...topology.boards.values()].flatMap((nodes) => nodes.slice(0, 1)).filter((n) => n.cooling === 'liquid');
    return {
      storageStopped: true,
      console: waiting.map((n, i) => ({
        node: n.name,
        at: from + 130_000 + i * 211,
        lines: [
          'INFO: task hydro.x:21400 blocked for more than 122 seconds.',
          '"echo 0 > /proc/sys/kernel/hung_task_timeout_secs" disables this message.',
        ],
      })),
      shows: [whole(context, 'critical'), ...waiting.map((n) => ill('node', n.name))],
    };
  },
};

export const unwritable: Fault = {
  kind: 'drive_unwritable',
  author: 'blind',
  class: 'storage',
  title: 'a drive is active and takes no writes',
  where: 'a drive',
  places: drives,
  effects: ({ where }) => ({ unwritableDrives: [numberOf(where)], shows: [ill('drive', where)] }),
};

export const wornOut: Fault = {
  kind: 'drive_worn',
  author: 'blind',
  class: 'storage',
  title: 'a drive has used up what it can bear of writes',
  where: 'a drive',
  places: drives,
  effects: ({ where }) => ({ wornDrives: new Map([[numberOf(where), 104]]), shows: [ill('drive', where)] }),
};

export const filling: Fault = {
  kind: 'fs_filling',
  author: 'blind',
  class: 'storage',
  title: 'a file system fills up within hours',
  where: 'a file system',
  places: () => FILE_SYSTEMS.filter((fs) => fs.bytes > 0).map((fs) => fs.name),
  effects: ({ where, spec }) => ({
    fileSystems: new Map([[where, { from: 0.72, to: 0.985, over: DAY / 6 }]]),
    shows: [{ ...ill('filesystem', where), settles: DAY / 6 }, perhaps('cluster', spec.cluster)],
  }),
};

export const objectStoreLost: Fault = {
  kind: 'object_store_lost',
  author: 'blind',
  class: 'storage',
  title: 'the object store behind the file system is out of reach',
  where: 'the object store',
  places: () => ['archive-s3'],
  effects: ({ where, spec }) => ({
    objectStore: 'down',
    shows: [{ ...ill('bucket', where), alias: spec.cluster }],
  }),
};

export const licenceEnds: Fault = {
  kind: 'licence_ends',
  author: 'blind',
  class: 'storage',
  title: "the storage's licence ends within days",
  where: 'the storage',
  places: () => ['all'],
  effects: (context) => ({ licenceDays: 3, shows: [whole(context)] }),
};
