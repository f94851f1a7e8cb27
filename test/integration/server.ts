import { type ChildProcess, spawn } from 'node:child_process';
import { request } from 'node:http';
import { fileURLToPath } from 'node:url';

export const CLI = fileURLToPath(new URL('../../dist/functions/cli.js', import.meta.url));

export interface Server {
  child: ChildProcess;
  /** Empty where it listens on a unix socket. */
  url: string;
  /** Everything that it has logged so far. */
  log: () => string;
  /** Resolves with its exit status, or with the signal that ended it. */
  ended: Promise<number | string>;
}

/** Starts the built server with these arguments and waits until it listens. @throws where it ends instead, with its log */
export async function serve(args: readonly string[], command: readonly string[] = [process.execPath, CLI, 'serve']): Promise<Server> {
  const [program = '', ...rest] = command;
  const child = spawn(program, [...rest, ...args], { stdio: ['ignore', 'ignore', 'pipe'], env: { PATH: process.env['PATH'] } });
  let log = '';
  const ended = new Promise<number | string>((resolve) => child.once('close', (code, signal) => resolve(code ?? signal ?? 'nothing')));
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      log += text;
      const address = /"event":"listening","address":"([^"]+)"/.exec(log)?.[1];
      if (address !== undefined) resolve(address.startsWith('http') ? address : '');
    });
    void ended.then(() => reject(new Error(`the server ended: ${log}`)));
  });
  return { child, url, log: () => log, ended };
}

export interface Answer {
  status: number;
  body: string;
}

/** One request over a unix socket. */
export function overSocket(socketPath: string, path: string, method = 'GET'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request({ socketPath, path, method }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => (body += text));
      response.once('end', () => resolve({ status: response.statusCode ?? 0, body }));
    })
      .once('error', reject)
      .end();
  });
}
