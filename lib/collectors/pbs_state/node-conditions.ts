import type { ConditionDraft, Values } from '../../model/condition.ts';
import { oneLine } from '../../model/text.ts';
import { formatDuration, toIso } from '../../model/time.ts';
import { placeOfXname } from '../../model/xname.ts';
import { type Host, maintenanceOf } from './hosts.ts';
import { unknownTokens } from './node-states.ts';
import { setText } from './sets.ts';

export interface NodeFrame {
  /** The time of the node list, ms. */
  time: number;
  /** Milliseconds after which the server takes the jobs from a node that is down. */
  requeueAfter: number;
  /** How long a node may be offline before that is worth more than a note, ms. */
  longOffline: number;
  /** How long a node may be offline without a reason, ms: comment and state are not set at once. */
  reasonWithin: number;
}

/** What is wrong with the nodes; at most one condition of each kind for a host, whatever its vnodes. */
export function nodeConditions(hosts: readonly Host[], frame: NodeFrame): ConditionDraft[] {
  return hosts.flatMap((host) => {
    if (host.bucket === 'down') return [down(host, frame)];
    if (host.bucket === 'down_offline') return host.jobs.length > 0 ? [offline(host, frame), down(host, frame)] : [offline(host, frame)];
    if (host.bucket === 'offline') return [offline(host, frame)];
    return host.bucket === 'unknown' ? [unknown(host, frame)] : [];
  });
}

/** How long the host has been in its state, where PBS tells; the last change of any of its states starts it anew. */
function ageOf(host: Host, frame: NodeFrame): number | undefined {
  return host.since === undefined ? undefined : Math.max(0, frame.time - host.since);
}

function draft(kind: string, host: Host, frame: NodeFrame, message: string, more: Values): ConditionDraft {
  const age = ageOf(host, frame);
  const place = placeOfXname(host.id);
  return {
    kind,
    subject: { type: 'node', id: host.id },
    message,
    values: {
      state: oneLine(host.states.join(','), 200),
      minutes: age === undefined ? null : Math.floor(age / 6e4),
      jobs: host.jobs.length,
      ...(host.affected && { vnodes: host.affected.length, vnodesOf: host.vnodes.length }),
      ...(host.reservations.length > 0 && { reservation: host.reservations.join(',') }),
      ...more,
    },
    since: host.since === undefined ? undefined : toIso(Math.min(host.since, frame.time)),
    ...(place && { place }),
  };
}

/** `state down,job-exclusive for 14m`, with the vnodes where not all are meant. */
function inState(host: Host, frame: NodeFrame): string {
  const age = ageOf(host, frame);
  const part = host.affected ? ` (${host.affected.length} of ${host.vnodes.length} vnodes: ${setText(host.affected, 60)})` : '';
  return `state ${oneLine(host.states.join(','), 120)}${part}${age === undefined ? '' : ` for ${formatDuration(age)}`}`;
}

/** Comments that the server writes itself when a node goes down; it leaves those of administrators and hooks alone. */
const OF_SERVER = /^node down: /;

function down(host: Host, frame: NodeFrame): ConditionDraft {
  const why = host.comment === undefined ? '' : `; comment: ${host.comment}`;
  const values = { comment: host.comment ?? null };
  if (host.jobs.length === 0) return draft('node_down', host, frame, `${host.id} is down in PBS, ${inState(host, frame)}${why}`, values);
  const age = ageOf(host, frame);
  const overdue = age !== undefined && age > 2 * frame.requeueAfter;
  const late = overdue ? `, though PBS should have taken them back after ${formatDuration(frame.requeueAfter)}` : '';
  const jobs = `${host.jobs.length === 1 ? 'job' : `${host.jobs.length} jobs`} ${setText(host.jobs, 80)}`;
  return {
    ...draft(
      'node_down_with_jobs',
      host,
      frame,
      `${host.id} is down in PBS with ${jobs} on it, ${inState(host, frame)}${late}${why}`,
      values,
    ),
    ...(overdue && { severity: 'critical' as const }),
  };
}

/**
 * Who took the node out, as far as the comment tells (PBS keeps no name), and whether that was a machine's judgement of its
 * health; null where nobody left a reason.
 */
export function offlinedBy(host: Host): { who: string | null; isFault: boolean } | null {
  const { comment } = host;
  if (comment === undefined || OF_SERVER.test(comment)) return null;
  const hook = /^offlined by hook '([\w.-]{1,64})'/i.exec(comment)?.[1];
  if (hook !== undefined) return { who: `hook ${hook}`, isFault: true };
  if (/^Vnode offlined since it failed provisioning/i.test(comment)) return { who: 'the server, after failed provisioning', isFault: true };
  return { who: null, isFault: false };
}

function offline(host: Host, frame: NodeFrame): ConditionDraft {
  const age = ageOf(host, frame);
  const by = offlinedBy(host);
  const isLong = age !== undefined && age > frame.longOffline;
  const isMaintained = host.states.includes('maintenance');
  // A reservation that a node lists may lie ahead: only while it runs does it put the node into that state.
  const maintenance = isMaintained ? maintenanceOf(host) : undefined;
  const isUnexplained = by === null && !isMaintained && (age === undefined || age > frame.reasonWithin);
  const reason =
    by !== null
      ? `: ${host.comment}${by.who === null ? '' : ` (by ${by.who})`}`
      : maintenance !== undefined
        ? `, for maintenance reservation ${maintenance}`
        : host.comment === undefined
          ? ', no reason given'
          : `, no reason given (the comment is the server's own: ${host.comment})`;
  const jobs = host.jobs.length > 0 ? `, ${host.jobs.length} jobs still on it` : '';
  return {
    ...draft('node_offline', host, frame, `${host.id} is out of service in PBS, ${inState(host, frame)}${reason}${jobs}`, {
      reason: by === null ? null : (host.comment ?? null),
      by: by?.who ?? null,
    }),
    ...((isLong || isUnexplained || by?.isFault === true) && { severity: 'warning' as const }),
  };
}

function unknown(host: Host, frame: NodeFrame): ConditionDraft {
  const words = unknownTokens(host.states);
  const what =
    words.length === 0
      ? 'the server has not heard of it'
      : `${words
          .slice(0, 3)
          .map((w) => `"${w}"`)
          .join(', ')} is no state known to this program`;
  return {
    ...draft('node_state_unknown', host, frame, `PBS does not know how ${host.id} is, ${inState(host, frame)}: ${what}`, {}),
    ...(words.length > 0 && { severity: 'info' as const }),
  };
}
