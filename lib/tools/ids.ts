import type { ReadView } from './view.ts';

const SHORTEST = 8;

/** The beginning of a finding's id that is enough to tell it from every other of the view: short enough to be copied. */
export function shortId({ findings }: Pick<ReadView, 'findings'>, id: string): string {
  let length = SHORTEST;
  while (length < id.length && findings.some((f) => f.id !== id && f.id.startsWith(id.slice(0, length)))) length += 4;
  return id.slice(0, length);
}
