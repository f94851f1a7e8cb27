import { again, said } from './laying.ts';

const MODULE = 'CPU: 44 PID: 31120 Comm: hydro.x Tainted: G           OE      5.14.21-150500.55.83_13.0.62-cray_shasta_c #1';

export const softLockup = said({
  kind: 'soft_lockup',
  class: 'node',
  title: 'a processor of a node is stuck in the kernel, for longer and longer',
  words: (context) =>
    again(context, 600_000, (nth) => ({
      node: context.where,
      lines: [
        `watchdog: BUG: soft lockup - CPU#44 stuck for ${22 + nth * 600}s! [hydro.x:31120]`,
        MODULE,
        'RIP: 0010:native_queued_spin_lock_slowpath+0x181/0x1c0',
        'Call Trace:',
        ' <TASK>',
        ' _raw_spin_lock+0x25/0x30',
        ' </TASK>',
      ],
    })),
});

export const rcuStall = said({
  kind: 'rcu_stall',
  class: 'node',
  title: 'a processor stalls and holds the others up',
  words: (context) =>
    again(context, 630_000, (nth) => ({
      node: context.where,
      lines: [
        'rcu: INFO: rcu_sched self-detected stall on CPU',
        `rcu: \t17-....: (${59_999 + nth * 63_000} ticks this GP) idle=8b2/1/0x4000000000000002 softirq=1034491/1034491 fqs=14998`,
        `\t(t=${60_001 + nth * 63_000} jiffies g=5310045 q=80321)`,
        'NMI backtrace for cpu 17',
      ],
    })),
});

export const hungTasks = said({
  kind: 'hung_tasks',
  class: 'storage',
  title: 'tasks of a node wait for the file system and never wake',
  words: ({ where, from }) =>
    ['hydro.x', 'python3', 'kworker/u512:3', 'wekanode', 'rsync', 'ls'].map((task, i) => ({
      node: where,
      at: from + i * 3000,
      lines: [
        `INFO: task ${task}:${21_400 + i} blocked for more than 122 seconds.`,
        '      Tainted: G           OE      5.14.21-150500.55.83_13.0.62-cray_shasta_c #1',
        '"echo 0 > /proc/sys/kernel/hung_task_timeout_secs" disables this message.',
        `task:${task}        state:D stack:    0 pid:${21_400 + i} ppid:     1 flags:0x00004000`,
        'Call Trace:',
        ' <TASK>',
        ' __schedule+0x2d9/0x8b0',
        ' wekafs_wait_reply+0x8e/0x120 [wekafsio]',
        ' </TASK>',
      ],
    })),
});

export const hardLockup = said({
  kind: 'hard_lockup',
  class: 'node',
  title: 'a processor answers no interrupts any more, and the node with it',
  trouble: { loss: 'dead', ends: 'reset' },
  words: () => [
    'watchdog: Watchdog detected hard LOCKUP on cpu 31',
    'Modules linked in: wekafsio(OE) cxi_ss1(OE) xpmem(OE)',
    'CPU: 31 PID: 0 Comm: swapper/31 Tainted: G           OE      5.14.21-150500.55.83_13.0.62-cray_shasta_c #1',
    'RIP: 0010:ktime_get+0x2e/0x90',
  ],
});

export const initKilled = said({
  kind: 'init_killed',
  class: 'node',
  title: 'the first process of a node dies, and the kernel with it; nobody comes',
  trouble: { loss: 'dead', ends: 'reset' },
  words: () => [
    'Kernel panic - not syncing: Attempted to kill init! exitcode=0x0000000b',
    'CPU: 3 PID: 1 Comm: systemd Tainted: G           OE      5.14.21-150500.55.83_13.0.62-cray_shasta_c #1',
    'Call Trace:',
    ' <TASK>',
    ' dump_stack_lvl+0x45/0x5b',
    ' panic+0x103/0x2dd',
    ' </TASK>',
    '---[ end Kernel panic - not syncing: Attempted to kill init! exitcode=0x0000000b ]---',
  ],
});

export const resetUnasked = said({
  kind: 'reset_unasked',
  class: 'node',
  title: 'a node resets without anybody asking, and comes up again',
  severity: 'warning',
  trouble: { begins: 'reset' },
  words: () => ['perf: interrupt took too long (2506 > 2500), lowering kernel.perf_event_max_sample_rate to 79750'],
});

export const deviceStuck = said({
  kind: 'device_stuck',
  class: 'network',
  title: 'a network device never gets free; every namespace waits for it',
  severity: 'warning',
  words: (context) =>
    again(context, 900_000, () => ({
      node: context.where,
      lines: ['unregister_netdevice: waiting for hsn0 to become free. Usage count = 2'],
    })),
});
