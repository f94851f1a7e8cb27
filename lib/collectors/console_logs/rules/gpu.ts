import type { Rule } from '../rule.ts';

/** NVIDIA's and AMD's drivers. Rule `xid` is split by code into hardware and application (xid.ts). */
export const gpuRules: readonly Rule[] = [
  {
    id: 'xid',
    kind: 'gpu_xid',
    literals: ['NVRM: Xid ', ': Xid ('],
    from: 'kernel',
    match:
      /^(?:nvidia [0-9a-f:.]{1,16}: )?NVRM: (?:GPU at [^ ]{1,40}: )?Xid \((?:PCI:)?(?<part>[0-9a-fA-F:.]{4,16})[^)]{0,20}\): (?<item>\d{1,4})\b(?<text>.{0,200})/,
    examples: {
      yes: [
        '[ 8000.000001] NVRM: Xid (PCI:0000:9b:00): 119, pid=2024380, name=nvidia-smi, Timeout after 6s of waiting for RPC response',
        '[ 8000.000001] NVRM: Xid (0000:03:00): 14, Channel 00000001',
        "[ 8000.000001] NVRM: Xid (PCI:0000:65:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.",
      ],
      no: ['app: NVRM: Xid (PCI:0000:9b:00): 119', '[ 8000.000001] NVRM: GPU at PCI:0000:9b:00: GPU-509665ad-b600-ac93-3616-d754b23d636d'],
    },
  },
];
