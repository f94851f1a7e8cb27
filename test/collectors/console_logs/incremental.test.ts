import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ReadError } from '../../../lib/model/collector.ts';
import { bytesOfText, Disk, inputOf, joinBytes, NOW, type Run, runOn, runText, told } from './simulation.ts';

const RUNS = Number(process.env['FC_RUNS'] ?? 80);

/** Pieces of consoles: whole lines, halves of lines, the server's own lines in the middle of them, terminal control. */
const PIECES = [
  '[  100.000001] BUG: kernel NULL pointer dereference, address: 0000000000000048\r\n',
  '[  100.000301] Oops: 0000 [#1] PREEMPT SMP NOPTI\r\n[  100.000401] RIP: 0010:wekafs_readpage_done+0x38/0x1c0 [wekafsio]\r\n',
  '[  100.100001] Kernel panic - not syncing: Fatal exception\r\n',
  '[  100.1000',
  '01] Kernel panic - not syncing: Fatal exce',
  'ption in interrupt\r\n',
  '[-- MARK -- Mon Nov 30 07:00:00 2026]\r\n',
  '[-- MARK -- Mon Nov 30 07:20:00 2026]\r\n',
  '[-- MARK -- Mon Nov 30 08:30:00 2026]\r\n',
  '\r\n<ConMan> Console [x1000c0s0b0n0] log at 2026-11-30 08:00:00 UTC.\r\n',
  '\r\n<ConMan> Console [x1000c0s0b0n0] disconnected from <x1000c0s0b0> at 11-30 08:21.\r\n',
  '[-- Console up -- Mon Nov 30 08:31:00 2026]\r\n',
  '[  210.000001] watchdog: BUG: soft lockup - CPU#3 stuck for 26s! [ll_read:30221]\r\n',
  '[  990.000001] watchdog: BUG: soft lockup - CPU#4 stuck for 70s! [ll_read:30221]\r\n',
  '[  211.000001] INFO: task ptlrpcd_00_03:2211 blocked for more than 120 seconds.\r\n',
  '[  220.000001] python3 invoked oom-killer: gfp_mask=0x140cca, order=0, oom_score_adj=0\r\n',
  '[  220.000002] oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,global_oom,task=a.out,pid=1,uid=1\r\n',
  '[  220.000003] Out of memory: Killed process 4021 (a.out) total-vm:1kB, anon-rss:1kB, file-rss:0kB\r\n',
  '[  300.000001] cxi_ss1 0000:03:00.0: cxi0[hsn0] CXI_EVENT_LINK_DOWN\r\n',
  '[  301.000001] cxi_ss1 0000:03:00.0: cxi0[hsn0] CXI_EVENT_LINK_UP\r\n',
  '[    0.000000] Linux version 5.14.21 (geeko@buildhost) #1 SMP\r\n',
  '[    0.000000] Command line: console=ttyS0 panic=10\r\n',
  '[    0.000000] Command line: console=ttyS0 elfcorehdr=0x1 reset_devices\r\n',
  '[ 9000.000001] reboot: Restarting system\r\n',
  '[\u001b[0;32m  OK  \u001b[0m] Reached target \u001b[0;1;39mMulti-User System\u001b[0m.\r\n',
  '[\u001b[0;1;31mFAILED\u001b[0m] Failed to start \u001b[0;1;39mslurmd.service\u001b[0m.\r\r\n',
  'x1000c0s0b0n0 login: ',
  'x1000c0s0b0n0:~ # cat /var/log/old\r\n',
  'x1000c0s0b0n0:~ # ',
  'Give root password for maintenance\r\n(or press Control-D to continue): ',
  'dracut:/# ',
  '[***   ] A start job is running\r[ ***  ] A start job is running\r',
  '\0\0\0\0\0\0\0\0\0\0\0\0',
  'some output of a job without any meaning 12345\r\n',
  'x'.repeat(300),
  '\r\n',
  '\n',
  '** 3 printk messages dropped ** [  400.000001] EXT4-fs error (device sda2): ext4_find_entry:1463: inode #2\r\n',
  '[  401.000001] EXT4-fs (sda2): mounted filesystem with ordered data mode\r\n',
  '2026-11-30 08:11:39 [  500.000001] nfs: server nas1 not responding, still trying\r\n',
  '[Mon Nov 30 08:12:00 2026] nfs: server nas1 OK\r\n',
];

const log = fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 40 }).map((pieces) => bytesOfText(pieces.join('')));

function conditionsOf(run: Run) {
  return run.conditions.map(({ evidence, ...condition }) => ({ ...condition, quotes: evidence?.map((e) => e.quote) }));
}

async function whole(bytes: Uint8Array): Promise<Run | null> {
  if (bytes.length === 0) return null;
  return runOn([inputOf('x1000c0s0b0n0', { inode: '1', bytes })]);
}

describe('what is found depends on the bytes alone', () => {
  test('any size of the pieces in which a log is read gives the same conditions and carry', async () => {
    await fc.assert(
      fc.asyncProperty(log, fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 6 }), async (bytes, chunks) => {
        const once = await runOn([inputOf('x1000c0s0b0n0', { inode: '1', bytes })]);
        const pieces = await runOn([inputOf('x1000c0s0b0n0', { inode: '1', bytes }, { chunks })]);
        expect(pieces).toEqual(once);
      }),
      { numRuns: RUNS },
    );
  }, 120_000);

  test('any split into runs, any rotation at any byte, in any way, gives what one whole read gives', async () => {
    const step = fc.record({
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      rotate: fc.option(fc.constantFrom('rename' as const, 'copytruncate' as const, 'conserver' as const), { nil: undefined }),
      look: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        log,
        fc.array(step, { maxLength: 8 }),
        fc.array(fc.integer({ min: 1, max: 5000 }), { maxLength: 3 }),
        async (bytes, steps, chunks) => {
          const disk = new Disk('x1000c0s0b0n0');
          let carry: unknown;
          let at = 0;
          const look = async () => {
            if (disk.inputs().every((i) => i.size === 0)) return undefined;
            const run = await runOn(disk.inputs(chunks), { carry });
            expect(run.coverage.problems).toEqual([]);
            carry = run.carry;
            return run;
          };
          for (const { share, rotate, look: looks } of steps) {
            const to = at + Math.floor((bytes.length - at) * share);
            disk.append(bytes.subarray(at, to));
            at = to;
            // A log that nobody has seen yet, and that is empty, is not rotated.
            if (rotate && disk.inputs().some((i) => i.size > 0)) disk.rotate(rotate);
            if (looks) await look();
          }
          disk.append(bytes.subarray(at));
          const last = await look();
          expect(conditionsOf(last as Run)).toEqual(conditionsOf((await whole(bytes)) as Run));
        },
      ),
      { numRuns: RUNS },
    );
  }, 120_000);

  test('arbitrary bytes never throw, and never make the carry grow', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ minLength: 1, maxLength: 3000 }),
        fc.array(fc.integer({ min: 1, max: 999 }), { minLength: 1, maxLength: 4 }),
        async (noise, chunks) => {
          const bytes = joinBytes([bytesOfText('[    1.000001] ok\r\n'.repeat(40)), noise]);
          const run = await runOn([inputOf('x1000c0s0b0n0', { inode: '1', bytes }, { chunks })]);
          expect(JSON.stringify(run.carry).length).toBeLessThan(20_000);
        },
      ),
      { numRuns: RUNS },
    );
  }, 120_000);
});

describe('reading on', () => {
  const PANIC = '[  100.100001] Kernel panic - not syncing: Fatal exception\r\n';

  test('a log that has not changed is not opened, and shows what it showed', async () => {
    const file = {
      inode: '7',
      bytes: bytesOfText(
        `[    1.000001] ok\r\n${PANIC}x1000c0s0b0n0 login: `.replace('x1000c0s0b0n0 login: ', '[-- MARK -- Mon Nov 30 08:00:00 2026]\r\n'),
      ),
    };
    const first = await runOn([inputOf('x1000c0s0b0n0', file)]);
    const again = inputOf('x1000c0s0b0n0', file);
    const second = await runOn([again], { carry: first.carry });
    expect(again.reads).toBe(0);
    expect(second.conditions).toEqual(first.conditions);
    expect(second.cleared).toEqual([]);
    expect(told(second)).toEqual(['critical kernel_panic']);
  });

  test('an unfinished prompt counts, and goes on counting while nothing follows', async () => {
    const file = {
      inode: '7',
      bytes: bytesOfText(
        '[    9.000001] dracut: FATAL: No or empty root= argument\r\nEntering emergency mode. Exit the shell to continue.\r\ndracut:/# ',
      ),
    };
    const first = await runOn([inputOf('x1000c0s0b0n0', file)]);
    const second = await runOn([inputOf('x1000c0s0b0n0', file)], { carry: first.carry });
    expect(told(second)).toEqual(['info boot_failed', 'critical emergency_shell']);
    expect(second.conditions).toEqual(first.conditions);
  });

  test('a panic without a line end is seen at once and counted once', async () => {
    const half = 'noise\r\n[  100.100001] Kernel panic - not syncing: Fatal exc';
    const first = await runOn([inputOf('n1', { inode: '1', bytes: bytesOfText(half) })]);
    expect(told(first)).toEqual(['critical kernel_panic']);
    const second = await runOn([inputOf('n1', { inode: '1', bytes: bytesOfText(`${half}eption\r\n`) })], { carry: first.carry });
    expect(second.conditions).toMatchObject([{ kind: 'kernel_panic', count: 1, values: { reason: 'Fatal exception' } }]);
  });

  test('a log that cannot be read to its end counts when it can, and keeps no other from being read', async () => {
    const half = bytesOfText(`[    1.000001] ok\r\n${PANIC}`);
    const broken = {
      ...inputOf('n1', { inode: '1', bytes: half }),
      *bytes(): Generator<Uint8Array> {
        yield half.subarray(0, 30);
        throw new ReadError('unreadable', 'n1', 'cannot be read: input/output error');
      },
    };
    const other = () => inputOf('n2', { inode: '2', bytes: bytesOfText(PANIC) });
    const first = await runOn([broken, other()]);
    expect(told(first)).toEqual(['critical kernel_panic']);
    expect(first.coverage).toMatchObject({ observed: { node: 'n2' }, problems: [{ effect: 'input', input: 'n1' }] });
    const second = await runOn([inputOf('n1', { inode: '1', bytes: half }), other()], { carry: first.carry });
    expect(second.conditions.map((c) => c.subject.id)).toEqual(['n1', 'n2']);
  });

  test('what was cut away without a copy is a gap, said once', async () => {
    const first = await runOn([inputOf('n1', { inode: '1', bytes: bytesOfText('[    1.000001] a line\r\n'.repeat(9)) })]);
    const cut = [inputOf('n1', { inode: '1', bytes: bytesOfText(PANIC) })];
    const second = await runOn(cut, { carry: first.carry });
    expect(second.coverage.problems).toMatchObject([{ effect: 'input', input: 'n1', message: expect.stringContaining('gap') }]);
    expect(told(second)).toEqual(['critical kernel_panic']);
    expect(second.summary).toMatchObject({ gaps: 1 });
    const third = await runOn([inputOf('n1', { inode: '1', bytes: bytesOfText(`${PANIC}more\r\n`) })], { carry: second.carry });
    expect(third.coverage.problems).toEqual([]);
  });

  test('a replaced file of the same size is not taken for the old one', async () => {
    const first = await runOn([inputOf('n1', { inode: '1', bytes: bytesOfText('[    1.000001] old\r\n'.repeat(40)) })]);
    const other = bytesOfText(`${'[    1.000001] new\r\n'.repeat(10)}${PANIC}${'[    1.000001] new\r\n'.repeat(27)}`);
    const second = await runOn([inputOf('n1', { inode: '2', bytes: other }, { mtime: '2026-11-30T08:44:00.000Z' })], {
      carry: first.carry,
    });
    expect(told(second)).toEqual(['critical kernel_panic']);
    expect(second.coverage.problems).toMatchObject([{ message: expect.stringContaining('gap') }]);
  });

  test('a tail that conserver moved is found even where the old file was taken away', async () => {
    const lines = Array.from({ length: 200 }, (_, i) => `[ ${1000 + i}.000001] usb 1-1: line ${i} of many\r\n`);
    lines[197] = '[ 1197.000001] INFO: task ptlrpcd_00_03:2211 blocked for more than 120 seconds.\r\n';
    const bytes = bytesOfText(lines.join(''));
    const first = await runOn([inputOf('n1', { inode: '1', bytes })]);
    const moved = bytesOfText(lines.slice(-6).join(''));
    const second = await runOn(
      [
        inputOf('n1', {
          inode: '2',
          bytes: joinBytes([moved, bytesOfText('[ 1300.000001] INFO: task ll_read:9 blocked for more than 120 seconds.\r\n')]),
        }),
      ],
      { carry: first.carry },
    );
    expect(second.conditions).toMatchObject([{ kind: 'hung_task', count: 2 }]);
  });

  test('a log that nobody has seen is read from a bounded tail, and coverage says so', async () => {
    const bytes = joinBytes([
      bytesOfText(PANIC),
      new Uint8Array(1_200_000).fill(97),
      bytesOfText('\r\n[ 9000.000001] EXT4-fs (sda2): Remounting filesystem read-only\r\n'),
    ]);
    const run = await runOn([inputOf('n1', { inode: '1', bytes })], { config: { first_sight: 'tail' } });
    expect(told(run)).toEqual(['critical fs_error sda2']);
    expect(run.coverage.problems).toMatchObject([{ effect: 'note', message: expect.stringContaining('only the last 1 MiB') }]);
    const all = await runOn([inputOf('n1', { inode: '1', bytes })], { config: { first_sight: 'all' } });
    expect(told(all)).toEqual(['critical fs_error sda2', 'critical kernel_panic']);
    const next = await runOn([inputOf('n1', { inode: '1', bytes: joinBytes([bytes, bytesOfText('[ 9001.000001] ok\r\n')]) })], {
      carry: run.carry,
      config: { first_sight: 'tail' },
    });
    expect(next.coverage.problems).toEqual([]);
    expect(told(next)).toEqual(['critical fs_error sda2']);
  });

  test('twelve thousand idle logs make a small carry', async () => {
    const inputs = Array.from({ length: 300 }, (_, i) =>
      inputOf(`nid${String(i).padStart(6, '0')}`, {
        inode: String(i),
        bytes: bytesOfText(
          `[ 4000.000001] perf: ok\r\nnid login: [-- MARK -- Mon Nov 30 07:00:00 2026]\r\n[-- MARK -- Mon Nov 30 08:00:00 2026]\r\n`,
        ),
      }),
    );
    const run = await runOn(inputs);
    expect(JSON.stringify(run.carry).length / inputs.length).toBeLessThan(300);
  });

  test('any order of the files gives the same', async () => {
    const inputs = [
      inputOf('n10', { inode: '1', bytes: bytesOfText(PANIC) }),
      inputOf('n2.log', { inode: '2', bytes: bytesOfText('[    1.000001] ok\r\n') }),
      inputOf('console.n1', { inode: '3', bytes: bytesOfText(PANIC) }),
      inputOf('n10.1', { inode: '4', bytes: bytesOfText('[   90.000001] INFO: task a:1 blocked for more than 120 seconds.\r\n') }),
    ];
    const run = await runOn(inputs);
    expect(await runOn(inputs.toReversed())).toEqual(run);
    expect(told(run)).toEqual(['critical kernel_panic', 'warning hung_task', 'critical kernel_panic']);
    expect(run.coverage.observed).toEqual({ node: 'n[1-2,10]' });
  });

  test('quiet and expiry end by the clock of the log, and are said once', async () => {
    const text =
      '[-- MARK -- Mon Nov 30 07:00:00 2026]\r\n[  210.000001] watchdog: BUG: soft lockup - CPU#3 stuck for 26s! [a:1]\r\n[-- MARK -- Mon Nov 30 07:10:00 2026]\r\n';
    const file = (t: string) => [inputOf('n1', { inode: '1', bytes: bytesOfText(t) })];
    const first = await runOn(file(text), { now: NOW - 5_400_000 });
    expect(told(first)).toEqual(['warning soft_lockup']);
    const later = `${text}[-- MARK -- Mon Nov 30 07:20:00 2026]\r\n[-- MARK -- Mon Nov 30 07:30:00 2026]\r\n`;
    const second = await runOn(file(later), { carry: first.carry });
    expect(told(second)).toEqual([]);
    expect(second.cleared).toEqual([
      { kind: 'soft_lockup', subject: { type: 'node', id: 'n1' }, by: 'quiet', at: '2026-11-30T07:20:00.000Z' },
    ]);
    const third = await runOn(file(later), { carry: second.carry });
    expect(third.cleared).toEqual([]);
    expect((await runText(later)).conditions).toEqual([]);
  });

  test('what was over as far as was known goes on where the marks turn out to have ended before', async () => {
    const begin = '[  990.000001] watchdog: BUG: soft lockup - CPU#4 stuck for 70s! [a:1]\r\n[-- MARK -- Mon Nov 30 08:00:00 2026]\r\n';
    const file = (t: string) => [inputOf('n1', { inode: '1', bytes: bytesOfText(t) })];
    const first = await runOn(file(begin));
    expect(told(first)).toEqual([]);
    // The console server's clock was set back.
    const all = `${begin}[-- MARK -- Mon Nov 30 08:21:00 2026]\r\n[-- MARK -- Mon Nov 30 08:31:00 2026]\r\n[-- MARK -- Mon Nov 30 08:00:00 2026]\r\n`;
    expect(told(await runOn(file(all), { carry: first.carry }))).toEqual(['critical soft_lockup']);
    expect(told(await runText(all))).toEqual(['critical soft_lockup']);
  });

  test('a console server that died proves no quiet, however long ago', async () => {
    const text =
      '[-- MARK -- Mon Nov 30 07:15:00 2026]\r\n[-- MARK -- Mon Nov 30 07:20:00 2026]\r\n[  210.000001] watchdog: BUG: soft lockup - CPU#3 stuck for 26s! [a:1]\r\n';
    const file = [inputOf('n1', { inode: '1', bytes: bytesOfText(text) })];
    const first = await runOn(file);
    const later = await runOn(file, { carry: first.carry, now: NOW + 3 * 86_400_000 });
    expect(told(later)).toContain('warning soft_lockup');
    expect(later.cleared).toEqual([]);
  });
});

describe('several files of one node', () => {
  test('a log that was rotated away and is not there anew yet is no node of its own', async () => {
    const file = { inode: '1', bytes: bytesOfText('[  100.100001] Kernel panic - not syncing: Fatal exception\r\n') };
    const first = await runOn([inputOf('n1', file)]);
    const between = await runOn([inputOf('n1.1', file)], { carry: first.carry });
    expect(between.coverage.observed).toEqual({ node: 'n1' });
    expect(told(between)).toEqual(['critical kernel_panic']);
    const after = await runOn([inputOf('n1.1', file), inputOf('n1', { inode: '2', bytes: bytesOfText('[    1.000001] ok\r\n') })], {
      carry: between.carry,
    });
    expect(after.conditions.map((c) => [c.kind, c.count])).toEqual([['kernel_panic', 1]]);
    expect(after.coverage.problems).toEqual([]);
  });

  test('what one of its logs says is over goes on where another shows it', async () => {
    const hang = '[  100.000001] nfs: server nas1 not responding, still trying\r\n';
    const files = (more: string) => [
      inputOf('n1', { inode: '1', bytes: bytesOfText(hang) }),
      inputOf('console.n1', { inode: '2', bytes: bytesOfText(hang + more) }),
    ];
    const first = await runOn(files(''));
    const second = await runOn(files('[  101.000001] nfs: server nas1 OK\r\n'), { carry: first.carry });
    expect(second.conditions.map((c) => c.kind)).toEqual(['nfs_hang']);
    expect(second.cleared).toEqual([]);
  });
});
