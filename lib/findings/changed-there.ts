import { parseDuration, toIso } from '../model/time.ts';
import type { GroundTruth } from './ground-truth.ts';
import { kindOf } from './follow.ts';
import type { Names } from './names.ts';
import type { Places, Spot } from './places.ts';
import { nodeSetOf } from '../nodeset.ts';
import type { Tracked } from './tracked.ts';

/** How long before the first of its nodes was hit something may have happened and still be told. */
const BEFORE = parseDuration('24h');
/** How long after the last one: sources see one event minutes apart. */
const AFTER = parseDuration('10m');

/** Kinds that tell of a change of what a node is or runs. */
const CHANGES: ReadonlySet<string> = new Set([
  'inventory_changed',
  'firmware_minority',
  'image_pending',
  'image_dirty',
  'image_drift',
  'kernel_drift',
  'boot_drift',
  'unexpected_reboot',
]);

/** Types of subject that are places themselves. */
const PLACES: ReadonlySet<string> = new Set(['rack', 'chassis', 'slot', 'switch', 'pdu', 'cdu', 'image', 'enclosure']);

/** Whether a finding can tell of a change at a place. */
export function mayHaveChanged({ state, condition: { kind, subject } }: Tracked): boolean {
  return state !== 'candidate' && (PLACES.has(subject.type) || CHANGES.has(kind));
}

interface Surroundings {
  /** Those that {@link mayHaveChanged}. */
  tracked: readonly Tracked[];
  groundTruth: GroundTruth | null;
  names: Names;
  places: Places;
}

interface Event {
  rank: number;
  at: number;
  text: string;
}

/**
 * What changed last at the place until its nodes were hit: something on the place itself, work that began or ended
 * there, a change of what its nodes run. Null where nothing is known.
 */
export function whatChanged(spot: Spot, members: readonly Tracked[], { tracked, groundTruth, names, places }: Surroundings): string | null {
  const times = members.map((t) => Date.parse(t.firstSeen));
  const [first, last] = [times.reduce((a, b) => Math.min(a, b)), times.reduce((a, b) => Math.max(a, b))];
  const isNear = (at: number): boolean => at >= first - BEFORE && at <= last + AFTER;
  const nodes = places.members.get(`${spot.type}\n${spot.id}`)?.nodes ?? new Set<string>();
  const ids = new Set(members.map((t) => t.condition.id));
  const events: Event[] = [];
  const changed = new Map<string, { at: number; count: number }>();
  for (const t of tracked) {
    const { subject, kind, id } = t.condition;
    const at = Date.parse(t.firstSeen);
    if (ids.has(id) || !isNear(at)) continue;
    if (subject.id === spot.id && subject.type === spot.type)
      events.push({ rank: 0, at, text: `${kindOf({ kind }).title} on ${spot.type} ${spot.id} since ${t.firstSeen}` });
    else if (CHANGES.has(kind) && nodes.has(names.canonical(subject.id))) {
      const known = changed.get(kind);
      changed.set(kind, { at: Math.max(at, known?.at ?? at), count: (known?.count ?? 0) + 1 });
    }
  }
  for (const window of groundTruth?.maintenance ?? []) {
    if (![...nodeSetOf(window.nodes)].some((name) => nodes.has(names.canonical(name)))) continue;
    for (const [at, what] of [
      [window.from, 'began'],
      [window.until, 'ended'],
    ] as const) {
      if (isNear(at)) events.push({ rank: 1, at, text: `maintenance ${what} there at ${toIso(at)} (${window.reason}; ${window.owner})` });
    }
  }
  for (const [kind, { at, count }] of changed)
    events.push({ rank: 2, at, text: `${kindOf({ kind }).title} on ${count} of its nodes, last at ${toIso(at)}` });
  events.sort((a, b) => a.rank - b.rank || b.at - a.at || (a.text < b.text ? -1 : 1));
  return events[0]?.text ?? null;
}
