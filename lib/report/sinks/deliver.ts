import { piecesOf, under } from '../../deadline.ts';
import { oneLine } from '../../model/text.ts';

/** How long a sink may keep a tick waiting. */
export interface Patience {
  attempts: number;
  /** Milliseconds for one attempt, from connecting to its answer. */
  attempt: number;
  /** Milliseconds for everything that one sink is sent. */
  total: number;
  /** Milliseconds before the second attempt; doubled before each further one. */
  wait: number;
}

export const PATIENCE: Patience = { attempts: 3, attempt: 5000, total: 15_000, wait: 500 };

export interface Outgoing {
  url: string;
  /** JSON. */
  body: unknown;
  token: string | null;
  /** When the sink's time is up. */
  deadline: AbortSignal;
}

export type Delivered = { ok: true } | { ok: false; reason: string };

const MAX_EXCERPT = 200;

/**
 * POSTs one JSON document. Answers of 429 and 5xx and broken connections are tried again within the patience given; a
 * redirect is refused, since a destination comes from configuration alone. Never throws, and never tells URL or token.
 */
export async function deliver(send: typeof fetch, outgoing: Outgoing, patience: Patience, now: () => number): Promise<Delivered> {
  const { deadline } = outgoing;
  let reason = '';
  for (let attempt = 1; attempt <= patience.attempts; attempt++) {
    const answer = await once(send, outgoing, patience.attempt, now);
    if ('ok' in answer) return answer;
    reason = attempt === 1 ? answer.retry : `${answer.retry}, ${attempt} times`;
    const wait = answer.after ?? patience.wait * 2 ** (attempt - 1);
    if (attempt === patience.attempts || deadline.aborted) break;
    if (wait >= patience.total) {
      reason += answer.after === undefined ? '' : `, and asks to wait for ${Math.ceil(answer.after / 1000)} s`;
      break;
    }
    await pause(wait, deadline);
  }
  return { ok: false, reason };
}

type Answer = Delivered | { retry: string; after?: number };

async function once(send: typeof fetch, { url, body, token, deadline }: Outgoing, attempt: number, now: () => number): Promise<Answer> {
  const post = (signal: AbortSignal): Promise<Response> =>
    send(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token !== null && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify(body),
      redirect: 'manual',
      signal,
    });
  try {
    const response = await under(deadline, post, attempt);
    if (response.ok) {
      await response.body?.cancel();
      return { ok: true };
    }
    const { status } = response;
    if (response.type === 'opaqueredirect' || (status >= 300 && status < 400)) {
      await response.body?.cancel();
      return { ok: false, reason: `answered with a redirect (${status}), which is not followed` };
    }
    // What it says beside is not needed: a body that breaks off or never ends changes nothing about the status.
    const said = `answered ${status}${excerpt(await under(deadline, (own) => beginning(response, own), attempt).catch(() => ''))}`;
    if (status !== 429 && status < 500) return { ok: false, reason: said };
    const after = retryAfter(response.headers.get('retry-after'), now());
    return { retry: said, ...(after !== undefined && { after }) };
  } catch (error) {
    return { retry: failure(error) };
  }
}

async function beginning(response: Response, signal: AbortSignal): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of piecesOf(response, signal)) {
    text += decoder.decode(piece, { stream: true });
    if (text.length >= MAX_EXCERPT) break;
  }
  return text;
}

function excerpt(text: string): string {
  const shown = oneLine(text, MAX_EXCERPT);
  return shown === '' ? '' : `: ${shown}`;
}

/** Seconds or a date (RFC 9110, 10.2.3) → milliseconds from now. */
function retryAfter(value: string | null, now: number): number | undefined {
  if (value === null) return undefined;
  const ms = /^\d{1,9}$/.test(value.trim()) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** What went wrong, by its code alone: messages of the platform may hold what was sent. */
function failure(error: unknown): string {
  if (error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError')) return 'did not answer in time';
  const cause = error instanceof Error ? (error.cause as { code?: unknown } | undefined) : undefined;
  return `could not be reached${typeof cause?.code === 'string' ? ` (${oneLine(cause.code, 40)})` : ''}`;
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
  });
}
