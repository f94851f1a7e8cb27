import { compareSeverity, type Severity } from '../model/condition.ts';
import type { JsonObject } from '../model/json.ts';
import { Duration, formatDuration, parseDuration, toIso } from '../model/time.ts';
import { type Fleet, roleSizes } from './fleet.ts';
import { isOpen, type Tracked } from './tracked.ts';

/** The site's own rules, by kind: `escalate: false`, or `escalate_after: 24h` with `escalate_to: critical`. */
export type Rules = Readonly<Record<string, JsonObject>>;

interface Persistence {
  after: number;
  /** What is less severe than this to begin with is no worse for lasting; absent: anything. */
  from?: Severity;
  to: Severity;
}

/** What gets worse by lasting, where the site says nothing else. */
const PERSISTENCE: ReadonlyMap<string, Persistence> = new Map([
  // A rebuild takes hours; what is not protected again after a day is waiting for somebody.
  ['storage_degraded', { after: parseDuration('24h'), to: 'critical' }],
  // A link that comes back within minutes was a glitch; a node without its link runs no job. What an operator took down stays info.
  ['hsn_link_down', { after: parseDuration('5m'), from: 'warning', to: 'critical' }],
  ['known_down_but_up', { after: parseDuration('3d'), to: 'warning' }],
]);

/** Kinds that say that a node is lost to its users. */
const LOST: ReadonlySet<string> = new Set([
  'node_missing',
  'node_off',
  'server_off',
  'node_down',
  'node_down_with_jobs',
  'kernel_panic',
  'boot_failed',
  'emergency_shell',
]);

/** Kinds that say that running jobs are hit. */
const JOBS_HIT: ReadonlySet<string> = new Set(['job_on_broken_node', 'node_down_with_jobs']);

/** A role that has lost this share of its nodes, and at least so many, or half of them however few, is a critical loss. */
const LOST_SHARE = 0.1;
const LOST_NODES = 3;
const LOST_HALF = 0.5;
/** So many running jobs at once are no single accident. */
const JOBS = 5;

export function severityOf(t: Pick<Tracked, 'condition' | 'raised'>): Severity {
  return t.raised && compareSeverity(t.raised.to, t.condition.severity) < 0 ? t.raised.to : t.condition.severity;
}

export type Raised = NonNullable<Tracked['raised']>;

/** What its own history makes of a finding's severity: its source says worse of it than before, or it lasts too long. */
export function raisedByHistory(t: Tracked, rules: Rules, now: number): Raised | undefined {
  const { severity } = t.condition;
  if (t.peak !== undefined && compareSeverity(severity, t.peak) < 0) {
    return { from: t.peak, to: severity, by: 'source', at: toIso(now), reason: `${t.source} calls it ${severity} now` };
  }
  if (t.raised?.by === 'source' && t.raised.to === severity) return t.raised;
  const persistence = persistenceOf(t.condition.kind, rules);
  if (persistence === null || compareSeverity(persistence.to, severity) >= 0) return undefined;
  if (persistence.from !== undefined && compareSeverity(severity, persistence.from) > 0) return undefined;
  if (now - Date.parse(t.firstSeen) < persistence.after) return undefined;
  return again(
    t,
    { from: severity, to: persistence.to, by: 'persistence', reason: `it has lasted for over ${formatDuration(persistence.after)}` },
    now,
  );
}

function persistenceOf(kind: string, rules: Rules): Persistence | null {
  const rule = Object.hasOwn(rules, kind) ? rules[kind] : undefined;
  if (rule === undefined) return PERSISTENCE.get(kind) ?? null;
  if (rule['escalate'] === false) return null;
  const after = Duration.safeParse(rule['escalate_after']);
  const to = rule['escalate_to'];
  if (after.success) return { after: after.data, to: to === 'warning' ? 'warning' : 'critical' };
  // A severity that the site set is its own mind: ours does not change it.
  return rule['severity'] === undefined ? (PERSISTENCE.get(kind) ?? null) : null;
}

/** The same rise as before keeps its time. */
function again(t: Tracked, { from, to, by, reason }: Omit<Raised, 'at'>, now: number): Raised {
  const isSame = t.raised?.by === by && t.raised.to === to;
  return { from, to, by, at: isSame ? (t.raised?.at ?? toIso(now)) : toIso(now), reason };
}

export interface ImpactInput {
  /** The open findings that are not held back, as severe as their history makes them. */
  open: readonly Tracked[];
  /** What impact made of them in the tick before. */
  before: ReadonlyMap<string, Raised>;
  fleet: Fleet;
  /** The node's name as the fleet has it. */
  memberName: (name: string) => string;
  rules: Rules;
  now: number;
}

/** What is critical by how much it hits: a share of a role lost, or many running jobs. By finding's id. */
export function raisedByImpact({ open, before, fleet, memberName, rules, now }: ImpactInput): ReadonlyMap<string, Raised> {
  const counted = open.filter((t) => (LOST.has(t.condition.kind) || JOBS_HIT.has(t.condition.kind)) && severityOf(t) !== 'info');
  const sizes = roleSizes(fleet);
  const lost = new Map<string, Set<string>>();
  const roleOf = (t: Tracked): string | undefined => fleet.get(memberName(t.condition.subject.id))?.role;
  for (const t of counted) {
    const role = LOST.has(t.condition.kind) ? roleOf(t) : undefined;
    if (role !== undefined) lost.set(role, (lost.get(role) ?? new Set()).add(memberName(t.condition.subject.id)));
  }
  const jobs = jobsHit(counted);
  const raised = new Map<string, Raised>();
  for (const t of counted) {
    const { id, kind, severity } = t.condition;
    if (compareSeverity(severityOf(t), 'critical') <= 0 || isFixed(kind, rules)) continue;
    const was = before.get(id);
    const held = was ? 0.5 : 1;
    const raise = (reason: string): void =>
      void raised.set(id, { from: severity, to: 'critical', by: 'impact', at: was?.at ?? toIso(now), reason });
    const role = LOST.has(kind) ? roleOf(t) : undefined;
    const [gone, all] = role === undefined ? [0, 0] : [lost.get(role)?.size ?? 0, sizes.get(role) ?? 0];
    if (isCriticalLoss(gone, all, held)) raise(`${gone} of ${all} ${role} nodes are lost (${percent(gone / all)})`);
    else if (JOBS_HIT.has(kind) && jobs >= JOBS * held) raise(`${jobs} running jobs are hit`);
  }
  return raised;
}

/** What is raised stays so until the loss is half of what raised it, so that one node more or less is not told each time. */
function isCriticalLoss(gone: number, all: number, held: number): boolean {
  if (all === 0 || gone === 0) return false;
  const share = gone / all;
  return (share >= LOST_SHARE * held && gone >= LOST_NODES * held) || share >= LOST_HALF * held;
}

function isFixed(kind: string, rules: Rules): boolean {
  const rule = Object.hasOwn(rules, kind) ? rules[kind] : undefined;
  return rule?.['escalate'] === false || rule?.['severity'] !== undefined;
}

function jobsHit(open: readonly Tracked[]): number {
  const named = open.filter((t) => t.condition.kind === 'job_on_broken_node').length;
  const counted = open
    .filter((t) => t.condition.kind === 'node_down_with_jobs')
    .reduce((sum, t) => sum + (typeof t.condition.values['jobs'] === 'number' ? t.condition.values['jobs'] : 0), 0);
  // A job on four nodes is counted four times where only nodes are known.
  return named > 0 ? named : counted;
}

function percent(share: number): string {
  return `${Math.round(share * 1000) / 10} %`;
}

export function openAndShown(tracked: Iterable<Tracked>, hidden: { has(id: string): boolean }): Tracked[] {
  return [...tracked].filter((t) => isOpen(t) && !hidden.has(t.condition.id));
}
