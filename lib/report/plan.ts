import { compareSeverity, type Severity, worse } from '../model/condition.ts';
import type { Group } from '../model/finding.ts';
import type { Report } from '../model/report.ts';
import { type Matter, mattersOf } from './matters.ts';
import type { Notified, Told } from './notified.ts';

/** Why a sink is told: the only reasons there are. `digest`: everything that is open, when a sink is told for the first time. */
export const REASONS = ['digest', 'blind', 'first', 'escalated', 'repeat', 'resolved'] as const;
export type Reason = (typeof REASONS)[number];

/** Matters that are told in one line, for one reason: of one kind and severity, and of one group where they are in one. */
export interface Notice {
  reason: Reason;
  severity: Severity;
  kind: string;
  title: string;
  group: Group | null;
  matters: Matter[];
}

export interface Plan {
  /** None: there is nothing to tell. What is open before what is over, the worst first. */
  notices: Notice[];
  /** What the sink was told once this is sent. */
  log: Notified;
}

/**
 * What a webhook is to be told, given what it was told. Pure: asked twice with the same log it says the same, so that
 * what a crash kept from being sent is sent by the next tick.
 * @param repeat milliseconds after which what is open is told again; what comes due within half of that goes along
 */
export function planNotices(report: Report, log: Notified | null, repeat: number): Plan {
  const at = report.generatedAt;
  const matters = mattersOf(report, log);
  const told = stillKnown(report, log, matters);
  const waited = (m: Matter): number => {
    const before = told[m.id];
    if (m.isOver || m.isAcknowledged || !before || before.episode !== m.episode) return 0;
    return Date.parse(at) - Date.parse(before.at);
  };
  const isDue = new Set(matters.some((m) => waited(m) >= repeat) ? matters.filter((m) => waited(m) >= repeat / 2) : []);
  const due: { matter: Matter; reason: Reason }[] = [];
  for (const matter of matters) {
    const before = told[matter.id];
    const reason = log === null ? firstReason(matter) : reasonOf(matter, before, isDue.has(matter));
    if (reason) due.push({ matter, reason });
    const next = after(matter, before, { at, isTold: reason !== null });
    if (next) told[matter.id] = next;
  }
  return { notices: bundled(due), log: { schema: 'hpc-observer/notified/1', told } };
}

function firstReason(matter: Matter): Reason | null {
  return matter.isOver || matter.isAcknowledged ? null : 'digest';
}

function reasonOf(matter: Matter, told: Told | undefined, isDue: boolean): Reason | null {
  const isKnown = told?.episode === matter.episode;
  if (matter.isOver) return isKnown && !told.ended ? 'resolved' : null;
  if (!isKnown) return matter.isAcknowledged ? null : matter.isBlindness ? 'blind' : 'first';
  if (compareSeverity(matter.severity, told.severity) < 0) return 'escalated';
  return isDue ? 'repeat' : null;
}

/** What the sink knows of a matter afterwards; undefined where it goes on knowing nothing. */
function after(matter: Matter, told: Told | undefined, now: { at: string; isTold: boolean }): Told | undefined {
  const { episode, severity, kind, subject, since, isOver } = matter;
  const known = told?.episode === episode ? told : null;
  if (isOver) return known ? { ...known, ended: true } : told;
  return {
    episode,
    // The worst that was told stays: what goes down and up again is no news.
    severity: known ? worse(known.severity, severity) : severity,
    kind,
    subject,
    since,
    at: known && !now.isTold ? known.at : now.at,
    ended: false,
  };
}

/** What the log holds of matters that the report still speaks of, openly or as held back. */
export function stillKnown(report: Report, log: Notified | null, matters: readonly Matter[]): Record<string, Told> {
  const spoken = new Set([...matters.map((m) => m.id), ...report.suppressed.flatMap((s) => s.findings.map((f) => f.id))]);
  // An outage that is over keeps its number for the next one.
  return Object.fromEntries(Object.entries(log?.told ?? {}).filter(([id]) => spoken.has(id) || id === 'blind' || id.startsWith('blind:')));
}

function bundled(due: readonly { matter: Matter; reason: Reason }[]): Notice[] {
  const notices = new Map<string, Notice>();
  for (const { matter, reason } of due) {
    const { severity, kind, title, group } = matter;
    const key = JSON.stringify([reason, severity, kind, group?.id ?? null]);
    const notice = notices.get(key);
    if (notice) notice.matters.push(matter);
    else notices.set(key, { reason, severity, kind, title, group, matters: [matter] });
  }
  return [...notices.values()].sort(
    (a, b) =>
      Number(a.reason === 'resolved') - Number(b.reason === 'resolved') ||
      compareSeverity(a.severity, b.severity) ||
      REASONS.indexOf(a.reason) - REASONS.indexOf(b.reason),
  );
}
