import type { Check } from '../model/check.ts';
import { oneLine } from '../model/text.ts';
import { toIso } from '../model/time.ts';
import { interpret, type Meant } from './calls/interpret.ts';
import { type ChatAnswer, type ChatMessage, type ModelClient, ModelError, type Served, type ToolOffer } from './client.ts';
import { Asker } from './exchange.ts';
import { History } from './history.ts';
import { OFFERS } from './loop.ts';
import { newProfile, type Profile } from './profile.ts';
import { estimateTokens, menuTokens } from './tokens.ts';

/** A tool that does nothing: what a server makes of it shows what it can do. */
const PAINT: ToolOffer = {
  name: 'paint',
  description: 'Paints the wall.',
  parameters: {
    type: 'object',
    additionalProperties: false,
    required: ['colour'],
    properties: { colour: { type: 'string', enum: ['red', 'green'] } },
  },
};
const SYSTEM = 'You test a tool. To paint the wall, call the tool "paint" once, and write nothing else.';
/** Thinking comes out of it too. */
const ANSWER = 600;
/** About what a run begins with beside the menu: instructions, briefing, the first answers of tools; and its own answer. */
const OPENING = 3500;
const REPORT = 2000;
const LONG_PROMPT = 4500;
/** A prompt of which the server counts so little of our estimate was cut. */
const CUT_SHARE = 0.5;

export interface Probed {
  /** What is known of the endpoint now; null where it gave no answer at all. */
  profile: Profile | null;
  checks: Check[];
}

export interface ProbeInput {
  client: ModelClient;
  /** ms since the epoch. */
  clock: () => number;
  /** Context that the site configures; believed before any that is told or learned. */
  context: number | null;
  signal: AbortSignal;
}

/**
 * Asks an endpoint a few small questions, to know before the first tick what it can do: whether it calls tools, by which form,
 * whether strict schemas bind it, where its thinking goes, what its context holds. Never throws for what an endpoint does.
 */
export async function probeEndpoint(input: ProbeInput): Promise<Probed> {
  const probe = new Probe(input);
  try {
    await probe.run();
  } catch (error) {
    probe.fail(error);
  }
  return { profile: probe.answered ? probe.profile() : null, checks: probe.checks };
}

class Probe {
  readonly checks: Check[] = [];
  answered = false;
  readonly #input: ProbeInput;
  readonly #capabilities: Profile['capabilities'] = {};
  #profile: Profile;

  constructor(input: ProbeInput) {
    this.#input = input;
    this.#profile = { ...newProfile(input.client.label), context: input.context };
  }

  profile(): Profile {
    return { ...this.#profile, capabilities: this.#capabilities, probedAt: toIso(this.#input.clock()) };
  }

  async run(): Promise<void> {
    const { client, signal, clock } = this.#input;
    const served = await client.inspect?.(signal);
    if (served) this.#told(served);
    const began = clock();
    const first = await this.#paint('Paint the wall green.');
    const took = clock() - began;
    this.#capabilities['firstAnswerMs'] = took;
    this.#say(
      'answers',
      'ok',
      `${client.label}${this.#profile.server === null ? '' : `, ${this.#profile.server}`}: the first answer took ${took} ms`,
    );
    await this.#thinking(first);
    if (await this.#calls()) {
      await this.#schemas();
      await this.#force();
      await this.#history();
    }
    await this.#context();
    if (this.#capabilities['usage'] === false) this.#say('usage', 'warning', 'the server counts no tokens: they are estimated');
  }

  fail(error: unknown): void {
    const detail = error instanceof Error ? error.message : String(error);
    this.#say(this.answered ? 'goes on' : 'answers', 'failed', oneLine(detail, 300), adviceOn(error));
  }

  #say(name: string, status: Check['status'], detail: string, advice?: string): void {
    this.checks.push({ name, status, detail, ...(advice !== undefined && { advice }) });
  }

  #told({ models, context, server }: Served): void {
    if (server !== null) this.#profile = { ...this.#profile, server };
    if (context !== null && this.#profile.context === null) this.#profile = { ...this.#profile, context };
    if (models !== null) this.#capabilities['models'] = models.join(', ').slice(0, 300);
  }

  async #ask(messages: readonly ChatMessage[], { force = false, maxTokens = ANSWER }: Options = {}): Promise<Asked> {
    const { client, signal } = this.#input;
    const asker = new Asker({ client, profile: this.#profile, seed: 1, signal, record: () => undefined });
    const answer = await asker.ask({ history: new History(messages), tools: [PAINT], maxTokens, ...(force && { force: PAINT.name }) });
    this.answered = true;
    this.#profile = asker.profile;
    this.#capabilities['usage'] = answer.tokensIn !== null && answer.tokensIn > 0;
    return { answer, meant: interpret(answer, { offers: [PAINT], maxTokens, isQuoted: () => false }) };
  }

  #paint(words: string, options: Options = {}): Promise<Asked> {
    return this.#ask(
      [
        { role: 'system', content: SYSTEM },
        { role: 'user', content: words },
      ],
      options,
    );
  }

  /** Where it thinks, and whether it can be told not to: thinking costs a run more time than it is worth. */
  async #thinking({ answer, meant }: Asked): Promise<void> {
    const inText = meant.notes.some((note) => note.includes('thinking'));
    this.#capabilities['reasoning'] = answer.reasoning.trim() !== '' ? 'field' : inText ? 'in the answer' : 'none';
    if (this.#capabilities['reasoning'] === 'none') return;
    const before = this.#profile;
    this.#profile = { ...before, dialect: { ...before.dialect, thinkingOff: true } };
    const again = await this.#paint('Paint the wall green.');
    const quiet = again.answer.reasoning.trim() === '' && again.meant.notes.every((note) => !note.includes('thinking'));
    if (!quiet) this.#profile = { ...this.#profile, dialect: { ...this.#profile.dialect, thinkingOff: false } };
    this.#capabilities['thinkingOff'] = quiet && this.#profile.dialect.thinkingOff;
    this.#say(
      'thinking',
      quiet ? 'ok' : 'warning',
      quiet ? 'it thinks, and stops thinking where it is told to' : 'it thinks before every answer, and cannot be told not to',
      ...(quiet ? [] : ['Start the server with thinking off, or give the model more time (model.timeout).']),
    );
  }

  /** Whether it calls a tool when it should, natively or in words; what serves is kept. */
  async #calls(): Promise<boolean> {
    const before = this.#profile;
    const forms: ['native' | 'text', Meant][] = [];
    for (const calls of ['native', 'text'] as const) {
      this.#profile = { ...this.#profile, dialect: { ...this.#profile.dialect, calls } };
      const { answer, meant } = await this.#paint('Paint the wall green.');
      forms.push([answer.calls.length > 0 ? 'native' : 'text', meant]);
      if (paintedIn(meant) !== null) {
        const form = answer.calls.length > 0 ? 'native' : 'text';
        this.#capabilities['calls'] = form;
        const words = form === 'native' ? 'it calls tools' : 'its calls arrive as text, and are read from it';
        const parser =
          'Where the server has a parser for the calls of this model, switch it on (vLLM: --enable-auto-tool-choice --tool-call-parser).';
        this.#say('calls tools', form === 'native' ? 'ok' : 'warning', words, ...(form === 'native' ? [] : [parser]));
        return true;
      }
    }
    this.#profile = { ...this.#profile, dialect: { ...this.#profile.dialect, calls: before.dialect.calls } };
    this.#capabilities['calls'] = 'none';
    const said = forms
      .map(([, { text, calls }]) => (calls[0] ? (calls[0].error ?? 'the wrong colour') : text || 'nothing'))
      .map((t) => oneLine(t, 80));
    this.#say(
      'calls tools',
      'failed',
      `it called no tool, with the menu as the protocol has it nor in words; it said: ${said.join(' / ')}`,
      'Take a model that was trained to call tools, and a server that knows its template.',
    );
    return false;
  }

  /** A colour that the schema forbids, asked for by name: where it comes all the same, nothing binds the model. */
  async #schemas(): Promise<void> {
    const { meant } = await this.#paint('Paint the wall purple. The colour must be purple.');
    const [call] = meant.calls;
    const colour = call?.args?.['colour'];
    const isNative = this.#profile.dialect.calls === 'native';
    const strict = !isNative || !this.#profile.dialect.strict ? 'refused' : colour === 'red' || colour === 'green' ? 'held' : 'not held';
    this.#capabilities['strictSchemas'] = strict;
    this.#say('strict schemas', 'ok', `strict schemas are ${strict}${strict === 'held' ? '' : ': arguments are checked here, as always'}`);
  }

  async #force(): Promise<void> {
    const { meant } = await this.#paint('Say hello, and do not paint.', { force: true });
    const obeyed = meant.calls.length > 0;
    const { toolChoice } = this.#profile.dialect;
    this.#capabilities['toolChoice'] = obeyed ? toolChoice : 'ignored';
    this.#say(
      'forced call',
      'ok',
      obeyed
        ? `a call can be forced (tool_choice ${toolChoice})`
        : 'a call cannot be forced: near the end the model is asked for it in words',
    );
  }

  /** A chat that holds a call and its result: templates of some models have no place for them. */
  async #history(): Promise<void> {
    await this.#ask([
      { role: 'system', content: SYSTEM },
      { role: 'user', content: 'Paint the wall green.' },
      { role: 'assistant', content: '', calls: [{ id: 'probe0001', name: PAINT.name, arguments: '{"colour":"green"}' }] },
      { role: 'tool', callId: 'probe0001', content: '{"ok":true,"wall":"green"}' },
      { role: 'user', content: 'Now paint it red.' },
    ]);
    this.#capabilities['toolResults'] = true;
    this.#say('results of tools', 'ok', 'a chat goes on after the result of a tool');
  }

  /** A prompt as long as those of a run: whether it is taken, and whole. */
  async #context(): Promise<void> {
    const line = 'The wall of hall 12 was painted green in week 34, and nobody has complained since.\n';
    const filler = line.repeat(Math.ceil(LONG_PROMPT / estimateTokens(line)));
    const messages: ChatMessage[] = [
      { role: 'system', content: SYSTEM },
      { role: 'user', content: `${filler}Paint the wall green.` },
    ];
    const { answer } = await this.#ask(messages);
    const share = (answer.tokensIn ?? 0) / estimateTokens(filler);
    const { context } = this.#profile;
    if (this.#capabilities['usage'] === true && share < CUT_SHARE) {
      this.#capabilities['wholePrompt'] = false;
      const detail = `of a prompt of about ${estimateTokens(filler)} tokens the server counts ${answer.tokensIn}: it may cut prompts unseen`;
      this.#say(
        'context',
        'warning',
        detail,
        'Raise the context that the server starts the model with (Ollama: num_ctx), and set model.context to it.',
      );
      return;
    }
    this.#capabilities['wholePrompt'] = true;
    const need = Math.ceil((menuTokens(OFFERS) + OPENING) * (this.#profile.ratio ?? 1)) + REPORT;
    if (context === null) this.#say('context', 'ok', 'long prompts are taken; the server does not tell its context, errors will');
    else if (context >= need) this.#say('context', 'ok', `${context} tokens of context; a run begins with about ${need - REPORT}`);
    else
      this.#say(
        'context',
        'warning',
        `${context} tokens of context, a run wants ${need} and more`,
        'Start the server with a larger context, 16,384 tokens for example.',
      );
  }
}

interface Options {
  force?: boolean;
  maxTokens?: number;
}

interface Asked {
  answer: ChatAnswer;
  meant: Meant;
}

/** The colour of the first call, where it is one that can be run. */
function paintedIn({ calls }: Meant): string | null {
  const colour = calls[0]?.args?.['colour'];
  return typeof colour === 'string' ? colour : null;
}

function adviceOn(error: unknown): string {
  const code = error instanceof ModelError ? error.code : null;
  switch (code) {
    case 'unreachable':
    case 'dropped':
      return 'Look whether the server runs, and at model.url: it ends in /v1 for most.';
    case 'timeout':
      return 'Give it more time (model.timeout), or a smaller model.';
    case 'model':
      return 'Set model.name to one of those that the server has.';
    case 'loading':
      return 'Wait until the server has loaded the model.';
    default:
      return "Look at the server's log.";
  }
}
