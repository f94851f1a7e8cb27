import { afterEach, beforeEach, expect, it } from 'vitest';
import { kinds } from '../../lib/findings/kinds.ts';
import { testObserver, type TestObserver } from '../observer.ts';
import { cli } from './run.ts';

let observer: TestObserver;
beforeEach(() => void (observer = testObserver('cluster: test\nsources: { pbs_state: { path: pbs } }')));
afterEach(() => observer.dispose());

it('kinds prints all there is to a kind, one line each', async () => {
  const { code, out } = await cli(observer, ['kinds']);
  expect(code).toBe(0);
  const rows = out.trimEnd().split('\n');
  expect(rows).toHaveLength(kinds.size + 2);
  for (const k of kinds.values()) {
    const row = rows.find((r) => r.startsWith(`| ${k.kind} |`)) ?? '';
    for (const text of [k.title, k.severity, ...k.subjects, k.part ?? '', k.clears.by, k.hint, k.provenance])
      expect(row, k.kind).toContain(text.replaceAll('|', '\\|'));
    expect(row.split(/(?<!\\)\|/), k.kind).toHaveLength(9);
  }
});

it('kinds --json prints the registry', async () => {
  const { out } = await cli(observer, ['kinds', '--json']);
  const listed = (JSON.parse(out) as { kinds: { kind: string }[] }).kinds;
  expect(new Map(listed.map((k) => [k.kind, k]))).toEqual(new Map(kinds));
});
