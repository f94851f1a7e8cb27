import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';
import { formatDuration } from '../model/time.ts';
import type { Entry } from './contenders.ts';
import { allotment, scenarioOf } from './library.ts';
import { Played } from './played.ts';
import type { ScenarioClass } from './scenario.ts';

/** What an evaluation is asked for. */
export interface Evaluation {
  seed: number;
  /** Scenarios with faults outside the judgment class. */
  faults: number;
  /** Healthy days. */
  days: number;
  /** So many scenarios of each class instead. */
  perClass?: number;
  /** Only these classes. */
  classes?: readonly ScenarioClass[];
  entries: readonly Entry[];
  /** Scenarios that are played at the same time. */
  jobs: number;
  /** A file with one line for each scenario that was played. */
  out: string;
  /** Forgets what the file holds. */
  fresh: boolean;
}

/** One scenario to play. */
export interface Errand {
  class: ScenarioClass;
  number: number;
  seed: number;
  entries: readonly Entry[];
}

/** What a thread answers. */
export type Reply = { played: Played } | { error: string };

/**
 * Plays all scenarios that the results file does not hold yet, several at a time, each thread one after the other.
 * @param body the compiled thread body
 * @param say where progress goes
 * @throws Error when a scenario cannot be played; what was played before stays in the file
 */
export async function evaluate(asked: Evaluation, body: URL, say: (line: string) => void): Promise<Played[]> {
  if (asked.fresh) rmSync(asked.out, { force: true });
  const known = new Map(readResults(asked.out).map((p) => [`${p.name} ${p.seed}`, p]));
  const all = errandsOf(asked).map((errand) => {
    const { name, seed } = scenarioOf(errand.class, errand.number, errand.seed);
    const before = known.get(`${name} ${seed}`);
    return { errand, name, before: before && isAsked(before, errand.entries) ? before : undefined };
  });
  const left = all.filter((e) => e.before === undefined);
  const done = new Map(all.flatMap(({ name, before }) => (before ? [[name, before] as const] : [])));
  if (done.size > 0) say(`${done.size} of ${all.length} scenarios were played before`);
  const began = performance.now();
  let next = 0;
  let played = 0;
  const progress = (): void => {
    const each = (performance.now() - began) / played;
    say(`${done.size} of ${all.length} played, about ${formatDuration(each * (left.length - played))} to go`);
  };
  const work = async (): Promise<void> => {
    if (next >= left.length) return;
    const thread = new Worker(body);
    try {
      while (next < left.length) {
        const { errand, name } = left[next++] as (typeof left)[number];
        const reply = await ask(thread, errand);
        if ('error' in reply) throw new Error(`${name}: ${reply.error}`);
        appendFileSync(asked.out, `${JSON.stringify(reply.played)}\n`);
        done.set(name, reply.played);
        played++;
        if (played % 10 === 0 || played === left.length) progress();
      }
    } finally {
      await thread.terminate();
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, asked.jobs) }, work));
  return [...done.values()];
}

function ask(thread: Worker, errand: Errand): Promise<Reply> {
  return new Promise((resolve) => {
    const settle = (reply: Reply): void => {
      thread.off('message', settle).off('error', fail);
      resolve(reply);
    };
    const fail = (error: unknown): void => settle({ error: String(error) });
    thread.on('message', settle).on('error', fail);
    thread.postMessage(errand);
  });
}

/** Scenarios in turn through the classes, so that an early end still tells something of each. */
function errandsOf({ seed, entries, classes, ...counts }: Evaluation): Errand[] {
  const lists = [...allotment(counts)]
    .filter(([of]) => classes === undefined || classes.includes(of))
    .map(([of, n]) => Array.from({ length: n }, (_, number) => ({ class: of, number })));
  const longest = lists.reduce((most, list) => Math.max(most, list.length), 0);
  return Array.from({ length: longest }, (_, i) => lists.flatMap((list) => list[i] ?? []))
    .flat()
    .map(({ class: of, number }) => ({
      class: of,
      number,
      seed,
      entries: entries.filter((e) => (e.classes?.includes(of) ?? true) && number < (e.most ?? Number.POSITIVE_INFINITY)),
    }));
}

function isAsked({ asked }: Played, entries: readonly Entry[]): boolean {
  return entries.every(({ name, times }) => (asked[name]?.length ?? 0) >= times);
}

/** Every line of a results file that can be read; a line that was cut by a kill is played again. */
export function readResults(file: string): Played[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        const read = Played.safeParse(JSON.parse(line));
        return read.success ? [read.data] : [];
      } catch {
        return [];
      }
    });
}
