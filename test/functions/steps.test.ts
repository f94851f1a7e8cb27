import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../lib/config.ts';
import type { Log } from '../../lib/steps/observer.ts';
import reads from '../../functions/reads.ts';
import { StepThread, withStepThread } from '../../functions/steps.ts';
import { testObserver } from '../observer.ts';

const setting = { config: parseConfig('cluster: test\nsources: {}\n', { file: 'x', collectors: [] }), flags: {}, clock: 7 };
const bodyOf = (script: string): URL =>
  new URL(`data:text/javascript,${encodeURIComponent(`import { parentPort, workerData } from 'node:worker_threads';${script}`)}`);
const ECHO = `parentPort.on('message', (m) => {
  if (m === 'end') return parentPort.postMessage({ ended: { abandoned: workerData.flags.stuck ?? 0 } });
  if (m.url === '/tick') throw new Error('broken');
  parentPort.postMessage({ log: ['info', 'echo', { clock: workerData.clock }] });
  const body = new TextEncoder().encode(JSON.stringify({ ...m, body: new TextDecoder().decode(m.body) })).buffer;
  parentPort.postMessage({ id: m.id, status: 201, headers: [['content-type', 'text/x-echo']], body }, [body]);
});`;

function behind(thread: StepThread) {
  const observer = testObserver('cluster: test\nsources: {}\nserver: { max_body: 100 }\n');
  const front = withStepThread(reads, thread, ['weka_state']);
  return { observer, call: async (path: string, init: RequestInit = {}) => front.request(path, init, { observer }) };
}

describe('a thread of steps', () => {
  it('gets the requests that do a step, with their body and what a step looks at; others stay', async () => {
    const lines: Parameters<Log>[] = [];
    const thread = new StepThread(bodyOf(ECHO), setting, (...line) => void lines.push(line));
    const { observer, call } = behind(thread);
    observer.validTokens = ['t'];
    const headers = { authorization: 'Bearer t', 'content-type': 'text/x', cookie: 'c' };
    const response = await call('/collect/weka_state?asOf=x', { method: 'POST', body: 'pushed', headers });
    expect([response.status, response.headers.get('content-type')]).toEqual([201, 'text/x-echo']);
    expect(await response.json()).toMatchObject({
      method: 'POST',
      url: '/collect/weka_state?asOf=x',
      headers: [
        ['authorization', 'Bearer t'],
        ['content-type', 'text/x'],
      ],
      body: 'pushed',
    });
    expect(lines).toEqual([['info', 'echo', { clock: 7 }]]);
    expect((await call('/run', { method: 'POST' })).status).toBe(401);
    expect((await call('/run', { method: 'POST', body: 'x'.repeat(101), headers })).status).toBe(413);
    expect((await call('/run', { headers })).status).toBe(405);
    expect((await call('/collect/nowhere', { method: 'POST', headers })).status).toBe(404);
    expect(await (await call('/healthz')).json()).toEqual({ status: 'ok' });
    expect((await call('/tools/list_sources', { method: 'POST', headers })).status).toBe(404);
    expect(await thread.end()).toBe(true);
    observer.dispose();
  });

  it('that ends before it has answered is an error, and the next request begins another', async () => {
    const thread = new StepThread(bodyOf(ECHO), setting, () => undefined);
    const { observer, call } = behind(thread);
    const answers = await Promise.all([call('/tick', { method: 'POST' }), call('/tick', { method: 'POST' })]);
    for (const answer of answers) {
      expect(answer.status).toBe(500);
      expect(await answer.json()).toMatchObject({ title: 'Fault of the program' });
    }
    expect((await call('/run', { method: 'POST' })).status).toBe(201);
    expect(await thread.end()).toBe(true);
    expect(await thread.end()).toBe(true);
    observer.dispose();
  });

  it('says at its end that a read of it never came back', async () => {
    const thread = new StepThread(bodyOf(ECHO), { ...setting, flags: { stuck: 1 } as object }, () => undefined);
    const { observer, call } = behind(thread);
    expect((await call('/run', { method: 'POST' })).status).toBe(201);
    expect(await thread.end()).toBe(false);
    observer.dispose();
  });
});
