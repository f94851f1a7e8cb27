/** What stands in a code fence that is the whole of a text; null where it is none. */
export function unfence(text: string): string | null {
  const whole = text.trim();
  const begin = whole.indexOf('\n');
  if (!whole.startsWith('```') || !whole.endsWith('```') || begin < 0 || whole.length < begin + 4) return null;
  return /^```[a-z_]*\s*$/i.test(whole.slice(0, Math.min(begin, 40))) ? whole.slice(begin + 1, -3).trim() : null;
}
