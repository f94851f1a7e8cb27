import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { lintGroundTruth } from '../../lib/findings/lint.ts';

it('the ground truth that the README shows has nothing to mend', () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  const [, yaml] = /```yaml\n(fleet:\n[\s\S]*?)```/.exec(readme) ?? [];
  expect(yaml).toContain('acknowledgements:');
  expect(lintGroundTruth(yaml ?? '', { file: 'fleet.yaml', now: Date.parse('2026-11-30T12:00:00Z') })).toEqual([]);
});
