import type { Fault, NodeTrouble, ServerAlert, Shown } from '../../effects.ts';
import { isManaged, type Topology } from '../../topology.ts';
import { air, ill, perhaps } from './laying.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** A chassis is fed by rectifiers of its own: all its nodes go at once, and nothing else does. */
export const chassisDark: Fault = {
  kind: 'chassis_dark',
  author: 'blind',
  class: 'plant',
  title: 'the rectifiers of a chassis fail, and all its nodes lose power at once',
  where: 'a liquid-cooled chassis',
  places: ({ chassis }) => [...chassis.keys()],
  effects: ({ where, topology }) => {
    const nodes = topology.chassis.get(where) ?? [];
    return {
      nodes: new Map(nodes.map((n): [string, NodeTrouble] => [n.name, { loss: 'off', ends: 'reset' }])),
      shows: [...nodes.map((n) => ill('node', n.name, 'critical')), perhaps('chassis', where)],
    };
  },
};

/** Both feeds at once: what a PDU alone does not do. */
export const rackDark: Fault = {
  kind: 'rack_dark',
  author: 'blind',
  class: 'plant',
  title: 'a rack loses both its feeds',
  where: 'an air-cooled rack',
  places: ({ nodes }) => [...new Set(nodes.filter((n) => n.cooling === 'air').map((n) => n.rack))],
  effects: ({ where, from, spec, topology }) => {
    const nodes = topology.nodes.filter((n) => n.rack === where);
    const pdus = [...new Set(nodes.flatMap((n) => n.pdus))];
    return {
      pdus,
      nodes: new Map(nodes.map((n): [string, NodeTrouble] => [n.name, { loss: 'off', ends: 'reset' }])),
      alerts: nodes.map(
        (n, i): ServerAlert => ({
          server: n.name,
          at: from + 8000 + i * 40,
          type: 'Trap.cpqHe4FltTolPowerSupplyACpowerloss',
          category: 'Power',
          severity: 'Critical',
          description: 'All power supplies have lost their input power.',
          action: null,
        }),
      ),
      shows: [
        ...nodes.map((n) => ill('node', n.name, 'critical')),
        ...pdus.map((pdu): Shown => ill('pdu', pdu, 'critical')),
        perhaps('appliance', 'oneview'),
        perhaps('rack', where),
        // A small machine has no other rack whose exporters are heard.
        { kind: 'telemetry_gap', subject: { type: 'cluster', id: spec.cluster }, maybe: true },
      ],
    };
  },
};

export const flowLost: Fault = {
  kind: 'flow_lost',
  author: 'blind',
  class: 'plant',
  title: 'a chassis gets less and less coolant, and its boards get warm',
  where: 'a liquid-cooled chassis',
  places: ({ chassis }) => [...chassis.keys()],
  effects: ({ where, topology }) => {
    const nodes = topology.chassis.get(where) ?? [];
    const boards = [...new Set(nodes.map((n) => n.board))];
    return {
      coolantFlow: new Map([[where, { from: 0.75, to: 0.4, over: HOUR }]]),
      warmBoards: new Map(boards.map((b) => [b, { from: 0, to: 21, over: HOUR }])),
      nodes: new Map(nodes.map((n): [string, NodeTrouble] => [n.name, { heat: { from: 0, to: 34, over: HOUR } }])),
      shows: [
        // The flow halves within the hour; what it cools follows.
        perhaps('chassis', where),
        ...boards.map((b) => ({ ...ill('bmc', b), settles: 2 * HOUR })),
        ...nodes.map((n) => perhaps('node', n.name)),
      ],
    };
  },
};

export const supplyWarm: Fault = {
  kind: 'supply_warm',
  author: 'blind',
  class: 'plant',
  title: 'a CDU cools no more: what it supplies is far too warm',
  where: 'a CDU',
  places: ({ cdus }) => [...cdus.keys()],
  effects: ({ where, topology }) => {
    const boards = [...new Set((topology.cdus.get(where) ?? []).map((n) => n.board))];
    return {
      cdus: new Map([[where, { warmer: 20, flow: 0.9 }]]),
      warmBoards: new Map(boards.map((b) => [b, 19])),
      shows: [ill('cdu', where), ...boards.map((b) => ill('bmc', b))],
    };
  },
};

export const rackWarm: Fault = {
  kind: 'rack_warm',
  author: 'blind',
  class: 'plant',
  title: 'the air before a rack is far too warm',
  where: 'an air-cooled rack',
  places: ({ nodes }) => [...new Set(nodes.filter((n) => n.cooling === 'air').map((n) => n.rack))],
  effects: ({ where, topology }) => ({
    warmRacks: new Map([[where, 18]]),
    shows: topology.nodes.filter((n) => n.rack === where).map((n) => ill('node', n.name)),
  }),
};

export const switchHot: Fault = {
  kind: 'switch_hot',
  author: 'blind',
  class: 'network',
  title: 'the chip of a switch is too hot',
  where: 'a switch',
  places: ({ switches }) => [...switches.keys()],
  effects: ({ where }) => ({
    hotSwitches: new Map([[where, 45]]),
    shows: [{ ...ill('switch', where), alias: `${where}b0` }],
  }),
};

/** A stopped fan is told of three times: by its speed, by the air behind it, and by the alert of the server. */
export const fanStopped: Fault = {
  kind: 'fan_stopped',
  author: 'blind',
  class: 'server',
  title: 'the fan of a server stops, and the server warms up',
  where: 'an air-cooled node',
  places: air,
  effects: ({ where, from }) => ({
    nodes: new Map([[where, { fan: 0, heat: { from: 0, to: 36, over: 30 * MINUTE } }]]),
    alerts: [
      {
        server: where,
        at: from + 20_000,
        type: 'Trap.cpqHe3FltTolFanFailed',
        category: 'Fans',
        severity: 'Critical',
        description: 'Fan 1 has failed.',
        action: 'Replace the fan.',
      },
    ],
    shows: [ill('node', where, 'critical')],
  }),
};

const managed = ({ nodes, services }: Topology): string[] => [...services, ...nodes].filter(isManaged).map((s) => s.name);

function alerted(kind: string, title: string, alert: Omit<ServerAlert, 'server' | 'at'>): Fault {
  return {
    kind,
    author: 'blind',
    class: 'server',
    title,
    where: 'a server that OneView manages',
    places: managed,
    effects: ({ where, from }) => ({
      alerts: [{ ...alert, server: where, at: from }],
      shows: [ill('node', where, alert.severity === 'Critical' ? 'critical' : 'warning')],
    }),
  };
}

export const dimmWearsOut = alerted('dimm_wears_out', 'a memory module of a server should be replaced', {
  type: 'Trap.cpqHe5CorrMemReplaceMemModule',
  category: 'Memory',
  severity: 'Warning',
  description: 'Corrected memory errors exceeded the threshold for DIMM 7 of processor 2.',
  action: 'Replace the memory module.',
});

export const diskFailed = alerted('disk_failed', 'a disk of a server has failed', {
  type: 'Trap.cpqDa7PhyDrvStatusChange',
  category: 'Storage',
  severity: 'Critical',
  description: 'The physical drive in port 1I box 1 bay 1 has failed.',
  action: 'Replace the drive.',
});

export const processorFailed = alerted('processor_failed', 'a processor of a server reports a fatal error', {
  type: 'Trap.cpqHe5UncorrectableMachineCheck',
  category: 'PROCESSOR',
  severity: 'Critical',
  description: 'Uncorrectable machine check exception on processor 1.',
  action: null,
});

export const batteryFailed = alerted('battery_failed', 'the battery of a storage controller has failed', {
  type: 'Trap.cpqHeSysBatteryFailed',
  category: 'Power',
  severity: 'Warning',
  description: 'The HPE Smart Storage Battery has failed.',
  action: 'Replace the battery.',
});

export const bmcUnreachable: Fault = {
  kind: 'bmc_unreachable',
  author: 'blind',
  class: 'server',
  title: 'the management processor of a server does not answer',
  where: 'a server that OneView manages',
  places: managed,
  effects: ({ where }) => ({ unmanaged: [where], shows: [ill('node', where)] }),
};
