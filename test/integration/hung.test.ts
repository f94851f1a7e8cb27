import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requireDebian } from './debian.ts';

const CLI = fileURLToPath(new URL('../../dist/functions/cli.js', import.meta.url));

/** Every read of a file whose path holds `/hung/` sleeps for ever and no signal wakes it: what a dead NFS server does. */
const SHIM = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>
static void stall(int fd) {
  char link[64], path[PATH_MAX] = "";
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  if (readlink(link, path, sizeof path - 1) > 0 && strstr(path, "/hung/")) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    for (;;) pause();
  }
}
#define REAL(name) ((__typeof__(name) *)dlsym(RTLD_NEXT, #name))
ssize_t read(int fd, void *b, size_t n) { stall(fd); return REAL(read)(fd, b, n); }
ssize_t pread(int fd, void *b, size_t n, off_t o) { stall(fd); return REAL(pread)(fd, b, n, o); }
ssize_t pread64(int fd, void *b, size_t n, off64_t o) { stall(fd); return REAL(pread64)(fd, b, n, o); }
ssize_t readv(int fd, const struct iovec *v, int n) { stall(fd); return REAL(readv)(fd, v, n); }
ssize_t preadv(int fd, const struct iovec *v, int n, off_t o) { stall(fd); return REAL(preadv)(fd, v, n, o); }
ssize_t preadv64(int fd, const struct iovec *v, int n, off64_t o) { stall(fd); return REAL(preadv64)(fd, v, n, o); }
`;

let folder: string;
let config: string;
let env: Record<string, string>;

beforeAll(() => {
  requireDebian('gcc', 'gcc');
  folder = mkdtempSync(join(tmpdir(), 'hpc-observer-hung-'));
  writeFileSync(join(folder, 'shim.c'), SHIM);
  execFileSync('gcc', ['-shared', '-fPIC', '-o', join(folder, 'shim.so'), join(folder, 'shim.c'), '-ldl', '-lpthread']);
  mkdirSync(join(folder, 'hung'));
  mkdirSync(join(folder, 'consoles'));
  writeFileSync(join(folder, 'hung', 'status.json'), '{}');
  writeFileSync(join(folder, 'consoles', 'n1'), '[    1.000000] Kernel panic - not syncing: Fatal exception\n');
  config = join(folder, 'config.yaml');
  writeFileSync(
    config,
    'cluster: c\nsources:\n  weka_state: { path: hung, deadline: 2s }\n  console_logs: { path: consoles, first_sight: all }\n',
  );
  env = { PATH: process.env['PATH'] ?? '', LD_PRELOAD: join(folder, 'shim.so') };
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const roots = (name: string): string[] => ['--state-root', join(folder, name, 'state'), '--report-root', join(folder, name, 'reports')];

describe('a source whose reads never come back', () => {
  it('is a problem that says so; the other source is collected, the report is made, and the command ends with 1', async () => {
    const child = spawn(process.execPath, [CLI, 'run', '--config', config, '--no-model', '--json', ...roots('run')], { env });
    let out = '';
    child.stdout.on('data', (data: Buffer) => (out += data.toString()));
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect(code).toBe(1);
    const report = JSON.parse(out) as {
      verdict: string;
      sources: { source: string; status: string; problem?: { code: string } }[];
      findings: { kind: string }[];
    };
    expect(report.verdict).toBe('critical');
    expect(report.findings.map((f) => f.kind)).toContain('kernel_panic');
    expect(report.sources.find((s) => s.source === 'weka_state')).toMatchObject({ status: 'failed', problem: { code: 'timeout' } });
    expect(report.sources.find((s) => s.source === 'console_logs')).toMatchObject({ status: 'ok' });
  });

  it('does not keep the server from anything else, nor from stopping', async () => {
    const child = spawn(process.execPath, [CLI, 'serve', '--config', config, '--no-model', '--listen', '127.0.0.1:0', ...roots('serve')], {
      env,
    });
    const url = await new Promise<string>((resolve) => {
      let log = '';
      child.stderr.on('data', (data: Buffer) => {
        log += data.toString();
        const address = /"address":"(http[^"]+)"/.exec(log)?.[1];
        if (address) resolve(address);
      });
    });
    const hung = await Promise.all([1, 2, 3, 4, 5].map(() => fetch(`${url}/collect/weka_state`, { method: 'POST' })));
    expect(hung.map((r) => r.status).sort((a, b) => a - b)).toEqual([409, 409, 409, 409, 502]);
    for (let i = 0; i < 5; i++) expect((await fetch(`${url}/collect/weka_state`, { method: 'POST' })).status).toBe(502);
    expect((await fetch(`${url}/collect/console_logs`, { method: 'POST' })).status).toBe(200);
    expect((await fetch(`${url}/tick`, { method: 'POST' })).status).toBe(200);
    child.kill('SIGTERM');
    expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0);
  });
});
