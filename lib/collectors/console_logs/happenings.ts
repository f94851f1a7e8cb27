import { cleanName } from '../../model/text.ts';
import {
  addEvent,
  beginBoot,
  type Cleared,
  completeBoot,
  endByLine,
  type Event,
  findIncident,
  type LastLines,
  quoteLastLines,
} from './incidents.ts';
import { redact, withoutSecrets } from './redact.ts';
import type { Rule } from './rule.ts';
import type { Match } from './rulebook.ts';
import type { Incident, LogState } from './state.ts';
import { xidSeverity } from './xid.ts';

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
 * What happens on one node: turns what rules find into incidents and follows the node through its boots. All it knows is
 * in the state.
 */
export class Happenings {
  /** The kernel that names itself next is not the first that was heard. */
  again = false;
  /** Where in the stream the present line begins. */
  position = 0;
  private readonly state: LogState;
  private readonly cleared: Cleared;
  private readonly lastLines: LastLines = new Map();

  constructor(state: LogState, cleared: Cleared) {
    this.state = state;
    this.cleared = cleared;
  }

  /** A rule has spoken to a line. */
  apply({ rule, groups }: Match, line: string): void {
    const part = groups['part'];
    if (rule.clears) this.over(rule.clears, groups);
    if (rule.mark) this.mark(rule, groups, line);
    if (rule.kind !== undefined) this.event(rule, rule.kind, groups, part === undefined ? rule.part : nameOfPart(part), line);
  }

  /** A line says that something is over: for one of several items, or for all. */
  private over(kinds: readonly string[], groups: Match['groups']): void {
    const { state } = this;
    const open = state.open.filter((i) => kinds.includes(i.k));
    if (open.length === 0) return;
    const part = groups['part'] === undefined ? undefined : nameOfPart(groups['part']);
    if (groups['item'] !== undefined) for (const incident of open) incident.x = incident.x?.filter((item) => item !== groups['item']);
    const remaining = groups['item'] === undefined ? [] : open.filter((i) => (i.x?.length ?? 0) > 0);
    if (remaining.length === 0) endByLine(state, kinds, part, state.t, this.cleared);
  }

  add(event: Event): Incident {
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
    if (kind === 'kdump') this.crashRuns();
    if (rule.id === 'gpu-lost' && part === rule.part && state.gn && state.t - state.gn.t < 10_000) named = state.gn.p;
    if (state.ph === 'off' && GOODBYES.has(kind)) return;
    if (rule.id === 'initramfs-shell' && state.ph === 'up') return;
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
        // A node that went down in order was up, whether its console showed that or not.
        if (state.ph === 'boot') state.nc = 1;
        state.ph = state.ph === 'crash' ? 'crash' : 'off';
        if (state.u !== undefined) state.ou = state.u;
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
      case 'gpu_named':
        state.gn = { p: groups['part'] as string, t: state.t };
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

  /** A kernel starts; `version` is empty where only its clock tells. */
  boot(version: string, again: boolean): void {
    const { state } = this;
    const isSame = state.ph === 'boot' && state.kv === undefined && version !== '' && state.t - (state.bt ?? 0) < 120_000;
    if (isSame) {
      // The decompressor or the clock told of this boot before the kernel named itself.
      state.kv = redact(version).slice(0, 80);
      return;
    }
    const seenBefore = again || state.ph !== undefined;
    const panic = findIncident(state, 'kernel_panic');
    const panicked = panic !== undefined && panic.rec === undefined;
    const explained = state.ph === 'off' || state.ph === 'crash' || panicked || !seenBefore;
    state.bt = state.t;
    state.bn = (state.bn ?? 0) + 1;
    state.bp = this.position;
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

  /** The kernel that runs is the crash kernel: its boot ends nothing. */
  private crashRuns(): void {
    delete this.state.bu;
    this.state.ph = 'crash';
  }

  private crashKernel(): void {
    const { state } = this;
    this.crashRuns();
    this.add({ kind: 'kdump', at: state.t, line: 'the crash kernel started' });
  }

  /** The boot is that of the node's own kernel. */
  settleBoot(): void {
    const { state } = this;
    if (!state.bu) return;
    delete state.bu;
    beginBoot(state, state.bt ?? state.t, this.cleared);
  }

  /** A boot is complete. */
  completed(): void {
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

  /** The kernel says that it dropped messages. */
  dropped(count: number): void {
    const { state } = this;
    state.drop = (state.drop ?? 0) + count;
    state.dt = state.t;
    for (const incident of state.open) if (state.t - incident.l < 60_000) incident.inc = 1;
  }
}

const PLAIN_PART = /^[\w.:!#-]{1,64}$/;

/** A part as identity takes it: no secret, no name of a person, nothing invisible. */
function nameOfPart(text: string): string {
  return PLAIN_PART.test(text) ? text : (cleanName(withoutSecrets(text)) ?? 'unnamed');
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
