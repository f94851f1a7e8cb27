import type { Json } from '../model/json.ts';
import type { Exchange } from '../model/recording.ts';
import { type ChatAnswer, type ChatRequest, type ModelClient, ModelError, type ToolOffer } from './client.ts';
import { without } from './dialect.ts';
import type { History } from './history.ts';
import type { Profile } from './profile.ts';
import { menuTokens } from './tokens.ts';

/** Attempts of one question, whatever they fail for. */
const MAX_ATTEMPTS = 10;
/** So often a question waits for a server that loads or is busy. */
const MAX_WAITS = 6;
const FIRST_WAIT = 500;
const LONGEST_WAIT = 8000;
const MAX_SHRINKS = 2;
/** Room for this much of an answer is worth more than an old result. */
const GOOD_ANSWER = 1000;
/** An answer shorter than this is worth nothing. */
const LEAST_ANSWER = 256;
/** Estimates are no counts. */
const MARGIN = 64;
/** A prompt of which the server counts so little of our estimate may have been cut. */
const CUT_SHARE = 0.35;
const CUT_FROM = 3000;

export interface Question {
  history: History;
  tools: readonly ToolOffer[];
  force?: string;
  maxTokens: number;
}

/**
 * Asks an endpoint, and adapts to what it refuses: fields are left out, the history shrinks to its context, a server that
 * loads is waited for. Every attempt is recorded. What it learns is in its profile.
 */
export class Asker {
  profile: Profile;
  /** What had to be worked around. */
  readonly notes = new Set<string>();
  readonly #client: ModelClient;
  readonly #seed: number;
  readonly #signal: AbortSignal;
  readonly #record: (exchange: Exchange) => void;

  constructor(options: {
    client: ModelClient;
    profile: Profile;
    seed: number;
    signal: AbortSignal;
    record: (exchange: Exchange) => void;
  }) {
    this.#client = options.client;
    this.profile = options.profile;
    this.#seed = options.seed;
    this.#signal = options.signal;
    this.#record = options.record;
  }

  /** @throws ModelError when nothing more can be done about it */
  async ask(question: Question): Promise<ChatAnswer> {
    const tried: Tried = { waits: 0, shrinks: 0, again: false, maxTokens: question.maxTokens };
    for (let attempt = 1; ; attempt++) {
      this.#fit(question, tried);
      const request: ChatRequest = {
        messages: [...question.history.messages],
        tools: question.tools,
        ...(question.force !== undefined && { force: question.force }),
        maxTokens: tried.maxTokens,
        seed: this.#seed,
        dialect: this.profile.dialect,
      };
      try {
        const answer = await this.#client.complete(request, this.#signal);
        this.#record({ request: asked(request), answer: plain(answer) });
        this.#learn(answer, question);
        return answer;
      } catch (thrown) {
        const error = thrown instanceof ModelError ? thrown : new ModelError('invalid', String(thrown));
        this.#record({ request: asked(request), error: told(error) });
        if (attempt >= MAX_ATTEMPTS || !(await this.#remedy(error, question, tried))) throw error;
      }
    }
  }

  /** Keeps prompt and answer within the context, where it is known. */
  #fit({ history, tools }: Question, tried: Tried): void {
    const { context } = this.profile;
    if (context === null) return;
    const menu = menuTokens(tools);
    const ratio = this.profile.ratio ?? 1;
    const left = (): number => Math.floor(context - (history.tokens + menu) * ratio - MARGIN);
    if (left() < Math.min(tried.maxTokens, GOOD_ANSWER)) history.shrinkTo(Math.floor((context - MARGIN - GOOD_ANSWER) / ratio) - menu);
    tried.maxTokens = Math.min(tried.maxTokens, Math.max(LEAST_ANSWER, left()));
  }

  #learn({ tokensIn }: ChatAnswer, { history, tools }: Question): void {
    const estimate = history.tokens + menuTokens(tools);
    if (tokensIn === null || tokensIn === 0) {
      this.notes.add('the server counts no tokens: they are estimated');
      return;
    }
    const share = tokensIn / estimate;
    if (share < CUT_SHARE) {
      // Told and no more: some servers cut the beginning of a prompt unseen, others leave out of the count what they had cached.
      if (estimate >= CUT_FROM)
        this.notes.add('the server counts far fewer tokens than the prompt has: if it cuts prompts unseen, raise its context');
      return;
    }
    this.profile = { ...this.profile, ratio: Math.round(share * 1000) / 1000 };
  }

  /** Whether another attempt makes sense, after what was done about the error. */
  async #remedy(error: ModelError, question: Question, tried: Tried): Promise<boolean> {
    switch (error.code) {
      case 'refused':
        return this.#leaveOut(error);
      case 'context':
        return this.#shrink(error, question, tried);
      case 'loading':
      case 'busy':
        return this.#wait(error, tried);
      case 'model': {
        const [only, ...more] = error.detail.served ?? [];
        if (only === undefined || more.length > 0 || this.profile.dialect.model !== null) return false;
        this.notes.add(`the server's only model was asked: ${only}`);
        this.profile = { ...this.profile, dialect: { ...this.profile.dialect, model: only } };
        return true;
      }
      case 'dropped':
        return this.#once(tried);
      case 'status':
        if (error.status === undefined || error.status < 500) return false;
        // llama.cpp and Ollama answer 500 for a schema that their grammar cannot do; the same again is no passing fault.
        if (this.#once(tried)) {
          this.#drop('strict');
          await this.#client.pause?.(FIRST_WAIT, this.#signal);
          return true;
        }
        return false;
      default:
        return false;
    }
  }

  #leaveOut({ detail }: ModelError): boolean {
    return detail.field !== undefined && this.#drop(detail.field);
  }

  #drop(field: Parameters<typeof without>[1]): boolean {
    const dialect = without(this.profile.dialect, field);
    if (dialect === null) return false;
    this.notes.add(`the server does not take ${field.replaceAll('_', ' ')}`);
    this.profile = { ...this.profile, dialect };
    return true;
  }

  #shrink({ detail }: ModelError, { history, tools }: Question, tried: Tried): boolean {
    if (++tried.shrinks > MAX_SHRINKS) return false;
    const { limit = null, prompt = null } = detail.context ?? {};
    const menu = menuTokens(tools);
    if (limit !== null && limit > 0) this.profile = { ...this.profile, context: limit };
    if (prompt !== null && prompt > 0)
      this.profile = { ...this.profile, ratio: Math.round((prompt / (history.tokens + menu)) * 1000) / 1000 };
    this.notes.add(`the context was full${limit === null ? '' : ` at ${limit} tokens`}: older results were taken out`);
    if (limit !== null && prompt !== null && limit - prompt - MARGIN >= LEAST_ANSWER && tried.shrinks === 1) {
      tried.maxTokens = Math.min(tried.maxTokens, limit - prompt - MARGIN);
      return true;
    }
    const shrunk = history.shrinkTo(limit === null ? Math.floor(history.tokens * 0.6) : 0);
    const shorter = tried.maxTokens > LEAST_ANSWER * 2;
    tried.maxTokens = Math.max(LEAST_ANSWER, Math.floor(tried.maxTokens / 2));
    return shrunk || shorter;
  }

  async #wait({ detail, code }: ModelError, tried: Tried): Promise<boolean> {
    if (++tried.waits > MAX_WAITS || this.#signal.aborted) return false;
    this.notes.add(code === 'loading' ? 'the server was still loading' : 'the server was busy');
    const backoff = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** (tried.waits - 1));
    await this.#client.pause?.(Math.min(detail.retryAfter ?? backoff, LONGEST_WAIT * 4), this.#signal);
    return true;
  }

  /** Whether this fault is met for the first time in this question: the same twice is none that passes. */
  #once(tried: Tried): boolean {
    if (tried.again) return false;
    tried.again = true;
    this.notes.add('an attempt failed and was made again');
    return true;
  }
}

interface Tried {
  waits: number;
  shrinks: number;
  /** Whether a fault that may pass was met already. */
  again: boolean;
  maxTokens: number;
}

function told({ code, message, status, detail }: ModelError): NonNullable<Exchange['error']> {
  return {
    code,
    message,
    ...(status !== undefined && { status }),
    ...(Object.keys(detail).length > 0 && { detail: plain(detail) }),
  };
}

/** A request as it is recorded: messages and menu never change once they are made, so that no copy is needed. */
function asked(request: ChatRequest): Json {
  return request as unknown as Json;
}

function plain(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}
