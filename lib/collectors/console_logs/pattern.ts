/*
 * Patterns that sites write run over every text that holds their literal, so that none may be slow on any text: what a
 * pattern could cost at worst is counted when the configuration is loaded.
 */

/** Site patterns see at most so much of a text. */
export const PATTERN_REACH = 512;
const MAX_COST = 4_000_000;

/**
 * What speaks against a pattern: a text for people; undefined where nothing does.
 * The count is an upper bound: every repeat may run its whole range at every place where the pattern may begin.
 */
export function faultOf(source: string): string | undefined {
  if (source.length > 200) return 'is longer than 200 characters';
  try {
    RegExp(source, 'u');
  } catch (error) {
    return `is no regular expression: ${error instanceof Error ? error.message : String(error)}`;
  }
  if (/\\[1-9]|\\k</.test(source)) return 'refers back to a group, which can be slow; write it without';
  const depth: { repeats: boolean; product: number }[] = [{ repeats: false, product: source.startsWith('^') ? 1 : PATTERN_REACH }];
  const tokens = source.matchAll(/\\.|\[(?:\\.|[^\]\\])*\]|\((?:\?(?:<?[=!]|:|<\w{1,40}>))?|\)|[*+?]\??|\{\d{1,6}(?:,\d{0,6})?\}\??|[^]/gu);
  let closed: { repeats: boolean; product: number } | undefined;
  for (const [token] of tokens) {
    const top = depth.at(-1) as { repeats: boolean; product: number };
    if (token.startsWith('(')) depth.push({ repeats: false, product: 1 });
    else if (token === ')') closed = depth.length > 1 ? depth.pop() : undefined;
    else {
      const times = repeatOf(token);
      if (times !== undefined && times > 1) {
        if (closed?.repeats) return 'repeats a group that itself repeats, which can be slow; write it without';
        top.repeats = true;
        top.product *= times;
      }
    }
    if (token !== ')') {
      if (closed) {
        top.product *= closed.product;
        top.repeats ||= closed.repeats;
      }
      closed = undefined;
    }
  }
  const cost = depth.reduce((product, level) => product * level.product, 1) * (closed?.product ?? 1);
  return cost > MAX_COST ? 'could be slow on a long line; bound its repeats, for example {1,40} instead of +' : undefined;
}

function repeatOf(token: string): number | undefined {
  if (/^[*+]/.test(token)) return PATTERN_REACH;
  const range = /^\{(\d+)(,(\d*))?\}/.exec(token);
  if (!range) return undefined;
  if (range[2] === undefined) return 1;
  return range[3] === '' ? PATTERN_REACH : Number(range[3]) - Number(range[1]) + 1;
}
