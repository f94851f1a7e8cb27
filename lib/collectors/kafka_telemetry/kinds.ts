import type { Kind } from '../../model/kind.ts';

/** Whatever can carry a sensor. */
const ANY = ['node', 'bmc', 'slot', 'switch', 'chassis', 'rack', 'pdu', 'cdu', 'cluster'];
const SENSOR = 'the sensor, by its place within the subject';
const OWN = 'own judgement';

function sensorKind(kind: Pick<Kind, 'kind' | 'title' | 'severity' | 'hint' | 'provenance'> & Partial<Kind>): Kind {
  return { subjects: ANY, part: SENSOR, clears: { by: 'absence' }, ...kind };
}

/** How long an event stands after it was last seen. */
export const EVENT_LASTS = '24h';

export const telemetryKinds: readonly Kind[] = [
  sensorKind({
    kind: 'temperature_high',
    title: 'temperature over its limit',
    severity: 'warning',
    hint: 'Compare with the siblings (get_telemetry): one hot node points to its cold plate, fan or paste, a hot chassis to flow or supply temperature. Drain the node before it throttles; call the vendor if coolant flow and supply are good.',
    provenance: 'ASHRAE liquid and air classes for coolant and inlet; device limits are starting points of ours (limits.ts)',
  }),
  sensorKind({
    kind: 'power_high',
    title: 'power over its limit',
    severity: 'warning',
    hint: 'Check what runs there and whether a power cap should hold; a sensor that alone disagrees with its siblings is likely wrong.',
    provenance: 'published limits of Frontier cabinets: node 2,683 W, SIVOC 3,200 W, cabinet 391 kW of 400 kW',
  }),
  sensorKind({
    kind: 'power_lost',
    title: 'power supply without load',
    severity: 'critical',
    subjects: ['pdu', 'rack', 'chassis', 'cdu'],
    hint: 'The feed carried load and now shows none: check the PDU, its breaker and the upstream feed, and which servers lost one of two supplies. Plug nothing over before the other feed has room.',
    provenance: OWN,
  }),
  sensorKind({
    kind: 'fan_low',
    title: 'fan far slower than its siblings',
    severity: 'warning',
    hint: 'Check the fan in the BMC (read-only) and whether the siblings run up to make good for it; replace it at the next chance.',
    provenance: OWN,
  }),
  sensorKind({
    kind: 'flow_low',
    title: 'coolant flow low',
    severity: 'warning',
    hint: 'Check the CDU pumps, valves and filter pressure drop, then the quick connects of the chassis; stop filling it with jobs until flow is back.',
    provenance: 'own judgement: a fifth below its own usual flow',
  }),
  sensorKind({
    kind: 'pressure_off',
    title: 'coolant pressure off',
    severity: 'warning',
    hint: 'Compare supply and return at the CDU: low on both is a leak or a pump, a growing difference is a filter.',
    provenance: 'own judgement: a fifth off its own usual pressure',
  }),
  sensorKind({
    kind: 'voltage_off',
    title: 'voltage off',
    severity: 'warning',
    hint: 'Compare the rail with the same rail of the siblings; off on one board is its regulator or supply, off on many is the feed.',
    provenance: 'own judgement: a tenth off the median of the same rail on other subjects',
  }),
  sensorKind({
    kind: 'humidity_off',
    title: 'humidity off',
    severity: 'warning',
    hint: 'Check the room or CDU dew point margin and the humidifiers; condensation on cold plates is the danger at the upper end.',
    provenance: 'ASHRAE allowable 8 to 80 % relative humidity, with margin',
  }),
  sensorKind({
    kind: 'leak_detected',
    title: 'leak detected',
    severity: 'critical',
    clears: { by: 'expiry', after: EVENT_LASTS },
    hint: 'Send someone to look at once; the affected chassis or CDU may have to be shut down by site procedure. Do not clear the alarm before the spot was found dry.',
    provenance: 'Redfish leak detection events and leak sensors',
  }),
  sensorKind({
    kind: 'hardware_event',
    title: 'hardware event',
    severity: 'critical',
    clears: { by: 'expiry', after: EVENT_LASTS },
    hint: 'Read the event log of the named controller (read-only) for what came before and after; call the vendor with its message id.',
    provenance: 'severity as the Redfish event states it',
  }),
  sensorKind({
    kind: 'sensor_outlier',
    title: 'sensor far off its siblings',
    severity: 'info',
    hint: 'Compare with the siblings over time (get_telemetry): a drifting sensor jumps, failing cooling creeps.',
    provenance: 'own judgement: six scaled median deviations and a floor by quantity',
  }),
  sensorKind({
    kind: 'sensor_stale',
    title: 'sensor silent',
    severity: 'info',
    hint: 'The subject still reports, this sensor does not: check whether the part was removed or its BMC dropped it.',
    provenance: 'own judgement: silent for three of its own intervals',
  }),
  sensorKind({
    kind: 'telemetry_gap',
    title: 'telemetry silent',
    severity: 'warning',
    part: 'what is silent',
    hint: 'Look at power and the BMC of the subject first, then at its telemetry subscription: subscriptions get lost when a BMC restarts. Where a whole kind is silent, look at the collector and its topic.',
    provenance: 'own judgement: all sensors silent for three of their own intervals; Cray-HPE/hms-hmcollector on lost subscriptions',
  }),
];
