import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { collectors } from '../../lib/collectors/registry.ts';
import { describeWith } from './debian.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CLI = join(ROOT, 'dist/functions/cli.js');

describeWith('the systemd units', { 'systemd-analyze': 'systemd', curl: 'curl' }, (tool) => {
  let folder: string;
  let units: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'hpc-observer-units-'));
    units = join(folder, 'units');
    mkdirSync(join(folder, 'run'));
    const where = [
      '--config',
      join(ROOT, 'fixtures/democluster/faulty/config.yaml'),
      '--state-root',
      join(folder, 'state'),
      '--report-root',
      join(folder, 'reports'),
    ];
    execFileSync(process.execPath, [
      CLI,
      'systemd',
      '--out',
      units,
      '--user',
      'daemon',
      '--group',
      'daemon',
      '--curl',
      tool.curl,
      ...where,
    ]);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('verify without a word', () => {
    const files = readdirSync(units).map((f) => join(units, f));
    const { stdout, stderr, status } = spawnSync(tool['systemd-analyze'], ['verify', ...files], { encoding: 'utf8' });
    expect(`${stdout}${stderr}`).toBe('');
    expect(status).toBe(0);
  });

  it('expose 1.5 or less', () => {
    const { stdout } = spawnSync(tool['systemd-analyze'], ['security', '--offline=true', join(units, 'hpc-observer.service')], {
      encoding: 'utf8',
    });
    const level = Number(/Overall exposure level for hpc-observer\.service: ([\d.]+)/.exec(stdout)?.[1]);
    expect(level).toBeLessThanOrEqual(1.5);
  });

  it('refuse a value that would break out of its line', () => {
    const { status, stderr } = spawnSync(
      process.execPath,
      [CLI, 'systemd', '--out', join(folder, 'bad'), '--user', 'x\nExecStartPre=/bin/false'],
      { encoding: 'utf8' },
    );
    expect(status).toBe(2);
    expect(stderr).toContain('user');
  });

  it('work when their own command lines are run in order against a server on a socket', { timeout: 120_000 }, async () => {
    const socket = join(folder, 'run', 'observer.sock');
    // The bundled day is older than the clock of this machine: its own clock goes with --demo in place of --config.
    const command = commandOf('hpc-observer.service', socket).flatMap((word, i, all) =>
      word === '--config' ? ['--demo', 'faulty'] : all[i - 1] === '--config' ? [] : [word],
    );
    const [program = '', ...rest] = command;
    const server = spawn(program, [...rest, '--no-model', '--socket', socket], { stdio: ['ignore', 'ignore', 'pipe'] });
    let log = '';
    server.stderr.on('data', (data: Buffer) => (log += data.toString()));
    while (!log.includes('listening') && server.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(log).toContain('listening');
    chmodSync(socket, 0o666);
    for (const source of collectors.map((c) => c.source))
      run(commandOf('hpc-observer-collect@.service', socket).map((word) => word.replaceAll('%i', source)));
    run(commandOf('hpc-observer-diff.service', socket));
    expect(JSON.parse(run(commandOf('hpc-observer-tick.service', socket)))).toMatchObject({ verdict: 'critical' });
    const unknown = commandOf('hpc-observer-collect@.service', socket).map((word) => word.replaceAll('%i', 'nowhere'));
    expect(spawnSync(unknown[0] as string, unknown.slice(1)).status).toBe(22);
    server.kill('SIGTERM');
    expect(await new Promise((resolve) => server.once('close', resolve))).toBe(0);
    expect(existsSync(join(folder, 'reports', 'latest.md'))).toBe(true);
    expect(existsSync(socket)).toBe(false);
  });

  /** A unit's ExecStart as words, at this test's socket. */
  function commandOf(unit: string, socket: string): string[] {
    const line = /^ExecStart=(.*)$/m.exec(readFileSync(join(units, unit), 'utf8'))?.[1] as string;
    return line.replaceAll('/run/hpc-observer/observer.sock', socket).split(' ');
  }

  function run([program = '', ...args]: string[]): string {
    const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
    expect(status, stdout + stderr).toBe(0);
    return stdout;
  }
});
