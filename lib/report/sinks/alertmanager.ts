import { parseDuration, toIso } from '../../model/time.ts';
import type { Report } from '../../model/report.ts';
import { dedupKey, type Matter, mattersOf } from '../matters.ts';
import type { Notified, Told } from '../notified.ts';
import { apart } from './apart.ts';

/** An alert as `POST /api/v2/alerts` takes it (https://prometheus.io/docs/alerting/latest/alerts_api/). */
export interface Alert {
  labels: Record<string, string>;
  annotations: Record<string, string>;
  startsAt: string;
  endsAt: string;
}

export interface AlertPlan {
  alerts: Alert[];
  /** What Alertmanager holds once they are sent. */
  log: Notified;
  cut: number;
}

/** An alert ends when its finding does, by being told so. That we fall silent ends nothing for a day; the heartbeat tells that. */
const STANDS = parseDuration('24h');
/** What is open is sent at every tick: at most so many, the worst first. */
const MAX_ALERTS = 2000;

export interface AlertOptions {
  /** ms since the epoch. */
  now: number;
  /** The site's own labels. */
  labels: Readonly<Record<string, string>>;
  /** How long the heartbeat stands, in ms. */
  heartbeat: number;
}

/**
 * What Alertmanager is to hold, given what it holds: everything open anew, an end for what is over, held back, or known
 * to it by other labels, and the heartbeat. Pure.
 */
export function planAlerts(report: Report, log: Notified | null, options: AlertOptions): AlertPlan {
  const { now } = options;
  const matters = mattersOf(report, log);
  const before = log?.told ?? {};
  const told: Record<string, Told> = {};
  const ends: Alert[] = [];
  const end = (id: string, held: Told, why: string): void => void ends.push(ending({ id, held, why, report, options }));
  const open = matters.filter((m) => !m.isOver);
  for (const matter of open.slice(0, MAX_ALERTS)) {
    const held = before[matter.id];
    const next = { ...toldOf(matter), at: report.generatedAt };
    if (held && !held.ended && !isAlike(held, next)) end(matter.id, held, `is ${matter.severity} now`);
    told[matter.id] = next;
  }
  for (const { id, reason, isOver } of matters) {
    const held = before[id];
    if (isOver && held && !held.ended) end(id, held, reason);
    if (held && told[id] === undefined) told[id] = isOver ? { ...held, ended: true } : held;
  }
  for (const [id, held] of Object.entries(before)) {
    if (told[id] !== undefined) continue;
    if (!held.ended) end(id, held, 'held back, or no longer followed: not known to be over');
    // An outage that is over keeps its number for the next one.
    if (id.startsWith('blind')) told[id] = { ...held, ended: true };
  }
  const firing = open.slice(0, MAX_ALERTS).map((matter) => alertOf(matter, report, options));
  return {
    alerts: [heartbeatOf(report, options), ...firing, ...ends.slice(0, MAX_ALERTS)].map((a) => ({
      ...a,
      startsAt: earlier(a.startsAt, toIso(now)),
    })),
    log: { schema: 'hpc-observer/notified/1', told },
    cut: Math.max(0, open.length - MAX_ALERTS) + Math.max(0, ends.length - MAX_ALERTS),
  };
}

function toldOf({ episode, severity, kind, subject, since }: Matter): Omit<Told, 'at'> {
  return { episode, severity, kind, subject, since, ended: false };
}

function isAlike(a: Told, b: Told): boolean {
  return a.severity === b.severity && a.kind === b.kind && a.subject === b.subject;
}

/** What an alert is known by: the same for all of an episode, but for its severity. */
function labelsOf(
  id: string,
  { kind, severity, subject }: Told | Matter,
  report: Report,
  site: Readonly<Record<string, string>>,
): Alert['labels'] {
  return { ...site, alertname: kind, severity, cluster: report.cluster, subject: apart(subject, 600), finding: id };
}

function alertOf(matter: Matter, report: Report, { now, labels }: AlertOptions): Alert {
  const { finding, group } = matter;
  const evidence = finding?.evidence[0]?.ref;
  return {
    labels: labelsOf(matter.id, matter, report, labels),
    annotations: {
      summary: apart(`${matter.title}: ${matter.subject}`),
      description: apart(matter.message),
      hint: apart(matter.hint),
      state: `${matter.state}: ${apart(matter.reason)}`,
      key: dedupKey(matter),
      // The site's own word, which may be followed.
      ...(finding?.runbook !== undefined && { runbook_url: finding.runbook }),
      ...(group && { group: apart(group.message) }),
      ...(evidence !== undefined && { evidence: apart(evidence) }),
      ...(finding?.acknowledged && { acknowledged: apart(`${finding.acknowledged.by}: ${finding.acknowledged.reason}`) }),
    },
    startsAt: matter.since,
    endsAt: toIso(now + STANDS),
  };
}

function ending(of: { id: string; held: Told; why: string; report: Report; options: AlertOptions }): Alert {
  const { id, held, why, report, options } = of;
  return {
    labels: labelsOf(id, held, report, options.labels),
    annotations: { summary: apart(`${held.kind}: ${held.subject}`), state: apart(why), key: dedupKey({ id, episode: held.episode }) },
    startsAt: held.since,
    endsAt: toIso(options.now),
  };
}

/** Always firing: when it lapses, the observer is dead. */
function heartbeatOf(report: Report, { now, labels, heartbeat }: AlertOptions): Alert {
  return {
    labels: { ...labels, alertname: 'observer_heartbeat', severity: 'none', cluster: report.cluster },
    annotations: {
      summary: 'hpc-observer works: this alert always fires; when it lapses, no tick has ended for too long',
      tick: report.tick,
    },
    startsAt: report.generatedAt,
    endsAt: toIso(now + heartbeat),
  };
}

function earlier(a: string, b: string): string {
  return a < b ? a : b;
}
