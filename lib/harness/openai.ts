import type { ModelConfig } from '../config.ts';
import { under } from '../deadline.ts';
import { headerToken, oneLine } from '../model/text.ts';
import { VERSION } from '../version.ts';
import { type ModelClient, ModelError } from './client.ts';
import { readAnswer } from './wire/answer.ts';
import { readBody } from './wire/body.ts';
import { failureOf } from './wire/failure.ts';
import { inspectServer } from './wire/inspect.ts';
import { toWire } from './wire/request.ts';

const TELLTALES = ['Lang', 'Package-Version', 'OS', 'Arch', 'Runtime', 'Runtime-Version', 'Retry-Count', 'Timeout'];

/**
 * A chat endpoint that speaks OpenAI's protocol. Every option is given here: nothing comes from the environment, nothing
 * is retried behind our back, redirects are refused, and the caller's signal ends the body too.
 */
export function openaiClient(config: ModelConfig, key: () => Promise<string | undefined>): ModelClient {
  const base = config.url.replace(/\/+$/, '');
  const { host } = new URL(base);
  const guarded = async <T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw asModelError(error, signal, { name: config.name, host });
    }
  };
  return {
    label: `${config.name} at ${host}`,
    complete: (request, signal) =>
      guarded(signal, async () => {
        const client = await sdk(base, await keyOf(key));
        // The library leaves a listener on the signal with every request.
        return under(signal, async (own) => {
          const response = await client.chat.completions.create(toWire(config, request), { signal: own }).asResponse();
          return readAnswer(await readBody(response, own));
        });
      }).catch(async (error: unknown) => {
        if (!(error instanceof ModelError) || error.code !== 'model') throw error;
        const served = (await inspectServer(getter(base, key, signal), config.name)).models ?? [];
        const there = served.length > 0 ? `; there: ${served.join(', ')}` : '';
        throw new ModelError('model', oneLine(`no model ${config.name}${there}`, 300), error.status, { served });
      }),
    inspect: (signal) => guarded(signal, () => inspectServer(getter(base, key, signal), config.name)),
    pause: (ms, signal) =>
      new Promise((resolve) => {
        const done = (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', done);
          resolve();
        };
        const timer = setTimeout(done, ms);
        signal.addEventListener('abort', done);
        if (signal.aborted) done();
      }),
  };
}

/** The caller's signal is the one deadline; the library's own must not come before it. */
const NEVER = 86_400_000;

async function sdk(baseURL: string, apiKey: string) {
  const { default: Client } = await import('openai');
  return new Client({
    apiKey,
    baseURL,
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0,
    timeout: NEVER,
    logLevel: 'off',
    fetchOptions: { redirect: 'error' },
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      if (!response.ok) throw failureOf(response.status, await readBody(response, init?.signal), response.headers);
      return response;
    },
    defaultHeaders: {
      ...Object.fromEntries(TELLTALES.map((name) => [`X-Stainless-${name}`, null])),
      'User-Agent': `hpc-observer/${VERSION}`,
    },
  });
}

/** What goes into the header; servers that ask for none take any. @throws ModelError that does not tell it */
async function keyOf(key: () => Promise<string | undefined>): Promise<string> {
  const token = headerToken((await key()) ?? 'none');
  if (token === null) throw new ModelError('refused', 'the configured key is none: expected one line of ASCII characters');
  return token;
}

type Got = { body: string; server: string | null } | null;

function getter(base: string, key: () => Promise<string | undefined>, signal: AbortSignal): (path: string) => Promise<Got> {
  return async (path) => {
    try {
      const url = new URL(path, `${base}/`);
      const headers = { authorization: `Bearer ${await keyOf(key)}`, 'user-agent': `hpc-observer/${VERSION}` };
      return await under(signal, async (own) => {
        const response = await fetch(url, { method: 'GET', headers, redirect: 'error', signal: own });
        const body = await readBody(response, own);
        return response.ok ? { body, server: response.headers.get('server') } : null;
      });
    } catch (error) {
      if (signal.aborted) throw error;
      return null;
    }
  };
}

/** Codes of Node's and undici's errors for connections that broke under way. */
const BROKEN = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

function asModelError(error: unknown, signal: AbortSignal, { name, host }: { name: string; host: string }): ModelError {
  const chain = causes(error);
  const own = chain.find((e) => e instanceof ModelError);
  if (own instanceof ModelError) return own;
  if (signal.aborted) return new ModelError('timeout', `${name} did not answer in time`);
  // Node's fetch waits five minutes for an answer to begin, and cannot be told otherwise.
  if (chain.some((e) => /^(?:request timed out|headers timeout)/i.test(e.message)))
    return new ModelError('timeout', `${name} began no answer within the five minutes that Node waits for one, whatever the timeout`);
  const codes = chain.map((e) => (e as NodeJS.ErrnoException).code ?? '');
  const deepest = chain.at(-1);
  const text = `${host}: ${codes.findLast((c) => c !== '') ?? deepest?.name ?? 'error'}: ${deepest?.message ?? String(error)}`;
  const broken = codes.some((c) => BROKEN.has(c)) || chain.some((e) => /terminated|other side closed/i.test(e.message));
  return new ModelError(broken ? 'dropped' : 'unreachable', oneLine(text, 300));
}

/** An error and what caused it, the outermost first. */
function causes(error: unknown): Error[] {
  const chain: Error[] = [];
  for (let e = error; e instanceof Error && chain.length < 5; e = e.cause) chain.push(e);
  return chain;
}
