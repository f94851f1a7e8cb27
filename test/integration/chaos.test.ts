import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyAudit } from '../../lib/audit/audit.ts';
import { Report } from '../../lib/model/report.ts';
import { listReports, readReport } from '../../lib/report/publish.ts';
import { atomicFsDriver } from '../../lib/store/drivers/atomic-fs.ts';
import { Snapshots } from '../../lib/store/snapshots.ts';
import { Store } from '../../lib/store/store.ts';
import { CLI, serve } from './server.ts';

const SOURCES = ['weka_state', 'console_logs'] as const;
/** Kills of servers, over all lanes, at steps and moments drawn from a seed. */
const KILLS = 300;
const LANES = 3;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hpc-observer-chaos-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const status = (io_status: string): string => JSON.stringify({ name: 'demo', status: 'OK', io_status, drives: { active: 8, total: 8 } });

/** A place with two small sources, and the roots of an observer of them. */
class Site {
  readonly at: string;
  readonly args: string[];
  constructor(name: string, roots = join(folder, name)) {
    this.at = join(folder, name);
    mkdirSync(join(this.at, 'weka'), { recursive: true });
    mkdirSync(join(this.at, 'consoles'));
    this.weka('STARTED');
    writeFileSync(join(this.at, 'consoles', 'n1'), '[    1.000000] Kernel panic - not syncing: Fatal exception\n');
    writeFileSync(
      join(this.at, 'config.yaml'),
      'cluster: c\nsources:\n  weka_state: { path: weka }\n  console_logs: { path: consoles, first_sight: all }\n',
    );
    const at = ['--state-root', join(roots, 'state'), '--report-root', join(roots, 'reports')];
    this.args = ['--config', join(this.at, 'config.yaml'), '--mock', 'reasoner', ...at];
    this.state = join(roots, 'state');
    this.reports = join(roots, 'reports');
  }
  readonly state: string;
  readonly reports: string;

  weka(io_status: string): void {
    writeFileSync(join(this.at, 'weka', 'status.json'), status(io_status));
  }

  open(): { store: Store; reports: Store; snapshots: Snapshots } {
    const store = new Store(atomicFsDriver(this.state));
    return { store, reports: new Store(atomicFsDriver(this.reports)), snapshots: new Snapshots(store) };
  }
}

/** The tick that began last, where it has not ended. */
async function unfinishedOf(store: Store): Promise<string | null> {
  const tickOf = async (key: string): Promise<string | undefined> =>
    (JSON.parse((await store.getText(key)) ?? '{}') as { tick?: string }).tick;
  const started = await tickOf('ticks/started');
  return started === undefined || started === (await tickOf('findings/head')) ? null : started;
}

/** Files below a root that are not whole JSON, but for what is lines of it. */
function torn(root: string, seen: Map<string, number>): string[] {
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const path = join(root, name);
    if (name.startsWith('.tmp') || /\.(md|txt|html)$/.test(name)) return false;
    const stat = statSync(path);
    if (stat.isDirectory() || seen.get(path) === stat.mtimeMs) return false;
    seen.set(path, stat.mtimeMs);
    const text = readFileSync(path, 'utf8');
    const parts = /^(audit\/\d|carry\/|facts\/)/.test(name) ? text.trim().split('\n') : [text];
    try {
      parts.forEach((part) => JSON.parse(part));
      return false;
    } catch {
      return true;
    }
  });
}

/** Numbers from 0 to below 1; the same for the same seed (mulberry32). */
function numbers(seed: number): () => number {
  let a = seed;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The steps, each with the number of events that its temporary files cause: three a write. */
const STEPS: readonly (readonly [path: string, events: number])[] = [
  ['collect/weka_state', 18],
  ['collect/console_logs', 18],
  ['diff', 18],
  ['tick', 48],
  ['tick', 48],
  ['run', 114],
  ['run', 114],
];

describe('the built server, killed in the midst of its steps', () => {
  it.concurrent.each(Array.from({ length: LANES }, (_, lane) => lane))(
    `${KILLS / LANES} times, leaves the last good state, names the tick, and goes on: lane %i`,
    { timeout: 1_800_000 },
    async (lane) => {
      const site = new Site(`kill-${lane}`);
      const random = numbers(20_261_130 + lane);
      const seen = new Map<string, number>();
      let good = 0;
      let named = 0;
      const latest: Record<string, string> = {};
      for (let kill = 0; kill < KILLS / LANES; kill++) {
        const { child, url, ended } = await serve([...site.args, '--listen', '127.0.0.1:0']);
        const before = site.open();
        const unfinished = await unfinishedOf(before.store);
        for (const source of SOURCES)
          expect((await before.snapshots.latest(source))?.id ?? '').toSatisfy((id: string) => id >= (latest[source] ?? ''));
        expect([...torn(site.state, seen), ...torn(site.reports, seen)]).toEqual([]);

        const response = await fetch(`${url}/run`, { method: 'POST' });
        expect(response.status, await response.clone().text()).toBe(200);
        const { report: head } = (await response.json()) as { report: { tick: string; verdict: string } };
        expect(head.verdict).toBe('critical');
        const report = Report.parse(await (await fetch(`${url}/reports/latest.json`)).json());
        expect(report.tick).toBe(head.tick);
        expect(report.provenance.unfinishedTick).toBe(unfinished);
        if (unfinished !== null) named++;
        expect(await (await fetch(`${url}/audit/verify`)).json()).toMatchObject({ faults: [] });
        for (const source of SOURCES) latest[source] = (await before.snapshots.latest(source))?.id ?? '';
        good++;

        site.weka(random() < 0.5 ? 'STOPPED' : 'STARTED');
        const [step, events] = STEPS[Math.floor(random() * STEPS.length)] as (typeof STEPS)[number];
        // Every write begins and ends in this folder: the kill comes amid the writes, however slow the machine is.
        let left = 1 + Math.floor(random() * events);
        const watcher = watch(join(site.state, '.tmp'), () => --left === 0 && child.kill('SIGKILL'));
        const answer = fetch(`${url}/${step}`, { method: 'POST' }).then(
          (r) => r.status,
          () => null,
        );
        await Promise.race([answer, ended]);
        child.kill('SIGKILL');
        watcher.close();
        expect(await ended).toBe('SIGKILL');
        await answer;
      }
      expect(good).toBe(KILLS / LANES);
      // More than half of the steps hold a tick, and about half of the kills there hit it under way.
      expect(named).toBeGreaterThan(KILLS / LANES / 10);
      const { store, reports } = site.open();
      expect(await verifyAudit(store)).toMatchObject({ faults: [] });
      for (const tick of await listReports(reports)) expect((await readReport(reports, tick))?.tick).toBe(tick);
    },
  );
});

interface Ended {
  code: number | null;
  signal: string | null;
  out: string;
  err: string;
}

function command(...args: string[]): { done: Promise<Ended>; kill: () => void } {
  const child = spawn(process.execPath, [CLI, ...args], { env: { PATH: process.env['PATH'] } });
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  const done = new Promise<Ended>((resolve) => child.once('close', (code, signal) => resolve({ code, signal, out, err })));
  return { done, kill: () => void child.kill('SIGKILL') };
}

describe('the one-shot command, killed', () => {
  it('at any moment of a run, leaves what the next one goes on from', { timeout: 180_000 }, async () => {
    const site = new Site('one-shot');
    const random = numbers(7);
    const clean = await command('run', ...site.args, '--json').done;
    expect(clean).toMatchObject({ code: 0, err: '' });
    for (let kill = 0; kill < 12; kill++) {
      const { done, kill: end } = command('run', ...site.args);
      // Until it has begun to write there is nothing to hit.
      const before = readdirSync(site.state, { recursive: true }).length;
      for (let i = 0; i < 1000 && readdirSync(site.state, { recursive: true }).length === before; i++)
        await new Promise((r) => setTimeout(r, 2));
      await new Promise((resolve) => setTimeout(resolve, random() * 200));
      end();
      await done;
      const { store } = site.open();
      const unfinished = await unfinishedOf(store);
      const next = await command('run', ...site.args, '--json').done;
      expect(next).toMatchObject({ code: 0, err: '' });
      expect(Report.parse(JSON.parse(next.out)).provenance.unfinishedTick).toBe(unfinished);
      expect(await verifyAudit(store)).toMatchObject({ faults: [] });
    }
  });
});

describe('two schedulers at once over the same roots', () => {
  it('each get their report or are told that the other runs; nothing is lost', { timeout: 180_000 }, async () => {
    const site = new Site('two');
    const servers = await Promise.all([1, 2].map(async () => serve([...site.args, '--listen', '127.0.0.1:0'])));
    const codes: number[] = [];
    const ticks: string[] = [];
    for (let round = 0; round < 20; round++) {
      site.weka(round % 4 < 2 ? 'STOPPED' : 'STARTED');
      const answers = await Promise.all(
        servers.map(async ({ url }) => fetch(`${url}/${round % 2 === 0 ? 'run' : 'tick'}`, { method: 'POST' })),
      );
      for (const answer of answers) {
        codes.push(answer.status);
        const body = (await answer.json()) as { report?: { tick: string }; tick?: string; code?: string };
        if (answer.status === 200) ticks.push(body.report?.tick ?? (body.tick as string));
        else expect(body).toMatchObject({ code: 'busy' });
      }
      expect(answers.some((a) => a.status === 200)).toBe(true);
    }
    expect(codes.every((c) => c === 200 || c === 409)).toBe(true);
    const { store, reports } = site.open();
    expect(new Set(ticks).size).toBe(ticks.length);
    expect((await listReports(reports)).toSorted()).toEqual(ticks.toSorted());
    expect(await unfinishedOf(store)).toBeNull();
    expect(await verifyAudit(store)).toMatchObject({ faults: [] });
    for (const { child, ended } of servers) {
      child.kill('SIGTERM');
      expect(await ended).toBe(0);
    }
  });
});

/** A file system of some size of its own; null and why where none can be mounted. */
function mount(at: string, size: string): string | null {
  if (process.getuid?.() !== 0) return 'only root can mount a tmpfs';
  mkdirSync(at, { recursive: true });
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', at], { stdio: 'pipe' });
    return null;
  } catch (error) {
    return `no tmpfs can be mounted here: ${String((error as { stderr?: unknown }).stderr).trim()}`;
  }
}

const refusal = (() => {
  const at = mkdtempSync(join(tmpdir(), 'hpc-observer-mount-'));
  const why = mount(at, '1m');
  if (why === null) execFileSync('umount', [at]);
  rmSync(at, { recursive: true, force: true });
  if (why !== null) console.warn(`skipped: full and read-only file systems: ${why}`);
  return why;
})();

describe.skipIf(refusal !== null)(`roots on a file system of their own${refusal === null ? '' : ` (skipped: ${refusal})`}`, () => {
  let mounted: string[];
  beforeAll(() => {
    mounted = [];
  });
  afterAll(() => mounted.forEach((at) => execFileSync('umount', ['-l', at])));

  const small = (name: string): Site => {
    const at = join(folder, `mount-${name}`);
    expect(mount(at, '4m')).toBeNull();
    mounted.push(at);
    return new Site(name, at);
  };

  it('that is full are a clear error with exit status 1, keep the last good state, and recover when there is space', {
    timeout: 180_000,
  }, async () => {
    const site = small('full');
    expect(await command('run', ...site.args).done).toMatchObject({ code: 0 });
    const server = await serve([...site.args, '--listen', '127.0.0.1:0']);
    const good = await (await fetch(`${server.url}/reports/latest.json`)).text();
    const ballast = join(folder, 'mount-full', 'ballast');
    try {
      writeFileSync(ballast, Buffer.alloc(16 * 1024 * 1024));
    } catch {
      // As much as there was room for.
    }
    expect(existsSync(ballast)).toBe(true);
    for (const step of ['run', 'tick', 'collect']) {
      const { code, err, out } = await command(
        step,
        ...(step === 'collect' ? site.args.filter((a) => a !== '--mock' && a !== 'reasoner') : site.args),
      ).done;
      expect(code, step).toBe(1);
      expect(out + err, step).toMatch(/cannot be written: ENOSPC/);
      expect(out + err, step).toMatch(/Free space/);
      expect(out + err, step).not.toMatch(/\n {4}at /);
    }
    const refused = await fetch(`${server.url}/run`, { method: 'POST' });
    expect(refused.status).toBe(507);
    expect(await refused.json()).toMatchObject({ code: 'store', detail: expect.stringContaining('ENOSPC') });
    // What is stored can be read all the while.
    expect(await (await fetch(`${server.url}/reports/latest.json`)).text()).toBe(good);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    rmSync(ballast);
    const again = await fetch(`${server.url}/run`, { method: 'POST' });
    expect(again.status).toBe(200);
    expect(await command('run', ...site.args).done).toMatchObject({ code: 0, err: '' });
    expect(await verifyAudit(site.open().store)).toMatchObject({ faults: [] });
    server.child.kill('SIGTERM');
    expect(await server.ended).toBe(0);
  });

  it('that became read-only are a clear error, serve what they hold, and recover', { timeout: 180_000 }, async () => {
    const site = small('readonly');
    expect(await command('run', ...site.args).done).toMatchObject({ code: 0 });
    const server = await serve([...site.args, '--listen', '127.0.0.1:0']);
    const remount = (how: string): void => void execFileSync('mount', ['-o', `remount,${how}`, join(folder, 'mount-readonly')]);
    remount('ro');
    const { code, err, out } = await command('run', ...site.args).done;
    expect(code).toBe(1);
    expect(out + err).toMatch(/EROFS/);
    const refused = await fetch(`${server.url}/run`, { method: 'POST' });
    expect(refused.status).toBe(507);
    expect(await refused.json()).toMatchObject({ code: 'store', detail: expect.stringContaining('EROFS') });
    for (const path of ['/readyz', '/metrics', '/reports/latest.md', '/findings'])
      expect((await fetch(`${server.url}${path}`)).status, path).toBe(200);
    expect(await command('report', ...site.args.filter((a) => a !== '--mock' && a !== 'reasoner')).done).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^CRITICAL/),
    });
    remount('rw');
    expect((await fetch(`${server.url}/run`, { method: 'POST' })).status).toBe(200);
    server.child.kill('SIGTERM');
    expect(await server.ended).toBe(0);
  });
});
