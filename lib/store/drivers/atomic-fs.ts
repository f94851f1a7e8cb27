import { randomUUID } from 'node:crypto';
import { constants, lstatSync, realpathSync, type Stats } from 'node:fs';
import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import type { Driver } from 'unstorage';
import { atOnce } from '../at-once.ts';
import { type Conditional, KeyExists, type ReadOptions, segmentsOf, type WriteOptions } from './conditional.ts';

const FILE_MODE = 0o640;
const FOLDER_MODE = 0o750;
/** Temporary files lie here, below the root and so on its file system; no key begins with a dot. */
const TMP = '.tmp';
/** No write takes this long: a temporary file of this age was left by a process that was killed. */
const ABANDONED_AFTER = 3_600_000;
/**
 * Files made so long after one another, in ms, have other times: where times have fractions of milliseconds they are set
 * at least every 10 ms, elsewhere some file systems round them to 2 s.
 */
const TELLS_APART = { finely: 100, coarsely: 3000 };

export interface AtomicFsOptions extends Conditional {
  root: string;
}

/**
 * A store in the files below `root`, one per key. A value is written beside its place, synced, and put there in one
 * step, so that readers see the old value or the new one, and a kill or a power cut leaves one of them whole.
 * Anything but "no such file" is thrown: a disk that fails is not an empty store.
 */
export function atomicFsDriver(root: string): Driver<AtomicFsOptions, string> {
  let opened: Promise<string> | undefined;
  let realRoot: string | undefined;
  /** The real path of the root, made on first use. */
  const open = (): Promise<string> => {
    opened ??= openRoot(root).then(
      (real) => (realRoot = real),
      (error: unknown) => {
        opened = undefined;
        throw error;
      },
    );
    return opened;
  };
  /** Where somebody has taken the root away, the store begins anew, as it would in a new process. */
  const inRoot = async <T>(work: (base: string) => Promise<T>): Promise<T> => {
    try {
      return await work(await open());
    } catch (error) {
      if (!(error instanceof RootGone)) throw error;
      opened = undefined;
      return work(await open());
    }
  };

  const read = async (key: string, { first }: ReadOptions = {}): Promise<Buffer | null> =>
    inRoot(async (base) => {
      const file = path.join(base, ...fileOf(key));
      return unlessMissing(async () => {
        refuseDetour(base, path.dirname(file));
        const handle = await fs.open(file, constants.O_RDONLY | constants.O_NOFOLLOW);
        try {
          if (first === undefined) return await handle.readFile();
          const { buffer, bytesRead } = await handle.read(Buffer.alloc(first), 0, first, 0);
          return buffer.subarray(0, bytesRead);
        } finally {
          await handle.close();
        }
      });
    });

  const write = async (key: string, value: string | Uint8Array, options?: WriteOptions): Promise<void> =>
    inRoot(async (base) => {
      const file = path.join(base, ...fileOf(key));
      const temporary = path.join(base, TMP, randomUUID());
      try {
        await writeDurably(temporary, value);
        await place(base, temporary, file, options?.ifAbsent === true);
        // A renamed one is gone, a linked one has served.
        if (options?.ifAbsent) await fs.rm(temporary, { force: true });
      } catch (error) {
        await fs.rm(temporary, { force: true });
        if (options?.ifAbsent && codeOf(error) === 'EEXIST') throw new KeyExists(key);
        throw error;
      }
    });

  const stat = async (key: string): Promise<Stats | null> =>
    inRoot(async (base) => unlessMissing(() => fs.lstat(path.join(base, ...fileOf(key)))));

  return {
    name: 'atomic-fs',
    options: {
      conditional: true,
      root,
      markOf: (key) => (realRoot === undefined ? null : markOf(path.join(realRoot, ...fileOf(key)))),
    },
    getInstance: () => root,
    hasItem: async (key) => (await stat(key))?.isFile() ?? false,
    getItem: async (key) => (await read(key))?.toString('utf8') ?? null,
    getItemRaw: read,
    setItem: write,
    setItemRaw: write,
    removeItem: async (key) =>
      inRoot(async (base) => {
        const file = path.join(base, ...fileOf(key));
        await unlessMissing(async () => {
          refuseDetour(base, path.dirname(file));
          await fs.unlink(file);
          await removeEmptyFolders(base, path.dirname(file));
        });
      }),
    getKeys: async (prefix?: string) =>
      inRoot(async (base) => {
        const segments = segmentsOf(prefix ?? '');
        const start = prefix ? path.join(base, ...fileOf(prefix)) : base;
        const keys: string[] = [];
        refuseDetour(base, start);
        if (start !== base && (await unlessMissing(() => fs.lstat(start)))?.isFile()) return keys;
        await listFiles(start, segments, keys);
        return keys;
      }),
    getMeta: async (key) => {
      const found = await stat(key);
      return found && { size: found.size, mtime: found.mtime, atime: found.atime };
    },
  };
}

/** The root of the store is not there any more. */
class RootGone extends Error {}

/**
 * Every write makes a new file. The next one may be given the number of one that is gone, but never with its times, once
 * those are past. Asked many times a second: to wait for a thread would cost tens of times what the question does.
 */
function markOf(file: string): string | null {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs, ctimeMs } = lstatSync(file, { bigint: true });
    const isFine = ctimeNs % 1_000_000n !== 0n;
    const isYoung = Date.now() - Number(ctimeMs) < (isFine ? TELLS_APART.finely : TELLS_APART.coarsely);
    return isYoung ? null : [dev, ino, size, mtimeNs, ctimeNs].join(' ');
  } catch {
    return null;
  }
}

/** The pieces of a key, each the name of a folder or file. */
function fileOf(key: string): string[] {
  const segments = segmentsOf(key);
  if (segments.length === 0 || segments.some((s) => s.startsWith('.') || /[/\\\0]/.test(s)))
    throw new Error(`${key} is no key of a file store`);
  return segments;
}

async function openRoot(root: string): Promise<string> {
  await fs.mkdir(path.join(root, TMP), { recursive: true, mode: FOLDER_MODE });
  const base = await fs.realpath(root);
  const folder = path.join(base, TMP);
  for (const name of await fs.readdir(folder)) {
    await unlessMissing(async () => {
      const file = path.join(folder, name);
      if (Date.now() - (await fs.lstat(file)).mtimeMs > ABANDONED_AFTER) await fs.unlink(file);
    });
  }
  return base;
}

/** @throws RootGone where the folder of temporary files is not there */
async function writeDurably(file: string, value: string | Uint8Array): Promise<void> {
  const handle = await fs.open(file, 'wx', FILE_MODE).catch((error: unknown) => {
    throw codeOf(error) === 'ENOENT' ? new RootGone(`${file} cannot be made: its folder is gone`, { cause: error }) : error;
  });
  try {
    await handle.writeFile(value);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Puts a written file where it belongs; its folder may be swept away by a remove at the same moment, and is then made again. */
async function place(base: string, temporary: string, file: string, ifAbsent: boolean): Promise<void> {
  const folder = path.dirname(file);
  for (let attempt = 1; ; attempt++) {
    try {
      refuseDetour(base, folder);
      // Nearly always it is there.
      const made = attempt === 1 ? undefined : await fs.mkdir(folder, { recursive: true, mode: FOLDER_MODE });
      if (ifAbsent) await fs.link(temporary, file);
      else await fs.rename(temporary, file);
      await syncFolder(folder);
      if (made !== undefined) for (let at = folder; at !== path.dirname(made); ) await syncFolder((at = path.dirname(at)));
      return;
    } catch (error) {
      if (codeOf(error) !== 'ENOENT' || attempt === 10) throw error;
    }
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await fs.open(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Removes the folders that a removed file left empty, and syncs the first that stays. */
async function removeEmptyFolders(base: string, folder: string): Promise<void> {
  let at = folder;
  try {
    for (; at !== base; at = path.dirname(at)) await fs.rmdir(at);
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(codeOf(error))) throw error;
  }
  await unlessMissing(() => syncFolder(at));
}

/**
 * Throws where a symbolic link leads a folder of the store, or the nearest one above it that exists, out of its root;
 * RootGone where that is not there. Asked at every read and write: to wait for a thread would cost more than the question.
 */
function refuseDetour(base: string, folder: string): void {
  let real = realPathOf(folder);
  for (let at = folder; real === null; ) {
    if (at === base) throw new RootGone(`${base}, the root of the store, is gone`);
    real = realPathOf((at = path.dirname(at)));
  }
  if (real !== base && !real.startsWith(base + path.sep)) throw new Error(`${folder} leads out of the store, to ${real}`);
}

function realPathOf(folder: string): string | null {
  try {
    return realpathSync.native(folder);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Names below a folder, as keys; links and hidden files are not of the store. */
async function listFiles(folder: string, segments: string[], keys: string[]): Promise<void> {
  const entries = (await unlessMissing(() => fs.readdir(folder, { withFileTypes: true }))) ?? [];
  const folders: string[] = [];
  for (const entry of entries) {
    if (entry.name.startsWith('.')) continue;
    if (entry.isDirectory()) folders.push(entry.name);
    else if (entry.isFile()) keys.push([...segments, entry.name].join(':'));
  }
  // Each tick has a folder of its own, and there are more than a thousand of them.
  await atOnce(folders, (name) => listFiles(path.join(folder, name), [...segments, name], keys));
}

async function unlessMissing<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? '';
}
