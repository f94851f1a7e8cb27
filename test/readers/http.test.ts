import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Location } from '../../lib/config.ts';
import type { InputPlan } from '../../lib/model/collector.ts';
import { httpReader } from '../../lib/readers/http.ts';
import { nodeGet } from '../../lib/readers/node-get.ts';
import type { Opened } from '../../lib/readers/reader.ts';

const PLAN: InputPlan = {
  shape: 'documents',
  endpoints: [
    { role: 'servers', path: '/rest/servers?start=0', paging: 'oneview' },
    { role: 'racks', path: '/rest/racks', optional: true },
  ],
  auth: { header: 'auth', prefix: '' },
  version: { path: '/rest/version', member: 'currentVersion', header: 'X-API-Version' },
};

let server: Server;
let url: string;
let seen: { method: string | undefined; url: string | undefined; headers: IncomingMessage['headers'] }[];
let answer: (path: string, response: ServerResponse) => void;
let token: string;

beforeEach(async () => {
  seen = [];
  token = 'first';
  server = createServer((request, response) => {
    seen.push({ method: request.method, url: request.url, headers: request.headers });
    if (request.url === '/rest/version') response.end('{"currentVersion":6200,"minimumVersion":120}');
    else if (request.url === '/rest/racks') response.writeHead(404).end();
    else answer(request.url ?? '', response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const read = async (plan = PLAN, extra: object = {}): Promise<Opened> =>
  httpReader(
    nodeGet,
    () => token,
  )({ location: { ...Location.parse({ url, token_file: '/token', ...extra }), roles: {} }, plan, now: 0, options: {} });
const page = (n: number, next: string | null): string => JSON.stringify({ members: [{ n }], nextPageUri: next });

describe('the HTTP reader', () => {
  it('sends GET alone, with the token read anew and the version that the server tells, and follows pages', async () => {
    answer = (path, response) => response.end(path.endsWith('start=0') ? page(1, '/rest/servers?start=1') : page(2, null));
    const opened = await read();
    expect(opened.inputs.map((i) => [i.role, i.name])).toEqual([
      ['servers', `${url}/rest/servers?start=0`],
      ['servers', `${url}/rest/servers?start=1`],
    ]);
    expect(opened.problems).toEqual([]);
    token = 'second';
    await read();
    expect(new Set(seen.map((s) => s.method))).toEqual(new Set(['GET']));
    expect(seen.filter((s) => s.url === '/rest/servers?start=0').map((s) => [s.headers['auth'], s.headers['x-api-version']])).toEqual([
      ['first', '6200'],
      ['second', '6200'],
    ]);
  });

  it('reads a page that points at itself once', async () => {
    answer = (_, response) => response.end(page(1, '/rest/servers?start=0'));
    expect((await read()).inputs).toHaveLength(1);
  });

  it('does not follow a page to another host, nor a redirect', async () => {
    answer = (_, response) => response.end(page(1, 'http://elsewhere.test/rest/servers'));
    const away = await read();
    expect(away.inputs).toHaveLength(1);
    expect(away.problems[0]?.message).toContain('another host');
    answer = (_, response) => response.writeHead(302, { location: 'http://elsewhere.test/' }).end();
    const redirected = await read();
    expect(redirected.inputs).toHaveLength(0);
    expect(redirected.problems[0]?.message).toContain('302');
  });

  it.each([401, 403])('calls %i an expired credential, not an empty fleet', async (status) => {
    answer = (_, response) => response.writeHead(status).end();
    const opened = await read();
    expect(opened.inputs).toEqual([]);
    expect(opened.problems).toMatchObject([{ effect: 'input', message: expect.stringContaining('credential') }]);
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['answers 500', (response) => response.writeHead(500).end('boom')],
    ['breaks off', (response) => response.writeHead(200, { 'content-length': '1000' }).write('{"members":', () => response.destroy())],
  ])('keeps the pages before one that %s, and says so', async (_, fail) => {
    answer = (path, response) => (path.endsWith('start=0') ? response.end(page(1, '/rest/servers?start=1')) : fail(response));
    const opened = await read();
    expect(opened.inputs).toHaveLength(1);
    expect(opened.problems).toMatchObject([{ effect: 'input', input: `${url}/rest/servers?start=1` }]);
  });

  it('says where a page links to what is no address', async () => {
    answer = (_, response) => response.end(page(1, 'http://['));
    const opened = await read();
    expect(opened.inputs).toHaveLength(1);
    expect(opened.problems).toEqual([
      {
        effect: 'input',
        input: `${url}/rest/servers?start=0`,
        message: 'links to a next page that is no address; the rest was not read',
      },
    ]);
  });

  it.each([
    ['first\nsecond', 'holds no token (one line of ASCII characters)'],
    ['t\u00f6ken', 'holds no token (one line of ASCII characters)'],
    ['\n', 'is empty'],
  ])('asks nothing with a token file of %j, and names the file without what it holds', async (held, message) => {
    token = held;
    await expect(read()).rejects.toMatchObject({ code: 'unreadable', input: '/token', message });
    expect(seen).toEqual([]);
  });

  it('takes an empty ca_file for no leave to trust all that the platform trusts', async () => {
    await expect(
      httpReader(
        nodeGet,
        () => '\n',
      )({ location: { ...Location.parse({ url, ca_file: '/ca.pem' }), roles: {} }, plan: PLAN, now: 0, options: {} }),
    ).rejects.toMatchObject({ code: 'unreadable', input: '/ca.pem', message: 'is empty' });
    expect(seen).toEqual([]);
  });

  it('refuses an answer over max_input and a server that is not there', async () => {
    answer = (_, response) => response.end('x'.repeat(5000));
    expect((await read(PLAN, { max_input: 1000 })).problems[0]?.message).toContain('max_input');
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await expect(read()).rejects.toMatchObject({ code: 'unreadable', message: expect.stringContaining('ECONNREFUSED') });
    server.listen(0, '127.0.0.1');
  });
});
