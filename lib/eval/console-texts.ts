import type { Image } from './images.ts';
import type { Random } from './random.ts';
import type { Node } from './topology.ts';

/*
 * What nodes say on their serial consoles. Lines of the kernel stand without its clock, which is put before them where
 * they are written; a pair is a line that comes so many ms after the first.
 */
export type Line = string | readonly [after: number, line: string];

/** Something that is said at one moment. */
export interface Saying {
  at: number;
  /** `kernel` lines get its clock; others stand as they are. `server`: a line of the console server itself. */
  by: 'kernel' | 'console' | 'server';
  lines: readonly Line[];
  /** The login prompt stands again behind it. */
  prompt: boolean;
}

/** Firmware, kernel and services of a boot, from the network boot to the prompt. Its kernel's clock starts at zero. */
export function bootLines(node: Node, image: Pick<Image, 'name' | 'kernel'>): string[] {
  const mac = `00:40:a6:83:${((node.ordinal >> 8) & 255).toString(16).padStart(2, '0')}:${(node.ordinal & 255).toString(16).padStart(2, '0')}`;
  return [
    `>>Start PXE over IPv4 on MAC: ${mac}.`,
    '  NBP file downloaded successfully.',
    `Configuring (net0 ${mac})...... ok`,
    `[    0.000000] Linux version ${image.kernel} (geeko@buildhost) (gcc (SUSE Linux) 7.5.0, GNU ld 2.39) #1 SMP PREEMPT_DYNAMIC`,
    `[    0.000000] Command line: BOOT_IMAGE=kernel console=ttyS0,115200 bad_page=panic crashkernel=512M hugepagelist=2m-2g intel_iommu=off iommu=pt ip=dhcp numa_interleave_omit=headless oops=panic pageblock_order=14 panic=10 rd.neednet=1 rd.retry=10 rd.shell softlockup_panic=0 root=live:nfs:10.1.0.1:/opt/clmgr/image/images_ro_nfs/${image.name}`,
    '[    0.013512] mce: CPU supports 28 MCE banks',
    '[    0.241003] NMI watchdog: Enabled. Permanently consumes one hw-PMU counter.',
    '[    1.902144] pcieport 0000:00:01.1: AER: enabled with IRQ 27',
    '[    2.310552] EDAC MC0: Giving out device to module amd64_edac controller F19h: DEV 0000:00:18.3 (INTERRUPT)',
    '[    3.004113] ata3: SATA link down (SStatus 0 SControl 300)',
    '[    3.004988] ata4: SATA link down (SStatus 0 SControl 300)',
    '[\u001b[0;32m  OK  \u001b[0m] Reached target Basic System.',
    '[   14.220187] cxi_ss1 0000:c1:00.0: cxi0[hsn0] CXI_EVENT_LINK_UP',
    '[   15.017744] cxi_rh[881]: CXI retry handler version: 2.2.0',
    '[   15.018001] cxi_rh[881]: using config file: /etc/cxi_rh.conf',
    '[   21.770120] wekafsio: loading out-of-tree module taints kernel.',
    '[\u001b[0;32m  OK  \u001b[0m] Started \u001b[0;1;39mOpenSSH Daemon\u001b[0m.',
    '[\u001b[0;32m  OK  \u001b[0m] Reached target \u001b[0;1;39mMulti-User System\u001b[0m.',
    '',
    'SUSE Linux Enterprise Server 15 SP5  (x86_64) - Kernel %r (ttyS0).',
    '',
  ];
}

/** The last words of an orderly shutdown. */
export const SHUTDOWN_LINES: readonly Line[] = [
  'systemd-shutdown[1]: Sending SIGTERM to remaining processes...',
  [400, 'watchdog: watchdog0: watchdog did not stop!'],
  [500, 'dracut Warning: Killing all remaining processes'],
  [800, 'reboot: Restarting system'],
];

export const POWER_OFF_LINES: readonly Line[] = ['systemd-shutdown[1]: Powering off.', [800, 'reboot: Power down']];

/** Words of a healthy day: what worries nobody, and what only looks as if it should. */
export function benignSaying(node: Node, at: number, random: Random): Saying {
  const kernel = (...lines: Line[]): Saying => ({ at, by: 'kernel', lines, prompt: true });
  const pid = random.int(10_000, 60_000);
  const job = random.int(1000, 9999);
  const sayings: (() => Saying)[] = [
    () => kernel('perf: interrupt took too long (2503 > 2500), lowering kernel.perf_event_max_sample_rate to 79750'),
    () =>
      kernel(
        'solver invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0',
        `oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=job_${job},mems_allowed=0-7,oom_memcg=/pbs_jobs.service/jobid/${job}.pbs,task_memcg=/pbs_jobs.service/jobid/${job}.pbs,task=solver,pid=${pid},uid=20017`,
        `Memory cgroup out of memory: Killed process ${pid} (solver) total-vm:262144000kB, anon-rss:251658240kB, file-rss:2048kB, shmem-rss:0kB, UID:20017 pgtables:491520kB oom_score_adj:0`,
      ),
    () =>
      kernel(
        'mce: [Hardware Error]: Machine check events logged',
        `EDAC MC0: 1 CE on mc#0csrow#1channel#${random.int(0, 7)} (csrow:1 channel:3 page:0x1b3d2c offset:0x8c0 grain:64 syndrome:0x8b)`,
      ),
    () => kernel('cxi_ss1 0000:c1:00.0: cxi0[hsn0] CXI_EVENT_LINK_DOWN', [9654, 'cxi_ss1 0000:c1:00.0: cxi0[hsn0] CXI_EVENT_LINK_UP']),
    // Not the server of its root: that one is said to be well only when it is.
    () => kernel('nfs: server 10.1.0.9 not responding, still trying', [12_004, 'nfs: server 10.1.0.9 OK']),
    () => kernel('pcieport 0000:40:01.1: AER: Multiple Corrected error message received from 0000:41:00.0'),
    () => kernel('INFO: NMI handler (perf_event_nmi_handler) took too long to run: 1.204 msecs'),
    () => kernel('cxi_rh[6702]: RH: retry completed for sct=2253 (nid=301808)'),
    () => ({
      at,
      by: 'console',
      lines: [
        'root',
        'Password: ',
        'Last login: Sat Nov 28 09:20:11 MST 2026 from 10.1.0.1',
        `${node.name}:~ # cat /var/log/messages-20261120 | grep -i panic`,
        `Nov 20 03:12:09 ${node.alias} kernel: [88123.412001] Kernel panic - not syncing: Fatal exception in interrupt`,
        '[88123.412001] Kernel panic - not syncing: Fatal exception in interrupt',
        '[88123.700120] ---[ end Kernel panic - not syncing: Fatal exception in interrupt ]---',
        `${node.name}:~ # exit`,
        'logout',
        '',
      ],
      prompt: true,
    }),
  ];
  if (node.gpus > 0) {
    sayings.push(() =>
      kernel(
        `NVRM: Xid (PCI:0000:41:00): 13, pid=${pid}, name=train.py, Graphics SM Warp Exception on (GPC 2, TPC 1, SM 0): Out Of Range Address`,
        [280, `NVRM: Xid (PCI:0000:41:00): 45, pid=${pid}, name=train.py, Ch 00000008`],
      ),
    );
  }
  return random.pick(sayings)();
}
