import type { Report, Verdict } from '../../model/report.ts';
import { setText } from '../../findings/set-text.ts';
import { dedupKey, type Matter } from '../matters.ts';
import { headlineOf } from '../outline.ts';
import type { Notice, Reason } from '../plan.ts';
import { line } from '../words.ts';

/** Findings that one message spells out: well below what receivers take. The worst stand first; the rest is counted. */
const MAX_SPELLED = 500;

/** The body of a webhook in our own format. */
export interface Notification {
  schema: 'hpc-observer/notification/1';
  cluster: string;
  tick: string;
  generatedAt: string;
  verdict: Verdict;
  headline: string;
  because: string[];
  notices: {
    reason: Reason;
    severity: string;
    kind: string;
    title: string;
    subjects: string;
    /** Findings that it speaks of, spelled out or not. */
    count: number;
    group?: { id: string; message: string };
    hint: string;
    /** The site's own page for the kind. */
    runbook?: string;
    findings: {
      key: string;
      id: string;
      episode: number;
      state: string;
      subject: string;
      message: string;
      since: string;
      reason: string;
    }[];
  }[];
  /** Findings that are counted and not spelled out. */
  cut: number;
}

/** Everything that is told in one tick, as one message. */
export function notification(report: Report, notices: readonly Notice[]): { body: Notification; sent: number; cut: number } {
  let left = MAX_SPELLED;
  const spelled = notices.map((notice) => {
    const some = notice.matters.slice(0, left);
    left -= some.length;
    const runbook = notice.matters[0]?.finding?.runbook;
    return {
      reason: notice.reason,
      severity: notice.severity,
      kind: notice.kind,
      title: notice.title,
      subjects: setText([...new Set(notice.matters.map((m) => m.subject))], 2000),
      count: notice.matters.length,
      ...(notice.group && { group: { id: notice.group.id, message: line(notice.group.message) } }),
      hint: notice.matters[0]?.hint ?? '',
      ...(runbook !== undefined && { runbook }),
      findings: some.map(spell),
    };
  });
  const total = notices.reduce((n, { matters }) => n + matters.length, 0);
  const sent = MAX_SPELLED - left;
  const body: Notification = {
    schema: 'hpc-observer/notification/1',
    cluster: report.cluster,
    tick: report.tick,
    generatedAt: report.generatedAt,
    verdict: report.verdict,
    headline: headlineOf(report),
    because: report.because.map((reason) => line(reason)),
    notices: spelled.filter((n) => n.findings.length > 0),
    cut: total - sent,
  };
  return { body, sent, cut: total - sent };
}

function spell(m: Matter): Notification['notices'][number]['findings'][number] {
  const { id, episode, state, subject, message, since, reason } = m;
  return { key: dedupKey(m), id, episode, state, subject, message, since, reason };
}
