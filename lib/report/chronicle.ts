import * as z from 'zod';
import { compareSeverity, Severity, Subject } from '../model/condition.ts';
import { type Finding, FindingState, type Transition } from '../model/finding.ts';
import { occasionOf } from '../findings/occasion.ts';
import { type Report, Verdict } from '../model/report.ts';
import { fromTimeId, IsoTime, parseDuration, TimeId, toIso } from '../model/time.ts';
import { appendSeries, readAllSeries } from '../store/series.ts';
import { type Store, unlessDamaged } from '../store/store.ts';

/** Moves that are kept of one tick, the worst first; the rest is counted. */
const MAX_MOVES = 100;
export const MAX_TICKS = 500;
export const MAX_DAYS = 31;
/** Points of a trend: one for each stretch of its time. */
const POINTS = 48;
/** Numbers of one source that are shown where it is not asked for alone. */
const MAX_NAMES = 16;
/** The series that ticks write: how much was open, held back, seen. */
const OWN = 'observer';

const Move = z.object({
  finding: z.string(),
  kind: z.string(),
  title: z.string(),
  subject: Subject,
  severity: Severity,
  from: FindingState.nullable(),
  to: FindingState,
  episode: z.number().int(),
  reason: z.string(),
});

/** What is kept of a tick for people who look back: small, whatever the tick found. */
export const TickEntry = z.object({
  tick: TimeId,
  at: IsoTime,
  verdict: Verdict,
  counts: z.object({
    critical: z.number(),
    warning: z.number(),
    info: z.number(),
    new: z.number(),
    resolved: z.number(),
    stale: z.number(),
    flapping: z.number(),
    suppressed: z.number(),
    sources: z.number(),
    sources_fresh: z.number(),
  }),
  moves: z.array(Move),
  more: z.number().int().nonnegative(),
});
export type TickEntry = z.infer<typeof TickEntry>;

/** A number over time, one value for each of as many equal stretches; null where there was none. */
export const Trend = z.object({
  source: z.string(),
  name: z.string(),
  points: z.array(z.number().nullable()),
  first: z.number(),
  last: z.number(),
  min: z.number(),
  max: z.number(),
});
export type Trend = z.infer<typeof Trend>;

/** What `GET /history` answers. */
export const History = z.object({
  cluster: z.string(),
  at: IsoTime,
  /** Newest first. */
  ticks: z.array(TickEntry),
  /** Ticks that are stored, shown or not. */
  total: z.number().int(),
  /** When the trends begin: the days that were asked for, or as many as there are. */
  trendsFrom: IsoTime,
  trends: z.array(Trend),
  /** Numbers that are left out, by source. */
  left: z.record(z.string(), z.number()),
});
export type History = z.infer<typeof History>;

const OPEN: ReadonlySet<string> = new Set(['new', 'ongoing', 'stale']);

/** What is kept of a tick; what was held back has not moved for those who read. */
export function entryOf(report: Report, transitions: readonly (Transition & { findingId: string })[]): TickEntry {
  const { tick, generatedAt, verdict, findings, suppressed, sources } = report;
  const byId = new Map(findings.map((f) => [f.id, f]));
  const moves = transitions
    .flatMap((t) => {
      const f = byId.get(t.findingId);
      // What was new is ongoing from the next tick on: that is no move.
      if (!f || t.to === 'candidate' || (t.from === 'new' && t.to === 'ongoing')) return [];
      const { id, kind, title, subject, severity } = f;
      return [{ finding: id, kind, title, subject, severity, from: t.from, to: t.to, episode: t.episode, reason: t.reason }];
    })
    .sort((a, b) => compareSeverity(a.severity, b.severity));
  const number = (test: (f: Finding) => boolean): number => findings.filter(test).length;
  const configured = sources.filter((s) => s.status !== 'skipped');
  return {
    tick,
    at: generatedAt,
    verdict,
    counts: {
      critical: number((f) => OPEN.has(f.state) && f.severity === 'critical'),
      warning: number((f) => OPEN.has(f.state) && f.severity === 'warning'),
      info: number((f) => OPEN.has(f.state) && f.severity === 'info'),
      new: number((f) => f.state === 'new'),
      resolved: number((f) => occasionOf(f, generatedAt) === 'resolved'),
      stale: number((f) => f.state === 'stale'),
      flapping: number((f) => f.flapping !== undefined && OPEN.has(f.state)),
      suppressed: suppressed.reduce((n, s) => n + s.findings.length, 0),
      sources: configured.length,
      sources_fresh: configured.filter((s) => s.fresh && s.status !== 'failed').length,
    },
    moves: moves.slice(0, MAX_MOVES),
    more: Math.max(0, moves.length - MAX_MOVES),
  };
}

/** Keeps a tick for those who look back; the same tick again replaces what was there. */
export async function keepEntry(store: Store, entry: TickEntry): Promise<void> {
  await store.put(`ticks/${entry.tick}/entry`, entry);
  await appendSeries(store, OWN, { at: entry.at, values: entry.counts });
}

export interface HistoryQuery {
  now: number;
  cluster: string;
  /** How many ticks, at most {@link MAX_TICKS}. */
  ticks: number;
  /** How many days of trends, at most {@link MAX_DAYS}. */
  days: number;
  /** Sources in the order of the configuration. */
  sources: readonly string[];
  /** All numbers of this source, and of no other. */
  source?: string | undefined;
}

const ENTRY = /^ticks\/([^/]+)\/entry$/;

/** The last ticks and the trends of the last days, from the store. What is damaged is left out. */
export async function readHistory(store: Store, query: HistoryQuery): Promise<History> {
  const { now, cluster, ticks, days, source } = query;
  const known = (await store.list('ticks')).flatMap((key) => ENTRY.exec(key)?.[1] ?? []).filter((id) => !Number.isNaN(fromTimeId(id)));
  const entries: TickEntry[] = [];
  for (const id of known.toReversed().slice(0, Math.min(ticks, MAX_TICKS))) {
    const entry = await unlessDamaged(store.getShared(`ticks/${id}/entry`, TickEntry));
    if (entry) entries.push(entry);
  }
  const found: { source: string; name: string; points: { at: number; value: number }[] }[] = [];
  const left: Record<string, number> = {};
  const range = { from: now - Math.min(days, MAX_DAYS) * parseDuration('1d'), to: now };
  for (const name of source === undefined ? [OWN, ...query.sources] : [source]) {
    const all = await unlessDamaged(readAllSeries(store, name, range, () => true));
    const told = [...(all ?? [])].filter(([, points]) => source !== undefined || points.some((p) => p.value !== 0));
    const shown = source === undefined ? told.slice(0, MAX_NAMES) : told;
    found.push(...shown.map(([number, points]) => ({ source: name, name: number, points })));
    const more = (all?.size ?? 0) - shown.length;
    if (more > 0) left[name] = more;
  }
  // All begin where the first of them does, so that what stands above one another is of one time.
  const from = found.reduce((earliest, { points }) => Math.min(earliest, points[0]?.at ?? now), now);
  const trends = found.map(({ source: of, name, points }) => trendOf({ source: of, name }, points, { from, to: now }));
  return { cluster, at: toIso(now), trendsFrom: toIso(from), ticks: entries, total: known.length, trends, left };
}

type Points = readonly { at: number; value: number }[];

function trendOf(of: { source: string; name: string }, points: Points, { from, to }: { from: number; to: number }): Trend {
  const places: (number | null)[] = Array.from({ length: POINTS }, () => null);
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { at, value } of points) {
    places[to > from ? Math.min(POINTS - 1, Math.floor(((at - from) / (to - from)) * POINTS)) : POINTS - 1] = value;
    min = Math.min(min, value);
    max = Math.max(max, value);
  }
  return { ...of, points: places, first: points[0]?.value ?? 0, last: points.at(-1)?.value ?? 0, min, max };
}
