import { PATTERN_REACH } from './pattern.ts';
import type { Message } from './prefix.ts';
import type { Rule } from './rule.ts';
import { LiteralScanner } from './scanner.ts';

const LF = 10;

/** Lines of the console servers themselves, and operators' commands whose output is no speech of the node. */
const STRUCTURE = ['[-- MARK --', '[-- Console ', '<ConMan> ', ' login: '];
const COMMANDS = [
  'cat ',
  'dmesg',
  'grep ',
  'egrep ',
  'zgrep ',
  'rg -',
  'less ',
  'more ',
  'tail ',
  'head ',
  'zcat ',
  'xzcat ',
  'zless ',
  'journalctl',
  'sed -',
  "sed '",
  "awk '",
  'awk -',
  'vi /',
  'vim ',
  'strings ',
  'echo ',
  'printf ',
  'logger ',
  'crash ',
  'sudo ',
];
const ECHOES = ['# ', '$ ', '> '].flatMap((prompt) => COMMANDS.map((command) => prompt + command));

export interface Match {
  rule: Rule;
  groups: Record<string, string | undefined>;
}

/** Alternatives of a pattern name the same thing `part`, `part2`, …: the one that took part counts. */
function gathered(groups: Record<string, string | undefined> = NO_GROUPS): Match['groups'] {
  const all: Match['groups'] = {};
  for (const name in groups) {
    const value = groups[name];
    if (value === undefined) continue;
    const last = name.charCodeAt(name.length - 1);
    all[last >= 0x30 && last <= 0x39 ? name.slice(0, -1) : name] ??= value;
  }
  return all;
}

const NO_GROUPS: Match['groups'] = {};
const NONE: readonly number[] = [];
const MAX_COMBINED = 4096;

/** The rules of a run, and the search for all of their literals at once. */
export class RuleBook {
  readonly scanner: LiteralScanner;
  /** Whether the line that was looked at last holds a prompt, an echo, or a word of the console server. */
  structural = false;
  private readonly byLiteral: readonly (readonly number[])[];
  private readonly encoder = new TextEncoder();
  private scratch = new Uint8Array(16_384);
  private readonly combined = new Map<string, readonly number[]>();
  private readonly rules: readonly Rule[];
  /** Whether a rule's pattern has numbered groups. */
  private readonly numbered: readonly boolean[];
  private readonly vetoes: ReadonlyMap<string, readonly RegExp[]>;

  /** @param vetoes the site's, by kind; those of every kind under the empty name */
  constructor(rules: readonly Rule[], vetoes: ReadonlyMap<string, readonly RegExp[]> = new Map()) {
    this.rules = rules;
    this.vetoes = vetoes;
    this.numbered = rules.map((rule) => /\(\?<[a-z]+\d/.test(rule.match.source));
    const literals = new Map<string, number[]>();
    for (const [index, rule] of rules.entries()) {
      for (const literal of rule.literals) literals.set(literal, [...(literals.get(literal) ?? []), index]);
    }
    for (const literal of [...STRUCTURE, ...ECHOES]) if (!literals.has(literal)) literals.set(literal, []);
    this.scanner = new LiteralScanner([...literals.keys()]);
    this.byLiteral = [...literals.values()];
  }

  /** The rules that may speak to a line that stands in bytes, in their order. */
  candidatesAt(bytes: Uint8Array, from: number, to: number): readonly number[] {
    // The line end before it is looked at too: some literals begin a line.
    const literals = this.scanner.all(bytes, from > 0 && bytes[from - 1] === LF ? from - 1 : from, to);
    this.structural = literals.some((l) => (this.byLiteral[l] as number[]).length === 0);
    if (literals.length === 0) return NONE;
    if (literals.length === 1) return this.byLiteral[literals[0] as number] as readonly number[];
    // Lines of one kind hold the same literals: what was worked out for one holds for all.
    const key = literals.join();
    let candidates = this.combined.get(key);
    if (!candidates) {
      candidates = [...new Set(literals.flatMap((l) => this.byLiteral[l] as number[]))].sort((x, y) => x - y);
      if (this.combined.size > MAX_COMBINED) this.combined.clear();
      this.combined.set(key, candidates);
    }
    return candidates;
  }

  /** The rules that may speak to a clean text. */
  candidatesIn(text: string): readonly number[] {
    if (text.length * 3 + 1 > this.scratch.length) this.scratch = new Uint8Array(text.length * 3 + 1);
    this.scratch[0] = LF;
    const { written } = this.encoder.encodeInto(text, this.scratch.subarray(1));
    return this.candidatesAt(this.scratch, 1, written + 1);
  }

  /** Whether the line that was looked at last could do something, given the kinds of which incidents are open. */
  concern(candidates: readonly number[], isOpen: (kind: string) => boolean): boolean {
    return (
      this.structural ||
      candidates.some((index) => {
        const rule = this.rules[index] as Rule;
        return rule.kind !== undefined || rule.mark !== undefined || rule.clears?.some(isOpen);
      })
    );
  }

  /**
   * Every rule that speaks to a message: the first that is an event, and all that only mark or clear.
   * @param bareKernel whether a text without a clock may be the kernel's
   */
  match(message: Message, candidates: readonly number[], bareKernel: () => boolean): Match[] {
    if (message.origin === 'forwarded' || message.command !== undefined) return [];
    const matches: Match[] = [];
    let event = false;
    for (const index of candidates) {
      const rule = this.rules[index] as Rule;
      if (rule.kind !== undefined && event && !rule.site) continue;
      if (message.origin === 'bare' && rule.from === 'clocked kernel') continue;
      const text = rule.site ? message.text.slice(0, PATTERN_REACH) : message.text;
      const m = rule.match.exec(text);
      if (!m || rule.veto?.test(text) || (rule.kind !== undefined && this.vetoed(rule.kind, message.text))) continue;
      if (message.origin === 'bare' && rule.from === 'kernel' && !bareKernel()) continue;
      event ||= rule.kind !== undefined;
      matches.push({ rule, groups: this.numbered[index] ? gathered(m.groups) : (m.groups ?? NO_GROUPS) });
    }
    return matches;
  }

  private vetoed(kind: string, text: string): boolean {
    if (this.vetoes.size === 0) return false;
    const reach = text.slice(0, PATTERN_REACH);
    return [...(this.vetoes.get(kind) ?? []), ...(this.vetoes.get('') ?? [])].some((veto) => veto.test(reach));
  }
}
