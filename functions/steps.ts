import { Worker } from 'node:worker_threads';
import type { Context, Hono } from 'hono';
import type { CommonFlags } from '../lib/cli/session.ts';
import type { Config } from '../lib/config.ts';
import type { Log } from '../lib/steps/observer.ts';
import { authorised } from './auth.ts';
import { limitedBody } from './body.ts';
import { createFunction, type FunctionEnv } from './function.ts';

/** What the thread of steps is started with. */
export interface StepsSetting {
  config: Config;
  flags: CommonFlags;
  /** Where a clock stands that does not move; absent = it is the system's. */
  clock: number | undefined;
}

/** A request for a step, as plain data: it crosses into the thread. */
export interface StepRequest {
  id: number;
  method: string;
  url: string;
  headers: [string, string][];
  body: ArrayBuffer;
}

/** What comes back from the thread: answers, and lines for the log. */
export type StepReply =
  | { id: number; status: number; headers: [string, string][]; body: ArrayBuffer }
  | { ended: { abandoned: number } }
  | { log: Parameters<Log> };

/** How long a thread that is told to end may take to do so: one that is stuck never does. */
const PATIENCE = 2000;

interface Begun {
  thread: Worker;
  /** Who waits for an answer of this thread, by the id of the request. */
  asked: Map<number, { resolve: (response: Response) => void; reject: (error: Error) => void }>;
}

/** Does steps in a thread of its own, begun with the first: while it works, those who read are answered all the same. */
export class StepThread {
  readonly #body: URL;
  readonly #setting: StepsSetting;
  readonly #log: Log;
  #begun: Begun | undefined;
  #last = 0;

  /** @param body the compiled body of the thread */
  constructor(body: URL, setting: StepsSetting, log: Log) {
    this.#body = body;
    this.#setting = setting;
    this.#log = log;
  }

  /** Answers a request there. @throws where the thread ends before it has answered */
  ask(request: Omit<StepRequest, 'id'>): Promise<Response> {
    this.#begun ??= this.#begin();
    const { thread, asked } = this.#begun;
    const id = ++this.#last;
    const answered = new Promise<Response>((resolve, reject) => asked.set(id, { resolve, reject }));
    thread.postMessage({ id, ...request } satisfies StepRequest, [request.body]);
    return answered;
  }

  /** Ends the thread; false where it is stuck in a read that never comes back. */
  async end(): Promise<boolean> {
    if (!this.#begun) return true;
    const { thread } = this.#begun;
    const ended = new Promise<boolean>((resolve) => {
      thread.on('message', (reply: StepReply) => 'ended' in reply && resolve(reply.ended.abandoned === 0));
      thread.once('exit', () => resolve(true));
      setTimeout(() => resolve(false), PATIENCE).unref();
    });
    thread.postMessage('end');
    const isFree = await ended;
    if (isFree) await thread.terminate();
    return isFree;
  }

  #begin(): Begun {
    const thread = new Worker(this.#body, { workerData: this.#setting });
    const begun: Begun = { thread, asked: new Map() };
    thread.on('message', (reply: StepReply) => {
      if ('log' in reply) this.#log(...reply.log);
      if (!('id' in reply)) return;
      const { id, status, headers, body } = reply;
      begun.asked.get(id)?.resolve(new Response(new Uint8Array(body), { status, headers: new Headers(headers) }));
      begun.asked.delete(id);
    });
    const over = (error: Error): void => {
      if (this.#begun === begun) this.#begun = undefined;
      for (const { reject } of begun.asked.values()) reject(error);
      begun.asked.clear();
    };
    thread.once('error', over);
    thread.once('exit', (code) => over(new Error(`the thread of steps ended with status ${code}`)));
    return begun;
  }
}

/** Lets a thread do the steps, each as its function does; all other routes are the app's own. */
export function withStepThread(app: Hono<FunctionEnv>, thread: StepThread, sources: readonly string[]): Hono<FunctionEnv> {
  const whole = createFunction();
  const elsewhere = async (c: Context<FunctionEnv>): Promise<Response> => {
    const { pathname, search } = new URL(c.req.url);
    const headers = [...c.req.raw.headers].filter(([name]) => PASSED_ON.has(name));
    const requestId = c.get('requestId');
    return thread.ask({
      method: c.req.method,
      url: pathname + search,
      headers: [...headers, ...(requestId === undefined ? [] : [['x-request-id', requestId] satisfies [string, string]])],
      body: await c.req.arrayBuffer(),
    });
  };
  for (const source of sources) whole.post(`/collect/${source}`, authorised, limitedBody(source), elsewhere);
  for (const path of ['/diff', '/tick', '/run', '/doctor', '/replay/:tick']) whole.post(path, authorised, limitedBody(), elsewhere);
  whole.route('/', app);
  return whole;
}

/** Headers of a request that a step looks at. */
const PASSED_ON = new Set(['authorization', 'content-type']);
