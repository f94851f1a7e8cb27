import { describe, expect, test } from 'vitest';
import { NOW, bytesOfText, inputOf, runOn, runText, told } from './simulation.ts';

const mark = (time: string, day = 30) => `[-- MARK -- Mon Nov ${day} ${time}:00 2026]\r\n`;
const PANIC = '[  100.100001] Kernel panic - not syncing: Fatal exception\r\n';

describe('lines as console servers write them', () => {
  test.each([
    ['a mark in the middle of a line', `[  100.100001] Kernel pa${mark('07:00')}nic - not syncing: Fatal exception\r\n`],
    ['two marks in one line', `[  100.100001] Kernel pa${mark('07:00')}nic - not s${mark('07:05')}yncing: Fatal exception\r\n`],
    ['a mark after the whole text', `[  100.100001] Kernel panic - not syncing: Fatal exception${mark('07:00')}${mark('07:05')}`],
    [
      'a conman line in the middle of a line',
      '[  100.100001] Kernel pa\r\n<ConMan> Console [n1] log at 2026-11-30 07:00:00 UTC.\r\nnic - not syncing: Fatal exception\r\n',
    ],
    ['carriage returns of a tty', PANIC.replace('\r\n', '\r\r\n')],
    ['a redraw before it', `[***   ] A start job is running for x (1min / no limit)\r${PANIC}`],
    ['padding before it', `${'\0'.repeat(70_000)}${PANIC}`],
    ['padding behind it', `${PANIC.trimEnd()}${'\0'.repeat(400)}`],
    ['terminal control inside the phrase', '[  100.100001] Kernel \u001b[0;31mpanic\u001b[0m - not syncing: Fatal exception\r\n'],
    [
      'terminal control as conman spells it',
      '2026-11-30 07:00:00 ^[[0;1;31m[  100.100001] Kernel panic - not syncing: Fatal exception^[[0m\r\n',
    ],
    ['a cursor jump before it', `\u001b[11;17HPlease wait\u001b[12;1H${PANIC}`],
    ['a login prompt before it', `x1000c0s0b0n0 login: ${PANIC}`],
    ['a shell prompt before it', `x1000c0s0b0n0:~ # ${PANIC}`],
    ['half a kernel line before it', `[   99.000001] usb 1-1: new ${PANIC}`],
    ['a boot script before it', `/init: 384: .: C${PANIC}`],
    ['stamps of conserver', `[Mon Nov 30 07:00:00 2026]${PANIC}`],
    ['stamps of goconserver', `[2026-11-30T07:00:00.123-07:00] ${PANIC}`],
    ['records of goconserver', `${JSON.stringify({ type: 'console', message: PANIC, node: 'n1', date: '2026-11-30T07:00:00Z' })}\n`],
    ['a log level', `<0>${PANIC}`],
    ['levels of dmesg', `kern  :emerg : ${PANIC}`],
    ['a record of /dev/kmsg', '0,3964,206764307,-;Kernel panic - not syncing: Fatal exception\n'],
    ['a note of dropped messages', `** 12 printk messages dropped ** ${PANIC}`],
    ['a caller', PANIC.replace('] K', '][   T12] K')],
    ['a very long line before it', `${'x'.repeat(200_000)}\r\n${PANIC}`],
    ['a line without end before it', `${'x'.repeat(65_536 * 2)}${PANIC}`],
  ])('%s', async (_, text) => {
    const run = await runText(text);
    expect(run.conditions).toMatchObject([{ kind: 'kernel_panic', severity: 'critical', count: 1, values: { reason: 'Fatal exception' } }]);
  });

  test('marks and stamps date what happens, in the zone of the site', async () => {
    const marks = await runText(`${mark('01:00')}[ 5000.000001] usb 1-1: x\r\n${PANIC.replace('  100.', ' 5060.')}${mark('01:05')}`, {
      timezone: 'America/Denver',
    });
    expect(marks.conditions).toMatchObject([{ since: '2026-11-30T08:00:00.000Z', values: { time_from: 'mark' } }]);
    const stamps = await runText(`2026-11-30 01:02:03 ${PANIC}`, { timezone: 'America/Denver' });
    expect(stamps.conditions).toMatchObject([{ since: '2026-11-30T08:02:03.000Z', values: { time_from: 'line' } }]);
    const file = await runText(`${PANIC}[  160.100001] watchdog: BUG: soft lockup - CPU#3 stuck for 26s! [a:1]\r\n`, { now: NOW + 1000 });
    expect(file.conditions).toMatchObject([
      { kind: 'kernel_panic', since: '2026-11-30T08:44:00.000Z', values: { time_from: 'file' } },
      { kind: 'soft_lockup', since: '2026-11-30T08:45:00.000Z' },
    ]);
  });

  test('between two marks the kernel clock tells how long after the mark', async () => {
    const run = await runText(
      `${mark('07:00')}[ 5000.000001] EXT4-fs error (device sda1): x\r\n[ 5120.000001] EXT4-fs error (device sdb1): x\r\n${mark('07:05')}`,
    );
    expect(run.conditions.map((c) => c.since)).toEqual(['2026-11-30T07:00:00.000Z', '2026-11-30T07:02:00.000Z']);
  });
});

describe('who speaks', () => {
  test.each([
    ['a program', 'hydro.x: Kernel panic - not syncing: only a test\r\n'],
    ['a program behind a clock', '[   12.000001] myapp[123]: Kernel panic - not syncing: only a test\r\n'],
    ['a program that quotes a whole kernel line', 'myapp[123]: [  100.100001] Kernel panic - not syncing: Fatal exception\r\n'],
    ['a quotation', 'echo "[  100.100001] Kernel panic - not syncing: Fatal exception"\r\n'],
    [
      'a program at the begin of a line, on a console whose kernel has a clock',
      `[   12.000001] usb 1-1: x\r\n[   13.000001] mce: CPU supports 28 MCE banks\r\nKernel panic - not syncing: only a test\r\n`,
    ],
    ['an operator', 'x1000c0s0b0n0:~ # grep -i "Kernel panic - not syncing" /var/log/messages\r\n'],
    [
      'an old log that is shown',
      `x1000c0s0b0n0:~ # cat /root/old.log\r\n${PANIC}[  101.000001] Kernel panic - not syncing: again\r\nx1000c0s0b0n0:~ # `,
    ],
    ['the kernel log that is shown', `[root@nid000001 ~]# dmesg | tail\r\n${PANIC}[root@nid000001 ~]# `],
    [
      'a journal that is shown',
      `nid000001:~ # journalctl -k -b -1\r\nNov 29 07:00:01 nid000001 kernel: Kernel panic - not syncing: x\r\n${PANIC}nid000001:~ # exit\r\n`,
    ],
    ['syslog of another host', 'Nov 30 07:00:01 login1 kernel: [  100.100001] Kernel panic - not syncing: Fatal exception\r\n'],
    [
      'syslog in its newer form',
      '2026-11-30T07:00:01.123456-07:00 login1 kernel: [  100.100001] Kernel panic - not syncing: Fatal exception\r\n',
    ],
    [
      'a broadcast',
      'Message from syslogd@nid000001 at Nov 30 07:00:01 ...\r\n kernel:[  100.100001] Kernel panic - not syncing: Fatal exception\r\n',
    ],
    [
      'boot parameters',
      '[    0.000000] Command line: oops=panic panic=10 panic_on_warn=1 mce=bootlog softlockup_panic=1 hung_task_panic=1 rd.shell\r\n',
    ],
    ['a mount option', "[  120.000001] fuse: Unknown parameter 'Kernel panic - not syncing'\r\n"],
  ])('%s is not the kernel', async (_, text) => {
    expect(told(await runText(text))).toEqual([]);
  });

  test.each([
    ['after the next prompt', `x1:~ # cat /root/old.log\r\n${PANIC}x1:~ # [ 9000.000001] EXT4-fs error (device sda1): x\r\n`],
    [
      'after a mark',
      `x1:~ # cat /root/old.log\r\n[  100.100001] EXT4-fs error (device sdz1): old\r\n${mark('07:00')}[ 9000.000001] EXT4-fs error (device sda1): x\r\n`,
    ],
    ['after a new login', `x1:~ # cat /root/old.log\r\n${PANIC}x1 login: [ 9000.000001] EXT4-fs error (device sda1): x\r\n`],
  ])('what an operator shows ends %s', async (_, text) => {
    expect(told(await runText(text))).toEqual(['warning fs_error sda1']);
  });
});

test('a panic after which nobody speaks is none that a command shows', async () => {
  const shown = `x1:~ # cat /root/old.log\r\n${PANIC}[  100.200001] Kernel Offset: disabled\r\n`;
  expect(told(await runText(shown))).toEqual(['critical kernel_panic']);
  expect(told(await runText(`${shown}${mark('07:00')}${mark('07:05')}`))).toEqual(['critical kernel_panic']);
  expect(told(await runText(`${shown}x1:~ # `))).toEqual([]);
  expect(told(await runText(`${shown}end of file\r\n${mark('07:00')}`))).toEqual([]);
  const first = await runText(shown);
  expect(told(await runText(`${shown}x1:~ # exit\r\n`, { carry: first.carry }))).toEqual([]);
});

describe('incidents', () => {
  test('an oops, its panic and the reboot are one chain', async () => {
    const crash = [
      '[  100.000001] BUG: kernel NULL pointer dereference, address: 0000000000000048',
      '[  100.000301] Oops: 0000 [#1] PREEMPT SMP NOPTI',
      '[  100.000401] RIP: 0010:wekafs_readpage_done+0x38/0x1c0 [wekafsio]',
      '[  100.000501] ---[ end trace 0000000000000000 ]---',
      '[  100.000601] RIP: 0010:wekafs_readpage_done+0x38/0x1c0 [wekafsio]',
      '[  100.100001] Kernel panic - not syncing: Fatal exception',
      '[  100.300001] ---[ end Kernel panic - not syncing: Fatal exception ]---',
    ].join('\r\n');
    const run = await runText(`${mark('07:00')}${crash}\r\n${mark('07:05')}`);
    expect(run.conditions).toMatchObject([
      { kind: 'kernel_oops', severity: 'info', count: 1, values: { function: 'wekafs_readpage_done', led_to: 'kernel_panic' } },
      {
        kind: 'kernel_panic',
        severity: 'critical',
        count: 1,
        values: { function: 'wekafs_readpage_done', chain: 'kernel_oops > kernel_panic' },
      },
    ]);
    const booting = `${mark('07:00')}${crash}\r\n[    0.000000] Linux version 5.14.21 (geeko@host) #1\r\n[    0.000000] Command line: panic=10\r\n`;
    const rebooted = await runText(booting);
    expect(told(rebooted)).toEqual(['info kernel_oops', 'critical kernel_panic']);
    expect(rebooted.conditions[1]).toMatchObject({ values: { chain: 'kernel_oops > kernel_panic > reboot', rebooting: true } });
    const back = await runText(`${booting}x1000c0s0b0n0 login: \r\n`, { carry: rebooted.carry });
    expect(back.conditions).toEqual([]);
    expect(back.cleared?.map((c) => [c.kind, c.by])).toEqual([
      ['kernel_oops', 'boot'],
      ['kernel_panic', 'boot'],
    ]);
  });

  test('the boot of a crash kernel ends nothing', async () => {
    const run = await runText(
      `${PANIC}[    0.000000] Linux version 5.14.21 (geeko@host) #1\r\n[    0.000000] Command line: irqpoll elfcorehdr=0x1 reset_devices\r\n[   12.000001] kdump[612]: saving vmcore\r\n`,
    );
    expect(told(run)).toEqual(['info kdump', 'critical kernel_panic']);
    expect(run.conditions[1]?.values).not.toHaveProperty('rebooting');
  });

  test('a boot ends what the old kernel suffered, and nothing of the new one', async () => {
    const before =
      '[ 5000.000001] INFO: task ll_read:9 blocked for more than 120 seconds.\r\n[ 5001.000001] cxi_ss1 0000:03:00.0: cxi0[hsn0] CXI_EVENT_LINK_DOWN\r\n[ 5002.000001] reboot: Restarting system\r\n';
    const first = await runText(before);
    expect(told(first)).toEqual(['warning hsn_link_down cxi0', 'warning hung_task']);
    const after = await runText(
      `${before}[    0.000000] Linux version 5.14.21 (geeko@host) #1\r\n[    0.000000] Command line: panic=10\r\n[    3.000001] EXT4-fs error (device sda1): x\r\n`,
      { carry: first.carry },
    );
    expect(told(after)).toEqual(['warning fs_error sda1']);
    expect(after.cleared?.map((c) => [c.kind, c.by])).toEqual([
      ['hung_task', 'boot'],
      ['hsn_link_down', 'boot'],
    ]);
  });

  test('a reboot without a goodbye is told, one with a goodbye is not', async () => {
    const boot = '[    0.000000] Linux version 5.14.21 (geeko@host) #1\r\n[    0.000000] Command line: panic=10\r\nx1 login: \r\n';
    expect(told(await runText(`[ 5000.000001] perf: x\r\nx1 login: \r\n${boot}`))).toEqual(['warning unexpected_reboot']);
    expect(told(await runText(`x1 login: \r\n${boot}${boot}`))).toEqual(['critical unexpected_reboot']);
    expect(told(await runText(`x1 login: \r\n[ 5002.000001] reboot: Restarting system\r\n${boot}`))).toEqual([]);
    expect(told(await runText(boot))).toEqual([]);
  });

  test('a link that comes back is over; an up alone is nothing; three losses in ten minutes are flaps', async () => {
    const down = (t: number) => `[ ${t}.000001] cxi_ss1 0000:03:00.0: cxi0[hsn0] CXI_EVENT_LINK_DOWN\r\n`;
    const up = (t: number) => `[ ${t}.000001] cxi_ss1 0000:03:00.0: cxi0[hsn0] CXI_EVENT_LINK_UP\r\n`;
    expect(told(await runText(up(1000)))).toEqual([]);
    expect(told(await runText(down(1000)))).toEqual(['warning hsn_link_down cxi0']);
    expect(told(await runText(down(1000) + up(1009)))).toEqual([]);
    expect(told(await runText(down(1000) + up(1009) + down(1200) + up(1209)))).toEqual([]);
    const flaps = await runText(down(1000) + up(1009) + down(1200) + up(1209) + down(1400) + up(1409) + down(1500));
    expect(flaps.conditions).toMatchObject([
      { kind: 'hsn_link_down', part: 'cxi0', count: 1 },
      { kind: 'hsn_link_flap', part: 'cxi0', count: 4, severity: 'warning' },
    ]);
    expect(told(await runText(down(1000) + up(1009) + down(2200) + up(2209) + down(3400) + up(3409)))).toEqual([]);
    const admin = `[  999.900001] cxi_ss1 0000:03:00.0: cxi0[hsn0] lmon taking link down (reason cmd, bl: up)\r\n${down(1000)}`;
    expect(told(await runText(admin))).toEqual(['info hsn_link_down cxi0']);
    expect(told(await runText(`[  999.000001] reboot: Restarting system\r\n${down(1000)}`))).toEqual([]);
  });

  test('severity follows how often and how long', async () => {
    const lockup = (t: number, s: number) => `[ ${t}.000001] watchdog: BUG: soft lockup - CPU#3 stuck for ${s}s! [a:1]\r\n`;
    expect(told(await runText(lockup(1000, 26)))).toEqual(['warning soft_lockup']);
    expect(told(await runText(lockup(1000, 67)))).toEqual(['critical soft_lockup']);
    expect(told(await runText(lockup(1000, 22) + lockup(1028, 22) + lockup(1056, 22)))).toEqual(['critical soft_lockup']);
    const hung = (n: number) =>
      Array.from({ length: n }, (_, i) => `[ 100${i}.000001] INFO: task io_${i}:${i} blocked for more than 120 seconds.\r\n`).join('');
    expect(told(await runText(hung(4)))).toEqual(['warning hung_task']);
    expect(told(await runText(hung(5)))).toEqual(['critical hung_task']);
    const corrected = '[ 1000.000001] EDAC MC0: 1 CE memory read error on DIMM_A1 (channel:1 slot:0)\r\n';
    expect(told(await runText(corrected.repeat(23)))).toEqual(['info hw_corrected DIMM_A1']);
    expect(told(await runText(corrected.repeat(24)))).toEqual(['warning hw_corrected DIMM_A1']);
    const pcie = '[ 1000.000001] pcieport 0000:40:01.1: PCIe Bus Error: severity=Corrected, type=Physical Layer\r\n';
    expect(told(await runText(pcie.repeat(99)))).toEqual(['info hw_corrected 0000:40:01.1']);
    expect(told(await runText(pcie.repeat(100)))).toEqual(['warning hw_corrected 0000:40:01.1']);
  });

  test('one kill is one event, told with its scope and victim', async () => {
    const kill = (constraint: string, text: string) =>
      `[  700.000001] python3 invoked oom-killer: gfp_mask=0x140cca, order=0\r\n[  700.000002] oom-kill:constraint=CONSTRAINT_${constraint},nodemask=(null),task=a.out,pid=1,uid=1\r\n[  700.000003] ${text}: Killed process 4021 (a.out) total-vm:1kB\r\n`;
    expect((await runText(kill('NONE', 'Out of memory'))).conditions).toMatchObject([
      { kind: 'oom', part: 'global', severity: 'warning', count: 1, values: { victims: 'a.out' } },
    ]);
    expect((await runText(kill('MEMCG', 'Memory cgroup out of memory'))).conditions).toMatchObject([
      { kind: 'oom', part: 'job', severity: 'info', count: 1 },
    ]);
    expect((await runText(kill('CPUSET', 'Out of memory'))).conditions).toMatchObject([{ kind: 'oom', part: 'cpuset', count: 1 }]);
    expect((await runText('[  700.000001] python3 invoked oom-killer: gfp_mask=0x140cca, order=0\r\n')).conditions).toMatchObject([
      { kind: 'oom', part: 'global', count: 1 },
    ]);
    expect((await runText(kill('NONE', 'Out of memory').repeat(3))).conditions).toMatchObject([{ count: 3 }]);
  });

  test('floods are counted, and what was left out is counted or marked', async () => {
    const lost =
      '[  99.000001] Lustre: scratch-OST0004-osc-ffff9bd3e3c40000: Connection to scratch-OST0004 (at 10.1.0.9@o2ib) was lost; in progress operations using this service will wait for recovery to complete\r\n';
    const run = await runText(`${lost}[  100.000001] Lustre: Skipped 17 previous similar messages\r\n`);
    expect(run.conditions).toMatchObject([{ kind: 'lustre_conn_lost', part: 'scratch-OST0004', count: 18, values: { incomplete: true } }]);
    const restored = await runText(
      `${lost}[  101.000001] Lustre: scratch-OST0004-osc-ffff9bd3e3c40000: Connection restored to scratch-OST0004 (at 10.1.0.9@o2ib)\r\n`,
    );
    expect(restored.conditions).toEqual([]);
    const dropped = await runText(
      `[  100.000001] EXT4-fs error (device sda1): x\r\n** 40 printk messages dropped ** [  101.000001] usb 1-1: BUG: nothing\r\n`,
    );
    expect(dropped.conditions[0]).toMatchObject({ kind: 'fs_error', values: { incomplete: true } });
    expect(dropped.summary).toMatchObject({ messages_dropped: 40 });
    const flood = await runText('[  100.000001] EXT4-fs error (device sda1): x\r\n'.repeat(5000));
    expect(flood.conditions).toHaveLength(1);
    expect(flood.conditions[0]?.evidence?.length).toBeLessThanOrEqual(2);
  });

  test('no log can open incidents without end', async () => {
    const units = Array.from({ length: 3000 }, (_, i) => `[FAILED] Failed to start unit ${i} of many.\r\n`).join('');
    const disks = Array.from({ length: 3000 }, (_, i) => `[ 1000.000001] EXT4-fs error (device sd${i}): x\r\n`).join('');
    const tasks = Array.from(
      { length: 3000 },
      (_, i) => `[ 1000.000001] INFO: task t${i}:${i} blocked for more than 120 seconds.\r\n`,
    ).join('');
    const run = await runText(units + disks + tasks);
    expect(run.conditions.length).toBeLessThanOrEqual(60);
    expect(run.conditions.find((c) => c.kind === 'fs_error' && c.part === 'others')?.count).toBeGreaterThan(2900);
    expect(JSON.stringify(run.carry).length).toBeLessThan(30_000);
    expect(JSON.stringify(run.summary).length).toBeLessThan(6000);
  });

  test('Xids are told apart by their code', async () => {
    const xid = (code: number, text = 'pid=1, name=a.out') => `[ 8000.000001] NVRM: Xid (PCI:0000:65:00): ${code}, ${text}\r\n`;
    expect(told(await runText(xid(79)))).toEqual(['critical gpu_xid 0000:65:00']);
    expect(told(await runText(xid(13) + xid(31) + xid(45)))).toEqual(['info gpu_app_error 0000:65:00']);
    expect(told(await runText(xid(145, 'Nonfatal, RLW_REMAP')))).toEqual(['warning gpu_xid 0000:65:00']);
    expect(told(await runText(xid(145, 'Fatal, RLW_REMAP')))).toEqual(['critical gpu_xid 0000:65:00']);
    const both = await runText(xid(119) + xid(119) + xid(79));
    expect(both.conditions).toMatchObject([{ kind: 'gpu_xid', count: 3, values: { xid: 119, codes: '119, 79' } }]);
    expect(told(await runText(`${xid(79)}[ 8010.000001] NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.54.15\r\n`))).toEqual([]);
  });

  test('a GPU that is lost without an Xid is named by the line before', async () => {
    const lost =
      '[ 8000.000001] NVRM: The NVIDIA GPU 0000:85:00.0\r\n[ 8000.000002] NVRM: (PCI ID: 10de:2330) installed in this system has\r\n[ 8000.000003] NVRM: fallen off the bus and is not responding to commands.\r\n';
    expect((await runText(lost)).conditions).toMatchObject([{ kind: 'gpu_xid', part: '0000:85:00', count: 1, values: { xid: 79 } }]);
  });

  test('heat is over when the last CPU has cooled', async () => {
    const hot = (cpu: number) =>
      `[  500.000001] mce: CPU${cpu}: Core temperature is above threshold, cpu clock is throttled (total events = 1)\r\n`;
    const cool = (cpu: number) => `[  501.000001] mce: CPU${cpu}: Core temperature/speed normal (total events = 1)\r\n`;
    expect(told(await runText(hot(3) + hot(7) + cool(3)))).toEqual(['warning thermal']);
    expect(told(await runText(hot(3) + hot(7) + cool(3) + cool(7)))).toEqual([]);
  });

  test('a shutdown that did not happen hides nothing afterwards', async () => {
    const text = '[ 1000.000001] systemd-shutdown[1]: Sending SIGTERM\r\n';
    const down = (t: number) => `[ ${t}.000001] cxi_ss1 0000:03:00.0: cxi0[hsn0] CXI_EVENT_LINK_DOWN\r\n`;
    expect(told(await runText(text + down(1002)))).toEqual([]);
    expect(told(await runText(text + down(2500)))).toEqual(['warning hsn_link_down cxi0']);
  });

  test('a unit that starts after all is over', async () => {
    const failed = '[\u001b[0;1;31mFAILED\u001b[0m] Failed to start \u001b[0;1;39mslurmd.service - Slurm node daemon\u001b[0m.\r\n';
    expect(told(await runText(failed))).toEqual(['warning unit_failed slurmd.service - Slurm node daemon']);
    expect(
      told(await runText(`${failed}[\u001b[0;32m  OK  \u001b[0m] Started \u001b[0;1;39mslurmd.service - Slurm node daemon\u001b[0m.\r\n`)),
    ).toEqual([]);
  });
});

describe('what no line says', () => {
  const BOOT = `[    0.000000] Linux version 5.14.21 (geeko@host) #1\r\n[    0.000000] Command line: panic=10\r\n${'[    3.000001] usb 1-1: x\r\n'.repeat(200)}`;

  test('a boot that goes nowhere has stalled, until it completes', async () => {
    expect(told(await runText(BOOT, { now: NOW + 10 * 60_000 }))).toEqual([]);
    const stalled = await runText(BOOT, { now: NOW + 20 * 60_000 });
    expect(told(stalled)).toEqual(['warning boot_stalled']);
    const up = await runOn(
      [
        inputOf(
          'x1000c0s0b0n0',
          { inode: '1', bytes: bytesOfText(`${BOOT}x1 login: `) },
          { mtime: new Date(NOW + 25 * 60_000).toISOString() },
        ),
      ],
      { carry: stalled.carry, now: NOW + 26 * 60_000 },
    );
    expect(up.conditions).toEqual([]);
    expect(up.cleared).toMatchObject([{ kind: 'boot_stalled', by: 'boot' }]);
    expect(told(await runText(`${BOOT}Give root password for maintenance\r\n`, { now: NOW + 20 * 60_000 }))).toEqual([
      'critical emergency_shell',
    ]);
    expect(told(await runText(BOOT, { now: NOW + 20 * 60_000, config: { boot_stalled_after: '1h' } }))).toEqual([]);
  });

  test('where no console shows a boot complete, none has stalled', async () => {
    const inputs = Array.from({ length: 10 }, (_, i) => inputOf(`n${i}`, { inode: String(i), bytes: bytesOfText(BOOT) }));
    const run = await runOn(inputs, { now: NOW + 20 * 60_000 });
    expect(run.conditions).toEqual([]);
    expect(run.coverage.problems).toMatchObject([{ effect: 'note', message: expect.stringContaining('stalled boots cannot be told') }]);
  });

  test('marks that stop are told; so is a node that went down and stays away; an idle one is not', async () => {
    const idle = `[ 5000.000001] perf: x\r\nx1 login: \r\n${['05:00', '06:00', '07:00', '08:00'].map((t) => mark(t)).join('')}`;
    expect(told(await runText(idle))).toEqual([]);
    const day = 86_400_000;
    expect(told(await runText(idle, { now: NOW + day }))).toEqual(['warning console_silent']);
    const off = `[ 5000.000001] reboot: Power down\r\n${[26, 27, 28, 29, 30].map((d) => `[-- MARK -- Mon Nov ${d} 08:30:00 2026]\r\n`).join('')}`;
    expect(told(await runText(off))).toEqual(['info console_silent']);
    expect(told(await runText(`${PANIC}${off.slice(off.indexOf('[--'))}`))).toEqual(['critical kernel_panic']);
  });

  test('a console that is cut off is told until it is back', async () => {
    const down = `${mark('07:00')}[-- Console down -- Mon Nov 30 07:12:00 2026]\r\n`;
    const first = await runText(down);
    expect(first.conditions).toMatchObject([{ kind: 'console_disconnected', severity: 'warning', since: '2026-11-30T07:12:00.000Z' }]);
    const back = await runText(`${down}[-- Console up -- Mon Nov 30 07:20:00 2026]\r\n`, { carry: first.carry });
    expect(back.conditions).toEqual([]);
    expect(back.cleared).toMatchObject([{ kind: 'console_disconnected', by: 'line', at: '2026-11-30T07:20:00.000Z' }]);
    const conman =
      '<ConMan> Console [n1] log at 2026-11-30 07:00:00 UTC.\r\n\r\n<ConMan> Console [n1] disconnected from <bmc1> at 11-30 07:12.\r\n';
    expect((await runText(conman)).conditions).toMatchObject([{ kind: 'console_disconnected', since: '2026-11-30T07:12:00.000Z' }]);
  });
});

describe('names with an @', () => {
  test('of units and Lustre networks stay apart, those of people are not kept', async () => {
    const run = await runText(
      '[FAILED] Failed to start cxi_rh@cxi0.service.\r\n[FAILED] Failed to start cxi_rh@cxi1.service.\r\n' +
        '[  100.000001] LustreError: 166-1: MGC10.1.1.1@o2ib: Connection to MGS (at 10.1.1.1@o2ib) was lost; in progress operations using this service will fail\r\n' +
        '[FAILED] Failed to start mail to jdoe@example.test.\r\n',
    );
    expect(told(run)).toEqual([
      'info lustre_conn_lost MGC10.1.1.1@o2ib',
      'warning unit_failed cxi_rh@cxi0.service',
      'warning unit_failed cxi_rh@cxi1.service',
      'info unit_failed mail to [user]@[host]',
    ]);
  });

  test('the target of a Lustre request that timed out is what is behind its opcode', async () => {
    const line =
      '[   99.000001] Lustre: 4021:0:(client.c:2114:ptlrpc_expire_one_request()) @@@ Request sent has timed out for slow reply: [sent 1570000000/real 1570000000]  req@ffff9a3c4d5e6000 x164/t0(0) o400->scratch-OST0001-osc-ffff9bd3e3c40000@10.1.0.9@o2ib:28/4 lens 224/224\r\n';
    expect(told(await runText(line))).toEqual(['info lustre_conn_lost scratch-OST0001']);
    expect(told(await runText(line.replace(/ o400.*/, '\r\n')))).toEqual(['info lustre_conn_lost unnamed']);
  });
});

test.each(['dracut:/# ', 'switch_root:/# ', '(initramfs) ', 'dracut:/# ls /\r\nbin\r\ndracut:/# '])(
  'the prompt of a rescue shell is enough: %j',
  async (text) => {
    expect(told(await runText(`[   99.000001] ok\r\n${text}`))).toEqual(['critical emergency_shell']);
  },
);
