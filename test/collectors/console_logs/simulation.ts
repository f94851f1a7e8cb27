import { consoleLogs } from '../../../lib/collectors/console_logs/index.ts';
import type { Collected, Input } from '../../../lib/model/collector.ts';

/** Clock and modification time of simulated runs. */
export const NOW = Date.parse('2026-11-30T08:45:00.000Z');

export interface FileState {
  inode: string;
  bytes: Uint8Array;
}

export type Run = Collected<unknown>;

export interface RunOptions {
  carry?: unknown;
  now?: number;
  config?: object;
  /** Sizes of the pieces in which files are read, taken in turn; none: whole. */
  chunks?: readonly number[];
  timezone?: string;
  mtime?: string;
}

export function bytesOfText(text: string): Uint8Array {
  return Uint8Array.from(text, (c) => c.charCodeAt(0));
}

export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((n, p) => n + p.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** An input as a reader opens it; counts how often its content is asked for. */
export function inputOf(name: string, file: FileState, options: Pick<RunOptions, 'chunks' | 'mtime'> = {}): Input & { reads: number } {
  const { bytes, inode } = file;
  const { chunks = [] } = options;
  const input = {
    name,
    size: bytes.length,
    mtime: options.mtime ?? new Date(NOW).toISOString(),
    file: { device: '64769', inode },
    reads: 0,
    *bytes(from = 0, lent = new Uint8Array(0)): Generator<Uint8Array> {
      input.reads++;
      let at = from;
      for (let i = 0; at < bytes.length; i++) {
        const wanted = chunks.length === 0 ? bytes.length : (chunks[i % chunks.length] as number);
        const piece = bytes.subarray(at, at + Math.min(wanted, lent.length || wanted));
        at += piece.length;
        if (lent.length === 0) yield piece;
        else {
          // As files are read: a piece is a buffer, whose slices share its memory, and is gone with the next one.
          lent.set(piece);
          yield Buffer.from(lent.buffer, lent.byteOffset, piece.length);
          lent.fill(0x5b, 0, piece.length);
        }
      }
    },
  };
  return input;
}

export async function runOn(inputs: readonly Input[], options: RunOptions = {}): Promise<Run> {
  return consoleLogs.collect(inputs, {
    cluster: 'test',
    now: options.now ?? NOW,
    config: consoleLogs.options.parse({ first_sight: 'all', ...options.config }),
    ...(options.carry !== undefined && { carry: consoleLogs.carry.parse(JSON.parse(JSON.stringify(options.carry))) }),
    timezone: options.timezone ?? 'UTC',
    nodeDomains: ['hsn.cm.demo.test'],
    rules: {},
  });
}

/** Runs over a text as the log of one node. */
export async function runText(text: string, options: RunOptions = {}): Promise<Run> {
  return runOn([inputOf('x1000c0s0b0n0', { inode: '1', bytes: bytesOfText(text) }, options)], options);
}

/** `severity kind part` of each condition. */
export function told(run: Run): string[] {
  return run.conditions.map((c) => [c.severity, c.kind, c.part].filter((t) => t !== undefined).join(' '));
}

/** A console server that writes to a log, rotates it in its way, and is looked at now and then. */
export class Disk {
  readonly files = new Map<string, FileState>();
  private nextInode = 100;
  private rotations = 0;
  private readonly name: string;

  constructor(name: string) {
    this.name = name;
    this.files.set(name, { inode: this.inode(), bytes: new Uint8Array(0) });
  }

  private inode(): string {
    return String(this.nextInode++);
  }

  private get current(): FileState {
    return this.files.get(this.name) as FileState;
  }

  append(bytes: Uint8Array): void {
    this.current.bytes = joinBytes([this.current.bytes, bytes]);
  }

  rotate(way: 'rename' | 'copytruncate' | 'conserver'): void {
    const old = this.current;
    this.rotations++;
    const name = `${this.name}-20261130-${String(100_000 + this.rotations)}`;
    if (way === 'copytruncate') {
      this.files.set(name, { inode: this.inode(), bytes: old.bytes });
      old.bytes = new Uint8Array(0);
      return;
    }
    this.files.set(name, old);
    const next: FileState = { inode: this.inode(), bytes: new Uint8Array(0) };
    this.files.set(this.name, next);
    if (way === 'rename') return;
    const size = old.bytes.length;
    const wanted = Math.min(4000, Math.max(100, Math.floor(size / 40)));
    const cut = old.bytes.indexOf(10, Math.max(0, size - wanted)) + 1;
    next.bytes = old.bytes.slice(cut);
    old.bytes = old.bytes.slice(0, cut);
  }

  inputs(chunks: readonly number[] = []): (Input & { reads: number })[] {
    return [...this.files].map(([name, file]) => inputOf(name, file, { chunks }));
  }
}
