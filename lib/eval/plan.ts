import { drainOf, isKnownDown } from './background.ts';
import { amountAt, type Effects, type Fault, type NodeTrouble } from './effects.ts';
import { faultOf } from './faults/index.ts';
import { oncePer } from '../model/once.ts';
import { Random } from './random.ts';
import { DAY, type FaultSpec, type FleetSpec, SpecError } from './spec.ts';
import { buildTopology, type Node, type Topology } from './topology.ts';

/** A fault in its place. */
export interface LaidFault extends Required<FaultSpec> {
  fault: Fault;
  effects: Effects;
}

/** One stretch of trouble of a node. */
export interface Trouble extends NodeTrouble {
  from: number;
  until: number;
  /** What it comes from. */
  fault: LaidFault;
}

/** A fleet with the faults that are laid on it. */
export interface Plan {
  spec: FleetSpec;
  topology: Topology;
  faults: readonly LaidFault[];
  /** By node, in the order of time. */
  troubles: ReadonlyMap<string, readonly Trouble[]>;
}

/** @throws SpecError for a fault that there is none of, or that cannot be where it is said to be */
export function planOf(spec: FleetSpec): Plan {
  const topology = buildTopology(spec);
  const faults: LaidFault[] = [];
  const touched = new Set<string>();
  for (const [i, asked] of spec.faults.entries()) {
    const laid = lay(asked, i, { spec, topology, touched });
    for (const name of touches(laid)) touched.add(name);
    faults.push(laid);
  }
  const troubles = new Map<string, Trouble[]>();
  for (const fault of faults) {
    const { effects, from, until } = fault;
    for (const [node, trouble] of effects.nodes ?? []) {
      const known = troubles.get(node);
      if (known) known.push({ ...trouble, from, until, fault });
      else troubles.set(node, [{ ...trouble, from, until, fault }]);
    }
  }
  for (const some of troubles.values()) some.sort((a, b) => a.from - b.from);
  return { spec, topology, faults, troubles };
}

/** Where a fault may be: of many of one kind it is asked for each. */
const placesOf = oncePer((fault: Fault, topology: Topology) => fault.places(topology));

/** How many places are tried for one that no other fault touches. */
const TRIES = 50;

function lay(
  asked: FaultSpec,
  index: number,
  { spec, topology, touched }: Pick<Plan, 'spec' | 'topology'> & { touched: ReadonlySet<string> },
): LaidFault {
  const fault = faultOf(asked.kind);
  const random = new Random(spec.seed, 'fault', index, asked.kind);
  const places = placesOf(fault, topology);
  const at = (where: string): LaidFault => {
    const { from, until } = asked;
    const effects = fault.effects({ spec, topology, where, from, until, random: new Random(spec.seed, 'effects', index) });
    return { ...asked, where, fault, effects: sparing(topology, effects) };
  };
  if (asked.where !== undefined) {
    if (places.includes(asked.where)) return at(asked.where);
    const example = places.length > 0 ? `, such as ${places[0]}` : '';
    throw new SpecError(`fault ${asked.kind} cannot be at ${asked.where}: it is laid on ${fault.where}${example}`);
  }
  if (places.length === 0) throw new SpecError(`fault ${asked.kind}: this fleet has no place for it (${fault.where})`);
  let laid = at(random.pick(places));
  for (let i = 1; i < TRIES && (!isInService(laid, topology, spec.start) || touches(laid).some((name) => touched.has(name))); i++)
    laid = at(random.pick(places));
  return laid;
}

/** A node that is down for long, and known to be, is hit by nothing any more. */
function sparing(topology: Topology, effects: Effects): Effects {
  const isSpared = (name: string): boolean => {
    const node = topology.byName.get(name);
    return node !== undefined && isKnownDown(node);
  };
  const { nodes, console: texts, shows } = effects;
  return {
    ...effects,
    ...(nodes && { nodes: new Map([...nodes].filter(([name]) => !isSpared(name))) }),
    ...(texts && { console: texts.filter(({ node }) => !isSpared(node)) }),
    ...(shows && { shows: shows.filter(({ subject }) => !isSpared(subject.id)) }),
  };
}

/** The names of all that a fault is seen on. */
function touches({ where, effects }: LaidFault): string[] {
  const ofShows = (effects.shows ?? []).filter((s) => s.subject.type !== 'cluster').map((s) => s.subject.id);
  return [where, ...(effects.nodes?.keys() ?? []), ...ofShows];
}

/** A node that is out of service anyway would hide the fault. */
function isInService({ where, from, until }: LaidFault, topology: Topology, start: number): boolean {
  const node = topology.byName.get(where);
  if (node === undefined) return true;
  if (isKnownDown(node)) return false;
  for (let at = from - DAY; at < Math.min(until, from + 30 * DAY); at += DAY / 48) if (drainOf(node, at, start) !== null) return false;
  return true;
}

/** How a node is at a moment. */
export interface NodeState {
  loss: 'off' | 'dead' | 'cut off' | null;
  /** Since when it is lost, ms. */
  lostSince: number;
  momDown: boolean;
  /** Since when its daemon is gone. */
  momDownSince: number;
  offline: { comment: string | null; since: number } | null;
  booted: NodeTrouble['booted'] | null;
  assigned: NodeTrouble['assigned'] | null;
  /** Degrees, watts; share of the fan's speed. */
  heat: number;
  watts: number;
  fan: number;
  unlisted: boolean;
  bmcLost: boolean;
  /** Since when the job on it does not leave; null = no job is stuck. */
  jobStuckSince: number | null;
}

const HEALTHY: NodeState = {
  loss: null,
  lostSince: 0,
  momDown: false,
  momDownSince: 0,
  offline: null,
  booted: null,
  assigned: null,
  heat: 0,
  watts: 0,
  fan: 1,
  unlisted: false,
  bmcLost: false,
  jobStuckSince: null,
};

/** How long a node takes from power to prompt. */
export const BOOT_TAKES = 240_000;

export function stateOf(plan: Plan, node: Node, at: number): NodeState {
  if (isKnownDown(node)) {
    const since = plan.spec.start - 10 * DAY;
    return { ...HEALTHY, loss: 'off', lostSince: since, offline: { comment: 'HW-2291 bad DIMM, replacement ordered', since } };
  }
  const drain = drainOf(node, at, plan.spec.start);
  const troubles = plan.troubles.get(node.name);
  if (drain === null && troubles === undefined) return HEALTHY;
  const state: NodeState = { ...HEALTHY, ...(drain !== null && { offline: { comment: drain.reason, since: drain.from } }) };
  for (const trouble of troubles ?? []) {
    if (at < trouble.from) break;
    if (at < trouble.until) addTrouble(state, trouble, at);
    else if (trouble.ends !== undefined && at < trouble.until + BOOT_TAKES && state.loss === null) {
      state.loss = 'dead';
      state.lostSince = trouble.loss === undefined ? trouble.until : trouble.from;
    }
  }
  return state;
}

function addTrouble(state: NodeState, trouble: Trouble, at: number): void {
  const { loss, momDown, offline, from, begins } = trouble;
  const lost = loss ?? (begins !== undefined && at < from + BOOT_TAKES ? 'dead' : undefined);
  if (lost !== undefined && (state.loss === null || lost === 'off')) {
    state.loss = lost;
    state.lostSince = from;
  }
  if (momDown === true && !state.momDown) {
    state.momDown = true;
    state.momDownSince = from;
  }
  if (offline !== undefined) state.offline = { comment: offline.comment, since: from };
  if (trouble.booted !== undefined) state.booted = trouble.booted;
  if (trouble.assigned !== undefined) state.assigned = trouble.assigned;
  if (trouble.heat !== undefined) state.heat += amountAt(trouble.heat, at - from);
  if (trouble.watts !== undefined) state.watts += amountAt(trouble.watts, at - from);
  if (trouble.fan !== undefined) state.fan = trouble.fan;
  state.unlisted ||= trouble.unlisted === true;
  state.bmcLost ||= trouble.bmcLost === true;
  if (trouble.jobStuck === true) state.jobStuckSince ??= from;
}

/** Whether a node's kernel is past saying what a fault would make it say: another fault has stopped it. */
export function isSilenced({ troubles }: Plan, node: string, fault: LaidFault, at: number): boolean {
  return (troubles.get(node) ?? []).some((t) => t.fault !== fault && hasStopped(t) && t.from < at && at < t.until);
}

/** Whether what another fault did to a node since hides what a fault left on its console: it is off, or has booted. */
export function isHidden({ troubles }: Plan, node: string, fault: LaidFault, at: number): boolean {
  return (troubles.get(node) ?? []).some(
    (t) => t.fault !== fault && (hasStopped(t) || t.begins !== undefined) && t.from < at && t.until > fault.from,
  );
}

function hasStopped({ loss }: Trouble): boolean {
  return loss === 'off' || loss === 'dead';
}

/** When the node's kernel started that runs at a moment, ms. */
export function bootedAt(plan: Plan, node: Node, at: number): number {
  let boot = firstBoot(plan, node);
  for (const { from, until, begins, ends } of plan.troubles.get(node.name) ?? []) {
    if (begins !== undefined && from <= at) boot = from + BOOT_BEGINS;
    if (ends !== undefined && until <= at) boot = until + BOOT_BEGINS;
  }
  return boot;
}

/** How long after the end of a trouble the kernel starts. */
export const BOOT_BEGINS = 60_000;

/** The boot before the fleet is looked at. */
export function firstBoot({ spec }: Plan, node: Node): number {
  return spec.start - 2 * DAY - new Random(node.luck, 'boot').int(0, 18 * DAY);
}
