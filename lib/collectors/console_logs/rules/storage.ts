import type { Rule } from '../rule.ts';

/** Disks and local file systems. */
export const storageRules: readonly Rule[] = [
  {
    id: 'fs-error',
    kind: 'fs_error',
    literals: [
      '-fs error (device ',
      'SQUASHFS error: ',
      'BTRFS error (device',
      'BTRFS critical (device',
      'BTRFS: error (device',
      'FAT-fs (',
      'JBD2: Detected',
      'JBD2: Error',
      'JBD2: I/O',
      'etadata I/O error',
      'etadata I/O Error',
      'Metadata CRC error',
      'Metadata corruption',
      'Corruption detected',
      'Corruption warning',
      'I/O error while writing superblock',
      'log I/O error',
      '): Internal error ',
    ],
    from: 'kernel',
    match:
      /^(?:EXT[234]-fs error \(device (?<part>[\w.!/-]{1,64})\):? ?(?<text>.{0,160})|EXT[234]-fs \((?<part2>[\w.!/-]{1,64})\): I\/O error while writing superblock|SQUASHFS error: (?<text2>.{1,120})|BTRFS:? (?:error|critical) \(device (?<part3>[\w.!/-]{1,64})(?::? state \w{1,8})?\)(?:: | in )(?<text3>.{0,120})|FAT-fs \((?<part4>[\w.!/-]{1,64})\): error.{0,80}|JBD2: (?:Detected IO errors|Error -?\d{1,4} detected|I\/O error).{0,80}|XFS \((?<part5>[\w.!/-]{1,64})\): (?<text4>metadata I\/O error.{0,120}|Metadata (?:I\/O Error|CRC error|corruption) .{0,100}|Corruption (?:detected|warning).{0,80}|log I\/O error.{0,60}|Internal error .{0,100}))/,
    part: 'unnamed',
    block: 10,
    examples: {
      yes: [
        '[  77.000001] EXT4-fs error (device sda2): ext4_find_entry:1463: inode #2: comm ls: reading directory lblock 0',
        '[  77.000001] EXT3-fs error (device sdb1): ext3_get_inode_loc: unable to read inode block - inode=2, block=4',
        '[  77.000001] SQUASHFS error: squashfs_read_data failed to read block 0x1b3d2c',
        '[  77.000001] XFS (dm-0): Metadata corruption detected at xfs_agf_read_verify+0xd6/0x130 [xfs], xfs_agf block 0x1',
        '[  77.000001] XFS (dm-0): metadata I/O error in "xfs_trans_read_buf_map" at daddr 0x1 len 1 error 5',
        '[  77.000001] BTRFS error (device sdb1): bdev /dev/sdb1 errs: wr 1, rd 0, flush 0, corrupt 0, gen 0',
        '[  77.000001] BTRFS: error (device sdb1: state EA) in btrfs_commit_transaction:2449: errno=-5 IO failure (Error while writing out transaction)',
      ],
      no: [
        '[  77.000001] EXT4-fs (sda2): mounted filesystem with ordered data mode. Opts: errors=remount-ro',
        '[  77.000001] EXT4-fs (sda2): INFO: recovery required on readonly filesystem',
        '[  77.000001] XFS (dm-0): WARNING: Reset corrupted AGFL on AG 0. 4 blocks leaked. Please unmount and run xfs_repair.',
      ],
    },
  },
  {
    id: 'fs-read-only',
    kind: 'fs_error',
    severity: 'critical',
    literals: [
      'emounting filesystem read-only',
      'borting journal on device ',
      'forced readonly',
      'Filesystem has been set read-only',
      'ournal has aborted',
      'filesystem read-only',
    ],
    from: 'kernel',
    match:
      /^(?:EXT[234]-fs \((?<part>[\w.!/-]{1,64})\): Remounting filesystem read-only|EXT[234]-fs (?:error )?\((?:device )?(?<part2>[\w.!/-]{1,64})\).{0,80}(?:Journal has aborted|Detected aborted journal)|Aborting journal on device (?<part6>[\w.!/-]{1,64}?)(?:-\d{1,6})?\.|BTRFS(?: info| warning|: )? ?\(device (?<part3>[\w.!/-]{1,64})(?::? state \w{1,8})?\):? (?:is )?forced readonly|FAT-fs \((?<part4>[\w.!/-]{1,64})\): Filesystem has been set read-only|Remounting filesystem read-only)/,
    part: 'unnamed',
    block: 10,
    examples: {
      yes: [
        '[  77.000001] EXT4-fs (sda2): Remounting filesystem read-only',
        '[  77.000001] Aborting journal on device sda2-8.',
        '[  77.000001] BTRFS info (device sdb1): forced readonly',
        '[  77.000001] BTRFS info (device sdb1 state E): forced readonly',
        '[  77.000001] Remounting filesystem read-only',
      ],
      no: ['systemd-remount-fs[1]: Remounting filesystem read-only', '[    0.000000] Command line: rootflags=errors=remount-ro'],
    },
  },
  {
    id: 'xfs-shutdown',
    kind: 'fs_error',
    severity: 'critical',
    literals: ['hutting down filesystem', 'ilesystem has been shut down', 'All device paths lost'],
    from: 'kernel',
    match:
      /^XFS \((?<part>[\w.!/-]{1,64})\): (?<text>.{0,160}?)\.? {0,2}(?:Shutting down filesystem|Filesystem has been shut down|All device paths lost)/,
    veto: /User initiated shutdown/,
    block: 10,
    examples: {
      yes: [
        '[  77.000001] XFS (dm-0): Corruption of in-memory data detected.  Shutting down filesystem',
        '[  77.000001] XFS (dm-0): Corruption of in-memory data (0x8) detected at xfs_trans_cancel+0x12d/0x150 (fs/xfs/xfs_trans.c:957).  Shutting down filesystem.',
        '[  77.000001] XFS (sdb1): Log I/O Error Detected. Shutting down filesystem',
        '[  77.000001] XFS (sdb1): Filesystem has been shut down due to log error (0x2).',
      ],
      no: [
        '[  77.000001] XFS (dm-0): User initiated shutdown received. Shutting down filesystem',
        '[  77.000001] XFS (dm-0): Please unmount the filesystem and rectify the problem(s)',
      ],
    },
  },
  {
    id: 'fs-mounted',
    clears: ['fs_error'],
    literals: ['mounted filesystem', 're-mounted', 'Ending clean mount', 'recovery complete', 'Ending recovery'],
    from: 'kernel',
    match:
      /^(?:EXT[234]-fs|XFS) \((?<part>[\w.!/-]{1,64})\): (?:mounted filesystem(?! .{0,60}read-only| .{0,80} ro )|re-mounted.{0,80} r\/w|Ending clean mount|Ending recovery|recovery complete)/,
    examples: {
      yes: [
        '[  90.000001] XFS (dm-0): Ending clean mount',
        '[  90.000001] EXT4-fs (sda2): mounted filesystem with ordered data mode. Opts: (null)',
        '[  90.000001] EXT4-fs (sda2): re-mounted 1b3d2c0a-0000-4d2e-9a55-7a1b2c3d4e5f r/w. Quota mode: none.',
      ],
      no: ['mounted filesystem'],
    },
  },
  {
    id: 'nvme-dead',
    kind: 'disk_error',
    severity: 'critical',
    literals: [
      'CSTS=0xffffffff',
      'after reset failure',
      'isabling device after',
      'evice not ready; aborting',
      'emoving after probe failure',
    ],
    from: 'kernel',
    match:
      /^nvme (?<part>nvme\d{1,4}): (?<text>(?:controller is down; will reset: CSTS=0xffffffff|Disabling device after reset failure: -?\d{1,5}|Removing after probe failure.{0,40}|Device not ready; aborting .{1,40}).{0,80})/,
    block: 60,
    examples: {
      yes: [
        '[  77.000001] nvme nvme0: controller is down; will reset: CSTS=0xffffffff, PCI_STATUS=0x10',
        '[  77.000001] nvme nvme0: Disabling device after reset failure: -19',
        '[  77.000001] nvme nvme2: Device not ready; aborting initialisation, CSTS=0x0',
      ],
      no: ['[   3.000001] nvme nvme0: 64/0/0 default/read/poll queues'],
    },
  },
  {
    id: 'nvme-trouble',
    kind: 'disk_error',
    literals: [
      ' timeout, aborting',
      ' timeout, reset controller',
      ' timeout, completion polled',
      'controller is down; will reset',
      ' timeout, disable controller',
      'no available path - failing',
      'no usable path - requeuing',
    ],
    from: 'kernel',
    match:
      /^(?:nvme (?<part>nvme\d{1,4}): (?<text>I\/O (?:tag )?\d{1,6}.{0,60} timeout, (?:aborting|reset controller|disable controller|completion polled).{0,40}|controller is down; will reset: CSTS=.{0,60})|block (?<part2>nvme\w{1,16}): no (?:available|usable) path - (?:failing|requeuing) I\/O)/,
    veto: /CSTS=0xffffffff/,
    block: 60,
    examples: {
      yes: [
        '[  77.000001] nvme nvme0: I/O 123 QID 4 timeout, aborting',
        '[  77.000001] nvme nvme0: I/O tag 123 (507b) opcode 0x1 (I/O Cmd) QID 4 timeout, aborting req_op:WRITE(1) size:4096',
        '[  77.000001] block nvme0n1: no available path - failing I/O',
      ],
      no: ['app: nvme0: I/O 123 QID 4 timeout, aborting'],
    },
  },
  {
    id: 'raid-member-failed',
    kind: 'disk_error',
    severity: 'critical',
    literals: ['Disk failure on '],
    from: 'kernel',
    match: /^(?<text>(?:md\/)?raid\d{0,2}:(?:\w{1,16}:)? Disk failure on (?<part>[\w!-]{1,32}).{0,60})/,
    part: 'unnamed',
    block: 10,
    examples: {
      yes: [
        '[  77.000001] md/raid1:md0: Disk failure on sda1, disabling device.',
        '[  77.000001] raid5: Disk failure on sdc1, disabling device. Operation continuing on 3 devices',
      ],
      no: ['[  77.000001] md/raid1:md0: active with 2 out of 2 mirrors', 'monitor[12]: Disk failure on sda1'],
    },
  },
  {
    id: 'disk-io-error',
    kind: 'disk_error',
    literals: [
      'I/O error, dev ',
      'critical medium error',
      'critical target error',
      'Buffer I/O error on ',
      'uffer I/O error on dev',
      'attempt to access beyond end of',
      'nrecovered read error',
      'Medium Error',
      'lost async page write',
      'rejecting I/O to dead device',
      'rejecting I/O to offline device',
      'evice offlined',
      'mpt3sas_cm',
    ],
    from: 'kernel',
    match:
      /^(?:blk_update_request: |print_req_error: |end_request: )?(?<text>(?:I\/O error|critical (?:medium|target|space allocation) error), dev (?<part>[\w!-]{1,32}), sector \d{1,20}|Buffer I\/O error on (?:dev(?:ice)? )(?<part2>[\w!-]{1,32}), (?:logical|lost).{0,60}|(?<part3>[\w!-]{1,32}): attempt to access beyond end of device|attempt to access beyond end of device|sd [\d:]{7,20}: (?:\[(?<part5>sd\w{1,4})\] )?(?:rejecting I\/O to (?:dead|offline) device|Device offlined.{0,40}|.{0,40}Medium Error.{0,40}|Add\. Sense: Unrecovered read error.{0,20}))/,
    part: 'unnamed',
    block: 10,
    veto: /dev (?:fd|sr|loop|ram)\d/,
    examples: {
      yes: [
        '[  77.000001] blk_update_request: I/O error, dev sdb, sector 1953525168 op 0x0:(READ) flags 0x80700 phys_seg 1 prio class 0',
        '[  77.000001] I/O error, dev nvme0n1, sector 2048 op 0x1:(WRITE) flags 0x0 phys_seg 1 prio class 2',
        '[  77.000001] end_request: I/O error, dev sdb, sector 0',
        '[  77.000001] critical medium error, dev sdb, sector 1953525168 op 0x0:(READ)',
        '[  77.000001] Buffer I/O error on dev sdb1, logical block 0, async page read',
        '[  77.000001] sd 0:0:1:0: [sdb] Add. Sense: Unrecovered read error',
      ],
      no: [
        '[   2.000001] ata3: SATA link down (SStatus 0 SControl 300)',
        '[  77.000001] I/O error, dev fd0, sector 0',
        'fio: I/O error, dev sdb, sector 1',
      ],
    },
  },
];
