import type { ConditionDraft } from '../../model/condition.ts';
import type { Queue, Server } from './scheduler.ts';

function waiting(jobs: ReadonlyMap<string, number>): number {
  return Math.max(0, jobs.get('queued') ?? 0);
}

/** What is wrong with the server: scheduling switched off, counters below zero. */
export function serverConditions(servers: readonly Server[]): ConditionDraft[] {
  return servers.flatMap((server) => {
    const subject = { type: 'scheduler', id: server.name };
    const paused: ConditionDraft[] = [];
    if (server.scheduling === false) {
      const queued = waiting(server.jobs);
      const running = Math.max(0, server.jobs.get('running') ?? 0);
      paused.push({
        kind: 'scheduling_paused',
        subject,
        ...(queued === 0 && { severity: 'warning' as const }),
        message: `scheduling is off on ${server.name} (scheduling=False, server state ${server.state ?? 'unknown'}): no job is started; ${queued} jobs wait, ${running} run on`,
        values: { scheduling: false, state: server.state ?? null, queued, running },
      });
    }
    return [...paused, ...corrupt(subject, server.negative)];
  });
}

/**
 * What is wrong with queues. Those of reservations are stopped until their reservation begins, and one that is closed and
 * empty has been retired: both are left alone.
 */
export function queueConditions(queues: readonly Queue[]): ConditionDraft[] {
  return queues.flatMap((queue) => {
    const subject = { type: 'queue', id: queue.name };
    const stopped: ConditionDraft[] = [];
    const isRetired = queue.enabled === false && [...queue.jobs.values()].every((n) => n <= 0);
    if (queue.started === false && !queue.isOfReservation && !isRetired) {
      const queued = waiting(queue.jobs);
      stopped.push({
        kind: 'queue_stopped',
        subject,
        message: `queue ${queue.name} is stopped (started=False) and ${queue.enabled === false ? 'takes no new jobs' : 'still takes jobs'}; ${queued} jobs wait in it`,
        values: { started: false, enabled: queue.enabled ?? null, queued, running: Math.max(0, queue.jobs.get('running') ?? 0) },
      });
    }
    return [...stopped, ...corrupt(subject, queue.negative)];
  });
}

function corrupt(subject: { type: string; id: string }, negative: readonly [string, number][]): ConditionDraft[] {
  if (negative.length === 0) return [];
  const shown = negative.slice(0, 6);
  const more = negative.length > shown.length ? ` and ${negative.length - shown.length} more` : '';
  return [
    {
      kind: 'server_counters_corrupt',
      subject,
      message: `counters of ${subject.type} ${subject.id} are below zero: ${shown.map(([name, n]) => `${name} ${n}`).join(', ')}${more}`,
      values: { counters: negative.length, ...Object.fromEntries(shown.map(([name, n]) => [`counter ${name}`, n])) },
    },
  ];
}
