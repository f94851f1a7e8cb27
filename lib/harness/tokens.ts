const PIECE = /[a-z]+|\d|[^\sa-z\d]+/gi;
/** Letters of a word that make about one token. */
const LETTERS = 5;

/**
 * About how many tokens a text is, on the high side: names and hashes of a cluster are mostly digits, and some
 * tokenizers take each digit alone, so that characters divided by four would be far too few.
 */
export function estimateTokens(text: string): number {
  let tokens = 0;
  for (const [piece] of text.matchAll(PIECE)) {
    const c = piece.charCodeAt(0);
    if (c >= 48 && c <= 57) tokens += 1;
    else if ((c | 32) >= 97 && (c | 32) <= 122) tokens += Math.ceil(piece.length / LETTERS);
    else tokens += c < 128 ? Math.ceil(piece.length / 2) : piece.length;
  }
  return tokens;
}

const MENUS = new WeakMap<object, number>();

/** Estimated tokens of a menu of tools, which every request sends again. */
export function menuTokens(tools: readonly object[]): number {
  const tokens = MENUS.get(tools) ?? estimateTokens(JSON.stringify(tools));
  MENUS.set(tools, tokens);
  return tokens;
}
