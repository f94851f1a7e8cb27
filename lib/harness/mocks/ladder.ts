import { babbler, huge, lazy, looper, silent, truncator, wrongname } from './broken.ts';
import { overWire, perfect, textcaller, thinker } from './honest.ts';
import { downgrader, hijacked, liar, unicode } from './hostile.ts';
import { flaky, overflow, slow } from './troubled.ts';
import type { Mock } from './wire.ts';

/** Every mock model by the name that `--mock` takes: what a report has to survive, one rung at a time. */
export const LADDER: ReadonlyMap<string, Mock> = new Map([
  ['reasoner', overWire],
  ['perfect', perfect],
  ['silent', silent],
  ['lazy', lazy],
  ['liar', liar],
  ['downgrader', downgrader],
  ['hijacked', hijacked],
  ['looper', looper],
  ['babbler', babbler],
  ['truncator', truncator],
  ['textcaller', textcaller],
  ['thinker', thinker],
  ['wrongname', wrongname],
  ['slow', slow],
  ['flaky', flaky],
  ['overflow', overflow],
  ['huge', huge],
  ['unicode', unicode],
]);
