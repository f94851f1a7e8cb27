import { canonicalXname, type XnameType, xnameType } from '../../model/xname.ts';

/** Where a sensor sits: the type and raw name of its subject, and what is left of the location below it. */
export interface Location {
  type: string;
  name: string;
  /** The rest of the location below the subject: `j4p1` of a switch port, `t2` of a chassis rectifier. */
  within: string;
}

/** The subject's type for each type of xname, and how many segments of the name are the subject's own. */
const SUBJECTS: Readonly<Record<XnameType, readonly [string, number]>> = {
  node: ['node', 5],
  node_part: ['node', 5],
  node_bmc: ['bmc', 4],
  node_bmc_part: ['bmc', 4],
  slot: ['slot', 3],
  slot_part: ['slot', 3],
  switch: ['switch', 3],
  switch_bmc: ['switch', 3],
  switch_part: ['switch', 3],
  mgmt_switch: ['switch', 8],
  mgmt_switch_enclosure: ['switch', 8],
  mgmt_spine: ['switch', 8],
  cdu_switch: ['switch', 8],
  chassis: ['chassis', 2],
  chassis_bmc: ['chassis', 2],
  chassis_part: ['chassis', 2],
  pdu_controller: ['pdu', 2],
  pdu: ['pdu', 2],
  pdu_part: ['pdu', 2],
  cabinet: ['rack', 1],
  cabinet_part: ['rack', 1],
  cec: ['rack', 1],
  cdu: ['cdu', 1],
};

/** `TelemetrySource` of Cray messages, for locations that are no xname: node, chassis and switch controller. */
const BY_SOURCE: ReadonlyMap<string, string> = new Map([
  ['nC', 'node'],
  ['cC', 'chassis'],
  ['sC', 'switch'],
]);

/**
 * The subject of a location as telemetry spells it: an xname with or without a component below it, a host name with or
 * without a port, a switch's own name.
 */
export function locate(raw: string, telemetrySource = ''): Location {
  const text = raw.trim();
  const host = /^([^:/\s]+):\d{1,5}$/.exec(text)?.[1] ?? text;
  const type = xnameType(host);
  if (type !== null) {
    const [subject, own] = SUBJECTS[type];
    const segments = (canonicalXname(host) ?? host).match(/[a-z]\d+/g) ?? [];
    const name = segments.slice(0, own).join('');
    return { type: subject, name, within: segments.slice(own).join('') };
  }
  if (/^cdu[-_]?\d+$/i.test(host)) return { type: 'cdu', name: host, within: '' };
  return { type: BY_SOURCE.get(telemetrySource) ?? 'node', name: host, within: '' };
}
