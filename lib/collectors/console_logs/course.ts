import { readUptime, setWallTime } from './clock.ts';
import { Happenings } from './happenings.ts';
import { type Cleared, endByLine, lifetimeOf } from './incidents.ts';
import { conmanTime, CONMAN_TAG, CONSERVER_TAG, ctimeOf, isPrompt, type Message, messagesOf, showsText } from './prefix.ts';
import { redact } from './redact.ts';
import type { Rule } from './rule.ts';
import type { Match, RuleBook } from './rulebook.ts';
import type { LogState } from './state.ts';

/** An operator's command that shows old text is over after so many lines at the latest. */
const MAX_ECHO_LINES = 5000;
const MAX_ECHO_MS = 120_000;
/** A node that talks for so long after its goodbye has stayed, seconds. */
const SHUTDOWN_LASTS = 900;
/** As much of a line that the server broke off is kept for its rest. */
const MAX_BROKEN = 400;
/** What stands before a line, looked at only where it matters. */
export interface Before {
  /** The clean text of the line before. */
  line(): string;
  /** Some of the text before. */
  text(): string;
}

const NOTHING_BEFORE: Before = { line: () => '', text: () => '' };
const CLOCK = /\[ {0,7}\d{1,10}\.\d{6}\]/;

/**
 * The course of one node as its console tells it: follows clocks, boots, shells and the server's own lines, and turns
 * what rules find into incidents. All it knows is in the state, so that it can stop after any line and go on elsewhere.
 */
export class Course {
  readonly state: LogState;
  readonly cleared: Cleared;
  private readonly book: RuleBook;
  readonly timezone: string;
  private readonly happenings: Happenings;
  private before = NOTHING_BEFORE;
  /** A kernel that has a clock shows it on every line: what comes without is somebody else's. */
  private readonly bareKernel = (): boolean => this.state.u === undefined && !CLOCK.test(this.before.text());

  constructor(state: LogState, cleared: Cleared, book: RuleBook, timezone: string) {
    this.state = state;
    this.cleared = cleared;
    this.book = book;
    this.timezone = timezone;
    this.happenings = new Happenings(state, cleared);
  }

  /** Whether the next line must be seen even if no literal stands in it. */
  get wantsNext(): boolean {
    return this.state.br !== undefined || this.state.ec !== undefined;
  }

  /** Whether rules could do something with a line, as things stand. */
  concern(candidates: readonly number[]): boolean {
    return this.wantsNext || this.book.concern(candidates, (kind) => this.state.open.some((i) => i.k === kind));
  }

  /**
   * Takes one clean text of a console line.
   * @param candidates the rules whose literals stand in it
   * @param before what stands right before the line
   * @param start position in the stream where the line begins
   * @param at position where it ends
   */
  line(text: string, candidates: readonly number[], before: Before, start: number, at: number): void {
    this.happenings.position = start;
    // What is left of an earlier line may lie in memory that has been used anew.
    this.before = before;
    const conman = CONMAN_TAG.exec(text);
    if (conman) {
      const broken = before.line();
      this.serverLine(
        conman[1] as string,
        conmanTime(conman[1] as string, this.timezone, this.state.abs ? this.state.t : undefined),
        start,
        at,
      );
      if (broken !== '' && !isPrompt(broken) && !CONMAN_TAG.test(broken))
        this.state.br = { t: this.state.t, x: redact(broken.slice(0, MAX_BROKEN)), done: 1 };
      return;
    }
    const tag = CONSERVER_TAG.exec(text);
    if (tag) {
      this.conserverLine(text, tag, start, at);
      return;
    }
    const broken = this.state.br;
    if (broken) {
      delete this.state.br;
      this.joined(broken, text);
      return;
    }
    this.messages(messagesOf(text, this.timezone), text, candidates);
  }

  /** Takes a line that is nothing but a mark of conserver, as {@link line} would. */
  mark(time: number, before: Before, start: number, at: number): void {
    this.happenings.position = start;
    this.before = before;
    this.serverLine('MARK', time, start, at);
  }

  /** A partial last line: looked at as it stands, behind what the server broke off before it. */
  unfinished(text: string): void {
    this.happenings.position = this.state.pos;
    const broken = this.state.br;
    delete this.state.br;
    if (broken) this.joined(broken, text);
    else if (text !== '') this.text(text);
  }

  private conserverLine(text: string, tag: RegExpExecArray, start: number, at: number): void {
    const before = text.slice(0, tag.index);
    const after = text.slice(tag.index + tag[0].length);
    if (before.trim() !== '') {
      const broken = this.state.br;
      if (broken) {
        if (broken.x.length < MAX_BROKEN) broken.x += before.slice(0, MAX_BROKEN - broken.x.length);
      } else if (isPrompt(before)) this.text(before);
      else this.state.br = { t: this.state.t, x: redact(before.slice(-MAX_BROKEN)) };
    }
    this.serverLine(tag[1] as string, ctimeOf(tag, 2, this.timezone), start, at, before.trim() !== '');
    if (after.trim() !== '') this.line(after, this.book.candidatesIn(after), NOTHING_BEFORE, start, at);
  }

  /** A line of the console server: a mark in time, or a word on its connection. */
  private serverLine(said: string, time: number | undefined, start: number, at: number, output = false): void {
    const { state } = this;
    // Between two lines of the server that follow each other stand line ends at most.
    const spoke = output || start - (state.tag ?? 0) > 4;
    this.settlePanic();
    // To delete what is not there is dear too, and there is one of these for nearly every line.
    if (state.ec !== undefined) delete state.ec;
    if (time !== undefined) {
      if (state.mk !== undefined && state.abs) {
        const interval = time - state.mk;
        if (interval >= 60_000) state.iv = state.iv === undefined ? interval : Math.min(state.iv, interval);
      }
      const since = state.mk ?? Number.NEGATIVE_INFINITY;
      setWallTime(state, time);
      if (state.st !== undefined) delete state.st;
      for (const incident of state.open) {
        if (incident.l < since || incident.lu !== undefined || lifetimeOf(incident.k)?.by !== 'quiet') continue;
        // Its last line was written before this mark, perhaps right before: quiet counts from here.
        incident.lu = time;
        delete incident.e;
      }
      state.mk = time;
    }
    if (spoke) state.out = state.t;
    state.tag = at;
    if (!said.startsWith('Console ')) return;
    if (/^Console down|^Console \[[^\]]{1,64}\] (?:disconnected|connection failed)/.test(said)) {
      this.happenings.add({ kind: 'console_disconnected', at: state.t, line: said, block: 86_400_000 });
    } else if (/^Console up|^Console \[[^\]]{1,64}\] connected/.test(said)) {
      endByLine(state, ['console_disconnected'], undefined, state.t, this.cleared);
    }
  }

  private joined(broken: NonNullable<LogState['br']>, rest: string): void {
    const text = broken.x + rest;
    // What conman broke off was looked at before it was known to be broken: its rules have spoken.
    const spoken = broken.done ? new Set(this.matchesIn(broken.x).map((m) => m.rule)) : new Set<Rule>();
    // It is dated when it began, not when the server's line or its rest came.
    const { t } = this.state;
    this.state.t = Math.min(t, broken.t);
    this.messages(messagesOf(text, this.timezone), text, this.book.candidatesIn(text), spoken);
    this.state.t = Math.max(this.state.t, t);
  }

  private text(text: string): void {
    this.messages(messagesOf(text, this.timezone), text, this.book.candidatesIn(text));
  }

  private messages(messages: readonly Message[], line: string, candidates: readonly number[], spoken?: ReadonlySet<Rule>): void {
    const { state } = this;
    for (const message of messages) {
      if (message.stamp !== undefined) {
        setWallTime(state, message.stamp);
        state.st = 1;
      }
      if (state.ec && !this.echoEnds(message)) {
        this.shown(message, line);
        continue;
      }
      if (message.origin === 'forwarded') continue;
      if (message.prompt) this.prompt(message);
      if (message.uptime !== undefined) {
        const before = state.u;
        const course = readUptime(state, message.uptime, message.stamp !== undefined);
        if (course === 'new boot' && !message.text.startsWith('Linux version ')) this.happenings.boot('', true);
        if (state.ph === 'off' && message.uptime > (state.ou ?? Number.POSITIVE_INFINITY) + SHUTDOWN_LASTS) state.ph = 'up';
        // A crash kernel would have shown its command line by now.
        if (state.bu && message.uptime > 5) this.happenings.settleBoot();
        if (message.text.startsWith('Linux version ') && message.uptime < 1) this.happenings.again = before !== undefined;
      }
      if (message.dropped !== undefined) this.happenings.dropped(message.dropped);
      if (message.text === '') continue;
      for (const match of this.book.match(message, candidates, this.bareKernel)) {
        if (!spoken?.has(match.rule)) this.happenings.apply(match, line);
      }
    }
  }

  /** Whether the output of an operator's command is over with this message. */
  private echoEnds(message: Message): boolean {
    const echo = this.state.ec as [number, number];
    echo[1]++;
    if (!message.prompt && echo[1] < MAX_ECHO_LINES && this.state.t - echo[0] < MAX_ECHO_MS) return false;
    delete this.state.ec;
    delete this.state.pp;
    return true;
  }

  /** A panic that a command shows is followed by more output and a prompt; a real one ends all output. */
  private shown(message: Message, line: string): void {
    const { state } = this;
    if (message.origin !== 'kernel') delete state.pp;
    else if (message.text.startsWith('Kernel panic - not syncing')) state.pp ??= { t: state.t, x: redact(line) };
  }

  /** Nothing came after the panic: it was no quotation. */
  private settlePanic(): void {
    const { state } = this;
    const panic = state.pp;
    if (!panic) return;
    delete state.pp;
    delete state.ec;
    this.joined({ t: panic.t, x: '' }, panic.x);
  }

  private prompt(message: Message): void {
    const { state } = this;
    if (message.prompt === 'login') this.happenings.completed();
    else if (message.command !== undefined && showsText(message.command)) state.ec = [state.t, 0];
  }

  private matchesIn(line: string): Match[] {
    const candidates = this.book.candidatesIn(line);
    return messagesOf(line, this.timezone).flatMap((message) => this.book.match(message, candidates, this.bareKernel));
  }

  /** Makes an event of what was told in part, and the state fit to be kept. */
  finish(settle: boolean): void {
    if (settle) {
      this.settlePanic();
      this.happenings.settleOom();
    }
    this.happenings.finish();
  }
}
