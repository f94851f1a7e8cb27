import type { Rule } from '../rule.ts';

/** Local file systems, disks, and the clients of Lustre, NFS, Weka and DVS. */
export const storageRules: readonly Rule[] = [
  {
    id: 'ext4-error',
    kind: 'fs_error',
    literals: ['EXT4-fs error ', 'EXT3-fs error ', 'EXT2-fs error ', 'EXT4-fs ('],
    from: 'kernel',
    match: /^EXT[234]-fs error \(device (?<part>[\w.!/-]{1,64})\): (?<text>.{0,160})/,
    examples: {
      yes: ['[  77.000001] EXT4-fs error (device sda2): ext4_find_entry:1463: inode #2: comm ls: reading directory lblock 0'],
      no: ['[  77.000001] EXT4-fs (sda2): mounted filesystem with ordered data mode. Opts: errors=remount-ro'],
    },
  },
  {
    id: 'ext4-read-only',
    kind: 'fs_error',
    severity: 'critical',
    literals: ['emounting filesystem read-only', 'borting journal on device ', 'ailed to remount filesystem'],
    from: 'kernel',
    match:
      /^(?:EXT[234]-fs \((?<part>[\w.!/-]{1,64})\): Remounting filesystem read-only|(?:Aborting journal on device )(?<device>[\w.!/-]{1,64}?)(?:-\d{1,6})?\.)/,
    examples: {
      yes: ['[  77.000001] EXT4-fs (sda2): Remounting filesystem read-only', '[  77.000001] Aborting journal on device sda2-8.'],
      no: ['systemd-remount-fs[1]: Remounting filesystem read-only'],
    },
  },
  {
    id: 'xfs-shutdown',
    kind: 'fs_error',
    severity: 'critical',
    literals: ['hutting down filesystem'],
    from: 'kernel',
    match: /^XFS \((?<part>[\w.!/-]{1,64})\): (?<text>.{0,160}?)\.? {1,2}Shutting down filesystem/,
    veto: /User initiated shutdown/,
    examples: {
      yes: [
        '[  77.000001] XFS (dm-0): Corruption of in-memory data detected.  Shutting down filesystem',
        '[  77.000001] XFS (dm-0): Corruption of in-memory data (0x8) detected at xfs_trans_cancel+0x12d/0x150 (fs/xfs/xfs_trans.c:957).  Shutting down filesystem.',
        '[  77.000001] XFS (sdb1): Log I/O Error Detected. Shutting down filesystem',
      ],
      no: ['[  77.000001] XFS (dm-0): User initiated shutdown received. Shutting down filesystem'],
    },
  },
  {
    id: 'fs-mounted',
    clears: ['fs_error'],
    literals: ['mounted filesystem', 'Ending clean mount', 'recovery complete'],
    from: 'kernel',
    match:
      /^(?:EXT[234]-fs|XFS) \((?<part>[\w.!/-]{1,64})\): (?:mounted filesystem|re-mounted.{0,60} r\/w|Ending clean mount|recovery complete)/,
    examples: {
      yes: [
        '[  90.000001] XFS (dm-0): Ending clean mount',
        '[  90.000001] EXT4-fs (sda2): mounted filesystem with ordered data mode. Opts: (null)',
      ],
      no: ['mounted filesystem'],
    },
  },
];
