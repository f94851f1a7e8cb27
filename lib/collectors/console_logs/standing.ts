import type { ConditionDraft } from '../../model/condition.ts';
import { formatDuration, toIso } from '../../model/time.ts';
import type { LogState } from './state.ts';

/*
 * What no line says: a boot that goes nowhere, a console from which nothing comes. These follow from the state and the
 * clock, at every run anew.
 */

const DAY = 86_400_000;
/** Between the end of the server's last line and the beginning of the next stand line ends at most. */
const LINE_ENDS = 4;
/** A console server that misses so many marks does not write any more. */
const MISSED_MARKS = 3;
/** Where no marks show that a log is kept, a boot of which less was seen proves nothing, bytes. */
const SNIPPET = 4096;
/** What tells already why the boot does not go on. */
const TOLD = new Set(['emergency_shell', 'boot_failed', 'kernel_panic', 'pxe_failed']);

export interface Times {
  now: number;
  /** The log's last modification, ms. */
  mtime: number;
  bootStalledAfter: number;
  silentAfter: number;
}

/** By when at the latest the node last said something; undefined where only the server ever wrote. */
export function lastOutput(state: LogState, mtime: number): number | undefined {
  if (state.tag === undefined || state.pos - state.tag > LINE_ENDS || state.part !== undefined)
    return state.pos > 0 || state.part ? Math.max(mtime, state.abs ? state.t : 0) : undefined;
  return state.out;
}

/** The conditions that the state itself is. */
export function standingConditions(state: LogState, node: string, times: Times): ConditionDraft[] {
  const said = lastOutput(state, times.mtime);
  const subject = { type: 'node', id: node };
  const conditions: ConditionDraft[] = [];
  if (isBooting(state) && said !== undefined && times.now - said > times.bootStalledAfter && !state.open.some((i) => TOLD.has(i.k))) {
    const began = state.abs && state.bt !== undefined ? state.bt : said;
    conditions.push({
      kind: 'boot_stalled',
      subject,
      severity: 'warning',
      message: `${node}: its boot began and came neither to a prompt nor to a target; silent since ${toIso(said)}`,
      values: { kernel: state.kv ?? null },
      since: toIso(began),
      lastSeen: toIso(said),
    });
  }
  const unwritten = marksStopped(state, times);
  if (unwritten !== undefined) {
    conditions.push({
      kind: 'console_silent',
      subject,
      severity: 'warning',
      message: `${node}: its console log has not been written since ${toIso(unwritten)}, though the console server marks it every ${formatDuration(state.iv ?? 0)}`,
      values: { mark_every_s: Math.round((state.iv ?? 0) / 1000) },
      since: toIso(unwritten),
      lastSeen: toIso(unwritten),
    });
  } else if (
    state.tag !== undefined &&
    said !== undefined &&
    !state.open.some((i) => i.k === 'console_disconnected' || i.k === 'kernel_panic')
  ) {
    const off = state.ph === 'off';
    if (times.now - said > (off ? DAY : times.silentAfter)) {
      conditions.push({
        kind: 'console_silent',
        subject,
        severity: 'info',
        message: `${node}: nothing from its console since ${toIso(said)}${off ? '; its last words were a shutdown' : ''}`,
        values: { shut_down: off },
        since: toIso(said),
        lastSeen: toIso(said),
      });
    }
  }
  return conditions;
}

/** A boot begins, and what there is of it is no mere snippet. */
function isBooting(state: LogState): boolean {
  return state.ph === 'boot' && !state.nc && (state.mk !== undefined || state.pos - (state.bp ?? 0) > SNIPPET);
}

/** Since when the server's marks are missing; undefined where they come, or where none are expected. */
function marksStopped(state: LogState, times: Times): number | undefined {
  if (state.mk === undefined || state.iv === undefined || state.open.some((i) => i.k === 'console_disconnected')) return undefined;
  const written = Math.max(state.mk, Math.min(times.mtime, times.now));
  return times.now - written > Math.max(MISSED_MARKS * state.iv, 3_600_000) ? written : undefined;
}
