import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { inputOf, NOW, runOn } from './simulation.ts';

function dayInputs(day: string) {
  const dir = join(import.meta.dirname, '../../../fixtures/democluster', day, 'consoles');
  return readdirSync(dir).map((name, i) => inputOf(name, { inode: String(i), bytes: readFileSync(join(dir, name)) }));
}

async function shown(day: string) {
  const run = await runOn(dayInputs(day), { timezone: 'America/Denver', config: { first_sight: 'tail' } });
  return { run, told: run.conditions.map((c) => `${c.severity} ${c.kind} ${c.subject.id}${c.part === undefined ? '' : ` ${c.part}`}`) };
}

/** What both days show: noise that a person may look up, and the node that has been down for days. */
const EVERYDAY = [
  'info oom x1000c0s3b0n0 job',
  'info console_silent x1000c0s4b1n1',
  'info gpu_app_error x1001c0s1b1n0 0000:41:00',
  'info hw_corrected x1001c0s3b1n0 machine',
  'info hw_corrected x1001c0s3b1n0 mc#0csrow#1channel#3',
];

test('the healthy day shows noise and nothing else', async () => {
  const { run, told } = await shown('healthy');
  expect(told).toEqual(EVERYDAY);
  expect(run.coverage).toMatchObject({ records: 72, rejected: 0, problems: [], observed: { node: 'x[1000-1002]c0s[0-5]b[0-1]n[0-1]' } });
});

test('the faulty day shows exactly its stories', async () => {
  const { run, told } = await shown('faulty');
  const stories = [
    'critical kernel_panic x1000c0s2b0n0',
    'info kernel_oops x1000c0s2b0n0',
    'warning oom x1000c0s3b1n1 global',
    'warning hsn_link_flap x1000c0s5b0n1 cxi0',
    'critical soft_lockup x1001c0s0b0n1',
    'critical gpu_xid x1001c0s1b0n0 0000:85:00',
    'critical emergency_shell x1001c0s4b1n0',
    'info boot_failed x1001c0s4b1n0',
    'warning console_disconnected x1002c0s5b0n0',
    'warning console_disconnected x1002c0s5b0n1',
    'warning console_disconnected x1002c0s5b1n0',
    'warning console_disconnected x1002c0s5b1n1',
  ];
  expect(new Set(told)).toEqual(new Set([...EVERYDAY, ...stories]));
  expect(told).toHaveLength(EVERYDAY.length + stories.length);
  expect(JSON.stringify(run.summary).length).toBeLessThan(6000);
  expect(run.conditions.find((c) => c.kind === 'kernel_panic')).toMatchObject({
    message: 'x1000c0s2b0n0: kernel panic in wekafs_readpage_done, after kernel oops: Fatal exception',
    since: expect.stringMatching(/^2026-11-30T08:3\d:/),
  });
  for (const c of run.conditions.filter((d) => d.kind === 'console_disconnected')) expect(c.since).toBe('2026-11-30T08:21:00.000Z');
});

test('a second look at the same day reads nothing and shows the same', async () => {
  const first = (await shown('faulty')).run;
  const again = dayInputs('faulty');
  const second = await runOn(again, { timezone: 'America/Denver', config: { first_sight: 'tail' }, carry: first.carry, now: NOW + 60_000 });
  expect(again.reduce((n, i) => n + i.reads, 0)).toBe(0);
  expect(second.conditions).toEqual(first.conditions);
  expect(second.cleared).toEqual([]);
});

test('facts tell of every node how its console stands', async () => {
  const { run } = await shown('faulty');
  const of = (node: string) => run.facts?.find((f) => f.subject.id === node)?.facts;
  expect(run.facts).toHaveLength(72);
  expect(of('x1001c0s0b0n0')).toMatchObject({ phase: 'up', kernel: '5.14.21-150500.55.52_13.0.47-cray_shasta_c', boots_seen: 1 });
  expect(of('x1000c0s4b1n1')).toMatchObject({ phase: 'off' });
  expect(of('x1001c0s4b1n0')).toMatchObject({ phase: 'boot' });
});
