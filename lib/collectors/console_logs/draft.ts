import type { ConditionDraft } from '../../model/condition.ts';
import { toIso } from '../../model/time.ts';
import { judge } from './judge.ts';
import { consoleKind } from './kinds.ts';
import type { Incident, LogState } from './state.ts';

/** A log time as wall time: without any wall clock in the log, its end was when its file was last written. */
export function wallTime(state: LogState, t: number, mtime: number): number {
  return state.abs ? t : mtime - (state.t - t);
}

/** What is said of an open incident. */
export function draftOf(incident: Incident, state: LogState, node: string, now: number, mtime: number): ConditionDraft {
  const { severity, message, values } = judge(incident, {
    now: state.abs ? now : state.t + Math.max(0, now - mtime),
    open: state.open,
    node,
  });
  const kind = consoleKind(incident.k);
  return {
    kind: incident.k,
    subject: { type: 'node', id: node },
    ...(kind?.part !== undefined && { part: incident.p ?? 'unnamed' }),
    severity: severity ?? incident.s,
    message,
    values: {
      count: incident.n,
      ...values,
      ...(incident.inc && { incomplete: true }),
      ...(incident.led !== undefined && { led_to: incident.led }),
      ...(incident.rec !== undefined && { rebooting: true }),
      time_from: state.st ? 'line' : state.abs ? 'mark' : 'file',
    },
    since: toIso(wallTime(state, incident.f, mtime)),
    lastSeen: toIso(wallTime(state, incident.l, mtime)),
    count: incident.n,
    evidence: incident.q.map((quote) => ({ quote })),
  };
}
