import type { Kind } from '../../model/kind.ts';
import { ALERT_SUBJECTS } from './alert.ts';

const PROVENANCE =
  "HPE OneView REST API, alerts resource: Active and Locked count toward a resource's health, Locked ones only OneView itself can clear; trap names of HPE's MIBs; severity as OneView gives it";

function hardware(kind: string, title: string, hint: string): Kind {
  return {
    kind,
    title,
    severity: 'warning',
    subjects: ALERT_SUBJECTS,
    part: 'alert type and component',
    clears: { by: 'absence' },
    hint,
    provenance: PROVENANCE,
  };
}

export const kinds: readonly Kind[] = [
  hardware(
    'hw_power',
    'power supply or input',
    'See whether the supply or its feed is gone: the same alert on neighbours points at their PDU. Compare PDU and rack telemetry; replace a single supply that failed.',
  ),
  hardware(
    'hw_fan',
    'fan',
    'Look at fan and inlet temperatures in iLO. There is no trap for a fan that is well again: recovery shows only when OneView polls.',
  ),
  hardware(
    'hw_memory',
    'memory',
    "Read iLO's Integrated Management Log for the DIMM and its count of corrected errors; take the node out of service before uncorrectable errors kill jobs, and have the module replaced.",
  ),
  hardware(
    'hw_disk',
    'drive or storage controller',
    'A predictive failure still works: see whether the logical drive is redundant and its rebuild done before the drive is pulled, then open a case for it.',
  ),
  hardware(
    'hw_processor',
    'processor',
    "Read iLO's Integrated Management Log and the kernel's machine checks of the node; repeated ones on one socket are a vendor case.",
  ),
  hardware(
    'hw_thermal',
    'temperature',
    'Compare with the neighbours and the rack inlet or coolant: one server is a fan or an air path, many are the cooling.',
  ),
  hardware(
    'hw_network',
    'network adapter or link',
    'Look at the link from both ends (ethtool, the switch port) and at its error counters; a cable or optic is more likely than the adapter.',
  ),
  hardware(
    'hw_management',
    'management processor or appliance',
    'What iLO and OneView report of this resource may be incomplete until it is well. Look at the self-test page of the iLO; a part that fails its test (embedded flash) is a vendor case.',
  ),
  hardware(
    'hw_alert',
    'OneView alert',
    "Read the alert in OneView with its corrective action; if the server's log has more on it, attach both to a case.",
  ),
  {
    kind: 'alert_storm',
    title: 'alert storm',
    severity: 'warning',
    subjects: ALERT_SUBJECTS,
    part: 'trap or fingerprint',
    clears: { by: 'absence' },
    hint: 'Look for the one cause behind it (a feed, a switch, a component that flaps). A trap that OneView filters is no longer counted: read the log on the iLO itself.',
    provenance: 'HPE OneView event filtering (Events-TrapStorm alerts); bursts of one fingerprint: own judgement',
  },
];
