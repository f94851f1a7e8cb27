import type { Fault, ServerAlert } from '../effects.ts';
import { isManaged, type Topology } from '../topology.ts';

/*
 * Faults of parts that OneView tells of, one alert each; the server's status follows its alerts.
 */

const managed = ({ nodes, services }: Topology): string[] => [...services, ...nodes].filter(isManaged).map((s) => s.name);

function partFault(kind: string, title: string, shows: string, alert: Omit<ServerAlert, 'server' | 'at'>): Fault {
  return {
    kind,
    class: 'server',
    title,
    where: 'a server that OneView manages',
    places: managed,
    effects: ({ where, from }) => ({
      alerts: [{ ...alert, server: where, at: from }],
      shows: [
        { kind: shows, subject: { type: 'node', id: where } },
        { kind: 'server_status', subject: { type: 'node', id: where } },
      ],
    }),
  };
}

export const fanDegraded = partFault('fan_degraded', 'a fan of a server degrades', 'hw_fan', {
  type: 'Trap.cpqHe3FltTolFanDegraded',
  category: 'Fans',
  severity: 'Warning',
  description: 'Fan 4 is degraded.',
  action: 'Reseat the fan; replace it if it stays degraded.',
});

export const supplyFailed = partFault('psu_failed', 'a power supply of a server fails', 'hw_power', {
  type: 'Trap.cpqHe4FltTolPowerSupplyFailed',
  category: 'Power',
  severity: 'Critical',
  description: 'Power supply 2 has failed.',
  action: 'Replace the power supply.',
});

export const diskPredictive = partFault('disk_predictive', 'a disk of a server is about to fail', 'hw_disk', {
  type: 'Trap.cpqDa7PhyDrvStatusChange',
  category: 'Storage',
  severity: 'Warning',
  description: 'The physical drive in port 1I box 1 bay 2 reports a predictive failure.',
  action: 'Back up the data of the drive and replace it.',
});
