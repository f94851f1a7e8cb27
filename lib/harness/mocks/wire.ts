import * as z from 'zod';
import type { ChatMessage } from '../client.ts';
import { estimateTokens } from '../tokens.ts';

const Wire = z.looseObject({
  max_tokens: z.number().optional(),
  max_completion_tokens: z.number().optional(),
  messages: z.array(
    z.looseObject({
      role: z.string(),
      content: z.string(),
      tool_call_id: z.string().optional(),
      tool_calls: z
        .array(z.looseObject({ id: z.string(), function: z.looseObject({ name: z.string(), arguments: z.string() }) }))
        .optional(),
    }),
  ),
  tools: z.array(z.looseObject({ function: z.looseObject({ name: z.string() }) })).optional(),
});

/** What a mock is asked: a request as it came over the wire, read. */
export interface Asked {
  messages: ChatMessage[];
  /** Names of the tools that are offered. */
  offered: ReadonlySet<string>;
  maxTokens: number;
  /** How often this server was asked before. */
  nth: number;
  /** How often the model spoke before in this conversation. */
  turn: number;
  /** Estimated tokens of the whole request. */
  tokens: number;
}

/** What a mock puts on the wire. */
export interface Reply {
  status?: number;
  headers?: Record<string, string>;
  /** An object goes as JSON, text and bytes as they are. */
  body?: object | string | Uint8Array;
  /** Milliseconds before the answer begins, or before its end. */
  delay?: number;
  drip?: number;
  /** The connection is cut instead. */
  cut?: true;
}

export type Mock = (asked: Asked) => Reply | Promise<Reply>;

/** Reads a request's body. @throws ZodError, SyntaxError for what is no chat completion request */
export function readRequest(text: string, nth: number): Asked {
  const wire = Wire.parse(JSON.parse(text));
  const messages = wire.messages.map((m): ChatMessage => {
    if (m.role === 'tool') return { role: 'tool', callId: m.tool_call_id ?? '', content: m.content };
    if (m.role !== 'assistant') return { role: m.role === 'system' ? 'system' : 'user', content: m.content };
    const calls = (m.tool_calls ?? []).map((c) => ({ id: c.id, name: c.function.name, arguments: c.function.arguments }));
    return { role: 'assistant', content: m.content, calls };
  });
  return {
    messages,
    offered: new Set((wire.tools ?? []).map((t) => t.function.name)),
    maxTokens: wire.max_tokens ?? wire.max_completion_tokens ?? 0,
    nth,
    turn: messages.filter((m) => m.role === 'assistant').length,
    tokens: estimateTokens(text),
  };
}

export interface WireCall {
  name: string;
  arguments: unknown;
}

interface Around {
  finish?: string | null;
  usage?: object | null;
}

/** A completion in the wire's form. */
export function completion(asked: Asked, message: Record<string, unknown>, { finish = 'stop', usage }: Around = {}): Reply {
  const counted = { prompt_tokens: asked.tokens, completion_tokens: estimateTokens(JSON.stringify(message)) };
  const all = { ...counted, total_tokens: counted.prompt_tokens + counted.completion_tokens };
  return {
    body: {
      id: `chatcmpl-mock-${asked.nth}`,
      object: 'chat.completion',
      created: 0,
      model: 'mock',
      choices: [{ index: 0, finish_reason: finish, message: { role: 'assistant', ...message } }],
      ...(usage !== null && { usage: usage ?? all }),
    },
  };
}

/** A completion that calls tools, as vLLM sends it. */
export function calling(asked: Asked, calls: readonly WireCall[], around: Around = {}): Reply {
  const tool_calls = calls.map((call, i) => ({
    id: `chatcmpl-tool-${asked.nth}${i}`,
    type: 'function',
    function: { name: call.name, arguments: typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments) },
  }));
  return completion(asked, { content: null, tool_calls }, { finish: 'tool_calls', ...around });
}
