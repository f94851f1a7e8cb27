import { worse } from '../model/condition.ts';
import type { Group } from '../model/finding.ts';
import { groupId } from '../model/identity.ts';
import { compareNames } from '../model/text.ts';
import { fold } from '../nodeset.ts';
import { mayHaveChanged, whatChanged } from './changed-there.ts';
import { BOUND, logChance } from './enrichment.ts';
import { severityOf } from './escalate.ts';
import { kindOf } from './follow.ts';
import type { GroundTruth } from './ground-truth.ts';
import type { Names } from './names.ts';
import { type Held, likelihood, type Places, type Spot } from './places.ts';
import { setText } from './set-text.ts';
import type { Tracked } from './tracked.ts';

/** Fewer are no group: two of a kind are seen at a glance. */
const LEAST = 3;

export interface GroupInput {
  cluster: string;
  /** The open findings that are not held back. */
  open: readonly Tracked[];
  /** Everything that is followed, open or not: what may have changed at a place. */
  tracked: readonly Tracked[];
  names: Names;
  /** Made when first asked for: most ticks have nothing to group. */
  places: () => Places;
  groundTruth: GroundTruth | null;
}

/** Findings of one kind that share a place beyond chance, kind by kind, the least likely by chance first. */
export function groupsOf(given: GroupInput): Group[] {
  const input = { ...given, tracked: given.tracked.filter(mayHaveChanged) };
  const byKind = new Map<string, Tracked[]>();
  for (const t of input.open) {
    const some = byKind.get(t.condition.kind);
    if (some) some.push(t);
    else byKind.set(t.condition.kind, [t]);
  }
  return [...byKind]
    .sort(([a], [b]) => compareNames(a, b))
    .filter(([, some]) => some.length >= LEAST)
    .flatMap(([kind, some]) => groupsOfKind(kind, some, input));
}

/** A place and the affected nodes that stand there. */
interface Candidate {
  held: Held;
  affected: string[];
  /** The natural logarithm of the chance, all places that were asked counted. */
  logP: number;
}

/** A finding is in one group at most: the best place takes its members, and the rest is asked again. */
function groupsOfKind(kind: string, some: readonly Tracked[], input: GroupInput): Group[] {
  const places = input.places();
  const byNode = new Map<string, Tracked[]>();
  for (const t of some) {
    const name = input.names.canonical(t.condition.subject.id);
    if (!places.nodes.has(name)) continue;
    const mine = byNode.get(name);
    if (mine) mine.push(t);
    else byNode.set(name, [t]);
  }
  const groups: Group[] = [];
  const left = new Set(byNode.keys());
  while (left.size >= LEAST) {
    const candidates = candidatesOf(kind, left, byNode.size, places);
    const [best] = candidates;
    if (!best || best.logP > Math.log(BOUND)) break;
    const alike = candidates.filter(
      (c) =>
        c !== best &&
        c.affected.length === best.affected.length &&
        c.held.size === best.held.size &&
        c.affected.every((n) => best.held.nodes.has(n)),
    );
    groups.push(groupOf(kind, best, { alike, byNode, input, places }));
    for (const name of best.affected) left.delete(name);
  }
  return groups;
}

function candidatesOf(kind: string, left: ReadonlySet<string>, affected: number, places: Places): Candidate[] {
  const found = new Map<Held, string[]>();
  for (const name of left) {
    for (const held of places.of(name)) {
      const there = found.get(held);
      if (there) there.push(name);
      else found.set(held, [name]);
    }
  }
  const population = places.nodes.size;
  const asked = places.members.size;
  return [...found]
    .filter(([, there]) => there.length >= LEAST)
    .map(([held, there]): Candidate => {
      const logP = Math.log(asked) + logChance({ population, affected, inPlace: held.size, members: there.length });
      return { held, affected: there, logP };
    })
    .sort(
      (a, b) =>
        a.logP - b.logP ||
        likelihood(kind, a.held.spot.type) - likelihood(kind, b.held.spot.type) ||
        compareNames(a.held.spot.type, b.held.spot.type) ||
        compareNames(a.held.spot.id, b.held.spot.id),
    );
}

interface Surroundings {
  alike: readonly Candidate[];
  byNode: ReadonlyMap<string, readonly Tracked[]>;
  input: GroupInput;
  places: Places;
}

function groupOf(kind: string, { held, affected, logP }: Candidate, { alike, byNode, input, places }: Surroundings): Group {
  const { spot, nodes: inPlace } = held;
  const members = affected.flatMap((name) => byNode.get(name) ?? []);
  const isHit = new Set(affected);
  const healthy = [...inPlace].filter((name) => !byNode.has(name));
  const elsewhere = [...byNode.keys()].filter((name) => !isHit.has(name));
  const others = places.nodes.size - inPlace.size;
  const states = new Set(members.map((t) => t.state));
  const changedThere = whatChanged(spot, members, { ...input, places });
  const stale = members.filter((t) => t.state === 'stale');
  return {
    id: groupId(input.cluster, kind, spot),
    kind,
    title: kindOf({ kind }).title,
    severity: members.map(severityOf).reduce(worse),
    state: states.has('new') ? 'new' : states.has('ongoing') ? 'ongoing' : 'stale',
    place: spot,
    findings: members.map((t) => t.condition.id).sort(),
    subjects: fold(members.map((t) => t.condition.subject.id)),
    message: `${affected.length} of ${inPlace.size} nodes ${where(spot)}, ${elsewhere.length === 0 ? 'none' : elsewhere.length} elsewhere among ${others}${
      alike.length === 0
        ? ''
        : ` (the same nodes: ${alike
            .slice(0, 4)
            .map((c) => `${c.held.spot.type} ${c.held.spot.id}`)
            .join(', ')})`
    }`,
    counterEvidence: [
      ...(healthy.length > 0 ? [`${healthy.length} of ${inPlace.size} nodes there do not show it: ${setText(healthy, 120)}`] : []),
      ...(elsewhere.length > 0
        ? [
            `${elsewhere.length === 1 ? 'one node elsewhere shows' : `${elsewhere.length} nodes elsewhere show`} it too: ${setText(elsewhere, 120)}`,
          ]
        : []),
      ...(stale.length > 0 ? [`${stale.length} of its ${members.length} findings are stale`] : []),
    ],
    pValue: Number(Math.exp(Math.min(0, logP)).toPrecision(3)),
    ...(changedThere !== null && { changedThere }),
  };
}

/** `behind switch x1000c0r1`, `in rack x1000`, `with image cos-2026.11`. */
function where({ type, id }: Spot): string {
  if (type === 'image') return `with image ${id}`;
  return `${['rack', 'chassis', 'slot'].includes(type) ? 'in' : 'behind'} ${type} ${id}`;
}
