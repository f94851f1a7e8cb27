import { closeSync, existsSync, futimesSync, mkdirSync, openSync, readdirSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Sink } from './fleet.ts';
import type { SourceFile } from './tick.ts';

/** Text that is gathered before it is written. */
const PIECE = 1024 * 1024;

/** Writes a fleet to a folder, a piece at a time, with the times that the fleet's clock tells. */
export class FolderSink implements Sink {
  readonly root: string;
  /** Bytes written so far. */
  bytes = 0;
  readonly #made = new Set<string>();

  constructor(root: string) {
    this.root = root;
  }

  put = (file: SourceFile): void => {
    const path = this.#pathOf(file);
    const fresh = `${path}.tmp`;
    this.#write(fresh, 'w', file);
    renameSync(fresh, path);
  };

  append = (file: SourceFile): void => this.#write(this.#pathOf(file), 'a', file);

  clear = (folder: string): void => {
    const path = join(this.root, folder);
    rmSync(path, { recursive: true, force: true });
    mkdirSync(path, { recursive: true });
  };

  only = (folder: string, paths: ReadonlySet<string>): void => {
    const path = join(this.root, folder);
    if (!existsSync(path)) return;
    for (const name of readdirSync(path)) if (!paths.has(`${folder}/${name}`)) rmSync(join(path, name), { recursive: true });
  };

  #pathOf({ path }: SourceFile): string {
    const whole = join(this.root, path);
    const folder = dirname(whole);
    if (!this.#made.has(folder)) mkdirSync(folder, { recursive: true });
    this.#made.add(folder);
    return whole;
  }

  #write(path: string, flags: 'a' | 'w', { text, mtime }: SourceFile): void {
    const fd = openSync(path, flags, 0o644);
    try {
      let piece = '';
      for (const part of text) {
        piece += part;
        if (piece.length < PIECE) continue;
        this.bytes += writeAll(fd, piece);
        piece = '';
      }
      if (piece !== '') this.bytes += writeAll(fd, piece);
      futimesSync(fd, mtime / 1000, mtime / 1000);
    } finally {
      closeSync(fd);
    }
  }
}

function writeAll(fd: number, text: string): number {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
  return bytes.length;
}
