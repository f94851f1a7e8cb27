import type { Severity } from '../model/condition.ts';
import type { Random } from './random.ts';
import type { FleetSpec } from './spec.ts';
import type { Topology } from './topology.ts';

/*
 * What faults do. A fault says what happens to things (a node loses its power, a drive fails), and each source shows it in
 * its own way; only words that nobody else could know (console lines, alerts) come from the fault itself.
 */

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
  heat?: number;
  /** It begins with an orderly reboot. */
  begins?: 'reboot';
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
  kind: string;
  subject: { type: string; id: string };
  severity?: Severity;
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
  warmBoards?: ReadonlyMap<string, number>;
  /** CDUs and chassis with a leak. */
  leaks?: readonly string[];
  drives?: readonly number[];
  /** Servers whose compute container is down. */
  containers?: readonly string[];
  /** Share of its budget that a file system holds. */
  fileSystems?: ReadonlyMap<string, number>;
  queues?: readonly string[];
  /** `late` its files are no longer written; `partial` they are cut short; `missing` they are gone. */
  sources?: ReadonlyMap<string, 'late' | 'partial' | 'missing'>;
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

/** A kind of fault. To add one, write one of these and list it in `faults/index.ts`. */
export interface Fault {
  kind: string;
  /** One line: what has happened. */
  title: string;
  /** Where it can be, in words and as names; the seed chooses one of the names where none is given. */
  where: string;
  places: (topology: Topology) => readonly string[];
  effects: (context: FaultContext) => Effects;
}
