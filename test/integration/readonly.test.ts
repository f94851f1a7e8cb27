import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeWith } from './debian.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CLI = join(ROOT, 'dist/functions/cli.js');
const NOBODY = 65534;

let folder: string;
let sources: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hpc-observer-proof-'));
  sources = join(folder, 'democluster');
  cpSync(join(ROOT, 'fixtures/democluster'), sources, { recursive: true });
  mkdirSync(join(folder, 'state'));
  mkdirSync(join(folder, 'reports'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const roots = (): string[] => ['--state-root', join(folder, 'state'), '--report-root', join(folder, 'reports')];
const runOn = (day: string): string[] => ['run', '--config', join(sources, day, 'config.yaml'), '--mock', 'reasoner', ...roots()];

/** Every file below a folder with its content, mode and times. */
function fingerprint(below: string): Record<string, string> {
  const files = readdirSync(below, { recursive: true, encoding: 'utf8' }).sort();
  return Object.fromEntries(
    files.map((name) => {
      const path = join(below, name);
      const stat = statSync(path, { bigint: true });
      const content = stat.isFile() ? createHash('sha256').update(readFileSync(path)).digest('hex') : 'folder';
      return [name, `${content} ${stat.mode} ${stat.uid} ${stat.mtimeNs} ${stat.ctimeNs}`];
    }),
  );
}

describeWith('under strace, a run', { strace: 'strace' }, ({ strace }) => {
  it('opens files for writing below its two roots alone, starts no program, and connects to nobody', { timeout: 180_000 }, () => {
    const trace = join(folder, 'trace');
    const calls =
      'trace=openat,open,creat,connect,execve,execveat,sendto,unlink,unlinkat,rename,renameat,renameat2,link,linkat,mkdir,mkdirat,truncate,ftruncate,chmod,fchmodat,chown,fchownat,utimensat,symlink,symlinkat';
    const done = spawnSync(strace, ['-f', '-qq', '-y', '-s', '300', '-e', calls, '-o', trace, process.execPath, CLI, ...runOn('faulty')], {
      encoding: 'utf8',
    });
    expect(done.status, done.stderr).toBe(0);
    const lines = readFileSync(trace, 'utf8').split('\n');
    expect(lines.length).toBeGreaterThan(500);
    const inRoots = (line: string): boolean => line.includes(join(folder, 'state')) || line.includes(join(folder, 'reports'));
    const writes = lines.filter(
      (l) =>
        /O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|\b(creat|unlink|rename|link|mkdir|truncate|chmod|chown|utimensat|symlink)\w*\(/.test(l) &&
        !l.includes('ENOENT'),
    );
    expect(writes.filter(inRoots).length).toBeGreaterThan(50);
    expect(writes.filter((l) => !inRoots(l) && !/"\/dev\/(null|tty|pts)|"\/proc\/self\/fd/.test(l))).toEqual([]);
    expect(lines.filter((l) => l.includes('execve')).length).toBe(1);
    expect(lines.filter((l) => /\bconnect\(/.test(l) && /AF_INET/.test(l))).toEqual([]);
  });
});

describe.skipIf(process.getuid?.() !== 0)('as an unprivileged user on read-only copies (needs root to become one)', () => {
  const asNobody = (...args: string[]): SpawnSyncReturns<string> =>
    spawnSync(process.execPath, [CLI, ...args], {
      encoding: 'utf8',
      uid: NOBODY,
      gid: NOBODY,
      env: { PATH: process.env['PATH'], HOME: folder },
    });

  beforeEach(() => {
    chmodSync(folder, 0o755);
    for (const root of ['state', 'reports']) chownSync(join(folder, root), NOBODY, NOBODY);
  });

  it('the sources are the same afterwards, to the byte and to the nanosecond', { timeout: 120_000 }, () => {
    const before = fingerprint(sources);
    const { status, stderr } = asNobody(...runOn('faulty'));
    expect(status, stderr).toBe(0);
    expect(fingerprint(sources)).toEqual(before);
  });

  it('a file that may not be read is named, the other sources are collected, and the verdict is not ok', { timeout: 120_000 }, () => {
    chmodSync(join(sources, 'healthy/weka/status.json'), 0o600);
    chmodSync(join(sources, 'healthy/pbs'), 0o700);
    const { status, stdout } = asNobody(...runOn('healthy'), '--json');
    expect(status).toBe(1);
    const report = JSON.parse(stdout) as {
      verdict: string;
      sources: { source: string; status: string; notes: string[]; problem?: { code: string; detail: string } }[];
    };
    expect(report.verdict).not.toBe('ok');
    const of = (source: string) => report.sources.find((s) => s.source === source);
    expect(of('pbs_state')).toMatchObject({
      status: 'failed',
      problem: { code: 'unreadable', detail: expect.stringContaining(join(sources, 'healthy/pbs')) },
    });
    expect(JSON.stringify(of('weka_state'))).toContain('status.json');
    expect(of('weka_state')?.status).not.toBe('ok');
    expect(of('console_logs')?.status).toBe('ok');
  });

  it('a state root that cannot be written is a clear error, and nothing is half done', { timeout: 120_000 }, () => {
    chownSync(join(folder, 'state'), 0, 0);
    const { status, stderr } = asNobody(...runOn('healthy'));
    expect(status).toBe(1);
    expect(stderr).toMatch(/EACCES|permission|written/i);
    expect(readdirSync(join(folder, 'state'))).toEqual([]);
  });
});

describeWith('the metrics', { promtool: 'prometheus', curl: 'curl' }, ({ promtool }) => {
  it('pass promtool', { timeout: 120_000 }, async () => {
    const { default: app } = await import('../../functions/app.ts');
    const { nodeObserver } = await import('../../functions/node.ts');
    const made = await nodeObserver(
      { demo: 'faulty', stateRoot: join(folder, 'state'), reportRoot: join(folder, 'reports'), mock: 'reasoner', notify: false },
      {},
      (level, event, fields) => level === 'error' && console.error(event, fields),
    );
    expect((await app.request('/run', { method: 'POST' }, { observer: made.observer })).status).toBe(200);
    const text = await (await app.request('/metrics', {}, { observer: made.observer })).text();
    await made.dispose();
    writeFileSync(join(folder, 'metrics'), text);
    expect(text).toMatch(/^hpc_observer_source_up\{source="weka_state"\} 1$/m);
    expect(text).toMatch(/^hpc_observer_findings\{state="new",severity="critical"\} \d+$/m);
    const checked = spawnSync(promtool, ['check', 'metrics'], { input: text, encoding: 'utf8' });
    expect(checked.stdout + checked.stderr).toBe('');
    expect(checked.status).toBe(0);
  });
});
