import { type Input, type InputPlan, ReadError } from '../model/collector.ts';
import type { CoverageInput } from '../model/snapshot.ts';
import { headerToken } from '../model/text.ts';
import type { Opened, Reader, ReadRequest } from './reader.ts';

/** A GET that was answered: the whole body, at most as long as was asked for. */
export interface Answered {
  status: number;
  body: Uint8Array;
}

/** What a GET is sent with. Redirects are never followed. */
export interface GetRequest {
  url: URL;
  headers: Record<string, string>;
  /** PEM; the only authorities trusted where it is given. */
  ca?: string;
  maxBytes: number;
  /** From the first byte sent to the last received, ms. */
  timeout: number;
}

/** The one verb that this reader has. @throws ReadError where no whole answer came back */
export type Get = (request: GetRequest) => Promise<Answered>;

/** Reads the token and the certificates of a source anew at every run, so that a rotation needs no restart. */
export type ReadSecret = (path: string) => string;

const MAX_PAGES = 1000;
/** The pages of one endpoint are together at most so many times as long as one may be. */
const PAGES_FACTOR = 8;

/** How long one answer may take, and all of them: less than the source's own deadline, so that what came before counts. ms. */
export interface Patience {
  each: number;
  all: number;
}
const PATIENCE: Patience = { each: 30_000, all: 90_000 };

/** Reads a source's endpoints with GET alone: pages are followed within the same origin, each once. */
export function httpReader(get: Get, readSecret: ReadSecret, patience = PATIENCE): Reader {
  return async (request) => {
    const opened: Opened = { inputs: [], coverage: [], problems: [], close: () => undefined };
    const session = await openSession(get, readSecret, request, patience);
    for (const endpoint of request.plan.endpoints ?? []) await readEndpoint(session, endpoint, request, opened);
    return opened;
  };
}

interface Session {
  fetch(path: string): Promise<Answered>;
}

async function openSession(get: Get, readSecret: ReadSecret, { location, plan }: ReadRequest, { each, all }: Patience): Promise<Session> {
  const until = performance.now() + all;
  const base = new URL(location.url as string);
  const headers: Record<string, string> = { accept: 'application/json' };
  if (location.token_file) {
    const { header, prefix } = plan.auth ?? { header: 'authorization', prefix: 'Bearer ' };
    headers[header] = `${prefix}${tokenOf(readSecret, location.token_file)}`;
  }
  const ca = location.ca_file ? { ca: secret(readSecret, location.ca_file) } : {};
  const fetch = async (path: string): Promise<Answered> => {
    const url = new URL(path, base);
    if (url.origin !== base.origin) throw new ReadError('unreadable', base.origin, `points at another host (${url.origin}); not followed`);
    const left = until - performance.now();
    if (left <= 0) throw new ReadError('timeout', url.href, `was not asked: the answers before took ${all} ms`);
    return get({ url, headers, maxBytes: location.max_input, timeout: Math.ceil(Math.min(each, left)), ...ca });
  };
  if (plan.version) {
    const { body } = good(await fetch(plan.version.path), base, plan.version.path);
    const version = parsed(body)?.[plan.version.member];
    if (typeof version === 'number' || typeof version === 'string') headers[plan.version.header] = String(version);
  }
  return { fetch };
}

/** A secret's text. @throws ReadError that names the file */
export function secret(readSecret: ReadSecret, path: string): string {
  let text: string;
  try {
    text = readSecret(path).trim();
  } catch (error) {
    throw new ReadError('unreadable', path, `cannot be read (${(error as NodeJS.ErrnoException).code ?? (error as Error).message})`);
  }
  // An empty list of authorities would be taken for none, and then the platform's own are trusted.
  if (text === '') throw new ReadError('unreadable', path, 'is empty');
  return text;
}

/** A token that a header can carry: what is none may not become part of an error that tells it. @throws ReadError that names the file */
export function tokenOf(readSecret: ReadSecret, path: string): string {
  const token = headerToken(secret(readSecret, path));
  if (token === null) throw new ReadError('unreadable', path, 'holds no token (one line of ASCII characters)');
  return token;
}

async function readEndpoint(
  session: Session,
  endpoint: NonNullable<InputPlan['endpoints']>[number],
  request: ReadRequest,
  opened: Opened,
): Promise<void> {
  const base = new URL(request.location.url as string);
  const visited = new Set<string>();
  let path: string | null = endpoint.path;
  let bytes = 0;
  while (path !== null && visited.size < MAX_PAGES) {
    const url = new URL(path, base);
    visited.add(url.href);
    try {
      const answered = await session.fetch(path);
      if (answered.status === 404 && endpoint.optional) return;
      const { body } = good(answered, base, path);
      add(opened, { name: url.href, role: endpoint.role, size: body.length, bytes: (from = 0) => [body.subarray(from)] }, 'ok');
      bytes += body.length;
      path = endpoint.paging ? nextPage(body, base, visited) : null;
      if (path !== null && !URL.canParse(path, base.href)) {
        opened.problems.push({
          effect: 'input',
          input: url.href,
          message: 'links to a next page that is no address; the rest was not read',
        });
        return;
      }
      if (path !== null && bytes > request.location.max_input * PAGES_FACTOR) {
        opened.problems.push({ effect: 'input', input: url.href, message: `ends ${bytes} bytes of pages; the rest was not read` });
        return;
      }
    } catch (error) {
      const failed = error instanceof ReadError ? error : new ReadError('unreadable', url.href, String(error));
      opened.coverage.push({
        name: url.href,
        role: endpoint.role,
        status: failed.code === 'timeout' ? 'unreadable' : failed.code,
        bytes: 0,
      });
      opened.problems.push({ effect: 'input', input: url.href, message: failed.message });
      return;
    }
  }
  if (path !== null)
    opened.problems.push({
      effect: 'input',
      input: new URL(endpoint.path, base).href,
      message: `has more than ${MAX_PAGES} pages; the rest was not read`,
    });
}

function add(opened: Opened, input: Input, status: CoverageInput['status']): void {
  opened.inputs.push(input);
  opened.coverage.push({ name: input.name, status, bytes: input.size, ...(input.role !== undefined && { role: input.role }) });
}

/** An answer of status 200. @throws ReadError that says what the status means */
function good(answered: Answered, base: URL, path: string): Answered {
  const { status } = answered;
  if (status === 200) return answered;
  const where = new URL(path, base).href;
  if (status === 401 || status === 403)
    throw new ReadError('unreadable', where, `answers ${status}: the credential has expired or may not read this`);
  if (status === 404) throw new ReadError('missing', where, 'answers 404: there is no such resource');
  throw new ReadError('unreadable', where, `answers ${status}`);
}

/** The next page, where there is one that was not read yet: the link may be empty, null, or point back at its own page. */
function nextPage(body: Uint8Array, base: URL, visited: ReadonlySet<string>): string | null {
  const next = parsed(body)?.['nextPageUri'];
  if (typeof next !== 'string' || next === '') return null;
  return URL.canParse(next, base.href) && visited.has(new URL(next, base).href) ? null : next;
}

function parsed(body: Uint8Array): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(body));
    return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
