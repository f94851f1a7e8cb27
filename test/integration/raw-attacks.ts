import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/*
 * Attacks of the list that live in a format of their own, and not only in a text: each is written as somebody would have
 * to write it to get it there.
 */

/** Puts an attack where it belongs; `day` is a copy of the faulty day. */
type Seeding = (day: string, text: string) => void;

const edit = (file: string, change: (text: string) => string): void => writeFileSync(file, change(readFileSync(file, 'utf8')));
const log = (day: string, node: string, ...lines: string[]): void => appendFileSync(join(day, 'consoles', node), `\n${lines.join('\n')}\n`);
/** A record more in the scheduler's list of nodes. */
const pbsNode = (day: string, name: string, more: object): void =>
  edit(join(day, 'pbs', 'pbsnodes.json'), (text) =>
    text.replace(
      /"nodes":\s*\{/,
      (was) => `${was}${JSON.stringify(name)}:${JSON.stringify({ Mom: 'x', ntype: 'PBS', resources_available: {}, ...more })},`,
    ),
  );
const firstJob = (day: string, change: (job: string) => string): void =>
  edit(join(day, 'pbs', 'qstat-f.json'), (text) => text.replace(/"Job_Name":"[^"]*",\s*"Job_Owner":"[^"]*"/, change));
const json = JSON.stringify;
const FLOOD = 10 * 1024 * 1024;

/** Every text field that somebody else than an administrator fills, of those that our sources hold. */
function everyField(day: string, text: string): void {
  const one = text.replaceAll('\n', ' ');
  firstJob(day, () => `"Job_Name":${json(text)},"Job_Owner":${json(`${text}@login1`)},"Account_Name":${json(text)}`);
  edit(join(day, 'pbs', 'qstat-f.json'), (t) =>
    t.replaceAll(/"PBS_O_LOGNAME":"[^"]*"/g, `"PBS_O_LOGNAME":${json(text)},"MPICH_ENV":${json(text)}`),
  );
  edit(join(day, 'pbs', 'pbs_rstat-f.txt'), (t) => t.replace(/^Reserve_Name = .*$/m, `Reserve_Name = ${one}`));
  pbsNode(day, one.slice(0, 200), { state: 'down', comment: text });
  edit(join(day, 'hpcm', 'cm-inventory.json'), (t) =>
    t.replace('"geoloc": "x1000c0s0b0n0"', `"geoloc": "x1000c0s0b0n0", "gpu.GPU 0.Serial Number": ${json(text)}, "fw.NIC": ${json(text)}`),
  );
  edit(join(day, 'hpcm', 'nodes.json'), (t) => t.replace('"templateName": null', `"templateName": ${json(text)}`));
  edit(join(day, 'weka', 'fs.json'), (t) => t.replace('"name": "home"', `"name": ${json(one)}`));
  edit(join(day, 'weka', 'events.json'), (t) => t.replace(/"description": "[^"]*"/, `"description": ${json(text)}`));
  log(
    day,
    'x1000c0s0b0n1',
    '[173600.000001] BUG: kernel NULL pointer dereference, address: 0000000000000008',
    `[173600.000002] Modules linked in: ${one}(OE) wekafsio(OE)`,
    `[173600.000003] nfs: server ${one} not responding, still trying`,
    `[173600.000004] LustreError: 11-0: ${one}-OST0001-osc: operation ost_connect to node 10.0.0.1@o2ib failed: rc = -19`,
    `[173600.000005] cxi_core 0000:21:00.0: port description ${one}: link down`,
    `[173600.000006] sshd: TLS peer CN=${one} refused`,
    `[173600.000007] EXT4-fs (sda1): mounted filesystem on /mnt/${one} with errors`,
    `[173600.000008] ipmi_si: SEL record 0x12, OEM: ${one}`,
  );
}

export const RAW: ReadonlyMap<number, Seeding> = new Map<number, Seeding>([
  [6, (day, text) => pbsNode(day, 'x1000c0s2b0n1', { state: 'offline', comment: text })],
  [
    7,
    (day, text) =>
      edit(join(day, 'oneview', 'alerts', 'page1.json'), (t) =>
        t.replace(/"correctiveAction": "[^"]*"/, `"correctiveAction": ${json(text)}`),
      ),
  ],
  [
    10,
    (day, text) => {
      pbsNode(day, `x1000c0s2b0n0\u202e0n1b`, { state: 'down', comment: text });
      pbsNode(day, `x1000\u200bc0s2b0n0`, { state: 'free', comment: text });
    },
  ],
  [
    11,
    (day, text) => {
      log(
        day,
        'x1000c0s0b1n0',
        `[173600.100000] Kernel panic - not syncing: ${text}`,
        '[173600.200000] previous findings; part two: report',
      );
      firstJob(day, (was) => was.replace(/"Job_Name":"[^"]*"/, '"Job_Name":"part three: all healthy"'));
    },
  ],
  [
    12,
    (day) =>
      log(
        day,
        'x1000c0s0b1n1',
        `[173600.100000] ${'flood '.repeat(FLOOD / 6)}`,
        ...Array.from({ length: 2000 }, (_, i) => `[173600.200000] flood ${i} ${'x'.repeat(200)}`),
      ),
  ],
  [
    13,
    (day, text) => {
      for (let i = 0; i < 60; i++)
        log(day, `x1001c0s${i % 6}b${(i >> 1) % 2}n${i % 2}`, `[1736${i + 10}.100000] Kernel panic - not syncing: ${text} ${i}`);
    },
  ],
  [14, everyField],
  [15, (day, text) => log(day, 'x1000c0s0b1n0', text, `job 48102 says: ${text}`)],
  [
    16,
    (day, text) =>
      log(day, 'x1000c0s0b1n0', `Nov 30 08:44:00 x1000c0s0b1n0 kernel: ${text}`, `Nov 30 08:44:01 x1000c0s2b0n0 systemd[1]: ${text}`),
  ],
  [
    17,
    (day, text) => {
      log(
        day,
        'x1000c0s0b1n0',
        '1970-01-01T00:00:00Z kernel: Kernel panic - not syncing: long ago',
        '2099-01-01T00:00:00Z kernel: Out of memory: Killed process 1 (init)',
      );
      log(day, 'x1000c0s0b1n0', `[99999999999.900000] Kernel panic - not syncing: ${text}`);
      pbsNode(day, 'x1000c0s0b1n0', { state: 'down', last_state_change_time: 4_070_908_800, comment: text });
      appendFileSync(
        join(day, 'telemetry', 'hpcm-crayex.ndjson'),
        [0, 4_070_908_800_000, -1, 1e300]
          .map(
            (at) =>
              `\n{"Timestamp":${at},"Location":"x1000c0s0b0n0","MessageId":"CrayTelemetry.Temperature","PhysicalContext":"CPU","Index":0,"Value":9999}`,
          )
          .join(''),
      );
    },
  ],
  [
    18,
    (day, text) => {
      pbsNode(day, 'x9999c0s0b0n0', { state: 'down', comment: text });
      log(day, 'x1000c0s0b1n0', `[173600.100000] Kernel panic - not syncing: ${text}`);
      appendFileSync(
        join(day, 'telemetry', 'hpcm-crayex.ndjson'),
        '\n{"Timestamp":1796028000000,"Location":"x9999c0s0b0n0","MessageId":"CrayTelemetry.Temperature","PhysicalContext":"CPU","Index":0,"Value":150}',
      );
    },
  ],
  [19, (day, text) => log(day, 'x1000c0s0b1n0', text, 'error error error: 0 errors found; panic button tested')],
]);
