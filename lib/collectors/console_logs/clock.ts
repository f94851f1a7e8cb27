import type { LogState } from './state.ts';

/** A kernel clock that falls back by more than this belongs to another boot; printk itself is out of order by less. */
const FALL = 5;
/** A clock that fell back to more than this shows an old text rather than a boot. */
const EARLY = 60;

/** What a message's times say about the log's course. */
export type Course = 'same' | 'new boot' | 'elsewhere';

/** Sets the log's time to a wall clock reading; times that had no zero until now are moved to it. */
export function setWallTime(state: LogState, ms: number): void {
  if (!state.abs) {
    const shift = ms - state.t;
    for (const incident of state.open) moveTimes(incident, shift);
    for (const key of ['bt', 'out', 'dt', 'mk'] as const) {
      const value = state[key];
      if (value !== undefined) state[key] = value + shift;
    }
    if (state.ec) state.ec[0] += shift;
    if (state.br) state.br.t += shift;
    if (state.pp) state.pp.t += shift;
    if (state.om) state.om.t += shift;
    if (state.gn) state.gn.t += shift;
    for (const link of state.fl ?? []) link.r = link.r.map((t) => t + shift);
    for (const device of Object.keys(state.adm ?? {}))
      (state.adm as Record<string, number>)[device] = ((state.adm as Record<string, number>)[device] as number) + shift;
    state.abs = 1;
    // The kernel's clock now stands at most where the shift put it: the next reading anchors it anew.
    delete state.b;
  } else if (ms < state.t && state.b !== undefined) state.b -= state.t - ms;
  state.t = ms;
}

function moveTimes(incident: LogState['open'][number], shift: number): void {
  incident.f += shift;
  incident.l += shift;
  if (incident.lu !== undefined) incident.lu += shift;
  if (incident.rec !== undefined) incident.rec += shift;
  if (incident.w) incident.w[0] += shift;
}

/**
 * Takes a reading of the kernel's clock. Between two wall clock readings it tells how far the log has come: an event is
 * never earlier than the last mark, nor than the kernel's clock allows.
 */
export function readUptime(state: LogState, seconds: number, stamped: boolean): Course {
  const before = state.u;
  let course: Course = 'same';
  if (before !== undefined && seconds < before - FALL) {
    course = seconds < EARLY ? 'new boot' : 'elsewhere';
    delete state.b;
  }
  state.u = before !== undefined && course === 'same' ? Math.max(before, seconds) : seconds;
  const zero = state.t - Math.round(seconds * 1000);
  if (stamped || state.b === undefined || zero > state.b) state.b = zero;
  else state.t = state.b + Math.round(seconds * 1000);
  return course;
}
