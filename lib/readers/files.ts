import { closeSync, constants, fstatSync, openSync, readdirSync, readSync, statSync, type BigIntStats } from 'node:fs';
import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';
import { ReadError, type Input } from '../model/collector.ts';
import type { CoverageInput } from '../model/snapshot.ts';
import { compareNames } from '../model/text.ts';
import { toIso } from '../model/time.ts';
import type { Opened, ReadRequest } from './reader.ts';

const CHUNK = 256 * 1024;

interface Candidate {
  path: string;
  name: string;
  role?: string;
}

/**
 * Opens files and folders with synchronous reads of regular files only. It runs in a thread of its own, so that a
 * hung mount costs that thread and nothing else; every name in a folder is taken but hidden ones and `*.tmp`.
 */
export function readFiles(request: ReadRequest): Opened {
  const opened: Opened = { inputs: [], coverage: [], problems: [], close: () => undefined };
  const { path = [], roles } = request.location;
  const asked = [
    ...path.map((p) => ({ path: p, role: undefined })),
    ...Object.entries(roles).flatMap(([role, paths]) => paths.map((p) => ({ path: p, role }))),
  ];
  for (const { path: place, role } of asked) {
    for (const candidate of candidatesAt(place, role, opened)) openOne(candidate, request, opened);
  }
  return opened;
}

function candidatesAt(place: string, role: string | undefined, opened: Opened): Candidate[] {
  const withRole = role === undefined ? {} : { role };
  try {
    if (!statSync(place).isDirectory()) return [{ path: place, name: basename(place), ...withRole }];
    return readdirSync(place, { withFileTypes: true })
      .filter((entry) => !entry.name.startsWith('.') && !entry.name.endsWith('.tmp') && !entry.isDirectory())
      .map((entry) => ({ path: join(place, entry.name), name: entry.name, ...withRole }))
      .sort((a, b) => compareNames(a.name, b.name));
  } catch (error) {
    report(opened, { name: place, ...withRole }, 0, toReadError(error, place));
    return [];
  }
}

function openOne(candidate: Candidate, request: ReadRequest, opened: Opened): void {
  const { path, name, role } = candidate;
  const label = { name, ...(role !== undefined && { role }) };
  try {
    const stat = statSync(path, { bigint: true });
    if (!stat.isFile()) throw new ReadError('unreadable', path, 'is no regular file');
    const size = Number(stat.size);
    const mtime = request.mtime ?? toIso(Number(stat.mtimeMs));
    const input: Input = {
      ...label,
      size,
      mtime,
      file: { device: String(stat.dev), inode: String(stat.ino) },
      bytes: (from = 0, lent) => readRange(path, from, size, lent),
      sha256: () => hashOf(readRange(path, 0, size)),
    };
    if (request.plan.shape === 'documents') {
      if (size > request.location.max_input)
        throw new ReadError('too_large', path, `has ${size} bytes; max_input is ${request.location.max_input}`);
      const whole = readDocument(path, stat);
      input.size = whole.length;
      input.bytes = (from = 0) => [whole.subarray(from)];
      input.sha256 = () => hashOf([whole]);
    }
    opened.inputs.push(input);
    const status: CoverageInput['status'] = input.size === 0 && request.plan.shape === 'documents' ? 'empty' : 'ok';
    opened.coverage.push({ ...label, status, bytes: input.size, mtime });
  } catch (error) {
    report(opened, label, 0, toReadError(error, path));
  }
}

/** A whole file; one that changes while it is read is read once more. @throws ReadError */
function readDocument(path: string, before: BigIntStats): Uint8Array {
  let seen = before;
  for (let attempt = 0; attempt < 2; attempt++) {
    const whole = readWhole(path, Number(seen.size));
    const after = statSync(path, { bigint: true });
    if (after.size === seen.size && after.mtimeNs === seen.mtimeNs && after.ino === seen.ino) return whole;
    seen = after;
  }
  throw new ReadError('changing', path, 'changed while it was read, twice; write dumps to a temporary name and rename them');
}

function hashOf(pieces: Iterable<Uint8Array>): string {
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return hash.digest('hex');
}

/** The first bytes of a file, at most so many, in memory of their own. */
function readWhole(path: string, size: number): Uint8Array {
  const fd = openRegular(path);
  try {
    const whole = Buffer.allocUnsafeSlow(size);
    let at = 0;
    for (let n = -1; at < size && n !== 0; at += n) n = readSync(fd, whole, at, Math.min(CHUNK, size - at), at);
    return whole.subarray(0, at);
  } catch (error) {
    throw toReadError(error, path);
  } finally {
    closeSync(fd);
  }
}

function* readRange(path: string, from: number, to: number, lent?: Uint8Array): Generator<Uint8Array> {
  const own = lent && Buffer.from(lent.buffer, lent.byteOffset, lent.length);
  const fd = openRegular(path);
  try {
    let at = from;
    while (at < to) {
      const chunk = own ?? Buffer.allocUnsafe(Math.min(CHUNK, to - at));
      const n = readSync(fd, chunk, 0, Math.min(chunk.length, to - at), at);
      if (n === 0) return;
      at += n;
      yield chunk.subarray(0, n);
    }
  } catch (error) {
    throw toReadError(error, path);
  } finally {
    closeSync(fd);
  }
}

/** @throws ReadError */
function openRegular(path: string): number {
  let fd: number | undefined;
  try {
    // O_NONBLOCK: a FIFO put in a file's place must not hold the open.
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    if (fstatSync(fd).isFile()) return fd;
  } catch (error) {
    if (fd !== undefined) closeSync(fd);
    throw toReadError(error, path);
  }
  closeSync(fd);
  throw new ReadError('unreadable', path, 'is no regular file');
}

function report(opened: Opened, label: { name: string; role?: string }, bytes: number, error: ReadError): void {
  const status = error.code === 'timeout' ? 'unreadable' : error.code;
  opened.coverage.push({ ...label, status, bytes });
  opened.problems.push({ effect: 'input', input: error.input, message: error.message });
}

const REASONS: Record<string, [ReadError['code'], string]> = {
  ENOENT: ['missing', 'does not exist'],
  ENOTDIR: ['missing', 'does not exist (a part of the path is no folder)'],
  EACCES: ['unreadable', 'may not be read by this user'],
  EPERM: ['unreadable', 'may not be read by this user'],
  ESTALE: ['unreadable', 'lies on a stale mount'],
  EIO: ['unreadable', 'cannot be read: input/output error'],
};

function toReadError(error: unknown, path: string): ReadError {
  if (error instanceof ReadError) return error;
  const code = (error as NodeJS.ErrnoException).code ?? '';
  const [kind, text] = REASONS[code] ?? ['unreadable', `cannot be read (${code || (error as Error).message})`];
  return new ReadError(kind, path, text);
}
