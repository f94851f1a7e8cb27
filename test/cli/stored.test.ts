import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../../lib/steps/run.ts';
import { tools } from '../../lib/tools/registry.ts';
import { testObserver, type TestObserver } from '../observer.ts';
import { cli, type Ran } from './run.ts';

const FIXTURES = fileURLToPath(new URL('../../fixtures/democluster', import.meta.url));

let observer: TestObserver;
const command = (...argv: string[]): Promise<Ran> => cli(observer, argv);
beforeAll(async () => {
  observer = testObserver(readFileSync(join(FIXTURES, 'faulty', 'config.yaml'), 'utf8'));
  cpSync(join(FIXTURES, 'faulty'), observer.folder, { recursive: true });
  observer.truth = readFileSync(join(FIXTURES, 'fleet.yaml'), 'utf8');
  observer.now = Date.parse('2026-11-30T08:45:00Z');
  await run(observer);
});
afterAll(() => observer.dispose());

describe('what a run has stored', () => {
  it('is read by its commands', async () => {
    expect(JSON.parse((await command('snapshot', 'weka_state')).out)).toMatchObject({ source: 'weka_state' });
    expect((await command('report')).out).toMatch(/^CRITICAL/);
    expect((await command('report', '--format', 'md')).out).toMatch(/^# CRITICAL/);
    const listed = await command('findings', '--state', 'new');
    const id = /^([0-9a-f]{32}) /m.exec(listed.out)?.[1] as string;
    expect((await command('explain', id)).out).toContain('episode 1');
    const until = ['--until', '7d', '--reason', 'known'];
    expect(await command('silence', id, '--owner', 'ops', ...until)).toMatchObject({ code: 0, out: expect.stringMatching(/^silences:\n/) });
    expect(await command('ack', id, '--by', 'ops', ...until)).toMatchObject({ code: 0, out: expect.stringContaining(`id: ${id}`) });
    expect(await command('lint')).toMatchObject({ code: 0, out: expect.stringContaining('nothing to mend') });
  });

  it.each([
    [['report', '--format', 'pdf'], 2, 'pdf'],
    [['findings', '--state', 'gone'], 2, 'gone'],
    [['explain', '0'.repeat(32)], 1, 'no finding'],
    [['tools', 'call', '__proto__', '{}'], 1, 'no tool'],
    [['collect', 'nowhere'], 2, 'weka_state'],
    [['collect', '--nonsense'], 2, 'nonsense'],
    [['nonsense'], 2, 'nonsense'],
  ] as const)('%j is a mistake that is told', async (argv, code, word) => {
    expect(await command(...argv)).toMatchObject({ code, err: expect.stringContaining(word) });
  });

  it('is answered by every tool in at most 6 kB of print', async () => {
    const args: Record<string, object> = {
      count_conditions: { by: 'kind' },
      get_node: { node: 'x1000c0s2b0n0' },
      get_summary: { source: 'kafka_telemetry' },
      get_trend: { source: 'weka_state' },
      get_telemetry: { subject: 'x1002m0' },
    };
    for (const { name } of tools) {
      if (name === 'get_condition') continue;
      const { code, out } = await command('tools', 'call', name, JSON.stringify(args[name] ?? {}));
      expect(code, name).toBe(0);
      expect(Buffer.byteLength(out), name).toBeLessThanOrEqual(6 * 1024);
    }
  });
});
