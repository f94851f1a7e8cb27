import type { Effects, Fault, FaultContext, NodeTrouble } from '../effects.ts';
import { COMPUTE, FORMER } from '../images.ts';
import type { Topology } from '../topology.ts';

/*
 * Faults of single nodes. What follows from a node's loss in every source is worked out where sources are written; here
 * stands what happened, and the words that the node itself had for it.
 */

const liquidNodes = ({ nodes }: Topology): string[] => nodes.filter((n) => n.cooling === 'liquid').map((n) => n.name);

function trouble(where: string, what: NodeTrouble): Pick<Effects, 'nodes'> {
  return { nodes: new Map([[where, what]]) };
}

function onNode(where: string): { type: string; id: string } {
  return { type: 'node', id: where };
}

const TAINTED = `Tainted: G           OE     ${COMPUTE.kernel} #1`;

export const kernelPanic: Fault = {
  kind: 'kernel_panic',
  class: 'node',
  title: 'a kernel panics in a file system client, and the node stays down',
  where: 'a node',
  places: liquidNodes,
  effects: ({ where, from, random }) => ({
    ...trouble(where, { loss: 'dead', ends: 'reset' }),
    console: [
      {
        node: where,
        at: from,
        lines: [
          'BUG: kernel NULL pointer dereference, address: 0000000000000048',
          '#PF: supervisor read access in kernel mode',
          '#PF: error_code(0x0000) - not-present page',
          'PGD 0 P4D 0',
          'Oops: 0000 [#1] PREEMPT SMP NOPTI',
          `CPU: ${random.int(0, 127)} PID: ${random.int(10_000, 60_000)} Comm: hydro.x Kdump: loaded ${TAINTED}`,
          'Hardware name: HPE HPE CRAY EX425/HPE CRAY EX425, BIOS 1.8.2 03/14/2026',
          'RIP: 0010:wekafs_readpage_done+0x38/0x1c0 [wekafsio]',
          'Call Trace:',
          ' <TASK>',
          ' wekafs_complete_io+0x91/0x140 [wekafsio]',
          ' process_one_work+0x1f4/0x3e0',
          ' kthread+0x11d/0x140',
          ' </TASK>',
          '---[ end trace 0000000000000000 ]---',
          'Kernel panic - not syncing: Fatal exception',
          'Kernel Offset: 0x2a000000 from 0xffffffff81000000 (relocation range: 0xffffffff80000000-0xffffffffbfffffff)',
          '---[ end Kernel panic - not syncing: Fatal exception ]---',
        ],
      },
    ],
    shows: [
      { kind: 'kernel_panic', subject: onNode(where) },
      { kind: 'kernel_oops', subject: onNode(where), maybe: true },
    ],
  }),
};

export const oom: Fault = {
  kind: 'oom',
  class: 'memory',
  title: 'a node runs out of memory as a whole',
  where: 'a node',
  places: liquidNodes,
  effects: ({ where, from, random }) => {
    const pid = random.int(10_000, 60_000);
    return {
      console: [
        {
          node: where,
          at: from,
          lines: [
            'hydro.x invoked oom-killer: gfp_mask=0x1100cca(GFP_HIGHUSER_MOVABLE), order=0, oom_score_adj=0',
            `CPU: 12 PID: ${pid} Comm: hydro.x ${TAINTED}`,
            'Mem-Info:',
            'active_anon:32120 inactive_anon:63110022 isolated_anon:0',
            `oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=job_518,mems_allowed=0-7,global_oom,task_memcg=/pbs_jobs.service/jobid/518.pbs,task=hydro.x,pid=${pid},uid=20031`,
            `Out of memory: Killed process ${pid} (hydro.x) total-vm:264144000kB, anon-rss:251958240kB, file-rss:0kB, shmem-rss:0kB, UID:20031 pgtables:491520kB oom_score_adj:0`,
          ],
        },
      ],
      shows: [{ kind: 'oom', subject: onNode(where) }],
      lingers: [{ kind: 'oom', subject: onNode(where) }],
    };
  },
};

export const gpuXid: Fault = {
  kind: 'gpu_xid',
  class: 'gpu',
  title: 'a GPU falls off the bus; the node is rebooted in the end',
  where: 'a node with GPUs',
  places: ({ nodes }) => nodes.filter((n) => n.gpus > 0).map((n) => n.name),
  effects: ({ where, from }) => ({
    ...trouble(where, { ends: 'reboot' }),
    console: [
      {
        node: where,
        at: from,
        lines: [
          'NVRM: GPU at PCI:0000:85:00: GPU-3f7d2c11-0000-4d2e-9a55-7a1b2c3d4e5f',
          'NVRM: GPU Board Serial Number: 1650000000001',
          "NVRM: Xid (PCI:0000:85:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.",
          'NVRM: GPU 0000:85:00.0: GPU has fallen off the bus.',
          'NVRM: A GPU crash dump has been created. If possible, please run',
        ],
      },
    ],
    shows: [{ kind: 'gpu_xid', subject: onNode(where) }],
  }),
};

/** How often a bad link goes down; three times in ten minutes are a flap. */
const FLAP_EVERY = 170_000;

export const linkFlap: Fault = {
  kind: 'hsn_link_flap',
  class: 'network',
  title: 'a link of the high-speed network goes up and down',
  where: 'a node',
  places: liquidNodes,
  effects: ({ where, from, until }) => {
    const end = Math.min(until, from + 30 * 864e5);
    const flaps = Array.from({ length: Math.ceil((end - from) / FLAP_EVERY) }, (_, i) => from + i * FLAP_EVERY);
    return {
      console: flaps.flatMap((at) => [
        { node: where, at, lines: ['cxi_ss1 0000:c1:00.0: cxi0[hsn0] CXI_EVENT_LINK_DOWN'] },
        { node: where, at: at + 9654, lines: ['cxi_ss1 0000:c1:00.0: cxi0[hsn0] CXI_EVENT_LINK_UP'] },
      ]),
      shows: [
        { kind: 'hsn_link_flap', subject: onNode(where) },
        // At the moment of looking the link may be down.
        { kind: 'hsn_link_down', subject: onNode(where), maybe: true },
      ],
      lingers: [{ kind: 'hsn_link_flap', subject: onNode(where) }],
    };
  },
};

export const nodeOff: Fault = {
  kind: 'node_off',
  class: 'node',
  title: 'a node loses its power',
  where: 'a node',
  places: ({ nodes }) => nodes.map((n) => n.name),
  effects: ({ where }) => trouble(where, { loss: 'off', ends: 'reset' }),
};

export const momDown: Fault = {
  kind: 'mom_down',
  class: 'scheduler',
  title: "a node's scheduler daemon dies, and nothing else",
  where: 'a node',
  places: liquidNodes,
  effects: ({ where }) => trouble(where, { momDown: true }),
};

export const nodeOffline: Fault = {
  kind: 'node_offline',
  class: 'scheduler',
  title: 'somebody takes a node out of service and does not say why',
  where: 'a node',
  places: liquidNodes,
  effects: ({ where }) => ({
    ...trouble(where, { offline: { comment: null } }),
    shows: [{ kind: 'node_offline', subject: onNode(where) }],
  }),
};

export const imageDrift: Fault = {
  kind: 'image_drift',
  class: 'image',
  title: 'a node boots the former image',
  where: 'a node',
  places: liquidNodes,
  effects: ({ where }) => ({
    ...trouble(where, { booted: { image: FORMER.name, kernel: FORMER.kernel }, begins: 'reboot', ends: 'reboot' }),
    shows: [{ kind: 'boot_drift', subject: onNode(where) }],
  }),
};

export const emergencyShell: Fault = {
  kind: 'emergency_shell',
  class: 'image',
  title: 'a node reboots and stops in an emergency shell',
  where: 'a node',
  places: liquidNodes,
  effects: ({ where, from }: FaultContext) => ({
    ...trouble(where, { loss: 'dead', ends: 'reset' }),
    console: [
      { node: where, at: from, lines: ['systemd-shutdown[1]: Sending SIGTERM to remaining processes...', 'reboot: Restarting system'] },
      {
        node: where,
        at: from + 60_000,
        clock: 'own',
        lines: [
          `[    0.000000] Linux version ${COMPUTE.kernel} (geeko@buildhost) (gcc (SUSE Linux) 7.5.0, GNU ld 2.39) #1 SMP PREEMPT_DYNAMIC`,
          `[    0.000000] Command line: BOOT_IMAGE=kernel console=ttyS0,115200 oops=panic panic=10 rd.neednet=1 rd.shell root=live:nfs:10.1.0.1:/opt/clmgr/image/images_ro_nfs/${COMPUTE.name}`,
          '[   31.204101] dracut-initqueue[511]: RTNETLINK answers: File exists',
          '[  129.161675] dracut-initqueue[511]: Warning: dracut-initqueue timeout - starting timeout scripts',
          '[  192.281498] dracut-initqueue[511]: Warning: Could not boot.',
          '         Starting \u001b[0;1;39mDracut Emergency Shell\u001b[0m...',
          'Warning: /dev/root does not exist',
          '',
          'Generating "/run/initramfs/rdsosreport.txt"',
          '',
          'Entering emergency mode. Exit the shell to continue.',
          'Type "journalctl" to view system logs.',
          '',
          'dracut:/# ',
        ],
      },
    ],
    shows: [
      { kind: 'emergency_shell', subject: onNode(where) },
      { kind: 'boot_failed', subject: onNode(where), maybe: true },
    ],
  }),
};

export const nodeHot: Fault = {
  kind: 'temperature',
  class: 'node',
  title: "a node's processors run hot",
  where: 'a liquid-cooled node',
  places: liquidNodes,
  effects: ({ where }) => ({ ...trouble(where, { heat: 36 }), shows: [{ kind: 'temperature_high', subject: onNode(where) }] }),
};
