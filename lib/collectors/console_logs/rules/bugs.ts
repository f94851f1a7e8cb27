import type { Rule } from '../rule.ts';

/** What is announced at boot, or of a mount, in the words of a warning. */
const HARMLESS =
  /mand(?:atory)? mount option|mand mount|moduli does not exist|mitigation|eBPF|SRSO|Spectre|MDS |TAA |missed to adjust|See https?:|deprecated|not compiled with|Reset corrupted AGFL|Persistent clock|lockdep is turned off|unsafe for use|Using a slow|bogomips|will be removed|Only root can|not supported in this|firmware bug/i;

/** Reports of the kernel about itself that leave it running: BUG, WARNING, lockdep and the sanitizers. */
export const bugRules: readonly Rule[] = [
  {
    id: 'lockdep',
    kind: 'kernel_warning',
    literals: [
      'possible circular locking dependency',
      'possible recursive locking',
      'inconsistent lock state',
      'lock inversion dependency',
      'lock order detected',
      'suspicious RCU usage',
      'suspicious rcu_dereference',
      'bad unlock balance',
      'bad contention detected',
      'eld lock freed',
      'ested lock was not taken',
      'till has locks held',
      'has locks held',
      'locks held when returning',
      'ock held when returning',
      'non-static key',
      'nvalid wait context',
      'deadlock scenario detected',
    ],
    from: 'kernel',
    match:
      /^(?:=*\[ ?)?(?:(?:WARNING|INFO|BUG): ?)?(?<text>(?:possible (?:circular locking dependency|recursive locking)|inconsistent (?:\{[^}]{1,40}\} -> \{[^}]{1,40}\} )?lock state|possible (?:irq )?lock inversion dependency|possible irq lock inversion dependency|[\w >-]{1,60}lock order detected|suspicious RCU usage|suspicious rcu_dereference|bad unlock balance|bad contention detected|held lock freed|[Nn]ested lock was not taken|.{0,60}still has locks held|.{0,60}(?:locks?) held when returning|trying to register non-static key|[Ii]nvalid wait context|deadlock scenario detected).{0,60})/,
    block: 10,
    examples: {
      yes: [
        '[   51.000001] WARNING: possible circular locking dependency detected',
        '[   51.000001] [ INFO: possible circular locking dependency detected ]',
        '[   51.000001] WARNING: possible recursive locking detected',
        '[   51.000001] INFO: trying to register non-static key.',
        '[   51.000001] WARNING: inconsistent lock state',
        '[   51.000001] WARNING: suspicious RCU usage',
        '[   51.000001] =============================[ INFO: suspicious RCU usage. ]',
        '[   51.000001] [ BUG: bad unlock balance detected! ]',
        '[   51.000001] WARNING: HARDIRQ-safe -> HARDIRQ-unsafe lock order detected',
        '[   51.000001] BUG: python3/4021 still has locks held!',
        '[   51.000001] WARNING: lock held when returning to user space!',
      ],
      no: [
        '[   51.000001] INFO: lockdep is turned off.',
        '[    0.000000] Lock dependency validator: Copyright (c) 2006 Red Hat, Inc., Ingo Molnar',
        'app: possible recursive locking detected',
      ],
    },
  },
  {
    id: 'bug',
    kind: 'kernel_bug',
    literals: [
      ' BUG: ',
      '\nBUG: ',
      '>BUG: ',
      ';BUG: ',
      'BUG kmalloc',
      '): Poison overwritten',
      '): Object already free',
      '): Redzone overwritten',
      '): Invalid object pointer',
      '): Object padding overwritten',
      '): Objects remaining',
      '): Right Redzone overwritten',
      '): Left Redzone overwritten',
      '): Freepointer corrupt',
      '): Freechain corrupt',
    ],
    from: 'kernel',
    match: /^(?:\w{1,20}: )?(?:=*\[ ?)?(?<text>BUG:? (?!(?:soft lockup|unable to handle)\b)[^ ].{0,160})/,
    veto: /^(?:DEBUG|ODEBUG|EDAC DEBUG|[\w ]*DEBUG)|^BUG: (?:please )?report|mailto:|^BUG:? ?(?:reports?|fix|tracker)\b/i,
    block: 10,
    examples: {
      yes: [
        '[   51.000001] BUG: scheduling while atomic: kworker/3:1/4021/0x00000002',
        '[   51.000001] BUG: sleeping function called from invalid context at mm/slab.h:422',
        '[   51.000001] BUG: Bad page state in process python3  pfn:1b3d2c',
        '[   51.000001] BUG: KASAN: use-after-free in ext4_xattr_set_entry+0x35b8/0x3a80',
        '[   51.000001] BUG: KFENCE: out-of-bounds read in test_out_of_bounds_read+0xa6/0x234',
        '[   51.000001] BUG: workqueue lockup - pool cpus=0 node=0 flags=0x0 nice=0 stuck for 42s!',
        '[   51.000001] BUG: Bad rss-counter state mm:00000000c3a8e6f9 type:MM_ANONPAGES val:1',
        '[   51.000001] BUG kmalloc-64 (Not tainted): Poison overwritten',
        '[   51.000001] BUG: memory leak',
        '[   51.000001] BUG: using smp_processor_id() in preemptible [00000000] code: mount/4021',
      ],
      no: [
        '[   51.000001] ODEBUG: Out of memory. ODEBUG disabled',
        '[   51.000001] EDAC DEBUG: in drivers/edac/i7core_edac.c',
        'hydro.x: BUG: index out of range',
        '[    2.000001] ACPI BIOS Error (bug): Could not resolve symbol [\\_SB.PCI0], AE_NOT_FOUND',
      ],
    },
  },
  {
    id: 'sanitizer',
    kind: 'kernel_bug',
    literals: [
      'UBSAN: ',
      'usercopy: ',
      'ernel memory exposure attempt',
      'ernel memory overwrite attempt',
      'list_add corruption',
      'list_del corruption',
      'list_add double add',
      'slab error in ',
      'trusty: ',
    ],
    from: 'kernel',
    match:
      /^(?<text>UBSAN: (?:Undefined|[a-z][\w-]{3,40} in ).{0,140}|(?:usercopy: )?[Kk]ernel memory (?:exposure|overwrite) attempt detected.{0,120}|list_(?:add|del)(?: corruption| double add)\b.{0,120}|slab error in .{1,100}|trusty: .{0,60}(?:ASSERT FAILED|panic).{0,100})/,
    block: 10,
    examples: {
      yes: [
        '[   51.000001] UBSAN: array-index-out-of-bounds in fs/jfs/jfs_dmap.c:2021:9',
        '[   51.000001] UBSAN: Undefined behaviour in net/sched/sch_api.c:409:22',
        '[   51.000001] list_del corruption. prev->next should be ffff88801c4e5c10, but was dead000000000100',
        '[   51.000001] list_add corruption. next->prev should be prev (ffff8881f6b2f2a8), but was ffff8881f6b2f2a0.',
        '[   51.000001] usercopy: Kernel memory exposure attempt detected from SLUB object (offset 0, size 8)!',
      ],
      no: ['[    0.000000] UBSAN: enabled', 'app: list_del corruption'],
    },
  },
  {
    id: 'busy-objects',
    kind: 'kernel_bug',
    literals: [
      'unregister_netdevice: waiting for',
      'Busy inodes after unmount',
      'lose: file count is 0',
      ': nobody cared',
      'Dentry still in use',
    ],
    from: 'kernel',
    match:
      /^(?<text>unregister_netdevice: waiting for (?<item>[^]{1,32}?) to become free|VFS: Busy inodes after unmount.{0,80}|VFS: Close: file count is 0|irq \d{1,5}: nobody cared.{0,60}|VFS: Dentry still in use.{0,60})/,
    block: 600,
    examples: {
      yes: [
        '[  510.000001] unregister_netdevice: waiting for lo to become free. Usage count = 1',
        '[  510.000001] VFS: Busy inodes after unmount of sdb1. Self-destruct in 5 seconds.  Have a nice day...',
        '[  510.000001] irq 16: nobody cared (try booting with the "irqpoll" option)',
      ],
      no: ['app: unregister_netdevice: waiting for lo to become free. Usage count = 1'],
    },
  },
  {
    id: 'warning',
    kind: 'kernel_warning',
    literals: ['WARNING: CPU: ', 'WARNING: at ', 'WARNING: '],
    from: 'kernel',
    match:
      /^(?:[\w/.-]{1,24}: )?WARNING: (?:CPU: \d{1,5} PID: -?\d{1,10} at |at )?(?<item>[\w./+-]{1,80}:\d{1,6})(?: at)?(?<text> [^ ].{0,100})?/,
    examples: {
      yes: [
        '[   51.000001] WARNING: CPU: 12 PID: 4021 at kernel/workqueue.c:1433 __queue_work+0x2ef/0x380',
        '[   51.000001] WARNING: at net/sched/sch_generic.c:261 dev_watchdog+0x26b/0x280()',
        '[   51.000001] WARNING: fs/inode.c:417 at drop_nlink+0xc4/0x110, CPU#1: syz.0.17/5998',
      ],
      no: [
        '[   51.000001] XFS (sda1): WARNING: Reset corrupted AGFL on AG 0. 4 blocks leaked. Please unmount and run xfs_repair.',
        'sshd[901]: WARNING: /etc/ssh/moduli does not exist, using fixed modulus',
        '[    0.100000] Spectre V2 : WARNING: Unprivileged eBPF is enabled with eIBRS on, data leaks possible via Spectre v2 BHB attacks!',
      ],
    },
  },
  {
    id: 'warning-text',
    kind: 'kernel_warning',
    literals: ['WARNING: '],
    from: 'clocked kernel',
    match: /^WARNING: (?<text>[^ ].{0,140})/,
    veto: HARMLESS,
    examples: {
      yes: [
        "[   51.000001] WARNING: kernel stack regs at 00000000c58ae3a1 in swapper/1:0 has bad 'bp' value 00000000b0e1a9f3",
        '[   51.000001] WARNING: kernel stack frame pointer at 000000005611dc97 in nvidia-smi:2024380 has bad value 00000000ec717e66',
      ],
      no: [
        '[   51.000001] WARNING: the mand mount option is being deprecated and',
        'openvpn[12]: WARNING: No server certificate verification method has been enabled.',
        "[   51.000001] warning: `mount' uses deprecated v2 capabilities in a way that may be insecure",
      ],
    },
  },
  {
    // What kmemleak found is printed by whoever reads its file, with or without a stamp of its own.
    id: 'memory-leak',
    kind: 'kernel_bug',
    severity: 'info',
    literals: ['BUG: memory leak', 'nreferenced object 0x'],
    from: 'console',
    match:
      /^(?:\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d )?(?:kmemleak: )?(?<text>BUG: memory leak|unreferenced object 0x[0-9a-f]{1,16} \(size \d{1,12}\))/,
    block: 60,
    examples: {
      yes: ['2026/11/29 14:28:48 BUG: memory leak', '[  120.000001] kmemleak: unreferenced object 0xffff88007658a9e0 (size 944):'],
      no: ['app: BUG: memory leak'],
    },
  },
  {
    id: 'assertion',
    kind: 'kernel_warning',
    literals: [
      'RTNL: assertion failed',
      'refcount_t: ',
      'proc_dir_entry ',
      'kobject_add_internal failed',
      'cannot create duplicate filename',
      'do_IRQ: stack overflow',
      'ernel stack is corrupted',
      'bject is still initialized',
      'ODEBUG: ',
    ],
    from: 'kernel',
    match:
      /^(?<text>RTNL: assertion failed.{0,80}|refcount_t: .{1,80}|proc_dir_entry '.{1,80}' already registered|kobject_add_internal failed.{0,80}|sysfs: cannot create duplicate filename.{0,100}|do_IRQ: stack overflow.{0,60}|ODEBUG: (?:free|init|activate|deactivate|assert_init|destroy|active)\b.{0,100})/,
    block: 5,
    examples: {
      yes: [
        '[   51.000001] refcount_t: underflow; use-after-free.',
        "[   51.000001] sysfs: cannot create duplicate filename '/class/net/hsn0'",
        '[   51.000001] RTNL: assertion failed at net/core/dev.c (4021)',
        '[   51.000001] ODEBUG: free active (active state 0) object type: timer_list hint: delayed_work_timer_fn+0x0/0x90',
      ],
      no: ['[   51.000001] ODEBUG: selftest passed', '[   51.000001] ODEBUG: Out of memory. ODEBUG disabled'],
    },
  },
];
