import { compareSeverity, type Severity, type Subject } from '../model/condition.ts';
import type { Suppressed } from '../model/finding.ts';
import { compareNames, oneLine } from '../model/text.ts';
import { toIso } from '../model/time.ts';
import { foldShared, nodeSetOf } from '../nodeset.ts';
import type { GroundTruth } from './ground-truth.ts';
import type { Scheduler } from './scheduler.ts';

/** Something that keeps findings out of the open list: an entry of ground truth, or what the scheduler says. */
export interface Cover {
  reason: 'known down' | 'maintenance' | 'silence' | 'taken out in the scheduler';
  /** Tells it from every other cover over ticks, by what it says and not by where it stands. */
  key: string;
  entry: string;
  owner: string;
  until: number;
  kind?: string | undefined;
  /** Kinds that it can cover; absent = all but those that speak of ground truth itself. */
  kinds?: ReadonlySet<string>;
  subject?: Subject | undefined;
  /** The worst severity that it hides. */
  ceiling?: Severity | undefined;
  /** It hides a finding also when that gets worse than when it was first covered. */
  hidesWorse: boolean;
}

/** What is known of a finding when covers are asked. */
export interface Coverable {
  kind: string;
  severity: Severity;
  subject: Subject;
  /** Every name of its subject. */
  names: readonly string[];
  /** The cover that held it back last, and how severe it was when that began. */
  held: Held | undefined;
}

export interface Held {
  key: string;
  severity: Severity;
}

/** Kinds about ground truth itself: an entry never hides that it has run out or is contradicted. */
const ABOUT_GROUND_TRUTH: ReadonlySet<string> = new Set([
  'known_down_expired',
  'known_down_but_up',
  'node_unexpected',
  'ground_truth_invalid',
]);

/** What follows from a node's being taken out of service; that it was is told by the scheduler's own finding. */
const AWAY: ReadonlySet<string> = new Set([
  'node_down',
  'node_off',
  'server_off',
  'console_silent',
  'console_disconnected',
  'telemetry_gap',
  'node_missing',
]);

/** Types of subject that a set of nodes speaks of: a file system may well bear the name of a node. */
const ON_NODES: ReadonlySet<string> = new Set([
  'node',
  'service_node',
  'leader',
  'admin',
  'dpu',
  'bmc',
  'switch',
  'chassis',
  'enclosure',
  'pdu',
  'cdu',
  'rack',
]);

/** The covers that hold now, ready to be asked by name of node. */
export class Covers {
  readonly #byName = new Map<string, Cover[]>();
  readonly #general: Cover[] = [];

  constructor(groundTruth: GroundTruth | null, scheduler: Scheduler | { why: string }, now: number) {
    for (const entry of groundTruth?.known_down ?? []) {
      if (entry.expires > now) this.#onNodes(entry.nodes, coverOf('known down', entry, entry.expires));
    }
    for (const window of groundTruth?.maintenance ?? []) {
      if (window.from <= now && now < window.until) this.#onNodes(window.nodes, coverOf('maintenance', window, window.until));
    }
    if (!('why' in scheduler)) this.#ofScheduler(scheduler, now);
    for (const silence of groundTruth?.silences ?? []) {
      if (silence.expires <= now) continue;
      const cover = {
        ...coverOf('silence', silence, silence.expires),
        kind: silence.kind,
        subject: silence.subject,
        ceiling: silence.severity,
        hidesWorse: silence.even_if_worse ?? false,
      };
      if (silence.nodes === undefined) this.#general.push(cover);
      else this.#onNodes(silence.nodes, cover);
    }
  }

  /** Nothing is covered, whatever is asked. */
  get isEmpty(): boolean {
    return this.#byName.size === 0 && this.#general.length === 0;
  }

  #ofScheduler({ maintenance, offlined, until }: Scheduler, now: number): void {
    for (const { id, from, until: end, nodes } of maintenance) {
      if (from > now || end <= now) continue;
      const cover: Cover = {
        reason: 'maintenance',
        key: JSON.stringify(['reservation', id]),
        entry: `reservation ${id} of the scheduler, from ${toIso(from)}`,
        owner: 'scheduler',
        until: end,
        hidesWorse: true,
      };
      for (const name of nodes) this.#put(name, cover);
    }
    for (const [name, condition] of offlined) {
      this.#put(name, {
        reason: 'taken out in the scheduler',
        key: JSON.stringify(['offline', name]),
        entry: oneLine(String(condition.values['reason']), 200),
        owner: 'scheduler',
        until,
        kinds: AWAY,
        ceiling: 'warning',
        hidesWorse: true,
      });
    }
  }

  #onNodes(nodes: string, cover: Cover): void {
    for (const name of nodeSetOf(nodes)) this.#put(name, cover);
  }

  #put(name: string, cover: Cover): void {
    const covers = this.#byName.get(name);
    if (covers) covers.push(cover);
    else this.#byName.set(name, [cover]);
  }

  /** The first cover that speaks of the finding, and whether it hides it as severe as it is. */
  of(finding: Coverable): { cover: Cover; held: Held; hides: boolean } | null {
    let first: { cover: Cover; held: Held; hides: boolean } | null = null;
    const onNode = ON_NODES.has(finding.subject.type) ? finding.names.flatMap((name) => this.#byName.get(name) ?? []) : [];
    for (const cover of [...onNode, ...this.#general]) {
      if (!speaksOf(cover, finding)) continue;
      const held = finding.held?.key === cover.key ? finding.held : { key: cover.key, severity: finding.severity };
      const isWorse = !cover.hidesWorse && compareSeverity(finding.severity, held.severity) < 0;
      const isAbove = cover.ceiling !== undefined && compareSeverity(finding.severity, cover.ceiling) < 0;
      const found = { cover, held, hides: !isWorse && !isAbove };
      if (found.hides) return found;
      first ??= found;
    }
    return first;
  }
}

function coverOf(
  reason: Cover['reason'],
  entry: { nodes?: string | undefined; reason: string; owner: string; ticket?: string | undefined },
  until: number,
): Cover {
  return {
    reason,
    key: JSON.stringify([reason, entry.owner, entry.reason, entry.nodes ?? null, entry.ticket ?? null]),
    entry: oneLine(entry.ticket === undefined ? entry.reason : `${entry.reason} (${entry.ticket})`, 200),
    owner: entry.owner,
    until,
    hidesWorse: true,
  };
}

function speaksOf(cover: Cover, { kind, subject }: Coverable): boolean {
  if (cover.kinds ? !cover.kinds.has(kind) : cover.kind === undefined && ABOUT_GROUND_TRUTH.has(kind)) return false;
  if (cover.kind !== undefined && cover.kind !== kind) return false;
  return cover.subject === undefined || (cover.subject.type === subject.type && cover.subject.id === subject.id);
}

/** What was kept out, one line a cover. */
export function suppressedList(
  hidden: readonly { cover: Cover; id: string; kind: string; severity: Severity; subject: Subject }[],
): Suppressed[] {
  const byCover = new Map<string, (typeof hidden)[number][]>();
  for (const one of hidden) {
    // Nodes that are out for one reason are one line, though each is covered by an entry of its own.
    const key = JSON.stringify([one.cover.reason, one.cover.entry, one.cover.owner, one.cover.until]);
    const some = byCover.get(key);
    if (some) some.push(one);
    else byCover.set(key, [one]);
  }
  return [...byCover.values()]
    .map((some): Suppressed => {
      const { reason, entry, owner, until } = (some[0] as (typeof hidden)[number]).cover;
      return {
        reason,
        entry,
        owner,
        until: toIso(until),
        subjects: foldShared(new Set(some.map((s) => s.subject.id))),
        findings: some
          .map(({ id, kind, severity, subject }) => ({ id, kind, severity, subject }))
          .sort(
            (a, b) =>
              compareSeverity(a.severity, b.severity) ||
              compareNames(a.kind, b.kind) ||
              compareNames(a.subject.id, b.subject.id) ||
              compareNames(a.id, b.id),
          ),
      };
    })
    .sort((a, b) => compareNames(a.reason, b.reason) || compareNames(a.subjects, b.subjects) || compareNames(a.entry, b.entry));
}
