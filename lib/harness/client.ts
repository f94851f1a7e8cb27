import type { JsonObject } from '../model/json.ts';

/** One message of a chat; arguments of calls are always canonical JSON. */
export type ChatMessage =
  | { role: 'system' | 'user'; content: string }
  | { role: 'assistant'; content: string; calls: { id: string; name: string; arguments: string }[] }
  | { role: 'tool'; callId: string; content: string };

export interface ToolOffer {
  name: string;
  description: string;
  /** JSON Schema of the arguments. */
  parameters: JsonObject;
}

export interface ChatRequest {
  messages: readonly ChatMessage[];
  tools: readonly ToolOffer[];
  /** The only tool that may be called now; absent = any of them. */
  force?: string;
  maxTokens: number;
  seed: number;
}

/** What a server answered, before anything in it is believed. */
export interface ChatAnswer {
  content: string;
  reasoning: string;
  /** Arguments as the server gave them: text, or what should have been text. */
  calls: { name: string; arguments: unknown }[];
  finishReason: string | null;
  tokensIn: number | null;
  tokensOut: number | null;
}

/** An endpoint that completes chats. It never retries by itself and ends with the signal, body included. */
export interface ModelClient {
  /** For the report: `qwen3-8b at 127.0.0.1:8000`. */
  readonly label: string;
  complete(request: ChatRequest, signal: AbortSignal): Promise<ChatAnswer>;
}

/** Why an endpoint gave no usable answer. */
export class ModelError extends Error {
  override name = 'ModelError';
  readonly code: 'timeout' | 'unreachable' | 'status' | 'not_json' | 'invalid' | 'context' | 'loading';
  readonly status: number | undefined;
  constructor(code: ModelError['code'], message: string, status?: number) {
    super(message);
    this.code = code;
    this.status = status;
  }
}
