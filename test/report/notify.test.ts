import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcp, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Notified } from '../../lib/report/notified.ts';
import { notify } from '../../lib/report/notify.ts';
import type { Alert } from '../../lib/report/sinks/alertmanager.ts';
import type { Patience } from '../../lib/report/sinks/deliver.ts';
import { testObserver, type TestObserver } from '../observer.ts';
import { finding, HOUR, MINUTE, NOW, report } from './build.ts';

interface Request {
  url: string;
  method: string;
  authorization: string | undefined;
  body: unknown;
}
type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** Long enough for a slow machine: a deadline is met where a test is about one. */
const PATIENT: Patience = { attempts: 3, attempt: 20_000, total: 60_000, wait: 5 };
const IMPATIENT: Patience = { ...PATIENT, attempt: 500 };

let requests: Request[];
let answers: Answer[];
let url: string;
let observer: TestObserver;
const server = createServer((request, response) => {
  let text = '';
  request.setEncoding('utf8');
  request.on('data', (part: string) => (text += part));
  request.on('end', () => {
    const { method = '', headers } = request;
    requests.push({ url: request.url ?? '', method, authorization: headers.authorization, body: JSON.parse(text) });
    (answers.shift() ?? ((r) => r.end('ok')))(response, request);
  });
});

const status =
  (code: number, headers: Record<string, string> = {}, body = ''): Answer =>
  (response) =>
    response.writeHead(code, headers).end(body);
const never: Answer = () => undefined;
const hang: Answer = (response) => void response.writeHead(500).write('x');

beforeEach(async () => {
  requests = [];
  answers = [];
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  observer.dispose();
  server.closeAllConnections();
  await new Promise<unknown>((resolve) => void server.close(resolve));
});

function observe(...sinks: string[]): TestObserver {
  observer = testObserver(`cluster: democluster\nsources: {}\nnotify:\n${sinks.map((s) => `  - ${s}\n`).join('')}`);
  observer.now = NOW;
  observer.send = fetch;
  return observer;
}

const webhook = (more = ''): string => `{ type: webhook, url: '${url}/hook/s3cret'${more} }`;
const tell = async (over: Parameters<typeof report>[0] = {}): ReturnType<typeof notify> =>
  notify(
    observer,
    report({ findings: [finding()], ...over }),
    answers.some((answer) => answer === never || answer === hang) ? IMPATIENT : PATIENT,
  );
const later = report({ at: NOW + 5 * MINUTE, findings: [finding({ state: 'ongoing' })] });

describe('a webhook', () => {
  it('is told once, and its log says so', async () => {
    observe(webhook());
    expect(await tell()).toEqual([{ sink: `webhook ${new URL(url).host}`, status: 'ok', reason: 'digest 1', sent: 1, cut: 0 }]);
    expect(requests).toMatchObject([
      {
        method: 'POST',
        url: '/hook/s3cret',
        authorization: undefined,
        body: {
          schema: 'hpc-observer/notification/1',
          cluster: 'democluster',
          verdict: 'critical',
          cut: 0,
          notices: [
            {
              reason: 'digest',
              severity: 'critical',
              kind: 'kernel_panic',
              subjects: 'n1',
              count: 1,
              findings: [{ key: `${finding().id}#1`, subject: 'n1' }],
            },
          ],
        },
      },
    ]);
    expect(await notify(observer, later, PATIENT)).toMatchObject([{ status: 'skipped', reason: 'nothing to tell' }]);
    expect(requests).toHaveLength(1);
    const [key] = await observer.store.list('findings/notified');
    expect(key).not.toContain('s3cret');
    expect((await observer.store.get(key as string, Notified))?.told[finding().id]).toMatchObject({ episode: 1, ended: false });
  });

  it('gets a message of Slack where it asks for that', async () => {
    observe(webhook(', format: slack'));
    await tell();
    expect(requests[0]?.body).toMatchObject({
      text: expect.stringContaining('OPEN critical: kernel panic: n1'),
      blocks: [
        { type: 'header', text: { type: 'plain_text', text: 'democluster: CRITICAL · 1 new critical · sources 1/1 fresh' } },
        { type: 'section', text: { type: 'plain_text', text: 'OPEN critical: kernel panic: n1 — n1: kernel_panic happened' } },
        { type: 'context' },
      ],
    });
  });

  it('is sent nothing where notifications are off, and told all of it once they are on', async () => {
    observe(webhook());
    observer.send = null;
    expect(await tell()).toMatchObject([{ status: 'skipped', reason: 'notifications are off' }]);
    observer.send = fetch;
    expect(await notify(observer, later, PATIENT)).toMatchObject([{ status: 'ok', sent: 1 }]);
    expect(requests).toHaveLength(1);
  });

  it('is shown a token that is read anew each time', async () => {
    observe(webhook(', token_file: /etc/token'));
    const file = observer.config.notify[0]?.token_file as string;
    observer.secrets.set(file, 'one\n');
    await tell();
    observer.secrets.set(file, 'two\n');
    await tell({ at: NOW + MINUTE, findings: [finding(), finding({ node: 'n2' })] });
    expect(requests.map((r) => r.authorization)).toEqual(['Bearer one', 'Bearer two']);
  });

  it.each([
    ['is missing', undefined],
    ['holds no token', 'two words s3cret\nlines'],
    ['is empty', ''],
  ])('is a failed one, and not reached, where its token %s', async (_, text) => {
    observe(webhook(', token_file: /etc/token'));
    if (text !== undefined) observer.secrets.set(observer.config.notify[0]?.token_file as string, text);
    const [result] = await tell();
    expect(result).toMatchObject({ status: 'failed', sent: 0 });
    expect(JSON.stringify(result)).not.toContain('s3cret');
    expect(requests).toEqual([]);
  });
});

describe('a receiver that', () => {
  it('answers 429 is asked again when it says', async () => {
    observe(webhook());
    answers = [status(429, { 'retry-after': '0' }), status(429, { 'retry-after': new Date(NOW - HOUR).toUTCString() })];
    expect(await tell()).toMatchObject([{ status: 'ok' }]);
    expect(requests).toHaveLength(3);
  });

  it('asks to wait for longer than a tick may is told by the next one', async () => {
    observe(webhook());
    answers = [status(429, { 'retry-after': '3600' })];
    expect(await tell()).toMatchObject([{ status: 'failed', reason: 'answered 429, and asks to wait for 3600 s', sent: 0 }]);
    expect(requests).toHaveLength(1);
    expect(await notify(observer, later, PATIENT)).toMatchObject([{ status: 'ok', reason: 'digest 1' }]);
  });

  it('answers 500 is tried three times, and told by the next tick', async () => {
    observe(webhook());
    answers = [status(500), status(502, {}, 'bad\u001b[31m gateway'), status(503, {}, 'x'.repeat(100_000))];
    expect(await tell()).toMatchObject([{ status: 'failed', reason: expect.stringMatching(/^answered 503: x+.*, 3 times$/) }]);
    expect(requests).toHaveLength(3);
    expect(await notify(observer, later, PATIENT)).toMatchObject([{ status: 'ok', reason: 'digest 1' }]);
  });

  it('answers 500 once is tried again', async () => {
    observe(webhook());
    answers = [status(500)];
    expect(await tell()).toMatchObject([{ status: 'ok' }]);
  });

  it.each([400, 401, 404, 410])('answers %i is not asked again', async (code) => {
    observe(webhook());
    answers = [status(code, {}, 'invalid_payload\u001b]52;c;x\u0007')];
    expect(await tell()).toMatchObject([{ status: 'failed', reason: `answered ${code}: invalid_payload\\x1b]52;c;x\\x07` }]);
    expect(requests).toHaveLength(1);
  });

  it('never answers costs no more than the patience there is', { timeout: 30_000 }, async () => {
    observe(webhook());
    answers = [never, never, never, never];
    expect(await tell()).toMatchObject([{ status: 'failed', reason: 'did not answer in time, 3 times' }]);
    expect(requests).toHaveLength(3);
  });

  it('answers and then says nothing more is not waited for', { timeout: 30_000 }, async () => {
    observe(webhook());
    answers = [(response) => void response.writeHead(200).write('x')];
    expect(await tell()).toMatchObject([{ status: 'ok' }]);
    answers = [hang, hang, hang];
    expect(await tell({ at: NOW + HOUR, findings: [finding({ node: 'n2' })] })).toMatchObject([{ status: 'failed' }]);
  });

  it('redirects is not followed, wherever to', async () => {
    observe(webhook());
    answers = [status(307, { location: `${url}/elsewhere` })];
    expect(await tell()).toMatchObject([{ status: 'failed', reason: 'answered with a redirect (307), which is not followed' }]);
    expect(requests.map((r) => r.url)).toEqual(['/hook/s3cret']);
  });

  it('is not there is told of as such, without its URL', async () => {
    observe(`{ type: webhook, url: 'http://127.0.0.1:1/hook/s3cret' }`);
    const [result] = await tell();
    expect(result).toMatchObject({
      sink: 'webhook 127.0.0.1:1',
      status: 'failed',
      reason: expect.stringContaining('could not be reached'),
    });
    expect(JSON.stringify(result)).not.toContain('s3cret');
  });
});

describe('a receiver that is no receiver', () => {
  const gzip = 'content-encoding: gzip\r\ncontent-length: 5\r\n\r\nxxxxx';
  it.each<[string, (socket: Socket) => void, Record<string, unknown>]>([
    [
      'answers no HTTP',
      (s) => s.end('\0\xffgarbage\r\n\r\n'),
      { status: 'failed', reason: 'could not be reached (HPE_INVALID_CONSTANT), 3 times' },
    ],
    ['hangs up', (s) => s.end(), { status: 'failed', reason: 'could not be reached (UND_ERR_SOCKET), 3 times' }],
    ['answers 200 and rubbish', (s) => s.end(`HTTP/1.1 200 OK\r\n${gzip}`), { status: 'ok' }],
    ['answers 500 and rubbish', (s) => s.end(`HTTP/1.1 500 x\r\n${gzip}`), { status: 'failed', reason: 'answered 500, 3 times' }],
    ['answers 400 and never ends', (s) => void s.write('HTTP/1.1 400 x\r\n\r\nab'), { status: 'failed', reason: 'answered 400' }],
    ['has a header without end', (s) => s.end(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`), { status: 'failed' }],
    ['asks to wait for ever', (s) => s.end('HTTP/1.1 429 x\r\nretry-after: 999999999\r\ncontent-length: 0\r\n\r\n'), { status: 'failed' }],
  ])('%s', { timeout: 30_000 }, async (_, answer, result) => {
    const sockets = new Set<Socket>();
    const raw = createTcp((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined).once('data', () => answer(socket));
    });
    await new Promise<void>((resolve) => void raw.listen(0, '127.0.0.1', resolve));
    observe(`{ type: webhook, url: 'http://127.0.0.1:${(raw.address() as AddressInfo).port}/' }`);
    expect(await notify(observer, report({ findings: [finding()] }), { ...PATIENT, attempt: 1000 })).toMatchObject([result]);
    for (const socket of sockets) socket.destroy();
    await new Promise<unknown>((resolve) => void raw.close(resolve));
  });
});

describe('several sinks', () => {
  it('are told each for itself: one that fails keeps nobody else', async () => {
    observe(webhook(), `{ type: webhook, url: 'http://127.0.0.1:1/' }`, `{ type: alertmanager, url: '${url}/am/' }`);
    const results = await tell();
    expect(results.map((r) => r.status)).toEqual(['ok', 'failed', 'ok']);
    expect(requests.map((r) => r.url).sort()).toEqual(['/am/api/v2/alerts', '/hook/s3cret']);
    const again = await notify(observer, later, PATIENT);
    expect(again.map((r) => r.status)).toEqual(['skipped', 'failed', 'ok']);
  });

  it('that share a damaged log are told everything once more', async () => {
    observe(webhook());
    await tell();
    const [key] = await observer.store.list('findings/notified');
    await observer.store.putText(key as string, '{"schema":');
    expect(await notify(observer, later, PATIENT)).toMatchObject([{ status: 'ok', reason: 'digest 1' }]);
  });
});

describe('Alertmanager', () => {
  it('gets everything in requests of 500 alerts', async () => {
    observe(`{ type: alertmanager, url: '${url}', labels: { team: hpc }, heartbeat: 10m }`);
    const findings = Array.from({ length: 1200 }, (_, n) => finding({ node: `n${n}` }));
    expect(await tell({ findings })).toMatchObject([{ status: 'ok', reason: '1201 alerts', sent: 1201 }]);
    expect(requests.map((r) => (r.body as unknown[]).length)).toEqual([500, 500, 201]);
    const [beat, first] = (requests[0] as Request).body as Alert[];
    expect(beat).toMatchObject({
      labels: { alertname: 'observer_heartbeat', team: 'hpc' },
      endsAt: new Date(NOW + 10 * MINUTE).toISOString(),
    });
    expect(first?.labels).toMatchObject({ alertname: 'kernel_panic', team: 'hpc' });
  });
});
