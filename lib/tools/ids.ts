import { type Subject, subjectKey } from '../model/condition.ts';
import { pointerSegment } from '../model/json.ts';
import type { ReadView } from './view.ts';

const SHORTEST = 8;

/** What each view's findings are called: a view's findings never change, and every row of every list asks. */
const KNOWN = new WeakMap<ReadView['findings'], ReadonlyMap<string, string>>();

/** The beginning of a finding's id that is enough to tell it from every other of the view: short enough to be copied. */
export function shortId({ findings }: Pick<ReadView, 'findings'>, id: string): string {
  let names = KNOWN.get(findings);
  if (!names) {
    names = shortened(findings.map((f) => f.id));
    KNOWN.set(findings, names);
  }
  const known = names.get(id);
  if (known !== undefined) return known;
  // One that is in no list any more must not be taken for another.
  const short = id.slice(0, SHORTEST);
  return findings.some((f) => f.id.startsWith(short)) ? id : short;
}

function shortened(ids: readonly string[]): Map<string, string> {
  const sorted = [...new Set(ids)].sort();
  return new Map(
    sorted.map((id, i) => {
      let length = SHORTEST;
      // In order, whoever shares a beginning stands beside it.
      const isShared = (): boolean => [sorted[i - 1], sorted[i + 1]].some((other) => other?.startsWith(id.slice(0, length)) === true);
      while (length < id.length && isShared()) length += 4;
      return [id, id.slice(0, length)];
    }),
  );
}

/** A ref without the snapshot's id where it is the pinned one: of each source there is one in a view. */
export function shortRef({ sources }: Pick<ReadView, 'sources'>, ref: string): string {
  const m = /^([a-z][a-z0-9_]*)@([^#]+)#/.exec(ref);
  const pinned = sources.some((s) => s.source === m?.[1] && s.snapshot === m[2]);
  return m && pinned ? `${m[1]}${ref.slice(m[0].length - 1)}` : ref;
}

/** The pointer of what a source knows of a subject. */
export function factsPointer(subject: Subject): string {
  return `/facts/${pointerSegment(subjectKey(subject))}`;
}
