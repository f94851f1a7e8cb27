import { draw } from '../random.ts';
import { type Amount, amountAt, type Effects } from '../effects.ts';
import { holding, LOOKED_BEFORE, type SourceFile, type Tick } from '../tick.ts';
import { type NodeState, type Plan, stateOf } from '../plan.ts';
import { DAY } from '../spec.ts';
import type { Node } from '../topology.ts';

/*
 * Telemetry, as captured from Kafka in the minutes before a look: Cray Redfish events of liquid-cooled boards and chassis,
 * HPCM's flat form of the same, PDUs and CDUs as `kcat -J` prints them, node exporters of air-cooled nodes.
 */

/** Times of a capture's samples, before its end. */
const ROUNDS = [480_000, 240_000, 0] as const;
/** Boards answer one after the other. */
const SPREAD = 50_000;

export function telemetryFiles(tick: Tick): SourceFile[] {
  const end = tick.at - LOOKED_BEFORE.telemetry;
  const { plan } = tick;
  const window: Window = {
    tick,
    end,
    rounds: ROUNDS.map((before) => end - before),
    leaks: [],
    warmBoards: laidBy(plan, (e) => e.warmBoards),
    warmRacks: laidBy(plan, (e) => e.warmRacks),
    hotSwitches: laidBy(plan, (e) => e.hotSwitches),
    coolantFlow: laidBy(plan, (e) => e.coolantFlow),
    cduFlow: laidBy(plan, (e) => [...(e.cdus ?? [])].flatMap(([cdu, { flow }]) => (flow === undefined ? [] : [[cdu, flow]]))),
  };
  for (const { effects, from, until } of plan.faults) {
    if (from > end || end - until > DAY) continue;
    const isOver = until <= end;
    // A leak sensor says again and again what it sees: each capture holds one of its words.
    for (const place of effects.leaks ?? []) window.leaks.push({ place, at: Math.max(isOver ? until : from, end - ROUNDS[0]), isOver });
  }
  const file = (name: string, text: Iterable<string>): SourceFile => ({ path: `telemetry/${name}`, text, mtime: end });
  return [
    file('cray-telemetry.ndjson', boards(window)),
    file('hpcm-crayex.ndjson', flat(window)),
    file('pdu-cdu.kcat.ndjson', supplies(window)),
    file('river-nodes.prom', exporters(window)),
  ];
}

interface Window {
  tick: Tick;
  end: number;
  rounds: readonly number[];
  leaks: { place: string; at: number; isOver: boolean }[];
  warmBoards: Laid;
  warmRacks: Laid;
  hotSwitches: Laid;
  coolantFlow: Laid;
  cduFlow: Laid;
}

/** A value around a middle: the sensor's own share of the spread, and that of the moment, in ms since the fleet's start. */
function around(middle: number, spread: number, luck: number, sensor: number, since: number): number {
  const own = draw(luck, sensor) - 0.5;
  const now = draw(luck, sensor, Math.floor(since / 1000)) - 0.5;
  return middle + spread * (own + 0.4 * now);
}

function tenth(value: number): string {
  return String(Math.round(value * 10) / 10);
}

/** What faults lay on things of one kind, by their names, and when it holds. */
type Laid = ReadonlyMap<string, { amount: Amount; from: number; until: number }[]>;

function laidBy({ faults }: Plan, of: (effects: Effects) => Iterable<readonly [string, Amount]> | undefined): Laid {
  const laid = new Map<string, { amount: Amount; from: number; until: number }[]>();
  for (const { effects, from, until } of faults) {
    for (const [name, amount] of of(effects) ?? []) {
      const known = laid.get(name);
      if (known) known.push({ amount, from, until });
      else laid.set(name, [{ amount, from, until }]);
    }
  }
  return laid;
}

function amountsAt(laid: Laid, at: number, name: string): number[] {
  return (laid.get(name) ?? []).filter((f) => f.from <= at && at < f.until).map(({ amount, from }) => amountAt(amount, at - from));
}

/** How far a thing is off at a moment: the amounts that all faults lay on it, added up. */
function offAt(laid: Laid, at: number, name: string): number {
  return amountsAt(laid, at, name).reduce((sum, amount) => sum + amount, 0);
}

/** The least of the shares that faults leave of a thing at a moment. */
function shareAt(laid: Laid, at: number, name: string): number {
  return amountsAt(laid, at, name).reduce((least, amount) => Math.min(least, amount), 1);
}

/** When a board's controller answers in a round: clocks and loops differ by seconds. */
function jitter(luck: number, round: number, start: number): number {
  return round - Math.floor(draw(luck, 'jitter') * SPREAD) - Math.floor(draw(luck, 'jitter', round - start) * 2000);
}

/** Whether the node's own sensors report; those of the board go on while it has power. */
function isSensed({ loss, bmcLost }: NodeState, node: Node): boolean {
  if (bmcLost && node.cooling === 'liquid') return false;
  return node.cooling === 'air' ? loss === null || loss === 'cut off' : loss !== 'off';
}

function* boards({ tick, rounds, warmBoards, coolantFlow }: Window): Iterable<string> {
  const { plan } = tick;
  for (const round of rounds) {
    for (const [board, nodes] of plan.topology.boards) {
      const first = nodes[0] as Node;
      if (first.cooling === 'air') continue;
      const at = jitter(first.luck, round, plan.spec.start);
      const time = new Date(at).toISOString();
      let sensors = `{"Timestamp":"${time}","Location":"${board}","Index":0,"DeviceSpecificContext":"Coolant Inlet Temp","PhysicalContext":"CoolingSubsystem","Value":"${tenth(around(25.5, 1.6, first.luck, 1, at - plan.spec.start) + offAt(warmBoards, at, board))}"}`;
      for (const node of nodes) {
        const state = stateOf(plan, node, at);
        if (!isSensed(state, node)) continue;
        sensors += `,{"Timestamp":"${time}","Location":"${node.name}","Index":0,"PhysicalContext":"CPU","Value":"${tenth(around(56, 6, node.luck, 2, at - plan.spec.start) + state.heat)}"}`;
        for (let gpu = 0; gpu < node.gpus; gpu++)
          sensors += `,{"Timestamp":"${time}","Location":"${node.name}","Index":${gpu},"DeviceSpecificContext":"GPU ${gpu} Temp","PhysicalContext":"GPU","Value":"${tenth(around(61, 6, node.luck, 10 + gpu, at - plan.spec.start) + state.heat)}"}`;
      }
      // Sockets without a part in them report a sentinel.
      if (draw(first.luck, 'sentinel') < 0.1)
        sensors += `,{"Timestamp":"${time}","Location":"${board}","Index":3,"PhysicalContext":"Baseboard","Value":"${draw(first.luck, 'which') < 0.5 ? '255' : '-128'}"}`;
      yield `{"Context":"${board}","Events":[{"EventTimestamp":"${time}","MessageId":"CrayTelemetry.Temperature","Oem":{"Sensors":[${sensors}],"TelemetrySource":"nC"}}]}\n`;
    }
    for (const [chassis, [first]] of plan.topology.chassis) {
      const { luck } = first as Node;
      const at = round;
      const flow = shareAt(coolantFlow, at, chassis);
      const time = new Date(at).toISOString();
      const event = (id: string, index: number, context: string, value: string): string =>
        `{"EventTimestamp":"${time}","MessageId":"CrayTelemetry.${id}","Oem":{"Sensors":[{"Timestamp":"${time}","Location":"${chassis}","Index":${index},"PhysicalContext":"${context}","Value":"${value}"}],"TelemetrySource":"cC"}}`;
      yield `{"Context":"${chassis}","Events":[${event('LiquidFlow', -1, 'CoolingSubsystem', tenth(flow * around(312, 6, luck, 3, at - plan.spec.start)))},${event('Humidity', 0, 'Chassis', tenth(around(43, 4, luck, 4, at - plan.spec.start)))}]}\n`;
    }
  }
}

function* flat({ tick, rounds, hotSwitches }: Window): Iterable<string> {
  const { plan } = tick;
  for (const round of rounds) {
    for (const node of plan.topology.nodes) {
      if (node.cooling === 'air') continue;
      const at = jitter(node.luck, round, plan.spec.start);
      const { loss, watts: more, bmcLost } = stateOf(plan, node, at);
      if (loss === 'off' || bmcLost) continue;
      const watts = Math.round(
        more +
          (loss === 'dead' ? around(900, 60, node.luck, 5, at - plan.spec.start) : around(1740, 220, node.luck, 6, at - plan.spec.start)),
      );
      yield `{"Timestamp":${at},"Location":"${node.name}","TelemetrySource":"nC","MessageId":"CrayTelemetry.Power","ParentalContext":"Chassis","ParentalIndex":0,"PhysicalContext":"VoltageRegulator","Index":0,"PhysicalSubContext":"Input","DeviceSpecificContext":null,"Value":${watts}.0}\n`;
    }
    const silent = new Set(holding(plan, round).flatMap((f) => f.effects.switches ?? []));
    for (const [name, [first]] of plan.topology.switches) {
      if (silent.has(name)) continue;
      yield `{"TelemetrySource":"sC","MessageId":"CrayTelemetry.Temperature","Timestamp":"${round}","Location":"${name}b0","ParentalContext":null,"ParentalIndex":null,"PhysicalContext":{"string":"ASIC"},"Index":{"int":0},"PhysicalSubContext":null,"DeviceSpecificContext":null,"Value":"${tenth(around(66, 5, (first as Node).luck, 7, round) + offAt(hotSwitches, round, name))}"}\n`;
    }
  }
}

function* supplies({ tick, end, rounds, leaks, cduFlow }: Window): Iterable<string> {
  const { plan } = tick;
  let offset = Math.floor(end / 1000);
  const message = (topic: string, at: number, payload: unknown, key: string | null = null): string =>
    `${JSON.stringify({ topic, partition: 0, offset: offset++, tstype: 'create', ts: at, broker: 1, key, payload: JSON.stringify(payload) })}\n`;
  for (const { place, at, isOver } of leaks) {
    const id = isOver ? 'CrayAlerts.1.0.LeakCleared' : 'CrayAlerts.1.0.LeakDetected';
    yield message(
      'cray-dmtf-resource-event',
      at,
      {
        Context: place,
        Events: [
          {
            EventTimestamp: new Date(at).toISOString(),
            Severity: isOver ? 'OK' : 'Critical',
            Message: isOver ? 'Rope sensor 1 is dry' : 'Leak detected by rope sensor 1 under the secondary manifold',
            MessageId: id,
            OriginOfCondition: { '@odata.id': '/redfish/v1/ThermalEquipment/CDUs/1/LeakDetection/LeakDetectors/Rope1' },
          },
        ],
      },
      `${place}.${id}`,
    );
  }
  for (const round of rounds) {
    const dead = new Set(holding(plan, round).flatMap((f) => f.effects.pdus ?? []));
    for (const [pdu, nodes] of plan.topology.pdus) {
      const { luck } = nodes[0] as Node;
      const isSecond = pdu.endsWith('m1');
      const load = nodes.length * 175;
      const power = dead.has(pdu) ? 0 : Math.round(around(load, load * 0.04, luck, isSecond ? 9 : 8, round - plan.spec.start));
      yield message('pdu_power', round, { timestamp: round, location: pdu, power });
      yield message('pdu_energy', round, { timestamp: round, location: pdu, energy: Math.round((round / 3_600_000) * 4.2 * 100) / 100 });
    }
    for (const [cdu, nodes] of plan.topology.cdus) {
      const { luck } = nodes[0] as Node;
      const flow = shareAt(cduFlow, round, cdu);
      const warmer = holding(plan, round).reduce((sum, f) => sum + amountAt(f.effects.cdus?.get(cdu)?.warmer ?? 0, round - f.from), 0);
      yield message('metric_cooldev', round, {
        time: new Date(round).toISOString(),
        host: cdu,
        T2_IT_Supply_Temperature: Number(tenth(warmer + around(25.6, 0.8, luck, 20, round - plan.spec.start))),
        T4_IT_Return_Temperature: Number(tenth(warmer + around(37.6, 0.9, luck, 21, round - plan.spec.start))),
        PS4_IT_Supply_Pressure: Math.round(around(4.1, 0.1, luck, 22, round - plan.spec.start) * 100) / 100,
        Secondary_Flow_IO: Math.round(flow * around(611, 10, luck, 23, round - plan.spec.start)),
        ATS_A_Feed: 1,
      });
    }
  }
}

function* exporters({ tick, rounds, warmRacks }: Window): Iterable<string> {
  const { plan } = tick;
  const air = plan.topology.nodes.filter((n) => n.cooling === 'air');
  for (const round of rounds) {
    const told = air.flatMap((node) => {
      const state = stateOf(plan, node, round);
      return isSensed(state, node) ? [{ node, state }] : [];
    });
    const metric = function* (name: string, labels: string, valueOf: (node: Node, heat: number, fan: number) => string): Iterable<string> {
      yield `# TYPE ${name} ${name.endsWith('_total') ? 'counter' : 'gauge'}\n`;
      for (const { node, state } of told)
        yield `${name}{${labels},instance="${node.name}:9100"} ${valueOf(node, state.heat, state.fan)} ${round}\n`;
    };
    yield '# HELP node_hwmon_power_average_watt Hardware monitor for power usage in watts (average)\n';
    yield* metric('node_hwmon_power_average_watt', 'chip="acpi",sensor="power1"', (n) =>
      String(Math.round(around(344, 30, n.luck, 30, round - plan.spec.start))),
    );
    yield '# HELP node_hwmon_temp_celsius Hardware monitor for temperature (input)\n';
    yield* metric('node_hwmon_temp_celsius', 'chip="inlet",sensor="temp1"', (n, heat) =>
      tenth(around(24.2, 1.6, n.luck, 31, round - plan.spec.start) + heat / 3 + offAt(warmRacks, round, n.rack)),
    );
    yield* metric('node_hwmon_fan_rpm', 'chip="nct",sensor="fan1"', (n, _, fan) =>
      String(Math.round(fan * around(9200, 500, n.luck, 32, round - plan.spec.start))),
    );
    yield* metric('node_network_receive_bytes_total', 'device="hsn0"', (n) =>
      String(1e15 + Math.floor((round - plan.spec.start) * (1e6 + n.ordinal))),
    );
  }
}
