import type { Fault } from '../../effects.ts';
import { again, ill, perhaps, said, withGpus } from './laying.ts';

export const machineCheck = said({
  kind: 'machine_check',
  class: 'memory',
  title: 'an uncorrectable memory error stops a node',
  trouble: { loss: 'dead', ends: 'reset' },
  words: () => [
    'mce: [Hardware Error]: CPU 12: Machine Check Exception: 5 Bank 7: be00000000800400',
    'mce: [Hardware Error]: RIP !INEXACT! 10:<ffffffff81aa3f2e> {mwait_idle_with_hints.constprop.0+0x4e/0x90}',
    'mce: [Hardware Error]: TSC 8a1f3c2290 MISC 86 PPIN 2b5a1c0000000000',
    'mce: [Hardware Error]: PROCESSOR 2:a20f12 TIME 1796000000 SOCKET 0 APIC 18 microcode a20120e',
    'Kernel panic - not syncing: Fatal machine check',
    '---[ end Kernel panic - not syncing: Fatal machine check ]---',
  ],
});

export const memoryUncorrected = said({
  kind: 'memory_uncorrected',
  class: 'memory',
  title: 'a page of memory is lost to an uncorrectable error, and the node lives on',
  severity: 'warning',
  words: () => [
    '{1}[Hardware Error]: Hardware error from APEI Generic Hardware Error Source: 0',
    '{1}[Hardware Error]: event severity: recoverable',
    '{1}[Hardware Error]:  Error 0, type: recoverable',
    '{1}[Hardware Error]:   section_type: memory error',
    '{1}[Hardware Error]:   DIMM location: P0 DIMM_C1',
    'Memory failure: 0x2f4a1c: recovery action for dirty LRU page: Recovered',
  ],
});

export const correctedStorm = said({
  kind: 'corrected_storm',
  class: 'memory',
  title: 'a DIMM has its errors corrected by the hundred',
  severity: 'warning',
  words: (context) =>
    again(context, 120_000, (nth) => ({
      node: context.where,
      lines: [
        'mce: [Hardware Error]: Machine check events logged',
        `EDAC MC0: ${12 + (nth % 7)} CE on P0_DIMM_C1 (channel:2 slot:0 page:0x1b3d2c offset:0x8c0 grain:64 syndrome:0x8b)`,
      ],
    })),
});

export const pcieFatal = said({
  kind: 'pcie_fatal',
  class: 'node',
  title: 'a device falls off the bus with a fatal error',
  words: () => [
    'pcieport 0000:40:01.1: AER: Uncorrected (Fatal) error message received from 0000:41:00.0',
    'cxi_ss1 0000:41:00.0: PCIe Bus Error: severity=Uncorrected (Fatal), type=Transaction Layer, (Requester ID)',
    'cxi_ss1 0000:41:00.0:   device [17db:0501] error status/mask=00004000/00000000',
    'cxi_ss1 0000:41:00.0:    [14] CmpltTO                (First)',
  ],
});

export const throttled = said({
  kind: 'throttled',
  class: 'plant',
  title: 'a processor gets too hot and is slowed down',
  severity: 'warning',
  trouble: { heat: 40 },
  words: (context) =>
    again(context, 300_000, (nth) => ({
      node: context.where,
      lines: [`CPU12: Package temperature is above threshold, cpu clock is throttled (total events = ${4000 + nth * 731})`],
    })),
});

export const nvmeDead = said({
  kind: 'nvme_dead',
  class: 'node',
  title: 'the local drive of a node is gone',
  words: () => [
    'nvme nvme0: I/O tag 311 (1137) opcode 0x2 (I/O Cmd) QID 14 timeout, aborting req_op:READ(0) size:131072',
    'nvme nvme0: controller is down; will reset: CSTS=0xffffffff, PCI_STATUS=0xffff',
    'nvme nvme0: Disabling device after reset failure: -19',
    'I/O error, dev nvme0n1, sector 220210816 op 0x0:(READ) flags 0x80700 phys_seg 4 prio class 2',
    'Buffer I/O error on dev nvme0n1p1, logical block 27526352, async page read',
  ],
});

export const xfsShutdown = said({
  kind: 'xfs_shutdown',
  class: 'node',
  title: 'the local file system of a node shuts itself down',
  words: () => [
    'XFS (nvme0n1p1): Metadata I/O Error (0x1) detected at xfs_trans_read_buf_map+0x1a8/0x320 [xfs] (fs/xfs/xfs_trans_buf.c:296).  Shutting down filesystem.',
    'XFS (nvme0n1p1): Please unmount the filesystem and rectify the problem(s)',
  ],
});

export const readOnly = said({
  kind: 'fs_read_only',
  class: 'node',
  title: 'a local file system has an error and takes no writes any more',
  words: () => [
    'EXT4-fs error (device sda2): ext4_journal_check_start:83: comm systemd-journal: Detected aborted journal',
    'EXT4-fs (sda2): Remounting filesystem read-only',
  ],
});

export const gpuDoubleBit = said({
  kind: 'gpu_double_bit',
  class: 'gpu',
  title: "two bits of a GPU's memory flip at once",
  where: 'a node with GPUs',
  places: withGpus,
  trouble: { ends: 'reboot' },
  words: () => [
    'NVRM: Xid (PCI:0000:41:00): 48, pid=1822, name=nvidia-smi, An uncorrectable double bit error (DBE) has been detected on GPU in the framebuffer at partition 3, subpartition 1.',
    'NVRM: Xid (PCI:0000:41:00): 63, pid=1822, name=nvidia-smi, Row Remapper: New row (0x0000000002a6c1e4) marked for remapping, reset gpu to activate.',
    'NVRM: Xid (PCI:0000:41:00): 45, pid=30211, name=train.py, Ch 00000010',
  ],
});

export const gpuSilent = said({
  kind: 'gpu_silent',
  class: 'gpu',
  title: "a GPU's own processor answers no calls",
  where: 'a node with GPUs',
  places: withGpus,
  trouble: { ends: 'reboot' },
  words: () => [
    'NVRM: Xid (PCI:0000:c1:00): 119, pid=2214, name=train.py, Timeout after 6s of waiting for RPC response from GPU2 GSP! Expected function 76 (GSP_RM_CONTROL) (0x20802068 0x4).',
    'NVRM: GPU2 GSP RPC buffer contains function 76 (GSP_RM_CONTROL) and data 0x0000000020802068 0x0000000000000004.',
    'NVRM: Xid (PCI:0000:c1:00): 119, pid=2214, name=train.py, Timeout after 6s of waiting for RPC response from GPU2 GSP! Expected function 10 (FREE) (0xa55a0010 0x0).',
  ],
});

export const nicCritical = said({
  kind: 'nic_critical',
  class: 'network',
  title: 'an error of a network interface leaves it of no use until a power cycle',
  words: () => [
    'cxi_ss1 0000:c1:00.0: cxi0[hsn0]: C_EC_CRIT: C_PI_ERR_FLG error: uncor (38)',
    'cxi_ss1 0000:c1:00.0: cxi0[hsn0]: C_PI_ERR_FLG pri_parity: 1',
  ],
  more: ({ where }) => ({ nodes: new Map([[where, { ends: 'reset' as const }]]) }),
});

export const laneDegraded = said({
  kind: 'lane_degraded',
  class: 'network',
  title: 'a lane of a link degrades',
  severity: 'warning',
  words: (context) =>
    again(context, 1_200_000, () => ({
      node: context.where,
      lines: [
        'cxi_ss1 0000:c1:00.0: cxi0[hsn0] tx degrade alert, lane degrade occurred',
        'cxi_ss1 0000:c1:00.0: cxi0[hsn0] rx degrade failure alert',
      ],
    })),
});

export const linkDown = said({
  kind: 'link_down',
  class: 'network',
  title: 'the link of a node goes down and stays so',
  trouble: { loss: 'cut off' },
  words: ({ where, from, until }) => [
    {
      node: where,
      at: from,
      lines: [
        'cxi_ss1 0000:c1:00.0: cxi0[hsn0] lmon taking link down (reason lmon/ucw, bl: up)',
        'cxi_ss1 0000:c1:00.0: cxi0[hsn0] CXI_EVENT_LINK_DOWN',
      ],
    },
    ...(Number.isFinite(until) ? [{ node: where, at: until, lines: ['cxi_ss1 0000:c1:00.0: cxi0[hsn0] CXI_EVENT_LINK_UP'] }] : []),
  ],
});

export const retryHandlerDead = said({
  kind: 'retry_handler_dead',
  class: 'network',
  title: 'what repeats lost packets has died: the node must be rebooted',
  trouble: { ends: 'reboot' },
  words: ({ where, from }) => [
    {
      node: where,
      at: from,
      clock: 'own' as const,
      lines: [
        '[88120.114204] cxi_rh[881]: fatal error: unexpected NACK type 7 for sct=2253',
        '[88120.114377] systemd[1]: cxi_rh@cxi0.service: Main process exited, code=exited, status=1/FAILURE',
      ],
    },
  ],
});

export const frontEndsDown = said({
  kind: 'front_ends_down',
  class: 'storage',
  title: 'a node has lost its front ends to the storage',
  words: (context) =>
    again(context, 1_800_000, () => ({ node: context.where, lines: ['wekafsio: wekafs_fe_monitor: ALL FEs down, failing requests'] })),
  more: ({ where }) => ({ shows: [perhaps('container', `${where}/client`)] }),
});

export const moduleHot = said({
  kind: 'module_hot',
  class: 'network',
  title: 'the cable module of a network interface is too hot',
  severity: 'warning',
  words: () => ['mlx5_core 0000:21:00.0: Port module event[error]: module 0, Cable error, High Temperature'],
});

/** Every node that mounts from the leader waits for it at the same time. */
export const leaderSlow: Fault = {
  kind: 'leader_slow',
  author: 'blind',
  class: 'storage',
  title: 'the leader that serves a chassis its root file system does not answer',
  where: 'a liquid-cooled chassis',
  places: ({ chassis }) => [...chassis.keys()],
  effects: ({ where, from, until, topology }) => {
    const nodes = topology.chassis.get(where) ?? [];
    return {
      console: nodes.flatMap((n, i) => [
        { node: n.name, at: from + i * 31, lines: ['nfs: server 10.1.0.1 not responding, still trying'] },
        ...(Number.isFinite(until) ? [{ node: n.name, at: until + i * 17, lines: ['nfs: server 10.1.0.1 OK'] }] : []),
      ]),
      shows: nodes.map((n) => ill('node', n.name)),
    };
  },
};
