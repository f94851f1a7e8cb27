import type { Input } from '../../model/collector.ts';
import { sha256Hex } from '../../model/identity.ts';
import type { Log } from './names.ts';
import { CONTEXT, type LogState, SUFFIX } from './state.ts';

/** conserver moves at most so much of a rotated log's end into the new one. */
const MOVED_TAIL = 4096;

/** A part of the stream that is to be digested: an input from an offset on. */
export interface Segment {
  input: Input;
  from: number;
  /** Where it begins in the bytes that were fed; set when it is. */
  start?: number;
}

export interface Plan {
  segments: Segment[];
  /** What was digested right before the first segment. */
  context: Uint8Array;
  /** Why text may have been lost, where it may. */
  gap?: string;
  /** Bytes at the beginning that are not read at first sight. */
  skipped?: number;
}

/** The first `length` bytes from an offset on; fewer where the input ends. @throws ReadError */
export async function head(input: Input, from: number, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  let n = 0;
  if (length > 0) {
    for await (const chunk of input.bytes(from)) {
      const part = chunk.subarray(0, length - n);
      bytes.set(part, n);
      n += part.length;
      if (n >= length) break;
    }
  }
  return bytes.subarray(0, n);
}

/** The fingerprint of the last bytes that were seen of a file, given how many there are before its end. */
export function fingerprint(last: Uint8Array, end: number): Pick<LogState, 'h' | 'hl' | 'hs'> {
  return {
    h: sha256Hex(last).slice(0, 16),
    ...(last.length < Math.min(CONTEXT, end) && { hl: last.length }),
    ...(last.length >= SUFFIX && { hs: sha256Hex(last.subarray(last.length - SUFFIX)).slice(0, 12) }),
  };
}

/** The offset behind all that was seen. */
function endOf(state: LogState): number {
  return state.o + (state.ol ?? 0);
}

/** How many bytes before that end were hashed. */
function hashedOf(state: LogState): number {
  return Math.min(endOf(state), state.hl ?? CONTEXT);
}

/**
 * What stands before the offset in an input, if the input is what was read last.
 * @throws ReadError
 */
async function contextIn(input: Input, state: LogState): Promise<Uint8Array | undefined> {
  const end = endOf(state);
  if (input.size < end) return undefined;
  const from = Math.max(0, Math.min(state.o - CONTEXT, end - hashedOf(state)));
  const seen = await head(input, from, end - from);
  if (seen.length < end - from || !matches(state, seen.subarray(seen.length - hashedOf(state)))) return undefined;
  return seen.subarray(0, state.o - from);
}

function matches(state: LogState, last: Uint8Array): boolean {
  return sha256Hex(last).slice(0, 16) === state.h;
}

/** Whether an input is, by all that can be known without opening it, what it was at the last run. */
export function isUnchanged(input: Input, state: LogState): boolean {
  const { cur } = state;
  return (
    input.size === cur.s &&
    input.mtime === cur.m &&
    input.file?.device === cur.d &&
    input.file?.inode === cur.i &&
    input.mtime !== undefined
  );
}

/** What to read of a log that was never seen: all of it, or a bounded tail of it and of its newest neighbours. */
export function planFirstSight(log: Log, tail: number | undefined): Plan {
  const inputs = [...log.rotated, ...(log.current ? [log.current] : [])];
  if (tail === undefined) return { segments: inputs.map((input) => ({ input, from: 0 })), context: new Uint8Array(0) };
  const segments: Segment[] = [];
  let room = tail;
  let skipped = 0;
  for (const input of inputs.toReversed()) {
    const from = Math.max(0, input.size - room);
    if (room > 0) segments.unshift({ input, from });
    else skipped += input.size;
    skipped += room > 0 ? from : 0;
    room = Math.max(0, room - input.size);
  }
  return { segments, context: new Uint8Array(0), ...(skipped > 0 && { skipped }) };
}

/**
 * Where to go on: in the same file, in the one it was renamed to, in a copy of it, or at the end of the tail that the
 * console server moved into a new file. What cannot be found again is a gap.
 * @throws ReadError
 */
export async function planContinuation(log: Log, state: LogState): Promise<Plan> {
  const { current, rotated } = log;
  const all = [...rotated, ...(current ? [current] : [])];
  const place = state.in ?? state.cur;
  const same = (input: Input) =>
    place.i === undefined || input.file === undefined
      ? input === current && state.in === undefined
      : input.file.inode === place.i && input.file.device === place.d;
  const held = all.find(same);
  if (held) {
    const found = await continueIn(held, all, state);
    if (found) return found;
  }
  // Not there any more, or another content under the same number: a copy has the same bytes before the offset.
  for (const input of all.toReversed()) {
    if (input === held || endOf(state) === 0) continue;
    const context = await contextIn(input, state);
    if (context) return { segments: after(all, input, state.o), context };
  }
  if (current && held !== current) {
    const moved = await findMovedTail(current, state);
    if (moved)
      return {
        segments: [{ input: current, from: moved.at }],
        context: moved.context,
        gap: 'its predecessor is gone; what came between the last run and the rotation may be lost',
      };
  }
  const segments = current ? [{ input: current, from: 0 }] : [];
  if (endOf(state) === 0 && state.pos === 0) return { segments, context: new Uint8Array(0) };
  const gap = held
    ? `it was cut or replaced below offset ${endOf(state)}, and no copy of the old content is beside it`
    : 'it was replaced, and the old file is not beside it';
  return { segments, context: new Uint8Array(0), gap };
}

async function continueIn(held: Input, all: readonly Input[], state: LogState): Promise<Plan | undefined> {
  const end = endOf(state);
  if (held.size >= end) {
    const context = await contextIn(held, state);
    return context && { segments: after(all, held, state.o), context };
  }
  // Shorter than what was read of it: conserver moved its last lines to the head of the next file, perhaps more than once.
  if (end - held.size > MOVED_TAIL) return undefined;
  const stream = all.slice(all.indexOf(held));
  const from = Math.max(0, Math.min(state.o - CONTEXT, end - hashedOf(state), held.size));
  const seen = await across(stream, from, end - from);
  if (seen.length < end - from || !matches(state, seen.subarray(seen.length - hashedOf(state)))) return undefined;
  return { segments: segmentsFrom(stream, state.o), context: seen.subarray(0, Math.max(0, state.o - from)) };
}

/** A range of the bytes that follow each other over several inputs. @throws ReadError */
async function across(inputs: readonly Input[], from: number, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  let n = 0;
  let start = from;
  for (const input of inputs) {
    if (n < length && start < input.size) {
      const part = await head(input, start, Math.min(length - n, input.size - start));
      bytes.set(part, n);
      n += part.length;
    }
    start = Math.max(0, start - input.size);
  }
  return bytes.subarray(0, n);
}

/** What stands behind an offset in the bytes of several inputs that follow each other. */
function segmentsFrom(inputs: readonly Input[], offset: number): Segment[] {
  const segments: Segment[] = [];
  let before = offset;
  for (const input of inputs) {
    // An input that lies whole before the offset is done with; one that ends at it may be followed by nothing yet.
    if (before <= input.size || segments.length > 0) segments.push({ input, from: segments.length > 0 ? 0 : before });
    before -= input.size;
  }
  return segments;
}

/** The rest of an input and everything that is newer. */
function after(all: readonly Input[], input: Input, from: number): Segment[] {
  return [{ input, from }, ...all.slice(all.indexOf(input) + 1).map((next) => ({ input: next, from: 0 }))];
}

async function findMovedTail(input: Input, state: LogState): Promise<{ at: number; context: Uint8Array } | undefined> {
  if (state.hs === undefined) return undefined;
  const bytes = await head(input, 0, MOVED_TAIL);
  for (let end = SUFFIX; end <= bytes.length; end++) {
    if (sha256Hex(bytes.subarray(end - SUFFIX, end)).slice(0, 12) !== state.hs) continue;
    const at = Math.max(0, end - (state.ol ?? 0));
    return { at, context: bytes.slice(Math.max(0, at - CONTEXT), at) };
  }
  return undefined;
}
