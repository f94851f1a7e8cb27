import type { Rule } from '../rule.ts';

/** NVIDIA's and AMD's drivers. Rule `xid` is told apart by code into hardware and application (xid.ts). */
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
        '[ 8000.000001] NVRM: Xid (PCI:0000:65:00 GPU-I:02): 94, pid=4021, name=python3, Contained: SM (0x1).',
      ],
      no: [
        'app: NVRM: Xid (PCI:0000:9b:00): 119',
        '[ 8000.000001] NVRM: GPU at PCI:0000:9b:00: GPU-509665ad-b600-ac93-3616-d754b23d636d',
        '[ 8000.000001] NVRM: GPU4 RPC history (CPU -> GSP):',
      ],
    },
  },
  {
    // The bus may be lost without an Xid: one line, or three of which the middle one names the device.
    id: 'gpu-lost',
    kind: 'gpu_xid',
    literals: ['has fallen off the bus', 'fallen off the bus and', 'The NVIDIA GPU '],
    from: 'kernel',
    match:
      /^NVRM: (?:GPU (?<part>[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2})\.\d: GPU has fallen off the bus|(?:GPU at )?(?:PCI:)?(?<part2>[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2})(?:\.\d)?: GPU has fallen off the bus|(?:The NVIDIA GPU (?<part3>[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2})\.\d.{0,80})?fallen off the bus and is not responding to commands)/,
    part: 'unnamed',
    block: 10,
    examples: {
      yes: [
        '[ 8000.000001] NVRM: GPU 0000:85:00.0: GPU has fallen off the bus.',
        '[ 8000.000001] NVRM: fallen off the bus and is not responding to commands.',
      ],
      no: ['[    5.000001] NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.54.15', '[    5.000001] NVRM: The NVIDIA GPU 0000:85:00.0'],
    },
  },
  {
    id: 'gpu-named',
    mark: 'gpu_named',
    literals: ['The NVIDIA GPU '],
    from: 'kernel',
    match: /^NVRM: The NVIDIA GPU (?<part>[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2})\.\d/,
    examples: { yes: ['[    5.000001] NVRM: The NVIDIA GPU 0000:85:00.0'], no: ['app: The NVIDIA GPU 0000:85:00.0'] },
  },
  {
    id: 'gpu-init-failed',
    kind: 'gpu_fault',
    literals: ['RmInitAdapter failed', 'atal error during GPU init', 'GPU initialization failed', 'Rm initialization failed'],
    from: 'kernel',
    match:
      /^(?:NVRM: (?:GPU )?(?<part>[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2})(?:\.\d)?: (?<text>RmInitAdapter failed.{0,60})|NVRM: RmInitAdapter failed.{0,60}|amdgpu (?<part2>[0-9a-f:.]{12}): (?:amdgpu: )?Fatal error during GPU init)/,
    part: 'unnamed',
    block: 10,
    examples: {
      yes: [
        '[    9.000001] NVRM: GPU 0000:85:00.0: RmInitAdapter failed! (0x26:0x56:1463)',
        '[    9.000001] amdgpu 0000:c1:00.0: amdgpu: Fatal error during GPU init',
      ],
      no: ['app: RmInitAdapter failed'],
    },
  },
  {
    id: 'sxid',
    kind: 'gpu_fault',
    literals: [': SXid ('],
    from: 'kernel',
    match: /^nvidia-nvswitch\d{1,3}: SXid \((?:PCI:)?(?<part>[0-9a-fA-F:.]{4,16})\): (?<item>\d{1,6}), Fatal\b(?<text>.{0,120})/,
    examples: {
      yes: [
        '[ 8000.000001] nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 20034, Fatal, Link 30 LTSSM Fault Up',
        '[ 8000.000001] nvidia-nvswitch0: SXid (PCI:0000:c4:00.0): 12028, Fatal, Link 46 egress non-posted PRIV error',
      ],
      no: [
        '[ 8000.000001] nvidia-nvswitch0: open (major=235)',
        '[ 8000.000001] nvidia-nvswitch0: SXid (PCI:0000:c4:00.0): 12028, Non-fatal, Link 46 egress non-posted PRIV error',
      ],
    },
  },
  {
    id: 'sxid-nonfatal',
    kind: 'gpu_fault',
    severity: 'warning',
    literals: [': SXid ('],
    from: 'kernel',
    match: /^nvidia-nvswitch\d{1,3}: SXid \((?:PCI:)?(?<part>[0-9a-fA-F:.]{4,16})\): (?<item>\d{1,6}), (?!Fatal)(?<text>.{0,120})/,
    examples: {
      yes: [
        '[ 8000.000001] nvidia-nvswitch0: SXid (PCI:0000:c4:00.0): 12028, Non-fatal, Link 46 egress non-posted PRIV error',
        '[ 8000.000001] nvidia-nvswitch0: SXid (PCI:0000:c4:00.0): 11012, Non-fatal, Link 2',
      ],
      no: ['[ 8000.000001] nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 20034, Fatal, Link 30 LTSSM Fault Up'],
    },
  },
  {
    id: 'gpu-restored',
    mark: 'gpu_reset',
    literals: ['loading NVIDIA UNIX', 'succeeded!', 'GPU reset succeeded'],
    from: 'kernel',
    match: /^(?:NVRM: loading NVIDIA UNIX|amdgpu (?<part>[0-9a-f:.]{12}): (?:amdgpu: )?GPU reset(?:\(\d{1,6}\))? succeeded)/,
    examples: {
      yes: [
        '[    5.000001] NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.54.15',
        '[ 8010.000001] amdgpu 0000:c1:00.0: amdgpu: GPU reset(3) succeeded!',
      ],
      no: ['[ 8010.000001] amdgpu 0000:c1:00.0: amdgpu: GPU reset begin!'],
    },
  },
  {
    id: 'amdgpu-soft-recovered',
    kind: 'gpu_app_error',
    literals: ['but soft recovered', 'page fault (src_id'],
    from: 'kernel',
    match:
      /^(?:amdgpu (?<part>[0-9a-f:.]{12}): (?:amdgpu: )?)?(?:\[drm:\w{1,40}(?: \[amdgpu\])?\] \*ERROR\* )?(?<text>ring \w{1,24} timeout, but soft recovered|\[(?:gfxhub|mmhub)\d{0,2}\] (?:retry |no-retry )?page fault.{0,60})/,
    part: 'unnamed',
    block: 10,
    examples: {
      yes: [
        '[ 8000.000001] amdgpu 0000:c1:00.0: amdgpu: ring sdma0 timeout, but soft recovered',
        '[ 8000.000001] amdgpu 0000:c1:00.0: amdgpu: [gfxhub0] no-retry page fault (src_id:0 ring:24 vmid:8 pasid:32769)',
      ],
      no: ['[ 8000.000001] amdgpu 0000:c1:00.0: amdgpu: ring sdma0 timeout, signaled seq=12, emitted seq=14'],
    },
  },
  {
    id: 'amdgpu-fault',
    kind: 'gpu_fault',
    literals: [
      'GPU reset begin',
      'ring reset failure',
      'Recovery Failed',
      ' failed, signaled seq',
      ' timeout, signaled seq',
      'uncorrectable hardware errors',
      'poison is consumed',
      'reaches threshold',
      'GPU reset(',
      'GPU reset end with ret',
    ],
    from: 'kernel',
    match:
      /^(?:amdgpu (?<part>[0-9a-f:.]{12}): (?:amdgpu: )?)?(?:\[drm:\w{1,40}(?: \[amdgpu\])?\] \*ERROR\* )?(?<text>ring [\w.]{1,24} timeout, signaled seq=.{1,60}|(?:R|r)ing [\w.]{1,24} reset fail.{0,40}|GPU reset(?:\(\d{1,6}\))? failed.{0,40}|GPU [Rr]ecovery [Ff]ailed: .{1,40}|GPU reset end with ret = -\d{1,5}|(?:\{\d{1,20}\} ?)?(?:socket: \d{1,3},? (?:die: \d{1,3},? )?)?[1-9]\d{0,9} (?:new )?uncorrectable hardware errors? detected in .{1,40}|.{0,60}poison is consumed.{0,60}|Saved bad pages \d{1,9} reaches threshold.{0,40})/,
    part: 'unnamed',
    block: 10,
    examples: {
      yes: [
        '[ 8000.000001] amdgpu 0000:c1:00.0: amdgpu: ring gfx timeout, signaled seq=12, emitted seq=14',
        '[ 8000.000001] [drm:amdgpu_job_timedout [amdgpu]] *ERROR* ring sdma0 timeout, signaled seq=12, emitted seq=14',
        '[ 8000.000001] amdgpu 0000:c1:00.0: amdgpu: GPU reset(3) failed',
        '[ 8000.000001] amdgpu 0000:c1:00.0: amdgpu: 1 uncorrectable hardware errors detected in umc block',
        '[ 8000.000001] amdgpu 0000:c1:00.0: amdgpu: {2}socket: 0, die: 0, 1 new uncorrectable hardware errors detected in umc block',
        '[ 8000.000001] amdgpu 0000:c1:00.0: amdgpu: socket: 4 1 uncorrectable hardware errors detected in total in gfx block',
        '[ 8000.000001] amdgpu 0000:c1:00.0: amdgpu: GPU Recovery Failed: -110',
      ],
      no: [
        '[ 8000.000001] amdgpu 0000:c1:00.0: amdgpu: no uncorrectable hardware errors detected in umc block',
        '[ 8000.000001] amdgpu 0000:c1:00.0: amdgpu: ring sdma0 timeout, but soft recovered',
        '[ 8000.000001] amdgpu 0000:c1:00.0: amdgpu: 0 uncorrectable hardware errors detected in umc block',
        '[ 8000.000001] amdgpu 0000:c1:00.0: amdgpu: socket: 0, die: 0, 0 new uncorrectable hardware errors detected in umc block',
      ],
    },
  },
  {
    id: 'amdgpu-throttled',
    kind: 'gpu_thermal',
    literals: ['GPU is throttled', 'GPU thermal throttling'],
    from: 'kernel',
    match:
      /^amdgpu (?<part>[0-9a-f:.]{12}): (?:amdgpu: )?WARN: (?<text>GPU (?:is throttled|thermal throttling temperature reached).{0,100})/,
    block: 10,
    examples: {
      yes: [
        '[  500.000001] amdgpu 0000:c1:00.0: amdgpu: WARN: GPU is throttled, expect performance decrease. HBM hot.',
        '[  500.000001] amdgpu 0000:c1:00.0: WARN: GPU thermal throttling temperature reached, expect performance decrease. XCD.',
      ],
      no: ['[    9.000001] amdgpu 0000:c1:00.0: amdgpu: SMU is initialized successfully!', 'app: GPU is throttled, expect nothing'],
    },
  },
  {
    id: 'amdgpu-overheated',
    kind: 'gpu_fault',
    literals: ['GPU over temperature range', 'due to GPU SW CTF', 'Critical Temperature Fault'],
    from: 'kernel',
    match:
      /^amdgpu (?<part>[0-9a-f:.]{12}): (?:amdgpu: )?ERROR: (?<text>(?:GPU over temperature range|System is going to shutdown due to GPU SW CTF|GPU HW Critical Temperature Fault).{0,100})/,
    block: 10,
    examples: {
      yes: [
        '[  500.000001] amdgpu 0000:c1:00.0: amdgpu: ERROR: GPU over temperature range(SW CTF) detected!',
        '[  500.000001] amdgpu 0000:c1:00.0: amdgpu: ERROR: GPU HW Critical Temperature Fault(aka CTF) detected!',
      ],
      no: ['app: GPU over temperature range'],
    },
  },
  {
    id: 'amdgpu-corrected',
    kind: 'hw_corrected',
    literals: [' correctable hardware errors'],
    from: 'kernel',
    match:
      /^amdgpu (?<part>[0-9a-f:.]{12}): (?:amdgpu: )?(?:\{\d{1,20}\} ?)?(?:socket: \d{1,3},? (?:die: \d{1,3},? )?)?[1-9]\d{0,9} (?:new )?correctable hardware errors? detected in/,
    examples: {
      yes: [
        '[ 8000.000001] amdgpu 0000:c1:00.0: amdgpu: 3 correctable hardware errors detected in umc block',
        '[ 8000.000001] amdgpu 0000:c1:00.0: amdgpu: 1 new correctable hardware errors detected in umc block',
        '[ 8000.000001] amdgpu 0000:c1:00.0: amdgpu: socket: 1, die: 0 12 new correctable hardware errors detected in umc block',
      ],
      no: ['[ 8000.000001] amdgpu 0000:c1:00.0: amdgpu: 0 correctable hardware errors detected in umc block'],
    },
  },
];
