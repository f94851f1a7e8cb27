import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { collectorOf } from '../../lib/collectors/registry.ts';
import { Location } from '../../lib/config.ts';
import { readFiles } from '../../lib/readers/files.ts';
import { httpReader } from '../../lib/readers/http.ts';
import { nodeGet } from '../../lib/readers/node-get.ts';
import { type Digest, digest, type DigestReply } from '../../lib/steps/digest.ts';
import { authority, serverAt127 } from './certificates.ts';

/*
 * Whole collections from a server like those of HPCM, OneView and Weka: over TLS with an authority of the site's own, and
 * recording all that it is asked.
 */

const DAY = join(import.meta.dirname, '../../fixtures/democluster/faulty');
const NOW = Date.parse('2026-11-30T08:45:00.000Z');
const PAGE = 20;

type Answer = (response: ServerResponse) => void;
interface Members {
  members: unknown[];
}

const fixture = (path: string): string => readFileSync(join(DAY, path), 'utf8');
const membersOf = (...paths: string[]): unknown[] => paths.flatMap((path) => (JSON.parse(fixture(path)) as Members).members);

const servers = membersOf('oneview/server-hardware/page1.json', 'oneview/server-hardware/page2.json');
const alerts = membersOf('oneview/alerts/page1.json', 'oneview/alerts/page2.json') as { alertState: string }[];

let server: Server;
let url: string;
let folder: string;
let asked: IncomingMessage[];
/** By path with query: what is answered in place of what the server has. */
let instead: Map<string, Answer>;

const send =
  (text: string): Answer =>
  (response) =>
    response.end(text);

/** OneView's way to answer a part of a list. */
function page(request: URL, all: readonly unknown[], category: string): Answer {
  const start = Number(request.searchParams.get('start') ?? 0);
  const link = (at: number): string => {
    const to = new URL(request);
    to.searchParams.set('start', String(at));
    return to.pathname + to.search;
  };
  const members = all.slice(start, start + PAGE);
  return send(
    JSON.stringify({
      category,
      members,
      start,
      count: members.length,
      total: all.length,
      uri: link(start),
      prevPageUri: start > 0 ? link(Math.max(0, start - PAGE)) : null,
      nextPageUri: start + PAGE < all.length ? link(start + PAGE) : null,
    }),
  );
}

function answerOf(request: URL): Answer | undefined {
  switch (request.pathname) {
    case '/rest/version':
      return send('{"currentVersion": 8600, "minimumVersion": 2600}');
    case '/rest/server-hardware':
      return page(request, servers, 'server-hardware');
    case '/rest/alerts': {
      const state = /'(\w+)'/.exec(request.searchParams.get('filter') ?? '')?.[1];
      return page(
        request,
        alerts.filter((a) => a.alertState === state),
        'alerts',
      );
    }
    case '/cmu/v1/nodes':
      return send(fixture('hpcm/nodes.json'));
    case '/cmu/v1/imagegroups':
      return send(fixture('hpcm/imagegroups.json'));
    case '/api/v2/cluster':
      return send(fixture('weka/status.json'));
    case '/api/v2/alerts':
      return send(fixture('weka/alerts.json'));
    case '/api/v2/containers':
      return send(fixture('weka/containers.json'));
    case '/api/v2/drives':
      return send(fixture('weka/drives.json'));
    case '/api/v2/fileSystems':
      return send(fixture('weka/fs.json'));
    default:
      return undefined;
  }
}

const ours = authority('authority of the site');
const other = authority('authority of somebody else');

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sources-over-http-'));
  writeFileSync(join(folder, 'ca.pem'), ours.pem);
  writeFileSync(join(folder, 'other.pem'), other.pem);
  const { pem, key } = serverAt127(ours);
  server = createServer({ cert: pem, key: key.export({ type: 'pkcs8', format: 'pem' }) }, (request, response) => {
    asked.push(request);
    const answer = instead.get(request.url ?? '') ?? answerOf(new URL(request.url ?? '', url));
    if (answer) answer(response);
    else response.writeHead(404).end();
  });
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  asked = [];
  instead = new Map();
  writeFileSync(join(folder, 'token'), 'first-token\n');
});

function collect(source: string, given: object = {}, each = 20_000): Promise<DigestReply> {
  const place = 'path' in given ? {} : { url, token_file: join(folder, 'token'), ca_file: join(folder, 'ca.pem') };
  return digest(
    {
      source,
      location: { ...Location.parse({ ...place, ...given }), roles: {} },
      options: collectorOf(source)?.options.parse({}),
      cluster: 'democluster',
      now: NOW,
      timezone: 'America/Denver',
      nodeDomains: ['hsn.cm.demo.test'],
      rules: {},
      handed: { state: 'none' },
      mtime: '2026-11-30T08:44:00.000Z',
    },
    { path: readFiles, url: httpReader(nodeGet, (path) => readFileSync(path, 'utf8'), { each, all: 60_000 }) },
  );
}

async function digested(source: string, given: object = {}, each?: number): Promise<Digest> {
  const reply = await collect(source, given, each);
  if (reply === 'as before') throw new Error('nothing was there before');
  if ('problem' in reply) throw new Error(reply.problem.detail);
  return reply.digest;
}

/** What a digest tells of. Dumps are minutes old, a server's answer is not: its clock is compared with ours at once. */
function told({ collected }: Digest): string[] {
  return collected.conditions
    .filter((c) => c.kind !== 'clock_skew')
    .map((c) => `${c.kind} ${c.subject.id} ${c.part ?? ''}`)
    .sort();
}

const FOLDERS: Record<string, string[]> = {
  hpcm_inventory: ['hpcm/nodes.json', 'hpcm/imagegroups.json'],
  oneview_inventory: ['oneview/server-hardware'],
  oneview_alerts: ['oneview/alerts'],
  weka_state: ['weka/status.json', 'weka/alerts.json', 'weka/containers.json', 'weka/drives.json', 'weka/fs.json'],
};
const TOKENS: Record<string, [header: string, before: string]> = {
  hpcm_inventory: ['x-auth-token', ''],
  oneview_inventory: ['auth', ''],
  oneview_alerts: ['auth', ''],
  weka_state: ['authorization', 'Bearer '],
};

describe.each(Object.keys(FOLDERS))('%s over HTTP', (source) => {
  const [header, before] = TOKENS[source] as [string, string];

  it('tells what its dumps tell, asks with GET alone, and reads the token anew at each run', async () => {
    const run = await digested(source);
    expect(run.status).toBe('ok');
    expect(told(run).length).toBeGreaterThan(1);
    expect(told(run)).toEqual(told(await digested(source, { path: (FOLDERS[source] as string[]).map((f) => join(DAY, f)) })));
    writeFileSync(join(folder, 'token'), 'second-token');
    const first = asked.length;
    await digested(source);
    expect(asked.length).toBe(2 * first);
    expect(new Set(asked.map((r) => r.method))).toEqual(new Set(['GET']));
    const tokens = (requests: IncomingMessage[]): unknown[] => [...new Set(requests.map((r) => r.headers[header]))];
    expect(tokens(asked.slice(0, first))).toEqual([`${before}first-token`]);
    expect(tokens(asked.slice(first))).toEqual([`${before}second-token`]);
    if (source.startsWith('oneview'))
      expect(new Set(asked.slice(1, first).map((r) => r.headers['x-api-version']))).toEqual(new Set(['8600']));
  });

  it('trusts the authority that is configured, and no other', async () => {
    for (const given of [{ ca_file: join(folder, 'other.pem') }, { ca_file: undefined }]) {
      const reply = await collect(source, given);
      expect(reply).toMatchObject({ problem: { code: 'unreadable', detail: expect.stringMatching(/certificate|CERT|SIGN|ISSUER/i) } });
    }
    expect(asked).toEqual([]);
  });

  it('calls a 401 an expired credential, and not an empty machine', async () => {
    const paths = (await digested(source)) && asked.map((r) => r.url ?? '').filter((path) => path !== '/rest/version');
    for (const path of paths) instead.set(path, (response) => response.writeHead(401).end('{"errorCode":"AUTHN_AUTH_FAIL"}'));
    const reply = await collect(source);
    expect(reply).toMatchObject({ problem: { code: 'unreadable', detail: expect.stringMatching(/401: the credential has expired/) } });
  });
});

describe('pages', () => {
  const SECOND = `/rest/server-hardware?start=${PAGE}&count=100&sort=name%3Aasc`;

  it('of OneView are followed to the last', async () => {
    const run = await digested('oneview_inventory');
    expect(asked.filter((r) => r.url?.startsWith('/rest/server-hardware'))).toHaveLength(Math.ceil(servers.length / PAGE));
    expect(run.collected.coverage.records).toBe(servers.length);
    expect(asked.map((r) => r.url)).toContain(SECOND);
  });

  it('of alerts are asked for by state: cleared ones, of which an appliance keeps tens of thousands, never', async () => {
    await digested('oneview_alerts');
    const filters = asked.flatMap((r) => new URL(r.url ?? '', url).searchParams.get('filter') ?? []);
    expect(new Set(filters)).toEqual(new Set([`"alertState='Active'"`, `"alertState='Locked'"`]));
    expect(filters).toHaveLength(asked.filter((r) => r.url?.startsWith('/rest/alerts')).length);
  });

  it.each<[string, Answer, RegExp]>([
    [
      'a loop',
      send(
        JSON.stringify({ category: 'server-hardware', members: [], start: PAGE, count: 0, total: 30, uri: SECOND, nextPageUri: SECOND }),
      ),
      /truncated: 20 of 30/,
    ],
    ['a credential that expires meanwhile', (response) => response.writeHead(401).end(), /credential has expired/],
    ['an error of the server', (response) => response.writeHead(500).end('{"errorCode":"X"}'), /answers 500/],
    [
      'an answer that is cut off',
      (response) => response.writeHead(200, { 'content-length': '9999' }).write('{"members":[', () => response.destroy()),
      /broke off/,
    ],
    ['a text that is cut short', send('{"category":"server-hardware","members":[{"name":"x'), /cut|end|JSON/i],
    ['a page that never ends', (response) => void response.write('{"members":['), /did not answer within 500 ms/],
    [
      'a link to another host',
      send(
        JSON.stringify({
          category: 'server-hardware',
          members: [],
          start: PAGE,
          count: 0,
          total: 30,
          nextPageUri: 'https://elsewhere.test/rest/x',
        }),
      ),
      /another host/,
    ],
  ])('%s in the middle costs what comes after, and is told', async (_, answer, reason) => {
    instead.set(SECOND, answer);
    const run = await digested('oneview_inventory', {}, 500);
    expect(run.status).toBe('partial');
    expect(
      run.coverage.problems
        .filter((p) => p.effect === 'input')
        .map((p) => p.message)
        .join('; '),
    ).toMatch(reason);
    expect(run.collected.coverage.records).toBe(PAGE);
    expect(run.collected.coverage.observed['server']).not.toBe('all');
    expect(asked.length).toBeLessThan(10);
  });

  it('of which one never comes cost that one; what came before and after counts', async () => {
    instead.set('/api/v2/containers', (response) => void response.write('['));
    const run = await digested('weka_state', {}, 300);
    expect(run.status).toBe('partial');
    expect(run.coverage.problems.map((p) => p.message)).toContain('did not answer within 300 ms');
    expect(told(run).some((c) => c.startsWith('drive_'))).toBe(true);
  });
});
