import type { ChatMessage } from './client.ts';
import { estimateTokens } from './tokens.ts';

/** Beside its text, each message costs the template's own tokens. */
const OVERHEAD = 6;

/**
 * The messages of a run. When they outgrow the model's context, the oldest results of tools become one line each, made by
 * code; the briefing and the latest results stay.
 */
export class History {
  readonly #messages: ChatMessage[];
  readonly #tokens: number[];
  /** The opening, which is never shrunk. */
  readonly #fixed: number;

  constructor(opening: readonly ChatMessage[]) {
    this.#messages = [...opening];
    this.#tokens = opening.map(tokensOf);
    this.#fixed = opening.length;
  }

  get messages(): readonly ChatMessage[] {
    return this.#messages;
  }

  /** Estimated tokens of all messages. */
  get tokens(): number {
    return this.#tokens.reduce((sum, n) => sum + n, 0);
  }

  push(message: ChatMessage): void {
    this.#messages.push(message);
    this.#tokens.push(tokensOf(message));
  }

  /**
   * Shrinks until the estimate is within a budget; the result of the last call goes last.
   * @returns whether anything became smaller
   */
  shrinkTo(budget: number): boolean {
    let shrunk = false;
    for (let i = this.#fixed; i < this.#messages.length && this.tokens > budget; i++) {
      const message = this.#messages[i] as ChatMessage;
      const smaller = digestOf(message);
      if (smaller === null) continue;
      this.#messages[i] = smaller;
      this.#tokens[i] = tokensOf(smaller);
      shrunk = true;
    }
    return shrunk;
  }
}

const GONE = '{"shrunk":true,"note":"this older result was taken out to save room; call again if you need it"}';

function digestOf(message: ChatMessage): ChatMessage | null {
  if (message.role === 'tool') return message.content.length <= GONE.length + 80 ? null : { ...message, content: GONE };
  if (message.role === 'assistant' && message.content.length > 200) return { ...message, content: `${message.content.slice(0, 150)}…` };
  return null;
}

function tokensOf(message: ChatMessage): number {
  const calls = message.role === 'assistant' ? message.calls.map((c) => c.name + c.arguments).join('') : '';
  return estimateTokens(message.content + calls) + OVERHEAD;
}
