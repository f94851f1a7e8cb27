import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { collectorOf } from '../../lib/collectors/registry.ts';
import { Location } from '../../lib/config.ts';
import { readFiles } from '../../lib/readers/files.ts';
import { type Digest, digest } from '../../lib/steps/digest.ts';
import type { StoredCarry } from '../../lib/store/snapshots.ts';
import type { Digested, DigestJob } from './digest-process.ts';
import { peakMemory } from './peak.ts';

/* A digest in a process of its own: the benchmark starts it, and it answers with one line of JSON. */

async function read(job: DigestJob, paths: string[], handed: StoredCarry = { state: 'none' }): Promise<Digest> {
  const reply = await digest(
    {
      source: job.source,
      location: { ...Location.parse({ path: paths }), roles: {} },
      options: collectorOf(job.source)?.options.parse(job.options ?? {}),
      cluster: 'bench',
      now: job.now,
      timezone: job.timezone,
      nodeDomains: [],
      rules: {},
      handed,
      mtime: new Date(job.now).toISOString(),
    },
    { path: readFiles },
  );
  if (reply === 'as before') throw new Error('nothing was there before');
  if ('problem' in reply) throw new Error(reply.problem.detail);
  return reply.digest;
}

/** Starts a clock. */
function clock(): () => Pick<Digested, 'ms' | 'processor'> {
  const began = performance.now();
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return { ms: performance.now() - began, processor: (user + system) / 1000 };
  };
}

function told(digests: readonly Digest[], times: Pick<Digested, 'ms' | 'processor'>): Digested {
  return {
    ...times,
    peak: peakMemory(),
    conditions: digests.flatMap((d) => d.collected.conditions.map((c) => ({ kind: c.kind, subject: c.subject.id, count: c.count ?? 1 }))),
    summary: Math.max(...digests.map((d) => Buffer.byteLength(JSON.stringify(d.collected.summary)))),
    rejected: digests.reduce((sum, d) => sum + d.coverage.rejected, 0),
    problems: digests.flatMap((d) => d.coverage.problems.map((p) => p.message)),
  };
}

async function run(job: DigestJob): Promise<Digested> {
  let taken = clock();
  if (job.shares.length > 1) {
    const inThread = (paths: string[]) =>
      new Promise<Digest>((settle, fail) => {
        new Worker(new URL(import.meta.url), { workerData: [job, paths] }).once('message', settle).once('error', fail);
      });
    return told(await Promise.all(job.shares.map(inThread)), taken());
  }
  const paths = job.shares[0] as string[];
  const first = await read(job, paths);
  if (!job.again) return told([first], taken());
  // A later run takes what the first one stored from text.
  globalThis.gc?.();
  taken = clock();
  return told([await read(job, paths, { state: 'ok', text: first.handOn, at: job.now })], taken());
}

if (isMainThread) console.log(JSON.stringify(await run(JSON.parse(process.argv[2] as string) as DigestJob)));
else {
  const [job, paths] = workerData as [DigestJob, string[]];
  parentPort?.postMessage(await read(job, paths));
}
