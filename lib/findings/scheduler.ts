import type { Condition } from '../model/condition.ts';
import { blindness, type SourceView } from './observe.ts';
import { at, namesOf, objectsAt, textAt } from './summary-reader.ts';

const SCHEDULER = 'pbs_state';

/** Kinds that say that the scheduler gives a node no work. */
const OUT = new Set(['node_down', 'node_down_with_jobs', 'node_offline', 'node_state_unknown']);

/** Node sets of the summary in which nodes are neither broken nor at work. */
const RESTING = ['asleep', 'changing', 'mixed'] as const;

export interface Reservation {
  id: string;
  /** Milliseconds since the epoch. */
  from: number;
  until: number;
  nodes: ReadonlySet<string>;
}

/** What the scheduler tells of nodes, where it is fresh. */
export interface Scheduler {
  /** Nodes to which it gives work. */
  inService: ReadonlySet<string>;
  /** Nodes of which it says what they are. */
  known: ReadonlySet<string>;
  /** Nodes that it holds for down, and nobody took out. */
  down: ReadonlyMap<string, Condition>;
  /** Nodes that a person took out, with a reason, by a condition each. */
  offlined: ReadonlyMap<string, Condition>;
  /** Reservations for maintenance, as far as the summary names their nodes. */
  maintenance: Reservation[];
  asOf: number;
  /** Until when this may be relied on. */
  until: number;
}

/** The scheduler's view of this tick, or why there is none to go by. */
export function schedulerOf(sources: readonly SourceView[], now: number): Scheduler | { why: string } {
  const view = sources.find((s) => s.source === SCHEDULER);
  if (!view) return { why: `${SCHEDULER} is not configured` };
  const why = blindness(view, now);
  if (why !== null || view.snapshot === null) return { why: why ?? `${SCHEDULER} was not collected` };
  const { summary, conditions, coverage, asOf } = view.snapshot;
  const out = new Set<string>();
  const down = new Map<string, Condition>();
  const offlined = new Map<string, Condition>();
  for (const condition of conditions) {
    if (!OUT.has(condition.kind)) continue;
    out.add(condition.subject.id);
    if (isTakenOut(condition)) offlined.set(condition.subject.id, condition);
    if (condition.kind === 'node_down' || condition.kind === 'node_down_with_jobs') down.set(condition.subject.id, condition);
  }
  for (const name of conditions.filter((c) => c.kind === 'node_offline').map((c) => c.subject.id)) down.delete(name);
  const resting = new Set(RESTING.flatMap((set) => [...namesOf(textAt(summary, 'nodes', 'sets', set, 'names'))]));
  const isCut = RESTING.some((set) => at(summary, 'nodes', 'sets', set, 'more') !== undefined);
  const known = namesOf(coverage.observed['node']);
  return {
    inService: new Set(isCut ? [] : [...known].filter((name) => !out.has(name) && !resting.has(name))),
    known: isCut ? out : known,
    down,
    offlined,
    maintenance: objectsAt(summary, 'reservations', 'maintenance', 'top').flatMap((reservation) => {
      const [id, from, until] = [textAt(reservation, 'id'), textAt(reservation, 'start'), textAt(reservation, 'end')];
      if (id === undefined || from === undefined || until === undefined) return [];
      return [{ id, from: Date.parse(from), until: Date.parse(until), nodes: namesOf(textAt(reservation, 'names')) }];
    }),
    asOf: Date.parse(asOf),
    until: Date.parse(asOf) + view.maxAge,
  };
}

/** A hook or the server that takes a node out has found a fault; a person with a reason has it in hand. */
function isTakenOut({ kind, values }: Condition): boolean {
  return kind === 'node_offline' && typeof values['reason'] === 'string' && values['by'] === null;
}
