import type { Rule } from '../rule.ts';

/** x86, arm64, powerpc, s390 and RISC-V; the oldest forms are of 2.6 kernels, the newest of 6.x. */
export const kernelRules: readonly Rule[] = [
  {
    id: 'panic',
    kind: 'kernel_panic',
    literals: ['Kernel panic'],
    from: 'kernel',
    match: /^Kernel panic(?: - not syncing)?(?::| -) ?(?<text>.{0,200})/,
    block: 86_400,
    examples: {
      yes: [
        '[  271.381023] Kernel panic - not syncing: Fatal exception in interrupt',
        '[    1.588403][    T1] Kernel panic - not syncing: VFS: Unable to mount root fs on unknown-block(0,0)',
        '<0>Kernel panic - not syncing: Attempted to kill init! exitcode=0x00000009',
        '/init: 384: .: C[  271.381023] Kernel panic - not syncing: Attempted to kill init! exitcode=0x00000200',
        'x1000c0s0b0n0 login: [ 8123.000001] Kernel panic - not syncing: hung_task: blocked tasks',
      ],
      no: [
        '[    0.000000] Command line: BOOT_IMAGE=/vmlinuz oops=panic panic=10 bad_page=panic panic_on_warn=1',
        '[    3.342728] ---[ end Kernel panic - not syncing: Fatal exception in interrupt ]---',
        'x1000c0s0b0n0:~ # grep -i "Kernel panic - not syncing" /var/log/messages',
        'Nov 30 08:00:01 login1 kernel: [  271.381023] Kernel panic - not syncing: Fatal exception',
        '[   12.000001] myapp[123]: Kernel panic - not syncing: only a test',
        '[   12.000001] softdog: initialized. soft_noboot=0 soft_margin=60 sec soft_panic=0',
        '[    5.100000] systemd[1]: Set hostname to <panic>.',
      ],
    },
  },
  {
    id: 'soft-lockup',
    kind: 'soft_lockup',
    literals: ['soft lockup - CPU#', 'soft lockup detected on CPU'],
    from: 'kernel',
    match:
      /^(?:NMI )?(?:watchdog: )?BUG: soft lockup (?:- CPU#(?<item>\d{1,5})|detected on CPU#?(?:\d{1,5})!?)(?: stuck for (?<max>\d{1,9})s)?/,
    examples: {
      yes: [
        '[  952.000001] watchdog: BUG: soft lockup - CPU#12 stuck for 26s! [lustre_read:4021]',
        '[  952.000001] NMI watchdog: BUG: soft lockup - CPU#0 stuck for 22s! [swapper/0:1]',
        '<0>[  952.000001] BUG: soft lockup - CPU#3 stuck for 67s! [events/3:21]',
        'BUG: soft lockup detected on CPU#0!',
      ],
      no: [
        '[    0.000000] Kernel command line: softlockup_panic=1 nowatchdog',
        '[    1.000000] NMI watchdog: Enabled. Permanently consumes one hw-PMU counter.',
        '[    1.000000] NMI watchdog: Shutting down hard lockup detector on all cpus',
        '[   88.000000] collectd[901]: watchdog: BUG: soft lockup - CPU#12 stuck for 26s!',
      ],
    },
  },
  {
    id: 'hard-lockup',
    kind: 'hard_lockup',
    literals: ['atchdog detected hard LOCKUP', 'CPU Self-detected hard LOCKUP', 'ard LOCKUP @'],
    from: 'kernel',
    match:
      /^(?:NMI )?(?:watchdog: )?(?:BUG: )?(?:Watchdog detected hard LOCKUP on cpu ?(?<item>\d{1,5})?|CPU (?:\d{1,5}) (?:self-detected|detected) hard LOCKUP @|(?:CPU )?Self-detected hard LOCKUP|CPU \d{1,5} (?:Hard|detected hard) LOCKUP)/i,
    examples: {
      yes: [
        '[  777.000001] NMI watchdog: Watchdog detected hard LOCKUP on cpu 17',
        '[  777.000001] watchdog: Watchdog detected hard LOCKUP on cpu 3',
        '[  777.000001] watchdog: CPU 12 self-detected hard LOCKUP @ plpar_hcall_norets+0x1c/0x28',
      ],
      no: [
        '[    1.000000] NMI watchdog: Shutting down hard lockup detector on all cpus',
        '[    1.000000] NMI watchdog: disabled (cpu0): hardware events not enabled',
        '[    1.000000] watchdog: Perf NMI watchdog permanently disabled',
      ],
    },
  },
  {
    id: 'rcu-stall',
    kind: 'rcu_stall',
    literals: [
      'self-detected stall on CPU',
      'detected stalls on CPUs',
      'detected stall on CPU',
      'detected expedited stalls',
      'kthread starved for',
      'kthread timer wakeup didn',
    ],
    from: 'kernel',
    match:
      /^(?:rcu: )?(?:INFO: )?(?:rcu_?\w{0,40} )(?:self-detected stall on CPU|detected stalls? on CPUs?|detected expedited stalls|kthread starved for (?<max>\d{1,12}) jiffies|kthread timer wakeup didn)/,
    block: 10,
    examples: {
      yes: [
        '[  560.000001] rcu: INFO: rcu_sched self-detected stall on CPU',
        '[  560.000001] rcu: INFO: rcu_preempt detected stalls on CPUs/tasks: { P4021 }',
        '[  560.000001] INFO: rcu_sched detected stalls on CPUs/tasks: {}  (detected by 1, t=60002 jiffies)',
        '[  560.000001] INFO: rcu_bh self-detected stall on CPU { 3}  (t=65000 jiffies)',
        '[  560.000001] rcu: INFO: rcu_preempt detected expedited stalls on CPUs/tasks: { 0-... } 26 jiffies s: 1233 root: 0x1/.',
        '[  560.000001] rcu: rcu_sched kthread starved for 15002 jiffies! g1233 f0x0 RCU_GP_WAIT_FQS(5)',
      ],
      no: [
        '[  560.000001] INFO: Stall ended before state dump start',
        '[    0.000000] rcu: Hierarchical RCU implementation.',
        '[    0.000000] rcu: \tRCU CPU stall warnings timeout set to 60 (rcu_cpu_stall_timeout).',
      ],
    },
  },
  {
    id: 'hung-task',
    kind: 'hung_task',
    literals: [' blocked for more than ', ' blocked in I/O wait for more than ', " can't die for more than "],
    from: 'kernel',
    match: /^INFO: task (?<item>[^]{0,100}?)(?::\d{1,10})? (?:blocked(?: in I\/O wait)?|can't die) for more than (?<max>\d{1,9}) seconds/,
    examples: {
      yes: [
        '[ 1212.000001] INFO: task ptlrpcd_00_03:2211 blocked for more than 120 seconds.',
        '[ 1212.000001] INFO: task airflow scheduler:991 blocked for more than 622 seconds.',
        '[ 1212.000001] INFO: task kworker/u512:3:77 blocked in I/O wait for more than 120 seconds.',
        "[ 1212.000001] INFO: task python3:4021 can't die for more than 143 seconds.",
      ],
      no: [
        '[ 1212.000001] "echo 0 > /proc/sys/kernel/hung_task_timeout_secs" disables this message.',
        '[    0.000000] Command line: hung_task_panic=1',
        'app[12]: INFO: task foo:1 blocked for more than 120 seconds.',
      ],
    },
  },
  {
    // A task may have line breaks in its name: the report then begins on an earlier line.
    id: 'hung-task-broken',
    kind: 'hung_task',
    literals: [' blocked for more than ', ' blocked in I/O wait for more than '],
    from: 'clocked kernel',
    match: /^(?!INFO: task )(?<item>.{0,40}?):\d{1,10} blocked(?: in I\/O wait)? for more than (?<max>\d{1,9}) seconds\.$/,
    examples: {
      yes: [
        '[ 1052.080846][   T41] ?? ?!?:18088 blocked for more than 143 seconds.',
        '[ 1052.080846] x:18088 blocked in I/O wait for more than 143 seconds.',
      ],
      no: ['app[1]: request 12:18088 blocked for more than 143 seconds.', 'queue:1 blocked for more than 5 seconds'],
    },
  },
  {
    id: 'hung-task-silenced',
    literals: ['Future hung task reports are suppressed'],
    from: 'kernel',
    match: /^Future hung task reports are suppressed/,
    mark: 'hung_task_silenced',
    examples: {
      yes: ['[ 1500.000001] Future hung task reports are suppressed, see sysctl kernel.hung_task_warnings'],
      no: ['app: Future hung task reports are suppressed'],
    },
  },
  {
    id: 'oops-bug-on',
    kind: 'kernel_oops',
    literals: ['ernel BUG at ', 'ernel BUG in '],
    from: 'kernel',
    match: /^[Kk]ernel BUG (?:at|in) (?<text>.{1,160}?)!?$/,
    block: 10,
    examples: {
      yes: [
        '[   99.000001] kernel BUG at mm/slub.c:379!',
        '[   99.000001] ------------[ cut here ]------------[   99.000002] kernel BUG at fs/ext4/inode.c:2767!',
        '[   99.000001] Kernel BUG at mm/rmap.c:560 [verbose debug info unavailable]',
      ],
      no: ['[   99.000001] audit: comm="kernel BUG at mm/slub.c:379!"', 'make[2]: kernel BUG at mm/slub.c:379!'],
    },
  },
  {
    id: 'oops-page-fault',
    kind: 'kernel_oops',
    literals: ['nable to handle ', 'BUG: kernel NULL pointer', 'ernel access of bad area', 'nable to handle kernel'],
    from: 'kernel',
    match:
      /^(?:CPU \d{1,5} )?(?<text>(?:BUG: )?[Uu]nable to handle (?:kernel|page fault|unknown|[a-z ]{0,40}kernel|user|[a-z ]{0,40}(?:access|pointer|paging|request)).{0,120}|BUG: kernel NULL pointer dereference.{0,80}|Kernel access of bad area.{0,80}|BUG: Unable to handle .{0,100})/,
    block: 10,
    examples: {
      yes: [
        '[    2.952227] BUG: kernel NULL pointer dereference, address: 0000000000000000',
        '[    2.952227] BUG: unable to handle page fault for address: ffffc900017cbf58',
        '[    2.952227] BUG: unable to handle kernel NULL pointer dereference at           (null)',
        '[    2.952227] Unable to handle kernel paging request at virtual address ffff00000f1c0000',
        '[    2.952227] Unable to handle kernel pointer dereference in virtual kernel address space',
        '[    2.952227] BUG: Unable to handle kernel data access on read at 0xc00800000a5b0000',
      ],
      no: [
        '[    2.952227] myapp[88]: unable to handle kernel request',
        'curl: unable to handle page fault',
        '[   20.000001] usb 1-1: unable to handle kernel mode',
      ],
    },
  },
  {
    id: 'oops-trap',
    kind: 'kernel_oops',
    literals: [
      'general protection fault',
      'double fault',
      'divide error: ',
      'nvalid opcode: ',
      'stack segment: ',
      'General Protection Fault',
      'ontrol protection: ',
      'Missing ENDBR',
      'hit task stack guard page',
      'stack guard page was hit',
      'Kernel stack overflow',
      'ernel stack overflow',
      'nsufficient stack space to handle',
      'Bad mode in ',
    ],
    from: 'kernel',
    match:
      /^(?<text>(?:PANIC: |traps: PANIC: )?double fault.{0,80}|(?:BUG: |traps: |segment-related )?[Gg]eneral [Pp]rotection [Ff]ault(?!.{0,60} (?:ip|rip):).{0,120}|divide error: [0-9a-f]{4}.{0,40}|[Ii]nvalid opcode: [0-9a-f]{4}.{0,40}|stack segment: [0-9a-f]{4}.{0,40}|(?:int3|alignment check|segment not present|invalid TSS|control protection): [0-9a-f]{4}.{0,40}|(?:traps: )?Missing ENDBR.{0,60}|BUG: (?:IRQ |task |NMI |#DF )?stack guard page was hit.{0,80}|BUG: TASK stack guard page was hit.{0,80}|[Kk]ernel stack overflow.{0,60}|Insufficient stack space to handle exception.{0,40}|Bad mode in .{1,80})/,
    veto: /error:[0-9a-f]{1,8} in |\bip:[0-9a-f]+ sp:|not-present page: user/,
    block: 10,
    examples: {
      yes: [
        '[  300.000001] general protection fault: 0000 [#1] SMP NOPTI',
        '[  300.000001] general protection fault, probably for non-canonical address 0xdffffc0000000000: 0000 [#1] PREEMPT SMP KASAN',
        '[  300.000001] divide error: 0000 [#1] SMP',
        '[  300.000001] invalid opcode: 0000 [#1] PREEMPT SMP PTI',
        '[  300.000001] PANIC: double fault, error_code: 0x0',
        '[  300.000001] traps: PANIC: double fault, error_code: 0x0',
        '[  300.000001] stack segment: 0000 [#1] SMP',
        '[  300.000001] BUG: TASK stack guard page was hit at ffffc90002c97ff8 (stack is ffffc90002c98000..ffffc90002ca0000)',
        '[  300.000001] BUG: stack guard page was hit at ffffc90001d5fff8 (stack is ffffc90001d60000..ffffc90001d67fff)',
      ],
      no: [
        '[  300.000001] traps: a.out[4021] general protection fault ip:401136 sp:7ffe0b3f2d50 error:0 in a.out[401000+1000]',
        '[  300.000001] traps: python3[4021] trap invalid opcode ip:401136 sp:7ffe0b3f2d50 error:0 in python3.6[400000+1000]',
        '[  300.000001] a.out[77]: segfault at 0 ip 0000000000401136 sp 00007ffe0b3f2d50 error 4 in a.out[401000+1000]',
        '[  300.000001] traps: solver[991] trap divide error ip:55d0 sp:7ffd error:0 in solver[55d0+1000]',
      ],
    },
  },
  {
    id: 'oops',
    kind: 'kernel_oops',
    literals: [
      'Oops: ',
      'Oops - ',
      'Oops [#',
      'Internal error: ',
      'nhandled fault: ',
      'nhandled prefetch abort: ',
      'lignment trap: ',
      'nhandled kernel unaligned access',
      '0000 [#',
      '0001 [#',
      '0002 [#',
      '0003 [#',
      '0010 [#',
      '0011 [#',
      'ilc:1 [#',
      'ilc:2 [#',
      'ilc:3 [#',
      'detected[#',
      'ernel Fault: Code',
    ],
    from: 'kernel',
    match:
      /^(?<text>(?:\w{1,20} )?Oops(?:: | - |\[)?.{0,20}(?:\[#\d{1,5}\]|: \d{4}|[0-9a-f]{4,16}|Kernel access|.{0,40}sig: \d+|general protection|[a-z ]{4,40}: \d{4}).{0,100}|Internal error: .{1,120}|Unhandled fault: .{1,120}|Unhandled prefetch abort: .{1,100}|Alignment trap: .{1,100}|Unhandled kernel unaligned access.{0,80}|Kernel Fault: Code.{0,80}|Kernel bug detected\[#\d{1,5}\].{0,40})|(?<trap>\b[A-Za-z][\w #/-]{2,60}: [0-9a-f]{4}(?: ilc:\d)? \[#\d{1,5}\])/,
    block: 10,
    examples: {
      yes: [
        '[    2.959014] Oops: 0000 [#1] PREEMPT SMP PTI',
        '[    2.959014] Oops: Kernel access of bad area, sig: 11 [#1]',
        '[    2.959014] Oops: general protection fault, probably for non-canonical address 0x14: 0000 [#1] SMP NOPTI',
        '[    2.959014] Internal error: Oops: 96000004 [#1] PREEMPT SMP',
        '[    2.959014] Unhandled fault: page domain fault (0x81b) at 0x00e41c7c',
        '[    2.959014] Oops: Exception in kernel mode, sig: 5 [#1]',
        '[    2.959014] illegal operation: 0001 ilc:1 [#1] PREEMPT SMP',
        '[    2.959014] simd exception: 0000 [#1] SMP',
        '[    2.959014] Oops - illegal instruction [#1]',
        '[    2.959014] Kernel bug detected[#1]:',
      ],
      no: [
        '[    2.959014] mce: [Hardware Error]: Internal error: none',
        'oops: something went wrong',
        '[    0.000000] Kernel command line: oops=panic',
      ],
    },
  },
  {
    id: 'oops-function',
    literals: ['RIP: 0010:', 'RIP  [<', 'EIP: 0060:', 'EIP: [<', '] pc : ', '] epc : ', 'NIP [c', 'PC is at ', 'IP: [<ff', 'IP: [<c0'],
    from: 'kernel',
    match:
      /^(?:(?:RIP|EIP): ?(?:\w{2,4}:)?(?:\[<[0-9a-f]+>\] +(?:\[<[0-9a-f]+>\] +)?)?|IP: \[<[0-9a-f]+>\] |NIP \[[0-9a-f]+\] |e?pc : (?:\[<[0-9a-f]+>\] )?|PC is at )(?<text>[A-Za-z_.$][\w.$]{0,100})\+0x/,
    mark: 'function',
    examples: {
      yes: [
        '[    2.966783] RIP: 0010:hv_pkt_iter_first+0x12/0xc0 [hv_vmbus]',
        '[  201.735553] RIP: 0010:[<ffffffffbd3d1956>]  [<ffffffffbd3d1956>] sysrq_handle_crash+0x16/0x20',
        '[   10.000001] pc : cxi_eth_poll+0x44/0x120 [cxi_eth]',
        '[   10.000001] NIP [c0000000001d5a3c] lbug_with_loc+0x9c/0xe0',
      ],
      no: ['[    1.000000] ipt_CLUSTERIP: ClusterIP Version 0.8 loaded successfully'],
    },
  },
  {
    id: 'end-of-trace',
    literals: ['---[ end trace '],
    from: 'kernel',
    match: /^---\[ end trace /,
    mark: 'end_of_block',
    examples: { yes: ['[  201.922450] ---[ end trace 8794939ba0598b91 ]---'], no: ['end trace'] },
  },
  {
    id: 'oom-invoked',
    literals: ['invoked oom-killer'],
    from: 'kernel',
    match: /^(?<text>.{1,40}) invoked oom-killer: /,
    mark: 'oom_begins',
    examples: {
      yes: ['[  700.000001] python3 invoked oom-killer: gfp_mask=0x140cca(GFP_HIGHUSER_MOVABLE|__GFP_COMP), order=0, oom_score_adj=0'],
      no: ['slurmstepd: error: Detected 1 oom_kill event in StepId=12.0', '[  700.000001] ODEBUG: Out of memory. ODEBUG disabled'],
    },
  },
  {
    id: 'oom-scope',
    literals: ['oom-kill:constraint='],
    from: 'kernel',
    match: /^oom-kill:constraint=CONSTRAINT_(?<text>NONE|MEMCG|CPUSET|MEMORY_POLICY),/,
    mark: 'oom_scope',
    examples: {
      yes: [
        '[  700.000002] oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0-7,global_oom,task_memcg=/,task=a.out,pid=4021,uid=1000',
      ],
      no: ['oom-kill: none'],
    },
  },
  {
    id: 'oom-killed',
    kind: 'oom',
    literals: ['ut of memory: Kill'],
    from: 'kernel',
    match:
      /^(?<text>Memory cgroup out of memory|Out of memory(?: \([^)]{1,40}\))?): Kill(?:ed)? process \d{1,10},? \(?(?<item>[^),]{0,64}?)\)?(?:,| (?:total-vm|score|\()|$)/,
    part: 'global',
    examples: {
      yes: [
        '[  700.000003] Out of memory: Killed process 4021 (a.out) total-vm:524288000kB, anon-rss:263000000kB, file-rss:0kB, shmem-rss:0kB, UID:1000 pgtables:514000kB oom_score_adj:0',
        '[  700.000003] Out of memory: Kill process 4021 (a.out) score 981 or sacrifice child',
        '[  700.000003] Memory cgroup out of memory: Killed process 4021 (a.out) total-vm:1024kB, anon-rss:1000kB, file-rss:0kB, shmem-rss:0kB, UID:1000 pgtables:64kB oom_score_adj:0',
      ],
      no: ['slurmstepd[88]: error: Out of memory: Killed process 4021 (a.out)', '[  700.000001] ODEBUG: Out of memory. ODEBUG disabled'],
    },
  },
  {
    id: 'oom-no-victim',
    kind: 'oom',
    severity: 'critical',
    literals: ['ut of memory and no killable'],
    from: 'kernel',
    match: /^(?:Kernel panic - not syncing: )?(?<text>(?:Memory cgroup o|O)ut of memory and no killable processes)/,
    part: 'global',
    examples: {
      yes: [
        '[  700.000003] Out of memory and no killable processes...',
        '<4>[  700.000003][  T12] Out of memory and no killable processes...',
      ],
      no: ['app: Out of memory and no killable processes'],
    },
  },
  {
    id: 'page-allocation',
    kind: 'page_alloc_fail',
    literals: ['page allocation failure', 'page allocation stalls for'],
    from: 'kernel',
    match: /^(?<item>[^]{1,40}?): page allocation (?:failure[:.] ?order:(?<max>\d{1,2})|stalls for )/,
    examples: {
      yes: [
        '[  55.000001] chrome: page allocation failure: order:5, mode:0x40d0',
        '[  55.000001] kworker/3:1: page allocation failure. order:4, mode:0x20',
      ],
      no: ['app[1]: page allocation failures: 0'],
    },
  },
];
