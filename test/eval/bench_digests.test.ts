import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { consoleLogs } from '../../lib/collectors/console_logs/index.ts';
import { Location } from '../../lib/config.ts';
import { faultsFound, grepPatterns } from '../bench/console.ts';
import { driftFound } from '../bench/inventory.ts';
import { LOG_END, LOG_ZONE, type Written, writeConsoleLogs } from '../bench/console-log.ts';
import type { Digested } from '../bench/digest-process.ts';
import { readFiles } from '../../lib/readers/files.ts';

type Reading = Pick<Digested, 'conditions' | 'problems'>;

let folder: string;
let written: Written;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'bench-console-'));
  written = writeConsoleLogs(folder, 0.6);
});
afterAll(() => rmSync(folder, { recursive: true }));

async function reading(): Promise<Reading> {
  const opened = readFiles({
    location: { ...Location.parse({ path: written.files }), roles: {} },
    plan: consoleLogs.inputs,
    now: LOG_END,
    options: {},
    mtime: new Date(LOG_END).toISOString(),
  });
  const { conditions, coverage } = await consoleLogs.collect(opened.inputs, {
    cluster: 'bench',
    now: LOG_END,
    config: consoleLogs.options.parse({ first_sight: 'all' }),
    timezone: LOG_ZONE,
    nodeDomains: [],
    rules: {},
  });
  return {
    conditions: conditions.map(({ kind, subject, count = 1 }) => ({ kind, subject: subject.id, count })),
    problems: coverage.problems.map((p) => p.message),
  };
}

describe('the console logs of the benchmark', () => {
  it('are of both servers, of the size asked for, and hold faults whose number is told', () => {
    expect(written.files).toHaveLength(2);
    expect(Math.abs(written.bytes - 600_000)).toBeLessThan(5000);
    expect(written.expected.get('kernel_panic')).toEqual({ conditions: 1, events: 1 });
    expect(written.expected.size).toBe(9);
  });

  it('show exactly these, and one fault more or less is told', async () => {
    const found = await reading();
    expect(faultsFound([found], written)).toMatch(/^all \d+ faults found, no other$/);
    const [first, ...others] = found.conditions as [Reading['conditions'][0], ...Reading['conditions']];
    expect(faultsFound([found, { ...found, conditions: others }], written)).toContain(`WRONG: ${first.kind}`);
    const twice = { ...first, count: first.count + 1 };
    expect(faultsFound([{ ...found, conditions: [twice, ...others] }], written)).toContain(`WRONG: ${first.kind}`);
  });
});

it('what grep searches for is every text with which a rule begins, each as itself', () => {
  const patterns = grepPatterns().split('\n');
  expect(patterns).toContain('soft lockup - CPU#');
  expect(patterns).toContain('\\] pc : ');
  expect(patterns).toContain('^BUG: ');
  expect(patterns.length).toBeGreaterThan(400);
});

it('drift that is missed, that was not laid, and records that were rejected are told', () => {
  const drift = { image_drift: new Set(['n1', 'n2']), boot_drift: new Set(['n3']) };
  const found = (image: string[], boot: string[], rejected = 0): string =>
    driftFound(
      [
        {
          conditions: [
            ...image.map((subject) => ({ kind: 'image_drift', subject, count: 1 })),
            ...boot.map((subject) => ({ kind: 'boot_drift', subject, count: 1 })),
          ],
          rejected,
          problems: [],
        },
      ],
      drift,
    );
  expect(found(['n1', 'n2'], ['n3'])).toBe('all 3 drifted nodes found, no other');
  expect(found(['n1'], ['n3'])).toBe('WRONG: image_drift misses n2, has none too many');
  expect(found(['n1', 'n2'], ['n3', 'n4'])).toBe('WRONG: boot_drift misses none, has n4 too many');
  expect(found(['n1', 'n2'], ['n3'], 1)).toBe('WRONG: 1 rejected; ');
});
