import type { Input } from '../../model/collector.ts';
import { subjectId } from '../../model/identity.ts';
import { compareNames } from '../../model/text.ts';

/** One node's log: its present file, and what was rotated away and lies beside it, the oldest first. */
export interface Log {
  /** Place and base name: the key of its state. */
  key: string;
  node: string;
  current?: Input;
  rotated: Input[];
}

/** Files that console servers and people keep beside the logs. */
const OTHERS =
  /^(?:conserver|conmand?|goconserver)\.(?:log|cf|conf|passwd|pid)$|^(?:readme|license|makefile)\b|\.(?:md|json|ya?ml|html?|conf|cf|pid|lock|swp|sock|py|sh|rpm|tar|zip)$/i;
const PACKED = /\.(?:gz|xz|bz2|zst|zstd|lz4|Z)$/;
/** What rotation appends: conserver `-20261130-084500`, logrotate `.1` and `-20261130`. */
const DATED = /[-.](?:\d{8}(?:[-T_]?\d{2,6})?|\d{10})$/;
const NUMBERED = /\.(?:\d{1,3}|old|prev|bak)$/;
const ADDRESS = /^\d{1,3}(?:\.\d{1,3}){3}$/;
/** A log that is named for its kind stands in a folder that is named for its node. */
const GENERIC = /^(?:console|serial|messages|current|output|ttyS\d|conman|log)(?:\.log|\.txt|\.out)?$/i;

/**
 * Sorts inputs into logs.
 * @param known keys of logs that earlier runs read: a rotated one may lie there alone for a moment
 * @returns also the names of files that are none, and of packed ones that are not read
 */
export function logsOf(
  inputs: readonly Input[],
  pattern: RegExp | undefined,
  nodeDomains: readonly string[],
  known: ReadonlySet<string> = new Set(),
): { logs: Log[]; strangers: string[]; packed: string[]; nameless: string[] } {
  const names = new Set(inputs.map((i) => i.name));
  const logs = new Map<string, Log>();
  const strangers: string[] = [];
  const packed: string[] = [];
  const nameless: string[] = [];
  for (const input of inputs) {
    const folder = input.name.slice(0, input.name.lastIndexOf('/') + 1);
    let base = input.name.slice(folder.length);
    if (OTHERS.test(base)) {
      strangers.push(input.name);
      continue;
    }
    if (PACKED.test(base)) {
      packed.push(input.name);
      continue;
    }
    let rotated = false;
    if (DATED.test(base)) {
      base = base.replace(DATED, '');
      rotated = true;
    } else if (NUMBERED.test(base) && !ADDRESS.test(base)) {
      const stem = base.replace(NUMBERED, '');
      // A name that merely ends in a number is a node's own unless it is a neighbour of another log.
      const isLog = (name: string): boolean => names.has(folder + name) || known.has(folder + name);
      if (/\.(?:log|txt|out)$/.test(stem) || isLog(stem) || isLog(`${stem}.log`)) {
        base = stem;
        rotated = true;
      }
    }
    // A pushed document without a name of its own tells of no node.
    const node = input.pushed && input.name === 'body' ? null : subjectId('node', nodeName(folder, base, pattern), nodeDomains);
    if (node === null) {
      nameless.push(input.name);
      continue;
    }
    const key = `${input.pushed ? 'pushed ' : ''}${folder}${base}`;
    let log = logs.get(key);
    if (!log) {
      log = { key, node, rotated: [] };
      logs.set(key, log);
    }
    if (rotated || log.current) log.rotated.push(input);
    else log.current = input;
  }
  // Any fixed order does; the natural order of names would cost more than an idle run.
  const sorted = [...logs.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  for (const log of sorted) log.rotated.sort(oldestFirst);
  return { logs: sorted, strangers, packed, nameless };
}

function nodeName(folder: string, base: string, pattern: RegExp | undefined): string | null {
  if (pattern) return pattern.exec(folder + base)?.groups?.['node'] ?? null;
  if (GENERIC.test(base) && folder !== '') return (folder.slice(0, -1).split('/').at(-1) as string) || null;
  return base
    .replace(/\.(?:log|txt|out|console)$/i, '')
    .replace(/^console[.-]/, '')
    .replace(/[.-]console$/, '');
}

function oldestFirst(a: Input, b: Input): number {
  const [an, bn] = [a, b].map((i) => NUMBERED.exec(i.name)?.[0].slice(1) ?? '') as [string, string];
  if (/^\d+$/.test(an) && /^\d+$/.test(bn)) return Number(bn) - Number(an);
  if (DATED.test(a.name) && DATED.test(b.name)) return compareNames(a.name, b.name);
  return (a.mtime ?? '') < (b.mtime ?? '') ? -1 : (a.mtime ?? '') > (b.mtime ?? '') ? 1 : compareNames(a.name, b.name);
}
