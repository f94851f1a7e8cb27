import { describe, expect, test } from 'vitest';
import { cleanTexts } from '../../../lib/collectors/console_logs/normalise.ts';
import { messagesOf } from '../../../lib/collectors/console_logs/prefix.ts';
import { RuleBook } from '../../../lib/collectors/console_logs/rulebook.ts';
import { rules } from '../../../lib/collectors/console_logs/rules/index.ts';

const book = new RuleBook(rules);

/** The rules that speak to one raw line, as a run finds them: literals first, then messages, then rules. */
function speaking(line: string): string[] {
  const bytes = new TextEncoder().encode(line);
  return cleanTexts(bytes, 0, bytes.length).flatMap((text) =>
    messagesOf(text, 'UTC').flatMap((message) => {
      return book.match(message, book.candidatesIn(text), () => true).map((m) => m.rule.id);
    }),
  );
}

describe.each(rules.map((rule) => [rule.id, rule] as const))('rule %s', (id, rule) => {
  test.each(rule.examples.yes)('speaks to %j', (line) => {
    expect(speaking(line)).toContain(id);
  });
  test.each(rule.examples.no)('is silent on %j', (line) => {
    expect(speaking(line)).not.toContain(id);
  });
});

test('rule ids are unique, and every literal is long enough to be searched for', () => {
  expect(new Set(rules.map((r) => r.id)).size).toBe(rules.length);
  for (const literal of rules.flatMap((r) => r.literals)) expect(literal.length).toBeGreaterThanOrEqual(6);
});
