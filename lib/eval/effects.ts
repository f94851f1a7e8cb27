import type { Severity } from '../model/condition.ts';
import type { Random } from './random.ts';
import type { FleetSpec } from './spec.ts';
import type { Topology } from './topology.ts';

/*
 * What faults do. A fault says what happens to things (a node loses its power, a drive fails), and each source shows it in
 * its own way; only words that nobody else could know (console lines, alerts) come from the fault itself.
 */

/** A number that stands, or one that goes from one value to another in so many ms and stays there. */
export type Amount = number | { from: number; to: number; over: number };

export function amountAt(amount: Amount, elapsed: number): number {
  if (typeof amount === 'number') return amount;
  const { from, to, over } = amount;
  return from + (to - from) * Math.min(1, Math.max(0, elapsed / over));
}

/** What happens to a node. */
export interface NodeTrouble {
  /** `off` no power; `dead` its operating system answers nobody any more; `cut off` it runs and the fabric does not reach it. */
  loss?: 'off' | 'dead' | 'cut off';
  /** Only its scheduler daemon is gone. */
  momDown?: boolean;
  /** Somebody or something took it out of service in the scheduler; null = without a word. */
  offline?: { comment: string | null };
  /** It has booted this image and kernel instead of its own. */
  booted?: { image: string; kernel: string };
  /** Degrees that its processors are hotter. */
  heat?: Amount;
  /** The inventory lists it no more, though it runs. */
  unlisted?: true;
  /** The image that the inventory assigns to it, which it has not booted. */
  assigned?: { image: string; kernel: string };
  /** Its management processor answers nobody: nothing can tell whether it has power. */
  bmcLost?: true;
  /** Share of its speed that its fan has. */
  fan?: number;
  /** Watts that it draws more. */
  watts?: Amount;
  /** The job on it has ended and never leaves the node. */
  jobStuck?: true;
  /** It begins with an orderly reboot, or with a reset that nobody asked for. */
  begins?: 'reboot' | 'reset';
  /** How its trouble ends: a boot after a `reset` or an orderly `reboot`; absent = by itself. */
  ends?: 'reset' | 'reboot';
}

/** Lines of a node's kernel; `at` is the time of the first, the others follow at once. */
export interface ConsoleText {
  node: string;
  at: number;
  lines: readonly string[];
  /** The lines carry the kernel's clock already. */
  clock?: 'own';
}

/** An alert in OneView, open while the fault lasts. */
export interface ServerAlert {
  server: string;
  /** Milliseconds since the epoch. */
  at: number;
  type: string;
  category: string;
  severity: 'Critical' | 'Warning';
  description: string;
  action: string | null;
}

/** A finding that a fault makes. */
export interface Shown {
  /** Absent: of whatever kind, as long as it is on the subject. */
  kind?: string;
  subject: { type: string; id: string };
  severity?: Severity;
  /** Another name by which the subject may be known. */
  alias?: string;
  /** How long it takes after the beginning until it can be seen, where that is longer than a source takes, ms. */
  settles?: number;
  /** It stands before `from`, or on after `until` (events expire a day later), or depends on when one looks. */
  maybe?: boolean;
}

export interface Effects {
  nodes?: ReadonlyMap<string, NodeTrouble>;
  console?: readonly ConsoleText[];
  alerts?: readonly ServerAlert[];
  /** PDUs that deliver nothing, switches that are silent. */
  pdus?: readonly string[];
  switches?: readonly string[];
  /** Boards whose coolant is warmer, by degrees. */
  warmBoards?: ReadonlyMap<string, Amount>;
  /** CDUs and chassis with a leak. */
  leaks?: readonly string[];
  /** Degrees by which the ASIC of a switch is hotter. */
  hotSwitches?: ReadonlyMap<string, Amount>;
  /** Share of the usual flow of coolant that a chassis gets. */
  coolantFlow?: ReadonlyMap<string, Amount>;
  /** Degrees by which what a CDU supplies is warmer, and the share of its flow. */
  cdus?: ReadonlyMap<string, { warmer?: Amount; flow?: Amount }>;
  /** Degrees by which the air before a rack is warmer. */
  warmRacks?: ReadonlyMap<string, Amount>;
  /** Drives that have failed. */
  drives?: readonly number[];
  /** Share of its endurance that a drive has used, in percent; drives that take no writes any more. */
  wornDrives?: ReadonlyMap<number, Amount>;
  unwritableDrives?: readonly number[];
  /** Servers whose compute container is down; servers that are down as a whole, drives and all. */
  containers?: readonly string[];
  storageServers?: readonly string[];
  /** The file system serves nobody. */
  storageStopped?: true;
  objectStore?: 'down';
  /** Days until the storage's licence ends. */
  licenceDays?: Amount;
  /** Share of its budget that a file system holds. */
  fileSystems?: ReadonlyMap<string, Amount>;
  queues?: readonly string[];
  /** The scheduler starts no jobs. */
  schedulingPaused?: true;
  /** Servers whose management processor OneView does not reach. */
  unmanaged?: readonly string[];
  /** `late` its files are no longer written; `partial` they are cut short; `missing` they are gone. */
  sources?: ReadonlyMap<string, 'late' | 'partial' | 'missing'>;
  /** Other names of what caused it. */
  because?: readonly string[];
  /** What only this fault makes; what follows from its nodes' trouble is worked out for all faults alike. */
  shows?: readonly Shown[];
  /** The same after its end: events that stand until they expire. */
  lingers?: readonly Shown[];
}

/** What a fault is laid on. */
export interface FaultContext {
  spec: FleetSpec;
  topology: Topology;
  where: string;
  from: number;
  until: number;
  random: Random;
}

export const FAULT_CLASSES = ['node', 'memory', 'gpu', 'network', 'plant', 'server', 'storage', 'scheduler', 'image', 'source'] as const;
export type FaultClass = (typeof FAULT_CLASSES)[number];

/** A kind of fault. To add one, write one of these and list it in `faults/index.ts`. */
export interface Fault {
  kind: string;
  /** `blind`: by somebody who knows the sources' formats and not the observer's rules. */
  author?: 'blind';
  /** What the fault is of, for tables. */
  class: FaultClass;
  /** One line: what has happened. */
  title: string;
  /** Where it can be, in words and as names; the seed chooses one of the names where none is given. */
  where: string;
  places: (topology: Topology) => readonly string[];
  effects: (context: FaultContext) => Effects;
}
