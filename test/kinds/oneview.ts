import type { JsonObject } from '../../lib/model/json.ts';
import { alert, on, page, server } from '../collectors/oneview-inputs.ts';
import { HOUR, look, MINUTE, NOON, type Shown, type Story } from './story.ts';

const at = (before: number): string => new Date(NOON - before).toISOString();
const bay = (bayNumber: number, status: string): JsonObject => ({ bayNumber, status, devicePresence: 'Present', deviceRequired: true });

const servers = [
  server(1, { status: 'Critical' }),
  server(2, { state: 'ProfileError', stateReason: 'NotApplicable' }),
  server(3, { powerState: 'Off' }),
  server(4, { mpState: 'Unreachable' }),
  server(5, { refreshState: 'RefreshFailed' }),
  server(6, { mpFirmwareVersion: '2.44 Apr 30 2021' }),
  server(7, { serialNumber: 'DMO2N00008' }),
  server(8),
  server(9, { uuid: '00000000-0000-0000-0000-000000000000' }),
];

/** What an alert says of the first server, by the kind that it is sorted into. */
const ALERTS: [kind: string, category: string, trap: string, text: string, part: string][] = [
  [
    'hw_power',
    'Power',
    'Trap.cpqHe4FltTolPowerSupplyACpowerloss',
    'Power supply 1 lost its input.',
    'Trap.cpqHe4FltTolPowerSupplyACpowerloss power supply 1',
  ],
  ['hw_fan', 'Fans', 'Trap.cpqHe3FltTolFanDegraded', 'Fan 2 is degraded.', 'Trap.cpqHe3FltTolFanDegraded fan 2'],
  [
    'hw_memory',
    'Memory',
    'Trap.cpqHe4CorrMemReplaceMemModule',
    'Replace the memory module in DIMM 7.',
    'Trap.cpqHe4CorrMemReplaceMemModule dimm 7',
  ],
  ['hw_disk', 'LocalStorage', 'Trap.cpqDa7PhyDrvStatusChange', 'Physical drive 3 is degraded.', 'Trap.cpqDa7PhyDrvStatusChange drive 3'],
  ['hw_processor', 'Processors', 'Trap.cpqHe5CpuFailed', 'Processor 2 has failed.', 'Trap.cpqHe5CpuFailed processor 2'],
  [
    'hw_thermal',
    'Thermal',
    'Trap.cpqHe3ThermalTempDegraded',
    'Temperature sensor 4 is out of range.',
    'Trap.cpqHe3ThermalTempDegraded sensor 4',
  ],
  ['hw_network', 'Networks', 'Trap.cpqNic3ConnectivityLost', 'The link of port 1 is down.', 'Trap.cpqNic3ConnectivityLost port 1'],
  [
    'hw_management',
    'ManagementProcessor',
    'Trap.cpqSm2SelfTestError',
    'The management processor failed its self-test.',
    'Trap.cpqSm2SelfTestError',
  ],
  ['hw_alert', 'None', 'Trap.cpqHo2GenericTrap', 'Something is out of order.', 'Trap.cpqHo2GenericTrap'],
  ['alert_storm', 'Appliance', 'Events-TrapStorm.cpqHe3FltTolFanDegraded', 'A trap storm has been detected.', 'cpqHe3FltTolFanDegraded'],
];

export const oneviewStories: Story[] = [
  look(
    'oneview_inventory',
    {
      'servers.json': page(
        'server-hardware',
        servers.map((s) => ({ ...s, modified: at(HOUR) })),
      ),
      'enclosures.json': [
        {
          type: 'EnclosureV7',
          uri: '/rest/enclosures/E1',
          name: '0000A66101',
          status: 'Warning',
          powerMode: 'RedundantPowerFeed',
          minimumPowerSupplies: 2,
          minimumPowerSuppliesForRedundantPowerFeed: 4,
          powerSupplyBays: [bay(1, 'Critical'), bay(2, 'OK'), bay(3, 'OK'), bay(4, 'OK')],
          fanBays: [bay(1, 'OK')],
        },
      ],
    },
    { kind: 'server_status', severity: 'critical', subject: 'node n1' },
    { kind: 'server_state', severity: 'warning', subject: 'node n2' },
    { kind: 'server_off', severity: 'warning', subject: 'node n3' },
    { kind: 'management_unreachable', severity: 'warning', subject: 'node n4' },
    { kind: 'refresh_stale', severity: 'warning', subject: 'node n5' },
    { kind: 'firmware_minority', severity: 'info', subject: 'node n6', part: 'bmc' },
    { kind: 'serial_duplicate', severity: 'warning', subject: 'node n7' },
    { kind: 'serial_duplicate', severity: 'warning', subject: 'node n8' },
    { kind: 'serial_placeholder', severity: 'info', subject: 'node n9' },
    { kind: 'enclosure_status', severity: 'warning', subject: 'enclosure 0000A66101' },
    { kind: 'redundancy_degraded', severity: 'warning', subject: 'enclosure 0000A66101', part: 'power' },
  ),
  look(
    'oneview_alerts',
    {
      'alerts.json': page(
        'alerts',
        ALERTS.map(([, healthCategory, alertTypeID, description], i) =>
          alert(i + 1, { healthCategory, alertTypeID, description, associatedResource: on('n1'), created: at(HOUR), modified: at(MINUTE) }),
        ),
      ),
    },
    ...ALERTS.map(([kind, , , , part]): Shown => ({ kind, severity: 'warning', subject: 'node n1', part })),
  ),
];
