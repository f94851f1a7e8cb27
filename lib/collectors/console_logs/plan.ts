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

/** The fingerprint of what was digested last before an offset. */
export function fingerprint(context: Uint8Array, offset: number): Pick<LogState, 'h' | 'hl' | 'hs'> {
  return {
    h: sha256Hex(context).slice(0, 16),
    ...(context.length < Math.min(CONTEXT, offset) && { hl: context.length }),
    ...(context.length >= SUFFIX && { hs: sha256Hex(context.subarray(context.length - SUFFIX)).slice(0, 12) }),
  };
}

function contextStart(state: LogState): number {
  return state.o - Math.min(state.o, state.hl ?? CONTEXT);
}

function matches(state: LogState, context: Uint8Array): boolean {
  return sha256Hex(context).slice(0, 16) === state.h;
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
    if (input === held || input.size < state.o || state.o === 0) continue;
    const from = contextStart(state);
    const context = await head(input, from, state.o - from);
    if (matches(state, context)) return { segments: after(all, input, state.o), context };
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
  if (state.o === 0 && state.pos === 0) return { segments, context: new Uint8Array(0) };
  const gap = held
    ? `it was cut or replaced below offset ${state.o}, and no copy of the old content is beside it`
    : 'it was replaced, and the old file is not beside it';
  return { segments, context: new Uint8Array(0), gap };
}

async function continueIn(held: Input, all: readonly Input[], state: LogState): Promise<Plan | undefined> {
  if (held.size >= state.o) {
    const from = contextStart(state);
    const context = await head(held, from, state.o - from);
    return matches(state, context) ? { segments: after(all, held, state.o), context } : undefined;
  }
  // Shorter than what was read of it: conserver moved its last lines to the head of the next file.
  const next = all[all.indexOf(held) + 1];
  const overlap = state.o - held.size;
  if (!next || overlap > MOVED_TAIL || next.size < overlap) return undefined;
  const length = Math.min(state.o, state.hl ?? CONTEXT);
  const before = Math.max(0, length - overlap);
  const from = Math.max(0, held.size - before);
  const old = await head(held, from, held.size - from);
  const moved = await head(next, 0, overlap);
  const context = new Uint8Array(old.length + moved.length);
  context.set(old);
  context.set(moved, old.length);
  const last = context.slice(-length);
  return matches(state, last) ? { segments: after(all, next, overlap), context: last } : undefined;
}

/** The rest of an input and everything that is newer. */
function after(all: readonly Input[], input: Input, from: number): Segment[] {
  return [{ input, from }, ...all.slice(all.indexOf(input) + 1).map((next) => ({ input: next, from: 0 }))];
}

async function findMovedTail(input: Input, state: LogState): Promise<{ at: number; context: Uint8Array } | undefined> {
  if (state.hs === undefined) return undefined;
  const bytes = await head(input, 0, MOVED_TAIL);
  for (let at = bytes.indexOf(10) + 1; at > 0; at = bytes.indexOf(10, at) + 1) {
    if (at < SUFFIX) continue;
    const suffix = bytes.subarray(at - SUFFIX, at);
    if (sha256Hex(suffix).slice(0, 12) === state.hs) return { at, context: bytes.slice(Math.max(0, at - CONTEXT), at) };
  }
  return undefined;
}
