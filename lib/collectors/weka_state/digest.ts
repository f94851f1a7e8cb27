import type { ConditionDraft, Place, Subject } from '../../model/condition.ts';
import type { JsonObject } from '../../model/json.ts';
import { compareNames, oneLine } from '../../model/text.ts';
import { subjectId } from '../../model/identity.ts';
import { placeOfXname } from '../../model/xname.ts';
import { fold } from '../../nodeset.ts';
import type { Problems } from './problems.ts';
import type { Thresholds } from './thresholds.ts';

/** What every part of the digest needs to know. */
export interface Frame {
  /** The whole storage cluster as a subject; named as the site names its cluster, so that it does not change with a missing input. */
  cluster: Subject;
  /** The time of the data, ms since the epoch, never ahead of our clock. */
  at: number;
  now: number;
  nodeDomains: readonly string[];
  thresholds: Thresholds;
  problems: Problems;
}

/** What one section gives. */
export interface Part {
  conditions: ConditionDraft[];
  facts: { subject: Subject; facts: JsonObject }[];
  /** Of the section's subjects those whose state could be told, or `all`; null where the section was not there. */
  observed: string | null;
  summary: JsonObject;
  records: number;
}

/** A host name as nodes are named, or null. */
export function hostName(raw: unknown, frame: Frame): string | null {
  return subjectId('node', raw, frame.nodeDomains);
}

/** Where something on a host stands. */
export function placeOf(host: string | null, failureDomain: string | null = null): Place | undefined {
  if (host === null && failureDomain === null) return undefined;
  return {
    ...(host !== null && { ...placeOfXname(host), node: host }),
    ...(failureDomain !== null && { failure_domain: failureDomain }),
  };
}

const MAX_SET = 100;

/** Names folded for a summary: whole where that is short, else the first ones and how many more there are. */
export function shortSet(names: Iterable<string>): string {
  const sorted = [...new Set(names)].sort(compareNames);
  const all = fold(sorted);
  if (all.length <= MAX_SET) return all;
  const some = sorted.slice(0, 3).map((name) => oneLine(name, 24));
  return `${some.join(',')} and ${sorted.length - some.length} more`;
}

const MAX_STATES = 6;

/**
 * How often each state occurs: the most frequent ones by name, and the `others` together. States are in capitals, so
 * that none of them is a word of ours or a name that objects have.
 */
export function tally(states: Iterable<string>): JsonObject {
  const counts = [...groupBy(states, (state) => state)].map(([state, same]) => ({ state, count: same.length }));
  const ordered = counts.sort((a, b) => b.count - a.count || compareNames(a.state, b.state));
  const shown = ordered.slice(0, ordered.length > MAX_STATES ? MAX_STATES - 1 : MAX_STATES);
  const others = ordered.slice(shown.length).reduce((n, { count }) => n + count, 0);
  return {
    ...Object.fromEntries(shown.sort((a, b) => compareNames(a.state, b.state)).map(({ state, count }) => [state, count])),
    ...(others > 0 && { others }),
  };
}

export function groupBy<T>(items: Iterable<T>, keyOf: (item: T) => string): Map<string, [T, ...T[]]> {
  const groups = new Map<string, [T, ...T[]]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** The members that are not null: facts and summaries leave out what is not known. */
export function known(members: Record<string, JsonObject[string] | undefined>): JsonObject {
  const out: JsonObject = {};
  for (const name of Object.keys(members)) {
    const value = members[name];
    if (value !== null && value !== undefined) out[name] = value;
  }
  return out;
}
