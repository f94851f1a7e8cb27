import type { XnameType } from '../../model/xname.ts';
import { xnameType } from '../../model/xname.ts';

export const CLASSES = [
  'node',
  'service_node',
  'leader',
  'admin',
  'dpu',
  'bmc',
  'cmc',
  'chassis',
  'mgmt_switch',
  'leaf_switch',
  'spine_switch',
  'hsn_switch',
  'ib_switch',
  'pdu',
  'cooling',
  'alias',
  'unknown',
] as const;
/** What an entry of the inventory is. */
export type EntryClass = (typeof CLASSES)[number];

/** Entries that boot an operating system of their own. */
export const HOSTS: ReadonlySet<EntryClass> = new Set(['node', 'service_node', 'leader', 'admin', 'dpu']);

/** What classification looks at: everything already trimmed and in lower case. */
export interface Traits {
  /** The entry's own name. */
  name: string;
  /** HPCM's `type`; it has no list of values. */
  type?: string | undefined;
  template?: string | undefined;
  /** HPCM system and custom groups that list the entry. */
  groups: readonly string[];
  xname?: string | undefined;
  kernel?: string | undefined;
  /** Any hardware inventory, or an alias `product`: what a purely virtual name never has. */
  hasHardware: boolean;
  /** Has an image assigned, was seen to boot, or answers to the tools that ask nodes. */
  bootsSystem: boolean;
  isSuLeader: boolean;
  /** Bare words of the cluster definition. */
  isController: boolean;
  /** The cluster definition gives it a PDU protocol. */
  isPdu: boolean;
}

// Known values of `type`: Cray-HPE/cani, HPCM import (translate.go, classify.go), MIT.
const TYPES: ReadonlyMap<string, EntryClass> = new Map<string, EntryClass>([
  ['admin', 'admin'],
  ['leader', 'leader'],
  ['leader_alias', 'alias'],
  ['ice_compute', 'node'],
  ['chassis', 'chassis'],
  ['cmc', 'cmc'],
  ['mgmt_switch', 'mgmt_switch'],
  ['leaf', 'leaf_switch'],
  ['spine', 'spine_switch'],
  ['switch_blade', 'hsn_switch'],
  ['ib_switch', 'ib_switch'],
  ['pdu', 'pdu'],
  ['cooldev', 'cooling'],
]);

// Where only a name is known.
const NAMES: ReadonlyMap<string, EntryClass> = new Map<string, EntryClass>([
  ['admin', 'admin'],
  ['leader', 'leader'],
]);

const XNAMES: Partial<Record<XnameType, EntryClass>> = {
  node: 'node',
  node_bmc: 'bmc',
  switch_bmc: 'bmc',
  switch: 'hsn_switch',
  mgmt_switch: 'mgmt_switch',
  mgmt_spine: 'spine_switch',
  cdu_switch: 'mgmt_switch',
  chassis: 'chassis',
  chassis_bmc: 'cmc',
  pdu_controller: 'pdu',
  pdu: 'pdu',
  cec: 'cooling',
  cdu: 'cooling',
};

// Words by which sites name what is no compute node, in templates, groups and host names. HPCM itself has one type
// (`compute`) for all of them, so a site's own table comes first.
const ROLES: readonly (readonly [string, RegExp])[] = [
  ['login', /^(?:login|uan|uai|frontend|fe)\d*$/],
  ['storage', /^(?:weka|lustre|storage|stor|mds|mgs|oss|nfs|nas|beegfs|gpfs)\d*$/],
  ['gateway', /^(?:gateway|gw|lnet|router|dvs|dtn)\d*$/],
  ['scheduler', /^(?:pbs|slurm|scheduler|sched)\d*$/],
  ['fabric', /^(?:fmn|fabric)\d*$/],
  ['service', /^(?:service|svc|mgmt|monitor|monitoring|head|ncn|viz|dns|ldap)\d*$/],
];

const DPU_WORD = /(?:^|[-_.\s])(?:dpu|bf[1-9])\d*(?:[-_.\s]|$)/;

/** The words of a name: `nid000001-dpu` → `nid000001`, `dpu`. */
function words(text: string): string[] {
  return text.split(/[-_.\s]+/);
}

/**
 * Classifies an entry, in this order: an alias by its name; HPCM's type; the xname; the cluster definition's flags; DPU
 * marks. `compute` is HPCM's default bucket, so it decides nothing by itself: what its name, marks and groups leave is
 * a node. Being aarch64 alone makes no DPU, since whole partitions of compute nodes are; a kernel built for one does.
 */
export function classify(traits: Traits): { class: EntryClass; role?: string } {
  const { name, type, isSuLeader } = traits;
  if (name.endsWith('-aliases') && !traits.hasHardware) return { class: 'alias' };
  const known = type === undefined ? NAMES.get(name.replace(/\d+$/, '')) : TYPES.get(type);
  if (known !== undefined) return { class: known };
  if (type !== undefined && type !== 'compute') return { class: 'unknown' };
  const named = xnameType(name);
  const byName = named === null ? undefined : XNAMES[named];
  if (byName !== undefined && byName !== 'node') return { class: byName };
  if (traits.isPdu) return { class: 'pdu' };
  if (traits.isController) return { class: 'bmc' };
  if (isSuLeader) return { class: 'leader' };
  if (isDpu(traits)) return { class: 'dpu' };
  if (byName === 'node') return { class: 'node', role: 'compute' };
  const role = serviceRole(traits);
  if (role !== undefined) return { class: 'service_node', role };
  if (type === 'compute' || traits.bootsSystem || /^nid\d+$/.test(name) || xnameType(traits.xname ?? '') === 'node') {
    return { class: 'node', role: 'compute' };
  }
  return { class: 'unknown' };
}

function isDpu({ name, template, kernel }: Traits): boolean {
  return (
    DPU_WORD.test(name) || (template !== undefined && DPU_WORD.test(template)) || (kernel !== undefined && kernel.includes('bluefield'))
  );
}

/** A template or name counts by its first word, a group only as a whole: `lustre-clients` are no Lustre servers. */
function serviceRole({ name, template, groups, xname }: Traits): string | undefined {
  const texts = [...(template === undefined ? [] : [words(template)[0] as string]), ...groups];
  // A name is a weaker sign than a group: it decides only where the entry has no place among the blades.
  if (xname === undefined) texts.push(words(name)[0] as string);
  for (const text of texts) {
    const role = ROLES.find(([, pattern]) => pattern.test(text));
    if (role !== undefined) return role[0];
  }
  return undefined;
}

/** The subject type under which an entry's conditions and facts stand: every host but a DPU is a `node`. */
export function subjectType(entryClass: EntryClass, isHostLike: () => boolean): string {
  switch (entryClass) {
    case 'node':
    case 'service_node':
    case 'leader':
    case 'admin':
      return 'node';
    case 'cmc':
    case 'bmc':
      return 'bmc';
    case 'mgmt_switch':
    case 'leaf_switch':
    case 'spine_switch':
    case 'hsn_switch':
    case 'ib_switch':
      return 'switch';
    case 'cooling':
      return 'cdu';
    case 'unknown':
      return isHostLike() ? 'node' : 'unknown';
    default:
      return entryClass;
  }
}
