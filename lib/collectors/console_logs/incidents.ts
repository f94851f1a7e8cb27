import { type ClearedBy, type Severity, worse } from '../../model/condition.ts';
import { parseDuration } from '../../model/time.ts';
import { consoleKind, consoleKinds } from './kinds.ts';
import { redact } from './redact.ts';
import { type Incident, type LogState, MAX_ITEMS } from './state.ts';

/** One log holds at most so many open incidents, and of one kind at most so many parts: what passes that is counted. */
const MAX_OPEN = 96;
const MAX_PARTS = 24;

/** The part that stands for all that found no room. */
export const OTHER_PARTS = 'others';

export interface Event {
  kind: string;
  part?: string | undefined;
  at: number;
  severity?: Severity | undefined;
  item?: string | undefined;
  max?: number | undefined;
  text?: string | undefined;
  /** How many events the line stands for. */
  n?: number;
  /** Lines of one block count once: a line at most this many ms after the last of the block adds none. */
  block?: number | undefined;
  /** The console line. */
  line: string;
}

/**
 * The last line of each incident of which more than one was seen: in a flood of events only what stands last in the end
 * is worth making a quote of.
 */
export type LastLines = Map<Incident, string>;

/** Makes quotes of the last lines. */
export function quoteLastLines(lastLines: LastLines): void {
  for (const [incident, line] of lastLines) {
    const quote = redact(line);
    incident.q = quote === incident.q[0] ? [quote] : [incident.q[0] as string, quote];
  }
  lastLines.clear();
}

/** What ended between two runs: the last word on each kind and part. */
export type Cleared = Map<string, { kind: string; part?: string | undefined; by: ClearedBy; at: number }>;

/** How long after its last event a kind is over by itself, by log time. */
const lifetimes = new Map(
  consoleKinds.flatMap(({ kind, clears }) =>
    'after' in clears ? [[kind, { by: clears.by as ClearedBy, ms: parseDuration(clears.after) }] as const] : [],
  ),
);

export function lifetimeOf(kind: string): { by: ClearedBy; ms: number } | undefined {
  return lifetimes.get(kind);
}

export function incidentKey(kind: string, part: string | undefined): string {
  return part === undefined ? kind : `${kind} ${part}`;
}

export function findIncident(state: LogState, kind: string, part?: string): Incident | undefined {
  return state.open.find((i) => i.k === kind && i.p === part);
}

/** Adds an event to its incident, opening one where none is open. */
export function addEvent(state: LogState, event: Event, cleared: Cleared, lastLines: LastLines): Incident {
  let { part, block } = event;
  let incident = findIncident(state, event.kind, part);
  const lifetime = lifetimes.get(event.kind);
  if (incident && lifetime && event.at > (incident.lu ?? incident.l) + lifetime.ms) {
    end(state, incident, lifetime.by, (incident.lu ?? incident.l) + lifetime.ms, cleared);
    incident = undefined;
  }
  if (!incident && part !== undefined && state.open.filter((i) => i.k === event.kind).length >= MAX_PARTS) {
    part = OTHER_PARTS;
    // What shares this part is no block.
    block = undefined;
    incident = findIncident(state, event.kind, part);
  }
  if (!incident) {
    incident = { k: event.kind, ...(part !== undefined && { p: part }), n: 0, f: event.at, l: event.at, s: 'info', q: [] };
    if (state.open.length >= MAX_OPEN) dropOldest(state);
    state.open.push(incident);
  }
  const sameBlock = block !== undefined && incident.n > 0 && event.at - incident.l <= block && incident.rec === undefined;
  if (!sameBlock) incident.n += event.n ?? 1;
  incident.l = Math.max(incident.l, event.at);
  // What comes after a reboot has its own reason and its own end.
  if (incident.rec !== undefined) for (const key of ['t', 'fn', 'ch', 'led'] as const) delete incident[key];
  delete incident.rec;
  delete incident.e;
  delete incident.lu;
  const severity: Severity = event.severity ?? consoleKind(event.kind)?.severity ?? 'warning';
  incident.s = worse(incident.s, severity);
  if (event.max !== undefined && Number.isFinite(event.max)) incident.m = Math.max(incident.m ?? 0, event.max);
  if (event.item !== undefined) addItem(incident, event.item);
  if (event.text !== undefined && incident.t === undefined && event.text.trim() !== '')
    incident.t = redact(event.text.trim()).slice(0, 200);
  if (incident.q.length === 0) incident.q.push(redact(event.line));
  else if (!sameBlock) lastLines.set(incident, event.line);
  return incident;
}

function addItem(incident: Incident, raw: string): void {
  const items = (incident.x ??= []);
  if (items.includes(raw)) return;
  const item = redact(raw).slice(0, 64);
  if (items.includes(item)) return;
  if (items.length < MAX_ITEMS) items.push(item);
  else incident.xm = (incident.xm ?? 0) + 1;
}

/** Room for a new incident costs the least important one: the oldest of those that would end by themselves. */
function dropOldest(state: LogState): void {
  let victim = 0;
  for (const [i, incident] of state.open.entries()) {
    const held = state.open[victim] as Incident;
    const ephemeral = lifetimes.has(incident.k) ? 1 : 0;
    const heldEphemeral = lifetimes.has(held.k) ? 1 : 0;
    if (ephemeral > heldEphemeral || (ephemeral === heldEphemeral && incident.l < held.l)) victim = i;
  }
  state.open.splice(victim, 1);
}

/** Ends an incident. */
export function end(state: LogState, incident: Incident, by: ClearedBy, at: number, cleared: Cleared): void {
  state.open.splice(state.open.indexOf(incident), 1);
  cleared.set(incidentKey(incident.k, incident.p), { kind: incident.k, part: incident.p, by, at });
}

/** A line ended the incidents of some kinds: those of its part where it names one, else all of them. */
export function endByLine(state: LogState, kinds: readonly string[], part: string | undefined, at: number, cleared: Cleared): void {
  for (const incident of state.open.filter((i) => kinds.includes(i.k) && (part === undefined || i.p === undefined || i.p === part))) {
    end(state, incident, 'line', at, cleared);
  }
}

/** A boot began: what the old kernel suffered is over, what kept the node from running waits for the boot to complete. */
export function beginBoot(state: LogState, at: number, cleared: Cleared): void {
  for (const incident of state.open.filter((i) => i.f < at)) {
    const effect = consoleKind(incident.k)?.atBoot ?? 'stays';
    if (effect === 'ends') end(state, incident, 'boot', at, cleared);
    else if (effect === 'recovers') incident.rec ??= at;
  }
}

const ENDED_BY_COMPLETION = new Set(['emergency_shell', 'boot_failed', 'boot_stalled', 'pxe_failed', 'kernel_panic']);

/** A boot completed. */
export function completeBoot(state: LogState, at: number, cleared: Cleared): void {
  for (const incident of state.open.filter((i) => i.rec !== undefined || ENDED_BY_COMPLETION.has(i.k))) {
    end(state, incident, 'boot', at, cleared);
  }
}

/** An ended incident is kept for so long, in case the log still tells of it. */
const KEEP_ENDED = 86_400_000;

/**
 * Ends what has been quiet long enough by `now`, or is an event long past. Such an incident stays in the state for a
 * day: whether it goes on is decided by the log's own times, not by when it was read.
 */
export function endByTime(state: LogState, now: number, observedUntil: number, cleared: Cleared): void {
  for (const incident of state.open.slice()) {
    const lifetime = lifetimes.get(incident.k);
    if (!lifetime) continue;
    const until = (incident.lu ?? incident.l) + lifetime.ms;
    // Quiet counts only as far as the log was written: a dead console server proves nothing.
    if ((lifetime.by === 'quiet' ? Math.min(now, observedUntil) : now) <= until) {
      // That may turn out to be less far than was thought: marks tell their interval late.
      delete incident.e;
      continue;
    }
    if (now > until + KEEP_ENDED) state.open.splice(state.open.indexOf(incident), 1);
    if (incident.e) continue;
    incident.e = 1;
    cleared.set(incidentKey(incident.k, incident.p), { kind: incident.k, part: incident.p, by: lifetime.by, at: until });
  }
}
