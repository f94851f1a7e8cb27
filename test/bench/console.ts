import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rules } from '../../lib/collectors/console_logs/rules/index.ts';
import { LocalClock } from '../../lib/eval/local-clock.ts';
import { LOG_END, LOG_ZONE, writeConsoleLogs, type Written } from './console-log.ts';
import { against, bestOf, digestInProcess, type Digested } from './digest-process.ts';
import type { Part, Stage } from './part.ts';

const TRIES = 3;
const IDLE_LOGS = 12_000;
const JOB = { source: 'console_logs', options: { first_sight: 'all' }, now: LOG_END, timezone: LOG_ZONE };

/** What is to be reached: a share of grep's speed, memory in MiB, and ms. */
const GOALS = { one: { speed: 0.35, memory: 150 }, two: { speed: 0.6, memory: 220 }, idle: 1500 };

/**
 * Console logs of so many MB against `grep -aE` with the texts that the rules begin with, on the same files. The
 * collector must find exactly the faults that were written. Two threads have half of the files each.
 */
export const consolePart: Part = {
  name: 'console',
  title: 'console logs',
  clock: 'wall',
  sizes: [500],
  unit: 'MB',
  async measure(megabytes, folder) {
    const written = writeConsoleLogs(join(folder, 'logs'), megabytes);
    const patterns = join(folder, 'patterns');
    writeFileSync(patterns, grepPatterns());
    const shares = [0, 1].map((share) => written.files.filter((_, i) => (i >> 1) % 2 === share));
    const [grep, one, two]: [GrepTimes[], Digested[], Digested[]] = [[], [], []];
    // In turn, so that a busy moment of the machine hits all of them.
    for (let i = 0; i < TRIES; i++) {
      grep.push(grepTimes(patterns, written.files));
      one.push(await digestInProcess({ ...JOB, shares: [written.files] }));
      two.push(await digestInProcess({ ...JOB, shares }));
    }
    const least = (key: keyof GrepTimes): number => Math.min(...grep.map((g) => g[key]));
    const baseline: Stage = { name: 'grep -aE | wc', ms: least('ms'), note: speed(written, least('ms')) };
    const stage = (name: string, digests: readonly Digested[], goal: { speed: number; memory: number }): Stage => {
      const { ms, processor, memory } = bestOf(digests);
      const share = baseline.ms / ms;
      const byWork = (least('processor') / processor).toFixed(2);
      const ofGrep = `${share.toFixed(2)} of grep's speed (at least ${goal.speed}; by processor time ${byWork})${share < goal.speed ? ' MISSED' : ''}`;
      return {
        name,
        ms,
        note: `${speed(written, ms)}, ${ofGrep}, ${against(memory, goal.memory, 'MiB')}, ${faultsFound(digests, written)}`,
      };
    };
    const stages = [stage('one thread', one, GOALS.one), stage('two threads', two, GOALS.two), await idle(join(folder, 'idle'))];
    return { baseline, stages };
  },
};

/** Each text with which the search of a rule begins, as an extended regular expression a line. */
export function grepPatterns(): string {
  const literals = new Set(rules.flatMap((rule) => rule.literals));
  return [...literals].map((l) => l.replaceAll(/[.[\]{}()*+?^$|\\]/g, '\\$&').replace(/^\n/, '^')).join('\n');
}

interface GrepTimes {
  ms: number;
  processor: number;
}

function grepTimes(patterns: string, files: readonly string[]): GrepTimes {
  const began = performance.now();
  const { status, stdout } = spawnSync('sh', ['-c', 'grep -ahE -f "$0" -- "$@" | wc -l && times', patterns, ...files], {
    env: { ...process.env, LC_ALL: 'C' },
    encoding: 'utf8',
  });
  const ms = performance.now() - began;
  if (status !== 0) throw new Error('the baseline needs sh, grep and wc');
  // The last line has the user and system times of what the shell started: `0m0.540s 0m0.020s`.
  const times = [...(stdout.trim().split('\n').at(-1) ?? '').matchAll(/(\d+)m([\d.]+)s/g)];
  return { ms, processor: times.reduce((sum, [, minutes, seconds]) => sum + Number(minutes) * 60_000 + Number(seconds) * 1000, 0) };
}

function speed({ bytes }: Written, ms: number): string {
  return `${Math.round(bytes / 1e3 / ms)} MB/s`;
}

/** Whether every digest found exactly what was written. */
export function faultsFound(digests: readonly Pick<Digested, 'conditions' | 'problems'>[], { expected }: Written): string {
  const wanted = [...expected.values()].reduce((sum, e) => sum + e.events, 0);
  for (const { conditions, problems } of digests) {
    const found = new Map<string, { conditions: number; events: number }>();
    for (const { kind, count } of conditions) {
      const sum = found.get(kind) ?? { conditions: 0, events: 0 };
      found.set(kind, { conditions: sum.conditions + 1, events: sum.events + count });
    }
    const wrong = [...new Set([...expected.keys(), ...found.keys()])].flatMap((kind) => {
      const [want, have] = [expected.get(kind), found.get(kind)].map((e) => `${e?.conditions ?? 0}/${e?.events ?? 0}`);
      return want === have ? [] : [`${kind} ${have} instead of ${want}`];
    });
    if (wrong.length > 0 || problems.length > 0) return `WRONG: ${[...wrong, ...problems].slice(0, 5).join('; ')}`;
  }
  return `all ${wanted} faults found, no other`;
}

/** A second run over as many logs as the largest machines have, in none of which anything is new. */
async function idle(folder: string): Promise<Stage> {
  mkdirSync(folder);
  const stamp = new LocalClock(LOG_ZONE).ctime(LOG_END - 600_000);
  const text = `[ 5000.000001] Lustre: Mounted scratch-client\r\n[-- MARK -- ${stamp}]\r\n`.repeat(20);
  for (let i = 0; i < IDLE_LOGS; i++) writeFileSync(join(folder, `nid${String(i + 1).padStart(6, '0')}`), text);
  const digests = [];
  for (let i = 0; i < TRIES; i++) digests.push(await digestInProcess({ ...JOB, shares: [[folder]], again: true }));
  const { ms, processor, memory } = bestOf(digests);
  const name = `second run, nothing new in ${IDLE_LOGS.toLocaleString('en')} logs`;
  return { name, ms, note: `${against(ms, GOALS.idle, 'ms')} (${processor} of processor time), ${memory} MiB` };
}
