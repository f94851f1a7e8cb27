import { type Input, ReadError } from '../../model/collector.ts';
import { Course } from './course.ts';
import { LineFeed } from './feed.ts';
import type { Cleared } from './incidents.ts';
import { cleanTexts } from './normalise.ts';
import { withoutSecrets } from './redact.ts';
import { fingerprint, isUnchanged, type Plan, planContinuation, planFirstSight } from './plan.ts';
import type { Log } from './names.ts';
import type { RuleBook } from './rulebook.ts';
import { CONTEXT, firstState, type LogState } from './state.ts';

export interface ReadOptions {
  book: RuleBook;
  timezone: string;
  /** Bytes to read at first sight; undefined = all. */
  tail: number | undefined;
  /** Memory through which all logs are read: what is thrown away by the piece is soon more than all the rest. */
  memory: Uint8Array;
}

/** What reading one log gave. */
export interface ReadLog {
  log: Log;
  state: LogState;
  cleared: Cleared;
  /** Bytes digested now. */
  bytes: number;
  skipped?: number;
  gap?: string;
  /** What could not be read; nothing of this log counts then. */
  error?: ReadError;
  /** The log's content is no text. */
  binary?: true;
}

/** Reads what a log has that was not read before, and brings its state up to it. */
export async function readLog(log: Log, before: LogState | undefined, options: ReadOptions): Promise<ReadLog> {
  const cleared: Cleared = new Map();
  const unchanged = before !== undefined && log.current !== undefined && isUnchanged(log.current, before);
  // Of an idle log without incidents nothing will change but what lies at the top.
  const state = before ? (unchanged && before.open.length === 0 ? { ...before } : structuredClone(before)) : firstState();
  const result: ReadLog = { log, state, cleared, bytes: 0 };
  delete state.gone;
  if (unchanged) return result;
  let plan: Plan;
  try {
    plan = before ? await planContinuation(log, state) : planFirstSight(log, options.tail);
  } catch (error) {
    if (!(error instanceof ReadError)) throw error;
    return { ...result, error };
  }
  if (plan.gap !== undefined) {
    state.gaps = (state.gaps ?? 0) + 1;
    delete state.br;
    delete state.u;
    delete state.b;
    for (const incident of state.open) incident.inc = 1;
  }
  const course = new Course(state, cleared, options.book, options.timezone);
  const feed = new LineFeed(course, options.book, plan.context);
  const error = await feedSegments(feed, plan, result, before === undefined ? 'first' : 'next', options.memory);
  if (result.binary) return result;
  course.finish(false);
  // What could not be read to its end is read again as a whole, so that nothing of it is told half.
  if (error) return { ...result, state: before ?? firstState(), cleared: new Map(), error };
  keepPlace(state, log, plan, feed);
  keepPartial(state, feed.rest, options.book);
  return {
    ...result,
    ...(plan.skipped !== undefined && { skipped: plan.skipped }),
    ...(plan.gap !== undefined && { gap: plan.gap }),
  };
}

async function feedSegments(
  feed: LineFeed,
  plan: Plan,
  result: ReadLog,
  sight: 'first' | 'next',
  memory: Uint8Array,
): Promise<ReadError | undefined> {
  // A tail begins in the middle of a line: that line is not read.
  let inLine = plan.skipped !== undefined && (plan.segments[0]?.from ?? 0) > 0;
  for (const segment of plan.segments) {
    segment.start = result.bytes;
    if (segment.input.size <= segment.from) continue;
    try {
      for await (const chunk of segment.input.bytes(segment.from, memory)) {
        if (sight === 'first' && result.bytes === 0 && looksBinary(chunk)) {
          result.binary = true;
          return undefined;
        }
        let part = chunk;
        if (inLine) {
          const lf = chunk.indexOf(10);
          if (lf < 0) {
            segment.from += chunk.length;
            continue;
          }
          inLine = false;
          segment.from += lf + 1;
          part = chunk.subarray(lf + 1);
        }
        feed.push(part);
        result.bytes += part.length;
      }
    } catch (error) {
      if (error instanceof ReadError) return error;
      throw error;
    }
  }
  return undefined;
}

/** Remembers where the finished lines end: in which file, at which offset, and what stands before. */
function keepPlace(state: LogState, log: Log, plan: Plan, feed: LineFeed): void {
  const { current } = log;
  let place = plan.segments.findLast((s) => (s.start ?? Number.POSITIVE_INFINITY) <= feed.committed);
  // A new file that is still empty: who writes may yet write to the old one.
  if (place && place.input === current && current.size === 0 && plan.segments.length > 1) place = plan.segments.at(-2);
  if (!place) return;
  const next = plan.segments[plan.segments.indexOf(place) + 1];
  const unfinished = feed.rest.subarray(0, next?.start === undefined ? feed.rest.length : Math.max(0, next.start - feed.committed));
  state.o = place.from + feed.committed - (place.start as number);
  for (const key of ['ol', 'hl', 'hs'] as const) delete state[key];
  if (unfinished.length > 0) state.ol = unfinished.length;
  const end = state.o + unfinished.length;
  const last = new Uint8Array(feed.context.length + unfinished.length);
  last.set(feed.context);
  last.set(unfinished, feed.context.length);
  Object.assign(state, fingerprint(last.subarray(Math.max(0, last.length - Math.min(CONTEXT, end))), end));
  if (place.input === current || place.input.file === undefined) delete state.in;
  else state.in = { d: place.input.file.device, i: place.input.file.inode, name: place.input.name };
  state.cur = { ...idOf(current), s: current?.size ?? -1, ...(current?.mtime !== undefined && { m: current.mtime }) };
}

function idOf(input: Input | undefined): { d?: string; i?: string } {
  return input?.file ? { d: input.file.device, i: input.file.inode } : {};
}

/** An unfinished last line counts for what it says so far, and is read again: only what rules may speak to is kept. */
function keepPartial(state: LogState, rest: Uint8Array, book: RuleBook): void {
  delete state.part;
  if (rest.length === 0) return;
  const texts = cleanTexts(rest, 0, rest.length)
    .slice(-4)
    .map((text) => text.slice(0, 1000));
  const matters =
    state.ec !== undefined || state.br !== undefined || texts.some((text) => book.candidatesIn(text).length > 0 || book.structural);
  if (matters && texts.length > 0) state.part = texts.map(withoutSecrets);
}

/** Whether a log that is seen for the first time holds something else: judged by its first bytes. */
function looksBinary(chunk: Uint8Array): boolean {
  const sample = chunk.subarray(0, 4096);
  if ((sample[0] === 0x1f && sample[1] === 0x8b) || (sample[0] === 0x7f && sample[1] === 0x45 && sample[2] === 0x4c)) return true;
  let odd = 0;
  let counted = 0;
  for (const c of sample) {
    // NULs are padding that real captures begin with.
    if (c === 0) continue;
    counted++;
    if (c < 8 || (c > 13 && c < 27) || (c > 27 && c < 32)) odd++;
  }
  return counted > 64 && odd * 20 > counted;
}

/** The state with what is unfinished at the log's end taken for what it says so far; the state itself stays as it is. */
export function settled(state: LogState, cleared: Cleared, options: Pick<ReadOptions, 'book' | 'timezone'>): LogState {
  if (state.part === undefined && state.om === undefined && state.pp === undefined && (state.br === undefined || state.br.done))
    return state;
  const copy = structuredClone(state);
  const course = new Course(copy, cleared, options.book, options.timezone);
  if (copy.part === undefined) course.unfinished('');
  for (const text of copy.part ?? []) course.unfinished(text);
  course.finish(true);
  return copy;
}
