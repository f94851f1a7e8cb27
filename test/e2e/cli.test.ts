import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Report } from '../../lib/model/report.ts';

const CLI = fileURLToPath(new URL('../../dist/functions/cli.js', import.meta.url));

interface Ended {
  code: number | null;
  out: string;
  err: string;
}

let folder: string;

const made: string[] = [];
const fresh = (): void => void made.push((folder = mkdtempSync(join(tmpdir(), 'hpc-observer-e2e-'))));
afterAll(() => made.forEach((one) => rmSync(one, { recursive: true, force: true })));

/** Runs the built command as a user would. */
function observer(...args: string[]): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [CLI, ...args], { env: { PATH: process.env['PATH'], HOME: folder, TMPDIR: folder } });
    const ended: Ended = { code: null, out: '', err: '' };
    child.stdout.on('data', (data: Buffer) => (ended.out += data.toString()));
    child.stderr.on('data', (data: Buffer) => (ended.err += data.toString()));
    child.once('error', reject);
    child.once('close', (code) => resolve({ ...ended, code }));
  });
}

const roots = (): string[] => ['--state-root', join(folder, 'state'), '--report-root', join(folder, 'reports')];

describe('self-test on the faulty day', { timeout: 60_000 }, () => {
  let report: Report;
  beforeAll(async () => {
    fresh();
    const first = await observer('self-test', '--no-notify', '--json', ...roots());
    expect(first).toMatchObject({ code: 0, err: '' });
    report = Report.parse(JSON.parse(first.out));
  }, 60_000);

  it('finds it, and leaves its traces in the given roots', () => {
    expect(report.verdict).toBe('critical');
    expect(report.findings.length).toBeGreaterThan(20);
    expect(new Set(report.findings.map((f) => f.state))).toEqual(new Set(['new']));
    expect(report.assessment).toMatchObject({ status: 'ok', model: 'mock reasoner' });
    for (const part of ['snapshots', 'carry', 'attempts', 'ticks', 'audit', 'findings'])
      expect(readdirSync(join(folder, 'state'))).toContain(part);
    expect(readdirSync(join(folder, 'reports'))).toEqual(
      expect.arrayContaining(['latest.json', 'latest.md', 'latest.txt', 'latest.html', `${report.tick}.json`]),
    );
    expect(readFileSync(join(folder, 'reports', 'latest.txt'), 'utf8')).toContain('PROOF OF RUN');
  });

  it('leaves what other processes read', async () => {
    const demo = ['--demo', ...roots()];
    expect(JSON.parse((await observer('snapshot', 'weka_state', ...demo)).out)).toMatchObject({
      source: 'weka_state',
      schema: 'hpc-observer/snapshot/1',
    });
    const listed = await observer('findings', '--state', 'new', ...demo);
    const id = /^([0-9a-f]{32}) /m.exec(listed.out)?.[1] as string;
    expect((await observer('explain', id, ...demo)).out).toContain('episode 1');
    const answer = (await observer('tools', 'call', 'get_summary', '{"source":"pbs_state"}', ...demo)).out;
    expect(JSON.parse(answer)).toMatchObject({ ok: true });
    expect(Buffer.byteLength(answer)).toBeLessThanOrEqual(6 * 1024);
  });

  it('shows the same as ongoing the second time, for people without colour when it is no terminal', async () => {
    const second = await observer('self-test', '--no-notify', ...roots());
    expect(second.out).toMatch(/^CRITICAL · \d+ ongoing/);
    expect(second.out).toContain('PROOF OF RUN');
    expect(second.out).not.toContain('\u001b');
    const { findings } = Report.parse(JSON.parse(readFileSync(join(folder, 'reports', 'latest.json'), 'utf8')));
    expect(findings.filter((f) => f.state === 'new')).toEqual([]);
    const ongoing = findings.filter((f) => f.state === 'ongoing').map((f) => f.id);
    expect(ongoing.sort()).toEqual(report.findings.map((f) => f.id).sort());
  });
});

it('self-test says ok on the healthy day', { timeout: 60_000 }, async () => {
  fresh();
  const { code, out } = await observer('self-test', '--day', 'healthy', '--json', ...roots());
  expect(code).toBe(0);
  const report = Report.parse(JSON.parse(out));
  expect(report.findings.filter((f) => f.severity !== 'info')).toEqual([]);
  expect(report.verdict).toBe('ok');
});

describe('the command line', { timeout: 60_000 }, () => {
  beforeEach(fresh);

  it('answers usage mistakes with 2', async () => {
    expect(await observer('collect')).toMatchObject({ code: 2, err: expect.stringContaining('--config') });
    expect(await observer('run', '--demo', '--mock', 'nobody')).toMatchObject({ code: 2, err: expect.stringContaining('nobody') });
    expect(await observer('--help')).toMatchObject({ code: 0, out: expect.stringContaining('self-test') });
  });

  it('names every mistake of a configuration with its line', async () => {
    const file = join(folder, 'config.yaml');
    writeFileSync(file, 'cluster: my cluster\nsources:\n  weka_state: { path: x, max_age: soon }\n  nonsense: {}\n');
    const { code, err } = await observer('collect', '--config', file, ...roots());
    expect(code).toBe(2);
    expect(err).toContain(`${file}:1: cluster:`);
    expect(err).toContain(`${file}:3: sources.weka_state.max_age:`);
    expect(err).toContain(`${file}:4: sources.nonsense:`);
  });

  it('runs the other sources when one is missing, says which file, and ends with 1', async () => {
    const file = join(folder, 'config.yaml');
    writeFileSync(join(folder, 'n1'), '[    1.000000] Kernel panic - not syncing: Fatal exception\n');
    writeFileSync(file, 'cluster: c\nsources:\n  weka_state: { path: nowhere }\n  console_logs: { path: n1, first_sight: all }\n');
    const collected = await observer('collect', '--config', file, '--json', ...roots());
    expect(collected.code).toBe(1);
    const { results } = JSON.parse(collected.out) as { results: { source: string; status: string; problem?: { detail: string } }[] };
    expect(Object.fromEntries(results.map((r) => [r.source, r.status]))).toMatchObject({
      weka_state: 'failed',
      console_logs: 'ok',
      pbs_state: 'skipped',
    });
    expect(results.find((r) => r.source === 'weka_state')?.problem?.detail).toContain(join(folder, 'nowhere'));
    const ran = await observer('run', '--config', file, '--no-model', ...roots());
    expect(ran).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^CRITICAL.*not seen: weka_state/),
      err: expect.stringContaining('nowhere'),
    });
    expect(await observer('findings', '--check', '--config', file, ...roots())).toMatchObject({ code: 2 });
  });
});
