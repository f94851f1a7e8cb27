import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { invoke, tools } from '../../lib/tools/registry.ts';
import { MAX_RESULT_BYTES } from '../../lib/tools/tool.ts';
import type { ReadView } from '../../lib/tools/view.ts';
import { viewOf } from '../harness/view.ts';

interface Entry {
  name: string;
  description: string;
  parameters: unknown;
  /** What of a view it can reach. */
  reaches: string[];
  max_bytes: number;
}

const menu = JSON.parse(readFileSync(new URL('menu.json', import.meta.url), 'utf8')) as Entry[];

describe('the menu', () => {
  it('is what the checked-in table says, to the letter: whoever changes it changes the table in the same commit', () => {
    const now = tools.map((t): Entry => {
      const { name, description, parameters, reaches } = t;
      return { name, description, parameters, reaches: [...reaches], max_bytes: MAX_RESULT_BYTES };
    });
    expect(now).toEqual(menu);
  });

  it.each(tools.map((t) => [t.name, t] as const))('%s touches nothing of the view but what the table says', async (name, tool) => {
    const touched = new Set<string>();
    const whole = viewOf([{}]);
    const view = new Proxy<ReadView>(whole, {
      get: (target, key: keyof ReadView) => {
        touched.add(key);
        return target[key];
      },
    });
    await invoke(view, name, {
      by: 'rack',
      id: whole.findings[0]?.id,
      node: 'x1000c0s0b0n0',
      source: 'console_logs',
      subject: 'x1000c0s0b0',
    });
    for (const key of touched) expect([...tool.reaches]).toContain(key);
  });

  it('no argument is a path, a URL, a query or a pattern, and none is unbounded', () => {
    const words = JSON.stringify(tools.map((t) => t.parameters)).toLowerCase();
    for (const word of ['"path"', '"url"', '"file"', '"query"', '"regex"', '"pattern"', '"command"', '"host"'])
      expect(words).not.toContain(word);
    const long = 'x'.repeat(300);
    for (const tool of tools) {
      const properties = Object.keys((tool.parameters['properties'] ?? {}) as object);
      for (const key of properties) expect(tool.args.safeParse({ [key]: long }).success, `${tool.name}.${key}`).toBe(false);
    }
  });
});

describe('invoke', () => {
  it.each([
    '',
    '__proto__',
    'constructor',
    'hasOwnProperty',
    'LIST_SOURCES',
    'list_sources ',
    'list_sources\n',
    '../list_sources',
    'submit_report',
  ])('refuses a tool called %j, and accounts for it', async (name) => {
    const { result, auditEntry } = await invoke(viewOf([]), name, {});
    expect(result).toMatchObject({ ok: false, error: expect.stringContaining('list_sources, get_changes') });
    expect(auditEntry).toMatchObject({ decision: { refused: expect.any(String) }, argsHash: expect.stringMatching(/^[0-9a-f]{64}$/) });
  });

  it.each<[string, unknown]>([
    ['get_node', null],
    ['get_node', []],
    ['get_node', 'x1000c0s0b0n0'],
    ['get_node', { node: 7 }],
    ['get_node', { node: '' }],
    ['get_node', { node: 'x'.repeat(254) }],
    ['get_node', { node: 'x1000c0s0b0n0', extra: 1 }],
    ['get_node', JSON.parse('{"node":"x1000c0s0b0n0","__proto__":{"node":"y"}}')],
    ['get_trend', { source: 'weka_state', hours: Number.NaN }],
    ['get_trend', { source: 'weka_state', name: 'x', hours: 1e9 }],
    ['get_trend', { source: 'weka_state', name: 'x', hours: -1 }],
    ['list_conditions', { limit: 1e21 }],
    ['list_conditions', { offset: -1 }],
    ['list_conditions', { limit: 1.5 }],
    ['list_conditions', { severity: 'fatal' }],
    ['count_conditions', { by: 'constructor' }],
  ])('%s refuses %j and says what was expected', async (name, args) => {
    const { result, auditEntry } = await invoke(viewOf([{}]), name, args);
    expect(result).toMatchObject({ ok: false, error: expect.stringContaining('wrong arguments') });
    expect(auditEntry.decision).toMatchObject({ refused: expect.any(String) });
  });

  it.each<[string, object]>([
    ['get_node', { node: '../../etc/shadow' }],
    ['get_node', { node: 'http://169.254.169.254/latest/meta-data' }],
    ['get_node', { node: 'n[0-999999999]' }],
    ['get_node', { node: '(a+)+$' }],
    ['get_node', { node: '__proto__' }],
    ['get_node', { node: 'x1000\u0000' }],
    ['get_node', { node: '\ud800' }],
    ['get_telemetry', { subject: '1'.repeat(250) }],
    ['get_telemetry', { subject: '__proto__' }],
    ['get_summary', { source: '__proto__' }],
    ['get_summary', { source: 'console_logs', section: '__proto__' }],
    ['get_summary', { source: '../snapshots' }],
    ['get_trend', { source: 'console_logs', name: 'constructor' }],
    ['get_condition', { id: '../../../etc' }],
    ['get_condition', { id: '........' }],
  ])('%s finds nothing under %j', async (name, args) => {
    const { result, auditEntry } = await invoke(viewOf([{}]), name, args);
    expect(result).toMatchObject({ ok: false, error: expect.any(String) });
    expect(auditEntry.bytes).toBeLessThan(1500);
  });

  it.each<[string, object]>([
    ['list_conditions', { node: 'n[0-999999999]' }],
    ['list_conditions', { place: '__proto__' }],
    ['list_conditions', { kind: 'constructor' }],
    ['get_ground_truth', { node: 'n[0-999999999]' }],
  ])('%s answers with nothing for %j', async (name, args) => {
    expect((await invoke(viewOf([{}]), name, args)).result).toMatchObject({ ok: true, total: 0, data: [] });
  });
});
