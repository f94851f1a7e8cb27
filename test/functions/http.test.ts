import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import app from '../../functions/app.ts';
import diff from '../../functions/diff.ts';
import { withFront } from '../../functions/front.ts';
import { nodeObserver } from '../../functions/node.ts';
import { memoryDriver } from '../../lib/store/drivers/memory.ts';
import { testObserver, type TestObserver } from '../observer.ts';

const CONFIG = 'cluster: test\nsources:\n  weka_state: { path: weka, push: true }\n';
const STATUS = JSON.stringify({
  name: 'demo',
  status: 'OK',
  io_status: 'STARTED',
  drives: { active: 8, total: 8 },
  rebuild: { protectionState: [{ numFailures: 0, percent: 100, MiB: 1 }] },
});

let observer: TestObserver;
beforeEach(() => {
  observer = testObserver(CONFIG);
});
afterEach(() => observer.dispose());

const call = async (path: string, init: RequestInit = {}): Promise<Response> => app.request(path, init, { observer });

describe('what is refused', () => {
  it.each([
    ['/reports/%E0%A4%A', 'GET', 404],
    ['/findings/%zz', 'GET', 404],
    ['/snapshots/%ff/latest', 'GET', 404],
    ['/snapshots/weka_state/%', 'GET', 404],
    ['/snapshots/weka_state/..%2f..%2fetc%2fpasswd', 'GET', 404],
    ['/tools/%', 'POST', 404],
    ['/replay/%c0%ae', 'POST', 404],
    ['/nowhere', 'GET', 404],
    ['/collect/nowhere', 'POST', 404],
    ['/tick', 'GET', 405],
    ['/collect/weka_state', 'PUT', 405],
    ['/collect/weka_state', 'GET', 405],
    ['/reports/latest.json', 'DELETE', 405],
    ['/healthz', 'POST', 405],
    ['/tools', 'PATCH', 405],
    ['/diff', 'HEAD', 405],
    ['/findings?state=%ff', 'GET', 400],
    ['/collect/weka_state?asOf=%zz', 'POST', 400],
  ])('%s by %s is a problem document of %i', async (path, method, status) => {
    const response = await call(path, { method });
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    if (method !== 'HEAD')
      expect(await response.json()).toMatchObject({ type: 'about:blank', status, title: expect.any(String), detail: expect.any(String) });
    if (status === 405) expect(response.headers.get('allow')).toMatch(/^(GET, HEAD|POST)$/);
  });

  it('a method is refused by a function that is deployed alone, too', async () => {
    const response = await diff.request('/', { method: 'GET' }, { observer });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
  });

  it.each(['{"by":', '[1, 2', 'nonsense', '"x'])('%s is no JSON object of arguments', async (body) => {
    const response = await call('/tools/count_conditions', { method: 'POST', body });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ title: 'Bad arguments' });
  });

  it('arguments of a tool are refused by their size, also where nobody told it', async () => {
    const body = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(32 * 1024).fill(32)),
    });
    const response = await call('/tools/count_conditions', { method: 'POST', body, duplex: 'half' });
    expect(response.status).toBe(413);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
  });

  it('a multipart body that is none is told', async () => {
    observer.validTokens = ['t'];
    const headers = { authorization: 'Bearer t', 'content-type': 'multipart/form-data; boundary=x' };
    const response = await call('/collect/weka_state', { method: 'POST', body: 'no part', headers });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ title: 'Bad body', source: 'weka_state' });
  });
});

describe('behind the front of a server of ours', () => {
  const lines: Record<string, unknown>[] = [];
  const front = withFront(app, {
    hosts: ['observer.demo.test', '192.0.2.7'],
    log: (_, event, fields) => void lines.push({ event, ...fields }),
    clock: () => 0,
  });
  const by = async (host: string, path = '/healthz', headers: Record<string, string> = {}): Promise<Response> =>
    front.request(path, { headers: { host, ...headers } }, { observer });

  it('the Host header is held to the names that are known', async () => {
    for (const host of ['localhost:8787', '127.0.0.1', '[::1]:8787', 'OBSERVER.demo.test', '192.0.2.7:80'])
      expect((await by(host)).status, host).toBe(200);
    for (const host of ['evil.test', 'localhost.evil.test', '127.0.0.1.evil.test:8787', '']) {
      const response = await by(host);
      expect(response.status, host).toBe(421);
      expect(response.headers.get('content-type')).toBe('application/problem+json');
    }
  });

  it('a request has one name in the answer, in the log and in a problem document', async () => {
    lines.length = 0;
    const response = await by('localhost', '/nowhere', { 'x-request-id': 'timer-42' });
    expect(response.headers.get('x-request-id')).toBe('timer-42');
    expect(await response.json()).toMatchObject({ status: 404, requestId: 'timer-42' });
    expect(lines).toMatchObject([{ event: 'request', id: 'timer-42', path: '/nowhere', status: 404 }]);
    const given = await by('localhost', '/nowhere');
    expect(await given.json()).toMatchObject({ requestId: given.headers.get('x-request-id') });
  });

  it('a method is refused there as well', async () => {
    const response = await front.request('/tick', { headers: { host: 'localhost' } }, { observer });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
  });
});

describe('readiness', () => {
  it('holds while sources fail and values are damaged, which it names', async () => {
    observer.write('weka/status.json', STATUS);
    expect((await call('/run', { method: 'POST' })).status).toBe(200);
    await observer.store.putText('carry/weka_state', '{"torn');
    await observer.reports.putText('latest.json', '{"torn');
    const response = await call('/readyz');
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      status: 'ready',
      damage: expect.stringContaining('latest.json'),
      sources: [{ source: 'weka_state', status: 'ok', problem: expect.stringContaining('carry/weka_state') }],
    });
    const metrics = await (await call('/metrics')).text();
    expect(metrics).toContain('hpc_observer_state_damaged{of="weka_state"} 1');
    expect(metrics).toContain('hpc_observer_source_up{source="weka_state"} 1');
    const damaged = await call('/reports/latest.json');
    expect(damaged.status).toBe(500);
    expect(await damaged.json()).toMatchObject({ code: 'store', detail: expect.stringContaining('latest.json') });
    // The next run needs no hands.
    observer.now += 60_000;
    expect((await call('/run', { method: 'POST' })).status).toBe(200);
    expect(await (await call('/readyz')).json()).not.toHaveProperty('damage');
  });

  it('ends with the store', async () => {
    const driver = memoryDriver();
    const broken = testObserver(CONFIG, {
      state: {
        ...driver,
        getItemRaw: () => {
          throw Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' });
        },
      },
    });
    const response = await app.request('/readyz', {}, { observer: broken });
    expect(response.status).toBe(503);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(await response.json()).toMatchObject({ code: 'store', detail: expect.stringContaining('EIO') });
    expect((await app.request('/healthz', {}, { observer: broken })).status).toBe(200);
    broken.dispose();
  });
});

describe('bearer tokens from a file', () => {
  it('are rotated without a restart, and an empty or missing file lets nobody in', async () => {
    const config = join(observer.folder, 'config.yaml');
    const file = join(observer.folder, 'tokens');
    writeFileSync(config, `${CONFIG}state: { driver: memory }\nserver: { token_file: ${file} }\n`);
    const { observer: node, dispose } = await nodeObserver({ config }, {}, () => undefined);
    const post = async (token: string): Promise<Response> =>
      app.request('/diff', { method: 'POST', headers: { authorization: `Bearer ${token}` } }, { observer: node });
    writeFileSync(file, '# in use\nold\n\n');
    expect([(await post('old')).status, (await post('new')).status, (await post('#')).status]).toEqual([200, 401, 401]);
    writeFileSync(file, 'old\n  new  \n');
    expect([(await post('old')).status, (await post('new')).status]).toEqual([200, 200]);
    writeFileSync(file, 'new\n');
    expect([(await post('old')).status, (await post('new')).status]).toEqual([401, 200]);
    writeFileSync(file, '');
    const empty = await post('new');
    expect(empty.status).toBe(500);
    expect(await empty.json()).toMatchObject({ mistakes: [expect.stringContaining('holds no token')] });
    rmSync(file);
    expect(existsSync(file)).toBe(false);
    expect(await (await post('new')).json()).toMatchObject({ mistakes: [expect.stringContaining('ENOENT')] });
    await dispose();
  });
});
