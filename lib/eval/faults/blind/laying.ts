import type { Severity } from '../../../model/condition.ts';
import type { ConsoleText, Effects, Fault, FaultContext, NodeTrouble, Shown } from '../../effects.ts';
import type { Topology } from '../../topology.ts';

/*
 * The faults of this folder are by somebody who knew what the sources look like and what operators look for, and not the
 * rules by which the observer judges. They name the thing that is ill and how bad it is, never a kind of finding.
 */

export const liquid = ({ nodes }: Topology): string[] => nodes.filter((n) => n.cooling === 'liquid').map((n) => n.name);
export const air = ({ nodes }: Topology): string[] => nodes.filter((n) => n.cooling === 'air').map((n) => n.name);
export const withGpus = ({ nodes }: Topology): string[] => nodes.filter((n) => n.gpus > 0).map((n) => n.name);

export function ill(type: string, id: string, severity: Severity = 'warning'): Shown {
  return { subject: { type, id }, severity };
}

/** What may be said of a thing beside, and need not. */
export function perhaps(type: string, id: string): Shown {
  return { subject: { type, id }, maybe: true };
}

/** Longer than any scenario. */
const FOREVER = 5 * 864e5;

/** Words that a node says again and again while its trouble lasts. */
export function again(
  { from, until }: Pick<FaultContext, 'from' | 'until'>,
  every: number,
  say: (nth: number) => Omit<ConsoleText, 'at'>,
): ConsoleText[] {
  const times = Math.ceil((Math.min(until, from + FOREVER) - from) / every);
  return Array.from({ length: times }, (_, nth) => ({ ...say(nth), at: from + nth * every }));
}

type Said = Pick<Fault, 'kind' | 'title' | 'class'> & {
  places?: Fault['places'];
  where?: string;
  severity?: Severity;
  /** What happens to the node beside its words. */
  trouble?: NodeTrouble;
  /** What it says once, or all that it says while it lasts. */
  words: (context: FaultContext) => readonly string[] | readonly ConsoleText[];
  more?: (context: FaultContext) => Effects;
};

/** A fault of one node that its kernel has words for. */
export function said({
  kind,
  title,
  class: of,
  places = liquid,
  where = 'a node',
  severity = 'critical',
  trouble,
  words,
  more,
}: Said): Fault {
  return {
    kind,
    author: 'blind',
    class: of,
    title,
    where,
    places,
    effects: (context) => {
      const { where: node, from } = context;
      const lines = words(context);
      const texts = lines.map((line) => (typeof line === 'string' ? null : line)).filter((text) => text !== null);
      const { shows = [], ...rest } = more?.(context) ?? {};
      return {
        ...(trouble && { nodes: new Map([[node, trouble]]) }),
        console: texts.length > 0 ? texts : [{ node, at: from, lines: lines as readonly string[] }],
        shows: [ill('node', node, severity), ...shows],
        ...rest,
      };
    },
  };
}
