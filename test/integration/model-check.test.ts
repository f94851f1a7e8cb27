import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { startMock } from '../../lib/harness/mocks/server.ts';

const MAIN = fileURLToPath(new URL('../../dist/lib/eval/model-check-main.js', import.meta.url));

function modelCheck(...args: string[]): Promise<{ code: number | null; out: string; err: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [MAIN, ...args]);
    const ended = { code: null as number | null, out: '', err: '' };
    child.stdout.on('data', (data: Buffer) => (ended.out += data.toString()));
    child.stderr.on('data', (data: Buffer) => (ended.err += data.toString()));
    child.once('error', reject);
    child.once('close', (code) => resolve({ ...ended, code }));
  });
}

async function over(mock: string, ...args: string[]) {
  const server = await startMock(mock);
  if (!server) throw new Error(`no mock ${mock}`);
  try {
    return await modelCheck('--model-url', server.url, '--model-name', 'mock', ...args);
  } finally {
    await server.close();
  }
}

describe('model-check', () => {
  it('tells a model that does its work from those that are of no use; every run ends complete all the same', async () => {
    const perfect = await over('perfect', '--json');
    expect(perfect).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(perfect.out)).toMatchObject({
      verdict: 'usable',
      runs: ['faulty', 'healthy', 'hostile'].map((day) => ({ day, status: 'ok', broken: [] })),
    });
    for (const mock of ['silent', 'liar', 'hijacked', 'flaky']) {
      const { out, code } = await over(mock);
      expect({ mock, out }).toMatchObject({ out: expect.stringMatching(/every run ended in time with a complete, valid report/) });
      expect({ mock, code }).toEqual({ mock, code: mock === 'flaky' ? 0 : 1 });
    }
  });

  it('tells a server that is not there, or never answers, in time', async () => {
    const dead = await modelCheck('--model-url', 'http://127.0.0.1:9/v1', '--model-name', 'x');
    expect(dead).toMatchObject({ code: 1, out: expect.stringMatching(/failed {3}answers: [^]*verdict: of no use/) });
    expect((await over('slow', '--timeout', '2s')).out).toMatch(/in time[^]*verdict: of no use/);
  });

  it('says how it is used', async () => {
    expect(await modelCheck('--model-url', 'nonsense')).toMatchObject({ code: 2, err: expect.stringContaining('usage:') });
  });
});
