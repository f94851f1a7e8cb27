import type { Effects, Fault, NodeTrouble, ServerAlert, Shown } from '../effects.ts';

/*
 * Faults of what many nodes depend on: power, cooling, network, storage, scheduler.
 */

const POWER_LOST: Pick<ServerAlert, 'type' | 'category' | 'severity' | 'action'> = {
  type: 'Trap.cpqHe4FltTolPowerSupplyACpowerloss',
  category: 'Power',
  severity: 'Critical',
  action: 'Check the power cord and the feed of the supply.',
};
const REDUNDANCY_LOST: Pick<ServerAlert, 'type' | 'category' | 'severity' | 'description' | 'action'> = {
  type: 'Trap.cpqHe3FltTolPowerRedundancyLost',
  category: 'Power',
  severity: 'Warning',
  description: 'The power supplies are no longer redundant.',
  action: null,
};

export const pduDead: Fault = {
  kind: 'pdu_dead',
  class: 'plant',
  title: 'a PDU dies: servers lose a feed, those without another go off',
  where: 'a PDU that feeds an enclosure alone',
  places: ({ pdus }) => [...pdus].filter(([, nodes]) => nodes.some((n) => n.pdus.length === 1)).map(([name]) => name),
  effects: ({ where, from, topology }) => {
    const fed = topology.pdus.get(where) ?? [];
    const supply = fed[0]?.pdus.indexOf(where) === 1 ? 2 : 1;
    const dark = fed.filter((n) => n.pdus.length === 1);
    return {
      pdus: [where],
      nodes: new Map(dark.map((n): [string, NodeTrouble] => [n.name, { loss: 'off', ends: 'reset' }])),
      alerts: fed.flatMap((node, i): ServerAlert[] => {
        const at = from + 9000 + i * 50;
        const lost = { ...POWER_LOST, server: node.name, at, description: `Power supply ${supply} has lost its input power.` };
        return node.pdus.length === 1 ? [lost] : [lost, { ...REDUNDANCY_LOST, server: node.name, at: at + 5000 }];
      }),
      shows: [
        { kind: 'power_lost', subject: { type: 'pdu', id: where } },
        ...fed.flatMap((n): Shown[] => ailing(n.name, 'hw_power')),
        { kind: 'alert_storm', subject: { type: 'appliance', id: 'oneview' }, maybe: true },
      ],
    };
  },
};

/** What an open alert makes of a server. */
function ailing(server: string, kind: string): Shown[] {
  return [
    { kind, subject: { type: 'node', id: server } },
    { kind: 'server_status', subject: { type: 'node', id: server } },
  ];
}

export const switchLost: Fault = {
  kind: 'switch_lost',
  class: 'network',
  title: 'a switch of the high-speed network fails, and its nodes are cut off',
  where: 'a switch',
  places: ({ switches }) => [...switches.keys()],
  effects: ({ where, from, until, topology }) => {
    const nodes = topology.switches.get(where) ?? [];
    const line = (at: number, word: string): NonNullable<Effects['console']> =>
      nodes.map((n, i) => ({ node: n.name, at: at + i * 7, lines: [`cxi_ss1 0000:c1:00.0: cxi0[hsn0] CXI_EVENT_LINK_${word}`] }));
    return {
      switches: [where],
      nodes: new Map(nodes.map((n): [string, NodeTrouble] => [n.name, { loss: 'cut off' }])),
      console: [...line(from, 'DOWN'), ...(Number.isFinite(until) ? line(until, 'UP') : [])],
      shows: [
        ...nodes.map((n): Shown => ({ kind: 'hsn_link_down', subject: { type: 'node', id: n.name } })),
        { kind: 'telemetry_gap', subject: { type: 'switch', id: where }, maybe: true },
      ],
    };
  },
};

export const warmCoolant: Fault = {
  kind: 'coolant_warm',
  class: 'plant',
  title: 'the coolant of a board is too warm',
  where: 'a liquid-cooled board',
  places: ({ boards }) => [...boards].filter(([, [first]]) => first?.cooling === 'liquid').map(([name]) => name),
  effects: ({ where }) => ({
    warmBoards: new Map([[where, 11]]),
    shows: [{ kind: 'temperature_high', subject: { type: 'bmc', id: where } }],
  }),
};

export const leak: Fault = {
  kind: 'leak',
  class: 'plant',
  title: 'a CDU leaks',
  where: 'a CDU',
  places: ({ cdus }) => [...cdus.keys()],
  effects: ({ where }) => ({ leaks: [where], shows: [{ kind: 'leak_detected', subject: { type: 'cdu', id: where } }] }),
};

export const queueStopped: Fault = {
  kind: 'queue_stopped',
  class: 'scheduler',
  title: 'a queue is stopped and forgotten',
  where: 'a queue',
  places: () => ['debug', 'gpu', 'rack'],
  effects: ({ where }) => ({ queues: [where], shows: [{ kind: 'queue_stopped', subject: { type: 'queue', id: where } }] }),
};
