import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** What a process of its own is to digest. */
export interface DigestJob {
  source: string;
  options?: object;
  now: number;
  timezone: string;
  /** Files or folders, per thread. */
  shares: string[][];
  /** Digest a second time, with what the first run handed on: only that counts. */
  again?: boolean;
}

export interface Digested {
  /** By the clock, and of processor time. */
  ms: number;
  processor: number;
  /** The most memory that the process held, bytes. */
  peak: number;
  conditions: { kind: string; subject: string; count: number }[];
  /** Bytes of JSON. */
  summary: number;
  rejected: number;
  problems: string[];
}

/** Digests in a process of its own, so that its memory is its own. */
export async function digestInProcess(job: DigestJob): Promise<Digested> {
  const main = fileURLToPath(new URL('./digest-main.js', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', main, JSON.stringify(job)], { maxBuffer: 2 ** 28 });
  return JSON.parse(stdout) as Digested;
}

const MIB = 2 ** 20;

/** The quickest of several digests of the same, and the most memory that one of them held, MiB. */
export function bestOf(digests: readonly Digested[]): { ms: number; processor: number; memory: number } {
  const least = (key: 'ms' | 'processor'): number => Math.round(Math.min(...digests.map((d) => d[key])));
  return { ms: least('ms'), processor: least('processor'), memory: Math.round(Math.max(...digests.map((d) => d.peak)) / MIB) };
}

/** A figure beside what is to be reached. */
export function against(figure: number, limit: number, unit: string): string {
  return `${figure} ${unit} (at most ${limit})${figure > limit ? ' MISSED' : ''}`;
}
