import { describe, expect, test } from 'vitest';
import { consoleLogs } from '../../../lib/collectors/console_logs/index.ts';
import { faultOf, PATTERN_REACH } from '../../../lib/collectors/console_logs/pattern.ts';
import { rules } from '../../../lib/collectors/console_logs/rules/index.ts';
import { runText, told } from './simulation.ts';

describe('patterns of a site', () => {
  const line = '[  100.000001] acme_fabric: port 3 lost its mind\r\n';

  test('raise conditions of their own, or of a kind that exists', async () => {
    expect(told(await runText(line))).toEqual([]);
    expect(told(await runText(line, { config: { patterns: [{ id: 'acme', literal: 'acme_fabric: ' }] } }))).toEqual([
      'warning site_pattern acme',
    ]);
    const kind = {
      id: 'acme',
      literal: 'acme_fabric: ',
      match: '^acme_fabric: port (?<part>\\d{1,3}) lost',
      kind: 'nic_hw',
      severity: 'critical',
      from: 'kernel',
    };
    expect(told(await runText(line, { config: { patterns: [kind] } }))).toEqual(['critical nic_hw 3']);
    expect(told(await runText(line, { config: { patterns: [{ ...kind, veto: 'mind' }] } }))).toEqual([]);
  });

  test('speak beside the rules that come with the collector', async () => {
    const panic = '[  100.100001] Kernel panic - not syncing: Fatal exception\r\n';
    expect(told(await runText(panic, { config: { patterns: [{ id: 'fatal', literal: 'Fatal exception' }] } }))).toEqual([
      'critical kernel_panic',
      'warning site_pattern fatal',
    ]);
  });

  test('vetoes silence a kind, or all', async () => {
    const text =
      '[  100.000001] EXT4-fs error (device loop7): x\r\n[  101.000001] EXT4-fs error (device sda1): x\r\n[  102.000001] XFS (loop7): Metadata corruption detected at x\r\n';
    expect(told(await runText(text, { config: { vetoes: [{ kind: 'fs_error', match: 'device loop\\d' }] } }))).toEqual([
      'warning fs_error loop7',
      'warning fs_error sda1',
    ]);
    expect(told(await runText(text, { config: { vetoes: [{ match: 'loop7' }] } }))).toEqual(['warning fs_error sda1']);
  });

  test.each([
    ['a name with capitals', { patterns: [{ id: 'ACME', literal: 'acme_fabric' }] }, /short name/],
    ['a literal too short to be searched for', { patterns: [{ id: 'a', literal: 'acme' }] }, /characters at least/],
    ['a kind that is none', { patterns: [{ id: 'a', literal: 'acme_fabric', kind: 'nonsense' }] }, /no kind/],
    ['no regular expression', { patterns: [{ id: 'a', literal: 'acme_fabric', match: '(' }] }, /no regular expression/],
    ['a pattern that could be slow', { vetoes: [{ match: '(a+)+$' }] }, /slow/],
    ['a key that is none', { pattern_list: [] }, /pattern_list/],
  ])('are checked when they are loaded: %s', (_, config, reason) => {
    const parsed = consoleLogs.options.safeParse(config);
    expect(parsed.success).toBe(false);
    expect(JSON.stringify(parsed.error?.issues)).toMatch(reason);
  });
});

describe('what a pattern may cost', () => {
  test.each(['(a+)+$', '(a|a)*(a|a)*x', '(.*)(.*)(.*)x', '^(\\w+\\s?)*$', '(x{1,50}){1,50}y', '(a)\\1', '.*foo.*bar', '[a-z]+[0-9]+x+'])(
    '%s is refused',
    (source) => {
      expect(faultOf(source)).toBeDefined();
    },
  );
  test.each(['^acme: port \\d{1,3}', 'acme (?<part>[\\w.-]{1,32}) failed', 'lost .{0,80}link', '^a+b', 'foo|bar|baz', '[.*+]x', 'a\\+b'])(
    '%s is accepted',
    (source) => {
      expect(faultOf(source)).toBeUndefined();
    },
  );
  test('accepted patterns are fast on the texts that hurt most', () => {
    for (const source of ['acme (?<part>[\\w.-]{1,32}) failed', 'lost .{0,80}link', '^a+b', '(?:ab?){1,40}c']) {
      expect(faultOf(source)).toBeUndefined();
      for (const text of ['a'.repeat(PATTERN_REACH), 'ab'.repeat(PATTERN_REACH / 2), 'lost '.repeat(PATTERN_REACH / 5)])
        RegExp(source, 'u').test(text);
    }
  });
});

test.each(rules.map((rule) => [rule.id, rule] as const))(
  'rule %s uses no unbounded repeat inside another, and refers back to nothing',
  (_, rule) => {
    for (const { source } of [rule.match, rule.veto].filter((r) => r !== undefined)) {
      expect(source).not.toMatch(/\\[1-9]|\\k</);
      expect(source).not.toMatch(/\((?:[^()\\]|\\.)*[*+](?:[^()\\]|\\.)*\)[*+]/);
    }
  },
);

test.each(rules.filter((r) => r.kind !== undefined).map((rule) => [rule.id, rule] as const))(
  'rule %s has two forms at least of what it speaks to, and what only looks like it',
  (_, rule) => {
    expect(rule.examples.yes.length).toBeGreaterThanOrEqual(2);
    expect(rule.examples.no.length).toBeGreaterThanOrEqual(1);
  },
);
