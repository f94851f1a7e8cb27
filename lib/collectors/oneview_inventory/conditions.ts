import type { ConditionDraft, Place, Severity } from '../../model/condition.ts';
import { formatDuration, toIso } from '../../model/time.ts';
import { isUnmanaged, type Server } from './server.ts';

export interface ServerLimits {
  /** The time from which ages are reckoned, ms since the epoch. */
  at: number;
  /** How long a refresh may take, in milliseconds. */
  refreshAfter: number;
}

/** What is wrong with one server, from its own record alone. */
export function serverConditions(server: Server, place: Place | undefined, limits: ServerLimits): ConditionDraft[] {
  const drafts = [statusOf(server), stateOf(server), powerOf(server), managementOf(server), refreshOf(server, limits)];
  return drafts.filter((draft) => draft !== null).map((draft) => ({ ...draft, subject: server.subject, ...(place && { place }) }));
}

type Draft = Omit<ConditionDraft, 'subject' | 'place'> | null;

const STATUS_SEVERITY: ReadonlyMap<string, Severity> = new Map([
  ['critical', 'critical'],
  ['warning', 'warning'],
  ['unknown', 'info'],
  ['disabled', 'info'],
]);

function statusOf({ subject, status, state, powerState }: Server): Draft {
  if (status === null || status.toLowerCase() === 'ok') return null;
  return {
    kind: 'server_status',
    // A word that OneView did not have so far is shown, not guessed at.
    severity: STATUS_SEVERITY.get(status.toLowerCase()) ?? 'warning',
    message: `${subject.id}: OneView reports ${status} (state ${state ?? 'not given'}, power ${powerState ?? 'not given'})`,
    values: { status, state, power: powerState },
  };
}

const ERROR_STATES = new Set(['profileerror', 'removefailed', 'unsupported']);

function stateOf({ subject, state, stateReason }: Server): Draft {
  if (state === null || !ERROR_STATES.has(state.toLowerCase())) return null;
  const reason = stateReason !== null && stateReason.toLowerCase() !== 'notapplicable' ? stateReason : null;
  return {
    kind: 'server_state',
    ...(state.toLowerCase() === 'unsupported' && { severity: 'info' as const }),
    message: `${subject.id}: in state ${state}${reason === null ? '' : ` (${reason})`}`,
    values: { state, reason },
  };
}

function powerOf({ subject, powerState, maintenance }: Server): Draft {
  if (powerState?.toLowerCase() !== 'off') return null;
  return {
    kind: 'server_off',
    ...(maintenance && { severity: 'info' as const }),
    message: `${subject.id}: powered off${maintenance ? ', in maintenance mode' : ''}`,
    values: { power: powerState, maintenance },
  };
}

/** `Reset` and `Resetting` pass by themselves; a processor without state or without any address does not answer. */
function managementOf(server: Server): Draft {
  const { subject, mp, refreshState } = server;
  const state = mp.state?.toLowerCase();
  const resetting = state === 'reset' || state === 'resetting';
  const lost = mp.state === null || (state !== undefined && state !== 'ok' && !resetting);
  const addressless = mp.addressed && mp.addresses.length === 0;
  if (!lost && !resetting && !addressless) return null;
  const says = lost || resetting ? `its state is ${mp.state ?? 'not known'}` : 'OneView knows no address of it';
  return {
    kind: 'management_unreachable',
    ...((resetting || isUnmanaged(server)) && { severity: 'info' as const }),
    message: `${subject.id}: management processor ${mp.model ?? ''} ${resetting ? 'is resetting' : 'cannot be reached'}: ${says}`.replace(
      '  ',
      ' ',
    ),
    values: { mp_state: mp.state ?? null, address: mp.addresses[0] ?? null, refresh: refreshState },
  };
}

function refreshOf({ subject, refreshState, modified }: Server, { at, refreshAfter }: ServerLimits): Draft {
  const state = refreshState?.toLowerCase() ?? 'notrefreshing';
  if (state === 'notrefreshing') return null;
  const failed = state.includes('fail');
  const age = modified === null ? null : Math.max(0, at - modified);
  if (!failed && (age === null || age <= refreshAfter)) return null;
  // The record changes when a refresh begins; after one that failed it may have changed for any other reason.
  const since = !failed && modified !== null ? toIso(modified) : undefined;
  return {
    kind: 'refresh_stale',
    message: failed
      ? `${subject.id}: OneView could not refresh its view of the server (${refreshState})`
      : `${subject.id}: the refresh has been under way (${refreshState}) for over ${formatDuration(refreshAfter)}`,
    values: { refresh: refreshState, limit_ms: refreshAfter },
    ...(since !== undefined && { since }),
  };
}
