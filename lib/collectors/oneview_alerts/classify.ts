/** The kinds of hardware trouble that alerts are sorted into. */
export type HardwareKind =
  | 'hw_power'
  | 'hw_fan'
  | 'hw_memory'
  | 'hw_disk'
  | 'hw_processor'
  | 'hw_thermal'
  | 'hw_network'
  | 'hw_management'
  | 'hw_alert';

export interface Classified {
  kind: HardwareKind;
  /** A drive that still works and is expected to fail. */
  predictive: boolean;
  /** The management processor failed its own test. */
  selfTest: boolean;
}

// By the health category in lower case without anything but letters. OneView writes POWER, Fans, sas-interconnects, …
const CATEGORIES: readonly (readonly [HardwareKind, readonly string[]])[] = [
  ['hw_power', ['power', 'powersupply', 'powersupplies', 'powerdevice', 'powerdevices', 'ups']],
  ['hw_fan', ['fan', 'fans', 'cooling']],
  ['hw_memory', ['memory', 'memorymodule', 'dimm', 'dimms']],
  [
    'hw_disk',
    [
      'disk',
      'disks',
      'drive',
      'drives',
      'storage',
      'localstorage',
      'physicaldrive',
      'logicaldrive',
      'driveenclosures',
      'sasinterconnects',
      'storagesystems',
      'storagevolumes',
      'raid',
    ],
  ],
  ['hw_processor', ['processor', 'processors', 'cpu', 'cpus']],
  ['hw_thermal', ['temperature', 'temperatures', 'thermal']],
  [
    'hw_network',
    [
      'network',
      'networks',
      'networking',
      'nic',
      'nics',
      'interconnect',
      'interconnects',
      'logicalinterconnects',
      'ethernetnetworks',
      'fcnetworks',
      'uplinksets',
      'switches',
      'connectivity',
    ],
  ],
  ['hw_management', ['management', 'managementprocessor', 'ilo', 'mp', 'bmc']],
];

// By HPE's trap names (cpqHlth, cpqSm2, cpqStor, cpqNic and SSA MIBs).
const TRAPS: readonly (readonly [HardwareKind, RegExp])[] = [
  ['hw_power', /PowerSupply|PowerRedundan|FltTolPower|ACpowerloss|PowerMeter|PowerThreshold/i],
  ['hw_fan', /Fan(?![a-z])/],
  ['hw_disk', /^cpq(?:Da|Ss|Ide|Sas|Scsi|Fca|Exos|Nvme)(?=[A-Z\d])|PhyDrv|LogDrv|PCIeDisk|Accel(?:Battery|Board|Status)/],
  ['hw_memory', /CorrMem|ResilientMem|AdvMem|Mem(?:ory)?(?:Module|Board|Failed|Degraded)|Dimm/i],
  ['hw_thermal', /Therm|Temp(?![a-z])|TempFail|TempDegraded/],
  ['hw_processor', /Cpu|Processor/i],
  ['hw_network', /^cpqNic|^link(?:Up|Down)|^cpqFcaHost/],
  ['hw_management', /^cpqSm2|^cpqRackMgr|^cpqHoMibHealth|SelfTest|UnauthorizedLogin/i],
];

const WORDS: readonly (readonly [HardwareKind, RegExp])[] = [
  ['hw_management', /self[- ]?test|\bilo\b|management processor|embedded flash/i],
  ['hw_power', /power supply|power supplies|power redundancy|input power|power (?:input|feed)/i],
  ['hw_fan', /\bfans?\b/i],
  ['hw_memory', /\bdimms?\b|\bmemory\b/i],
  ['hw_disk', /\b(?:drives?|disks?|ssd|raid)\b|storage controller|cache battery/i],
  ['hw_thermal', /temperature|overheat|thermal/i],
  ['hw_processor', /\bprocessors?\b|\bcpus?\b/i],
  ['hw_network', /\bnic\b|link (?:is )?down|network adapter|\binterconnects?\b|\buplink/i],
];

/** Categories of the appliance itself, where neither trap nor text says more. */
const APPLIANCE = new Set(['appliance', 'backups', 'security', 'licenses', 'certificates']);

function letters(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z]/g, '');
}

/** A trap's name without the prefixes that OneView puts before it. */
export function trapName(alertTypeId: string): string {
  return alertTypeId.replace(/^(?:Events-TrapStorm|Trap)\.(?=.)/, '');
}

/** Whether an alert says that OneView filters a trap: what it counts from then on is a floor. */
export function isTrapStorm(alertTypeId: string): boolean {
  return /^Events-TrapStorm\b/.test(alertTypeId);
}

/**
 * Sorts an alert: by its health category where that names a part of the hardware, else by its trap, else by its words.
 * Categories are free text, and often say no more than `ServerBlade` or `None`.
 */
export function classify(alert: { category: string | null; type: string | null; description: string }): Classified {
  const category = letters(alert.category ?? '');
  const trap = alert.type === null ? '' : trapName(alert.type);
  const kind =
    CATEGORIES.find(([, names]) => names.includes(category))?.[0] ??
    TRAPS.find(([, pattern]) => pattern.test(trap))?.[0] ??
    WORDS.find(([, pattern]) => pattern.test(alert.description))?.[0] ??
    (APPLIANCE.has(category) ? 'hw_management' : 'hw_alert');
  return {
    kind,
    predictive: kind === 'hw_disk' && /predict|about to fail|wear[- ]?out|wearstatus/i.test(`${trap} ${alert.description}`),
    selfTest: /self[- ]?test/i.test(`${trap} ${alert.description}`),
  };
}
