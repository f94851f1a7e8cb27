import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { build } from 'esbuild';
import { beforeAll, expect, it } from 'vitest';
import { verifyAudit } from '../../lib/audit/audit.ts';
import { atomicFsDriver } from '../../lib/store/drivers/atomic-fs.ts';
import { Snapshots } from '../../lib/store/snapshots.ts';
import { Store } from '../../lib/store/store.ts';
import { SOURCE } from '../store/examples.ts';
import { temporaryFolder } from '../store/temporary.ts';

// Commits one snapshot after the other, each with its number in summary, carry and every fact, until it is killed.
const WRITER = `
import { AuditLog } from '../../lib/audit/audit.ts';
import { atomicFsDriver } from '../../lib/store/drivers/atomic-fs.ts';
import { Leases } from '../../lib/store/leases.ts';
import { packFacts } from '../../lib/store/shards.ts';
import { Snapshots } from '../../lib/store/snapshots.ts';
import { Store } from '../../lib/store/store.ts';
import { emptySnapshot, nodeFacts, NOW, SOURCE } from '../store/examples.ts';

const store = new Store(atomicFsDriver(process.argv[2]));
const snapshots = new Snapshots(store);
const leases = new Leases(store, { now: Date.now, owner: String(process.pid), ownerIsGone: () => true });
const lease = await leases.acquire('collect', 60_000);
const audit = new AuditLog(store, { writer: 'writer', now: () => NOW });
const hash = '0'.repeat(64);
let n = (await snapshots.latest(SOURCE))?.summary.n ?? 0;
for (;;) {
  n++;
  await audit.append({ tool: 'count', args: { n }, argsHash: hash, resultHash: hash, bytes: 0, ms: 0, decision: 'executed' });
  const snapshot = { ...emptySnapshot(await snapshots.nextId(SOURCE, NOW)), summary: { n } };
  await snapshots.commit({ snapshot, facts: await packFacts(nodeFacts(600, () => n)), carry: { version: 1, text: JSON.stringify({ n }) }, lease });
  console.log(n);
}
`;

const folder = temporaryFolder();
const script = join(folder, 'writer.mjs');
beforeAll(async () => {
  const stdin = { contents: WRITER, resolveDir: import.meta.dirname, loader: 'ts' as const };
  await build({ stdin, bundle: true, platform: 'node', format: 'esm', outfile: script, logLevel: 'error' });
});

/** Lets a writer commit once, kills it at some moment after that, and gives the last number that it said was stored. */
async function writeAndDie(root: string, delay: number): Promise<number> {
  const child = spawn(process.execPath, [script, root], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  const ended = new Promise<NodeJS.Signals | null>((resolve) => child.once('close', (_, signal) => resolve(signal)));
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const first = said === '';
    said += text;
    if (first) setTimeout(() => child.kill('SIGKILL'), delay);
  });
  expect(await ended).toBe('SIGKILL');
  return Number(said.slice(0, said.lastIndexOf('\n')).split('\n').at(-1));
}

// Two at a time, each with a state of its own.
it.concurrent.each(['one', 'two'])(
  'a writer that is killed fifty times leaves the last good state each time: %s',
  { timeout: 300_000 },
  async (name) => {
    const root = join(folder, name);
    let last = 0;
    for (let kill = 0; kill < 50; kill++) {
      const said = await writeAndDie(root, (kill * 7) % 30);
      const store = new Store(atomicFsDriver(root));
      const snapshots = new Snapshots(store);
      const latest = await snapshots.latest(SOURCE);
      const n = latest?.summary['n'] as number;
      // What was said to be stored is; one commit more may have ended before it could be said.
      expect([said, said + 1]).toContain(n);
      expect(n).toBeGreaterThan(last);
      last = n;
      expect(await snapshots.carry(SOURCE, 1)).toMatchObject({ state: 'ok', text: JSON.stringify({ n }) });
      const values = new Set<unknown>();
      if (latest) for await (const { facts } of snapshots.allFacts(SOURCE, latest)) values.add(facts['value']);
      expect([...values]).toEqual([n]);
      expect(await snapshots.list(SOURCE)).toHaveLength(n);
      // Beside the shards of the snapshots that are listed lie at most those of the one that was killed.
      const shards = (latest?.facts.shards.length ?? 0) * n;
      expect((await store.list('facts')).length - shards).toBeLessThanOrEqual(shards / n);
    }
    expect(await verifyAudit(new Store(atomicFsDriver(root)))).toMatchObject({ faults: [] });
  },
);
