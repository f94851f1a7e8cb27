import { ReadError } from '../model/collector.ts';
import { compareNames } from '../model/text.ts';
import { toIso } from '../model/time.ts';
import type { Opened, Reader } from '../readers/reader.ts';
import type { Sink } from './fleet.ts';
import type { SourceFile } from './tick.ts';

interface Held {
  pieces: Buffer[];
  size: number;
  mtime: number;
  /** Tells a file that was written anew from one that went on. */
  inode: number;
}

/** A generated folder that lies in memory: what fleets are written to and collectors read from, without a disk between. */
export class MemoryFolder implements Sink {
  readonly #files = new Map<string, Held>();
  #inodes = 0;

  put = ({ path, text, mtime }: SourceFile): void => {
    const bytes = Buffer.from(textOf(text));
    this.#files.set(path, { pieces: [bytes], size: bytes.length, mtime, inode: ++this.#inodes });
  };

  append = (file: SourceFile): void => {
    const held = this.#files.get(file.path);
    if (!held) return this.put(file);
    const bytes = Buffer.from(textOf(file.text));
    held.pieces.push(bytes);
    held.size += bytes.length;
    held.mtime = file.mtime;
  };

  clear = (folder: string): void => {
    for (const path of this.#files.keys()) if (path.startsWith(folder)) this.#files.delete(path);
  };

  only = (folder: string, paths: ReadonlySet<string>): void => {
    for (const path of this.#files.keys()) if (path.startsWith(`${folder}/`) && !paths.has(path)) this.#files.delete(path);
  };

  /** Changes a file's text in place; one that is not there stays so. */
  change(path: string, to: (text: string) => string): void {
    const held = this.#files.get(path);
    if (!held) return;
    const bytes = Buffer.from(to(this.text(path)));
    held.pieces = [bytes];
    held.size = bytes.length;
  }

  paths(): string[] {
    return [...this.#files.keys()];
  }

  /** The text of a file; empty for one that is not there. */
  text(path: string): string {
    return Buffer.concat(this.#files.get(path)?.pieces ?? []).toString('utf8');
  }

  /** Reads `path` locations, each of them a folder or a file. */
  readonly reader: Reader = ({ location }) => {
    const opened: Opened = { inputs: [], coverage: [], problems: [], close: () => undefined };
    for (const place of location.path ?? []) {
      const found = [...this.#files].filter(([path]) => path === place || path.startsWith(`${place}/`));
      if (found.length === 0) {
        const error = new ReadError('missing', place, 'does not exist');
        opened.coverage.push({ name: place, status: error.code as 'missing', bytes: 0 });
        opened.problems.push({ effect: 'input', input: place, message: error.message });
      }
      for (const [path, held] of found.sort(([a], [b]) => compareNames(a, b))) {
        const name = path.slice(path.lastIndexOf('/') + 1);
        const { size, inode } = held;
        const pieces = held.pieces.slice();
        const mtime = toIso(held.mtime);
        opened.inputs.push({
          name,
          size,
          mtime,
          file: { device: '1', inode: String(inode) },
          bytes: (from = 0) => bytesFrom(pieces, from),
        });
        opened.coverage.push({ name, status: size === 0 ? 'empty' : 'ok', bytes: size, mtime });
      }
    }
    return opened;
  };
}

function textOf(text: Iterable<string>): string {
  return Array.isArray(text) && text.length === 1 ? (text[0] as string) : [...text].join('');
}

function* bytesFrom(pieces: readonly Buffer[], from: number): Iterable<Uint8Array> {
  let at = 0;
  for (const piece of pieces) {
    const skip = Math.max(0, from - at);
    if (skip < piece.length) yield skip === 0 ? piece : piece.subarray(skip);
    at += piece.length;
  }
}
