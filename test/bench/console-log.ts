import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { LocalClock } from '../../lib/eval/local-clock.ts';
import { Random } from '../../lib/eval/random.ts';

/*
 * Console logs of a wanted size with a known number of faults, as conserver (bare lines and marks) and conman (a stamp
 * before each line) write them: mostly what kernels, services and programs say on any day, a little that looks like a
 * fault and is none, and few faults.
 */

export const LOG_END = Date.parse('2026-11-30T08:45:00.000Z');
export const LOG_ZONE = 'America/Denver';
const SPAN = 20 * 3_600_000;
const MARK = 900_000;
/** So many bytes make one node's log. */
const LOG_BYTES = 2_500_000;
/** The shares of lines that look like faults, and that carry colours as systemd sets them. */
const LOOKALIKES = 0.01;
const COLOURED = 0.03;

/** Something that breaks, and how many events it is. */
interface Fault {
  kind: string;
  events: number;
  lines: readonly string[];
}

const FAULTS: readonly Fault[] = [
  {
    kind: 'kernel_oops',
    events: 1,
    lines: [
      'BUG: unable to handle page fault for address: ffffc900017cbf58',
      '#PF: supervisor read access in kernel mode',
      '#PF: error_code(0x0000) - not-present page',
      'Oops: 0000 [#1] PREEMPT SMP NOPTI',
      'CPU: 11 PID: 40211 Comm: ptlrpcd_00_03 Tainted: P           OE      5.14.21-150500.55.83_13.0.62-cray_shasta_c #1',
      'RIP: 0010:ldlm_lock_decref_internal+0x2a/0x9d0 [ptlrpc]',
      'Call Trace:',
      ' <TASK>',
      ' ldlm_lock_decref+0x3e/0x90 [ptlrpc]',
      ' osc_extent_finish+0x4a1/0xaa0 [osc]',
      ' kthread+0x156/0x180',
      ' </TASK>',
      '---[ end trace 0000000000000000 ]---',
    ],
  },
  {
    kind: 'gpu_xid',
    events: 1,
    lines: ["NVRM: Xid (PCI:0000:41:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."],
  },
  {
    kind: 'oom',
    events: 1,
    lines: [
      'solver invoked oom-killer: gfp_mask=0x140cca(GFP_HIGHUSER_MOVABLE|__GFP_COMP), order=0, oom_score_adj=0',
      'Mem-Info:',
      'oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0-7,global_oom,task_memcg=/user.slice,task=solver,pid=40212,uid=20017',
      'Out of memory: Killed process 40212 (solver) total-vm:262144000kB, anon-rss:251658240kB, file-rss:2048kB, shmem-rss:0kB, UID:20017 pgtables:491520kB oom_score_adj:0',
    ],
  },
  {
    kind: 'hung_task',
    events: 3,
    lines: ['ptlrpcd_00_03', 'python3', 'kworker/u512:3'].flatMap((task, i) => [
      `INFO: task ${task}:${4021 + i} blocked for more than 120 seconds.`,
      '      Tainted: P           OE      5.14.21-150500.55.83_13.0.62-cray_shasta_c #1',
      '"echo 0 > /proc/sys/kernel/hung_task_timeout_secs" disables this message.',
    ]),
  },
  {
    kind: 'fs_error',
    events: 1,
    lines: ['EXT4-fs error (device sda2): ext4_find_entry:1455: inode #131073: comm sshd: reading directory lblock 0'],
  },
  {
    kind: 'lustre_evicted',
    events: 1,
    lines: [
      'LustreError: 167-0: scratch-MDT0000-mdc-ffff9a3c4d5e6000: This client was evicted by scratch-MDT0000; in progress operations using this service will fail.',
    ],
  },
  { kind: 'hsn_link_down', events: 1, lines: ['cxi_ss1 0000:c1:00.0: cxi0[hsn0] CXI_EVENT_LINK_DOWN'] },
  {
    kind: 'hsn_nic_crit',
    events: 1,
    lines: ['cxi_ss1 0000:c1:00.0: cxi0[hsn0]: C_EC_UNCOR_NS: C_PCT_ERR_FLG error: tct_tbl_dealloc (42)'],
  },
];

/** A log that ends with it ends with the node. */
const PANIC: Fault = {
  kind: 'kernel_panic',
  events: 1,
  lines: [
    'Kernel panic - not syncing: Fatal machine check on current CPU',
    'Kernel Offset: 0x1c000000 from 0xffffffff81000000 (relocation range: 0xffffffff80000000-0xffffffffbfffffff)',
    '---[ end Kernel panic - not syncing: Fatal machine check on current CPU ]---',
  ],
};

const SAID: readonly ((r: Random) => string)[] = [
  (r) =>
    `perf: interrupt took too long (${r.int(2500, 9999)} > ${r.int(2500, 9999)}), lowering kernel.perf_event_max_sample_rate to ${r.int(10_000, 80_000)}`,
  (r) =>
    `audit: type=1400 audit(1796${r.int(100_000, 999_999)}.${r.int(100, 999)}:${r.int(1, 99_999)}): apparmor="STATUS" operation="profile_load" profile="unconfined" name="/usr/sbin/nscd" pid=${r.int(1000, 99_999)} comm="apparmor_parser"`,
  (r) => `device veth${r.int(0x100000, 0xffffff).toString(16)} entered promiscuous mode`,
  (r) => `systemd[1]: session-${r.int(1, 99_999)}.scope: Succeeded.`,
  (r) =>
    `pci 0000:${r.int(16, 255).toString(16)}:00.0: BAR ${r.int(0, 6)}: assigned [mem 0x${r.int(0x10000000, 0x7fffffff).toString(16)}-0x${r.int(0x10000000, 0x7fffffff).toString(16)} 64bit pref]`,
  (r) => `loop${r.int(0, 31)}: detected capacity change from 0 to ${r.int(1e5, 9e6)}`,
  (r) => `Lustre: Mounted scratch-client`.concat(` (${r.int(1, 64)} targets, ${r.int(1, 900)} ms)`),
  (r) => `LNet: Added LNI 10.${r.int(0, 255)}.${r.int(0, 255)}.${r.int(1, 254)}@o2ib [8/256/0/180]`,
  (r) => `nvidia-uvm: Loaded the UVM driver, major device number ${r.int(230, 255)}.`,
  (r) => `usb 1-${r.int(1, 9)}: new high-speed USB device number ${r.int(2, 120)} using xhci_hcd`,
  (r) => `EDAC MC${r.int(0, 7)}: Giving out device to module amd64_edac controller F19h: DEV 0000:00:18.3 (INTERRUPT)`,
  (r) => `TCP: request_sock_TCP: Possible SYN flooding on port ${r.int(1024, 65_535)}. Sending cookies.  Check SNMP counters.`,
  (r) =>
    `step ${r.int(1, 1e6)} time ${r.next().toFixed(6)} dt ${r.next().toExponential(4)} |r| ${r.next().toExponential(6)} cfl ${r.next().toFixed(3)} wall ${r.int(1, 9999)}.${r.int(0, 99)} s`,
  (r) =>
    `mount.nfs: ${r.int(1, 9)} of 9 file systems mounted from 10.1.0.${r.int(1, 254)}:/export/home, rsize=1048576,wsize=1048576,hard,proto=tcp,timeo=600`,
  (r) =>
    `slurm_prolog[${r.int(1000, 99_999)}]: job ${r.int(1e5, 9e5)} on 128 nodes: environment checked, image cos-2026.11, ${r.int(480, 520)} GiB free`,
  (r) =>
    `pbs_mom[${r.int(1000, 9999)}]: ;Job;${r.int(1e5, 9e5)}.pbs01;started on ${r.int(1, 512)} hosts, cput ${r.int(0, 99)}:${r.int(10, 59)}:${r.int(10, 59)}`,
  (r) =>
    `sshd[${r.int(1000, 99_999)}]: Connection closed by 10.${r.int(0, 255)}.${r.int(0, 255)}.${r.int(1, 254)} port ${r.int(1024, 65_535)} [preauth]`,
  (r) =>
    `x86/split lock detection: #DB: worker/${r.int(1000, 99_999)} took a bus_lock trap at address: 0x${r.int(0x400000, 0x7fffff).toString(16)}`,
];

const LOOKALIKE: readonly string[] = [
  'Command line: BOOT_IMAGE=kernel bad_page=panic crashkernel=512M oops=panic panic=10 rd.shell softlockup_panic=0 root=live:nfs:10.1.0.1:/opt/image',
  'NMI watchdog: Enabled. Permanently consumes one hw-PMU counter.',
  'ata3: SATA link down (SStatus 0 SControl 300)',
  'traps: a.out[40212] general protection fault ip:401136 sp:7ffd5e3c error:0 in a.out[401000+1000]',
  'softdog: initialized. soft_noboot=0 soft_margin=60 sec soft_panic=0 (nowayout=0)',
  'solver[40212]: Kernel panic - not syncing: is what the manual calls it',
  'nfs: server 10.1.0.1 OK',
  'IPv6: ADDRCONF(NETDEV_CHANGE): hsn0: link becomes ready',
  'cxi_rh[881]: RH: retry completed for sct=2253 (nid=301808)',
  'Nov 30 03:12:09 login1 kernel: [88123.412001] BUG: soft lockup - CPU#12 stuck for 26s!',
];

const GREEN = ['Started', 'Mounted', 'Finished', 'Reached target'];
const UNITS = [
  'Session Scope',
  'Daily Cleanup of Temporary Directories',
  'System Logging Service',
  'Slingshot Host Services',
  'Network Time',
];

/** What was written: where, how much, and what a reader must find, per kind: conditions and the events in them. */
export interface Written {
  files: string[];
  bytes: number;
  expected: Map<string, { conditions: number; events: number }>;
}

/** Writes logs of `megabytes` in all into a folder. */
export function writeConsoleLogs(folder: string, megabytes: number): Written {
  const clock = new LocalClock(LOG_ZONE);
  mkdirSync(folder, { recursive: true });
  const count = Math.max(2, Math.round((megabytes * 1e6) / LOG_BYTES));
  const written: Written = { files: [], bytes: 0, expected: new Map() };
  const pool = new Random(1, 'said');
  const said = Array.from({ length: 20_000 }, () => bodyOf(pool));
  for (let i = 0; i < count; i++) {
    const name = `x${1000 + Math.floor(i / 64)}c${Math.floor(i / 32) % 2}s${Math.floor(i / 4) % 8}b${Math.floor(i / 2) % 2}n${i % 2}`;
    const path = join(folder, i % 2 === 0 ? name : `console.${name}`);
    const text = logOf(new Random(2, i), i, (megabytes * 1e6) / count, said, clock, written);
    const file = openSync(path, 'w');
    written.bytes += writeSync(file, text);
    closeSync(file);
    written.files.push(path);
  }
  return written;
}

function bodyOf(random: Random): string {
  const draw = random.next();
  if (draw < LOOKALIKES) return random.pick(LOOKALIKE);
  if (draw < LOOKALIKES + COLOURED)
    return `[\u001b[0;32m  OK  \u001b[0m] ${random.pick(GREEN)} \u001b[0;1;39m${random.pick(UNITS)}\u001b[0m.`;
  return random.pick(SAID)(random);
}

function logOf(random: Random, i: number, size: number, said: readonly string[], clock: LocalClock, written: Written): string {
  // A log has one fault of each of a few sorts, each at its place; every eighth ends with a panic.
  const faults = FAULTS.filter((_, f) => (f + i) % 2 === 0).map((fault, f, all) => ({
    fault,
    at: Math.floor((size * (f + 1)) / (all.length + 1)),
  }));
  if (i % 8 === 0) faults.push({ fault: PANIC, at: Math.floor(size) });
  const log = new Log(i % 2 === 1, `node${i}`, size, clock);
  for (const { fault, at } of faults) {
    while (log.length < at) log.add([random.pick(said)]);
    log.add(fault.lines);
    const sum = written.expected.get(fault.kind) ?? { conditions: 0, events: 0 };
    written.expected.set(fault.kind, { conditions: sum.conditions + 1, events: sum.events + fault.events });
  }
  while (log.length < size) log.add([random.pick(said)]);
  return log.text();
}

/** A log that is being written: what comes at a place in it was said when so much of the day was over. */
class Log {
  length = 0;
  private readonly parts: string[] = [];
  private mark = LOG_END - SPAN;
  private readonly conman: boolean;
  private readonly name: string;
  private readonly size: number;
  private readonly clock: LocalClock;

  constructor(conman: boolean, name: string, size: number, clock: LocalClock) {
    this.conman = conman;
    this.name = name;
    this.size = size;
    this.clock = clock;
  }

  /** Lines of one moment, behind the server's own that are due. */
  add(lines: readonly string[]): void {
    const { clock } = this;
    const begin = LOG_END - SPAN;
    const now = begin + Math.floor((this.length / this.size) * (SPAN - 60_000));
    for (; this.mark <= now; this.mark += MARK)
      this.push(
        this.conman
          ? `\r\n<ConMan> Console [${this.name}] log at ${clock.stamp(this.mark)} ${clock.zone(this.mark)}.\r\n`
          : `[-- MARK -- ${clock.ctime(this.mark)}]\r\n`,
      );
    const stamp = this.conman ? `${clock.stamp(now)} ` : '';
    const uptime = `[${((now - begin) / 1000 + 5000).toFixed(6).padStart(12)}] `;
    for (const line of lines) this.push(`${stamp}${/^(?:\[\u001b|Nov )/.test(line) ? '' : uptime}${line}\r\n`);
  }

  private push(text: string): void {
    this.parts.push(text);
    this.length += text.length;
  }

  text(): string {
    return this.parts.join('');
  }
}
