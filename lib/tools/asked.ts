import { expand, NodeSetError } from '../nodeset.ts';
import type { Finding } from '../model/finding.ts';
import { isOpen } from './places.ts';
import type { ReadView } from './view.ts';

/*
 * What a caller meant. Small models write kinds as people say them, and names and places as the answers show them.
 */

/** `Kernel panic` is `kernel_panic`. */
export function kindMeant(kind: string | null): string | null {
  return kind === null
    ? null
    : kind
        .trim()
        .toLowerCase()
        .replaceAll(/[\s-]+/g, '_');
}

const MOST_NAMES = 4096;

/** The names of a folded set; null for what is no set of several. */
export function namesInSet(text: string): string[] | null {
  if (!/[[,]/.test(text)) return null;
  try {
    const names = expand(text, { limit: MOST_NAMES });
    return names.length > 1 ? names : null;
  } catch (error) {
    if (error instanceof NodeSetError) return null;
    throw error;
  }
}

/** Why a set was refused where one name is asked for. */
export function onlyOneOf(names: readonly string[]): string {
  return `that is a set of ${names.length} names: ask for one of them, such as ${names.slice(0, 3).join(' or ')}; list_conditions takes the whole set`;
}

/** Every name of the subjects that are meant: of one, or of a folded set of them. */
export function subjectsMeant(view: Pick<ReadView, 'namesOf'>, text: string): ReadonlySet<string> {
  const names = new Set<string>();
  for (const name of [text, ...(namesInSet(text) ?? [])]) {
    names.add(name);
    for (const other of view.namesOf(name)) names.add(other);
  }
  return names;
}

/** A place by its name alone, or with its type as the answers show it: `pdu x1002m0`. */
export function placeMeant(text: string): { type: string | null; id: string } {
  const [, type, id] = /^\s*([a-z_]{1,20})\s+(\S.{0,253})$/i.exec(text) ?? [];
  return type === undefined || id === undefined ? { type: null, id: text } : { type: type.toLowerCase(), id };
}

interface Filters {
  kind: string | null;
  source: string | null;
  state: string | null;
  node?: string | null;
  place?: string | null;
}

const SHOWN = 24;

/** Why no finding came of some filters, and what there is to ask for instead: nothing found must not pass for all well. */
export function nothingMatches(findings: readonly Finding[], { kind, source, state, node, place }: Filters): string {
  const looked = findings.filter((f) => (state === null ? isOpen(f) : f.state === state));
  const some = (of: (f: Finding) => string): string => {
    const values = [...new Set(looked.map(of))].sort();
    return `${values.slice(0, SHOWN).join(', ') || 'none'}${values.length > SHOWN ? `, and ${values.length - SHOWN} more` : ''}`;
  };
  const what = `${state ?? 'open'} findings`;
  const otherwise = new Set(findings.filter((f) => f.kind === kind && !looked.includes(f)).map((f) => f.state));
  return [
    `no ${what} match all of these filters`,
    ...(kind !== null && !looked.some((f) => f.kind === kind)
      ? [
          `kinds of ${what}: ${some((f) => f.kind)}`,
          ...(otherwise.size > 0 ? [`of this kind there are findings in other states: ${[...otherwise].join(', ')}`] : []),
        ]
      : []),
    ...(source !== null && !looked.some((f) => f.source === source) ? [`sources of ${what}: ${some((f) => f.source)}`] : []),
    ...(node ? ['as node give one name, or a folded set, as the answers show them'] : []),
    ...(place ? ['places are those that count_conditions gives by rack, chassis, switch, pdu or cdu'] : []),
  ].join('; ');
}
