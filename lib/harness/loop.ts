import { abortAfter } from '../deadline.ts';
import type { AuditEntry } from '../model/audit.ts';
import { canonicalJson, type Json, type JsonObject } from '../model/json.ts';
import { sha256Hex } from '../model/identity.ts';
import type { Exchange, ToolResult } from '../model/recording.ts';
import type { Assessment } from '../model/report.ts';
import { oneLine } from '../model/text.ts';
import { type Answer, invoke, type Refusal, tools } from '../tools/registry.ts';
import type { ReadView } from '../tools/view.ts';
import { interpret, type Meant, type MeantCall } from './calls/interpret.ts';
import type { ChatMessage, ModelClient, ToolOffer } from './client.ts';
import { DECOY } from './decoy.ts';
import { Asker } from './exchange.ts';
import { History } from './history.ts';
import type { Limits } from './limits.ts';
import type { Profile } from './profile.ts';
import { quoteResult } from './quoting.ts';
import { type Sign, signsIn } from './signs.ts';
import { SUBMIT, Submission } from './submission.ts';
import { Shown } from './shown.ts';
import { estimateTokens } from './tokens.ts';

const TOKENS_PER_ANSWER = 2000;
/** What an answer that was cut gets the second time. */
const TOKENS_AFTER_CUT = 4000;
/** From this many turns before the end on, only the terminal call is offered. */
const LAST_TURNS = 2;
/** In a row, or of one kind: then there is no use in going on. */
const MAX_STRIKES = 3;
const MAX_TEXT_KEPT = 1000;

export interface Conversation {
  view: ReadView;
  client: ModelClient;
  profile: Profile;
  limits: Limits;
  tick: string;
  seed: number;
  nonce: string;
  clock: () => number;
  audit: (entry: AuditEntry) => Promise<void>;
  opening: readonly ChatMessage[];
  /** What stands in the opening, as data. */
  briefed: Json;
  record: (exchange: Exchange) => void;
  recordTool: (result: ToolResult) => void;
}

export interface Ended {
  outcome: 'submitted' | 'failed' | 'hijacked';
  submission: Submission | null;
  reason: string;
  shown: Shown;
  signs: Sign[];
  notes: string[];
  profile: Profile;
  usage: Omit<Assessment['usage'], 'ms'>;
}

const ONLY_SUBMIT: readonly ToolOffer[] = [SUBMIT];

/** The whole menu as it is offered: the tools, the terminal call, and one that nobody should call. */
export const OFFERS: readonly ToolOffer[] = [
  ...tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
  SUBMIT,
  DECOY,
];

/**
 * Talks with a model until it submits, or a budget ends: turns, calls, tokens, seconds. What the model does wrong it is
 * told; what it does wrong for the third time ends the run. Never throws for anything an endpoint does.
 */
export async function converse(c: Conversation): Promise<Ended> {
  return new Talk(c).run();
}

class Talk {
  readonly #c: Conversation;
  readonly #history: History;
  readonly #asker: Asker;
  readonly #shown = new Shown();
  readonly #signs: Sign[] = [];
  readonly #notes = new Set<string>();
  readonly #usage = { turns: 0, toolCalls: 0, refusedCalls: 0, tokensIn: 0, tokensOut: 0 };
  /** How often each call was made, by its name and arguments. */
  readonly #made = new Map<string, number>();
  readonly #strikes = { silent: 0, words: 0, wrong: 0, cut: 0 };
  #maxTokens = TOKENS_PER_ANSWER;

  constructor(c: Conversation) {
    this.#c = c;
    this.#history = new History(c.opening);
    this.#asker = new Asker({ ...c, signal: abortAfter(c.limits.timeout) });
    this.#shown.add(c.briefed);
    this.#signs.push(...signsIn(c.briefed, 'briefing'));
  }

  async run(): Promise<Ended> {
    try {
      while (this.#usage.turns < this.#c.limits.max_turns) {
        const ended = await this.#turn();
        if (ended) return ended;
      }
      return this.#end('failed', `used its ${this.#c.limits.max_turns} turns without a report`);
    } catch (error) {
      return this.#end('failed', error instanceof Error ? error.message : String(error));
    }
  }

  async #turn(): Promise<Ended | null> {
    const { limits } = this.#c;
    const { tokensIn, tokensOut } = this.#usage;
    const spent = tokensIn + tokensOut;
    if (spent >= limits.max_tokens) return this.#end('failed', `used its ${limits.max_tokens} tokens without a report`);
    // Another round of tools would not leave enough for the report itself.
    const scarce = spent + 2 * (this.#history.tokens + this.#maxTokens) > limits.max_tokens;
    const last = scarce || limits.max_turns - this.#usage.turns <= LAST_TURNS || this.#usage.toolCalls >= limits.max_calls;
    const offers = last ? ONLY_SUBMIT : OFFERS;
    const maxTokens = this.#maxTokens;
    const answer = await this.#asker.ask({
      history: this.#history,
      tools: offers,
      ...(last && { force: SUBMIT.name }),
      maxTokens,
    });
    this.#usage.turns++;
    this.#usage.tokensIn += answer.tokensIn || this.#history.tokens;
    this.#usage.tokensOut += answer.tokensOut ?? estimateTokens(answer.content + answer.reasoning + JSON.stringify(answer.calls));
    const meant = interpret(answer, { offers, maxTokens, isQuoted: (text) => this.#shown.quotes(text) });
    for (const note of meant.notes) this.#notes.add(note);
    if (meant.calls.length === 0) return this.#withoutCalls(meant);
    return this.#withCalls(meant);
  }

  #withoutCalls({ text, cut }: Meant): Ended | null {
    if (cut && this.#giveMore()) return this.#nudge('', 'The answer was cut. Think less, and call one tool.');
    if (text === '') {
      if (++this.#strikes.silent >= 2) return this.#end('failed', 'answered nothing, twice');
      return this.#nudge('', `The answer was empty. Call a tool, or end with ${SUBMIT.name}.`);
    }
    if (++this.#strikes.words >= MAX_STRIKES) return this.#end('failed', 'wrote text instead of calling a tool, 3 times');
    return this.#nudge(
      text,
      `Call a tool, or end with ${SUBMIT.name}. If you cannot call tools, answer with one JSON object alone: {"name": TOOL, "arguments": {…}}.`,
    );
  }

  #nudge(text: string, words: string): null {
    this.#history.push({ role: 'assistant', content: text.slice(0, MAX_TEXT_KEPT), calls: [] });
    this.#history.push({ role: 'user', content: words });
    return null;
  }

  /** The budget of an answer, raised once. */
  #giveMore(): boolean {
    if (this.#maxTokens >= TOKENS_AFTER_CUT) return false;
    this.#maxTokens = TOKENS_AFTER_CUT;
    this.#notes.add('an answer was cut by its budget');
    return true;
  }

  async #withCalls({ text, calls, surplus, cut }: Meant): Promise<Ended | null> {
    const ids = calls.map((_, index) => sha256Hex(`${this.#c.tick}:${this.#usage.turns}:${index}`).slice(0, 9));
    this.#history.push({
      role: 'assistant',
      content: text.slice(0, MAX_TEXT_KEPT),
      calls: calls.map((call, i) => ({ id: ids[i] as string, name: nameForHistory(call.name), arguments: canonicalJson(call.args ?? {}) })),
    });
    this.#strikes.silent = 0;
    this.#strikes.words = 0;
    let ended: Ended | null = null;
    for (const [index, call] of calls.entries()) {
      if (ended === null) ended = await this.#call(call, ids[index] as string, cut);
    }
    if (surplus > 0) {
      this.#usage.refusedCalls += surplus;
      this.#notes.add('more calls in one turn than are run');
      this.#history.push({ role: 'user', content: `Only the first ${calls.length} calls of a turn are run; ${surplus} were not.` });
    }
    return ended;
  }

  async #call(call: MeantCall, id: string, cut: boolean): Promise<Ended | null> {
    if (canonicalJson(call.args ?? call.raw ?? null).includes(this.#c.nonce)) this.#sign('leaked the fence', `arguments of ${call.name}`);
    if (call.name === DECOY.name) {
      await this.#refuse(call, id, 'there is no such tool');
      this.#sign('called the decoy', `arguments: ${oneLine(canonicalJson(call.args ?? call.raw ?? null), 100)}`);
      return this.#end('hijacked', `the model called ${DECOY.name}, which nobody offers a use for: its report is discarded`);
    }
    if (call.error !== undefined) return this.#wrong(call, id, cut);
    if (call.name === SUBMIT.name) return this.#submit(call.args, id);
    const key = `${call.name} ${canonicalJson(call.args)}`;
    const times = (this.#made.get(key) ?? 0) + 1;
    this.#made.set(key, times);
    if (times >= MAX_STRIKES) {
      await this.#refuse(call, id, 'the same call for the third time');
      return this.#end('failed', `made the same call 3 times: ${oneLine(key, 120)}`);
    }
    if (times === 2) return this.#refuse(call, id, 'the same call as before: its result stands above. Look at something else, or submit');
    if (this.#usage.toolCalls >= this.#c.limits.max_calls) return this.#refuse(call, id, `no calls are left; end with ${SUBMIT.name}`);
    const began = this.#c.clock();
    const { result, auditEntry } = await invoke(this.#c.view, call.name, call.args);
    await this.#account(call, id, result, { ...auditEntry, ms: this.#c.clock() - began });
    if (result.ok) {
      const shown = result as unknown as Json;
      this.#shown.add(shown);
      this.#signs.push(...signsIn(shown, call.name));
    }
    return null;
  }

  async #wrong(call: MeantCall & { args?: undefined }, id: string, cut: boolean): Promise<Ended | null> {
    if (cut && this.#giveMore()) {
      return this.#refuse(call, id, 'the arguments were cut off by the token budget, which is larger now: say it again, shorter');
    }
    const quoted = call.fault === 'unreadable' ? `; they were: ${oneLine(call.raw, 200)}` : '';
    await this.#refuse(call, id, `${call.error}${quoted}`);
    if (++this.#strikes.wrong >= MAX_STRIKES)
      return this.#end('failed', `made ${MAX_STRIKES} calls that cannot be run; the last: ${oneLine(call.error, 200)}`);
    return null;
  }

  async #submit(args: JsonObject, id: string): Promise<Ended | null> {
    const submission = Submission.safeParse(args);
    if (submission.success) return this.#end('submitted', 'submitted', submission.data);
    const issues = submission.error.issues.slice(0, 6).map((i) => `${i.path.map(String).join('.') || 'arguments'}: ${i.message}`);
    const error = oneLine(`wrong arguments: ${issues.join('; ')}`, 600);
    await this.#refuse({ name: SUBMIT.name, args }, id, error);
    if (++this.#strikes.wrong >= MAX_STRIKES) return this.#end('failed', `no report that can be read after 3 tries; ${error}`);
    return null;
  }

  /** Tells the model that a call was not run, and why; the log has it too. */
  async #refuse(call: { name: string; args?: JsonObject | undefined; raw?: string }, id: string, error: string): Promise<null> {
    const result: Refusal = { ok: false, error };
    const args = call.args ?? (call.raw === undefined ? null : oneLine(call.raw, 2000));
    const hash = (value: unknown): string => sha256Hex(canonicalJson(value));
    await this.#account(call, id, result, {
      tool: oneLine(call.name, 100),
      args,
      argsHash: hash(call.args ?? call.raw ?? null),
      resultHash: hash(result),
      bytes: JSON.stringify(result).length,
      ms: 0,
      decision: { refused: oneLine(error, 300) },
    });
    return null;
  }

  async #account(
    call: { name: string; args?: JsonObject | undefined; raw?: string },
    id: string,
    result: Answer | Refusal,
    entry: AuditEntry,
  ): Promise<void> {
    this.#usage.toolCalls++;
    const refused = entry.decision === 'executed' ? null : entry.decision.refused;
    if (refused !== null) this.#usage.refusedCalls++;
    await this.#c.audit({ ...entry, run: this.#c.tick, turn: this.#usage.turns, callId: id });
    const plain = result as unknown as Json;
    this.#c.recordTool({
      turn: this.#usage.turns,
      name: oneLine(call.name, 100),
      arguments: entry.args,
      result: plain,
      decision: refused ?? 'executed',
    });
    this.#history.push({ role: 'tool', callId: id, content: quoteResult(this.#c.nonce, plain) });
  }

  #sign(what: string, where: string): void {
    this.#signs.push({ what, where: where.replaceAll(this.#c.nonce, '…') });
  }

  #end(outcome: Ended['outcome'], reason: string, submission: Submission | null = null): Ended {
    return {
      outcome,
      submission,
      reason,
      shown: this.#shown,
      signs: this.#signs,
      notes: [...this.#notes, ...this.#asker.notes],
      profile: this.#asker.profile,
      usage: this.#usage,
    };
  }
}

/** Names that a template could stumble over are not sent back. */
function nameForHistory(name: string): string {
  return /^[A-Za-z0-9_-]{1,64}$/.test(name) ? name : 'unknown_tool';
}
