import { collectors } from '../collectors/registry.ts';
import { kinds } from '../findings/kinds.ts';
import { drainOf } from './background.ts';
import type { Severity } from '../model/condition.ts';
import type { Shown } from './effects.ts';
import { BOOT_TAKES, isHidden, type LaidFault } from './plan.ts';
import { jobOn } from './sources/pbs.ts';
import { DAY } from './spec.ts';
import { LOOKED_BEFORE, type Tick } from './tick.ts';
import { isManaged, type Node } from './topology.ts';

/** What a report should have at a look: findings of warning or above that faults account for. */
export interface Expected {
  /** `KIND TYPE ID` of what has to be there. */
  must: ReadonlySet<string>;
  /** What may be there as well: it has just begun or ended, or depends on the moment, or its source is not seen. */
  may: ReadonlySet<string>;
  /** What is so, whether its source can be seen or not: it must not be called resolved. */
  holds: ReadonlySet<string>;
  /** How bad a thing is, where its fault says so. */
  severities: ReadonlyMap<string, Severity>;
  /** Of each fault (`KIND PLACE`), what it accounts for. */
  owners: ReadonlyMap<string, ReadonlySet<string>>;
  /** Sources that are not seen as they should be: failed, partial, or not fresh. */
  sources: ReadonlySet<string>;
}

/** Stands for any kind of finding: then the name of the subject is all that counts. */
const ANY = '*';

type About = Pick<Shown, 'kind' | 'subject' | 'alias'>;

export function findingKey({ kind = ANY, subject, alias }: About): string {
  if (kind !== ANY) return `${kind} ${subject.type} ${subject.id}`;
  return `${ANY} ${subject.id}${alias === undefined ? '' : ` ${alias}`}`;
}

interface Found {
  kind: string;
  subject: Shown['subject'];
}

/** Whether a key stands for a finding. */
export function standsFor(key: string, { kind, subject }: Found): boolean {
  return key.startsWith(`${ANY} `) ? key.split(' ').indexOf(subject.id, 1) > 0 : key === findingKey({ kind, subject });
}

/** Whether one of some keys stands for a finding. */
export function isExpected(keys: Iterable<string>, found: Found): boolean {
  for (const key of keys) if (standsFor(key, found)) return true;
  return false;
}

/** Sources look some minutes before the observer does, sensors are judged by two samples, an owner has time for a reason. */
const SETTLED = 20 * 60_000;
/** What just ended may still be seen by one source or another. */
const ENDING = 35 * 60_000;

/** Works out what faults should show at a look. */
export function expectedAt(tick: Tick): Expected {
  const { at } = tick;
  const must = new Set<string>();
  const may = new Set<string>();
  const sources = new Set<string>();
  const holding = new Set<string>();
  const severities = new Map<string, Severity>();
  const owners = new Map<string, Set<string>>();
  for (const fault of tick.plan.faults) {
    if (at < fault.from) continue;
    const holds = at < fault.until;
    const owner = `${fault.kind} ${fault.where}`;
    const own = owners.get(owner) ?? new Set<string>();
    owners.set(owner, own);
    for (const shown of [...specialsOf(fault, tick), ...troublesOf(fault, tick)]) {
      own.add(findingKey(shown));
      if (shown.severity !== undefined) severities.set(findingKey(shown), shown.severity);
      if (holds && shown.maybe !== true && at - fault.from >= (shown.settles ?? SETTLED)) holding.add(findingKey(shown));
      const seen = stretchSeen(shown, fault, tick);
      if (shown.maybe !== true && seen.certain) must.add(findingKey(shown));
      else if (holds || at < seen.until + endingOf(shown, tick)) may.add(findingKey(shown));
    }
    if (!holds && at - fault.until < DAY + ENDING) {
      for (const shown of fault.effects.lingers ?? []) may.add(findingKey(shown));
      // A node that lost its power tells nobody why it boots.
      for (const [name, { ends }] of fault.effects.nodes ?? [])
        if (ends === 'reset') may.add(findingKey({ kind: 'unexpected_reboot', subject: { type: 'node', id: name } }));
    }
    // Whatever else is said of a thing that a fault without kinds was laid on.
    if (holds || at - fault.until < DAY + ENDING)
      for (const shown of fault.effects.shows ?? []) if (shown.kind === undefined) may.add(findingKey(shown));
    for (const [source, how] of holds ? (fault.effects.sources ?? []) : []) {
      sources.add(source);
      if (isNoticed(source, how, at - fault.from)) must.add(`source ${source}`);
    }
  }
  return { must, may, sources, holds: holding, severities, owners };
}

/** What is late is noticed when it is older than its source may be: an inventory for a day, a log for ever. */
function isNoticed(source: string, how: string, elapsed: number): boolean {
  if (how !== 'late') return true;
  return source !== 'console_logs' && !/inventory/.test(source) && elapsed >= SETTLED;
}

/** How long after its end a finding may be open: some kinds are over only when they were not seen a few times in a row. */
function endingOf({ kind = ANY }: Shown, { plan }: Tick): number {
  return ENDING + BOOT_TAKES + ((kinds.get(kind)?.resolveAfter ?? 1) - 1) * plan.spec.tick;
}

/** Whether the sources of a finding have settled on it, and when they can have seen its end at the earliest. */
function stretchSeen({ kind, settles = SETTLED }: Shown, fault: LaidFault, { plan, at }: Tick): { certain: boolean; until: number } {
  const names = new Set(collectors.filter((c) => c.kinds.some((k) => k.kind === kind)).map((c) => c.source));
  const blind = plan.faults
    .filter((f) => [...(f.effects.sources?.keys() ?? [])].some((source) => names.has(source)))
    .sort((a, b) => a.from - b.from);
  let { from, until } = fault;
  for (const { from: firstMissed, until: end } of blind) {
    // The last good look may be a whole tick before the first that is missed.
    const begin = firstMissed - plan.spec.tick;
    if (begin <= from && from < end) from = end;
    if (begin <= until && until < end) until = end;
  }
  const isBlind = blind.some((f) => f.from <= at && at < f.until);
  return { certain: !isBlind && at - from >= settles && at < fault.until, until };
}

/** What only this fault makes. Where another one stops the same node, or boots it, nobody may see it any more. */
function specialsOf(fault: LaidFault, { plan, at }: Tick): Shown[] {
  return (fault.effects.shows ?? []).map((shown) =>
    shown.subject.type === 'node' && isHidden(plan, shown.subject.id, fault, at) ? { ...shown, maybe: true } : shown,
  );
}

/** What follows from the trouble of its nodes. */
function troublesOf(fault: LaidFault, tick: Tick): Shown[] {
  const { effects } = fault;
  const { start } = tick.plan.spec;
  const shows: Shown[] = [];
  for (const name of effects.nodes?.keys() ?? []) {
    const node = tick.plan.topology.byName.get(name);
    if (node === undefined) continue;
    // Of a node that somebody has taken out of service the scheduler's word covers most of what happens to it.
    const isDrained = drainOf(node, tick.at, start) !== null || drainOf(node, tick.at - LOOKED_BEFORE.pbs, start) !== null;
    shows.push(...lossShows(fault, node, tick).map((s) => (isDrained ? { ...s, maybe: true } : s)));
  }
  return shows;
}

/** What every source shows of a node's loss. */
function lossShows({ effects }: LaidFault, node: Node, tick: Tick): Shown[] {
  const subject = { type: 'node', id: node.name };
  const { loss, momDown, begins, ends, jobStuck } = effects.nodes?.get(node.name) ?? {};
  const shows: Shown[] = [];
  const job = jobOn(tick, node);
  if (loss !== undefined || momDown === true) {
    shows.push({ kind: job === null ? 'node_down' : 'node_down_with_jobs', subject });
    // A job that never leaves says so of itself, wherever it hangs.
    if (job !== null) shows.push(brokenJob(job.name, job.isLeaving));
  }
  if (jobStuck === true) {
    // The scheduler's times carry no zone: how long it has been leaving is known when it is seen a second time.
    if (job !== null) shows.push({ subject: { type: 'job', id: job.name }, settles: SETTLED + tick.plan.spec.tick });
  }
  // While it boots it is down, and so may be the job that it takes along.
  if (begins !== undefined || ends !== undefined || loss !== undefined) {
    for (const kind of ['node_down', 'node_down_with_jobs']) shows.push({ kind, subject, maybe: true });
    if (job !== null) shows.push(brokenJob(job.name, true));
  }
  if (loss === 'off') {
    shows.push({ kind: 'node_off', subject });
    if (isManaged(node)) shows.push({ kind: 'server_off', subject }, { kind: 'console_disconnected', subject });
    for (const kind of ['telemetry_gap', 'power_contradiction']) shows.push({ kind, subject, maybe: true });
  }
  // Exporters run on the node itself.
  if (loss === 'dead' && node.cooling === 'air') shows.push({ kind: 'telemetry_gap', subject, maybe: true });
  return shows;
}

function brokenJob(id: string, maybe: boolean): Shown {
  return { kind: 'job_on_broken_node', subject: { type: 'job', id }, maybe };
}
