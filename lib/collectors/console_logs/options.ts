import * as z from 'zod';
import { SEVERITIES } from '../../model/condition.ts';
import { Duration } from '../../model/time.ts';
import { consoleKind } from './kinds.ts';
import { faultOf } from './pattern.ts';
import type { Rule } from './rule.ts';

const Pattern = z.string().superRefine((source, context) => {
  const fault = faultOf(source);
  if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
});

const KindName = z.string().refine((name) => consoleKind(name) !== undefined, 'is no kind of console_logs');

/** One line of a site's own knowledge, of the same form as the rules that come with the collector. */
const SitePattern = z.strictObject({
  id: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,40}$/, 'expected a short name of lower-case letters, digits, - and _'),
  /** Text that stands in every line meant: it is searched for first. */
  literal: z
    .string()
    .min(5, 'needs five characters at least')
    .max(100)
    .regex(/^[\x20-\x7e]*$/, 'expected printable ASCII'),
  /** A regular expression over the text behind all prefixes; the default is the literal alone. */
  match: Pattern.optional(),
  veto: Pattern.optional(),
  kind: KindName.default('site_pattern'),
  severity: z.enum(SEVERITIES).optional(),
  /** `kernel`: only behind the kernel's clock. */
  from: z.enum(['kernel', 'console']).default('console'),
});

/** What a site knows better: texts of a kind (or of all) that mean nothing here. */
const SiteVeto = z.strictObject({ kind: KindName.optional(), match: Pattern });

export const Options = z.strictObject({
  /** `tail`: of a log that was never seen the last 1 MiB is read; `all`: all of it, rotated neighbours included. */
  first_sight: z.enum(['tail', 'all']).default('tail'),
  /** Finds the node's name in a file's path: a regular expression with a group named `node`. */
  pattern: Pattern.refine((source) => source.includes('(?<node>'), 'needs a group named node: (?<node>…)').optional(),
  patterns: z.array(SitePattern).max(100).default([]),
  vetoes: z.array(SiteVeto).max(100).default([]),
  /** A boot that shows neither prompt nor target for so long has stalled. */
  boot_stalled_after: Duration.default(15 * 60_000),
  /** A console that was silent for so long is told of; one whose node shut down, after a day. */
  silent_after: Duration.default(7 * 86_400_000),
});
export type Options = z.infer<typeof Options>;

/** A site's patterns as rules. */
export function siteRules(options: Options): Rule[] {
  return options.patterns.map((p): Rule => {
    const part = consoleKind(p.kind)?.part === undefined ? undefined : p.id;
    return {
      id: `site ${p.id}`,
      kind: p.kind,
      literals: [p.literal],
      from: p.from === 'kernel' ? 'clocked kernel' : 'console',
      match: RegExp(p.match ?? p.literal.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'), 'u'),
      ...(p.veto !== undefined && { veto: RegExp(p.veto, 'u') }),
      ...(p.severity !== undefined && { severity: p.severity }),
      ...(part !== undefined && { part }),
      site: true,
      examples: { yes: [], no: [] },
    };
  });
}

/** A site's vetoes, by kind; those of every kind under the empty name. */
export function siteVetoes(options: Options): ReadonlyMap<string, readonly RegExp[]> {
  const vetoes = new Map<string, RegExp[]>();
  for (const veto of options.vetoes) vetoes.set(veto.kind ?? '', [...(vetoes.get(veto.kind ?? '') ?? []), RegExp(veto.match, 'u')]);
  return vetoes;
}
