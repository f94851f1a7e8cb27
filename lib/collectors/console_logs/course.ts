import {
  addEvent,
  beginBoot,
  type Cleared,
  completeBoot,
  endByLine,
  type Event,
  findIncident,
  type LastLines,
  lifetimeOf,
  quoteLastLines,
} from './incidents.ts';
import { readUptime, setWallTime } from './clock.ts';
import { conmanTime, CONMAN_TAG, CONSERVER_TAG, ctimeOf, isPrompt, type Message, messagesOf } from './prefix.ts';
import type { Match, RuleBook } from './rulebook.ts';
import { redact } from './redact.ts';
import type { Rule } from './rule.ts';
import type { Incident, LogState } from './state.ts';
import { xidSeverity } from './xid.ts';

/** An operator's command that shows old text is over after so many lines at the latest. */
const MAX_ECHO_LINES = 5000;
const MAX_ECHO_MS = 120_000;
/** As much of a line that the server broke off is kept for its rest. */
const MAX_BROKEN = 400;
const HOUR = 3_600_000;
/** A link that an operator takes down is lost so soon after he said so. */
const ADMINISTRATIVE = 60_000;
/** What a node that shuts down says of itself is no fault. */
const GOODBYES = new Set(['hsn_link_down', 'eth_link_down', 'unit_failed', 'nfs_hang', 'lustre_conn_lost', 'weka_client']);
/** A cause and what it led to are at most so far apart. */
const CHAINED = 600_000;
const FLAPS = 3;
const FLAP_WINDOW = 600_000;
const MAX_LINKS = 16;
/** What the kernel calls a kill's constraint → the scope that is a part of its identity. */
const OOM_SCOPES: Record<string, string> = { NONE: 'global', MEMCG: 'job', CPUSET: 'cpuset', MEMORY_POLICY: 'policy' };

/**
 * The course of one node as its console tells it: follows clocks, boots, shells and the server's own lines, and turns
 * what rules find into incidents. All it knows is in the state, so that it can stop after any line and go on elsewhere.
 */
export class Course {
  readonly state: LogState;
  readonly cleared: Cleared;
  private readonly lastLines: LastLines = new Map();
  private readonly book: RuleBook;
  private readonly timezone: string;
  /** The kernel that starts now is not the first that was heard. */
  private again = false;

  constructor(state: LogState, cleared: Cleared, book: RuleBook, timezone: string) {
    this.state = state;
    this.cleared = cleared;
    this.book = book;
    this.timezone = timezone;
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
   * @param previous the whole line before, for what conman broke off
   * @param start position in the stream where the line begins
   * @param at position where it ends
   */
  line(text: string, candidates: readonly number[], previous: () => string, start: number, at: number): void {
    const conman = CONMAN_TAG.exec(text);
    if (conman) {
      const broken = previous();
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

  /** A partial last line: looked at as it stands, behind what the server broke off before it. */
  unfinished(text: string): void {
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
    if (after.trim() !== '') this.line(after, this.book.candidatesIn(after), () => '', start, at);
  }

  /** A line of the console server: a mark in time, or a word on its connection. */
  private serverLine(said: string, time: number | undefined, start: number, at: number, output = false): void {
    const { state } = this;
    // Between two lines of the server that follow each other stand line ends at most.
    const spoke = output || start - (state.tag ?? 0) > 4;
    delete state.ec;
    if (time !== undefined) {
      if (state.mk !== undefined && state.abs) {
        const interval = time - state.mk;
        if (interval >= 60_000) state.iv = state.iv === undefined ? interval : Math.min(state.iv, interval);
      }
      const since = state.mk ?? Number.NEGATIVE_INFINITY;
      setWallTime(state, time);
      for (const incident of state.open) if (incident.l >= since && lifetimeOf(incident.k)?.by === 'quiet') incident.lu ??= time;
      state.mk = time;
    }
    if (spoke) state.out = state.t;
    state.tag = at;
    if (/^Console down|^Console \[[^\]]{1,64}\] (?:disconnected|connection failed)/.test(said)) {
      this.add({ kind: 'console_disconnected', at: state.t, line: said, block: 86_400_000 });
    } else if (/^Console up|^Console \[[^\]]{1,64}\] connected/.test(said)) {
      endByLine(state, ['console_disconnected'], undefined, state.t, this.cleared);
    }
  }

  private joined(broken: NonNullable<LogState['br']>, rest: string): void {
    const text = broken.x + rest;
    // What conman broke off was looked at before it was known to be broken: its rules have spoken.
    const spoken = broken.done ? new Set(this.matchesIn(broken.x).map((m) => m.rule)) : new Set<Rule>();
    this.messages(messagesOf(text, this.timezone), text, this.book.candidatesIn(text), spoken);
  }

  private text(text: string): void {
    this.messages(messagesOf(text, this.timezone), text, this.book.candidatesIn(text));
  }

  private messages(messages: readonly Message[], line: string, candidates: readonly number[], spoken?: ReadonlySet<Rule>): void {
    const { state } = this;
    for (const message of messages) {
      if (message.stamp !== undefined) setWallTime(state, message.stamp);
      if (state.ec && !this.echoEnds(message)) continue;
      if (message.origin === 'forwarded') continue;
      if (message.prompt) this.prompt(message);
      if (message.uptime !== undefined) {
        const before = state.u;
        const course = readUptime(state, message.uptime, message.stamp !== undefined);
        if (course === 'new boot' && !message.text.startsWith('Linux version ')) this.boot('', true);
        else if (message.text.startsWith('Linux version ') && message.uptime < 1) this.again = before !== undefined;
      }
      if (message.dropped !== undefined) this.dropped(message.dropped);
      if (message.text === '') continue;
      for (const match of this.book.match(message, candidates, state.u === undefined)) {
        if (!spoken?.has(match.rule)) this.apply(match, message, line);
      }
    }
  }

  /** Whether the output of an operator's command is over with this message. */
  private echoEnds(message: Message): boolean {
    const echo = this.state.ec as [number, number];
    echo[1]++;
    if (!message.prompt && echo[1] < MAX_ECHO_LINES && this.state.t - echo[0] < MAX_ECHO_MS) return false;
    delete this.state.ec;
    return true;
  }

  private prompt(message: Message): void {
    const { state } = this;
    if (message.prompt === 'login') this.completed();
    else if (message.command !== undefined) state.ec = [state.t, 0];
  }

  private matchesIn(line: string): Match[] {
    const candidates = this.book.candidatesIn(line);
    return messagesOf(line, this.timezone).flatMap((message) => this.book.match(message, candidates, this.state.u === undefined));
  }

  private apply({ rule, groups }: Match, message: Message, line: string): void {
    const { state } = this;
    const part = groups['part'];
    if (rule.clears) endByLine(state, rule.clears, part, state.t, this.cleared);
    if (rule.mark) this.mark(rule, groups, line);
    if (rule.kind !== undefined) this.event(rule, rule.kind, groups, part ?? rule.part, line);
  }

  private add(event: Event): Incident {
    return addEvent(this.state, event, this.cleared, this.lastLines);
  }

  /** Makes the state fit to be kept. */
  finish(): void {
    quoteLastLines(this.lastLines);
  }

  private event(rule: Rule, ruleKind: string, groups: Match['groups'], part: string | undefined, line: string): void {
    const { state } = this;
    let kind = ruleKind;
    let severity = rule.severity;
    if (rule.id === 'xid') {
      const judged = xidSeverity(Number(groups['item']), groups['text'] ?? '');
      if (judged === null) kind = 'gpu_app_error';
      else severity = judged;
    }
    let named = part;
    if (state.ph === 'off' && GOODBYES.has(kind)) return;
    if (kind === 'hsn_link_down' && state.t - (state.adm?.[part as string] ?? Number.NEGATIVE_INFINITY) < ADMINISTRATIVE) severity = 'info';
    if (kind === 'hw_uncorrected' && state.ph === 'off') severity = 'info';
    if (rule.id === 'oom-killed') {
      named = this.oomKilled(groups['text'] ?? '');
      if (named === 'job') severity = 'info';
    }
    const incident = this.add({
      kind,
      part: named,
      at: state.t,
      severity,
      item: groups['item'],
      max: groups['max'] === undefined ? undefined : Number(groups['max']),
      text: groups['text'],
      n: groups['n'] === undefined ? 1 : Math.min(Number(groups['n']), 1e6),
      block: rule.block === undefined ? undefined : rule.block * 1000,
      line,
    });
    if (state.dt !== undefined && state.t - state.dt < 60_000) incident.inc = 1;
    if (kind === 'hw_corrected') this.rate(incident, groups['n'] === undefined ? 1 : Number(groups['n']));
    if (kind === 'kernel_panic' || kind === 'emergency_shell') this.chain(incident);
    if (kind === 'hsn_link_down') this.flaps(part as string, line);
  }

  /** Corrected errors are normal one by one; what counts is how many come in a day, on a PCIe device in an hour. */
  private rate(incident: Incident, n: number): void {
    const pcie = /^[0-9a-f]{4}:[0-9a-f]{2}:/.test(incident.p ?? '');
    const [span, limit] = pcie ? [HOUR, 100] : [24 * HOUR, 24];
    const window = incident.w;
    if (!window || this.state.t - window[0] > span) incident.w = [this.state.t, n];
    else window[1] += n;
    if ((incident.w?.[1] ?? 0) >= limit) incident.s = 'warning';
  }

  /** What led to a panic or to a rescue shell is told with it. */
  private chain(head: Incident): void {
    for (const cause of this.state.open
      .filter((i) => i !== head && i.rec === undefined && leadsTo(i, head) && head.l - i.l < CHAINED)
      .sort((a, b) => a.f - b.f)) {
      cause.led = head.k;
      head.ch ??= [];
      if (!head.ch.includes(cause.k) && head.ch.length < 4) head.ch.push(cause.k);
      if (head.fn === undefined && cause.fn !== undefined) head.fn = cause.fn;
    }
  }

  /** Three losses of one link within ten minutes are more than three losses. */
  private flaps(part: string, line: string): void {
    const { state } = this;
    const flaps = (state.fl ??= []);
    let ring = flaps.find((f) => f.p === part);
    if (!ring) {
      ring = { p: part, r: [] };
      flaps.push(ring);
      if (flaps.length > MAX_LINKS) flaps.shift();
    }
    ring.r = [...ring.r, state.t].slice(-FLAPS);
    if (ring.r.length === FLAPS && state.t - (ring.r[0] as number) <= FLAP_WINDOW) {
      const open = findIncident(state, 'hsn_link_flap', part);
      this.add({ kind: 'hsn_link_flap', part, at: state.t, n: open ? 1 : FLAPS, line });
    }
  }

  private mark(rule: Rule, groups: Match['groups'], line: string): void {
    const { state } = this;
    switch (rule.mark) {
      case 'boot':
        this.boot(groups['text'] ?? '', this.again || (rule.id === 'decompressor' && state.u !== undefined));
        break;
      case 'command_line':
        if (/\belfcorehdr=|\breset_devices\b/.test(groups['text'] ?? '')) this.crashKernel();
        else this.settleBoot();
        break;
      case 'userspace':
        this.settleBoot();
        break;
      case 'boot_complete':
        this.completed();
        break;
      case 'shutdown':
        state.ph = state.ph === 'crash' ? 'crash' : 'off';
        break;
      case 'function':
        this.function(groups['text'] ?? '');
        break;
      case 'oom_scope':
        if (state.om) state.om.s = OOM_SCOPES[groups['text'] ?? ''] ?? 'global';
        break;
      case 'oom_begins':
        this.oomBegins(line);
        break;
      case 'gpu_reset':
        endByLine(state, ['gpu_xid', 'gpu_fault'], groups['part'], state.t, this.cleared);
        break;
      case 'administrative_link':
        this.administrative(groups['part'] as string);
        break;
      case 'hung_task_silenced':
        this.incomplete('hung_task', Number.POSITIVE_INFINITY);
        break;
      case 'dropped':
        this.incomplete('hsn_', 60_000);
        break;
      case 'repeated':
        this.repeated(groups['n']);
        break;
      default:
        break;
    }
  }

  private boot(version: string, again: boolean): void {
    const { state } = this;
    const isSame = state.ph === 'boot' && state.kv === undefined && version !== '' && state.t - (state.bt ?? 0) < 120_000;
    if (isSame) {
      // The decompressor or the clock told of this boot before the kernel named itself.
      state.kv = redact(version).slice(0, 80);
      return;
    }
    const seenBefore = again || state.ph !== undefined;
    const panicked = findIncident(state, 'kernel_panic') !== undefined;
    const explained = state.ph === 'off' || state.ph === 'crash' || panicked || !seenBefore;
    state.bt = state.t;
    state.bn = (state.bn ?? 0) + 1;
    state.ph = 'boot';
    state.bu = 1;
    if (version === '') delete state.kv;
    else state.kv = redact(version).slice(0, 80);
    if (!explained)
      this.add({
        kind: 'unexpected_reboot',
        at: state.t,
        line: version === '' ? 'the kernel clock started anew' : `Linux version ${version}`,
      });
  }

  private crashKernel(): void {
    const { state } = this;
    delete state.bu;
    state.ph = 'crash';
    this.add({ kind: 'kdump', at: state.t, line: 'the crash kernel started' });
  }

  /** The boot is that of the node's own kernel. */
  private settleBoot(): void {
    const { state } = this;
    if (!state.bu) return;
    delete state.bu;
    beginBoot(state, state.bt ?? state.t, this.cleared);
  }

  private completed(): void {
    const { state } = this;
    if (state.ph === 'crash') return;
    this.settleBoot();
    state.ph = 'up';
    completeBoot(state, state.t, this.cleared);
  }

  private function(name: string): void {
    const { state } = this;
    for (const kind of ['kernel_oops', 'kernel_bug']) {
      const incident = findIncident(state, kind);
      if (incident && incident.fn === undefined && state.t - incident.l < 10_000) incident.fn = redact(name).slice(0, 100);
    }
  }

  /** A kill is told over several lines; the one that names the victim makes the event, or the next kill if it was lost. */
  private oomBegins(line: string): void {
    this.settleOom();
    this.state.om = { t: this.state.t, q: redact(line) };
  }

  /** Makes an event of a kill whose victim was never named. */
  settleOom(): void {
    const pending = this.state.om;
    if (!pending) return;
    delete this.state.om;
    const part = pending.s ?? 'global';
    this.add({ kind: 'oom', part, at: pending.t, severity: part === 'job' ? 'info' : undefined, line: pending.q });
  }

  private oomKilled(text: string): string {
    const scope = text.startsWith('Memory cgroup')
      ? 'job'
      : this.state.om && this.state.t - this.state.om.t < 120_000
        ? this.state.om.s
        : undefined;
    delete this.state.om;
    return scope ?? 'global';
  }

  private administrative(device: string): void {
    const devices = Object.entries(this.state.adm ?? {}).filter(([, t]) => this.state.t - t < ADMINISTRATIVE);
    this.state.adm = Object.fromEntries([...devices.slice(-MAX_LINKS), [device, this.state.t]]);
  }

  /** Lines about some kinds are known to be missing. */
  private incomplete(prefix: string, within: number): void {
    for (const incident of this.state.open) if (incident.k.startsWith(prefix) && this.state.t - incident.l < within) incident.inc = 1;
  }

  /** Lustre says how many lines like the last it left out: they count. Other suppressions only say that there were some. */
  private repeated(count: string | undefined): void {
    const { state } = this;
    this.incomplete('', 10_000);
    if (count === undefined) return;
    const last = state.open.filter((i) => i.k.startsWith('lustre_') && state.t - i.l < 600_000).sort((a, b) => b.l - a.l)[0];
    if (last) last.n += Math.min(Number(count), 1e6);
  }

  private dropped(count: number): void {
    const { state } = this;
    state.drop = (state.drop ?? 0) + count;
    state.dt = state.t;
    for (const incident of state.open) if (state.t - incident.l < 60_000) incident.inc = 1;
  }
}

/** What leads to a panic, as far as the panic's reason says so or it always does. */
const LEADS = new Map<string, RegExp>([
  ['kernel_oops', /^/],
  ['kernel_bug', /^/],
  ['mce_fatal', /^/],
  ['lustre_lbug', /^/],
  ['hw_uncorrected', /machine check|hardware error/i],
  ['hung_task', /hung_task/i],
  ['soft_lockup', /soft ?lockup/i],
  ['hard_lockup', /hard lockup/i],
  ['rcu_stall', /rcu/i],
  ['oom', /out of memory/i],
  ['fs_error', /EXT4|XFS|BTRFS|journal|file ?system/i],
  ['boot_failed', /mount root|unknown-block|init/i],
]);

function leadsTo(cause: Incident, head: Incident): boolean {
  if (head.k === 'emergency_shell') return cause.k === 'boot_failed';
  return LEADS.get(cause.k)?.test(head.t ?? '') ?? false;
}
