import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Fleet } from '../../lib/eval/fleet.ts';
import { FolderSink } from '../../lib/eval/folder.ts';
import { fleetSpec, HOUR, parseFault } from '../../lib/eval/spec.ts';
import { type Part, type Stage, Stopwatch } from './part.ts';

const CLI = fileURLToPath(new URL('../../functions/cli.js', import.meta.url));
const FAULTS = ['kernel_panic=9h', 'switch_lost=10h', 'pdu_dead=11h', 'drive_failed=12h', 'fs_full=12h'];
/** What dashboards and people ask for. */
const READS = ['/healthz', '/readyz', '/findings', '/reports/latest.md', '/reports/latest.json', '/metrics', '/tools', '/'];
const READS_A_SECOND = 200;

/** The server as a process of its own: how soon it listens, and how long its readers wait while it runs everything. */
export const serverPart: Part = {
  name: 'server',
  title: 'the server, and those who read from it during a run',
  clock: 'wall',
  async measure(size, folder) {
    const watch = new Stopwatch('wall');
    const start = Math.floor(Date.now() / HOUR) * HOUR - 24 * HOUR;
    const faults = FAULTS.map((f) => parseFault(f, { start, end: start + 24 * HOUR }));
    const fleet = new Fleet(fleetSpec({ nodes: size, seed: 1, start, faults }));
    const sink = new FolderSink(folder);
    fleet.write(start + 23 * HOUR, sink);
    writeFileSync(join(folder, 'config.yaml'), fleet.configuration(start + 23 * HOUR));
    writeFileSync(join(folder, 'fleet.yaml'), fleet.groundTruth());

    const baselineName = 'node starts an empty HTTP server';
    await watch.best(baselineName, 3, async () => (await started(['-e', EMPTY_SERVER], 'listening')).child.kill('SIGKILL'));
    const args = [CLI, 'serve', '--listen', '127.0.0.1:0', '--config', join(folder, 'config.yaml')];
    args.push('--state-root', join(folder, 'state'), '--report-root', join(folder, 'reports'));
    await watch.best('listens', 3, async () => (await started(args, '"event":"listening"')).child.kill('SIGKILL'));

    const { child, log } = await started(args, '"event":"listening"');
    try {
      const port = Number(/"address":"http:\/\/[^"]*:(\d+)"/.exec(log())?.[1]);
      const listening: Stage = { ...watch.take('listens'), peak: peakOf(child) };
      await watch.time('first run, nobody reads', () => post(port, '/run'));
      fleet.write(start + 24 * HOUR, sink);
      await watch.best('the whole report, in full', 5, () => ask(port, 'GET', '/reports/latest.json'));
      const idle = await readFor(port, pause(5000));
      const run = watch.time('next run, while they read', () => post(port, '/run'));
      const busy = await readFor(port, run);
      return {
        baseline: watch.take(baselineName),
        stages: [listening, ...spread('a read, idle', idle), ...spread('a read, during a run', busy), ...watch.stages.values()],
      };
    } finally {
      child.kill('SIGKILL');
    }
  },
};

const EMPTY_SERVER = "require('http').createServer().listen(0, '127.0.0.1', () => console.error('listening'))";

/** Starts a program of Node's and waits until it has logged something. */
async function started(args: readonly string[], sign: string): Promise<{ child: ChildProcess; log: () => string }> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  await new Promise<void>((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      log += text;
      if (log.includes(sign)) resolve();
    });
    child.once('exit', () => reject(new Error(`the server ended: ${log}`)));
  });
  return { child, log: () => log };
}

/** The most memory that a process has held so far, bytes. */
function peakOf({ pid }: ChildProcess): number {
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}

/**
 * Reads at a steady rate until something is done, as dashboards and browsers poll: what is still the same is not sent
 * again. Each wait counts from when its request was due. @throws where a read fails
 */
async function readFor(port: number, until: Promise<unknown>): Promise<number[]> {
  const over = new AbortController();
  const ended = until.finally(() => over.abort());
  const waits: Promise<number>[] = [];
  const tags = new Map<string, string>();
  const began = performance.now();
  for (let i = 0; !over.signal.aborted; i++) {
    const due = began + (i * 1000) / READS_A_SECOND;
    const early = due - performance.now();
    if (early > 0) await pause(early);
    const path = READS[i % READS.length] as string;
    const wait = ask(port, 'GET', path, tags.get(path)).then((tag) => {
      if (tag !== undefined) tags.set(path, tag);
      return performance.now() - due;
    });
    wait.catch(() => undefined);
    waits.push(wait);
  }
  await ended;
  return Promise.all(waits);
}

function spread(name: string, waits: number[]): Stage[] {
  const sorted = waits.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] as number;
  return [
    { name: `${name}: median`, ms: at(0.5), note: `${sorted.length} reads at ${READS_A_SECOND} a second, none failed` },
    { name: `${name}: 99 of 100`, ms: at(0.99) },
  ];
}

async function post(port: number, path: string): Promise<void> {
  await ask(port, 'POST', path);
}

/**
 * One request, read to its end.
 * @param known the tag of what the reader has: it is then told, without a body, that this is still the same
 * @returns the tag of the answer, where it has one
 * @throws where it is not answered
 */
function ask(port: number, method: string, path: string, known?: string): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    // A connection each, as curl makes them: one that idles too long is closed under the next request.
    const headers = known === undefined ? {} : { 'if-none-match': known };
    request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (response) => {
      response.on('error', reject).once('end', () => {
        if (response.statusCode === 200 || response.statusCode === 304) resolve(response.headers.etag);
        else reject(new Error(`${method} ${path} answered ${response.statusCode}`));
      });
      response.resume();
    })
      .on('error', (error) => reject(new Error(`${method} ${path}: ${error.message}`)))
      .end();
  });
}
