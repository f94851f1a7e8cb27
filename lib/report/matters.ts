import type { Severity } from '../model/condition.ts';
import type { Finding, Group } from '../model/finding.ts';
import type { Report } from '../model/report.ts';
import { formatDuration } from '../model/time.ts';
import type { Notified } from './notified.ts';
import { line, messageOf, nameOf } from './words.ts';

/** Something that sinks may be told of: a finding of warning or above, or that the observer does not see. */
export interface Matter {
  /** The finding's id; `blind`, or `blind:SOURCE`. */
  id: string;
  episode: number;
  isOver: boolean;
  isBlindness: boolean;
  severity: Severity;
  kind: string;
  title: string;
  subject: string;
  message: string;
  hint: string;
  since: string;
  /** Why it is in this state. */
  reason: string;
  state: string;
  /** Somebody has taken it up: it is told when it is worse or over, and not again and again. */
  isAcknowledged: boolean;
  finding: Finding | null;
  group: Group | null;
}

/** What a receiver that sees the same text twice knows it by: the finding and its episode. */
export function dedupKey({ id, episode }: Pick<Matter, 'id' | 'episode'>): string {
  return `${id}#${episode}`;
}

/** Everything that a report holds for sinks, the worst first. What a sink was told before is among it however severe it is now. */
export function mattersOf(report: Report, log: Notified | null): Matter[] {
  const groups = new Map(report.groups.flatMap((g) => g.findings.map((id) => [id, g] as const)));
  const findings = report.findings
    .filter((f) => f.state !== 'candidate' && (f.severity !== 'info' || log?.told[f.id] !== undefined))
    .map((f) => matterOf(f, groups.get(f.id) ?? null));
  return [...blindness(report, log), ...findings];
}

function matterOf(f: Finding, group: Group | null): Matter {
  return {
    id: f.id,
    episode: f.episode,
    isOver: f.state === 'resolved',
    isBlindness: false,
    severity: f.severity,
    kind: f.kind,
    title: line(f.title, 120),
    subject: nameOf(f),
    message: messageOf(f),
    hint: line(f.hint),
    since: f.firstSeen,
    reason: line(f.reason, 300),
    state: f.state,
    isAcknowledged: f.acknowledged !== undefined,
    finding: f,
    group,
  };
}

/**
 * That nothing is seen at all; else each source whose data is too old. A single failed attempt is no matter yet: it
 * becomes one when what was seen before has passed its max_age.
 */
function blindness(report: Report, log: Notified | null): Matter[] {
  const isBlind = report.verdict === 'blind';
  const whole = {
    subject: line(report.cluster, 80),
    title: 'no source is seen',
    kind: 'observer_blind',
    severity: 'critical',
    hint: 'Nothing that happens to the cluster is noticed until a source is seen again. Look at the timers of hpc-observer and at what the report says of each source.',
  } as const;
  const matters: Matter[] = made('blind', whole, isBlind, line(report.because.join('; '), 300), report, log);
  for (const s of report.sources) {
    const id = `blind:${s.source}`;
    const about = {
      subject: line(s.source, 60),
      title: 'source is not seen',
      kind: 'source_blind',
      severity: 'warning',
      hint: line(s.problem?.advice ?? 'Look at its timer and at the last attempt to collect it.'),
    } as const;
    const isUnseen = s.status !== 'skipped' && !s.fresh;
    const message = `${s.age === null ? 'never seen' : `last seen ${formatDuration(s.age)} ago, limit ${formatDuration(s.maxAge)}`}${s.problem ? `: ${line(s.problem.detail, 200)}` : ''}`;
    // While nothing at all is seen, one message says it for every source; what was told is not over by that.
    if (isBlind && log?.told[id]?.ended !== false) continue;
    matters.push(...made(id, about, isUnseen, isUnseen ? message : 'seen again, and fresh', report, log));
  }
  return matters;
}

function made(
  id: string,
  about: Pick<Matter, 'subject' | 'title' | 'kind' | 'severity' | 'hint'>,
  isUnseen: boolean,
  message: string,
  report: Report,
  log: Notified | null,
): Matter[] {
  const told = log?.told[id];
  if (!isUnseen && (told === undefined || told.ended)) return [];
  const isContinued = told !== undefined && !told.ended;
  const text = isUnseen ? message : 'seen again';
  return [
    {
      ...about,
      id,
      episode: isContinued ? told.episode : (told?.episode ?? 0) + 1,
      isOver: !isUnseen,
      isBlindness: true,
      message: text,
      since: isContinued ? told.since : report.generatedAt,
      reason: text,
      state: isUnseen ? 'ongoing' : 'resolved',
      isAcknowledged: false,
      finding: null,
      group: null,
    },
  ];
}
