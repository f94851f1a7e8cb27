import type { Asked, Played } from './played.ts';
import { CLASSES, type ScenarioClass } from './scenario.ts';
import { type Cluster, clustered, meanDifference, passAll, quantile, type Share, wilson } from './stats.ts';

/** What the deterministic report is worth in one class of scenarios. */
export interface FloorScore {
  class: ScenarioClass;
  scenarios: number;
  /** Scenarios of which everything was seen at every look at which it was due. */
  complete: Share;
  /** Things seen, over all looks at which they were due; the interval is over scenarios. */
  recall: Share;
  /** Open findings that a fault accounts for. */
  precision: Share;
  severity: Share;
  /** Of pairs of findings of one fault, those that a group shows; of pairs in groups, those of one fault. */
  grouping: { recall: Share; precision: Share };
  /** Groups that name the place of the cause. */
  places: Share;
  averagePrecision: number | null;
  /** Things with exactly one id, that no other thing has. */
  identity: Share;
  falselyResolved: number;
  /** Looks from the first at which it could be seen to the one at which it was. */
  delay: { median: number; worst: number };
  evidence: Share;
}

/** How quiet days are. */
export interface QuietScore {
  days: number;
  falseAlarms: number;
  /** Days with at least one. */
  unquiet: Share;
}

/** What a model makes of one class of scenarios. */
export interface ModelScore {
  model: string;
  class: ScenarioClass | 'all';
  scenarios: number;
  asked: number;
  /** Stories told, cause and links, by the whole report; and by its deterministic part. */
  told: Share;
  floor: Share;
  /** What the model adds to a scenario, in shares of its stories. */
  lift: { mean: number | null; low: number; high: number };
  /** The same for pairs of findings of one fault that are linked. */
  linking: { recall: Share; precision: Share };
  /** Claims that code has found to hold; the others are marked or dropped. */
  verified: Share;
  dropped: number;
  failed: Share;
  obeyed: Share;
  floorSame: Share;
  passAll: { k: number; share: number | null };
  tokens: number;
  calls: number;
  ms: { median: number; p95: number };
}

export interface Scores {
  scenarios: number;
  looks: number;
  floor: FloorScore[];
  quiet: QuietScore;
  models: ModelScore[];
  busyMs: number;
}

/** Classes in which something is laid that the floor has to see. */
const isFloors = (of: ScenarioClass): boolean => of !== 'healthy' && of !== 'judgment';

/** Works everything out from what was played; the order of lines does not matter. */
export function scoresOf(all: readonly Played[]): Scores {
  const played = [...new Map(all.map((p) => [`${p.name} ${p.seed}`, p])).values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const of = (c: ScenarioClass): Played[] => played.filter((p) => p.class === c);
  const present = CLASSES.filter((c) => of(c).length > 0);
  const days = of('healthy');
  const models = [...new Set(played.flatMap((p) => Object.keys(p.asked)))].filter((name) => name !== 'floor');
  return {
    scenarios: played.length,
    looks: sum(played, (p) => p.looks + 1),
    floor: present.filter((c) => c !== 'healthy').map((c) => floorScore(c, of(c))),
    quiet: {
      days: days.length,
      falseAlarms: sum(days, distinct),
      unquiet: wilson(days.filter((p) => p.falseAlarms.length > 0).length, days.length),
    },
    models: models.flatMap((name) => [
      ...present.flatMap((c) => modelScore(name, c, of(c)) ?? []),
      ...[modelScore(name, 'all', played)].filter((s) => s !== null),
    ]),
    busyMs: sum(played, (p) => p.busyMs),
  };
}

/** Recall over all classes in which the floor has to see everything. */
export function floorRecall(all: readonly Played[]): { complete: Share; recall: Share } {
  const played = all.filter((p) => isFloors(p.class));
  const due = played.filter((p) => p.shown.some((s) => s.due > 0));
  return { complete: wilson(due.filter(isComplete).length, due.length), recall: clustered(played.map(seenOf)) };
}

function isComplete({ shown }: Played): boolean {
  return shown.every((s) => s.seen === s.due);
}

function seenOf({ shown }: Played): Cluster {
  return { right: sum(shown, (s) => s.seen), of: sum(shown, (s) => s.due) };
}

/** Things that gave an alarm for nothing, each once however long it stood. */
function distinct({ falseAlarms }: Played): number {
  return new Set(falseAlarms.map((f) => f.what)).size;
}

function sum<T>(list: readonly T[], of: (item: T) => number): number {
  return list.reduce((total, item) => total + of(item), 0);
}

function floorScore(of: ScenarioClass, played: readonly Played[]): FloorScore {
  const due = played.filter((p) => p.shown.some((s) => s.due > 0));
  const told = played.flatMap((p) => p.shown.filter((s) => s.severity !== null));
  const delays = played
    .flatMap((p) => p.shown.flatMap((s) => (s.first === null || s.due === 0 ? [] : [s.first - s.since])))
    .sort((a, b) => a - b);
  const precisions = played.flatMap((p) => p.averagePrecision ?? []);
  const floor = played.map((p) => p.asked['floor']?.[0]).filter((a) => a !== undefined);
  return {
    class: of,
    scenarios: played.length,
    complete: wilson(due.filter(isComplete).length, due.length),
    recall: clustered(played.map(seenOf)),
    precision: clustered(played.map((p) => ({ right: p.open - p.falseAlarms.length, of: p.open }))),
    severity: wilson(told.filter((s) => s.severity).length, told.length),
    grouping: pairScore(floor),
    places: clustered(played.map((p) => ({ right: p.places.right, of: p.places.groups }))),
    averagePrecision: precisions.length === 0 ? null : sum(precisions, (p) => p) / precisions.length,
    identity: clustered(played.map(({ identity: { things, split, merged } }) => ({ right: things - split - merged, of: things }))),
    falselyResolved: sum(played, (p) => sum(p.shown, (s) => s.falselyResolved)),
    delay: { median: quantile(delays, 0.5), worst: delays.at(-1) ?? Number.NaN },
    evidence: clustered(played.map((p) => ({ right: p.evidence.held, of: p.evidence.refs }))),
  };
}

function pairScore(asked: readonly Asked[]): { recall: Share; precision: Share } {
  return {
    recall: clustered(asked.map(({ pairs }) => ({ right: pairs.both, of: pairs.same }))),
    precision: clustered(asked.map(({ pairs }) => ({ right: pairs.both, of: pairs.linked }))),
  };
}

function modelScore(model: string, of: ModelScore['class'], played: readonly Played[]): ModelScore | null {
  const own = played.filter((p) => (p.asked[model]?.length ?? 0) > 0);
  const all = own.flatMap((p) => p.asked[model] ?? []);
  if (all.length === 0) return null;
  const times = own.map((p) => p.asked[model] as Asked[]);
  const floors = own.map((p) => p.asked['floor']?.[0] as Asked);
  const most = times.reduce((k, t) => Math.min(k, t.length), Number.POSITIVE_INFINITY);
  const waits = all.map((a) => a.ms).sort((a, b) => a - b);
  const share = ({ named, stories }: Asked): number => named / stories;
  const shared = own.filter((p) => (p.asked['floor']?.[0]?.stories ?? 0) > 0);
  return {
    model,
    class: of,
    scenarios: own.length,
    asked: all.length,
    told: clustered(times.map((t) => ({ right: sum(t, (a) => a.named), of: sum(t, (a) => a.stories) }))),
    floor: clustered(floors.map((a) => ({ right: a.named, of: a.stories }))),
    lift: meanDifference(
      shared.map((p) => {
        const asked = p.asked[model] as Asked[];
        return sum(asked, share) / asked.length - share(p.asked['floor']?.[0] as Asked);
      }),
    ),
    linking: pairScore(all),
    verified: clustered(times.map((t) => ({ right: sum(t, (a) => a.verified), of: sum(t, (a) => a.claims) }))),
    dropped: sum(all, (a) => a.dropped),
    failed: wilson(all.filter((a) => a.status !== 'ok').length, all.length),
    obeyed: wilson(all.filter((a) => a.obeyed).length, all.length),
    floorSame: wilson(all.filter((a) => a.floorSame).length, all.length),
    passAll: {
      k: most,
      share: passAll(
        times.map((t) => ({ passed: t.filter((a) => a.named === a.stories).length, of: t.length })),
        most,
      ),
    },
    tokens: sum(all, (a) => a.tokensIn + a.tokensOut) / all.length,
    calls: sum(all, (a) => a.calls) / all.length,
    ms: { median: quantile(waits, 0.5), p95: quantile(waits, 0.95) },
  };
}
