import type { Rule } from '../rule.ts';

/** Machine checks, memory, PCIe, heat, clocks. */
export const hardwareRules: readonly Rule[] = [
  {
    id: 'mce-fatal',
    kind: 'mce_fatal',
    literals: [
      'Machine Check Exception',
      'Machine check: Processor context corrupt',
      'Machine check in kernel mode',
      'atal machine check',
      'MACHINE CHECK',
      'achine check in kernel',
    ],
    from: 'kernel',
    match:
      /^(?:mce: )?(?:\[Hardware Error\]: )?(?<text>(?:CPU (?<item>\d{1,5}): )?(?:Machine Check Exception: .{1,80}|Machine check: Processor context corrupt.{0,40}|Machine check events? .{0,20}uncorrected.{0,40}|Fatal machine check .{0,60}|Machine check in kernel mode.{0,40}))/,
    block: 30,
    examples: {
      yes: [
        '[  500.000001] mce: [Hardware Error]: CPU 12: Machine Check Exception: 5 Bank 7: be00000000800400',
        '[  500.000001] [Hardware Error]: CPU 0: Machine Check Exception: 4 Bank 4: b200000000070f0f',
        'CPU 0: Machine Check Exception: 0000000000000007',
        '[  500.000001] mce: [Hardware Error]: Machine check: Processor context corrupt',
        '[  500.000001] Machine check in kernel mode.',
      ],
      no: [
        '[    0.000000] mce: CPU supports 28 MCE banks',
        '[    0.000000] mce: Using 28 MCE banks',
        '[    1.000000] MCE: In-kernel MCE decoding enabled.',
        '[    1.000000] mce: Unable to init MCE device (rc: -5)',
        '[    1.000000] Machine check injector initialized',
        '[    0.000000] Command line: mce=bootlog',
      ],
    },
  },
  {
    // Without an exception the kernel only tells what a bank holds: bit 61 of its status says that it was not corrected.
    id: 'mce-bank-uncorrected',
    kind: 'hw_uncorrected',
    literals: [': Machine Check: '],
    from: 'kernel',
    match: /^(?:mce: )?\[Hardware Error\]: (?<text>CPU (?<item>\d{1,5}): Machine Check: \d{1,20} Bank \d{1,3}: [2367abef][0-9a-f]{15})/,
    part: 'machine',
    block: 30,
    examples: {
      yes: [
        '[    2.100001] mce: [Hardware Error]: CPU 0: Machine Check: 0 Bank 6: ee0000000040110a',
        '[  500.000001] [Hardware Error]: CPU 12: Machine Check: 0 Bank 5: be00000000800400',
      ],
      no: [
        '[  500.000001] mce: [Hardware Error]: CPU 2: Machine Check: 0 Bank 8: 9c00004001010092',
        '[  500.000001] app[4]: [Hardware Error]: CPU 0: Machine Check: 0 Bank 6: ee0000000040110a',
      ],
    },
  },
  {
    id: 'mce-bank-corrected',
    kind: 'hw_corrected',
    literals: [': Machine Check: '],
    from: 'kernel',
    match: /^(?:mce: )?\[Hardware Error\]: CPU \d{1,5}: Machine Check: \d{1,20} Bank \d{1,3}: [014589cd][0-9a-f]{15}/,
    part: 'machine',
    block: 1,
    examples: {
      yes: [
        '[  500.000001] mce: [Hardware Error]: CPU 2: Machine Check: 0 Bank 8: 9c00004001010092',
        '[  500.000001] [Hardware Error]: CPU 2: Machine Check: 0 Bank 8: dc00004001010092',
      ],
      no: ['[  500.000001] mce: [Hardware Error]: CPU 0: Machine Check: 0 Bank 6: ee0000000040110a'],
    },
  },
  {
    id: 'mce-logged',
    kind: 'hw_corrected',
    literals: ['achine check events logged', 'event severity: corrected', '[Hardware Error]: event'],
    from: 'kernel',
    match:
      /^(?:mce: )?(?:\{\d{1,10}\})?\[Hardware Error\]: (?:Machine check events logged|event severity: corrected)|^Machine check events logged/,
    part: 'machine',
    block: 1,
    examples: {
      yes: [
        '[  500.000001] mce: [Hardware Error]: Machine check events logged',
        '[  500.000001] {1}[Hardware Error]: event severity: corrected',
        '[  500.000001] Machine check events logged',
      ],
      no: [
        '[  500.000001] {1}[Hardware Error]: event severity: fatal',
        '[  500.000001] {1}[Hardware Error]: It has been corrected by h/w and requires no further action',
      ],
    },
  },
  {
    id: 'edac-corrected',
    kind: 'hw_corrected',
    literals: [' CE memory ', ' CE on ', ' CE row ', ' CE page ', ' CE mc#', ' CE DIMM', ' CE no ', ' CE Memory'],
    from: 'kernel',
    match:
      /^EDAC MC\d{1,3}: (?:(?<n>\d{1,6}) )?CE (?:(?:.{0,60}? )?on (?<part>[^ ]{1,64}(?: [^ (]{1,32}){0,3})|(?:row|page).{0,60}|(?<text>.{1,100}))/,
    part: 'memory',
    examples: {
      yes: [
        '[  500.000001] EDAC MC0: 1 CE memory read error on CPU_SrcID#0_Ha#0_Chan#1_DIMM#0 (channel:1 slot:0 page:0x1b3d2c offset:0x8c0 grain:32 syndrome:0x0)',
        '[  500.000001] EDAC MC0: 1 CE on mc#0csrow#1channel#3 (csrow:1 channel:3 page:0x1b3d2c offset:0x8c0 grain:64 syndrome:0x8b)',
      ],
      no: [
        '[    2.310552] EDAC MC0: Giving out device to module amd64_edac controller F19h: DEV 0000:00:18.3 (INTERRUPT)',
        '[    2.000001] EDAC MC: Ver: 3.0.0',
        '[    2.000001] EDAC DEBUG: amd64_edac: 1 CE',
      ],
    },
  },
  {
    id: 'edac-uncorrected',
    kind: 'hw_uncorrected',
    literals: [' UE memory ', ' UE on ', ' UE row ', ' UE page ', ' UE mc#', ' UE DIMM', ' UE Memory'],
    from: 'kernel',
    match:
      /^EDAC MC\d{1,3}: (?:(?<n>\d{1,6}) )?UE (?:(?:.{0,60}? )?on (?<part>[^ ]{1,64}(?: [^ (]{1,32}){0,3})|(?:row|page).{0,60}|(?<text>.{1,100}))/,
    part: 'memory',
    examples: {
      yes: [
        '[  500.000001] EDAC MC1: 1 UE memory read error on CPU_SrcID#1_Ha#0_Chan#2_DIMM#1 (channel:2 slot:1 page:0x1 offset:0x0 grain:32)',
        '[  500.000001] EDAC MC0: 2 UE on unknown label (node:0 page:0x0 offset:0x0 grain:0)',
      ],
      no: ['[  500.000001] EDAC MC0: 1 CE on mc#0csrow#1channel#3 (csrow:1 channel:3)'],
    },
  },
  {
    id: 'cper',
    kind: 'hw_uncorrected',
    literals: ['event severity: recoverable', 'event severity: fatal', 'event severity: info'],
    from: 'kernel',
    match: /^(?:\{\d{1,10}\})?\[Hardware Error\]: event severity: (?:recoverable)/,
    part: 'machine',
    block: 1,
    examples: {
      yes: [
        '[  500.000001] {2}[Hardware Error]: event severity: recoverable',
        '[  500.000001] [Hardware Error]: event severity: recoverable',
      ],
      no: ['[  500.000001] {1}[Hardware Error]: event severity: corrected'],
    },
  },
  {
    id: 'cper-fatal',
    kind: 'hw_uncorrected',
    severity: 'critical',
    literals: ['event severity: fatal', 'type: fatal', 'atal hardware error'],
    from: 'kernel',
    match: /^(?:(?:\{\d{1,10}\})?\[Hardware Error\]: {1,4}(?:event severity: fatal|Error \d{1,4}, type: fatal)|Fatal hardware error)/,
    part: 'machine',
    block: 1,
    examples: {
      yes: ['[  500.000001] {1}[Hardware Error]: event severity: fatal', '[  500.000001] {1}[Hardware Error]:  Error 0, type: fatal'],
      no: ['[  500.000001] {1}[Hardware Error]: event severity: recoverable'],
    },
  },
  {
    id: 'aer-corrected',
    kind: 'hw_corrected',
    literals: ['severity=Correct', 'severity: Correct'],
    from: 'kernel',
    match:
      /^(?:\w[\w-]{0,24} )?(?:AER: )?(?<part>[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.\d): (?:AER: )?PCIe Bus Error: severity=Correct(?:ed|able)/,
    examples: {
      yes: [
        '[  500.000001] pcieport 0000:40:01.1: PCIe Bus Error: severity=Corrected, type=Physical Layer, (Receiver ID)',
        '[  500.000001] nvme 0000:41:00.0: AER: PCIe Bus Error: severity=Correctable, type=Data Link Layer, (Transmitter ID)',
      ],
      no: [
        '[    1.902144] pcieport 0000:00:01.1: AER: enabled with IRQ 27',
        '[  500.000001] pcieport 0000:40:01.1: AER: Multiple Corrected error message received from 0000:41:00.0',
      ],
    },
  },
  {
    id: 'aer-uncorrected',
    kind: 'hw_uncorrected',
    literals: ['severity=Uncorrect', 'AER: Uncorrect', 'AER: Multiple Uncorrect'],
    from: 'kernel',
    match:
      /^(?:\w[\w-]{0,24} )?(?:AER: )?(?<part>[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.\d): (?:(?:AER: )?PCIe Bus Error: severity=Uncorrect(?:ed|able) \(Non-Fatal\)|AER: (?:Multiple )?Uncorrect(?:ed|able) \(Non-Fatal\) error (?:message )?received)/,
    block: 1,
    examples: {
      yes: [
        '[  500.000001] pcieport 0000:40:01.1: AER: PCIe Bus Error: severity=Uncorrectable (Non-Fatal), type=Transaction Layer, (Requester ID)',
        '[  500.000001] nvme 0000:41:00.0: PCIe Bus Error: severity=Uncorrected (Non-Fatal), type=Transaction Layer, (Receiver ID)',
        '[  500.000001] pcieport 0000:40:01.1: AER: Uncorrected (Non-Fatal) error received: id=0008',
      ],
      no: ['[  500.000001] pcieport 0000:40:01.1: PCIe Bus Error: severity=Corrected, type=Physical Layer'],
    },
  },
  {
    id: 'aer-fatal',
    kind: 'hw_uncorrected',
    severity: 'critical',
    literals: ['severity=Uncorrect', 'AER: Uncorrect', 'AER: Multiple Uncorrect', 'containment event'],
    from: 'kernel',
    match:
      /^(?:\w[\w-]{0,24} )?(?<part>[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.\d): (?:(?:AER: )?PCIe Bus Error: severity=Uncorrect(?:ed|able) \(Fatal\)|AER: (?:Multiple )?Uncorrect(?:ed|able) \(Fatal\) error (?:message )?received|DPC: containment event)/,
    block: 1,
    examples: {
      yes: [
        '[  500.000001] pcieport 0000:40:01.1: AER: PCIe Bus Error: severity=Uncorrectable (Fatal), type=Transaction Layer, (Receiver ID)',
        '[  500.000001] pcieport 0000:40:01.1: PCIe Bus Error: severity=Uncorrected (Fatal), type=Transaction Layer',
        '[  500.000001] pcieport 0000:40:01.1: DPC: containment event, status:0x1f01 source:0x0000',
        '[  500.000001] pcieport 0000:40:01.1: AER: Uncorrected (Fatal) error received: 0000:41:00.0',
        '[  500.000001] pcieport 0000:40:01.1: AER: Multiple Uncorrectable (Fatal) error message received from 0000:41:00.0',
      ],
      no: [
        '[    1.900001] pcieport 0000:40:01.1: DPC: error containment capabilities: Int Msg #0, RPExt+ PoisonedTLP+ SwTrigger+ RP PIO Log 6, DL_ActiveErr+',
      ],
    },
  },
  {
    id: 'memory-failure',
    kind: 'hw_uncorrected',
    literals: ['Memory failure: 0x', 'Uncorrected hardware memory error in', 'hardware memory corruption'],
    from: 'kernel',
    match:
      /^(?:mce: )?(?<text>Memory failure: 0x[0-9a-f]{1,16}: .{0,40}(?:recovery action for|unhandlable|still referenced|already hardware poisoned).{0,80}|Uncorrected hardware memory error in user-access.{0,60}|MCE 0x[0-9a-f]{1,16}: .{0,80})/,
    part: 'memory',
    block: 5,
    examples: {
      yes: [
        '[  500.000001] Memory failure: 0x1b3d2c: recovery action for dirty LRU page: Recovered',
        '[  500.000001] mce: Uncorrected hardware memory error in user-access at 1b3d2c0a40',
      ],
      no: ['[  500.000001] Memory failure: disabled'],
    },
  },
  {
    id: 'throttled',
    kind: 'thermal',
    literals: [
      'temperature above threshold',
      'temperature is above threshold',
      'ritical temperature reached',
      'clock is throttled',
      'clock throttled',
    ],
    from: 'kernel',
    match:
      /^(?:mce: )?(?<text>(?:(?<item>CPU\d{1,5}): (?:Core |Package )?[Tt]emperature (?:is )?above threshold|(?:thermal \S{1,40}: )?.{0,40}[Cc]ritical temperature reached).{0,80})/,
    block: 10,
    examples: {
      yes: [
        '[  500.000001] mce: CPU12: Core temperature is above threshold, cpu clock is throttled (total events = 1)',
        '[  500.000001] CPU12: Package temperature above threshold, cpu clock throttled (total events = 4021)',
        '[  500.000001] thermal thermal_zone0: acpitz: critical temperature reached, shutting down',
      ],
      no: ['[    0.100000] CPU0: Thermal monitoring enabled (TM1)', '[  501.000001] mce: CPU12: Core temperature/speed normal'],
    },
  },
  {
    id: 'cooled',
    clears: ['thermal'],
    literals: ['temperature/speed normal'],
    from: 'kernel',
    match: /^(?:mce: )?(?<item>CPU\d{1,5}): (?:Core |Package )?[Tt]emperature\/speed normal/,
    examples: {
      yes: [
        '[  501.000001] mce: CPU12: Core temperature/speed normal (total events = 1)',
        '[  501.000001] CPU12: Package temperature/speed normal',
      ],
      no: ['temperature/speed normal'],
    },
  },
  {
    id: 'clocksource',
    kind: 'clock',
    literals: [
      'as unstable because the skew',
      'imekeeping watchdog on CPU',
      'ystem clock wrong by',
      'time jump detected',
      'Clock skew too great',
      'ystem time before 19',
    ],
    from: 'console',
    match:
      /^(?:clocksource: )?(?<text>timekeeping watchdog on CPU\d{1,5}: Marking clocksource '\w{1,16}' as unstable because the skew is too large.{0,40}|Clocksource \w{1,16} unstable.{0,60})|^chronyd(?:\[\d{1,10}\])?: (?<text2>System clock wrong by .{1,60}|(?:Forward|Backward) time jump detected.{0,20})/,
    block: 60,
    examples: {
      yes: [
        "[  500.000001] clocksource: timekeeping watchdog on CPU12: Marking clocksource 'tsc' as unstable because the skew is too large:",
        '[  500.000001] chronyd[901]: System clock wrong by 25199.412 seconds',
        'chronyd[901]: Forward time jump detected!',
      ],
      no: [
        '[    1.510663] clocksource: Switched to clocksource tsc',
        '[  500.000001] clocksource: Long readout interval, skipping watchdog check: cs_nsec: 1584036171 wd_nsec: 1584036160',
      ],
    },
  },
  {
    id: 'unknown-nmi',
    kind: 'nmi',
    literals: [
      'NMI received for unknown reason',
      'Dazed and confused',
      'NMI: PCI system error',
      'NMI: IOCK error',
      'PCI system error (SERR)',
      'IOCK error (debug',
    ],
    from: 'kernel',
    match:
      /^(?<text>(?:Uhhuh\. )?NMI received for unknown reason [0-9a-f]{1,4} on CPU (?<item>\d{1,5})|Dazed and confused, but trying to continue|NMI: (?:PCI system error \(SERR\)|IOCK error).{0,60})/,
    block: 5,
    examples: {
      yes: [
        '[  500.000001] Uhhuh. NMI received for unknown reason 2c on CPU 4.',
        '[  500.000001] NMI received for unknown reason 3d on CPU 0.',
        '[  500.000001] NMI: PCI system error (SERR) for reason a1 on CPU 0.',
      ],
      no: [
        '[  500.000001] INFO: NMI handler (perf_event_nmi_handler) took too long to run: 1.204 msecs',
        '[    0.241003] NMI watchdog: Enabled. Permanently consumes one hw-PMU counter.',
      ],
    },
  },
];
