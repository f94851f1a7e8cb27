import type { AuditEntry } from '../model/audit.ts';
import { canonicalJson, type Json } from '../model/json.ts';
import { sha256Hex } from '../model/identity.ts';
import type { Exchange, ToolResult } from '../model/recording.ts';
import type { Assessment } from '../model/report.ts';
import { oneLine } from '../model/text.ts';
import { type Answer, invoke, type Refusal, tools } from '../tools/registry.ts';
import type { ReadView } from '../tools/view.ts';
import type { Limits } from './assess.ts';
import { type ChatAnswer, type ChatMessage, type ChatRequest, type ModelClient, ModelError, type ToolOffer } from './client.ts';
import { SUBMIT, Submission } from './submission.ts';
import type { Shown } from './verify.ts';

const MAX_CALLS_PER_TURN = 8;
const MAX_TOKENS_PER_TURN = 2000;
/** From this many turns before the end on, only the terminal call is offered. */
const LAST_TURNS = 2;

export interface Conversation {
  view: ReadView;
  client: ModelClient;
  limits: Limits;
  tick: string;
  seed: number;
  clock: () => number;
  audit: (entry: AuditEntry) => Promise<void>;
  opening: readonly ChatMessage[];
  nonce: string;
  record: (exchange: Exchange) => void;
  recordTool: (result: ToolResult) => void;
}

export interface Ended {
  submission: Submission | null;
  reason: string;
  shown: Shown;
  usage: Omit<Assessment['usage'], 'ms'>;
}

const OFFERS: readonly ToolOffer[] = [...tools.map(({ name, description, parameters }) => ({ name, description, parameters })), SUBMIT];

/** Talks with a model until it submits or a budget ends: turns, calls, tokens, seconds. */
export async function converse(c: Conversation): Promise<Ended> {
  const usage = { turns: 0, toolCalls: 0, refusedCalls: 0, tokensIn: 0, tokensOut: 0 };
  const messages: ChatMessage[] = [...c.opening];
  const shown = new ShownTexts(c.view);
  const deadline = AbortSignal.timeout(c.limits.timeout);
  const end = (reason: string, submission: Submission | null = null): Ended => ({ submission, reason, shown, usage });
  while (usage.turns < c.limits.max_turns) {
    if (usage.tokensIn + usage.tokensOut >= c.limits.max_tokens) return end(`used its ${c.limits.max_tokens} tokens without a report`);
    const last = c.limits.max_turns - usage.turns <= LAST_TURNS || usage.toolCalls >= c.limits.max_calls;
    const answer = await ask(
      c,
      { messages, tools: last ? [SUBMIT] : OFFERS, ...(last && { force: SUBMIT.name }), maxTokens: MAX_TOKENS_PER_TURN, seed: c.seed },
      deadline,
    );
    usage.turns++;
    usage.tokensIn += answer.tokensIn ?? estimate(messages.map((m) => m.content).join(''));
    usage.tokensOut += answer.tokensOut ?? estimate(answer.content + JSON.stringify(answer.calls));
    const calls = answer.calls.slice(0, MAX_CALLS_PER_TURN).map((call, index) => readCall(call, `${c.tick}:${usage.turns}:${index}`));
    messages.push({
      role: 'assistant',
      content: answer.content.slice(0, 4000),
      calls: calls.map(({ id, name, args }) => ({ id, name, arguments: args === undefined ? '{}' : canonicalJson(args) })),
    });
    if (calls.length === 0) {
      messages.push({ role: 'user', content: `Call a tool, or end with ${SUBMIT.name}.` });
      continue;
    }
    for (const call of calls) {
      if (call.name === SUBMIT.name) {
        const submission = Submission.safeParse(call.args);
        if (submission.success) return end('submitted', submission.data);
        usage.refusedCalls++;
        messages.push(
          toolMessage(c, call.id, {
            ok: false,
            error: oneLine(
              `wrong arguments: ${submission.error.issues.map((i) => `${i.path.map(String).join('.')}: ${i.message}`).join('; ')}`,
              600,
            ),
          }),
        );
        continue;
      }
      const result = await runCall(c, call, usage);
      if (result.ok) shown.add(result);
      messages.push(toolMessage(c, call.id, result));
    }
  }
  return end(`used its ${c.limits.max_turns} turns without a report`);
}

interface ReadCall {
  id: string;
  name: string;
  /** Undefined where the arguments are no JSON. */
  args: Json | undefined;
}

function readCall(call: ChatAnswer['calls'][number], seed: string): ReadCall {
  return { id: sha256Hex(seed).slice(0, 9), name: call.name, args: parseArguments(call.arguments) };
}

function parseArguments(raw: unknown): Json | undefined {
  if (typeof raw !== 'string') return (raw ?? {}) as Json;
  if (raw.trim() === '') return {};
  try {
    return JSON.parse(raw) as Json;
  } catch {
    return undefined;
  }
}

async function runCall(c: Conversation, call: ReadCall, usage: Ended['usage']): Promise<Answer | Refusal> {
  usage.toolCalls++;
  const began = c.clock();
  const { result, auditEntry } =
    call.args === undefined
      ? unreadable(call)
      : usage.toolCalls > c.limits.max_calls
        ? overBudget(call)
        : await invoke(c.view, call.name, call.args);
  if (auditEntry.decision !== 'executed') usage.refusedCalls++;
  await c.audit({ ...auditEntry, run: c.tick, turn: usage.turns, callId: call.id, ms: c.clock() - began });
  c.recordTool({
    turn: usage.turns,
    name: call.name,
    arguments: call.args ?? null,
    result: result as unknown as Json,
    decision: auditEntry.decision === 'executed' ? 'executed' : auditEntry.decision.refused,
  });
  return result;
}

function unreadable(call: ReadCall) {
  return refused(call, 'the arguments are no JSON; send one JSON object');
}

function overBudget(call: ReadCall) {
  return refused(call, `no calls are left; end with ${SUBMIT.name}`);
}

function refused(call: ReadCall, error: string): { result: Refusal; auditEntry: AuditEntry } {
  const result: Refusal = { ok: false, error };
  const args = call.args ?? null;
  const auditEntry: AuditEntry = {
    tool: oneLine(call.name, 100),
    args,
    argsHash: sha256Hex(canonicalJson(args)),
    resultHash: sha256Hex(canonicalJson(result)),
    bytes: JSON.stringify(result).length,
    ms: 0,
    decision: { refused: error },
  };
  return { result, auditEntry };
}

function toolMessage(c: Conversation, callId: string, result: Answer | Refusal): ChatMessage {
  return { role: 'tool', callId, content: `<DATA ${c.nonce}>\n${JSON.stringify(result)}\n</DATA ${c.nonce}>` };
}

async function ask(c: Conversation, request: ChatRequest, signal: AbortSignal): Promise<ChatAnswer> {
  try {
    const answer = await c.client.complete({ ...request, messages: [...request.messages] }, signal);
    c.record({ request: plain(request), answer: plain(answer) });
    return answer;
  } catch (error) {
    const e = error instanceof ModelError ? error : new ModelError('invalid', String(error));
    c.record({ request: plain(request), error: { code: e.code, message: e.message, ...(e.status !== undefined && { status: e.status }) } });
    throw e;
  }
}

function plain(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}

function estimate(text: string): number {
  return Math.ceil(text.length / 3.2);
}

/** What the model was shown, by what it may cite: refs of answers, ids of findings. */
class ShownTexts implements Shown {
  readonly #view: ReadView;
  readonly #byRef = new Map<string, string>();

  constructor(view: ReadView) {
    this.#view = view;
  }

  add(answer: Answer): void {
    const text = JSON.stringify(answer);
    for (const [, ref] of text.matchAll(/"ref":"((?:[^"\\]|\\.)*)"/g))
      this.#byRef.set(ref as string, `${this.#byRef.get(ref as string) ?? ''}\n${text}`);
  }

  cite(id: string): string | null {
    const byRef = this.#byRef.get(id);
    if (byRef !== undefined) return byRef;
    if (id.length < 8) return null;
    const found = this.#view.findings.filter((f) => f.id.startsWith(id));
    return found.length === 1 ? JSON.stringify(found[0]) : null;
  }
}
