import type { JsonObject } from '../model/json.ts';
import type { Dialect, Field } from './dialect.ts';

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
  dialect: Dialect;
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

/** What an endpoint says of itself, asked with GET alone; null where it does not say. */
export interface Served {
  /** Ids of the models that it serves. */
  models: string[] | null;
  /** The context that it was started with, in tokens. */
  context: number | null;
  /** The server's name and version. */
  server: string | null;
}

/** An endpoint that completes chats. It never retries by itself and ends with the signal, body included. */
export interface ModelClient {
  /** For the report: `qwen3-8b at 127.0.0.1:8000`. */
  readonly label: string;
  complete(request: ChatRequest, signal: AbortSignal): Promise<ChatAnswer>;
  /** Lets time pass between two attempts; a client that plays back has none to lose. */
  pause?(ms: number, signal: AbortSignal): Promise<void>;
  inspect?(signal: AbortSignal): Promise<Served>;
}

/** What an error said in words, in a form that can be acted on. */
export interface ErrorDetail {
  /** What of the request was refused. */
  field?: Field;
  /** Tokens: what the model's context holds, and what the prompt had; null where it does not say. */
  context?: { limit: number | null; prompt: number | null };
  /** The models that there are, where the one asked for is not. */
  served?: string[];
  /** How long to wait, in ms. */
  retryAfter?: number;
}

const CODES = [
  'timeout',
  'unreachable',
  /** The connection broke under the request. */
  'dropped',
  'loading',
  'busy',
  'context',
  /** Something of the request is not supported. */
  'refused',
  /** There is no such model. */
  'model',
  'status',
  'not_json',
  'invalid',
  'too_large',
] as const;

/** Why an endpoint gave no usable answer. */
export class ModelError extends Error {
  override name = 'ModelError';
  readonly code: (typeof CODES)[number];
  readonly status: number | undefined;
  readonly detail: ErrorDetail;
  constructor(code: ModelError['code'], message: string, status?: number, detail: ErrorDetail = {}) {
    super(message);
    this.code = code;
    this.status = status;
    this.detail = detail;
  }
}
