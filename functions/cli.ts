#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { runProgram } from '../lib/cli/program.ts';
import type { CommonFlags, Session } from '../lib/cli/session.ts';
import { oneLine } from '../lib/model/text.ts';
import { printable } from '../lib/report/printable.ts';
import type { Log } from '../lib/steps/observer.ts';
import { exitAtOnce } from './exit.ts';

const log: Log = (level, event, fields = {}) => {
  if (level === 'debug' || level === 'info') return;
  process.stderr.write(`${level}: ${event} ${oneLine(JSON.stringify(fields), 2000)}\n`);
};

let stuck = false;

async function withSession(flags: CommonFlags, work: (session: Session) => Promise<number>): Promise<number> {
  const { default: app } = await import('./app.ts');
  const { nodeObserver, SOURCES } = await import('./node.ts');
  const { observer, threads, dispose } = await nodeObserver(flags, process.env, log);
  const colour = process.stdout.isTTY && !process.env['NO_COLOR'];
  const session: Session = {
    request: async (path, init = {}) => {
      const [token] = await observer.tokens();
      return app.request(path, { ...init, ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }) }, { observer });
    },
    sources: SOURCES,
    out: (text) => void process.stdout.write(printable(text, { colour })),
    err: (text) => void process.stderr.write(printable(text)),
    now: observer.clock,
    colour,
    width: process.stdout.columns ?? 120,
  };
  const status = await work(session);
  await dispose();
  stuck = threads.abandoned > 0;
  return status;
}

// A reader that has seen enough (`| head`) ends neither the work nor its exit status.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});
const status = await runProgram(process.argv.slice(2), {
  withSession,
  // Each command loads what it needs: a server is to listen soon.
  serve: async (flags) => (await import('./server.ts')).serveNode(flags, process.env),
  writeUnits: async (flags) => (await import('./units.ts')).writeUnits(flags),
  addEvaluation: async (command, streams) => (await import('./evaluation.ts')).addEvaluation(command, streams),
  readText: (file) => readFileSync(file, 'utf8'),
  isConfigured: (flags) => Boolean(flags.demo ?? flags.config ?? process.env['OBSERVER_CONFIG']),
  user: process.env['USER'] ?? process.env['LOGNAME'],
  now: Date.now,
  out: (text) => void process.stdout.write(printable(text)),
  err: (text) => void process.stderr.write(printable(text)),
});
if (stuck) await exitAtOnce(status);
process.exitCode = status;
