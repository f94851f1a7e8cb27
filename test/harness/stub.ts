import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Assessed, assess } from '../../lib/harness/assess.ts';
import { openaiClient } from '../../lib/harness/openai.ts';
import type { Profile } from '../../lib/harness/profile.ts';
import type { AuditEntry } from '../../lib/model/audit.ts';
import type { ReadView } from '../../lib/tools/view.ts';
import { viewOf } from './view.ts';

export interface WireRequest {
  model: string;
  stream: boolean;
  max_tokens?: number;
  max_completion_tokens?: number;
  temperature?: number;
  seed?: number;
  tool_choice?: unknown;
  response_format?: unknown;
  chat_template_kwargs?: unknown;
  messages: {
    role: string;
    content: unknown;
    tool_call_id?: string;
    tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  }[];
  tools?: { function: { name: string; description: string; strict?: boolean; parameters: Record<string, unknown> } }[];
}

export interface Sent {
  method: string | undefined;
  path: string | undefined;
  headers: IncomingHttpHeaders;
  body: WireRequest;
}

/** One answer of the stub: a body, a status with one, or whatever is done to the response. */
export type Reply = object | ((response: ServerResponse, request: Sent) => void);

/** A server on 127.0.0.1 that answers what it is told, one reply a request; the last is repeated. GET answers 404 but where told. */
export class Stub {
  readonly sent: Sent[] = [];
  readonly gets = new Map<string, object>();
  replies: Reply[] = [];
  readonly #server = createServer((request, response) => {
    let text = '';
    request.on('data', (data: Buffer) => (text += data.toString()));
    request.on('end', () => {
      const own = this.gets.get(request.url ?? '');
      if (request.method === 'GET') {
        response.writeHead(own ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(own ?? { detail: 'Not Found' }));
        return;
      }
      const sent: Sent = { method: request.method, path: request.url, headers: request.headers, body: JSON.parse(text) as WireRequest };
      this.sent.push(sent);
      const reply = this.replies.length > 1 ? this.replies.shift() : this.replies[0];
      if (typeof reply === 'function') reply(response, sent);
      else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply));
    });
  });

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** One run of the harness against this server. */
  async run(
    replies: Reply[],
    {
      view = viewOf([{}]),
      limits = {},
      profile = null,
    }: { view?: ReadView; limits?: Partial<typeof LIMITS>; profile?: Profile | null } = {},
  ): Promise<Assessed & { audited: AuditEntry[] }> {
    this.replies = replies;
    const config = { url: this.url, name: 'stub', temperature: 0, ...LIMITS, ...limits };
    const audited: AuditEntry[] = [];
    const assessed = await assess({
      view,
      client: openaiClient(config, async () => 'sesame'),
      previous: null,
      limits: config,
      tick: '20261130t084500.000z',
      seed: 7,
      nonce: NONCE,
      profile,
      clock: () => view.now,
      audit: async (entry) => void audited.push(entry),
    });
    return { ...assessed, audited };
  }
}

export const NONCE = 'abcdefghijklmnop';
const LIMITS = { timeout: 20_000, max_turns: 10, max_calls: 30, max_tokens: 200_000 };

export interface WireCall {
  name?: unknown;
  arguments?: unknown;
  id?: unknown;
}

/** A completion in the wire's form, with what a server may put around it. */
export function completion(
  message: Record<string, unknown>,
  { finish = 'stop', usage = { prompt_tokens: 1200, completion_tokens: 20 } }: { finish?: string | null; usage?: unknown } = {},
): object {
  return {
    id: 'c1',
    object: 'chat.completion',
    choices: [{ index: 0, finish_reason: finish, message: { role: 'assistant', ...message } }],
    ...(usage !== undefined && usage !== null && { usage }),
  };
}

export function calling(...calls: WireCall[]): object {
  return completion(
    {
      content: null,
      tool_calls: calls.map(({ name, arguments: args, id = 'call_0' }) => ({ id, type: 'function', function: { name, arguments: args } })),
    },
    { finish: 'tool_calls' },
  );
}

/** The arguments of a report over the findings of a view, which cites them truly. */
export function reportOn(view: ReadView): string {
  return JSON.stringify({
    stories: view.findings.map((f, i) => ({
      title: `${f.kind} on ${f.subject.id}`,
      findings: [f.id.slice(0, 8)],
      priority: i + 1,
      hypothesis: 'one cause',
      counter_evidence: [],
      next_checks: [],
      confidence: 'low',
      evidence: [f.id.slice(0, 8)],
    })),
    observations: [],
  });
}

export const SUBMITS = calling({ name: 'submit_report', arguments: reportOn(viewOf([{}])) });

export function status(code: number, body: unknown, headers: Record<string, string> = {}): Reply {
  return (response) =>
    response
      .writeHead(code, { 'content-type': 'application/json', ...headers })
      .end(typeof body === 'string' ? body : JSON.stringify(body));
}
