import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import app from '../../functions/app.ts';
import { testObserver, type TestObserver } from '../observer.ts';

const status = (io_status: string): string =>
  JSON.stringify({
    name: 'demo',
    status: 'OK',
    io_status,
    drives: { active: 8, total: 8 },
    rebuild: { protectionState: [{ numFailures: 0, percent: 100, MiB: 1 }] },
  });
const STATUS = status('STARTED');
const STOPPED = status('STOPPED');
const TOKEN = 'correct-horse';

let observer: TestObserver;

beforeEach(() => {
  observer = testObserver(`
cluster: test
sources:
  weka_state: { path: weka, push: true }
  console_logs: { path: consoles }
`);
});

afterEach(() => observer.dispose());

const post = (path: string, init: RequestInit = {}): Response | Promise<Response> =>
  app.request(path, { method: 'POST', ...init }, { observer });
const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

describe('POST /collect/{source}', () => {
  it('collects the configured input and answers one result', async () => {
    observer.write('weka/status.json', STATUS);
    const response = await post('/collect/weka_state');
    expect(response.status).toBe(200);
    const result = await response.json();
    expect(result).toMatchObject({ source: 'weka_state', status: 'ok', conditions: 0, snapshot: '20261130t120000.000z' });
    expect(await observer.snapshots.latest('weka_state')).toMatchObject({ id: '20261130t120000.000z', asOfFrom: 'mtime' });
  });

  it('answers 502 with the file named where the input is missing, and keeps the last snapshot', async () => {
    observer.write('weka/status.json', STATUS);
    await post('/collect/weka_state');
    observer.now += 60_000;
    const other = testObserver(`{ cluster: test, sources: { weka_state: { path: nowhere } } }`);
    const response = await app.request('/collect/weka_state', { method: 'POST' }, { observer: other });
    expect(response.status).toBe(502);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(await response.json()).toMatchObject({
      source: 'weka_state',
      code: 'missing',
      detail: expect.stringContaining('nowhere'),
      advice: expect.any(String),
    });
    other.dispose();
    expect(await observer.snapshots.list('weka_state')).toHaveLength(1);
  });

  it.each([
    ['truncated', STATUS.slice(0, 30), /status\.json/],
    ['empty', '', /status\.json/],
    ['binary', new Uint8Array([0, 1, 2, 255, 254, 0, 7]), /status\.json/],
    ['of another kind', '{"members":[]}', /weka/i],
  ])('answers 422 with file and place for data that is %s', async (_, text, names) => {
    observer.write('weka/status.json', text);
    const response = await post('/collect/weka_state');
    expect(response.status).toBe(422);
    const problem = (await response.json()) as { detail: string; code: string };
    expect(problem.code).toBe('invalid');
    expect(problem.detail).toMatch(names);
  });

  it('is skipped where it is not configured', async () => {
    const response = await post('/collect/pbs_state');
    expect(await response.json()).toMatchObject({ status: 'skipped', snapshot: null });
  });

  it('is partial, and says which file, when an input that was read before is gone', async () => {
    observer.write('weka/status.json', STATUS);
    observer.write('weka/alerts.json', '[]');
    expect(await (await post('/collect/weka_state')).json()).toMatchObject({ status: 'ok' });
    rmSync(`${observer.folder}/weka/alerts.json`);
    observer.now += 60_000;
    const result = (await (await post('/collect/weka_state')).json()) as { status: string; coverage: { problems: unknown[] } };
    expect(result.status).toBe('partial');
    expect(result.coverage.problems).toContainEqual({ effect: 'input', input: 'alerts.json', message: 'was read before and is gone' });
  });

  it('answers 409 while the same source is being collected', async () => {
    const lease = await observer.leases.acquire('collect-weka_state', 60_000);
    expect(lease).not.toHaveProperty('busy');
    observer.write('weka/status.json', STATUS);
    const response = await post('/collect/weka_state');
    expect(response.status).toBe(409);
    expect(await response.json()).toMatchObject({ code: 'busy' });
  });

  it('refuses another method and a bad asOf', async () => {
    expect((await app.request('/collect/weka_state', {}, { observer })).status).toBe(405);
    expect((await post('/collect/weka_state?asOf=yesterday')).status).toBe(400);
  });
});

describe('a pushed body', () => {
  it('is taken with push: true and a token, and dated by ?asOf=', async () => {
    observer.validTokens = [TOKEN, 'the-next-one'];
    const response = await post('/collect/weka_state?asOf=2026-11-30T11:55:00Z', { body: STOPPED, headers: bearer('the-next-one') });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ status: 'ok', conditions: 1 });
    expect(await observer.snapshots.latest('weka_state')).toMatchObject({
      asOf: '2026-11-30T11:55:00.000Z',
      asOfFrom: 'given',
      conditions: [{ kind: 'storage_stopped', severity: 'critical' }],
    });
  });

  it('is taken as multipart whose part names stand for file names', async () => {
    observer.validTokens = [TOKEN];
    const form = new FormData();
    form.set('status.json', new Blob([STATUS]), 'x');
    form.set('alerts.json', new Blob(['[]']), 'y');
    const response = await post('/collect/weka_state', { body: form, headers: bearer(TOKEN) });
    expect(response.status).toBe(200);
    const { coverage } = (await response.json()) as { coverage: { inputs: { name: string }[] } };
    expect(coverage.inputs.map((i) => i.name).sort()).toEqual(['alerts.json', 'status.json']);
  });

  it('is refused without a token, with a wrong one, and without push: true', async () => {
    expect((await post('/collect/weka_state', { body: STATUS })).status).toBe(403);
    observer.validTokens = [TOKEN];
    const missing = await post('/collect/weka_state', { body: STATUS });
    expect(missing.status).toBe(401);
    expect(missing.headers.get('www-authenticate')).toContain('Bearer');
    expect((await post('/collect/weka_state', { body: STATUS, headers: bearer('guess') })).status).toBe(401);
    expect((await post('/collect/console_logs', { body: 'x', headers: bearer(TOKEN) })).status).toBe(403);
    expect(await observer.snapshots.latest('weka_state')).toBeNull();
  });

  it('over server.max_body is refused by its size', async () => {
    const small = testObserver('{ cluster: test, sources: { weka_state: { path: weka, push: true } }, server: { max_body: 100 } }');
    small.validTokens = [TOKEN];
    const response = await app.request(
      '/collect/weka_state',
      { method: 'POST', body: STATUS + ' '.repeat(200), headers: { ...bearer(TOKEN), 'content-length': '300' } },
      { observer: small },
    );
    expect(response.status).toBe(413);
    small.dispose();
  });
});
