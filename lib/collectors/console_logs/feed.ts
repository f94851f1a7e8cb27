import type { Before, Course } from './course.ts';
import { markTime } from './mark.ts';
import { cleanTexts, copyWithoutColours, isPlain, nextEscape, plainText } from './normalise.ts';
import type { RuleBook } from './rulebook.ts';
import { CONTEXT } from './state.ts';

/** A line longer than this is digested in pieces of this length: no input makes memory grow. */
export const MAX_LINE = 65_536;

const LF = 10;
const NOTHING = new Uint8Array(0);
const latin1 = new TextDecoder('latin1');

/**
 * Parts a stream of bytes into lines and hands those on in which something stands. What it does depends on the bytes
 * alone, never on how they are cut into chunks.
 */
export class LineFeed {
  /** Bytes of finished lines since the beginning. */
  committed = 0;
  /** The last bytes before {@link committed}, at most {@link CONTEXT}. */
  context: Uint8Array;
  private partial: Uint8Array = NOTHING;
  private copy = new Uint8Array(4096).fill(LF, 0, 1);
  private readonly course: Course;
  private readonly book: RuleBook;
  /** Position in the log's whole stream at which this feed began. */
  private readonly origin: number;

  /** @param context what was digested right before, as far as it is known */
  constructor(course: Course, book: RuleBook, context: Uint8Array) {
    this.course = course;
    this.book = book;
    this.origin = course.state.pos;
    this.context = context.slice(-CONTEXT);
  }

  /** The unfinished last line. */
  get rest(): Uint8Array {
    return this.partial;
  }

  /** @param chunk is copied where it is kept: slices of Node's buffers would not be */
  push(chunk: Uint8Array): void {
    // What begins the chunk ends an earlier one, or has no line end before it: its line is put together by itself.
    const lf = chunk.indexOf(LF);
    const rest = chunk.subarray(0, lf < 0 ? chunk.length : lf);
    this.partial = concat(this.partial, rest);
    this.flushLong();
    if (lf < 0) return;
    const line = new Uint8Array(this.partial.length + 2);
    line[0] = LF;
    line.set(this.partial, 1);
    line[line.length - 1] = LF;
    this.partial = NOTHING;
    this.block(line, line, 1, line.length);
    const end = chunk.lastIndexOf(LF) + 1;
    // Node's buffers find single bytes fast and make slices slowly: the same bytes are looked at as both.
    if (end > lf + 1) this.block(new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.length), chunk, lf + 1, end);
    if (end < chunk.length) {
      this.partial = concat(NOTHING, chunk.subarray(end));
      this.flushLong();
    }
  }

  private flushLong(): void {
    while (this.partial.length > MAX_LINE) {
      const piece = this.partial.subarray(0, MAX_LINE);
      this.partial = this.partial.slice(MAX_LINE);
      this.piece(piece, 0, piece.length, { line: () => '', text: () => this.textBefore(piece, 0, 0) });
      this.commit(piece, 0, piece.length);
    }
  }

  /** Whole lines, the last byte being the last line's end, and a line end standing before the first. */
  private block(bytes: Uint8Array, finder: Uint8Array, from: number, to: number): void {
    // A literal may begin with the end of the line before.
    const hits = this.book.scanner.positions(bytes, from - 1, to);
    let next = 0;
    let line = from;
    let escape = -1;
    while (line < to) {
      let at = line;
      if (!this.course.wantsNext) {
        while (next < hits.length && (hits[next] as number) < line - 1) next++;
        if (escape < line) escape = nextEscape(finder, line, to);
        at = Math.max(line, Math.min(hits[next] ?? to, escape));
        if (at >= to) break;
      }
      const start = at === line ? line : Math.max(line, bytes.lastIndexOf(LF, at) + 1);
      const end = bytes.indexOf(LF, at);
      this.whole(bytes, from, start, end);
      line = end + 1;
    }
    this.commit(bytes, from, to);
  }

  private whole(bytes: Uint8Array, from: number, start: number, end: number): void {
    const before: Before = { line: () => this.lineBefore(bytes, from, start), text: () => this.textBefore(bytes, from, start) };
    const mark = markTime(bytes, start, end, this.course.timezone);
    if (mark !== undefined) {
      const origin = this.origin + this.committed - from;
      this.course.mark(mark, before, origin + start, origin + end + 1);
      return;
    }
    if (end - start <= MAX_LINE) {
      this.texts(bytes, from, start, end, before);
      return;
    }
    for (let at = start; at < end; at += MAX_LINE)
      this.piece(bytes, at, Math.min(end, at + MAX_LINE), { line: () => '', text: () => this.textBefore(bytes, from, at) }, at - from);
  }

  /** A piece of a line that is too long; one without a literal in it is passed over as such a line is. */
  private piece(bytes: Uint8Array, start: number, end: number, before: Before, ahead = 0): void {
    if (this.course.wantsNext || this.book.scanner.all(bytes, start, end).length > 0 || nextEscape(bytes, start, end) < end) {
      this.texts(bytes, start - ahead, start, end, before);
    }
  }

  private texts(bytes: Uint8Array, from: number, start: number, end: number, before: Before): void {
    const origin = this.origin + this.committed - from;
    if (isPlain(bytes, start, end)) {
      this.text(bytes, start, end, before, origin + start, origin + end + 1);
      return;
    }
    if (end - start >= this.copy.length) this.copy = new Uint8Array(end - start + 1).fill(LF, 0, 1);
    const n = copyWithoutColours(bytes, start, end, this.copy);
    if (n >= 0) {
      this.text(this.copy, 1, n, before, origin + start, origin + end + 1);
      return;
    }
    const texts = cleanTexts(bytes, start, end);
    if (texts.length === 0 && this.course.state.br) texts.push('');
    for (const text of texts) this.course.line(text, this.book.candidatesIn(text), before, origin + start, origin + end + 1);
  }

  /** A line of which every byte counts, a line end standing before it. */
  private text(bytes: Uint8Array, from: number, to: number, before: Before, start: number, end: number): void {
    const candidates = this.book.candidatesAt(bytes, from, to);
    if (!this.course.concern(candidates)) return;
    const text = plainText(bytes, from, to);
    if (text.trim() !== '' || this.course.state.br) this.course.line(text, candidates, before, start, end);
  }

  /** The clean text of the line before the one at `start`. */
  private lineBefore(bytes: Uint8Array, from: number, start: number): string {
    const [source, end] = start > from ? [bytes, start - 1] : [this.context, this.context.length - 1];
    if (end <= 0) return '';
    const low = Math.max(source === bytes ? from : 0, end - (CONTEXT - 1));
    const lf = end - 1 < low ? -1 : source.lastIndexOf(LF, end - 1);
    return cleanTexts(source, Math.max(low, lf + 1), end).at(-1) ?? '';
  }

  /** The last bytes before `start`, as Latin-1 text. */
  private textBefore(bytes: Uint8Array, from: number, start: number): string {
    const own = bytes.subarray(Math.max(from, start - CONTEXT), start);
    const all = own.length < CONTEXT ? concat(this.context, own).slice(-CONTEXT) : own;
    return latin1.decode(all);
  }

  private commit(bytes: Uint8Array, from: number, to: number): void {
    this.committed += to - from;
    this.context = to - from >= CONTEXT ? bytes.slice(to - CONTEXT, to) : concat(this.context, bytes.subarray(from, to)).slice(-CONTEXT);
    this.course.state.pos = this.origin + this.committed;
  }
}

function concat(a: Uint8Array, b: Uint8Array): Uint8Array {
  const all = new Uint8Array(a.length + b.length);
  all.set(a);
  all.set(b, a.length);
  return all;
}
