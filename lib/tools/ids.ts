import { type Subject, subjectKey } from '../model/condition.ts';
import { pointerSegment } from '../model/json.ts';
import type { ReadView } from './view.ts';

const SHORTEST = 8;

/** The beginning of a finding's id that is enough to tell it from every other of the view: short enough to be copied. */
export function shortId({ findings }: Pick<ReadView, 'findings'>, id: string): string {
  let length = SHORTEST;
  while (length < id.length && findings.some((f) => f.id !== id && f.id.startsWith(id.slice(0, length)))) length += 4;
  return id.slice(0, length);
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
