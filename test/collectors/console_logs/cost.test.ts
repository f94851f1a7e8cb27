import { describe, expect, test } from 'vitest';
import { cleanTexts } from '../../../lib/collectors/console_logs/normalise.ts';
import { messagesOf } from '../../../lib/collectors/console_logs/prefix.ts';
import type { Rule } from '../../../lib/collectors/console_logs/rule.ts';
import { rules } from '../../../lib/collectors/console_logs/rules/index.ts';
import { CountingMatcher } from './backtracking.ts';

/** A crafted line takes at most so many steps for each of its characters, however long it is. */
const STEPS_A_CHARACTER = 80;
const LENGTH = 600;

function textsOf(line: string): string[] {
  const bytes = new TextEncoder().encode(line);
  return cleanTexts(bytes, 0, bytes.length).flatMap((text) => messagesOf(text, 'UTC').map((message) => message.text));
}

/** Texts that begin as what the rule speaks to and go on so that much could be tried in vain. */
function crafted(rule: Rule): string[] {
  const seeds = rule.examples.yes
    .slice(0, 2)
    .flatMap(textsOf)
    .filter((text) => text !== '');
  return seeds.flatMap((seed) => {
    const places = [...seed.matchAll(/[^\w]+|$/g)].map((m) => m.index).slice(0, 8);
    return [
      seed.repeat(Math.ceil(LENGTH / seed.length)),
      ...places.flatMap((place) => {
        const begin = seed.slice(0, place);
        const word = /[\w.]+$/.exec(begin)?.[0] ?? '';
        const fillers = ['a', '0', ' ', 'a ', ': ', '0:', `${word} `, rule.literals[0] ?? ''];
        return fillers.filter((f) => f.trim() !== '' || f === ' ').map((f) => begin + f.repeat(Math.ceil(LENGTH / f.length)));
      }),
    ];
  });
}

describe('the counting matcher', () => {
  test('matches what the engine matches', () => {
    for (const rule of rules) {
      for (const pattern of [rule.match, rule.veto].filter((r) => r !== undefined)) {
        const matcher = new CountingMatcher(pattern);
        for (const text of [...rule.examples.yes, ...rule.examples.no].flatMap(textsOf))
          expect([rule.id, text, matcher.test(text)]).toEqual([rule.id, text, pattern.test(text)]);
      }
    }
  });

  test('counts what is slow', () => {
    const slow = new CountingMatcher(/^(?:a+)+$/);
    slow.test(`${'a'.repeat(16)}b`);
    expect(slow.steps).toBeGreaterThan(2 ** 16);
  });
});

test.each(rules.map((rule) => [rule.id, rule] as const))('no crafted line makes rule %s slow', (_, rule) => {
  for (const pattern of [rule.match, rule.veto].filter((r) => r !== undefined)) {
    const matcher = new CountingMatcher(pattern);
    for (const text of crafted(rule)) {
      matcher.test(text);
      expect([text.slice(0, 100), matcher.steps / text.length]).toSatisfy(([, steps]) => steps <= STEPS_A_CHARACTER);
    }
  }
});
