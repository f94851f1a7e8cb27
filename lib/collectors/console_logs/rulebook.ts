import { PATTERN_REACH } from './pattern.ts';
import type { Message } from './prefix.ts';
import type { Rule } from './rule.ts';
import { LiteralScanner } from './scanner.ts';

/** Lines of the console servers themselves, and operators' commands whose output is no speech of the node. */
const STRUCTURE = ['[-- MARK --', '[-- Console ', '<ConMan> ', ' login: '];
const COMMANDS = [
  'cat',
  'dmesg',
  'grep',
  'egrep',
  'zgrep',
  'rg',
  'less',
  'more',
  'tail',
  'head',
  'zcat',
  'xzcat',
  'zless',
  'journalctl',
  'sed',
  'awk',
  'vi',
  'vim',
  'strings',
  'echo',
  'printf',
  'logger',
  'crash',
  'sudo',
];
const ECHOES = ['#', '$', '>']
  .flatMap((prompt) => COMMANDS.map((command) => `${prompt} ${command} `))
  .concat(['# dmesg', '$ dmesg', '# journalctl', '$ journalctl']);

export interface Match {
  rule: Rule;
  groups: Record<string, string | undefined>;
}

/** Alternatives of a pattern name the same thing `part`, `part2`, …: the one that took part counts. */
function gathered(groups: Record<string, string | undefined> = {}): Match['groups'] {
  const all: Match['groups'] = {};
  for (const [name, value] of Object.entries(groups)) {
    const base = name.replace(/\d+$/, '');
    if (value !== undefined) all[base] ??= value;
  }
  return all;
}

/** The rules of a run, and the search for all of their literals at once. */
export class RuleBook {
  readonly scanner: LiteralScanner;
  private readonly byLiteral: readonly (readonly number[])[];
  private readonly rules: readonly Rule[];
  private readonly vetoes: ReadonlyMap<string, readonly RegExp[]>;

  /** @param vetoes the site's, by kind; those of every kind under the empty name */
  constructor(rules: readonly Rule[], vetoes: ReadonlyMap<string, readonly RegExp[]> = new Map()) {
    this.rules = rules;
    this.vetoes = vetoes;
    const literals = new Map<string, number[]>();
    for (const [index, rule] of rules.entries()) {
      for (const literal of rule.literals) literals.set(literal, [...(literals.get(literal) ?? []), index]);
    }
    for (const literal of [...STRUCTURE, ...ECHOES]) if (!literals.has(literal)) literals.set(literal, []);
    this.scanner = new LiteralScanner([...literals.keys()]);
    this.byLiteral = [...literals.values()];
  }

  /** The rules that may speak to bytes which hold these literals, in their order. */
  candidates(literals: readonly number[]): readonly number[] {
    if (literals.length === 1) return this.byLiteral[literals[0] as number] as readonly number[];
    return [...new Set(literals.flatMap((l) => this.byLiteral[l] as number[]))].sort((a, b) => a - b);
  }

  /** Every rule that speaks to a message: the first that is an event, and all that only mark or clear. */
  match(message: Message, candidates: readonly number[], bareKernel: boolean): Match[] {
    if (message.origin === 'forwarded' || message.command !== undefined) return [];
    const matches: Match[] = [];
    let event = false;
    for (const index of candidates) {
      const rule = this.rules[index] as Rule;
      if (rule.kind !== undefined && event && !rule.site) continue;
      if (message.origin === 'bare' && (rule.from === 'clocked kernel' || (rule.from === 'kernel' && !bareKernel))) continue;
      const text = rule.site ? message.text.slice(0, PATTERN_REACH) : message.text;
      const m = rule.match.exec(text);
      if (!m || rule.veto?.test(text) || (rule.kind !== undefined && this.vetoed(rule.kind, message.text))) continue;
      event ||= rule.kind !== undefined;
      matches.push({ rule, groups: gathered(m.groups) });
    }
    return matches;
  }

  private vetoed(kind: string, text: string): boolean {
    if (this.vetoes.size === 0) return false;
    const reach = text.slice(0, PATTERN_REACH);
    return [...(this.vetoes.get(kind) ?? []), ...(this.vetoes.get('') ?? [])].some((veto) => veto.test(reach));
  }
}
